//! CONTEXT: what the actor was shown, and whether the proposal is for this action.

use super::Found;
use crate::codec::artifact::Artifact;
use crate::codec::canonical;
use crate::codec::in_toto::{Kind, Statement};
use crate::gate::case::{Case, own};
use crate::gate::clock;
use crate::gate::facts::{LedgerEntry, Recorded};
use crate::gate::verdict::{Finding, listed};
use crate::ledger::root_of;
use crate::model::context::{ContextReceipt, Delivered, DeliveredKind};
use crate::model::digest::Digest;
use crate::model::party::Role;
use crate::model::policy::Strength;
use crate::model::refusal::Code;

/// Runs the check.
pub fn check(case: &Case<'_>) -> Found {
    let mut findings = Vec::new();
    match receipt(case) {
        Ok((recorded, statement)) => {
            matches(case, &statement.predicate, &mut findings);
            strength(case, recorded, &mut findings);
        }
        Err(finding) => findings.push(finding),
    }
    Some(findings)
}

fn receipt<'a>(case: &Case<'a>) -> Result<(&'a Recorded, &'a Statement<ContextReceipt>), Finding> {
    let id = case.recorded.artifact.id();
    let digest =
        case.envelope().bindings.context.value().ok_or_else(|| {
            Finding::new(Code::ContextReceiptMissing, format!("proposal {id} names no context receipt"))
        })?;
    let found = case.facts.artifacts.get(digest).and_then(|recorded| match recorded.artifact.value() {
        Artifact::ContextReceipt(statement) => Some((recorded, &**statement)),
        _ => None,
    });
    found.ok_or_else(|| {
        let note = case.recorded.note;
        match case.bad_claim(note, own(Kind::ContextReceipt)) {
            // Whoever signed it is nobody here; a registrar that goes on says again what was shown.
            Some(finding) => match case.envelope().bindings.actor.value() {
                Some(actor) => finding.with_command(format!("git boundary propose --key {}", case.key(actor))),
                None => finding,
            },
            None => Finding::new(
                Code::ContextReceiptMissing,
                format!("proposal {id} names context receipt {digest}, which is not found"),
            ),
        }
    })
}

fn matches(case: &Case<'_>, receipt: &ContextReceipt, findings: &mut Vec<Finding>) {
    let mut mismatch = |text: String| findings.push(Finding::new(Code::ContextReceiptMismatch, text));
    let envelope = case.envelope();
    if case.facts.trust.resolve(&receipt.actor.to_string()) != case.actor {
        mismatch(format!(
            "the context was delivered to {}, the proposal is by {}",
            receipt.actor,
            listed(envelope.bindings.actor.value())
        ));
    }
    if receipt.envelope_id != envelope.envelope_id {
        mismatch(format!(
            "the context was delivered for {}, the proposal is {}",
            receipt.envelope_id, envelope.envelope_id
        ));
    }
    let root = delivered_root(&receipt.delivered);
    if root != receipt.delivered_root {
        mismatch(format!("the delivered items' root is {root}, the receipt says {}", receipt.delivered_root));
    }
    let of_kind = |kind: DeliveredKind| -> Vec<Digest> {
        receipt.delivered.iter().filter(|item| item.kind == kind).map(|item| item.digest).collect()
    };
    let specification = of_kind(DeliveredKind::Specification);
    if specification.len() != 1 || envelope.bindings.assignment.value() != specification.first() {
        mismatch(format!(
            "the receipt delivers as specification: {}; the action is bound to: {}",
            listed(&specification),
            listed(envelope.bindings.assignment.value())
        ));
    }
    let handoffs = of_kind(DeliveredKind::Handoff);
    let named: Vec<Digest> = envelope.bindings.lease.value().copied().into_iter().collect();
    if handoffs != named {
        mismatch(format!(
            "the receipt delivers as handoff: {}; the proposal names: {}",
            listed(&handoffs),
            listed(&named)
        ));
    }
    // Only the default branch, or what the handoff pins, is a base: whoever chose another could leave commits out of what a checker
    // is shown.
    let base = match case.handoff() {
        Some((_, Some(handoff))) => Some(handoff.predicate.pin.reference.as_str()),
        Some((_, None)) => None,
        None => Some(case.facts.base.reference.as_str()),
    };
    if let Some(base) = base.filter(|base| !case.is_person && *base != receipt.snapshot.base.reference) {
        mismatch(format!("the base is {base}, the receipt looked at {}", receipt.snapshot.base.reference));
    }
    // Where the work starts decides what a checker is shown as its diff, so that it is never the proposer's to choose.
    let observed = receipt.snapshot.base.oid.filter(|oid| !oid.is_zero());
    if envelope.bindings.source_observed.value() != observed.as_ref() {
        mismatch(format!(
            "the base was seen at {}, the proposal says {}",
            listed(observed),
            listed(envelope.bindings.source_observed.value())
        ));
    }
    let inside =
        observed.filter(|oid| case.handoff().is_none() && !case.is_person && case.proposal.range.contains(oid));
    if let Some(inside) = inside {
        mismatch(format!("the base was seen at {inside}, which is itself among the commits proposed"));
    }
    let pinned = match case.handoff() {
        Some((_, Some(handoff))) => Some(Some(&handoff.predicate.pin.commit)),
        Some((_, None)) => None,
        None => Some(None),
    };
    if let Some(pinned) = pinned.filter(|pinned| *pinned != envelope.bindings.source_expected.value()) {
        mismatch(format!(
            "the handoff pins {}, the proposal says {}",
            listed(pinned),
            listed(envelope.bindings.source_expected.value())
        ));
    }
    if let Some((_, Some(handoff))) = case.handoff() {
        let expected = canonical::digest_of(&handoff.predicate.assignment);
        if specification.first() != Some(&expected) {
            mismatch(format!("the handoff's assignment is {expected}, delivered was {}", listed(&specification)));
        }
    }
}

/// RFC 9162 root over the canonical JSON of each item.
pub fn delivered_root(delivered: &[Delivered]) -> Digest {
    let leaves: Vec<Vec<u8>> = delivered.iter().map(canonical::to_vec).collect();
    Digest(root_of(leaves.iter().map(Vec::as_slice)))
}

/// A cosigned checkpoint holds the entry, the witness being in a third domain.
fn is_witnessed(case: &Case<'_>, entry: &LedgerEntry, actor: &str) -> bool {
    let registrar = case.facts.trust.party_of(&entry.registrar).map(|party| party.domain.as_str());
    entry.witnesses.iter().any(|witness| {
        witness.size > entry.index && witness.domain != actor && Some(witness.domain.as_str()) != registrar
    })
}

fn strength(case: &Case<'_>, recorded: &Recorded, findings: &mut Vec<Finding>) {
    if case.rule.context_strength == Strength::Own {
        return;
    }
    let Some(actor) = case.actor_party() else { return };
    let other = recorded.entries.iter().any(|entry| {
        let registrar = case.facts.trust.resolve(&entry.registrar.to_string());
        registrar.is_some_and(|key| {
            recorded.artifact.signed_by(&key)
                && clock::standing(case.facts, recorded, &key, Role::Registrar).0
                    == crate::crypto::trust::Standing::Good
        }) && clock::counts_against(&case.facts.trust, entry, &actor.domain)
            && (case.rule.context_strength == Strength::Other || is_witnessed(case, entry, &actor.domain))
    });
    if !other {
        findings.push(Finding::new(
            Code::ContextReceiptMissing,
            format!(
                "the rule wants a context receipt of strength {}, {} is weaker",
                case.rule.context_strength.name(),
                recorded.artifact.id()
            ),
        ));
    }
}
