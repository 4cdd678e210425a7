//! Ranks 5 to 10: what is absent, where the pin stands, and where the destination does.

use git_boundary::gate::facts::Gap;
use git_boundary::gate::verdict::Outcome;
use git_boundary::model::policy::PinRule;
use git_boundary::model::refusal::Code::*;

use super::parts::{FIX, MAIN, observed, oid, pin, tip};
use super::world::{Part, World, admits, one_fact, refuses};
use crate::vectors::cast::Who;

/// Something that could not be looked at.
pub fn gap(world: World) -> World {
    world.facts(|facts| {
        facts.gaps.push(Gap { command: Some("git fetch".to_owned()), text: "history is cut".to_owned() })
    })
}

#[test]
fn what_can_not_be_looked_at_leaves_the_answer_open() {
    let verdict = gap(World::admitted()).judged();
    assert_eq!(verdict.outcome, Outcome::Undecided, "nothing stands against it, and not all was seen");
    assert_eq!(verdict.primary(), Some(SnapshotUnavailable), "it says so, and claims nothing against anyone");
    assert_eq!(verdict.codes(), [SnapshotUnavailable], "and nothing else");
}

#[test]
fn absence_is_no_reason_where_not_all_was_seen() {
    let absent: [(&str, World); 7] = [
        ("no proposal", World::admitted().without(Part::Proposal)),
        ("no context receipt", World::admitted().lost(Part::Receipt)),
        ("no handoff", World::admitted().lost(Part::Handoff)),
        ("no proof", World::admitted().without(Part::Proof)),
        ("no handoff named", World::admitted().without(Part::Handoff)),
        ("no lease", World::admitted().handoff(|it| it.predicate.lease = None)),
        ("no approval", World::admitted().rule(|rule| rule.approval_paths = vec!["src".to_owned()])),
    ];
    for (name, world) in absent {
        assert_eq!(world.judged().outcome, Outcome::Refused, "{name}: refused where all was seen");
        let verdict = gap(world).judged();
        assert_eq!(verdict.outcome, Outcome::Undecided, "{name}: what was not looked at is not absent");
        assert_eq!(verdict.codes(), [SnapshotUnavailable], "{name}: {:?}", verdict.findings);
    }
}

#[test]
fn a_refusal_outranks_what_was_not_seen() {
    let world = gap(World::admitted().handoff(|it| {
        it.predicate.lease = it.predicate.lease.map(|mut lease| {
            lease.expires_at = lease.not_before;
            lease
        })
    }));
    let verdict = world.judged();
    assert_eq!(verdict.outcome, Outcome::Refused, "the lease is over, whatever else is missing");
    assert_eq!(
        verdict.primary(),
        Some(AuthorityLeaseExpired),
        "what is missing is primary only when nothing else refuses"
    );
    assert_eq!(verdict.codes(), [SnapshotUnavailable, AuthorityLeaseExpired], "both are told");
}

#[test]
fn a_pin_that_is_no_commit_here_is_an_unknown_revision() {
    let unknown = |world: World| {
        world.pin(|it| {
            (it.pin_known, it.pin_in_base, it.tip_descends) = (Some(false), None, None);
        })
    };
    one_fact("the pinned id is no commit with that tree", World::admitted(), unknown, &[SourceRevisionUnknown]);
}

#[test]
fn an_agents_proposal_without_a_handoff_lacks_one() {
    let bare = |world: World| world.without(Part::Handoff);
    one_fact("the proposal names no handoff", World::admitted(), bare, &[SourceHandoffMissing]);
    let unlisted = |world: World| world.rule(|rule| rule.people = vec![Who::Owner.id()]);
    one_fact(
        "a person whom the rule does not list",
        World::of_a_person(Who::Hotfixer),
        unlisted,
        &[SourceHandoffMissing, EvidenceBoundaryMissing],
    );
    admits("a rule that wants none", &World::admitted().without(Part::Handoff).rule(|rule| rule.handoff = false));
}

#[test]
fn without_proposal_and_live_handoff_both_are_missing() {
    let bare = |world: World| world.without(Part::Proposal);
    one_fact(
        "no proposal, and nobody holds a handoff for the ref",
        World::admitted(),
        bare,
        &[SourceHandoffMissing, ContextReceiptMissing],
    );
    let held = World::admitted().without(Part::Proposal).linked_facts(|facts, links| {
        facts.other_handoffs.extend(links.handoff());
    });
    refuses("no proposal, and Codex holds a handoff for the ref", &held, &[ContextReceiptMissing]);
    let commands: Vec<_> = held.judged().findings.into_iter().filter_map(|finding| finding.command).collect();
    assert_eq!(commands, ["git boundary propose --key codex"], "the holder is named, and nobody else's key");
}

#[test]
fn a_pin_that_left_the_bases_history_is_stale() {
    let rewritten = |world: World| world.pin(|it| it.pin_in_base = Some(false));
    one_fact("the pinned branch was rewritten", World::admitted(), rewritten, &[SourceHandoffStale]);
}

#[test]
fn under_an_exact_pin_a_base_that_went_on_is_stale() {
    let exact = || World::admitted().rule(|rule| rule.pin = PinRule::Exact);
    let on = |world: World| world.pin(|it| it.base = observed(MAIN, oid(0xb7)));
    one_fact("the base went on", exact(), on, &[SourceHandoffStale]);
    admits("the base went on, and the pin is still in its history", &on(World::admitted()));
}

#[test]
fn work_that_does_not_descend_from_the_pin_is_diverged() {
    let elsewhere = |world: World| world.pin(|it| it.tip_descends = Some(false));
    one_fact("the work was built elsewhere", World::admitted(), elsewhere, &[SourceHistoryDiverged]);
}

#[test]
fn a_destination_that_moved_is_not_the_one_judged() {
    let moved = |contains: Option<bool>| {
        move |world: World| world.update(|update| update.old = oid(0xb7)).git(move |it| it.contains_old = contains)
    };
    one_fact("it moved to where the tip is not", World::admitted(), moved(Some(false)), &[SnapshotHeadMoved]);
    one_fact("nobody can say whether the tip contains it", World::admitted(), moved(None), &[SnapshotHeadMoved]);
    admits("it moved to what the tip contains", &moved(Some(true))(World::admitted()));
}

#[test]
fn a_proposal_for_another_ref_or_value_is_none_for_this_one() {
    let elsewhere = |world: World| {
        world.proposal(|it| it.predicate.requested_action.as_mut().expect("an action").reference = FIX.to_owned())
    };
    // The handoff pins the branch itself, so that landing there takes no second proposal.
    admits("landing on the pinned ref", &elsewhere(World::admitted()));
    let third = |world: World| {
        world.update(|update| update.reference = "refs/heads/agent/other".to_owned()).rule(|rule| {
            rule.refs.push("refs/heads/agent/**".to_owned());
        })
    };
    refuses("a third ref", &third(elsewhere(World::admitted())), &[ContextReceiptMissing]);
    let person = elsewhere(World::of_a_person(Who::Hotfixer));
    refuses("a person's proposal for another ref", &person, &[ContextReceiptMissing]);
    let rewriting = elsewhere(World::admitted()).update(|update| update.fast_forward = Some(false));
    assert_eq!(
        rewriting.judged().outcome,
        Outcome::Refused,
        "landing on the pinned ref needs the old value to be an ancestor"
    );
}

#[test]
fn the_pin_and_the_tip_are_different_commits_here() {
    assert_ne!(pin(), tip(), "the cases would prove nothing otherwise");
}
