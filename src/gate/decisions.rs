//! DECISIONS: which denials and abstentions stand against a commit (contract, section 6, last paragraphs).

use std::collections::{BTreeMap, BTreeSet};

use crate::codec::artifact::Artifact;
use crate::model::boundary_proof::CheckDecision;
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::party::Role;
use crate::model::policy::DietRule;

use super::clock;
use super::facts::{Facts, Recorded};
use super::proof::{self, ProofReport};
use crate::crypto::trust::Standing;

/// One decision by an accepted checker about one commit.
pub struct Decision<'a> {
    /// The proposal's commit.
    pub commit: Oid,
    /// The checker's domain.
    pub domain: String,
    /// What the five checks say of it.
    pub report: ProofReport<'a>,
    /// The proposal's own range, where it is one of the gathered proposals.
    pub range: Option<&'a BTreeSet<Oid>>,
    /// The proposal's digest.
    pub subject: Digest,
}

/// Every decision in the gathered notes that is signed by an accepted checker.
pub fn all<'a>(facts: &'a Facts, diet: &DietRule) -> Vec<Decision<'a>> {
    let mut proposals: BTreeMap<String, Digest> = BTreeMap::new();
    for (digest, recorded) in &facts.artifacts {
        if matches!(recorded.artifact.value(), Artifact::EvidenceEnvelope(_)) {
            proposals.insert(recorded.artifact.id().to_string(), *digest);
        }
    }
    facts
        .artifacts
        .values()
        .filter_map(|recorded| {
            let Artifact::BoundaryProof(proof) = recorded.artifact.value() else { return None };
            let checker = facts.trust.resolve(&proof.proven.checker)?;
            let (standing, _) = clock::standing(facts, recorded, &checker, Role::Checker);
            if !recorded.artifact.signed_by(&checker) || standing != Standing::Good {
                return None;
            }
            let subject = *proposals.get(&proof.proven.subject_ref)?;
            let report = proof::examine(facts, recorded, subject, diet);
            let range =
                facts.proposals.iter().find(|proposal| proposal.digest == subject).map(|proposal| &proposal.range);
            let domain = facts.trust.party(&checker)?.domain.clone();
            Some(Decision { commit: recorded.note, domain, report, range, subject })
        })
        .collect()
}

/// The denials and abstentions that stand against commits of `range`.
///
/// One stands until its domain decides later, with a proof that holds, on the commit or on a proposal whose range has it, or until an
/// owner sets it aside. A denial need not hold in all five checks to stand: who says no is heard.
pub fn standing_against<'a, 'd>(
    facts: &Facts,
    decisions: &'d [Decision<'a>],
    range: &BTreeSet<Oid>,
) -> Vec<&'d Decision<'a>> {
    decisions
        .iter()
        .filter(|no| matches!(no.report.decision, CheckDecision::Deny | CheckDecision::Abstain))
        .filter(|no| range.contains(&no.commit))
        .filter(|no| !is_overridden(facts, &no.report.digest))
        .filter(|no| {
            !decisions.iter().any(|later| {
                later.domain == no.domain
                    && later.report.holds()
                    && (later.commit == no.commit || later.range.is_some_and(|range| range.contains(&no.commit)))
                    && is_later(later.report.recorded, no.report.recorded)
            })
        })
        .collect()
}

/// Whether a domain's last decision about a case is the given one: no later decision of the domain about the same proposal says
/// otherwise.
pub fn is_last(
    decisions: &[Decision<'_>],
    domain: &str,
    subjects: &BTreeSet<Digest>,
    report: &ProofReport<'_>,
) -> bool {
    !decisions.iter().any(|other| {
        other.domain == domain
            && subjects.contains(&other.subject)
            && other.report.digest != report.digest
            && other.report.decision != CheckDecision::Allow
            // A tie is a denial.
            && !is_later(report.recorded, other.report.recorded)
    })
}

/// By ledger order where one ledger holds both, else by time.
pub fn is_later(one: &Recorded, other: &Recorded) -> bool {
    for mine in &one.entries {
        for theirs in other.entries.iter().filter(|theirs| theirs.registrar == mine.registrar) {
            return mine.index > theirs.index;
        }
    }
    match (one.entries.iter().map(|entry| entry.at).min(), other.entries.iter().map(|entry| entry.at).min()) {
        (Some(mine), Some(theirs)) => mine > theirs,
        _ => false,
    }
}

fn is_overridden(facts: &Facts, target: &Digest) -> bool {
    facts.artifacts.values().any(|recorded| {
        let Artifact::Override(statement) = recorded.artifact.value() else { return false };
        statement.predicate.target == *target
            && recorded
                .artifact
                .signers()
                .iter()
                .any(|key| clock::standing(facts, recorded, key, Role::Owner).0 == Standing::Good)
    })
}
