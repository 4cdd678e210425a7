//! Finding handoffs: those that give something now, those that ended last, and one by its name.

use std::ops::ControlFlow;

use super::pin::is_stale;
use super::standing::{Shown, State, stand};
use crate::app::context::Context;
use crate::app::error::AppError;
use crate::app::remote;
use crate::gather::notes::Noted;
use crate::gather::{Session, directory};
use crate::model::digest::Digest;
use crate::model::id::ArtifactId;

/// Pinned commits whose handoffs are looked at for one that is over and was held by whoever asks.
const LATEST: usize = 64;

/// Lists handoffs, newest lease first; only those whose leases run unless `all`.
///
/// # Errors
/// When the shelves can't be read.
pub fn list(context: &Context, all: bool) -> Result<Vec<Shown>, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let digests = if all { directory::all(&session, &noted)? } else { directory::live(&session, &noted)? };
    let mut shown = stand(&session, &noted, &digests)?;
    shown.retain(|one| all || one.state.runs());
    look_at_pins(&session, &mut shown)?;
    shown.sort_by_key(|one| std::cmp::Reverse((one.handoff.lease.map(|lease| lease.not_before), one.entered)));
    Ok(shown)
}

/// Every handoff that is live, with its state.
///
/// # Errors
/// When the shelves can't be read.
pub fn live(session: &Session<'_>, noted: &Noted) -> Result<Vec<Shown>, AppError> {
    let mut shown = stand(session, noted, &directory::live(session, noted)?)?;
    shown.retain(|one| one.state == State::Live);
    Ok(shown)
}

/// The handoffs that somebody may work under: those of live ones, and of the ones whose leases ended last, as far back as one that
/// `held` says is meant.
///
/// # Errors
/// When the shelves can't be read.
pub fn latest(session: &Session<'_>, noted: &Noted, held: impl Fn(&Shown) -> bool) -> Result<Vec<Shown>, AppError> {
    let mut shown = stand(session, noted, &directory::live(session, noted)?)?;
    if shown.iter().any(&held) {
        return Ok(shown);
    }
    let (mut before, mut failed, mut left) = (Vec::new(), None, LATEST);
    directory::visit(session, noted, None, &mut |digests| {
        left -= 1;
        match stand(session, noted, digests) {
            Ok(found) => {
                let enough = left == 0 || found.iter().any(&held);
                before.extend(found);
                if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    })?;
    before.retain(|one| !shown.iter().any(|other| other.digest == one.digest));
    shown.extend(before);
    failed.map_or(Ok(shown), Err)
}

/// One handoff, by id or digest.
///
/// # Errors
/// When there is none.
pub fn show(context: &Context, which: &str) -> Result<Shown, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let mut shown = [find(&session, &Noted::default(), which)?];
    look_at_pins(&session, &mut shown)?;
    let [shown] = shown;
    Ok(shown)
}

/// Says of those that would be live otherwise where their bases have left them behind.
fn look_at_pins(session: &Session<'_>, shown: &mut [Shown]) -> Result<(), AppError> {
    let side = remote::side(session.repository)?;
    for one in shown.iter_mut().filter(|one| one.state == State::Live) {
        if is_stale(session, &side, &one.handoff)? {
            one.state = State::Stale;
        }
    }
    Ok(())
}

/// The same in a session that is open.
///
/// # Errors
/// When there is none.
pub fn find(session: &Session<'_>, noted: &Noted, which: &str) -> Result<Shown, AppError> {
    let mut found = None;
    directory::visit(session, noted, None, &mut |digests| {
        let meant = |digest: &&Digest| ArtifactId::of(digest).to_string() == which || digest.to_string() == which;
        found = digests.iter().find(meant).copied();
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let shown = found.map(|digest| stand(session, noted, &[digest])).transpose()?;
    shown.into_iter().flatten().next().ok_or_else(|| {
        AppError::usage(format!("no handoff {which:?} is known here"), "git boundary handoff list --all")
    })
}
