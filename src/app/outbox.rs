//! OUTBOX: the admitted updates of this clone that are not settled yet, found in its own ledger (contract, section 8).

use std::collections::BTreeSet;

use super::error::AppError;
use super::events::{self, Events};
use super::subject;
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::Statement;
use crate::crypto::verified::sign_statement;
use crate::crypto::{Signer, key_id};
use crate::gate::outbox::{Row, State, fold};
use crate::gather::notes::Noted;
use crate::gather::{Session, proposals};
use crate::git::{GitError, Repository};
use crate::model::decision::{Candidate, Disposition, WorkReceipt};
use crate::model::digest::Digest;
use crate::model::envelope::{Action, ClaimKind, Envelope};
use crate::model::event::EventKind;
use crate::model::id::Oid;
use crate::store::OpenRows;

/// A row, and what it is about.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The commit in whose note it stands.
    pub note: Oid,
    /// The proposal.
    pub proposal: Digest,
    /// The row.
    pub row: Row,
    /// What was proposed.
    pub statement: Statement<Envelope>,
}

/// Every row of this clone's registrar that is not settled. What was looked through before is not looked through again.
///
/// # Errors
/// When the own ledger can't be read.
pub fn open(session: &Session<'_>, noted: &Noted, signer: &dyn Signer) -> Result<Vec<Entry>, AppError> {
    let id = key_id(&signer.public_key());
    let Some(shelf) = session.shelves.open.iter().find(|shelf| shelf.registrar == id) else { return Ok(Vec::new()) };
    // Of another ledger, or of one that was put back, it says nothing.
    let seen = session.local.open_rows().filter(|seen| {
        seen.registrar == id
            && (seen.size < shelf.head.size || (seen.size == shelf.head.size && seen.root.0 == shelf.head.root))
    });
    let (from, mut notes) = match seen {
        Some(seen) => (seen.size, seen.notes.into_iter().collect::<BTreeSet<_>>()),
        None => (0, BTreeSet::new()),
    };
    notes.extend(shelf.all()?.into_iter().filter(|one| one.index >= from).filter_map(|one| one.entry.annotated));
    let mut found = Vec::new();
    for note in notes {
        found.extend(on(session, noted, signer, note)?);
    }
    found.retain(|entry| !entry.row.is_settled());
    let notes: BTreeSet<Oid> = found.iter().map(|entry| entry.note).collect();
    let open = OpenRows {
        notes: notes.into_iter().collect(),
        registrar: id,
        root: Digest(shelf.head.root),
        size: shelf.head.size,
    };
    session.local.remember_open_rows(&open);
    // What a worktree is to hold no remote can be asked about.
    found.retain(|entry| entry.statement.predicate.claim.kind != ClaimKind::Write);
    Ok(found)
}

/// The rows of all proposals that are noted on one commit, settled ones included.
///
/// # Errors
/// When the note can't be read.
pub fn on(session: &Session<'_>, noted: &Noted, signer: &dyn Signer, note: Oid) -> Result<Vec<Entry>, AppError> {
    noted.read(session, &note)?;
    let mut found = Vec::new();
    for proposal in noted.on(&note, |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_))) {
        let Some(statement) = proposals::statement(noted, &proposal) else { continue };
        // A claim that work is done is admitted as well, and nothing is to happen by it.
        if statement.predicate.claim.kind == ClaimKind::Completion {
            continue;
        }
        let new = statement.predicate.requested_action.as_ref().map(|action| action.new);
        for row in rows(noted, note, &statement.predicate, signer) {
            // Two payloads of one version tell two stories; each has its own rows. A push of other commits, of which this proposal only
            // covers some, does not do what it asks for.
            if row.candidate.envelope == Some(proposal) && Some(row.candidate.new) == new {
                found.push(Entry { note, proposal, row, statement: statement.clone() });
            }
        }
    }
    Ok(found)
}

/// What the remote was seen to hold, held against what a row asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The update happened: the ref is at the new value, or has gone on from there.
    There(Oid),
    /// The ref is where it was before.
    NotYet,
    /// The ref went somewhere else.
    Elsewhere(Oid),
    /// The ref is at something that is not here, so that it can't be told.
    NotHere(Oid),
}

/// Holds a ref's value, zero for none, against a row.
///
/// # Errors
/// When history can't be read.
pub fn compare(repository: &Repository, candidate: &Candidate, seen: Oid) -> Result<Found, AppError> {
    if seen == candidate.new {
        return Ok(Found::There(seen));
    }
    if seen == candidate.old {
        return Ok(Found::NotYet);
    }
    if seen.is_zero() || candidate.new.is_zero() {
        return Ok(Found::Elsewhere(seen));
    }
    match went_on(repository, candidate, seen) {
        Ok(true) => Ok(Found::There(seen)),
        Ok(false) => Ok(Found::Elsewhere(seen)),
        Err(GitError::History(error)) if error.is_incomplete() => Ok(Found::NotHere(seen)),
        Err(GitError::Object(error)) if error.is_missing() => Ok(Found::NotHere(seen)),
        Err(error) => Err(error.into()),
    }
}

/// Whether a ref that holds something else by now has gone on from the new value. Where it was to go back, what goes on from the old
/// value contains the new one too, and tells nothing.
fn went_on(repository: &Repository, candidate: &Candidate, seen: Oid) -> Result<bool, GitError> {
    let commits = (repository.peel_to_commit(&candidate.new)?, repository.peel_to_commit(&seen)?);
    let (Some(new), Some(now)) = commits else { return Ok(false) };
    if !candidate.old.is_zero()
        && let Some(old) = repository.peel_to_commit(&candidate.old)?
        && repository.is_ancestor(&new, &old)?
        && repository.is_ancestor(&old, &now)?
    {
        return Ok(false);
    }
    Ok(repository.is_ancestor(&new, &now)?)
}

/// Settles a row: its event, unless that is recorded, and the work receipt, of which it gives the digest.
///
/// # Errors
/// When the commit can't be read or the registrar doesn't sign.
pub(super) fn settle(
    session: &Session<'_>,
    events: &mut Events<'_, '_>,
    entry: &Entry,
    disposition: Disposition,
    seen: Option<Oid>,
) -> Result<Option<Digest>, AppError> {
    let signer = events.signer();
    let Some((event, receipt)) = settlement(entry, disposition, seen, signer, session.now) else { return Ok(None) };
    let candidate = &entry.row.candidate;
    let ended = |kind: &EventKind| matches!(kind, EventKind::Settled { candidate: other, .. } if other == candidate);
    if !events.happened(entry.note, ended) {
        events.add(entry.note, Some(&entry.statement.predicate), event)?;
    }
    let about = Some(subject::subject(session, entry.note)?);
    let receipt = sign_statement(&Statement { predicate: receipt, subject: about }, signer)?;
    let digest = receipt.digest();
    events.line(entry.note, receipt);
    Ok(Some(digest))
}

/// The settlement of a row as an event, and the work receipt that goes with it.
fn settlement(
    entry: &Entry,
    disposition: Disposition,
    seen: Option<Oid>,
    signer: &dyn Signer,
    now: crate::model::time::Timestamp,
) -> Option<(EventKind, WorkReceipt)> {
    let candidate = &entry.row.candidate;
    let observed = crate::model::decision::ObservedUpdate {
        new: seen.unwrap_or(candidate.old),
        old: candidate.old,
        reference: candidate.reference.clone(),
    };
    let fence = match &entry.row.state {
        State::Claimed { fence, .. } => Some(fence.clone()),
        _ => None,
    };
    let receipt = WorkReceipt {
        action_digest: crate::gate::checks::approval::action_digest(&action(entry)?),
        actor: *entry.statement.predicate.bindings.actor.value()?,
        at: now,
        disposition,
        envelope: entry.proposal,
        observed: observed.clone(),
        registrar: key_id(&signer.public_key()),
    };
    Some((EventKind::Settled { candidate: candidate.clone(), disposition, fence, observed }, receipt))
}

/// The action that a row is: the proposal's own, or its commit's landing on another ref in scope.
fn action(entry: &Entry) -> Option<Action> {
    let proposed = entry.statement.predicate.requested_action.clone()?;
    let candidate = &entry.row.candidate;
    if proposed.reference == candidate.reference && proposed.new == candidate.new {
        return Some(proposed);
    }
    Some(Action { new: candidate.new, old: candidate.old, reference: candidate.reference.clone(), ..proposed })
}

/// The outbox rows of one envelope in this clone's ledger. Its note has to have been read.
pub(super) fn rows(noted: &Noted, note: Oid, envelope: &Envelope, signer: &dyn Signer) -> Vec<Row> {
    let events = events::own(noted, note, Some(envelope.envelope_id), signer);
    let mine = events.iter().map(|(_, event)| event).filter(|event| event.version == Some(envelope.version));
    fold(mine).0
}
