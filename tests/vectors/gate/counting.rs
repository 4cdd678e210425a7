//! Which proofs count as how many, and for which version.

use git_boundary::model::boundary_proof::CheckDecision::Allow;
use git_boundary::model::refusal::Code::*;

use super::parts::{self, oid, tip};
use super::world::{Extra, Links, Part, World, admits, anchor, entry, receipt_of, refuses};
use crate::vectors::cast::{self, START, Who};

use super::decisions::says;

#[test]
fn two_proofs_of_one_domain_are_from_one_domain() {
    let two = |domains: u64| {
        move |world: World| world.rule(move |rule| (rule.proofs.count, rule.proofs.domains) = (2, domains))
    };
    let colleague = || says(World::admitted(), Who::Colleague, Allow, 10);
    admits("two keys of one domain, where one domain will do", &two(1)(colleague()));
    refuses("where two are wanted", &two(2)(colleague()), &[EvidenceBoundaryMissing]);
    admits("two domains", &two(2)(says(World::admitted(), Who::Auditor, Allow, 10)));
    let same = says(World::admitted(), Who::Reviewer, Allow, 10);
    refuses("one key twice is one", &two(1)(same), &[EvidenceBoundaryMissing]);
}

#[test]
fn a_proof_of_an_earlier_version_counts_for_the_same_revision() {
    admits("the same commit, tree and pin", &second_version(|_| {}));
    for (name, edit) in [
        (
            "another commit",
            (|it: &mut git_boundary::model::envelope::Envelope| {
                it.bindings.source_expected = git_boundary::model::fact::Fact::known(oid(0xb7), "handoff", START);
            }) as fn(&mut git_boundary::model::envelope::Envelope),
        ),
        ("another envelope", |it| it.envelope_id = git_boundary::model::id::EnvelopeId([9; 16])),
        ("another actor", |it| {
            it.bindings.actor = git_boundary::model::fact::Fact::known(Who::Claude.id(), "key", START);
        }),
        ("another base", |it| it.change.base_tree = oid(0x55)),
    ] {
        refuses(name, &second_version(edit), &[EvidenceBoundaryMissing]);
    }
}

/// The proof is about version 1, of which one thing differs; version 2 is proposed.
fn second_version(edit: fn(&mut git_boundary::model::envelope::Envelope)) -> World {
    let earlier = move |links: &Links| {
        let mut statement = parts::proposal(links);
        edit(&mut statement.predicate);
        cast::sign(&statement, &[Who::Codex])
    };
    World::admitted()
        .without(Part::Commitment)
        .without(Part::Proof)
        .linked_proposal(move |it, links| {
            it.predicate.version = 2;
            it.predicate.predecessor = Some(earlier(links).digest());
        })
        .more(move |links| {
            let before = earlier(links);
            let commitment = parts::commitment(links, Who::Reviewer, before.digest());
            let anchor = anchor(&links.trust, Who::Ci, 10);
            let proven = parts::proven(links, Who::Reviewer, before.digest(), Allow, anchor);
            let lines = [
                (before, 9),
                (cast::sign(&commitment, &[Who::Reviewer]), 10),
                (receipt_of(proven, &[Who::Reviewer]), 11),
            ];
            lines
                .into_iter()
                .map(|(artifact, index)| Extra { artifact, entries: vec![entry(Who::Ci, index, START)], note: tip() })
                .collect()
        })
}
