//! Ranks 30 to 34: proofs, references and contradictions.

use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::gate::facts::Facts;
use git_boundary::gate::proof::diet_root;
use git_boundary::model::asserted::Asserted;
use git_boundary::model::decision::{Contradiction, ContradictionState};
use git_boundary::model::digest::Digest;
use git_boundary::model::envelope::EvidenceRef;
use git_boundary::model::policy::Strength;
use git_boundary::model::refusal::Code::*;

use super::parts::{digest, oid, pin, tip, tree};
use super::world::{Extra, Links, Part, World, admits, anchor, entry, one_fact, refuses};
use crate::vectors::cast::{self, START, Who};

/// What a checker reads as the diff of the tip, from somewhere.
pub(super) fn diff_from(base: git_boundary::model::id::Oid, base_tree: git_boundary::model::id::Oid) -> Digest {
    let input = git_boundary::model::diet::DiffInput { base, base_tree, commit: tip(), tree: tree(tip()) };
    git_boundary::codec::canonical::digest_of(&input)
}

#[test]
fn without_a_proof_there_is_one_too_few() {
    one_fact("no proof", World::admitted(), |world| world.without(Part::Proof), &[EvidenceBoundaryMissing]);
    let two = |world: World| world.rule(|rule| rule.proofs.count = 2);
    one_fact("one of two", World::admitted(), two, &[EvidenceBoundaryMissing]);
    admits(
        "a rule that wants none",
        &World::admitted().without(Part::Proof).rule(|rule| {
            (rule.proofs.count, rule.proofs.domains) = (0, 0);
        }),
    );
}

#[test]
fn a_proof_that_fails_one_of_the_five_checks_is_invalid() {
    let third: fn(World) -> World =
        |world| world.commitment(|it| it.predicate.diet_root = digest(1)).proof(|it, _| it.diet_root = digest(1));
    let retrofitted: fn(World) -> World = |world| {
        world
            .at(Part::Commitment, vec![entry(Who::Ci, 9, START.plus(7_300))])
            .proof(|it, links| it.anchor = anchor(&links.trust, Who::Ci, 9))
    };
    let faults: [(&str, fn(World) -> World); 11] = [
        ("3: the root is not the diet's", third),
        ("3: the diff is of something else", |world| world.diet(|diet| diet[0].digest = digest(1))),
        ("4: nothing stands at the anchor", |world| world.without(Part::Commitment)),
        ("4: the commitment stands after the proof", retrofitted),
        ("4: the commitment is of another diet", |world| {
            world.commitment(|it| {
                it.predicate.diet.truncate(1);
                it.predicate.diet_root = diet_root(&it.predicate.diet);
            })
        }),
        ("4: the commitment is of another subject", |world| world.commitment(|it| it.predicate.subject = digest(1))),
        ("4: the commitment is by another checker", |world| world.signed(Part::Commitment, &[Who::Auditor])),
        ("4: the proof is in another ledger", |world| world.at(Part::Proof, vec![entry(Who::Watcher, 9, START)])),
        ("4: the anchor is in another repository", |world| {
            world.proof(|it, _| {
                it.anchor = it.anchor.replace("repo_", "repo_0").replacen("repo_0", "repo_", 0);
            })
        }),
        ("4: the anchor is no anchor of ours", |world| world.proof(|it, _| it.anchor = "merkle://zmem/x#3".to_owned())),
        ("4: another spelling of the index", |world| world.proof(|it, _| it.anchor = it.anchor.replace("#3", "#03"))),
    ];
    for (name, fault) in faults {
        one_fact(name, World::admitted(), fault, &[EvidenceBoundaryInvalid]);
    }
}

#[test]
fn a_proof_about_another_tree_than_the_commits_is_invalid() {
    let swapped = |world: World| world.facts(|facts| facts.commits.get_mut(&tip()).expect("the tip").tree = oid(0x55));
    // The proposal itself says of the commit what is not so.
    one_fact(
        "the commit has another tree",
        World::admitted(),
        swapped,
        &[EvidenceBoundaryInvalid, EvidenceDigestMismatch],
    );
}

#[test]
fn a_proposal_that_gives_a_commit_another_tree_is_other_than_its_digest() {
    let world = || World::of_a_person(Who::Hotfixer);
    let swapped = |world: World| world.facts(|facts| facts.commits.get_mut(&tip()).expect("the tip").tree = oid(0x55));
    one_fact("the proposal's tree is not the commit's", world(), swapped, &[EvidenceDigestMismatch]);
    let base = |world: World| {
        world
            .proposal(|it| it.predicate.change.base_tree = oid(0x55))
            .diet(|diet| diet[0].digest = diff_from(pin(), oid(0x55)))
    };
    one_fact(
        "the change starts from another tree than the pinned one",
        World::admitted(),
        base,
        &[EvidenceDigestMismatch],
    );
    let free = || World::admitted().without(Part::Handoff).rule(|rule| rule.handoff = false);
    one_fact(
        "and without a handoff, from another than where it left the base",
        free(),
        base,
        &[EvidenceDigestMismatch],
    );
}

#[test]
fn a_proof_in_the_name_of_another_actor_than_the_proposals_is_invalid() {
    // The checker shares the actor's domain; a second signature on the proposal, of a key in another domain, would hide that.
    let hidden = |world: World| {
        world
            .signed(Part::Proposal, &[Who::Codex, Who::Claude])
            .signed(Part::Commitment, &[Who::CodexTwin])
            .signed(Part::Proof, &[Who::CodexTwin])
            .commitment(|it| it.predicate.checker = Who::CodexTwin.id())
            .proof(|it, _| (it.checker, it.actor) = (Who::CodexTwin.name(), Who::Claude.name()))
    };
    let verdict = hidden(World::admitted()).judged();
    assert_ne!(verdict.primary(), None, "the domain of the proposal's own actor counts");
    let named = |world: World| {
        world.signed(Part::Proposal, &[Who::Codex, Who::Claude]).proof(|it, _| it.actor = Who::Claude.name())
    };
    one_fact("an independent checker names the wrong actor", World::admitted(), named, &[EvidenceBoundaryInvalid]);
}

#[test]
fn an_anchor_weaker_than_the_rule_wants_does_not_count() {
    let wanting = |strength: Strength| move |world: World| world.rule(move |rule| rule.proofs.strength = strength);
    admits("a listed registrar in another domain", &wanting(Strength::Other)(World::admitted()));
    one_fact("no witness", World::admitted(), wanting(Strength::Witnessed), &[EvidenceBoundaryInvalid]);
    for registrar in [Who::CodexClone, Who::ReviewerClone, Who::StrangerClone] {
        let weak = move |world: World| {
            world
                .at(Part::Commitment, vec![entry(registrar, 3, START.plus(7_200))])
                .at(Part::Proof, vec![entry(registrar, 4, START.plus(7_260))])
                .proof(move |it, links| it.anchor = anchor(&links.trust, registrar, 3))
        };
        admits(&format!("{registrar:?} is good enough for strength self"), &weak(World::admitted()));
        one_fact(
            &format!("{registrar:?} where another is wanted"),
            wanting(Strength::Other)(World::admitted()),
            weak,
            &[EvidenceBoundaryInvalid],
        );
    }
}

#[test]
fn a_named_artifact_that_is_not_found_is_unresolved() {
    one_fact(
        "the handoff is gone",
        World::admitted(),
        |world| world.lost(Part::Handoff),
        &[EvidenceReferenceUnresolved],
    );
    let evidence = |world: World| {
        world.proposal(|it| {
            it.predicate.evidence.push(EvidenceRef { digest: digest(1), kind: "test_result".to_owned() })
        })
    };
    one_fact("its evidence is gone", World::admitted(), evidence, &[EvidenceReferenceUnresolved]);
}

/// A contradiction of what `target` picks.
pub fn contradiction(
    by: Who,
    state: ContradictionState,
    material: bool,
    index: u64,
    target: fn(&Links) -> Digest,
) -> impl Fn(World) -> World {
    move |world| {
        world.more(move |links| {
            let predicate = Contradiction {
                asserted: Asserted::one("reason", format!("{index}").as_str()),
                material,
                state,
                target: target(links),
            };
            let subject = Subject { commit: tip(), repository: links.trust.repository(), tree: tree(tip()) };
            let artifact = cast::sign(&Statement { predicate, subject: Some(subject) }, &[by]);
            let at = START.plus(8_000 + index as i64);
            vec![Extra { artifact, entries: vec![entry(Who::Ci, index, at)], note: tip() }]
        })
    }
}

#[test]
fn an_open_material_contradiction_stands() {
    use ContradictionState::{Open, Resolved};
    let targets: [(&str, fn(&Links) -> Digest); 3] = [
        ("the proposal", Links::proposal),
        ("the handoff", |links| links.handoff().expect("a handoff")),
        ("the proof", Links::proof),
    ];
    for (name, target) in targets {
        for by in [Who::Tester, Who::Owner] {
            let open = contradiction(by, Open, true, 50, target);
            one_fact(&format!("{by:?} contradicts {name}"), World::admitted(), open, &[EvidenceContradicted]);
        }
    }
    let open = |world| contradiction(Who::Tester, Open, true, 50, Links::proposal)(world);
    for by in [Who::Tester, Who::Owner, Who::Deputy] {
        let resolved = contradiction(by, Resolved, true, 51, Links::proposal);
        admits(&format!("{by:?} resolved it"), &resolved(open(World::admitted())));
    }
    for by in [Who::Codex, Who::Reviewer, Who::Hotfixer] {
        let resolved = contradiction(by, Resolved, true, 51, Links::proposal);
        refuses(&format!("{by:?} can't resolve it"), &resolved(open(World::admitted())), &[EvidenceContradicted]);
    }
    let before = contradiction(Who::Owner, Resolved, true, 49, Links::proposal);
    refuses("resolved before it was opened", &before(open(World::admitted())), &[EvidenceContradicted]);
    for by in [Who::Codex, Who::Reviewer, Who::Hotfixer] {
        let open = contradiction(by, Open, true, 50, Links::proposal);
        admits(&format!("{by:?} signs no evidence"), &open(World::admitted()));
    }
    let trifle = contradiction(Who::Tester, Open, false, 50, Links::proposal);
    admits("it is not material", &trifle(World::admitted()));
}

#[test]
fn the_facts_of_these_cases_hold_nothing_but_what_they_say() {
    let facts: Facts = World::admitted().gather();
    assert_eq!(facts.artifacts.all().count(), 5, "five lines make the whole case");
    assert_eq!((facts.range.len(), facts.commits.len()), (1, 1), "and one commit");
    assert_eq!(facts.update.old, pin(), "which stands on the pinned one");
}
