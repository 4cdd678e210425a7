//! Several proposals, ranges that mix, merges, deletions: what speaks for what.

use std::collections::BTreeSet;

use git_boundary::gate::facts::{CommitFacts, HandoffFacts, ProposalFacts, Purpose, Touch};
use git_boundary::gate::verdict::CommitStatus;
use git_boundary::model::id::Oid;
use git_boundary::model::operation::{Grant, Operation, RefOperation};
use git_boundary::model::refusal::Code::*;

use super::code_authority::{earlier, revocation_at};
use super::parts::{self, FIX, MAIN, oid, pin, tip, tree};
use super::world::{Extra, Links, Part, World, admits, entry, one_fact, refuses};
use crate::vectors::cast::{self, START, Who};

/// A second proposal for the tip: a listed person's own, or one that is no good for some other reason.
fn rival(world: World, by: Who, with_handoff: bool) -> World {
    let line = move |links: &Links| {
        let mut links = Links { actor: by.id(), ..links.clone() };
        if !with_handoff {
            links.handoff = None;
        }
        let receipt = cast::sign(&parts::receipt(&links), &[Who::Watcher]);
        links.receipt = Some(receipt.digest());
        let mut statement = parts::proposal(&links);
        statement.predicate.idempotency_key = "rival".to_owned();
        [receipt, cast::sign(&statement, &[by])]
    };
    world
        .more(move |links| {
            let stored =
                |(artifact, index)| Extra { artifact, entries: vec![entry(Who::Watcher, index, START)], note: tip() };
            line(links).into_iter().zip(0..).map(stored).collect()
        })
        .linked_facts(move |facts, links| {
            let digest = line(links)[1].digest();
            let handoff = links.handoff().filter(|_| with_handoff).map(|digest| HandoffFacts {
                base: parts::observed(MAIN, pin()),
                built_on: None,
                digest,
                pin_in_base: Some(true),
                pin_known: Some(true),
                tip_descends: Some(true),
            });
            facts.proposals.push(ProposalFacts {
                gaps: Vec::new(),
                contains_old: Some(true),
                digest,
                handoff,
                range: BTreeSet::from([tip()]),
                starts_at: Some(tree(pin())),
                tip: tip(),
            });
        })
}

#[test]
fn of_several_proposals_one_that_passes_is_enough() {
    let expired =
        |world: World| world.handoff(|it| it.predicate.lease.as_mut().expect("a lease").expires_at = START.plus(4_000));
    refuses("an expired lease alone", &expired(World::admitted()), &[AuthorityLeaseExpired]);
    admits("beside a person's own proposal", &rival(expired(World::admitted()), Who::Hotfixer, false));
    admits("beside a stranger's that is no good", &rival(World::admitted(), Who::Claude, true));
}

#[test]
fn of_several_that_fail_the_one_that_got_furthest_is_reported() {
    // Claude holds nothing (14) and has no proof (30); Codex's own lacks only the proof.
    let world = rival(World::admitted().without(Part::Proof), Who::Claude, true);
    refuses("Codex got further than Claude", &world, &[EvidenceBoundaryMissing]);
    let (facts, links) = world.build();
    let verdict = git_boundary::gate::judge::judge(&facts);
    assert_eq!(verdict.proposal, Some(links.proposal()), "and is the one that is named");
    assert!(verdict.used.is_empty(), "nothing is rested on");
}

#[test]
fn a_proposal_that_fails_takes_no_open_answer_for_the_one_beside_it() {
    use git_boundary::gate::facts::Gap;
    use git_boundary::gate::verdict::Outcome;
    let cut = |world: World| {
        world.facts(|facts| {
            let gap = Gap { command: Some("git fetch --unshallow".to_owned()), text: "history is cut".to_owned() };
            facts.proposals[0].gaps.push(gap);
            facts.proposals[0].handoff.as_mut().expect("a handoff").tip_descends = None;
        })
    };
    for world in [cut(World::admitted()), rival(cut(World::admitted()), Who::Claude, true)] {
        let verdict = world.judged();
        assert_eq!(
            verdict.outcome,
            Outcome::Undecided,
            "Codex's might pass, whatever Claude's lacks: {:?}",
            verdict.findings
        );
        assert_eq!(verdict.codes(), [SnapshotUnavailable], "and nothing is held against anybody");
    }
    admits("a person's beside it needs no more", &rival(cut(World::admitted()), Who::Hotfixer, false));
}

/// The judged range has an earlier commit that no proposal's range holds.
fn uncovered(parents: Vec<Oid>, touched: Vec<Touch>) -> World {
    World::admitted().facts(move |facts| {
        let below = oid(0xc0);
        let commit = CommitFacts {
            change_list: None,
            parents: parents.clone(),
            ssh_signer: None,
            touched: touched.clone(),
            tree: tree(below),
        };
        facts.commits.insert(below, commit);
        facts.range.push(below);
    })
}

fn touch(path: &str) -> Vec<Touch> {
    vec![Touch { operations: vec![Operation::Modify], path: path.as_bytes().to_vec() }]
}

#[test]
fn a_commit_that_no_range_holds_is_uncovered_wherever_the_tip_stands() {
    let world = uncovered(vec![pin()], touch("src/lib.rs"));
    refuses("an unproposed commit below a good tip", &world, &[SourceHandoffMissing, ContextReceiptMissing]);
    let standings: Vec<_> = world.judged().commits.iter().map(|one| (one.oid, one.status)).collect();
    let expected = [(tip(), CommitStatus::Covered), (oid(0xc0), CommitStatus::Refused)];
    assert_eq!(standings, expected, "each commit has its own standing");
    let empty = uncovered(vec![pin()], Vec::new());
    refuses("even one that touches nothing", &empty, &[SourceHandoffMissing, ContextReceiptMissing]);
    admits("within the proposal's range", &earlier(b"src/lib.rs")(World::admitted()));
}

#[test]
fn a_merge_that_touches_nothing_of_its_own_needs_no_cover() {
    let merge = uncovered(vec![pin(), oid(0x98)], Vec::new());
    admits("an innocent merge", &merge);
    assert_eq!(merge.judged().commits[1].status, CommitStatus::Merge, "and is shown as that");
    let evil = uncovered(vec![pin(), oid(0x98)], touch("src/lib.rs"));
    refuses("an evil one", &evil, &[SourceHandoffMissing, ContextReceiptMissing]);
}

/// A commit below the tip with somebody's SSH signature.
fn signed_commit(by: Option<Who>) -> World {
    uncovered(vec![pin()], touch("README")).facts(move |facts| {
        facts.commits.get_mut(&oid(0xc0)).expect("the commit").ssh_signer = by.map(Who::key);
    })
}

#[test]
fn a_listed_persons_signed_commit_passes_where_the_rule_lets_it() {
    let by_signature = |world: World| world.rule(|rule| rule.people_by_signature = true);
    let uncovered = [SourceHandoffMissing, ContextReceiptMissing];
    admits("a listed person's", &by_signature(signed_commit(Some(Who::Hotfixer))));
    refuses("where the rule does not let it", &signed_commit(Some(Who::Hotfixer)), &uncovered);
    refuses("no signature", &by_signature(signed_commit(None)), &uncovered);
    for who in [Who::Codex, Who::Deputy, Who::Reviewer, Who::Stranger] {
        refuses(&format!("{who:?} is not listed"), &by_signature(signed_commit(Some(who))), &uncovered);
    }
    let unlisted = signed_commit(Some(Who::Hotfixer)).rule(|rule| rule.people = vec![Who::Owner.id()]);
    refuses("trusted as a person, not listed by the rule", &by_signature(unlisted), &uncovered);
    let revoked = signed_commit(Some(Who::Hotfixer)).trust(|document| {
        document.keys.get_mut(&Who::Hotfixer.id()).expect("listed").revoked_at = Some(START);
    });
    refuses("revoked", &by_signature(revoked), &uncovered);
}

#[test]
fn a_lower_proposal_does_not_speak_for_a_tip_that_has_its_own() {
    // A person's proposal for the commit below is good; the tip's own is not.
    let world = earlier(b"src/lib.rs")(World::admitted().without(Part::Proof));
    let both = world.facts(|facts| {
        let mut lower = facts.proposals[0].clone();
        lower.range = BTreeSet::from([oid(0xc0), tip()]);
        lower.tip = oid(0xc0);
        facts.proposals.push(lower);
    });
    refuses("the tip's own lacks a proof", &both, &[EvidenceBoundaryMissing]);
}

/// The branch is deleted; the proposal stands on the old tip and asks for that.
fn deletion(world: World) -> World {
    let zero = || Oid::from_bytes(&[0; 20]).expect("zero");
    world
        .facts(move |facts| {
            facts.range.clear();
            facts.update.old = tip();
            facts.update.new = zero();
            facts.update.fast_forward = None;
        })
        .proposal(move |it| {
            let action = it.predicate.requested_action.as_mut().expect("an action");
            (action.old, action.new) = (tip(), zero());
        })
}

#[test]
fn deleting_a_governed_ref_takes_a_handoff_that_grants_it_or_a_listed_person() {
    let granting =
        |world: World| world.handoff(|it| it.predicate.scope.operations.push(Grant::Ref(RefOperation::Delete)));
    admits("granted", &deletion(granting(World::admitted())));
    refuses("not granted", &deletion(World::admitted()), &[AuthorityActionOutOfScope]);
    admits("a listed person", &deletion(World::of_a_person(Who::Owner)));
    let nobody = deletion(World::admitted()).without(Part::Proposal);
    refuses("nobody asked", &nobody, &[ContextReceiptMissing]);
    let update = granting(World::admitted()).facts(|facts| {
        facts.range.clear();
        facts.update.old = tip();
        facts.update.new = Oid::from_bytes(&[0; 20]).expect("zero");
    });
    let codes = update.judged().codes();
    assert!(codes.contains(&ContextReceiptMissing), "a proposal to move the ref is none to delete it: {codes:?}");
}

#[test]
fn a_handoff_may_be_used_for_several_pushes() {
    let again = |world: World| world.update(|update| update.old = oid(0xc0)).git(|it| it.contains_old = Some(true));
    admits("a second push of the same handoff", &again(World::admitted()));
}

#[test]
fn under_equal_change_a_squash_counts_for_what_was_proposed() {
    let squash = || {
        World::admitted().rule(|rule| rule.equality = git_boundary::model::policy::Equality::Change).facts(|facts| {
            let squashed = oid(0x5a);
            let commit = facts.commits[&tip()].clone();
            facts.commits.insert(squashed, CommitFacts { tree: tree(squashed), ..commit });
            facts.range = vec![squashed];
            (facts.update.new, facts.update.tip) = (squashed, Some(squashed));
            for proposal in &mut facts.proposals {
                (proposal.tip, proposal.range) = (squashed, BTreeSet::from([squashed]));
            }
        })
    };
    admits("the squash of a checked change", &squash());
    let outside = |world: World| {
        world.facts(|facts| facts.commits.get_mut(&oid(0x5a)).expect("the squash").touched = touch("README"))
    };
    one_fact("whose own paths are judged again", squash(), outside, &[AuthorityActionOutOfScope]);
    use git_boundary::model::boundary_proof::CheckDecision::Deny;
    let denied = |world: World| world.verdict_by(Who::Auditor, Deny, Who::Ci, 10, START.plus(8_000));
    one_fact("a denial of what was squashed", squash(), denied, &[PolicyDecisionDenied]);
}

#[test]
fn verify_judges_by_the_refs_rule_whatever_the_proposal_asked_for() {
    let verified = |world: World| {
        world.update(|update| {
            update.purpose = Purpose::Verify;
            update.old = Oid::from_bytes(&[0; 20]).expect("zero");
            update.fast_forward = None;
        })
    };
    let asked = |world: World| {
        world.proposal(|it| it.predicate.requested_action.as_mut().expect("an action").reference = FIX.to_owned())
    };
    admits("proposed for the agent's branch, landed on this one", &verified(asked(World::admitted())));
    let unproven = verified(asked(World::admitted().without(Part::Proof)));
    refuses("which wants a proof", &unproven, &[EvidenceBoundaryMissing]);
    let diverged = World::admitted().update(|update| {
        (update.purpose, update.old, update.fast_forward) = (Purpose::Verify, oid(0xb7), Some(false));
    });
    admits("a range from somewhere else is no rewrite", &diverged.git(|it| it.contains_old = Some(false)));
    refuses(
        "revoked before it was recorded",
        &verified(revocation_at(Who::Owner, entry(Who::Ci, 0, START.plus(10)))(World::admitted())),
        &[AuthorityLeaseRevoked],
    );
}
