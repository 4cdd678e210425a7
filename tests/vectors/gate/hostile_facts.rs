//! Facts that are missing, at odds with one another, or about something that is no commit: the gate fails closed on each.

use std::collections::BTreeSet;

use git_boundary::codec::in_toto::PAYLOAD_TYPE;
use git_boundary::gate::verdict::{CommitStatus, Outcome};
use git_boundary::model::id::Oid;
use git_boundary::model::operation::{Grant, RefOperation};
use git_boundary::model::refusal::Code::*;

use super::code_authority::earlier;
use super::parts::{oid, pin, tip};
use super::world::{Extra, Part, World, admits, entry, one_fact, refuses};
use crate::vectors::cast::{self, START, Who};

#[track_caller]
fn undecided(name: &str, world: &World) {
    let verdict = world.judged();
    assert_eq!(verdict.outcome, Outcome::Undecided, "{name}: what is not known admits nothing: {:?}", verdict.findings);
    assert_eq!(verdict.codes(), [SnapshotUnavailable], "{name}: and is held against nobody");
    assert!(verdict.gaps.iter().all(|gap| !gap.text.is_empty()), "{name}: it is said what is not known");
}

#[test]
fn an_answer_that_git_could_not_give_admits_nothing_even_where_no_gap_was_reported() {
    undecided("whether the pin is here", &World::admitted().pin(|it| it.pin_known = None));
    undecided("whether the pin is in the base", &World::admitted().pin(|it| it.pin_in_base = None));
    undecided("where the base stands", &World::admitted().pin(|it| it.base.oid = None));
    undecided("whether the work descends", &World::admitted().pin(|it| it.tip_descends = None));
    undecided(
        "what the tip touches",
        &World::admitted().facts(|facts| facts.commits.clear()).without(Part::Proof).rule(|rule| {
            (rule.proofs.count, rule.proofs.domains) = (0, 0);
        }),
    );
    let below = earlier(b"src/lib.rs")(World::admitted()).facts(|facts| drop(facts.commits.remove(&oid(0xc0))));
    undecided("what an earlier commit touches", &below);
    let free = World::admitted().without(Part::Handoff).rule(|rule| rule.handoff = false);
    undecided("where the change starts", &free.git(|it| it.starts_at = None));
}

#[test]
fn an_expired_trust_document_judges_nothing() {
    let until = |seconds: i64| World::admitted().trust(move |document| document.expires_at = Some(START.plus(seconds)));
    admits("the last second", &until(10_800));
    undecided("one second later", &until(10_799));
    let open = until(0).update(|update| update.reference = "refs/heads/free".to_owned());
    assert!(!open.judged().governed, "what no rule governs is not judged, by no trust at all");
}

/// A statement of a type that nobody knows yet.
fn unknown(kind: &'static str, by: Who, about: Oid, note: Oid) -> World {
    World::admitted().more(move |_| {
        let payload = format!(
            r#"{{"_type":"https://in-toto.io/Statement/v1","predicate":{{"result":"PASSED"}},"predicateType":"{kind}","subject":[{{"digest":{{"gitCommit":"{about}"}}}}]}}"#
        );
        let artifact = cast::sign_bytes(PAYLOAD_TYPE, payload.into_bytes(), &[by]);
        vec![Extra { artifact, entries: vec![entry(Who::Ci, 40, START.plus(9_000))], note }]
    })
}

#[test]
fn what_an_owner_says_in_unknown_words_leaves_the_answer_open() {
    let kind = "urn:git-boundary:recall:v1";
    for by in [Who::Owner, Who::Deputy] {
        undecided("on the tip", &unknown(kind, by, tip(), tip()));
        undecided("on the pinned commit", &unknown(kind, by, pin(), pin()));
        admits("on a commit that has nothing to do with it", &unknown(kind, by, oid(0x99), oid(0x99)));
    }
    let copied = unknown(kind, Who::Owner, tip(), tip()).facts(|facts| {
        // A copy of it was met first, on a commit that is not judged.
        facts.artifacts = git_boundary::gate::docket::Docket::new(
            facts
                .artifacts
                .all()
                .map(|recorded| (recorded.artifact.digest(), recorded.clone()))
                .map(|(digest, recorded)| (digest, git_boundary::gate::facts::Recorded { note: oid(0x99), ..recorded }))
                .collect(),
        );
    });
    let verdict = copied.judged();
    assert!(!verdict.gaps.is_empty(), "wherever it was found first, it stands on the tip");
    for by in [Who::Codex, Who::Reviewer, Who::Ci, Who::Hotfixer] {
        admits(&format!("{by:?} is no owner"), &unknown(kind, by, tip(), tip()));
    }
    let results = "https://in-toto.io/attestation/test-result/v0.1";
    admits("an owner's test results are known words", &unknown(results, Who::Owner, tip(), tip()));
}

#[test]
fn what_is_no_commit_is_spoken_for_by_nobody() {
    let blob = |world: World| {
        world.facts(|facts| {
            facts.update.tip = None;
            facts.update.new = oid(0xbb);
            facts.update.fast_forward = None;
            facts.range.clear();
        })
    };
    one_fact("a governed ref moved to a blob", World::admitted(), blob, &[PolicyActionForbidden]);
    one_fact("by a listed person", World::of_a_person(Who::Owner), blob, &[PolicyActionForbidden]);
    let created = blob(World::admitted()).update(|update| update.old = Oid::from_bytes(&[0; 20]).expect("zero"));
    refuses("a governed ref made at a blob", &created, &[PolicyActionForbidden]);
    let cut = super::code_source::gap(blob(World::admitted()));
    undecided("something that is not here", &cut);
}

#[test]
fn a_ref_that_was_at_no_commit_is_rewritten() {
    // Nothing new is brought, so that nobody's proposal is looked for.
    let moved = World::admitted().without(Part::Proposal).facts(|facts| {
        facts.range.clear();
        facts.update.old = oid(0xbb);
        facts.update.fast_forward = None;
    });
    refuses("a governed ref moved away from a blob", &moved, &[AuthorityActionOutOfScope]);
    let proposed = World::admitted().update(|update| update.fast_forward = None);
    refuses("under a handoff without rewrite", &proposed, &[AuthorityActionOutOfScope]);
    let granted = proposed.handoff(|it| it.predicate.scope.operations.push(Grant::Ref(RefOperation::Rewrite)));
    admits("under a handoff with it", &granted);
}

#[test]
fn a_moved_tag_needs_to_be_granted_wherever_it_goes() {
    let tag = "refs/tags/v1";
    let tagging = move |world: World| {
        world
            .policy(move |policy| policy.rules[0].refs = vec![tag.to_owned()])
            .proposal(move |it| it.predicate.requested_action.as_mut().expect("an action").reference = tag.to_owned())
            .handoff(move |it| it.predicate.scope.refs = vec![tag.to_owned()])
            .update(move |update| update.reference = tag.to_owned())
    };
    refuses("without the word tag", &tagging(World::admitted()), &[AuthorityActionOutOfScope]);
    let granting = |grant: Grant, world: World| world.handoff(move |it| it.predicate.scope.operations.push(grant));
    let tag_only = granting(Grant::Ref(RefOperation::Tag), tagging(World::admitted()));
    refuses("with it, but a tag that moves means something else from then on", &tag_only, &[AuthorityActionOutOfScope]);
    admits("with rewrite besides", &granting(Grant::Ref(RefOperation::Rewrite), tag_only));
    let adopted = tagging(World::admitted()).without(Part::Proposal).facts(|facts| {
        facts.range.clear();
        facts.update.new = pin();
        facts.update.tip = Some(pin());
        facts.update.old = oid(0xbb);
        facts.update.fast_forward = None;
    });
    refuses("from a blob to a commit that is known already", &adopted, &[AuthorityActionOutOfScope]);
    let new = tagging(World::admitted()).without(Part::Proposal).facts(|facts| {
        facts.range.clear();
        (facts.update.new, facts.update.tip) = (pin(), Some(pin()));
        (facts.update.old, facts.update.fast_forward) = (Oid::from_bytes(&[0; 20]).expect("zero"), None);
    });
    refuses("a new tag on a commit that is known already", &new, &[AuthorityActionOutOfScope]);
}

#[test]
fn a_proposal_whose_tip_is_not_judged_speaks_for_nothing() {
    let elsewhere = |world: World| world.git(|it| it.tip = oid(0x99));
    one_fact("its tip is somewhere else", World::admitted(), elsewhere, &[SourceHandoffMissing, ContextReceiptMissing]);
}

#[test]
fn a_named_handoff_makes_nobodys_work_their_own() {
    // The facts say "no handoff", the signed proposal says which.
    let world = World::admitted()
        .proposal(|it| {
            it.predicate.bindings.actor = git_boundary::model::fact::Fact::known(Who::Hotfixer.id(), "key", START);
        })
        .receipt(|it| it.predicate.actor = Who::Hotfixer.id())
        .signed(Part::Proposal, &[Who::Hotfixer])
        .git(|it| it.handoff = None);
    let verdict = world.judged();
    assert_eq!(verdict.outcome, Outcome::Refused, "a listed person with a handoff is judged by the handoff");
}

#[test]
fn an_empty_range_is_left_to_whoever_asked() {
    let nothing = World::admitted().facts(|facts| facts.range.clear()).without(Part::Proposal);
    let verdict = nothing.judged();
    assert!(
        verdict.commits.is_empty(),
        "a push that brings nothing judges nothing; verify does not take that for an answer"
    );
}

#[test]
fn an_adopted_commit_is_shown_as_that() {
    let adopted = World::admitted().facts(|facts| facts.baselines = BTreeSet::from([pin()]));
    let verdict = adopted.judged();
    let last = verdict.commits.last().expect("the baseline is shown");
    assert_eq!((last.oid, last.status), (pin(), CommitStatus::Baseline), "under its own word");
}
