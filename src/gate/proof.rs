//! PROOF: the five verifier checks of a boundary proof (seed "boundary proofs", "What a verifier checks"; contract, section 6).

use std::collections::BTreeSet;

use crate::codec::artifact::Artifact;
use crate::codec::canonical;
use crate::codec::in_toto::{Kind, Statement};
use crate::crypto::trust::Party;
use crate::ledger::root_of;
use crate::model::boundary_proof::{CheckDecision, ProvenBoundary};
use crate::model::diet::{DIFF_CLASS, DietCommitment, DietEntry, DiffInput};
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::event::EventKind;
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::policy::{DietRule, Strength};
use crate::model::refusal::Code;

use super::case::{Case, bad_claim, own, standing_finding};
use super::clock;
use super::facts::{Facts, LedgerEntry, Recorded};
use super::verdict::{Finding, listed};

/// What the five checks say of one proof.
#[derive(Debug, Clone)]
pub struct ProofReport<'a> {
    /// The proof's own digest.
    pub digest: Digest,
    /// The verdict in it.
    pub decision: CheckDecision,
    /// The checker as the trust document has it.
    pub checker: Option<&'a Party>,
    /// The five checks in order; a failing one says why.
    pub checks: [Result<(), Finding>; 5],
    /// Strength of the anchor, where check 4 holds.
    pub strength: Option<Strength>,
    /// The proposal it is about.
    pub subject: Digest,
    /// Classes of the diet whose digest was recomputed here.
    pub recomputed: BTreeSet<String>,
    /// The proof and where it stands.
    pub recorded: &'a Recorded,
}

impl ProofReport<'_> {
    /// Whether all five hold.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(Result::is_ok)
    }
}

/// Every proof about a case's proposal, or about an earlier version of it that counts for it.
pub fn about<'a>(case: &Case<'a>) -> Vec<ProofReport<'a>> {
    counting_versions(case)
        .into_iter()
        .flat_map(|subject| {
            let id = ArtifactId::of(&subject).to_string();
            case.facts
                .artifacts
                .proofs_of(&id)
                .map(move |recorded| examine(case.facts, recorded, subject, &case.rule.diet))
        })
        .collect()
}

/// The proposal, and its predecessors with the same commit, tree and pin (contract, section 5).
fn counting_versions(case: &Case<'_>) -> Vec<Digest> {
    let mut versions = vec![case.digest()];
    let mut at = case.statement;
    while let Some(before) = at.predicate.predecessor {
        let Some(earlier) = case.facts.envelope(&before) else { break };
        if versions.contains(&before) || !same_revision(earlier, case.statement) {
            break;
        }
        versions.push(before);
        at = earlier;
    }
    versions
}

fn same_revision(one: &Statement<Envelope>, other: &Statement<Envelope>) -> bool {
    let diff = |it: &Statement<Envelope>| {
        it.subject.as_ref().and_then(|about| diff_of(&it.predicate, about.commit, about.tree))
    };
    one.subject == other.subject
        && one.predicate.envelope_id == other.predicate.envelope_id
        && one.predicate.bindings.source_expected.value() == other.predicate.bindings.source_expected.value()
        && one.predicate.bindings.actor.value() == other.predicate.bindings.actor.value()
        && one.predicate.change.base_tree == other.predicate.change.base_tree
        // What the checker of the one read is what a checker of the other would have read.
        && diff(one) == diff(other)
}

/// Runs the five checks.
pub fn examine<'a>(facts: &'a Facts, recorded: &'a Recorded, subject: Digest, diet: &DietRule) -> ProofReport<'a> {
    let Artifact::BoundaryProof(proof) = recorded.artifact.value() else {
        unreachable!("only boundary proofs are examined");
    };
    let proven = &proof.proven;
    let checker_key = facts.trust.resolve(&proven.checker);
    let checker = checker_key.and_then(|key| facts.trust.party(&key));
    let anchor = anchor(facts, recorded, proven, subject);
    let (recomputed, diet_check) = diet_matches(facts, proven, subject, diet);
    let strength = anchor.as_ref().ok().map(|found| strength(facts, found, proven, recorded));
    ProofReport {
        digest: recorded.artifact.digest(),
        decision: proven.decision,
        checker,
        checks: [
            identity(facts, recorded, proven, checker_key, subject),
            subject_resolves(facts, proven, subject),
            diet_check,
            anchor.map(|_| ()),
            policy(facts, proven, subject),
        ],
        strength,
        subject,
        recomputed,
        recorded,
    }
}

/// 1: signed by the checker, whose raw key and domain are not the actor's, both accepted.
fn identity(
    facts: &Facts,
    recorded: &Recorded,
    proven: &ProvenBoundary,
    checker: Option<PublicKey>,
    subject: Digest,
) -> Result<(), Finding> {
    let id = recorded.artifact.id();
    let checker = checker.ok_or_else(|| {
        Finding::new(
            Code::IdentityKeyUntrusted,
            format!("proof {id} names checker {:?}, which no accepted domain holds", proven.checker),
        )
    })?;
    if !recorded.artifact.signed_by(&checker) {
        return Err(Finding::new(
            Code::IdentitySignatureInvalid,
            format!("proof {id} names checker {:?} and carries no good signature by it", proven.checker),
        ));
    }
    let actor = facts.trust.resolve(&proven.actor).ok_or_else(|| {
        Finding::new(
            Code::IdentityKeyUntrusted,
            format!("proof {id} names actor {:?}, which no accepted domain holds", proven.actor),
        )
    })?;
    let (standing, as_of) = clock::standing(facts, recorded, &checker, Role::Checker);
    // Independence first: a key that checks itself is that, whatever role it lacks besides.
    let domain = |key: &PublicKey| facts.trust.party(key).map(|party| party.domain.clone());
    let name = |key: &PublicKey| facts.trust.party(key).map_or_else(|| proven.actor.clone(), |it| it.id.to_string());
    // The proposal's own actor too: a proposal can carry signatures of several keys, and the proof name any of them.
    for actor in [Some(actor), proposer(facts, subject)].into_iter().flatten() {
        if checker == actor {
            return Err(Finding::new(
                Code::IdentityNotIndependent,
                format!("proof {id}: checker {} and actor {} are one raw key", proven.checker, name(&actor)),
            ));
        }
        if domain(&checker).is_some() && domain(&checker) == domain(&actor) {
            let shared = domain(&checker).unwrap_or_default();
            return Err(Finding::new(
                Code::IdentityNotIndependent,
                format!(
                    "proof {id}: checker {} and actor {} are both in domain {shared:?}",
                    proven.checker,
                    name(&actor)
                ),
            ));
        }
    }
    standing_finding(facts, &checker, Role::Checker, &format!("proof {id}"), standing, as_of.at).map_or(Ok(()), Err)
}

/// The raw key that a proposal names as its actor.
fn proposer(facts: &Facts, proposal: Digest) -> Option<PublicKey> {
    facts.trust.resolve(&facts.envelope(&proposal)?.predicate.bindings.actor.value()?.to_string())
}

/// 2: the subject is a proposal signed by the actor, for exactly the commit and tree that it stands on.
fn subject_resolves(facts: &Facts, proven: &ProvenBoundary, subject: Digest) -> Result<(), Finding> {
    let invalid = |text: String| Finding::new(Code::EvidenceBoundaryInvalid, text);
    let (Some(recorded), Some(statement)) = (facts.artifacts.get(&subject), facts.envelope(&subject)) else {
        return Err(Finding::new(
            Code::EvidenceReferenceUnresolved,
            format!("the proof is about {}, which is not found", proven.subject_ref),
        ));
    };
    let actor = facts.trust.resolve(&proven.actor);
    if !actor.is_some_and(|key| recorded.artifact.signed_by(&key)) {
        return Err(invalid(format!(
            "the proposal {} is not signed by the actor {:?}",
            proven.subject_ref, proven.actor
        )));
    }
    if actor != proposer(facts, subject) {
        return Err(invalid(format!(
            "the proof names actor {:?}, the proposal {} is by {}",
            proven.actor,
            proven.subject_ref,
            listed(statement.predicate.bindings.actor.value())
        )));
    }
    let Some(about) = &statement.subject else {
        return Err(invalid(format!("the proposal {} has no subject", proven.subject_ref)));
    };
    match facts.commits.get(&about.commit) {
        Some(commit) if commit.tree == about.tree => Ok(()),
        Some(commit) => Err(invalid(format!(
            "the proposal is for tree {}, its commit {} has tree {}",
            about.tree.short(),
            about.commit.short(),
            commit.tree.short()
        ))),
        None => Err(invalid(format!("the proposal's commit {} is not in the judged history", about.commit.short()))),
    }
}

/// 3: the root matches the diet, every class is permitted, every required one is there; what can be recomputed is.
fn diet_matches(
    facts: &Facts,
    proven: &ProvenBoundary,
    subject: Digest,
    rule: &DietRule,
) -> (BTreeSet<String>, Result<(), Finding>) {
    let mut recomputed = BTreeSet::new();
    let result = (|| {
        let root = diet_root(&proven.diet);
        if root != proven.diet_root {
            return Err(Finding::new(
                Code::EvidenceBoundaryInvalid,
                format!("the diet's root is {root}, the proof says {}", proven.diet_root),
            ));
        }
        for entry in &proven.diet {
            if !rule.permitted.contains(&entry.class) {
                return Err(Finding::new(
                    Code::PolicyInputClassForbidden,
                    format!("the checker read class {:?}; permitted are {}", entry.class, rule.permitted.join(", ")),
                ));
            }
        }
        for class in &rule.required {
            if !proven.diet.iter().any(|entry| entry.class == *class) {
                return Err(Finding::new(
                    Code::PolicyInputClassForbidden,
                    format!("the checker did not read the required class {class:?}"),
                ));
            }
        }
        if let Some(expected) = diff_digest(facts, subject) {
            for entry in proven.diet.iter().filter(|entry| entry.class == DIFF_CLASS) {
                if entry.digest != expected {
                    return Err(Finding::new(
                        Code::EvidenceBoundaryInvalid,
                        format!("the diff that was read is {}, the proposal's is {expected}", entry.digest),
                    ));
                }
                recomputed.insert(DIFF_CLASS.to_owned());
            }
        }
        Ok(())
    })();
    (recomputed, result)
}

/// RFC 9162 root over the canonical JSON of each entry.
pub fn diet_root(diet: &[DietEntry]) -> Digest {
    let leaves: Vec<Vec<u8>> = diet.iter().map(canonical::to_vec).collect();
    Digest(root_of(leaves.iter().map(Vec::as_slice)))
}

/// Digest of class `diff` for a proposal, recomputed from what it names.
pub fn diff_digest(facts: &Facts, subject: Digest) -> Option<Digest> {
    let statement = facts.envelope(&subject)?;
    let about = statement.subject.as_ref()?;
    diff_of(&statement.predicate, about.commit, about.tree).map(|input| canonical::digest_of(&input))
}

/// What a checker of `diff` looks at.
pub fn diff_of(envelope: &Envelope, commit: Oid, tree: Oid) -> Option<DiffInput> {
    let bindings = &envelope.bindings;
    let base = *bindings.source_expected.value().or(bindings.source_observed.value())?;
    Some(DiffInput { base, base_tree: envelope.change.base_tree, commit, tree })
}

/// The commitment behind an anchor, and its entry.
struct Anchored<'a> {
    commitment: &'a DietCommitment,
    entry: &'a LedgerEntry,
}

/// 4: the anchor holds the commitment of exactly this diet for this subject, at a smaller index of the same ledger than the proof's
/// own first one.
fn anchor<'a>(
    facts: &'a Facts,
    recorded: &'a Recorded,
    proven: &ProvenBoundary,
    subject: Digest,
) -> Result<Anchored<'a>, Finding> {
    let invalid = |text: String| Finding::new(Code::EvidenceBoundaryInvalid, text);
    let (registrar, index) = parse_anchor(facts, &proven.anchor)
        .ok_or_else(|| invalid(format!("{:?} is no anchor in a ledger of this repository", proven.anchor)))?;
    let checker = facts.trust.resolve(&proven.checker);
    let about = facts.envelope(&subject).and_then(|it| it.subject.as_ref());
    let mut why = None;
    let found = facts.artifacts.commitments_at(registrar, index).find(|(committed, said)| {
        if !checker.is_some_and(|key| committed.artifact.signed_by(&key)) {
            why = Some(invalid(format!("the commitment at {} is not signed by the checker", proven.anchor)));
            return false;
        }
        let same = facts.trust.resolve(&said.checker.to_string()) == checker
            && said.subject == subject
            && said.diet == proven.diet
            && said.diet_root == proven.diet_root
            && said.policy == proven.policy
            && about.is_some_and(|about| about.commit == said.commit && about.tree == said.tree);
        if !same {
            let text = format!("the commitment at {} is of another diet, subject or policy", proven.anchor);
            why = Some(invalid(text));
        }
        same
    });
    let at_place = |entry: &&LedgerEntry| entry.registrar == registrar && entry.index == index;
    let found = found.and_then(|(committed, said)| Some((said, committed.entries.iter().find(at_place)?)));
    let Some((commitment, entry)) = found else {
        // A broken line in the commitment's place is said to be that.
        let claimed = || bad_claim(facts, recorded.note, own(Kind::DietCommitment));
        let nothing = || invalid(format!("no commitment stands at {}", proven.anchor));
        return Err(why.or_else(claimed).unwrap_or_else(nothing));
    };
    let first = recorded.entries.iter().filter(|own| own.registrar == registrar).map(|own| own.index).min();
    match first {
        Some(first) if index < first => Ok(Anchored { commitment, entry }),
        Some(first) => Err(invalid(format!("the commitment stands at {index}, after the proof at {first}"))),
        None => Err(invalid(format!("the proof is not in the ledger that holds its commitment, {registrar}"))),
    }
}

/// Whether the policy that a checker applied was honoured when a listed registrar in another domain than the actor's admitted the
/// proposal to the ref that is judged.
fn honoured_then(facts: &Facts, proven: &ProvenBoundary, subject: Digest) -> bool {
    let Some(actor) = facts.trust.resolve(&proven.actor).and_then(|key| facts.trust.party(&key)) else { return false };
    facts.artifacts.about(&subject).any(|recorded| {
        let Artifact::Event(event) = recorded.artifact.value() else { return false };
        let EventKind::Admitted { candidate, snapshot, .. } = &event.predicate.kind else { return false };
        let then = facts.policies.known.get(&snapshot.policy);
        let honoured =
            then.is_some_and(|policy| snapshot.policy == proven.policy || policy.accept.contains(&proven.policy));
        honoured
            && candidate.reference == facts.update.reference
            && recorded.entries.iter().any(|entry| {
                let own = facts.trust.resolve(&entry.registrar.to_string());
                own.is_some_and(|key| recorded.artifact.signed_by(&key))
                    && clock::counts_against(&facts.trust, entry, &actor.domain)
            })
    })
}

/// What this checker froze for a proof at the anchor that the proof names, whatever else is wrong with it.
pub fn commitment_by<'a>(facts: &'a Facts, proven: &ProvenBoundary, checker: &PublicKey) -> Option<&'a DietCommitment> {
    let (registrar, index) = parse_anchor(facts, &proven.anchor)?;
    let its_own = |(recorded, said): &(&Recorded, &DietCommitment)| {
        recorded.artifact.signed_by(checker) && ArtifactId::of(&said.subject).to_string() == proven.subject_ref
    };
    facts.artifacts.commitments_at(registrar, index).find(its_own).map(|(_, said)| said)
}

/// `merkle://git-boundary/<repo id>/<registrar keyid>#<index>` of this repository.
pub fn parse_anchor(facts: &Facts, anchor: &str) -> Option<(KeyId, u64)> {
    let (origin, index) = anchor.strip_prefix("merkle://")?.rsplit_once('#')?;
    let registrar =
        origin.strip_prefix("git-boundary/")?.strip_prefix(&facts.trust.repository().to_string())?.strip_prefix('/')?;
    let parsed: u64 = index.parse().ok()?;
    (parsed.to_string() == index).then_some((registrar.parse().ok()?, parsed))
}

fn strength(facts: &Facts, found: &Anchored<'_>, proven: &ProvenBoundary, recorded: &Recorded) -> Strength {
    let domain =
        |name: &str| facts.trust.resolve(name).and_then(|key| facts.trust.party(&key)).map(|party| &party.domain);
    let (checker, actor) = (domain(&found.commitment.checker.to_string()), domain(&proven.actor));
    let registrar = domain(&found.entry.registrar.to_string());
    if !found.entry.listed || registrar.is_none() || registrar == checker || registrar == actor {
        return Strength::Own;
    }
    let first = recorded.entries.iter().filter(|own| own.registrar == found.entry.registrar).map(|own| own.index).min();
    let witnessed = found.entry.witnesses.iter().any(|witness| {
        let third = [checker, actor, registrar].iter().all(|domain| *domain != Some(&witness.domain));
        // The cosigned tree holds the commitment and not yet the proof.
        third && witness.size > found.entry.index && first.is_some_and(|first| witness.size <= first)
    });
    if witnessed { Strength::Witnessed } else { Strength::Other }
}

/// 5: the policy applied is in force or accepted.
///
/// History that was admitted is judged by the policy of its time, where a clock that counts recorded which that was.
fn policy(facts: &Facts, proven: &ProvenBoundary, subject: Digest) -> Result<(), Finding> {
    if facts.honours(&proven.policy) || (facts.update.purpose.is_past() && honoured_then(facts, proven, subject)) {
        return Ok(());
    }
    let in_force = facts.policies.in_force.map_or_else(|| "none".to_owned(), |digest| digest.to_string());
    let applied = proven.policy;
    // Only what an owner once put in force is an owner's to honour further.
    let remedy = match facts.policies.known.contains_key(&applied) {
        true => format!("; an owner honours the earlier one still by accept = [\"{applied}\"] in boundary.toml"),
        false => String::new(),
    };
    Err(Finding::new(
        Code::PolicyDigestMismatch,
        format!("the checker applied policy {applied}, in force is {in_force}{remedy}"),
    ))
}
