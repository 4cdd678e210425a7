//! Publishing: this registrar's own ref, and trust and policy where they were written here. Fast-forwards, and nobody else's refs.

use serde::Serialize;

use super::Synced;
use super::chains::Taken;
use crate::app::context::Context;
use crate::app::error::AppError;
use crate::gather::Session;
use crate::git::{Expected, Prompt, PushOptions, PushStatus, RefEdit, RemoteError, Repository};
use crate::model::id::Oid;
use crate::store::arrivals::{Arrival, Arriving};
use crate::store::layout;
use crate::store::unite::Own;

/// How publishing ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sending {
    /// The remote had everything.
    #[default]
    Nothing,
    /// It is there now.
    Sent,
    /// Turned off by `--no-publish`.
    Off,
    /// The remote said no.
    Refused,
    /// It did not answer, or others were faster each time.
    Failed,
}

/// What was published.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Sent {
    /// How it ended.
    pub state: Sending,
    /// The refs that the remote lacked or had less of.
    pub refs: Vec<String>,
    /// Entries of this clone's own ledger that the remote lacked.
    pub entries: u64,
    /// What git or the remote said, where it did not end well. Untrusted text.
    pub message: Option<String>,
}

/// What is to be sent.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    refs: Vec<(String, Oid)>,
    entries: u64,
}

/// What the remote lacks.
///
/// # Errors
/// When refs can't be read.
pub(super) fn wanted(
    session: &Session<'_>,
    answer: &Synced,
    own: Option<Own>,
    chains: &Taken,
    arrivals: &[Arrival],
) -> Result<Wanted, AppError> {
    let mut wanted = Wanted { refs: chains.unpublished.clone(), entries: 0 };
    let Some(registrar) = own.map(|own| own.origin.registrar) else { return Ok(wanted) };
    let reference = layout::registrar_ref(&registrar);
    let incoming = layout::incoming(&answer.remote, &reference).expect("it is a boundary ref");
    let there = session.repository.find_ref(&incoming)?;
    let Some((_, here)) = session.refs.iter().find(|(name, _)| *name == reference) else { return Ok(wanted) };
    let arrival = arrivals.iter().find(|one| one.registrar == registrar);
    let is_foreign = arrival.is_some_and(|one| matches!(one.state, Arriving::Bad(_)));
    if there == Some(*here) || is_foreign {
        return Ok(wanted);
    }
    let shelf = session.shelves.open.iter().find(|shelf| shelf.registrar == registrar);
    let known = arrival.and_then(|one| one.new).map_or(0, |head| head.size);
    wanted.entries = shelf.map_or(0, |shelf| shelf.head.size.saturating_sub(known));
    wanted.refs.push((reference, *here));
    Ok(wanted)
}

/// Sends it; whether somebody was at the same refs at the same moment, so that it is worth another look.
///
/// # Errors
/// When refs here can't be read or written.
pub(super) fn send(
    context: &Context,
    repository: &Repository,
    answer: &mut Synced,
    wanted: Wanted,
) -> Result<bool, AppError> {
    // What an earlier attempt sent before it was overtaken counts as well.
    let before = std::mem::take(&mut answer.published);
    let sent = &mut answer.published;
    if wanted.refs.is_empty() {
        *sent = if before.refs.is_empty() {
            Sent::default()
        } else {
            Sent { state: Sending::Sent, message: None, ..before }
        };
        return Ok(false);
    }
    sent.entries = wanted.entries.max(before.entries);
    sent.refs = before.refs;
    for (name, _) in &wanted.refs {
        if !sent.refs.contains(name) {
            sent.refs.push(name.clone());
        }
    }
    if !context.publish {
        sent.state = Sending::Off;
        return Ok(false);
    }
    let refspecs: Vec<String> = wanted.refs.iter().map(|(name, oid)| format!("{oid}:{name}")).collect();
    // Our own hook has nothing to say about boundary refs, and another's must not be run once more for them.
    let options = PushOptions { prompt: Prompt::IfTerminal, no_verify: true, ..PushOptions::default() };
    let pushed = match repository.push(&answer.remote, &refspecs, &options) {
        Ok(pushed) => pushed,
        Err(error) => {
            sent.state = Sending::Failed;
            sent.message = Some(error.to_string());
            return Ok(matches!(error, RemoteError::Raced { .. }));
        }
    };
    let (mut raced, mut refused) = (Vec::new(), Vec::new());
    for one in &pushed.refs {
        match &one.status {
            PushStatus::Done | PushStatus::UpToDate => {
                if let Some((name, oid)) = wanted.refs.iter().find(|(name, _)| *name == one.name) {
                    remember(context, repository, &answer.remote, name, *oid)?;
                }
            }
            PushStatus::Behind | PushStatus::Stale | PushStatus::Raced | PushStatus::NotAtomic => {
                raced.push(format!("{} was moved at {} at the same moment", one.name, answer.remote));
            }
            PushStatus::Refused(why) => refused.push(format!("{}: {why}", one.name)),
        }
    }
    sent.state = match (refused.is_empty(), raced.is_empty()) {
        (true, true) => Sending::Sent,
        (false, _) => Sending::Refused,
        (true, false) => Sending::Failed,
    };
    let again = !raced.is_empty() && refused.is_empty();
    refused.append(&mut raced);
    sent.message = (!refused.is_empty()).then(|| refused.join("; "));
    Ok(again)
}

/// git does so itself where the refspecs are configured.
fn remember(context: &Context, repository: &Repository, remote: &str, name: &str, there: Oid) -> Result<(), AppError> {
    let Some(tracking) = layout::tracking(remote, name) else { return Ok(()) };
    let from = repository.find_ref(&tracking)?;
    if from != Some(there) {
        let expected = from.map_or(Expected::Absent, Expected::At);
        let edit = RefEdit { name: tracking, expected, new: Some(there) };
        // Whoever moved it meanwhile has looked later than this.
        let _ = repository.update_refs(&[edit], "boundary: published", context.now)?;
    }
    Ok(())
}
