//! What registrars decided about an envelope: the first decision stays the first, whatever was decided or learned after it.

use serde::Serialize;

use super::{Around, chains};
use crate::app::records::label_of;
use crate::codec::artifact::Artifact;
use crate::gate::clock;
use crate::gate::facts::{LedgerEntry, Recorded};
use crate::model::context::Snapshot;
use crate::model::decision::{Candidate, RefusalReceipt};
use crate::model::digest::Digest;
use crate::model::event::EventKind;
use crate::model::id::{ArtifactId, KeyId};
use crate::model::time::Timestamp;

/// One decision, by the registrar in whose ledger it stands.
#[derive(Debug, Clone, Serialize)]
pub struct Decision {
    /// `admitted` or `refused`.
    pub outcome: &'static str,
    /// The event or the receipt.
    pub id: ArtifactId,
    /// The proposal's version.
    pub version: Option<u64>,
    /// The proposal, where the decision names it.
    pub envelope: Option<Digest>,
    /// When the registrar's ledger took it in.
    pub at: Timestamp,
    /// The registrar's label or id: whose clock that is.
    pub registrar: String,
    /// Its key.
    pub registrar_id: KeyId,
    /// Whether it is that registrar's word as a listed one.
    pub listed: bool,
    /// Whether that clock counts against the actor: a listed registrar's, of another domain than the actor's.
    pub clock_counts: bool,
    /// Whether the action was to wait for an owner's approval.
    pub pending: bool,
    /// The update that was decided on.
    pub candidate: Option<Candidate>,
    /// What the refs looked like.
    pub snapshot: Option<Snapshot>,
    /// Of a refusal, the receipt in full.
    pub receipt: Option<RefusalReceipt>,
    /// Position in that ledger.
    pub index: u64,
}

/// Every decision; those of listed registrars first, since anybody else's clock may say anything.
pub(super) fn of(around: &Around<'_, '_>) -> Vec<Decision> {
    let mut found: Vec<Decision> = around.docket.all().filter_map(|recorded| decision(around, recorded)).collect();
    found.sort_by_key(|one| (!one.listed, one.at, one.registrar_id, one.index));
    found
}

/// The first one about a proposal.
pub(super) fn original(decisions: &[Decision], proposal: Digest) -> Option<Decision> {
    decisions.iter().find(|one| one.envelope == Some(proposal)).cloned()
}

fn decision(around: &Around<'_, '_>, recorded: &Recorded) -> Option<Decision> {
    let (outcome, proposal, version, pending, candidate, snapshot, receipt) = match recorded.artifact.value() {
        Artifact::Refusal(it) => {
            let receipt = it.predicate.clone();
            let proposal = receipt.candidate.envelope.filter(|digest| around.is_version(digest))?;
            let version = around.versions.iter().find(|(digest, ..)| *digest == proposal).map(|(_, it, _)| it.version);
            let candidate = Some(receipt.candidate.clone());
            ("refused", Some(proposal), version, false, candidate, Some(receipt.snapshot.clone()), Some(receipt))
        }
        Artifact::Event(it) if it.predicate.envelope_id == Some(around.id) => match &it.predicate.kind {
            EventKind::Admitted { candidate, pending, snapshot } => {
                let snapshot = Some((**snapshot).clone());
                let version = it.predicate.version;
                ("admitted", candidate.envelope, version, *pending, Some(candidate.clone()), snapshot, None)
            }
            // Where the receipt is here, that is the decision.
            EventKind::Refused { receipt } if around.docket.get(receipt).is_none() => {
                let version = it.predicate.version;
                let about = around.versions.iter().find(|(_, envelope, _)| Some(envelope.version) == version);
                ("refused", about.map(|(digest, ..)| *digest), version, false, None, None, None)
            }
            _ => return None,
        },
        _ => return None,
    };
    let entry: &LedgerEntry = chains::links(around, recorded).min_by_key(|entry| (!entry.listed, entry.at))?;
    Some(Decision {
        outcome,
        id: recorded.artifact.id(),
        version,
        envelope: proposal,
        at: entry.at,
        registrar: label_of(around.session, &entry.registrar.to_string()),
        registrar_id: entry.registrar,
        listed: entry.listed,
        clock_counts: counts(around, proposal, entry),
        pending,
        candidate,
        snapshot,
        receipt,
        index: entry.index,
    })
}

fn counts(around: &Around<'_, '_>, proposal: Option<Digest>, entry: &LedgerEntry) -> bool {
    let about = around.versions.iter().find(|(digest, ..)| Some(*digest) == proposal);
    let actor = about.and_then(|(_, envelope, _)| envelope.bindings.actor.value());
    let party = actor.and_then(|actor| around.session.trust.party_of(actor));
    party.is_some_and(|party| clock::counts_against(&around.session.trust, entry, &party.domain))
}
