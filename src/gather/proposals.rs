//! CONTEXT: the proposals whose tip lies in a range, and the range that each speaks for.

use std::collections::{BTreeMap, BTreeSet};

use super::base::{Side, known_commit};
use super::commits;
use super::decisions;
use super::error::GatherError;
use super::handoffs::{self, PinQuestion};
use super::notes::Noted;
use super::range::stretch;
use super::session::Session;
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::Statement;
use crate::gate::facts::{CommitFacts, Gap, HandoffFacts, ProposalFacts, Purpose};
use crate::git::{Commit, DiffError};
use crate::model::context::Observation;
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::policy::{Equality, PinRule, Rule};
use crate::store::hints::Hint;

/// What is being judged, as far as proposals care.
pub struct Judged<'a> {
    /// Where the base without a handoff stands.
    pub base: &'a Observation,
    /// Whether to walk exactly.
    pub exact: bool,
    /// Commits known to lie in the judged ref's history.
    pub history: &'a BTreeSet<Oid>,
    /// The old value, unless zero.
    pub old: Option<Oid>,
    /// Why.
    pub purpose: Purpose,
    /// The ref.
    pub reference: &'a str,
    /// The rule.
    pub rule: &'a Rule,
    /// Whose refs.
    pub side: &'a Side,
    /// The tip judged.
    pub tip: Oid,
}

/// Proposals found, and the commits of their ranges.
pub struct Found {
    /// Whether every range was walked exactly.
    pub exact: bool,
    /// What is missing.
    pub gaps: Vec<Gap>,
    /// Commits of the proposals' ranges.
    pub commits: BTreeMap<Oid, Commit>,
    /// The proposals.
    pub proposals: Vec<ProposalFacts>,
}

/// Every proposal noted on a commit of the range, and, where the rule lets an equal change count, those of equal changes.
///
/// # Errors
/// When git or the shelves can't be read.
pub fn find(
    session: &Session<'_>,
    noted: &Noted,
    judged: &Judged<'_>,
    range: &[Commit],
    facts: &BTreeMap<Oid, CommitFacts>,
) -> Result<Found, GatherError> {
    let mut found = Found { exact: true, gaps: Vec::new(), commits: BTreeMap::new(), proposals: Vec::new() };
    let mut unseen = BTreeMap::new();
    for commit in range {
        let own = noted.on(&commit.oid, |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_)));
        for digest in &own {
            add(session, noted, judged, *digest, commit.oid, &mut found)?;
        }
        if judged.rule.equality == Equality::Change {
            let gaps = add_equal_changes(session, noted, judged, commit, facts, &mut found)?;
            if !gaps.is_empty() {
                unseen.insert(commit.oid, gaps);
            }
        }
    }
    // A hint at what is not here leaves nothing open that anybody else speaks for.
    unseen.retain(|oid, _| !found.proposals.iter().any(|proposal| proposal.range.contains(oid)));
    found.gaps.extend(unseen.into_values().flatten());
    Ok(found)
}

/// A proposal that was read.
pub fn statement(noted: &Noted, digest: &Digest) -> Option<Statement<Envelope>> {
    match noted.artifact(digest)?.artifact.value() {
        Artifact::EvidenceEnvelope(statement) => Some((**statement).clone()),
        _ => None,
    }
}

/// Looks at one proposal, and at the handoff it names.
///
/// What a proposal names is its actor's choice, and any key that trust ever knew makes an actor: whatever is wrong with it is wrong with
/// that one proposal, which can't pass then, and says nothing about what stands without it.
fn add(
    session: &Session<'_>,
    noted: &Noted,
    judged: &Judged<'_>,
    digest: Digest,
    tip: Oid,
    found: &mut Found,
) -> Result<(), GatherError> {
    let Some(statement) = statement(noted, &digest) else { return Ok(()) };
    match look(session, noted, judged, digest, tip, &statement, found) {
        Err(error) if error.is_about_what_was_named() => {
            let named = statement.predicate.bindings.lease.value().copied();
            let text = format!("proposal {} can't be looked at: {error}", ArtifactId::of(&digest));
            let gaps = vec![Gap { command: None, text }];
            found.proposals.push(unlooked(digest, named, judged, tip, gaps));
            Ok(())
        }
        other => other,
    }
}

fn look(
    session: &Session<'_>,
    noted: &Noted,
    judged: &Judged<'_>,
    digest: Digest,
    tip: Oid,
    statement: &Statement<Envelope>,
    found: &mut Found,
) -> Result<(), GatherError> {
    let envelope = &statement.predicate;
    let named = envelope.bindings.lease.value().copied();
    if let Some(pin) = envelope.bindings.source_expected.value() {
        noted.skim(session, pin)?;
    }
    let handoff = named.and_then(|named| handoffs::statement(noted, &named));
    if signed_by_its_actor(session, noted, &digest, envelope).is_none() {
        // It can't pass whatever its history is. Anybody may note any number of these, and each would be a walk.
        found.proposals.push(unlooked(digest, named, judged, tip, Vec::new()));
        return Ok(());
    }
    let adopts = |reference: &str| judged.rule.adopts.iter().any(|adopted| adopted == reference);
    let mut hidden = BTreeSet::new();
    let recorded_base = recorded_base(session, noted, envelope);
    let mut gaps = Vec::new();
    // A proposal's own range leaves out the base as it was when it was made. Whoever lies there makes the range of what the proposal
    // speaks for smaller, and leaves the rest to be covered by somebody else.
    for base in [recorded_base.as_ref(), (!judged.purpose.is_past()).then_some(judged.base)].into_iter().flatten() {
        if adopts(&base.reference)
            && let Some(oid) = known_commit(base)
            && oid != tip
            && session.repository.contains(&oid)
        {
            hidden.insert(oid);
        }
    }
    if let Some(action) = envelope.requested_action.as_ref().filter(|action| action.write.is_some()) {
        // A write is one commit on top of what was there, and speaks for no other.
        let old = Some(action.old).filter(|old| *old != tip && session.repository.contains(old));
        hidden.extend(old.filter(|old| could_stand_at(session, old)));
    }
    if let Some(handoff) = &handoff
        && adopts(&handoff.predicate.pin.reference)
        && session.repository.contains(&handoff.predicate.pin.commit)
    {
        hidden.insert(handoff.predicate.pin.commit);
    }
    let own = stretch(session, noted, tip, &hidden, judged.exact)?;
    found.exact &= own.exact;
    let mut range: BTreeSet<Oid> = own.commits.iter().map(|commit| commit.oid).collect();
    if own.gap.is_some() {
        // Whatever else it reaches, it reaches its tip; the gap leaves open whether it speaks for it.
        range.insert(tip);
    }
    gaps.extend(own.gap);
    let handoff = match (named, handoff) {
        (None, _) => None,
        (Some(digest), None) => Some(unresolved(digest, judged)),
        (Some(digest), Some(handoff)) => {
            let mut reached: BTreeSet<Oid> = range.union(&own.boundary).copied().collect();
            reached.extend(own.commits.iter().flat_map(|commit| commit.parents.iter().copied()));
            let nothing = BTreeSet::new();
            let pinned = &handoff.predicate.pin.reference;
            let decided = decisions::decided_base(session, noted, &digest, envelope, pinned);
            // Only where the base is the very tip that is judged does the judged history say anything about the base's.
            let base_is_tip = judged.purpose.is_past()
                && judged.rule.pin == PinRule::Ancestor
                && handoff.predicate.pin.reference == judged.reference;
            let question = PinQuestion {
                base: base_of(judged, &handoff.predicate.pin.reference, decided.as_ref()),
                history: if judged.purpose.is_past() { judged.history } else { &nothing },
                in_base: if base_is_tip { judged.history } else { &nothing },
                reached: &reached,
                side: judged.side,
                tip,
            };
            let mut facts = handoffs::pin_facts(session, digest, &handoff.predicate, &question, &mut gaps)?;
            if !judged.purpose.is_past() {
                handoffs::look_around(session, noted, (judged.rule.pin, tip), &handoff.predicate, &mut facts)?;
            }
            Some(facts)
        }
    };
    let contains_old = match judged.old {
        Some(old) if old == tip || range.contains(&old) => Some(true),
        Some(old) if tip == judged.tip => handoffs::is_ancestor(session, old, tip, &mut gaps)?,
        _ => None,
    };
    for commit in own.commits {
        found.commits.insert(commit.oid, commit);
    }
    let starts_at = match named {
        None if judged.rule.proofs.count > 0 && !is_a_persons(session, judged.rule, envelope) => {
            starts_at(session, judged, statement, &mut gaps)?
        }
        _ => None,
    };
    found.proposals.push(ProposalFacts { contains_old, digest, gaps, handoff, range, starts_at, tip });
    Ok(())
}

fn is_a_persons(session: &Session<'_>, rule: &Rule, envelope: &Envelope) -> bool {
    let resolve = |id: &KeyId| session.trust.resolve(&id.to_string());
    let actor = envelope.bindings.actor.value().and_then(resolve);
    actor.is_some() && rule.people.iter().any(|id| resolve(id) == actor)
}

/// The actor that a proposal names, where it is known and signed it.
pub fn signed_by_its_actor(
    session: &Session<'_>,
    noted: &Noted,
    digest: &Digest,
    envelope: &Envelope,
) -> Option<PublicKey> {
    let actor = envelope.bindings.actor.value().and_then(|id| session.trust.resolve(&id.to_string()))?;
    noted.artifact(digest)?.artifact.signed_by(&actor).then_some(actor)
}

/// The tree that the change of a proposal without a handoff starts from: where it left the base that it saw.
fn starts_at(
    session: &Session<'_>,
    judged: &Judged<'_>,
    statement: &Statement<Envelope>,
    gaps: &mut Vec<Gap>,
) -> Result<Option<Oid>, GatherError> {
    let repository = session.repository;
    let (Some(base), Some(about)) = (statement.predicate.bindings.source_observed.value(), &statement.subject) else {
        return Ok(Some(repository.object_format().empty_tree()));
    };
    if !could_stand_at(session, base) {
        return Ok(Some(repository.object_format().empty_tree()));
    }
    match repository.merge_bases(base, &about.commit) {
        Ok(bases) => match bases.first() {
            Some(oid) => Ok(Some(repository.commit(oid)?.tree)),
            None => Ok(Some(repository.object_format().empty_tree())),
        },
        Err(error) if error.is_incomplete() => {
            gaps.push(Gap { command: Some(handoffs::fetch(judged.side)), text: error.to_string() });
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Where the pinned ref is taken to stand, when it is the one that is judged or was recorded; `None` to observe it.
fn base_of(judged: &Judged<'_>, pinned: &str, decided: Option<&Observation>) -> Option<Observation> {
    use crate::model::context::ObservedBy;
    if judged.purpose.is_past()
        && judged.rule.pin == PinRule::Exact
        && let Some(decided) = decided
    {
        // Where history is judged afterwards, only the record still knows where the base stood.
        return Some(decided.clone());
    }
    if pinned != judged.reference {
        return None;
    }
    match judged.purpose {
        Purpose::Push | Purpose::Receive => {
            judged.old.map(|old| Observation { by: ObservedBy::Hook, oid: Some(old), reference: pinned.to_owned() })
        }
        Purpose::Landed | Purpose::Verify => {
            Some(Observation { by: ObservedBy::Tracking, oid: Some(judged.tip), reference: pinned.to_owned() })
        }
    }
}

/// A proposal of which git was asked nothing: it speaks for its tip alone, and none of its facts is known.
fn unlooked(digest: Digest, named: Option<Digest>, judged: &Judged<'_>, tip: Oid, gaps: Vec<Gap>) -> ProposalFacts {
    let handoff = named.map(|named| unresolved(named, judged));
    ProposalFacts { contains_old: None, digest, gaps, handoff, range: BTreeSet::from([tip]), starts_at: None, tip }
}

fn unresolved(digest: Digest, judged: &Judged<'_>) -> HandoffFacts {
    HandoffFacts {
        base: judged.base.clone(),
        built_on: None,
        digest,
        pin_in_base: None,
        pin_known: None,
        tip_descends: None,
    }
}

/// The base as the context receipt saw it, unless it names something here that no branch can stand at.
fn recorded_base(session: &Session<'_>, noted: &Noted, envelope: &Envelope) -> Option<Observation> {
    let digest = envelope.bindings.context.value()?;
    let base = match noted.artifact(digest)?.artifact.value() {
        Artifact::ContextReceipt(receipt) => receipt.predicate.snapshot.base.clone(),
        _ => return None,
    };
    Some(base).filter(|base| known_commit(base).is_none_or(|oid| could_stand_at(session, &oid)))
}

/// Whether a branch could stand there, as far as can be told: a commit, or nothing that is here.
fn could_stand_at(session: &Session<'_>, oid: &Oid) -> bool {
    let repository = session.repository;
    repository.object_format().fits(oid) && (!repository.contains(oid) || repository.commit(oid).is_ok())
}

/// Whether a proposal's change is the one that it says. Its word alone would let any commit pass for the one that was checked.
fn really_is(
    session: &Session<'_>,
    noted: &Noted,
    judged: &Judged<'_>,
    digest: Digest,
    noted_on: &Oid,
    found: &mut Found,
    gaps: &mut Vec<Gap>,
) -> Result<bool, GatherError> {
    let (Some(statement), Some(recorded)) = (statement(noted, &digest), noted.artifact(&digest)) else {
        return Ok(false);
    };
    let actor = statement.predicate.bindings.actor.value().and_then(|id| session.trust.resolve(&id.to_string()));
    if !actor.is_some_and(|actor| recorded.artifact.signed_by(&actor)) {
        return Ok(false);
    }
    let absent = |text: String| Gap { command: Some(handoffs::fetch(judged.side)), text };
    let commit = match session.repository.commit(noted_on) {
        Ok(commit) => commit,
        Err(error) if error.is_missing() => {
            gaps.push(absent(error.to_string()));
            return Ok(false);
        }
        // Hints and proposals are anybody's: one with a defect is none.
        Err(_) => return Ok(false),
    };
    let change = &statement.predicate.change;
    match commits::change_list_id(session.repository, &change.base_tree, &commit.tree) {
        Ok((list, _)) if list == change.list => {
            found.commits.insert(commit.oid, commit);
            Ok(true)
        }
        Ok(_) => Ok(false),
        Err(DiffError::Object(error)) if error.is_missing() => {
            gaps.push(absent(error.to_string()));
            Ok(false)
        }
        // What can't be compared is equal to nothing.
        Err(_) => Ok(false),
    }
}

/// A single-parent commit whose change is that of a proposal counts as its tip, and speaks for itself alone.
///
/// That a proposal's change is the one it names is not believed: it is made again, from the commit that was checked.
fn add_equal_changes(
    session: &Session<'_>,
    noted: &Noted,
    judged: &Judged<'_>,
    commit: &Commit,
    facts: &BTreeMap<Oid, CommitFacts>,
    found: &mut Found,
) -> Result<Vec<Gap>, GatherError> {
    let mut gaps = Vec::new();
    let Some((list, touched)) =
        facts.get(&commit.oid).and_then(|facts| Some((facts.change_list?, !facts.touched.is_empty())))
    else {
        return Ok(gaps);
    };
    if !touched {
        return Ok(gaps);
    }
    for (registrar, Hint { hint, .. }) in session.shelves.read(&list)?.leads() {
        if hint == commit.oid || registrar.is_some_and(|registrar| session.shelves.is_spent(&registrar)) {
            continue;
        }
        noted.read(session, &hint)?;
        let (before, unseen) = (found.proposals.len(), gaps.len());
        for digest in noted.on(
            &hint,
            |artifact| matches!(artifact, Artifact::EvidenceEnvelope(it) if it.predicate.change.list == list),
        ) {
            if !really_is(session, noted, judged, digest, &hint, found, &mut gaps)? {
                continue;
            }
            let before = found.proposals.len();
            add(session, noted, judged, digest, commit.oid, found)?;
            for proposal in &mut found.proposals[before..] {
                proposal.range = BTreeSet::from([commit.oid]);
            }
        }
        if (found.proposals.len(), gaps.len()) == (before, unseen) {
            registrar.iter().for_each(|registrar| session.shelves.charge(registrar));
        }
    }
    Ok(gaps)
}
