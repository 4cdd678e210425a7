//! IDENTITY: signatures, keys and roles of the proposal and its handoff. Independence of the checkers is read off their proofs.

use super::Found;
use crate::codec::in_toto::Kind;
use crate::gate::case::{Case, own};
use crate::gate::verdict::{Finding, listed};
use crate::model::party::Role;
use crate::model::refusal::{Check, Code};

/// Runs the check.
pub fn check(case: &Case<'_>) -> Found {
    let mut findings = Vec::new();
    proposer(case, &mut findings);
    handoff(case, &mut findings);
    findings.extend(case.short_of_proofs(Check::Identity));
    Some(findings)
}

fn proposer(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let id = case.recorded.artifact.id();
    let Some(actor) = case.actor else {
        findings.push(Finding::new(
            Code::IdentityKeyUntrusted,
            format!("proposal {id} names an actor that no accepted domain holds"),
        ));
        return;
    };
    if !case.recorded.artifact.signed_by(&actor) {
        findings.push(Finding::new(
            Code::IdentitySignatureInvalid,
            format!(
                "proposal {id} names {} as its actor and carries no good signature by it",
                listed(case.envelope().bindings.actor.value())
            ),
        ));
        return;
    }
    // A person who forgot the handoff is told that (7), not that the key is no actor's.
    let refused_anyway = case.rule.handoff && !case.is_person && case.handoff().is_none();
    let is_one = || case.actor_party().is_some_and(|party| party.roles.contains(&Role::Person));
    let role = if case.is_person || (refused_anyway && is_one()) { Role::Person } else { Role::Actor };
    findings.extend(case.standing_finding(&actor, role, &format!("proposal {id}"), case.recorded));
}

fn handoff(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let Some((facts, statement)) = case.handoff() else { return };
    let Some(statement) = statement else {
        // Somebody's broken line in the handoff's place is said to be that; its plain absence is for the evidence check.
        if let Some(pin) = case.envelope().bindings.source_expected.value() {
            findings.extend(case.bad_claim(*pin, own(Kind::Handoff)));
        }
        return;
    };
    let Some(recorded) = case.facts.artifacts.get(&facts.digest) else { return };
    let id = recorded.artifact.id();
    let owner = case.facts.trust.resolve(&statement.predicate.from.to_string());
    match owner {
        Some(owner) if recorded.artifact.signed_by(&owner) => {
            findings.extend(case.standing_finding(&owner, Role::Owner, &format!("handoff {id}"), recorded));
        }
        Some(_) => findings.push(Finding::new(
            Code::IdentitySignatureInvalid,
            format!("handoff {id} is from {} and carries no good signature by it", statement.predicate.from),
        )),
        None => findings.push(Finding::new(
            Code::IdentityKeyUntrusted,
            format!("handoff {id} is from {}, which no accepted domain holds", statement.predicate.from),
        )),
    }
}
