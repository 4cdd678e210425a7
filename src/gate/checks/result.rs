//! RESULT: the work receipts that a claim of completion rests on (contract, sections 7 and 9).

use super::Found;
use super::approval::action_digest;
use crate::codec::artifact::Artifact;
use crate::crypto::trust::Standing;
use crate::gate::case::Case;
use crate::gate::clock;
use crate::gate::facts::Recorded;
use crate::gate::verdict::{Finding, listed};
use crate::model::decision::{Disposition, WorkReceipt};
use crate::model::envelope::Action;
use crate::model::party::Role;
use crate::model::refusal::Code;

/// Runs the check. A proposed change has no result before it is admitted, so that there is nothing to judge.
pub fn check(case: &Case<'_>) -> Found {
    if !case.is_completion() {
        return None;
    }
    let receipts = named(case);
    let Some(first) = receipts.first() else { return Some(vec![missing(case)]) };
    let defects: Vec<Finding> = receipts.iter().filter_map(|receipt| defect(case, receipt)).collect();
    // Of several receipts one that holds is enough; else the first says why not.
    if defects.len() < receipts.len() {
        return Some(Vec::new());
    }
    Some(defect(case, first).into_iter().collect())
}

/// A work receipt that a claim names, and where it stands.
pub(super) struct Named<'a> {
    pub(super) recorded: &'a Recorded,
    pub(super) receipt: &'a WorkReceipt,
}

/// The work receipts among the evidence that a claim names, as their registrars signed them.
pub(super) fn named<'a>(case: &Case<'a>) -> Vec<Named<'a>> {
    let facts = case.facts;
    let signed = |recorded: &Recorded, receipt: &WorkReceipt| {
        facts.trust.resolve(&receipt.registrar.to_string()).is_some_and(|key| {
            recorded.artifact.signed_by(&key)
                && clock::standing(facts, recorded, &key, Role::Registrar).0 == Standing::Good
        })
    };
    let evidence = &case.envelope().evidence;
    let found = evidence.iter().filter_map(|reference| facts.artifacts.get(&reference.digest));
    found
        .filter_map(|recorded| match recorded.artifact.value() {
            Artifact::WorkReceipt(it) => Some(Named { recorded, receipt: &it.predicate }),
            _ => None,
        })
        .filter(|named| signed(named.recorded, named.receipt))
        .collect()
}

/// The receipts that hold: of this actor, for an action that was proposed on this commit, and complete.
pub(super) fn holding<'a>(case: &Case<'a>) -> Vec<Named<'a>> {
    named(case).into_iter().filter(|named| defect(case, named).is_none()).collect()
}

fn missing(case: &Case<'_>) -> Finding {
    Finding::new(
        Code::ResultReceiptMissing,
        format!("claim {} names no work receipt of a listed registrar that is here", case.recorded.artifact.id()),
    )
    .with_command("git boundary settle")
}

fn defect(case: &Case<'_>, Named { recorded, receipt }: &Named<'_>) -> Option<Finding> {
    let facts = case.facts;
    let id = recorded.artifact.id();
    let mismatch = |text: String| Some(Finding::new(Code::ResultReceiptMismatch, text));
    if facts.trust.resolve(&receipt.actor.to_string()) != case.actor {
        return mismatch(format!(
            "work receipt {id} is about work by {}, the claim is by {}",
            receipt.actor,
            listed(case.envelope().bindings.actor.value())
        ));
    }
    let Some(proposal) = facts.envelope(&receipt.envelope) else {
        return mismatch(format!("work receipt {id} is for proposal {}, which is not found here", receipt.envelope));
    };
    let about = |it: &crate::codec::in_toto::Statement<crate::model::envelope::Envelope>| {
        it.subject.as_ref().map(|it| it.commit)
    };
    if about(proposal) != about(case.statement) {
        return mismatch(format!("work receipt {id} is about another commit than the claim"));
    }
    let signed = facts
        .artifacts
        .get(&receipt.envelope)
        .is_some_and(|it| case.actor.is_some_and(|key| it.artifact.signed_by(&key)));
    let action = proposal.predicate.requested_action.as_ref();
    if !signed || !action.is_some_and(|action| is_of(receipt, action)) {
        return mismatch(format!(
            "work receipt {id} is for another action than proposal {} asks for",
            receipt.envelope
        ));
    }
    (receipt.disposition != Disposition::Complete).then(|| {
        let word = match receipt.disposition {
            Disposition::Failed => "failed",
            Disposition::Expired => "expired",
            _ => "unknown",
        };
        Finding::new(Code::ResultIncomplete, format!("work receipt {id} says that the action ended as {word}"))
    })
}

/// Whether a receipt is for a proposal's action, or for the same commit on another ref in scope, where it landed without a second one.
pub fn is_of(receipt: &WorkReceipt, action: &Action) -> bool {
    let observed = &receipt.observed;
    let landed = Action { old: observed.old, reference: observed.reference.clone(), ..action.clone() };
    receipt.action_digest == action_digest(action) || receipt.action_digest == action_digest(&landed)
}
