//! Ranks 16 to 25: the policy, the checkers' decisions, and approvals.

use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::gate::checks::approval::{action_digest, params_hash};
use git_boundary::model::boundary_proof::CheckDecision;
use git_boundary::model::decision::{Approval, ApprovalVerdict};
use git_boundary::model::diet::DietEntry;
use git_boundary::model::policy::DefaultRule;
use git_boundary::model::refusal::Code::*;

use super::parts::{digest, oid, tip, tree};
use super::world::{Extra, World, admits, entry, one_fact, refuses};
use crate::vectors::cast::{self, START, Who};

#[test]
fn without_a_signed_policy_nothing_is_resolved() {
    let unsigned = |world: World| world.facts(|facts| facts.policies.in_force = None);
    one_fact("no policy in force", World::admitted(), unsigned, &[PolicyUnresolved]);
    let lost = |world: World| world.facts(|facts| facts.policies.known.clear());
    one_fact("the policy in force is not to be found", World::admitted(), lost, &[PolicyUnresolved]);
}

#[test]
fn a_proof_under_another_policy_does_not_count() {
    let other = |world: World| {
        world.commitment(|it| it.predicate.policy = digest(0x77)).proof(|it, _| it.policy = digest(0x77))
    };
    one_fact("a policy that is neither in force nor accepted", World::admitted(), other, &[PolicyDigestMismatch]);
    let accepted = |known: bool| {
        other(World::admitted().policy(|policy| policy.accept.push(digest(0x77)))).facts(move |facts| {
            let policy = facts.policies.known.values().next().expect("one is in force").clone();
            if known {
                facts.policies.known.insert(digest(0x77), policy);
            }
        })
    };
    admits("an earlier policy that is still accepted", &accepted(true));
    refuses("an accepted digest of no signed policy", &accepted(false), &[PolicyDigestMismatch]);
}

#[test]
fn what_no_rule_allows_is_forbidden_by_default() {
    let elsewhere = |world: World| world.update(|update| update.reference = "refs/heads/other".to_owned());
    let verdict = elsewhere(World::admitted()).judged();
    assert!(!verdict.governed, "an open default judges nothing, and says so");
    let refuse = || World::admitted().policy(|policy| policy.default = DefaultRule::Refuse);
    one_fact("no rule, and the default is refuse", refuse(), elsewhere, &[PolicyActionForbidden]);
}

#[test]
fn an_action_without_an_executor_is_forbidden() {
    let kind = |world: World| {
        world.proposal(|it| it.predicate.requested_action.as_mut().expect("an action").kind = "git.gc".to_owned())
    };
    one_fact("another kind of action", World::admitted(), kind, &[PolicyActionForbidden]);
    let none = |world: World| world.proposal(|it| it.predicate.requested_action = None);
    one_fact("no action at all", World::admitted(), none, &[PolicyActionForbidden]);
}

#[test]
fn names_that_some_file_system_takes_for_a_governed_one_are_governed() {
    let folded = |world: World| world.update(|update| update.reference = "refs/heads/MAIN".to_owned());
    let verdict = folded(World::admitted()).judged();
    assert!(verdict.governed, "the rule for main governs MAIN");
    assert_ne!(verdict.primary(), None, "and no proposal for main is one for MAIN");
    let boundary = World::admitted().update(|update| update.reference = "refs/boundary/Trust".to_owned());
    assert!(!boundary.judged().governed, "the boundary's own refs are governed elsewhere");
    let like = World::admitted().update(|update| update.reference = "refs/Boundary/trust".to_owned());
    refuses("a name that passes for one of the boundary's own", &like, &[PolicyActionForbidden]);
}

#[test]
fn an_input_class_that_is_not_permitted_is_forbidden() {
    let thoughts = |world: World| {
        world.diet(|diet| diet.push(DietEntry { class: "chain_of_thought".to_owned(), digest: digest(0x66) }))
    };
    one_fact("the checker read the agent's thoughts", World::admitted(), thoughts, &[PolicyInputClassForbidden]);
}

#[test]
fn an_absent_required_class_is_forbidden() {
    one_fact(
        "the checker read no diff",
        World::admitted(),
        |world| world.diet(|diet| drop(diet.remove(0))),
        &[PolicyInputClassForbidden],
    );
    admits("a class that is only permitted may be absent", &World::admitted().diet(|diet| drop(diet.remove(1))));
}

#[test]
fn a_denial_stands() {
    let deny = |world: World| world.proof(|it, _| it.decision = CheckDecision::Deny);
    one_fact("the checker denies", World::admitted(), deny, &[PolicyDecisionDenied]);
}

#[test]
fn a_partial_decision_authorises_no_ref_update() {
    let partial = |world: World| world.proof(|it, _| it.decision = CheckDecision::Partial);
    one_fact("the checker allows some of it", World::admitted(), partial, &[PolicyDecisionDenied]);
}

#[test]
fn an_abstention_stands() {
    let abstain = |world: World| world.proof(|it, _| it.decision = CheckDecision::Abstain);
    one_fact("the checker can't tell", World::admitted(), abstain, &[PolicyDecisionAbstained]);
}

/// The rule wants an owner's approval for what Codex touches.
fn guarded() -> World {
    World::admitted().rule(|rule| rule.approval_paths = vec!["src".to_owned()])
}

/// An approval of the proposal with one thing changed.
pub fn approved(by: Who, edit: impl Fn(&mut Approval) + 'static) -> impl FnOnce(World) -> World {
    move |world| {
        world.more(move |links| {
            let (envelope, statement) = links.proposal.as_ref().expect("a proposal");
            let action = statement.predicate.requested_action.as_ref().expect("an action");
            let mut predicate = Approval {
                action_digest: action_digest(action),
                connection: Who::Ci.id(),
                envelope: *envelope,
                expires_at: START.plus(20_000),
                lease: links.handoff(),
                nonce: "3".repeat(32),
                params_hash: params_hash(action),
                principal: Who::Codex.id(),
                reason: "looked at it".to_owned(),
                verdict: ApprovalVerdict::Approve,
            };
            edit(&mut predicate);
            let subject = Subject { commit: tip(), repository: links.trust.repository(), tree: tree(tip()) };
            let artifact = cast::sign(&Statement { predicate, subject: Some(subject) }, &[by]);
            vec![Extra { artifact, entries: vec![entry(Who::Ci, 80, START.plus(9_000))], note: tip() }]
        })
    }
}

#[test]
fn a_guarded_path_needs_an_owners_approval() {
    refuses("a guarded path", &guarded(), &[ApprovalMissing]);
    for by in [Who::Owner, Who::Deputy] {
        admits(&format!("approved by {by:?}"), &approved(by, |_| {})(guarded()));
    }
    for by in [Who::Codex, Who::Hotfixer, Who::Reviewer, Who::Ci] {
        refuses(&format!("{by:?} is no owner"), &approved(by, |_| {})(guarded()), &[ApprovalMissing]);
    }
    let automation =
        World::admitted().handoff(|it| it.predicate.scope.paths.push("Makefile".to_owned())).facts(|facts| {
            facts.commits.get_mut(&tip()).expect("the tip").touched[0].path = b"Makefile".to_vec();
        });
    refuses("an automation file", &automation, &[ApprovalMissing]);
    admits("an automation file, approved", &approved(Who::Owner, |_| {})(automation.clone()));
    admits("the rule does not ask", &automation.rule(|rule| rule.automation_approval = false));
}

#[test]
fn a_rejection_refuses_whether_or_not_an_approval_was_needed() {
    let reject = || approved(Who::Owner, |it| it.verdict = ApprovalVerdict::Reject);
    refuses("rejected where an approval is needed", &reject()(guarded()), &[ApprovalRejected]);
    refuses("rejected where none is needed", &reject()(World::admitted()), &[ApprovalRejected]);
    let both =
        approved(Who::Owner, |_| {})(approved(Who::Deputy, |it| it.verdict = ApprovalVerdict::Reject)(guarded()));
    refuses("one owner approved, another rejected", &both, &[ApprovalRejected]);
    let stranger = approved(Who::Hotfixer, |it| it.verdict = ApprovalVerdict::Reject)(World::admitted());
    admits("rejected by somebody who is no owner", &stranger);
}

#[test]
fn an_approval_out_of_time_is_expired() {
    let until = |seconds: i64| approved(Who::Owner, move |it| it.expires_at = START.plus(seconds))(guarded());
    admits("the last second", &until(10_800));
    refuses("one second late", &until(10_799), &[ApprovalExpired]);
}

#[test]
fn an_approval_of_another_action_has_drifted() {
    for (name, edit) in [
        ("another action", (|it: &mut Approval| it.action_digest = digest(1)) as fn(&mut Approval)),
        ("other parameters", |it| it.params_hash = digest(1)),
    ] {
        admits("the same action", &approved(Who::Owner, |_| {})(guarded()));
        refuses(name, &approved(Who::Owner, edit)(guarded()), &[ApprovalParamsDrifted]);
    }
}

#[test]
fn an_approval_for_another_principal_or_lease_is_not_for_this_one() {
    for (name, edit) in [
        ("another principal", (|it: &mut Approval| it.principal = Who::Claude.id()) as fn(&mut Approval)),
        ("another lease", |it| it.lease = Some(digest(1))),
        ("no lease", |it| it.lease = None),
    ] {
        refuses(name, &approved(Who::Owner, edit)(guarded()), &[ApprovalPrincipalMismatch]);
    }
}

#[test]
fn an_approval_binds_the_old_value() {
    let moved = |world: World| world.update(|update| update.old = oid(0xb7)).git(|it| it.contains_old = Some(true));
    admits("without an approval the tip may contain what came", &moved(World::admitted()));
    refuses("with one it may not", &moved(approved(Who::Owner, |_| {})(guarded())), &[SnapshotHeadMoved]);
}
