//! What a proposal would move: which ref, from where, to where, and whether that is a move at all.

use super::Intent;
use crate::app::error::AppError;
use crate::app::judge::judge_update;
use crate::app::subject;
use crate::gate::facts::Purpose;
use crate::gate::verdict::Outcome;
use crate::gather::base::Side;
use crate::gather::notes::Noted;
use crate::gather::{Session, UpdateRequest};
use crate::model::id::Oid;

const NAME_ONE: &str = "add --ref refs/heads/<branch>";

/// The ref, the commit in whose note the proposal goes, and the new value.
///
/// # Errors
/// When the intent names none.
pub fn target(session: &Session<'_>, side: &Side, intent: &Intent) -> Result<(String, Oid, Oid), AppError> {
    let repository = session.repository;
    if let Some(name) = &intent.delete {
        let reference = subject::full_ref(name);
        let old = tracking_value(session, side, &reference)?
            .ok_or_else(|| AppError::usage(format!("{reference} is not known to be on the other side"), "git fetch"))?;
        let tip = repository
            .peel_to_commit(&old)?
            .ok_or_else(|| AppError::usage(format!("{reference} is at {old}, which is no commit"), "name a branch"))?;
        return Ok((reference, tip, repository.object_format().zero_oid()));
    }
    let reference = match &intent.reference {
        Some(name) => subject::full_ref(name),
        None => match &intent.at {
            Some(rev) => match repository.full_ref_name(rev)? {
                Some(name) if name.starts_with("refs/heads/") || name.starts_with("refs/tags/") => name,
                _ => subject::current_branch(repository, NAME_ONE)?,
            },
            None => subject::current_branch(repository, NAME_ONE)?,
        },
    };
    // A tag that is here says itself which commit it is for, and where it is annotated its own object is what the ref gets.
    let tag = if reference.starts_with("refs/tags/") { repository.find_ref(&reference)? } else { None };
    let tagged = tag.map(|tag| repository.peel_to_commit(&tag)).transpose()?.flatten();
    let tip = match (&intent.at, tagged) {
        (None, Some(commit)) => commit,
        (at, _) => subject::commit(repository, at.as_deref())?,
    };
    let new = tag.filter(|_| tagged == Some(tip)).unwrap_or(tip);
    Ok((reference, tip, new))
}

/// Where a ref stands on the other side as far as this clone saw; the clone's own ref where there is no remote.
///
/// # Errors
/// When refs can't be read.
pub fn tracking_value(session: &Session<'_>, side: &Side, reference: &str) -> Result<Option<Oid>, AppError> {
    match &side.remote {
        Some(remote) => match crate::gather::base::tracking_ref(remote, reference) {
            Some(name) => Ok(session.repository.find_ref(&name)?),
            None => Ok(None),
        },
        None => Ok(None),
    }
}

/// A ref that is where it should get has nothing to be proposed for it. What is there without cover, because it was pushed past the hook
/// or its proposal fails by now, can still be proposed afterwards: that is how it gets covered.
///
/// # Errors
/// When it is no move, or that can't be told.
pub fn moves(
    session: &Session<'_>,
    noted: &Noted,
    side: &Side,
    reference: &str,
    (old, new): (Oid, Oid),
) -> Result<(), AppError> {
    if old != new {
        return Ok(());
    }
    let request = UpdateRequest {
        exact: false,
        new,
        old: session.repository.object_format().zero_oid(),
        purpose: Purpose::Verify,
        reference: reference.to_owned(),
        side: side.clone(),
    };
    if judge_update(session, noted, request)?.verdict.outcome != Outcome::Admitted {
        return Ok(());
    }
    let there = side.remote.as_ref().map_or_else(String::new, |remote| format!(" at {remote}"));
    Err(AppError::usage(
        format!("{reference} is at {}{there} already, so that there is nothing to propose", new.short()),
        "commit first, or name the ref that should get it: git boundary propose --ref <branch> --key <key>",
    ))
}
