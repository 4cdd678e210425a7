//! SNAPSHOT: what registrars whose word counts saw of the refs when they admitted something.

use std::rc::Rc;

use super::base::known_commit;
use super::notes::Noted;
use super::session::Session;
use crate::codec::artifact::Artifact;
use crate::gate::clock;
use crate::gate::facts::{LedgerEntry, Recorded};
use crate::model::context::{Observation, ObservedBy, Snapshot};
use crate::model::decision::Candidate;
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::event::EventKind;
use crate::model::id::Oid;
use crate::model::time::Timestamp;

/// Where base and destination stood when a push that brought a commit was admitted, by listed registrars.
///
/// A merge has no actor whose domain a registrar could share: who merges answers for the merge as a person does.
pub fn admitted_from(session: &Session<'_>, noted: &Noted, commit: &Oid) -> Vec<Oid> {
    admissions(noted, commit)
        .into_iter()
        .filter(|(recorded, ..)| first_entry(session, recorded, |entry| entry.listed).is_some())
        .flat_map(|(_, candidate, snapshot)| [Some(candidate.old), known_commit(&snapshot.base)])
        .flatten()
        .filter(|oid| !oid.is_zero())
        .collect()
}

/// Where a pinned ref stood when a proposal was admitted, as far as a clock counts that is not the actor's own (contract, section 4);
/// without an admission, when its context was delivered.
pub fn decided_base(
    session: &Session<'_>,
    noted: &Noted,
    digest: &Digest,
    envelope: &Envelope,
    pinned: &str,
) -> Option<Observation> {
    let trust = &session.trust;
    let actor = envelope.bindings.actor.value().and_then(|id| trust.party_of(id))?;
    let counts = |entry: &LedgerEntry| clock::counts_against(trust, entry, &actor.domain);
    let note = noted.artifact(digest)?.note;
    let admitted = admissions(noted, &note)
        .into_iter()
        .filter(|(_, candidate, _)| candidate.envelope == Some(*digest))
        .filter_map(|(recorded, candidate, snapshot)| {
            let at = first_entry(session, &recorded, counts)?;
            let base = if candidate.reference == pinned {
                let old = Some(candidate.old).filter(|old| !old.is_zero());
                Observation { by: ObservedBy::Hook, oid: old, reference: candidate.reference }
            } else {
                snapshot.base
            };
            (base.reference == pinned).then_some((at, base))
        })
        .min_by_key(|(at, _)| *at);
    if let Some((_, base)) = admitted {
        return Some(base);
    }
    let receipt = noted.artifact(envelope.bindings.context.value()?)?;
    let Artifact::ContextReceipt(said) = receipt.artifact.value() else { return None };
    first_entry(session, &receipt, counts)?;
    Some(said.predicate.snapshot.base.clone()).filter(|base| base.reference == pinned)
}

fn admissions(noted: &Noted, note: &Oid) -> Vec<(Rc<Recorded>, Candidate, Snapshot)> {
    let events = noted.on(note, |artifact| matches!(artifact, Artifact::Event(_)));
    let admission = |digest: Digest| {
        let recorded = noted.artifact(&digest)?;
        let Artifact::Event(event) = recorded.artifact.value() else { return None };
        let EventKind::Admitted { candidate, snapshot, .. } = event.predicate.kind.clone() else { return None };
        Some((recorded, candidate, *snapshot))
    };
    events.into_iter().filter_map(admission).collect()
}

/// When a registrar entered what it signed itself, in a ledger that counts.
fn first_entry(session: &Session<'_>, recorded: &Recorded, counts: impl Fn(&LedgerEntry) -> bool) -> Option<Timestamp> {
    let own = |entry: &&LedgerEntry| {
        let key = session.trust.resolve(&entry.registrar.to_string());
        key.is_some_and(|key| recorded.artifact.signed_by(&key)) && counts(entry)
    };
    recorded.entries.iter().filter(own).map(|entry| entry.at).min()
}
