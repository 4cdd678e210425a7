//! SOURCE: handoffs, by digest and by hint, and what git says of their pins.

use std::collections::BTreeSet;

use super::base::{Side, known_commit};
use super::directory;
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
use crate::model::policy::PinRule;
use crate::model::typed::typed_remote;

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
        return Ok(HandoffFacts { base, built_on: None, digest, pin_in_base: None, pin_known, tip_descends: None });
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
    Ok(HandoffFacts { base, built_on: None, digest, pin_in_base, pin_known, tip_descends })
}

/// Where an owner may have moved the work on: what renews a handoff that can't be worked under as it stands, and the pin of what it
/// renews, where the work was built on that.
///
/// # Errors
/// When git or the shelves can't be read.
pub fn look_around(
    session: &Session<'_>,
    noted: &Noted,
    (rule, tip): (PinRule, Oid),
    handoff: &Handoff,
    facts: &mut HandoffFacts,
) -> Result<(), GatherError> {
    let is_over = handoff.lease.is_some_and(|lease| lease.expires_at < session.now);
    let has_moved = match rule {
        PinRule::Ancestor => facts.pin_in_base == Some(false),
        PinRule::Exact => facts.base.oid.is_some_and(|oid| oid != handoff.pin.commit),
    };
    if is_over || has_moved {
        directory::live(session, noted)?;
    }
    let mut renewed = handoff.renews.filter(|_| facts.tip_descends == Some(false));
    while let Some(digest) = renewed {
        directory::seek(session, noted, &digest)?;
        let Some(before) = statement(noted, &digest).map(|statement| statement.predicate) else { break };
        if session.repository.is_ancestor(&before.pin.commit, &tip).unwrap_or(false) {
            facts.built_on = Some(before.pin.commit);
            break;
        }
        renewed = before.renews;
    }
    Ok(())
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
    side.remote.as_ref().map_or_else(|| "git fetch".to_owned(), |remote| format!("git fetch {}", typed_remote(remote)))
}
