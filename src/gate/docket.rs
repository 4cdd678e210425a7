//! DOCKET: which artifacts speak about which others, so that no check looks through all of them.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::codec::artifact::Artifact;
use crate::model::diet::DietCommitment;
use crate::model::digest::Digest;
use crate::model::event::EventKind;
use crate::model::id::KeyId;

use super::facts::Recorded;

/// Verified artifacts and their index. Ordered maps throughout: what is shown comes out of them, and reads the same each time.
#[derive(Debug, Default)]
pub struct Docket {
    artifacts: BTreeMap<Digest, Rc<Recorded>>,
    /// By the digest they are about: admissions, approvals and work receipts by proposal, releases by approval, revocations by handoff,
    /// overrides by proof, evidence by work receipt, contradictions.
    about: BTreeMap<Digest, Vec<Digest>>,
    /// Boundary proofs by `subject_ref`.
    proofs: BTreeMap<String, Vec<Digest>>,
    /// Diet commitments by place.
    commitments: BTreeMap<(KeyId, u64), Vec<Digest>>,
    /// Proposals by artifact id.
    proposals: BTreeMap<String, Digest>,
}

impl Docket {
    /// Indexes artifacts.
    pub fn new<R: Into<Rc<Recorded>>>(artifacts: BTreeMap<Digest, R>) -> Self {
        let artifacts = artifacts.into_iter().map(|(digest, recorded)| (digest, recorded.into())).collect();
        let mut docket = Docket { artifacts, ..Docket::default() };
        for (digest, recorded) in &docket.artifacts {
            match recorded.artifact.value() {
                Artifact::BoundaryProof(proof) => {
                    docket.proofs.entry(proof.proven.subject_ref.clone()).or_default().push(*digest);
                }
                Artifact::DietCommitment(_) => {
                    for entry in &recorded.entries {
                        docket.commitments.entry((entry.registrar, entry.index)).or_default().push(*digest);
                    }
                }
                Artifact::EvidenceEnvelope(_) => {
                    docket.proposals.insert(recorded.artifact.id().to_string(), *digest);
                }
                other => {
                    for target in targets(other) {
                        docket.about.entry(target).or_default().push(*digest);
                    }
                }
            }
        }
        docket
    }

    /// One artifact.
    pub fn get(&self, digest: &Digest) -> Option<&Recorded> {
        self.artifacts.get(digest).map(Rc::as_ref)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Recorded> {
        self.artifacts.values().map(Rc::as_ref)
    }

    /// What speaks about an artifact: admissions, approvals, releases, revocations, overrides, work receipts, evidence, contradictions.
    pub fn about(&self, target: &Digest) -> impl Iterator<Item = &Recorded> {
        self.about.get(target).into_iter().flatten().filter_map(|digest| self.get(digest))
    }

    /// Boundary proofs whose `subject_ref` is this.
    pub fn proofs_of<'s>(&'s self, subject_ref: &str) -> impl Iterator<Item = &'s Recorded> + use<'s> {
        self.proofs.get(subject_ref).into_iter().flatten().filter_map(|digest| self.get(digest))
    }

    /// Every boundary proof, by what it is about.
    pub fn proofs(&self) -> impl Iterator<Item = &Recorded> {
        self.proofs.values().flatten().filter_map(|digest| self.get(digest))
    }

    /// The diet commitments at a place of a ledger: one, unless its registrar tells two stories.
    pub fn commitments_at(&self, registrar: KeyId, index: u64) -> impl Iterator<Item = (&Recorded, &DietCommitment)> {
        let there = self.commitments.get(&(registrar, index)).into_iter().flatten();
        there.filter_map(|digest| self.get(digest)).filter_map(|recorded| match recorded.artifact.value() {
            Artifact::DietCommitment(it) => Some((recorded, &it.predicate)),
            _ => None,
        })
    }

    /// The proposal of an artifact id.
    pub fn proposal(&self, id: &str) -> Option<Digest> {
        self.proposals.get(id).copied()
    }
}

/// What an artifact speaks about, by digest.
fn targets(artifact: &Artifact) -> Vec<Digest> {
    let one = match artifact {
        Artifact::Event(it) => match &it.predicate.kind {
            EventKind::Admitted { candidate, .. } => candidate.envelope,
            EventKind::Released { approval, .. } => Some(*approval),
            _ => None,
        },
        Artifact::Approval(it) => Some(it.predicate.envelope),
        Artifact::Revocation(it) => Some(it.predicate.target),
        Artifact::Override(it) => Some(it.predicate.target),
        Artifact::Contradiction(it) => Some(it.predicate.target),
        Artifact::WorkReceipt(it) => Some(it.predicate.envelope),
        Artifact::Observation(it) => Some(it.predicate.subject),
        Artifact::TestResult(it) => return it.subjects.clone(),
        _ => None,
    };
    one.into_iter().collect()
}
