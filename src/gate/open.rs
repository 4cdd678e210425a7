//! OPEN: what leaves every answer open, whatever a proposal says.

use std::collections::BTreeSet;

use crate::codec::artifact::Artifact;
use crate::crypto::trust::Trust;
use crate::model::id::Oid;
use crate::model::party::Role;
use crate::model::time::Timestamp;

use super::clock::speaks;
use super::facts::{Facts, Gap};
use super::handoffs::live;

/// An expired trust document says nothing any more (contract, section 13: it bounds how long an old one can be shown).
pub fn expired(facts: &Facts) -> Option<Gap> {
    expired_trust(&facts.trust, facts.now)
}

/// The same, where nothing but trust is judged by.
pub fn expired_trust(trust: &Trust, now: Timestamp) -> Option<Gap> {
    let end = trust.expired_at(now)?;
    let text = format!("trust version {} expired at {end}; only a newer one can be judged by", trust.version());
    Some(Gap { command: Some("git fetch".to_owned()), text })
}

/// What an owner says in words that this version does not know might be a revocation (contract, section 2).
pub fn unread_owner(facts: &Facts) -> Option<Gap> {
    let mut notes: BTreeSet<Oid> = facts.range.iter().copied().chain(facts.update.tip).collect();
    for proposal in &facts.proposals {
        let statement = facts.envelope(&proposal.digest);
        notes.extend(statement.and_then(|it| it.predicate.bindings.source_expected.value()));
        notes.extend(statement.and_then(|it| it.subject.as_ref()).map(|about| about.commit));
    }
    facts.artifacts.all().find_map(|recorded| match recorded.artifact.value() {
        Artifact::Unknown { predicate_type, .. }
            if recorded.entries.iter().any(|entry| notes.contains(&entry.note))
                && speaks(&facts.trust, facts.now, recorded, Role::Owner) =>
        {
            let id = recorded.artifact.id();
            let text = format!("{id} by an owner is of type {predicate_type:?}, which this version does not know");
            Some(Gap { command: Some("git boundary show ".to_owned() + &id.to_string()), text })
        }
        _ => None,
    })
}

/// In a shallow clone without the pinned commit nobody can propose, so that nobody is refused for not having done it.
pub(super) fn cut_off(facts: &Facts) -> Option<Gap> {
    let mut live = live(facts).peekable();
    let (_, first) = *live.peek()?;
    if !live.all(|(recorded, _)| facts.behind_the_cut.contains(&recorded.artifact.digest())) {
        return None;
    }
    let pin = first.predicate.pin.commit.short();
    let text = format!("history incomplete: {pin}, which a live handoff pins, is not in this shallow clone");
    Some(Gap { command: Some("git fetch --unshallow".to_owned()), text })
}
