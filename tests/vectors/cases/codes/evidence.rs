//! Context, proofs, references and contradictions.

use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::model::asserted::Asserted;
use git_boundary::model::decision::{Contradiction, ContradictionState};
use git_boundary::model::envelope::EvidenceRef;
use git_boundary::model::refusal::Code::*;

use super::super::super::cast::{self, START, Who};
use super::super::super::gate::parts::{digest, oid, tip, tree};
use super::super::super::gate::world::{Extra, Part, World, entry};
use super::super::super::vector::Vector;

use super::case;

pub fn vectors() -> Vec<Vector> {
    [context(), evidence()].concat()
}

fn context() -> Vec<Vector> {
    vec![
        case(
            "context-receipt-gone",
            &[ContextReceiptMissing],
            "the proposal names it",
            World::admitted().lost(Part::Receipt),
        ),
        case(
            "context-delivered-to-another",
            &[ContextReceiptMismatch],
            "to Claude",
            World::admitted().receipt(|it| it.predicate.actor = Who::Claude.id()),
        ),
        case(
            "context-root-wrong",
            &[ContextReceiptMismatch],
            "not that of what was delivered",
            World::admitted().receipt(|it| it.predicate.delivered_root = digest(1)),
        ),
        case(
            "work-said-to-start-elsewhere",
            &[ContextReceiptMismatch, EvidenceBoundaryInvalid],
            "not where the handoff pins it",
            World::admitted().proposal(|it| {
                it.predicate.bindings.source_expected =
                    git_boundary::model::fact::Fact::known(oid(0xb7), "handoff", START);
            }),
        ),
    ]
}

fn evidence() -> Vec<Vector> {
    let late = World::admitted().at(Part::Commitment, vec![entry(Who::Ci, 9, START.plus(7_300))]).proof(|it, links| {
        it.anchor = super::super::super::gate::world::anchor(&links.trust, Who::Ci, 9);
    });
    let contradicted = World::admitted().more(|links| {
        let predicate = Contradiction {
            asserted: Asserted::one("reason", "it fails here"),
            material: true,
            state: ContradictionState::Open,
            target: links.proposal(),
        };
        let subject = Subject { commit: tip(), repository: links.trust.repository(), tree: tree(tip()) };
        let artifact = cast::sign(&Statement { predicate, subject: Some(subject) }, &[Who::Tester]);
        vec![Extra { artifact, entries: vec![entry(Who::Ci, 50, START.plus(8_000))], note: tip() }]
    });
    vec![
        case(
            "no-proof",
            &[EvidenceBoundaryMissing],
            "nobody checked it",
            World::admitted().without(Part::Proof).without(Part::Commitment),
        ),
        case(
            "proof-whose-commitment-stands-later",
            &[EvidenceBoundaryInvalid],
            "the inputs were chosen after the verdict",
            late,
        ),
        case(
            "proof-with-a-wrong-root",
            &[EvidenceBoundaryInvalid],
            "not that of its diet",
            World::admitted()
                .commitment(|it| it.predicate.diet_root = digest(1))
                .proof(|it, _| it.diet_root = digest(1)),
        ),
        case(
            "proof-of-another-diff",
            &[EvidenceBoundaryInvalid],
            "the diff is recomputed",
            World::admitted().diet(|diet| diet[0].digest = digest(1)),
        ),
        case(
            "handoff-gone",
            &[EvidenceReferenceUnresolved],
            "the proposal names it",
            World::admitted().lost(Part::Handoff),
        ),
        case(
            "evidence-gone",
            &[EvidenceReferenceUnresolved],
            "the proposal relies on it",
            World::admitted().proposal(|it| {
                it.predicate.evidence.push(EvidenceRef { digest: digest(1), kind: "test_result".to_owned() })
            }),
        ),
        case(
            "base-tree-wrong",
            &[EvidenceBoundaryInvalid, EvidenceDigestMismatch],
            "not that of the pinned commit",
            World::admitted().proposal(|it| it.predicate.change.base_tree = oid(0x55)),
        ),
        case(
            "person-with-a-wrong-tree",
            &[EvidenceDigestMismatch],
            "the proposal says of the commit what is not so",
            World::of_a_person(Who::Hotfixer).proposal(|it| it.subject.as_mut().expect("a subject").tree = oid(0x55)),
        ),
        case("contradicted", &[EvidenceContradicted], "and that is not resolved", contradicted),
    ]
}
