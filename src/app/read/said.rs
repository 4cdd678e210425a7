//! What others say about an envelope, each with whether its signer is one who may say it.

use serde::Serialize;

use super::Around;
use crate::app::records::{Record, describe};
use crate::codec::artifact::Artifact;
use crate::gate::clock;
use crate::gate::facts::Recorded;
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::party::Role;

/// A record, and whether it was said by who may say it. That is no judgement: what it is worth, the gate and `verify` tell.
#[derive(Debug, Serialize)]
pub struct Said {
    /// The record.
    #[serde(flatten)]
    pub record: Record,
    /// Whether a signer is in the role that it takes.
    pub in_role: bool,
}

pub(super) fn approvals(around: &Around<'_, '_>) -> Vec<Said> {
    say(
        around,
        Role::Owner,
        |artifact| matches!(artifact, Artifact::Approval(it) if around.is_version(&it.predicate.envelope)),
    )
}

pub(super) fn proofs(around: &Around<'_, '_>) -> Vec<Said> {
    let ids: Vec<String> = around.versions.iter().map(|(_, _, recorded)| recorded.artifact.id().to_string()).collect();
    say(
        around,
        Role::Checker,
        |artifact| matches!(artifact, Artifact::BoundaryProof(proof) if ids.contains(&proof.proven.subject_ref)),
    )
}

pub(super) fn work_receipts(around: &Around<'_, '_>) -> Vec<Said> {
    say(around, Role::Registrar, |artifact| is_work_receipt(around, artifact))
}

/// Test results and observations of a work receipt, of a version, or of the commit, and whatever the claim itself refers to.
pub(super) fn evidence(around: &Around<'_, '_>, payload: &Envelope) -> Vec<Said> {
    let mut about: Vec<Digest> = around.versions.iter().map(|(digest, ..)| *digest).collect();
    let receipts = around.docket.all().filter(|recorded| is_work_receipt(around, recorded.artifact.value()));
    about.extend(receipts.map(|recorded| recorded.artifact.digest()));
    let tips: Vec<_> = around.versions.iter().map(|(_, _, recorded)| recorded.note).collect();
    let referred = |recorded: &Recorded| payload.evidence.iter().any(|one| one.digest == recorded.artifact.digest());
    let found = around.sorted(|recorded| match recorded.artifact.value() {
        Artifact::TestResult(it) => {
            referred(recorded)
                || it.subjects.iter().any(|subject| about.contains(subject))
                || it.commits.iter().any(|commit| tips.contains(commit))
        }
        Artifact::Observation(it) => referred(recorded) || about.contains(&it.predicate.subject),
        Artifact::BoundaryProof(_) | Artifact::WorkReceipt(_) | Artifact::Approval(_) => false,
        _ => referred(recorded),
    });
    found.into_iter().map(|recorded| one(around, Role::Evidence, recorded)).collect()
}

fn is_work_receipt(around: &Around<'_, '_>, artifact: &Artifact) -> bool {
    matches!(artifact, Artifact::WorkReceipt(it) if around.is_version(&it.predicate.envelope))
}

fn say(around: &Around<'_, '_>, role: Role, wanted: impl Fn(&Artifact) -> bool) -> Vec<Said> {
    let found = around.sorted(|recorded| wanted(recorded.artifact.value()));
    found.into_iter().map(|recorded| one(around, role, recorded)).collect()
}

fn one(around: &Around<'_, '_>, role: Role, recorded: &Recorded) -> Said {
    let in_role = clock::speaks(&around.session.trust, around.session.now, recorded, role);
    Said { record: describe(around.session, around.noted, recorded), in_role }
}
