//! POLICY: what is forbidden outright, and what the checkers decided.

use super::Found;
use crate::gate::case::Case;
use crate::gate::verdict::Finding;
use crate::model::envelope::{Action, ClaimKind};
use crate::model::refusal::{Check, Code};

/// Runs the check.
pub fn check(case: &Case<'_>) -> Found {
    let mut findings = Vec::new();
    match &case.envelope().requested_action {
        Some(_) if case.is_completion() => findings.push(Finding::new(
            Code::PolicyActionForbidden,
            "a claim that work is done asks for an action as well; the change is proposed by itself".to_owned(),
        )),
        None if case.is_completion() => {}
        Some(action) => findings.extend(executed(case, action)),
        None => findings.push(Finding::new(Code::PolicyActionForbidden, "the proposal asks for no action".to_owned())),
    }
    findings.extend(case.short_of_proofs(Check::Policy));
    if case.is_completion() && findings.is_empty() { None } else { Some(findings) }
}

/// Each type of action has one executor, and goes with the claim that is made for it; none is mapped to something near it.
fn executed(case: &Case<'_>, action: &Action) -> Option<Finding> {
    let is_write = case.facts.write.is_some();
    let fits = match action.kind.as_str() {
        Action::REF_UPDATE => !is_write && !case.is_write(),
        Action::WORKSPACE_WRITE => {
            is_write
                && case.envelope().claim.kind == ClaimKind::Write
                && action.write.is_some()
                && !action.new.is_zero()
        }
        other => {
            let (one, two) = (Action::REF_UPDATE, Action::WORKSPACE_WRITE);
            let text = format!("no executor does {other:?}; {one:?} and {two:?} are those there are");
            return Some(Finding::new(Code::PolicyActionForbidden, text));
        }
    };
    (!fits).then(|| {
        let text = format!("{:?} is asked for in the form of something else", action.kind);
        Finding::new(Code::PolicyActionForbidden, text)
    })
}
