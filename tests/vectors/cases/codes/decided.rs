//! The policy, the checkers and the owner.

use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::gate::checks::approval::{action_digest, params_hash};
use git_boundary::model::boundary_proof::CheckDecision::{Abstain, Deny, Partial};
use git_boundary::model::decision::{Approval, ApprovalVerdict};
use git_boundary::model::diet::DietEntry;
use git_boundary::model::policy::DefaultRule;
use git_boundary::model::refusal::Code::*;

use super::super::super::cast::{self, START, Who};
use super::super::super::gate::parts::{digest, tip, tree};
use super::super::super::gate::world::{Extra, World, entry};
use super::super::super::vector::Vector;

use super::case;

pub fn vectors() -> Vec<Vector> {
    [policy(), approval()].concat()
}

fn policy() -> Vec<Vector> {
    let other =
        World::admitted().commitment(|it| it.predicate.policy = digest(0x77)).proof(|it, _| it.policy = digest(0x77));
    let decided = |decision| World::admitted().proof(move |it, _| it.decision = decision);
    let thoughts = World::admitted()
        .diet(|diet| diet.push(DietEntry { class: "chain_of_thought".to_owned(), digest: digest(0x66) }));
    let denied_beside = World::admitted().verdict_by(Who::Auditor, Deny, Who::Ci, 10, START.plus(8_000));
    vec![
        case("policy-unresolved", &[PolicyUnresolved], "none is in force", World::admitted())
            .given("git", "no policy is in force"),
        case("policy-of-the-proof-not-in-force", &[PolicyDigestMismatch], "the checker applied another", other),
        case(
            "action-forbidden-by-default",
            &[PolicyActionForbidden],
            "no rule, and the default refuses",
            World::admitted().policy(|policy| policy.default = DefaultRule::Refuse),
        )
        .given("git", "another ref is pushed"),
        case(
            "action-without-an-executor",
            &[PolicyActionForbidden],
            "nobody does that",
            World::admitted()
                .proposal(|it| it.predicate.requested_action.as_mut().expect("an action").kind = "git.gc".to_owned()),
        ),
        case(
            "input-class-not-permitted",
            &[PolicyInputClassForbidden],
            "the checker read the agent's thoughts",
            thoughts,
        ),
        case(
            "input-class-absent",
            &[PolicyInputClassForbidden],
            "the checker read no diff",
            World::admitted()
                .diet(|diet| diet.truncate(0))
                .diet(|diet| diet.push(DietEntry { class: "test_result".to_owned(), digest: digest(1) })),
        ),
        case("denied", &[PolicyDecisionDenied], "the checker says no", decided(Deny)),
        case("denied-beside-an-allow", &[PolicyDecisionDenied], "another domain says no", denied_beside),
        case("partly-allowed", &[PolicyDecisionDenied], "which authorises no ref update", decided(Partial)),
        case("abstained", &[PolicyDecisionAbstained], "the checker can't tell", decided(Abstain)),
    ]
}

fn approval() -> Vec<Vector> {
    let guarded = || World::admitted().rule(|rule| rule.approval_paths = vec!["src".to_owned()]);
    let given = |edit: fn(&mut Approval)| {
        guarded().more(move |links| {
            let (envelope, statement) = links.proposal.clone().expect("a proposal");
            let action = statement.predicate.requested_action.expect("an action");
            let mut predicate = Approval {
                action_digest: action_digest(&action),
                connection: Who::Ci.id(),
                envelope,
                expires_at: START.plus(20_000),
                lease: links.handoff(),
                nonce: "3".repeat(32),
                params_hash: params_hash(&action),
                principal: Who::Codex.id(),
                reason: "looked at it".to_owned(),
                verdict: ApprovalVerdict::Approve,
            };
            edit(&mut predicate);
            let subject = Subject { commit: tip(), repository: links.trust.repository(), tree: tree(tip()) };
            let artifact = cast::sign(&Statement { predicate, subject: Some(subject) }, &[Who::Owner]);
            vec![Extra { artifact, entries: vec![entry(Who::Ci, 80, START.plus(9_000))], note: tip() }]
        })
    };
    vec![
        case("admitted-approved", &[], "a guarded path, and the owner's approval", given(|_| {})),
        case("approval-missing", &[ApprovalMissing], "a guarded path", guarded()),
        case(
            "approval-rejected",
            &[ApprovalRejected],
            "the owner says no",
            given(|it| it.verdict = ApprovalVerdict::Reject),
        ),
        case("approval-expired", &[ApprovalExpired], "an hour ago", given(|it| it.expires_at = START.plus(7_200))),
        case(
            "approval-drifted",
            &[ApprovalParamsDrifted],
            "of another action",
            given(|it| it.action_digest = digest(1)),
        ),
        case(
            "approval-for-another",
            &[ApprovalPrincipalMismatch],
            "for Claude",
            given(|it| it.principal = Who::Claude.id()),
        ),
    ]
}
