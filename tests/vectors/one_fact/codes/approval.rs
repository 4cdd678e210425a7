//! Owner approvals.

use git_boundary::model::decision::ApprovalVerdict;
use git_boundary::model::refusal::Code::*;

use super::super::super::cast::{START, Who};
use super::super::super::gate::code_policy::approved;
use super::super::super::gate::parts::digest;
use super::super::super::gate::world::World;
use super::super::make::Shown;
use super::handed;
use super::result::work_receipt;

/// The rule wants an owner's approval for what Codex touches.
fn guarded() -> World {
    handed().rule(|rule| rule.approval_paths = vec!["src".to_owned()])
}

/// And has it.
fn released() -> World {
    approved(Who::Owner, |_| {})(guarded())
}

pub fn shown() -> Vec<Shown> {
    vec![
        Shown::new(ApprovalMissing, "the rule wants an approval for this path, and there is none", handed(), |world| {
            world.rule(|rule| rule.approval_paths = vec!["src".to_owned()])
        }),
        Shown::new(ApprovalRejected, "the owner rejected the proposal", handed(), |world| {
            approved(Who::Owner, |it| it.verdict = ApprovalVerdict::Reject)(world)
        }),
        Shown::new(ApprovalExpired, "the approval ended one second ago", released(), |_| {
            approved(Who::Owner, |it| it.expires_at = START.plus(10_799))(guarded())
        }),
        Shown::new(ApprovalParamsDrifted, "the approval is of other parameters", released(), |_| {
            approved(Who::Owner, |it| it.params_hash = digest(1))(guarded())
        }),
        Shown::new(
            ApprovalAlreadyConsumed,
            "a work receipt says that this very update was done",
            released(),
            |world| world.more(|links| vec![work_receipt(links, |_| {})]),
        ),
        Shown::new(ApprovalPrincipalMismatch, "the approval is for another actor", released(), |_| {
            approved(Who::Owner, |it| it.principal = Who::Claude.id())(guarded())
        }),
    ]
}
