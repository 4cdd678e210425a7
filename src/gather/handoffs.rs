//! SOURCE: handoffs, by digest and by hint, and what git says of their pins.

use std::collections::BTreeSet;

use super::base::{Side, known_commit};
use super::error::GatherError;
use super::notes::Noted;
use super::session::Session;
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::Statement;
use crate::gate::facts::{Gap, HandoffFacts};
use crate::git::HistoryError;
use crate::model::context::Observation;
use crate::model::digest::Digest;
use crate::model::handoff::Handoff;
use crate::model::id::Oid;

/// A handoff that was read.
pub fn statement(noted: &Noted, digest: &Digest) -> Option<Statement<Handoff>> {
    match noted.artifact(digest)?.artifact.value() {
        Artifact::Handoff(statement) => Some((**statement).clone()),
        _ => None,
    }
}

/// What is asked about a handoff's pin.
pub struct PinQuestion<'a> {
    /// Commits known to be reached by the tip.
    pub reached: &'a BTreeSet<Oid>,
    /// Commits known to be in the base's history.
    pub in_base: &'a BTreeSet<Oid>,
    /// Commits known to be in the history that is verified; empty at a push.
    pub history: &'a BTreeSet<Oid>,
    /// Where the base stands, if that is not to be observed.
    pub base: Option<Observation>,
    /// Whose refs.
    pub side: &'a Side,
    /// The proposal's tip.
    pub tip: Oid,
}

/// What git says of a handoff's pin.
///
/// # Errors
/// When git can't be read.
pub fn pin_facts(
    session: &Session<'_>,
    digest: Digest,
    handoff: &Handoff,
    question: &PinQuestion<'_>,
    gaps: &mut Vec<Gap>,
) -> Result<HandoffFacts, GatherError> {
    let repository = session.repository;
    let pin = &handoff.pin;
    let mut base = match &question.base {
        Some(base) => base.clone(),
        None => question.side.observe(repository, &pin.reference)?,
    };
    if base.oid.is_none() && question.history.contains(&pin.commit) {
        // The pinned branch is gone, and its pin lies in the history that is verified: nothing is left for it to be stale to.
        base.oid = Some(pin.commit);
    }
    let pin_known = match repository.commit(&pin.commit) {
        Ok(commit) => Some(commit.tree == pin.tree),
        Err(error) if error.is_missing() && (repository.is_shallow() || repository.is_partial()) => {
            gaps.push(Gap { command: Some("git fetch --unshallow".to_owned()), text: error.to_string() });
            None
        }
        Err(_) => Some(false),
    };
    if pin_known != Some(true) {
        return Ok(HandoffFacts { base, digest, pin_in_base: None, pin_known, tip_descends: None });
    }
    let ancestor = |of: Oid, known: &BTreeSet<Oid>, gaps: &mut Vec<Gap>| -> Result<Option<bool>, GatherError> {
        if known.contains(&pin.commit) || of == pin.commit {
            return Ok(Some(true));
        }
        is_ancestor(session, pin.commit, of, gaps)
    };
    let pin_in_base = match known_commit(&base) {
        Some(oid) => ancestor(oid, question.in_base, gaps)?,
        None => {
            let text = format!("where {} stands is not known here", pin.reference);
            gaps.push(Gap { command: Some(fetch(question.side)), text });
            None
        }
    };
    let tip_descends = ancestor(question.tip, question.reached, gaps)?;
    Ok(HandoffFacts { base, digest, pin_in_base, pin_known, tip_descends })
}

/// Whether one commit is in the history of another; `None`, and a gap, when history is cut.
///
/// # Errors
/// When git can't be read.
pub fn is_ancestor(
    session: &Session<'_>,
    ancestor: Oid,
    descendant: Oid,
    gaps: &mut Vec<Gap>,
) -> Result<Option<bool>, GatherError> {
    match session.repository.is_ancestor(&ancestor, &descendant) {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.is_incomplete() => {
            let command =
                if matches!(error, HistoryError::ShallowEdge { .. }) { "git fetch --unshallow" } else { "git fetch" };
            gaps.push(Gap { command: Some(command.to_owned()), text: error.to_string() });
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The command that brings a side's refs.
pub fn fetch(side: &Side) -> String {
    side.remote.as_ref().map_or_else(|| "git fetch".to_owned(), |remote| format!("git fetch {remote}"))
}
