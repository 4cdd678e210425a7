//! Single use: an approval is consumed by one update, and what was done under it is not done again (contract, sections 7 and 8).

use super::{action_digest, defect};
use crate::codec::artifact::Artifact;
use crate::codec::canonical;
use crate::crypto::trust::Trust;
use crate::gate::case::Case;
use crate::gate::clock;
use crate::gate::facts::Recorded;
use crate::gate::verdict::Finding;
use crate::model::decision::{Approval, ApprovalVerdict, Candidate, Disposition, WorkReceipt};
use crate::model::digest::Digest;
use crate::model::envelope::Action;
use crate::model::event::EventKind;
use crate::model::id::{ArtifactId, KeyId};
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::refusal::Code;
use crate::model::typed::typed_ref;

/// Another update that an approval was consumed for, by the word of the registrar that it names, which alone can consume it, whether
/// anybody listed that one or not.
///
/// The same update again is a replay after a crash, and no second use.
pub(super) fn by_another(case: &Case<'_>, digest: &Digest, approval: &Approval) -> Option<Finding> {
    let other = case.facts.artifacts.about(digest).find_map(|recorded| {
        let Artifact::Event(event) = recorded.artifact.value() else { return None };
        let EventKind::Released { candidate, .. } = &event.predicate.kind else { return None };
        (!is_same(case, candidate) && is_word_of(&case.facts.trust, recorded, approval.connection)).then_some(candidate)
    })?;
    let text = format!(
        "the approval {} was consumed for {} from {} to {}",
        ArtifactId::of(digest),
        other.reference,
        other.old.short(),
        other.new.short()
    );
    Some(Finding::new(Code::ApprovalAlreadyConsumed, text).with_command(anew(case)))
}

/// Whether something is a registrar's own word, in its own ledger.
pub fn is_word_of(trust: &Trust, recorded: &Recorded, registrar: KeyId) -> bool {
    let listed = trust.resolve(&registrar.to_string());
    let is_its = |key: &PublicKey| match listed {
        Some(listed) => listed == *key,
        None => KeyId::of(&canonical::sha256(key.as_bytes())) == registrar,
    };
    recorded.artifact.signers().iter().any(is_its) && recorded.entries.iter().any(|entry| entry.registrar == registrar)
}

/// Afterwards nobody asks any more from where the ref was moved; at a push it is the very same update or another one.
fn is_same(case: &Case<'_>, candidate: &Candidate) -> bool {
    let update = &case.facts.update;
    candidate.envelope == Some(case.digest())
        && (update.purpose.is_past()
            || !case.is_tip()
            || (candidate.reference == update.reference && candidate.old == update.old && candidate.new == update.new))
}

/// At a push: that the very update was done already, by the work receipt of a registrar in good standing. A ref that somebody put back
/// does not make one approval good for two updates.
pub(super) fn done_before(case: &Case<'_>, action: &Action) -> Option<Finding> {
    let facts = case.facts;
    let update = &facts.update;
    if update.purpose.is_past() || !case.is_tip() {
        return None;
    }
    let now = Action { new: update.new, old: update.old, reference: update.reference.clone(), ..action.clone() };
    let digests = [action_digest(action), action_digest(&now)];
    let is_it = |receipt: &WorkReceipt| {
        receipt.disposition == Disposition::Complete
            && digests.contains(&receipt.action_digest)
            && receipt.observed.reference == update.reference
            && receipt.observed.old == update.old
    };
    let receipt = facts.artifacts.about(&case.digest()).find(|recorded| {
        matches!(recorded.artifact.value(), Artifact::WorkReceipt(it) if is_it(&it.predicate))
            // Of those that nobody listed, who acts here hears itself.
            && (clock::speaks(&facts.trust, facts.now, recorded, Role::Registrar)
                || facts.registrar.is_some_and(|own| is_word_of(&facts.trust, recorded, own)))
    })?;
    let text = format!(
        "{} from {} to {} was done before, by work receipt {}, and its approval was for once",
        update.reference,
        update.old.short(),
        update.new.short(),
        receipt.artifact.id()
    );
    Some(Finding::new(Code::ApprovalAlreadyConsumed, text).with_command(anew(case)))
}

/// The approval that a case rests on: the one that was consumed for this update, else the first that is good.
pub(super) fn good(case: &Case<'_>) -> Option<Digest> {
    let action = case.envelope().requested_action.as_ref()?;
    let mut good: Vec<Digest> = case
        .approvals()
        .filter(|(digest, approval)| {
            approval.verdict == ApprovalVerdict::Approve && defect(case, action, digest, approval).is_none()
        })
        .map(|(digest, _)| digest)
        .collect();
    let consumed = |digest: &Digest| {
        case.facts.artifacts.about(digest).any(|recorded| {
            matches!(recorded.artifact.value(), Artifact::Event(event)
                if matches!(&event.predicate.kind, EventKind::Released { candidate, .. } if is_same(case, candidate)))
        })
    };
    good.sort_by_key(|digest| !consumed(digest));
    good.first().copied()
}

fn anew(case: &Case<'_>) -> String {
    let who = case.envelope().bindings.actor.value().map_or_else(|| "<key>".to_owned(), |id| case.key(id));
    format!("git boundary propose --ref {} --key {who}", typed_ref(&case.facts.update.reference))
}
