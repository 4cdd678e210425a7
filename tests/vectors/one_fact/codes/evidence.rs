//! Proofs, references and contradictions.

use git_boundary::model::decision::ContradictionState;
use git_boundary::model::envelope::EvidenceRef;
use git_boundary::model::refusal::Code::*;

use super::super::super::cast::Who;
use super::super::super::gate::code_evidence::contradiction;
use super::super::super::gate::parts::{digest, oid};
use super::super::super::gate::world::{Links, Part};
use super::super::make::Shown;
use super::{checked, handed};

pub fn shown() -> Vec<Shown> {
    vec![
        Shown::new(EvidenceBoundaryMissing, "nobody checked it", checked(), |world| {
            world.without(Part::Commitment).without(Part::Proof)
        }),
        Shown::new(EvidenceBoundaryInvalid, "the proof's root is not that of its diet", checked(), |world| {
            world.commitment(|it| it.predicate.diet_root = digest(1)).proof(|it, _| it.diet_root = digest(1))
        }),
        Shown::new(
            EvidenceReferenceUnresolved,
            "a test result that the proposal names is nowhere",
            handed(),
            |world| {
                world.proposal(|it| {
                    let kind = "test_result".to_owned();
                    it.predicate.evidence.push(EvidenceRef { digest: digest(1), kind });
                })
            },
        ),
        Shown::new(EvidenceDigestMismatch, "the proposal gives what it starts from another tree", handed(), |world| {
            world.proposal(|it| it.predicate.change.base_tree = oid(0x55))
        }),
        Shown::new(EvidenceContradicted, "an owner contradicts the proposal, and that is open", handed(), |world| {
            contradiction(Who::Owner, ContradictionState::Open, true, 50, Links::proposal)(world)
        }),
    ]
}
