//! The events of admissions (contract, sections 7 and 8).

use super::Judged;
use crate::app::error::AppError;
use crate::app::events::Events;
use crate::codec::artifact::Artifact;
use crate::gate::checks::approval;
use crate::gate::facts::Facts;
use crate::model::context::Snapshot;
use crate::model::decision::Candidate;
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::event::EventKind;
use crate::model::id::Oid;

/// An admission of one update, on the strength of one proposal or of none.
#[derive(Debug, Clone)]
pub(in crate::app) struct Admission {
    /// The owner's approval that is consumed with it.
    pub approval: Option<Digest>,
    /// What was asked for, by the proposal.
    pub candidate: Candidate,
    /// The commit in whose note it is recorded.
    pub note: Oid,
    /// Whether it only waits for an approval.
    pub pending: bool,
}

/// What an admitted update rests on: each proposal, or none where the commits need none. Where an owner's approval is what it rests on,
/// that is consumed with it.
pub(in crate::app) fn admissions(judged: &Judged, tip: Oid) -> Vec<Admission> {
    let mut used: Vec<Option<Digest>> = judged.verdict.used.iter().copied().map(Some).collect();
    if used.is_empty() && !judged.facts.range.is_empty() {
        used.push(None);
    }
    used.into_iter().map(|envelope| admission(judged, tip, envelope)).collect()
}

/// Adds the events of all admissions of an update.
pub(in crate::app) fn admit_all(
    events: &mut Events<'_, '_>,
    judged: &Judged,
    snapshot: &Snapshot,
    tip: Oid,
) -> Result<(), AppError> {
    for admission in admissions(judged, tip) {
        let named = admission.candidate.envelope.and_then(|digest| judged.facts.envelope(&digest));
        write_admission(events, named.map(|statement| &statement.predicate), &admission, snapshot)?;
    }
    Ok(())
}

fn admission(judged: &Judged, tip: Oid, envelope: Option<Digest>) -> Admission {
    let approval = envelope.filter(|digest| has_approval(&judged.facts, digest)).and_then(|digest| {
        // Which of them it rests on is only looked for where there is any.
        approval::state(&judged.facts, &digest)?.rests_on
    });
    Admission { approval, candidate: judged.candidate(envelope), note: note_of(judged, tip, envelope), pending: false }
}

fn note_of(judged: &Judged, tip: Oid, envelope: Option<Digest>) -> Oid {
    envelope.and_then(|digest| judged.facts.artifacts.get(&digest)).map_or(tip, |recorded| recorded.note)
}

/// The admission of one proposal, unless it is recorded, to wait for an approval or not.
pub(in crate::app) fn admit(
    events: &mut Events<'_, '_>,
    judged: &Judged,
    snapshot: &Snapshot,
    tip: Oid,
    (envelope, pending): (Digest, bool),
) -> Result<(), AppError> {
    let admission = match pending {
        true => Admission {
            approval: None,
            candidate: judged.candidate(Some(envelope)),
            note: note_of(judged, tip, Some(envelope)),
            pending,
        },
        false => admission(judged, tip, Some(envelope)),
    };
    let named = judged.facts.envelope(&envelope).map(|statement| &statement.predicate);
    write_admission(events, named, &admission, snapshot)
}

/// Adds the events of an admission, as far as they are not recorded.
pub(in crate::app) fn write_admission(
    events: &mut Events<'_, '_>,
    named: Option<&Envelope>,
    Admission { approval, candidate, note, pending }: &Admission,
    snapshot: &Snapshot,
) -> Result<(), AppError> {
    // What was admitted to wait is released by its approval. Where it needs none any more, it is admitted once more, without waiting.
    let waits = *pending || approval.is_some();
    let known = |kind: &EventKind| {
        matches!(kind, EventKind::Admitted { candidate: other, pending, .. }
            if other == candidate && (waits || !pending))
    };
    if !events.happened(*note, known) {
        let (candidate, snapshot) = (candidate.clone(), Box::new(snapshot.clone()));
        events.add(*note, named, EventKind::Admitted { candidate, pending: *pending, snapshot })?;
    }
    if let Some(approval) = approval {
        let known = |kind: &EventKind| {
            matches!(kind, EventKind::Released { approval: other, candidate: update }
                if other == approval && update == candidate)
        };
        if !events.happened(*note, known) {
            let (approval, candidate) = (*approval, candidate.clone());
            events.add(*note, named, EventKind::Released { approval, candidate })?;
        }
    }
    Ok(())
}

fn has_approval(facts: &Facts, proposal: &Digest) -> bool {
    facts.artifacts.about(proposal).any(|recorded| matches!(recorded.artifact.value(), Artifact::Approval(_)))
}
