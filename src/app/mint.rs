//! MINT: work receipts for an update that somebody else made and this registrar saw at its place: what a forge merged, what a server took
//! (contract, sections 7 to 9). Decides what is to be written; writes nothing.

use serde::Serialize;

use super::error::AppError;
use super::events::Events;
use super::judge::{self, Judged};
use super::outbox::{self, Entry};
use super::record::Writing;
use crate::codec::artifact::Artifact;
use crate::crypto::Signer;
use crate::gate::outbox::{Row, State};
use crate::gate::verdict::Outcome;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::model::decision::{Candidate, Disposition, ObservedUpdate};
use crate::model::digest::Digest;
use crate::model::envelope::{Action, ClaimKind};
use crate::model::event::EventKind;
use crate::model::id::{ArtifactId, EnvelopeId};

/// The work receipt of one proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MintedReceipt {
    /// The work receipt.
    pub id: ArtifactId,
    /// The proposal whose action happened.
    pub proposal: ArtifactId,
    /// Its envelope.
    pub envelope_id: EnvelopeId,
    /// Whether it was recorded before, by this registrar.
    pub already: bool,
}

/// What is to be recorded of one update.
#[derive(Debug, Default)]
pub struct Minted {
    /// Receipts of the proposals that the update rests on, those recorded before included.
    pub receipts: Vec<MintedReceipt>,
    /// Proposals that the update rests on and whose own commit it did not bring, so that their action did not happen.
    pub elsewhere: Vec<ArtifactId>,
    /// Lines that are not recorded yet: admission, settlement and receipt of each. Empty where all were.
    pub writing: Writing,
}

/// Work receipts by the signer for each proposal that an admitted update rests on: by what was judged, of an update as it was observed.
/// What this registrar recorded of the same update before is not recorded again. Of an update that was not admitted, or that no rule
/// governs, there are none.
///
/// A proposal whose commit was squashed or rebased on the way is covered where the rule lets an equal change count; that its own commit
/// landed would not be true, so that it gets no receipt.
///
/// # Errors
/// When notes or history can't be read, or the signer doesn't sign.
pub fn mint(
    session: &Session<'_>,
    noted: &Noted,
    signer: &dyn Signer,
    judged: &Judged,
    observed: &ObservedUpdate,
) -> Result<Minted, AppError> {
    let mut minted = Minted::default();
    let Some(mut snapshot) = judge::snapshot(session, judged) else { return Ok(minted) };
    // What was judged may begin elsewhere than where the ref was.
    snapshot.destination.oid = Some(observed.old);
    if judged.verdict.outcome != Outcome::Admitted || !judged.verdict.governed {
        return Ok(minted);
    }
    let mut events = Events::new(session, noted, signer);
    for proposal in &judged.verdict.used {
        let Some(statement) = judged.facts.envelope(proposal) else { continue };
        let envelope = &statement.predicate;
        let (Some(action), Some(about)) = (&envelope.requested_action, &statement.subject) else { continue };
        if envelope.claim.kind == ClaimKind::Completion {
            continue;
        }
        if !happened(session, action, observed)? {
            minted.elsewhere.push(ArtifactId::of(proposal));
            continue;
        }
        let note = about.commit;
        noted.read(session, &note)?;
        let candidate = Candidate {
            envelope: Some(*proposal),
            new: action.new,
            old: observed.old,
            reference: observed.reference.clone(),
            repository: session.trust.repository(),
        };
        let shown = |id: &Digest, already: bool| MintedReceipt {
            id: ArtifactId::of(id),
            proposal: ArtifactId::of(proposal),
            envelope_id: envelope.envelope_id,
            already,
        };
        if let Some(known) = events.said(note, |artifact| is_receipt(artifact, proposal, observed)) {
            minted.receipts.push(shown(&known, true));
            continue;
        }
        let row = Row { attempts: 0, candidate: candidate.clone(), released_by: None, state: State::Ready, version: 1 };
        let entry = Entry { note, proposal: *proposal, row, statement: statement.clone() };
        let admitted =
            |kind: &EventKind| matches!(kind, EventKind::Admitted { candidate: other, .. } if *other == candidate);
        if !events.happened(note, admitted) {
            let kind = EventKind::Admitted {
                candidate: candidate.clone(),
                pending: false,
                snapshot: Box::new(snapshot.clone()),
            };
            events.add(note, Some(envelope), kind)?;
        }
        if let Some(receipt) = outbox::settle(session, &mut events, &entry, Disposition::Complete, Some(observed.new))?
        {
            minted.receipts.push(shown(&receipt, false));
        }
    }
    minted.writing = events.writing();
    Ok(minted)
}

fn is_receipt(artifact: &Artifact, proposal: &Digest, observed: &ObservedUpdate) -> bool {
    matches!(artifact, Artifact::WorkReceipt(it) if it.predicate.envelope == *proposal
        && it.predicate.disposition == Disposition::Complete
        && it.predicate.observed.reference == observed.reference
        && it.predicate.observed.old == observed.old)
}

/// Whether an update brought what an action asks for: the ref got its value, or one that contains it.
fn happened(session: &Session<'_>, action: &Action, observed: &ObservedUpdate) -> Result<bool, AppError> {
    if action.new == observed.new {
        return Ok(true);
    }
    if action.new.is_zero() || observed.new.is_zero() {
        return Ok(false);
    }
    let repository = session.repository;
    let commits = (repository.peel_to_commit(&action.new)?, repository.peel_to_commit(&observed.new)?);
    let (Some(asked), Some(there)) = commits else { return Ok(false) };
    Ok(repository.is_ancestor(&asked, &there).map_err(crate::git::GitError::from)?)
}
