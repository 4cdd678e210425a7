//! Which denials and abstentions stand, against what, and what lifts them.

use std::collections::BTreeSet;

use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::gate::facts::CommitFacts;
use git_boundary::model::asserted::Asserted;
use git_boundary::model::boundary_proof::CheckDecision::{self, Abstain, Allow, Deny, Partial};
use git_boundary::model::decision::Override;
use git_boundary::model::digest::Digest;
use git_boundary::model::refusal::Code::*;

use super::parts::{self, oid, pin, tip, tree};
use super::world::{Extra, Links, Part, World, admits, anchor, entry, receipt_of, refuses, verdict};
use crate::vectors::cast::{self, START, Who};

/// A verdict in Ci's ledger, at `index`, in order of time.
pub(super) fn says(world: World, who: Who, decision: CheckDecision, index: u64) -> World {
    world.verdict_by(who, decision, Who::Ci, index, START.plus(8_000 + index as i64))
}

#[test]
fn any_accepted_checkers_denial_or_abstention_stands_beside_anothers_allow() {
    for who in [Who::Auditor, Who::CodexTwin] {
        refuses(&format!("{who:?} denies"), &says(World::admitted(), who, Deny, 10), &[PolicyDecisionDenied]);
        refuses(&format!("{who:?} abstains"), &says(World::admitted(), who, Abstain, 10), &[PolicyDecisionAbstained]);
    }
    admits("a partial decision alone stands against nothing", &says(World::admitted(), Who::Auditor, Partial, 10));
}

#[test]
fn a_denial_by_somebody_who_is_no_checker_stands_against_nothing() {
    for who in [Who::Codex, Who::Owner, Who::Tester] {
        admits(&format!("{who:?} is no checker"), &says(World::admitted(), who, Deny, 10));
    }
    let revoked = says(World::admitted(), Who::Auditor, Deny, 10).trust(|document| {
        document.keys.get_mut(&Who::Auditor.id()).expect("listed").revoked_at = Some(START);
    });
    admits("a checker that was revoked before", &revoked);
}

#[test]
fn a_denial_is_heard_even_where_an_allow_so_made_would_not_count() {
    let careless = World::admitted().more(|links| {
        let anchor = "merkle://nowhere#0".to_owned();
        let mut proven = parts::proven(links, Who::Auditor, links.proposal(), Deny, anchor);
        proven.diet_root = parts::digest(1);
        let entries = vec![entry(Who::Ci, 10, START.plus(8_000))];
        vec![Extra { artifact: receipt_of(proven, &[Who::Auditor]), entries, note: tip() }]
    });
    refuses("a denial that fails checks 3 and 4", &careless, &[PolicyDecisionDenied]);
}

#[test]
fn only_the_same_domain_lifts_its_denial_and_only_later() {
    let denied = || says(World::admitted(), Who::Auditor, Deny, 10);
    admits("the same checker allows later", &says(denied(), Who::Auditor, Allow, 12));
    refuses("another domain allows later", &says(denied(), Who::Colleague, Allow, 12), &[PolicyDecisionDenied]);
    refuses("the same checker allowed earlier", &says(denied(), Who::Auditor, Allow, 8), &[PolicyDecisionDenied]);
    let colleague = says(says(World::admitted(), Who::Reviewer, Deny, 10), Who::Colleague, Allow, 12);
    admits("somebody else of the same domain allows later", &colleague);
    let twice = says(says(denied(), Who::Auditor, Allow, 12), Who::Auditor, Deny, 14);
    refuses("denied, allowed, denied", &twice, &[PolicyDecisionDenied]);
    admits(
        "abstained, then allowed",
        &says(says(World::admitted(), Who::Auditor, Abstain, 10), Who::Auditor, Allow, 12),
    );
    let abstained = says(denied(), Who::Auditor, Abstain, 12);
    refuses("denied, then abstained: the last decision stands", &abstained, &[PolicyDecisionAbstained]);
    refuses("denied, then allowed in part", &says(denied(), Who::Auditor, Partial, 12), &[PolicyDecisionDenied]);
}

#[test]
fn an_allow_that_its_own_domain_takes_back_counts_no_more() {
    let taken_back = says(World::admitted(), Who::Colleague, Deny, 10);
    refuses("a colleague denies later", &taken_back, &[PolicyDecisionDenied]);
    let partial = says(World::admitted(), Who::Reviewer, Partial, 10);
    refuses("allowed, then allowed in part", &partial, &[PolicyDecisionDenied]);
}

#[test]
fn an_allow_that_does_not_hold_lifts_nothing() {
    let hollow = says(World::admitted(), Who::Auditor, Deny, 10).more(|links| {
        // The commitment is of the right shape and stands in no ledger.
        let anchor = anchor(&links.trust, Who::Ci, 12);
        let proven = parts::proven(links, Who::Auditor, links.proposal(), Allow, anchor);
        let entries = vec![entry(Who::Ci, 13, START.plus(9_000))];
        vec![Extra { artifact: receipt_of(proven, &[Who::Auditor]), entries, note: tip() }]
    });
    refuses("a later allow without a frozen diet", &hollow, &[PolicyDecisionDenied]);
}

fn across(deny_at: i64, allow_at: i64) -> World {
    World::admitted().verdict_by(Who::Auditor, Deny, Who::Watcher, 0, START.plus(deny_at)).verdict_by(
        Who::Auditor,
        Allow,
        Who::Ci,
        10,
        START.plus(allow_at),
    )
}

#[test]
fn across_ledgers_time_decides_and_a_tie_is_a_denial() {
    admits("allowed a second later in another ledger", &across(8_000, 8_001));
    refuses("in the same second", &across(8_000, 8_000), &[PolicyDecisionDenied]);
    refuses("a second earlier", &across(8_001, 8_000), &[PolicyDecisionDenied]);
}

/// Copies of what stands already, in a ledger that somebody keeps for the purpose.
fn copied(world: World, copies: &'static [(CheckDecision, u64, i64)], first: bool) -> World {
    world.facts(move |facts| {
        let mut artifacts: std::collections::BTreeMap<_, _> =
            facts.artifacts.all().map(|recorded| (recorded.artifact.digest(), recorded.clone())).collect();
        for recorded in artifacts.values_mut() {
            use git_boundary::codec::artifact::Artifact;
            let Artifact::BoundaryProof(proof) = recorded.artifact.value() else { continue };
            if proof.proven.checker != Who::Auditor.name() {
                continue;
            }
            for (decision, index, at) in copies {
                if *decision == proof.proven.decision {
                    let copy = entry(Who::StrangerClone, *index, START.plus(*at));
                    let place = if first { 0 } else { recorded.entries.len() };
                    recorded.entries.insert(place, copy);
                }
            }
        }
        facts.artifacts = git_boundary::gate::docket::Docket::new(artifacts);
    })
}

#[test]
fn a_ledger_kept_for_the_purpose_reorders_no_decisions() {
    let in_one = || says(says(World::admitted(), Who::Auditor, Allow, 10), Who::Auditor, Deny, 12);
    refuses("allowed, then denied", &in_one(), &[PolicyDecisionDenied]);
    for first in [true, false] {
        let turned = copied(in_one(), &[(Deny, 0, 0), (Allow, 1, 1)], first);
        refuses("a stranger's ledger has the denial first", &turned, &[PolicyDecisionDenied]);
    }
    for first in [true, false] {
        let backdated = copied(across(8_001, 8_000), &[(Deny, 0, 0)], first);
        refuses("a stranger's ledger has the denial long before", &backdated, &[PolicyDecisionDenied]);
        let honest = copied(across(8_000, 8_001), &[(Deny, 7, 90_000), (Allow, 6, 0)], first);
        admits("a stranger's ledger has the denial last", &honest);
    }
}

#[test]
fn a_denial_copied_to_another_commits_note_still_stands_against_its_own() {
    let moved = says(World::admitted(), Who::Auditor, Deny, 10).facts(|facts| {
        let mut artifacts: std::collections::BTreeMap<_, _> =
            facts.artifacts.all().map(|recorded| (recorded.artifact.digest(), recorded.clone())).collect();
        for recorded in artifacts.values_mut() {
            recorded.note = if recorded.entries[0].index == 11 { oid(0x99) } else { recorded.note };
        }
        facts.artifacts = git_boundary::gate::docket::Docket::new(artifacts);
    });
    refuses("found first on another note", &moved, &[PolicyDecisionDenied]);
}

#[test]
fn a_denial_copied_to_an_innocent_commits_note_does_not_stand_against_that() {
    // A commit that was never checked, in the range of the same push.
    let other = oid(0xc0);
    let world = super::code_authority::earlier(b"src/lib.rs")(World::admitted()).more(move |links| {
        let mut lines = of_another(links, Deny, Some(oid(0x77)));
        lines.iter_mut().for_each(|line| line.note = other);
        lines
    });
    admits("a denial of some other commit, moved here", &world);
}

/// A verdict of Auditor about another proposal by Codex: of the same commit, or of another one.
fn of_another(links: &Links, decision: CheckDecision, commit: Option<git_boundary::model::id::Oid>) -> Vec<Extra> {
    let mut statement = links.proposal.clone().expect("a proposal").1;
    statement.predicate.idempotency_key = "again".to_owned();
    if let Some(commit) = commit {
        statement.subject.as_mut().expect("a subject").commit = commit;
        statement.predicate.requested_action.as_mut().expect("an action").new = commit;
    }
    let other = cast::sign(&statement, &[Who::Codex]);
    let mut lines = vec![Extra { artifact: other.clone(), entries: vec![entry(Who::Ci, 20, START)], note: tip() }];
    let mut commitment = parts::commitment(links, Who::Auditor, other.digest());
    if let Some(commit) = commit {
        commitment.predicate.commit = commit;
        commitment.subject.as_mut().expect("a subject").commit = commit;
    }
    let anchor = anchor(&links.trust, Who::Ci, 21);
    let proven = parts::proven(links, Who::Auditor, other.digest(), decision, anchor);
    for (artifact, index) in [(cast::sign(&commitment, &[Who::Auditor]), 21), (receipt_of(proven, &[Who::Auditor]), 22)]
    {
        let entries = vec![entry(Who::Ci, index, START.plus(8_000))];
        lines.push(Extra { artifact, entries, note: tip() });
    }
    lines
}

#[test]
fn a_denial_stands_against_the_commit_for_every_proposal_of_it() {
    let world = World::admitted().more(|links| of_another(links, Deny, None));
    refuses("denied under an earlier proposal of the same commit", &world, &[PolicyDecisionDenied]);
    let gone = World::admitted().more(|links| of_another(links, Deny, None).split_off(1));
    refuses("and that proposal's line is gone", &gone, &[PolicyDecisionDenied]);
    let abstained = World::admitted().more(|links| of_another(links, Abstain, None).split_off(1));
    refuses("the same for an abstention", &abstained, &[PolicyDecisionAbstained]);
}

/// A commit below the tip, denied under a proposal of its own.
fn denied_below(world: World) -> World {
    super::code_authority::earlier(b"src/lib.rs")(world).more(|links| {
        let mut lines = of_another(links, Deny, Some(oid(0xc0)));
        lines.iter_mut().for_each(|line| line.note = oid(0xc0));
        lines
    })
}

#[test]
fn a_denial_of_an_earlier_commit_stands_until_its_domain_decides_on_what_contains_it() {
    refuses("denied below the tip", &denied_below(World::admitted()), &[PolicyDecisionDenied]);
    let mended = denied_below(World::admitted()).verdict_by(Who::Auditor, Allow, Who::Ci, 30, START.plus(9_000));
    admits("the same domain allows the later tip", &mended);
    let elsewhere = denied_below(World::admitted()).verdict_by(Who::Colleague, Allow, Who::Ci, 30, START.plus(9_000));
    refuses("another domain allows it", &elsewhere, &[PolicyDecisionDenied]);
    let narrow = mended_by_a_proposal_without_it();
    refuses("allowed under a proposal whose range does not contain it", &narrow, &[PolicyDecisionDenied]);
}

fn mended_by_a_proposal_without_it() -> World {
    denied_below(World::of_a_person(Who::Hotfixer))
        .verdict_by(Who::Auditor, Allow, Who::Ci, 30, START.plus(9_000))
        .facts(|facts| {
            // The person's proposal reaches no further than the tip; what lies below needs no cover of its own.
            facts.proposals[0].range = BTreeSet::from([tip()]);
            let below = facts.commits.get_mut(&oid(0xc0)).expect("the commit below");
            *below = CommitFacts { parents: vec![pin(), oid(0x98)], touched: Vec::new(), ..below.clone() };
        })
}

#[test]
fn a_denial_outside_the_judged_range_stands_against_nothing_in_it() {
    let world = World::admitted().more(|links| {
        let mut lines = of_another(links, Deny, Some(oid(0x77)));
        lines.iter_mut().for_each(|line| line.note = oid(0x77));
        lines
    });
    admits("another commit was denied", &world);
}

/// An owner sets aside what `target` picks.
fn set_aside(by: Who, target: fn(&Links) -> Digest) -> impl Fn(World) -> World {
    move |world| {
        world.more(move |links| {
            let predicate = Override { asserted: Asserted::one("reason", "a flaky test"), target: target(links) };
            let subject = Subject { commit: tip(), repository: links.trust.repository(), tree: tree(tip()) };
            let artifact = cast::sign(&Statement { predicate, subject: Some(subject) }, &[by]);
            vec![Extra { artifact, entries: vec![entry(Who::Ci, 60, START.plus(9_500))], note: tip() }]
        })
    }
}

fn denial(links: &Links) -> Digest {
    verdict(links, Who::Auditor, Deny, Who::Ci, 10, START.plus(8_010))[1].artifact.digest()
}

#[test]
fn an_owner_sets_one_denial_aside() {
    let denied = || says(World::admitted(), Who::Auditor, Deny, 10);
    for by in [Who::Owner, Who::Deputy] {
        admits(&format!("{by:?} sets it aside"), &set_aside(by, denial)(denied()));
    }
    for by in [Who::Codex, Who::Hotfixer, Who::Auditor, Who::Ci, Who::Tester] {
        refuses(&format!("{by:?} can't"), &set_aside(by, denial)(denied()), &[PolicyDecisionDenied]);
    }
    let other = set_aside(Who::Owner, Links::proof)(denied());
    refuses("another proof was set aside", &other, &[PolicyDecisionDenied]);
    let again = says(set_aside(Who::Owner, denial)(denied()), Who::Auditor, Deny, 70);
    refuses("denied anew after that", &again, &[PolicyDecisionDenied]);
    let missing = set_aside(Who::Owner, denial)(denied()).without(Part::Proof);
    refuses("what is set aside is no allow", &missing, &[EvidenceBoundaryMissing]);
}
