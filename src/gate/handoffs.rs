//! Which handoffs are live. Shared by the gate, which names a holder in its refusals, and by the commands that list them.

use crate::codec::artifact::Artifact;
use crate::codec::in_toto::Statement;
use crate::model::digest::Digest;
use crate::model::handoff::Handoff;
use crate::model::id::KeyId;
use crate::model::operation::Grant;
use crate::model::party::Role;
use crate::model::time::Timestamp;
use crate::model::typed::typed;

use super::clock::{self, AsOf};
use super::facts::{Facts, LedgerEntry, Recorded};
use super::scope::ref_glob::RefGlob;

/// Whether a handoff of this repository is within its lease and has a ref in scope.
pub fn is_live(facts: &Facts, statement: &Statement<Handoff>, reference: &str) -> bool {
    let handoff = &statement.predicate;
    runs(facts, statement)
        && handoff.scope.refs.iter().any(|glob| RefGlob::parse(glob).is_ok_and(|glob| glob.matches(reference)))
}

/// What an owner types to hand work to a key. The owner's own key is left open: an agent that follows a printed command as it stands
/// never signs as the owner.
pub fn create_for(holder: &str) -> String {
    format!("git boundary handoff create --to {holder} --path '<pathspec>' --key <owner>")
}

/// The starter policy's lease, in seconds.
const USUAL_LEASE: i64 = 8 * 60 * 60;

/// What an owner types to hand the same work out again with more operations, or with another ref, and with nothing else that the
/// handoff did not have.
pub fn widened(handoff: &Handoff, holder: &str, more: Option<Grant>, reference: Option<&str>) -> String {
    let mut command = format!("git boundary handoff create --to {holder}");
    for path in &handoff.scope.paths {
        command.push_str(&format!(" --path {}", typed(path, "'<pathspec>'")));
    }
    // Where a handoff covers what every handoff does unless told, nothing is told. Else leaving it out would hand out more than before.
    let usual = |glob: &String| glob == "refs/heads/agent/**" || *glob == handoff.pin.reference;
    if reference.is_some() || !handoff.scope.refs.iter().all(usual) || handoff.scope.refs.len() < 2 {
        for glob in handoff.scope.refs.iter().map(String::as_str).chain(reference) {
            command.push_str(&format!(" --ref {}", typed(glob, "'<glob>'")));
        }
    }
    if let Some(seconds) = handoff.lease.map(|lease| lease.expires_at.0.saturating_sub(lease.not_before.0))
        && (1..USUAL_LEASE).contains(&seconds)
    {
        command.push_str(&format!(" --ttl {seconds}s"));
    }
    let usual = handoff.scope.operations == Grant::UNLESS_TOLD;
    if more.is_some() || !usual {
        let granted = handoff.scope.operations.iter().copied().chain(more).map(Grant::name);
        command.push_str(&format!(" --operation {}", granted.collect::<Vec<_>>().join(",")));
    }
    command.push_str(" --key <owner>");
    command
}

/// Whether a handoff is of this repository and within its lease.
fn runs(facts: &Facts, statement: &Statement<Handoff>) -> bool {
    statement.subject.as_ref().is_some_and(|subject| subject.repository == facts.trust.repository())
        && statement.predicate.lease.is_some_and(|lease| lease.not_before <= facts.now && facts.now <= lease.expires_at)
}

/// The newest renewal of a handoff, or of one that renews it, that an owner stands to and whose lease runs, of those that were gathered.
///
/// It makes the handoff no worse. Whoever is refused for the handoff's sake is told to propose under it.
pub fn renewal(facts: &Facts, digest: &Digest) -> Option<Digest> {
    let renewals: Vec<(&Recorded, &Statement<Handoff>, Digest)> = facts
        .artifacts
        .all()
        .filter_map(|recorded| match recorded.artifact.value() {
            Artifact::Handoff(statement) => Some((recorded, &**statement, statement.predicate.renews?)),
            _ => None,
        })
        .filter(|(recorded, ..)| clock::speaks(&facts.trust, facts.now, recorded, Role::Owner))
        .collect();
    let mut chain = vec![*digest];
    let mut place = 0;
    while let Some(renewed) = chain.get(place).copied() {
        let after = renewals.iter().filter(|(.., renews)| *renews == renewed);
        chain.extend(after.map(|(recorded, ..)| recorded.artifact.digest()));
        place += 1;
    }
    let counts = |(recorded, statement, _): &&(&Recorded, &Statement<Handoff>, Digest)| {
        let digest = recorded.artifact.digest();
        chain[1..].contains(&digest) && runs(facts, statement) && revocations(facts, &digest).next().is_none()
    };
    let newest = renewals.iter().filter(counts).max_by_key(|(recorded, statement, _)| {
        (statement.predicate.lease.map(|lease| lease.not_before), recorded.artifact.digest())
    });
    newest.map(|(recorded, ..)| recorded.artifact.digest())
}

/// When an owner in good standing revoked a handoff held by somebody in `domain`, if one did, and not after `decided`.
///
/// A revocation is believed from the first moment that a listed registrar in another domain shows; where none has it, that any ledger
/// shows: doubt ends a lease, it never prolongs one. What such registrars date nobody else can date back, to end what was decided
/// before; and the holder's own can't date it forward.
pub fn revoked_by(facts: &Facts, handoff: &Digest, domain: Option<&str>, decided: AsOf) -> Option<Timestamp> {
    let counts =
        |entry: &LedgerEntry| domain.map_or(entry.listed, |domain| clock::counts_against(&facts.trust, entry, domain));
    revocations(facts, handoff)
        .filter_map(|recorded| {
            let dated = recorded.entries.iter().any(counts);
            let mut counting = recorded.entries.iter().filter(|entry| !dated || counts(entry)).peekable();
            if counting.peek().is_none() {
                return Some(Timestamp::MIN);
            }
            counting.filter(|entry| !decided.is_before(entry)).map(|entry| entry.at).min()
        })
        .min()
}

/// Statements of owners in good standing that this handoff has ended.
fn revocations<'a>(facts: &'a Facts, handoff: &Digest) -> impl Iterator<Item = &'a Recorded> {
    facts
        .artifacts
        .about(handoff)
        .filter(|recorded| matches!(recorded.artifact.value(), Artifact::Revocation(_)))
        .filter(|recorded| clock::speaks(&facts.trust, facts.now, recorded, Role::Owner))
}

/// Live handoffs with this ref in scope.
pub fn live(facts: &Facts) -> impl Iterator<Item = (&Recorded, &Statement<Handoff>)> {
    facts
        .other_handoffs
        .iter()
        .filter_map(|digest| Some((facts.artifacts.get(digest)?, facts.handoff(digest)?)))
        .filter(|(_, statement)| is_live(facts, statement, &facts.update.reference))
        .filter(|(recorded, _)| revocations(facts, &recorded.artifact.digest()).next().is_none())
}

/// The holder of a live handoff with this ref in scope; the newest of several.
pub fn live_holder(facts: &Facts) -> Option<KeyId> {
    live(facts)
        .max_by_key(|(recorded, statement)| {
            (statement.predicate.lease.map(|lease| lease.not_before), recorded.artifact.digest())
        })
        .map(|(_, statement)| statement.predicate.to)
}
