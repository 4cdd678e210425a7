//! POLICY: what is forbidden outright, and what the checkers decided.

use super::Found;
use crate::gate::case::Case;
use crate::gate::verdict::Finding;
use crate::model::envelope::Action;
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
        Some(action) if action.kind != Action::REF_UPDATE => findings.push(Finding::new(
            Code::PolicyActionForbidden,
            format!("no executor does {:?}; {:?} is the one there is", action.kind, Action::REF_UPDATE),
        )),
        Some(_) => {}
        None => findings.push(Finding::new(Code::PolicyActionForbidden, "the proposal asks for no action".to_owned())),
    }
    findings.extend(case.short_of_proofs(Check::Policy));
    if case.is_completion() && findings.is_empty() { None } else { Some(findings) }
}
