//! What a claim that work is done rests on: saying so is admissible, and no proof (contract, section 9; seed "evidence envelopes").

use crate::gate::case::Case;
use crate::gate::checks::result;
use crate::gate::result::verification;
use crate::gate::rule::{Match, rule_for};
use crate::gate::verdict::Finding;
use crate::model::decision::WorkReceipt;
use crate::model::refusal::Code;

/// Of the work receipts that hold, one has to be verified by evidence that the actor could not have made.
pub(super) fn supported(case: &Case<'_>, findings: &mut Vec<Finding>) {
    if !case.is_completion() {
        return;
    }
    let id = case.recorded.artifact.id();
    if result::named(case).is_empty() {
        // Without any evidence the receipt is what is missing; with other evidence it is offered in its place.
        if !case.envelope().evidence.is_empty() {
            let text = format!("claim {id} rests on its actor's word, with no work receipt among its evidence");
            findings.push(Finding::new(Code::EvidenceCompletionUnsupported, text).with_command("git boundary settle"));
        }
        return;
    }
    // Without a known actor nothing is independent of it; the identity check says so.
    let Some(actor) = case.actor_party() else { return };
    let mut against = None;
    for named in result::holding(case) {
        match verification(case.facts, named.recorded, actor, wanted(case, named.receipt)) {
            Ok(_) => return,
            Err(reasons) => against = against.or(Some(reasons)),
        }
    }
    findings.extend(against.into_iter().flatten());
}

/// The kinds of evidence that the rule of the ref wants to which the work went: of several receipts each is held to its own.
fn wanted<'a>(case: &Case<'a>, receipt: &WorkReceipt) -> &'a [String] {
    let policy = case.facts.policy().map(|(_, policy)| policy);
    match policy.map(|policy| rule_for(policy, &receipt.observed.reference)) {
        Some(Match::Rule { rule, .. }) => &rule.evidence,
        _ => &case.rule.evidence,
    }
}
