//! SNAPSHOT: whether the refs are where the proposal saw them.

use super::Found;
use crate::gate::case::Case;
use crate::gate::verdict::Finding;
use crate::model::refusal::Code;
use crate::model::typed::typed_ref;

/// Runs the check.
pub fn check(case: &Case<'_>) -> Found {
    // Where history is judged afterwards, nobody asks any more where the ref stood.
    if !case.is_tip() || case.facts.update.purpose.is_past() {
        return None;
    }
    let action = case.envelope().requested_action.as_ref()?;
    let update = &case.facts.update;
    let judged = action.old == update.old && action.reference == update.reference;
    let contained = update.old.is_zero() || case.proposal.contains_old == Some(true);
    let bound = case.approvals().next().is_some();
    if judged || (contained && !bound) {
        return Some(Vec::new());
    }
    let why = if contained { "an approval binds the old value" } else { "the proposed tip does not contain it" };
    let (at, reference) = (update.old.short(), &update.reference);
    if action.reference != *reference {
        // Nothing that is fetched changes which ref was asked for.
        let text = format!(
            "{reference} is at {at}, the proposal is for {} at {}, and {why}",
            action.reference,
            action.old.short()
        );
        let who = case.envelope().bindings.actor.value().map_or_else(|| "<key>".to_owned(), |id| case.key(id));
        let command = format!("git boundary propose --ref {} --key {who}", typed_ref(reference));
        return Some(vec![Finding::new(Code::SnapshotHeadMoved, text).with_command(command)]);
    }
    let text = format!("{reference} is at {at}, the proposal saw {}, and {why}", action.old.short());
    Some(vec![Finding::new(Code::SnapshotHeadMoved, text).with_command("git fetch")])
}
