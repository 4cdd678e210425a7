//! DECISIONS: which denials and abstentions stand against a commit (contract, section 6, last paragraphs).

use std::collections::{BTreeSet, HashMap};

use crate::codec::artifact::Artifact;
use crate::model::boundary_proof::CheckDecision;
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::party::Role;
use crate::model::policy::DietRule;
use crate::model::refusal::Code;

use super::clock;
use super::facts::{Facts, Recorded};
use super::proof::{self, ProofReport};
use super::verdict::Finding;
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

/// What to say of a denial or abstention that stands.
pub fn finding(no: &Decision<'_>) -> Finding {
    let (code, verb) = match no.report.decision {
        CheckDecision::Abstain => (Code::PolicyDecisionAbstained, "abstains from"),
        _ => (Code::PolicyDecisionDenied, "denies"),
    };
    let id = no.report.recorded.artifact.id();
    let text = format!("domain {:?} {verb} {} in proof {id}", no.domain, no.commit.short());
    Finding::new(code, text).with_command(format!("git boundary show {id}"))
}

/// Every decision by an accepted checker in the gathered notes.
#[derive(Default)]
pub struct Decisions<'a> {
    all: Vec<Decision<'a>>,
    by_subject: HashMap<Digest, Vec<usize>>,
}

impl<'a> Decisions<'a> {
    /// Collects them.
    pub fn of(facts: &'a Facts, diet: &DietRule) -> Self {
        let ranges: HashMap<Digest, &BTreeSet<Oid>> =
            facts.proposals.iter().map(|proposal| (proposal.digest, &proposal.range)).collect();
        let mut decisions = Decisions::default();
        for recorded in facts.artifacts.proofs() {
            if let Some(decision) = decision(facts, diet, recorded, &ranges) {
                decisions.by_subject.entry(decision.subject).or_default().push(decisions.all.len());
                decisions.all.push(decision);
            }
        }
        decisions
    }

    /// The denials and abstentions that stand against commits of `range`.
    ///
    /// One stands until its domain decides later, with a proof that holds, on the commit or on a proposal whose range has it, or until
    /// an owner sets it aside. A denial need not hold in all five checks to stand: who says no is heard.
    pub fn standing_against(&self, facts: &Facts, range: &BTreeSet<Oid>) -> Vec<&Decision<'a>> {
        self.all.iter().filter(|no| range.contains(&no.commit)).filter(|no| self.stands(facts, no)).collect()
    }

    fn stands(&self, facts: &Facts, no: &Decision<'_>) -> bool {
        let denies = matches!(no.report.decision, CheckDecision::Deny | CheckDecision::Abstain);
        denies
            && !is_overridden(facts, &no.report.digest)
            && !self.all.iter().any(|later| {
                later.domain == no.domain
                    && later.report.holds()
                    && (later.commit == no.commit || later.range.is_some_and(|range| range.contains(&no.commit)))
                    && is_later(later.report.recorded, no.report.recorded)
            })
    }

    /// The denials and abstentions about some proposals that stand.
    pub fn against(&self, facts: &Facts, subjects: &BTreeSet<Digest>) -> Vec<&Decision<'a>> {
        subjects
            .iter()
            .filter_map(|subject| self.by_subject.get(subject))
            .flatten()
            .map(|place| &self.all[*place])
            .filter(|no| self.stands(facts, no))
            .collect()
    }

    /// Whether no later decision of a domain about the same proposals says otherwise than this allowing one.
    pub fn is_last(&self, domain: &str, subjects: &BTreeSet<Digest>, report: &ProofReport<'_>) -> bool {
        let about =
            subjects.iter().filter_map(|subject| self.by_subject.get(subject)).flatten().map(|place| &self.all[*place]);
        !about
            .filter(|other| other.domain == domain && other.report.digest != report.digest)
            .filter(|other| other.report.decision != CheckDecision::Allow)
            // A tie is a denial.
            .any(|other| !is_later(report.recorded, other.report.recorded))
    }
}

fn decision<'a>(
    facts: &'a Facts,
    diet: &DietRule,
    recorded: &'a Recorded,
    ranges: &HashMap<Digest, &'a BTreeSet<Oid>>,
) -> Option<Decision<'a>> {
    let Artifact::BoundaryProof(proof) = recorded.artifact.value() else { return None };
    let checker = facts.trust.resolve(&proof.proven.checker)?;
    let (standing, _) = clock::standing(facts, recorded, &checker, Role::Checker);
    if !recorded.artifact.signed_by(&checker) || standing != Standing::Good {
        return None;
    }
    let subject = facts.artifacts.proposal(&proof.proven.subject_ref)?;
    let report = proof::examine(facts, recorded, subject, diet);
    let domain = facts.trust.party(&checker)?.domain.clone();
    Some(Decision { commit: recorded.note, domain, report, range: ranges.get(&subject).copied(), subject })
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
    facts.artifacts.about(target).any(|recorded| {
        matches!(recorded.artifact.value(), Artifact::Override(_))
            && clock::speaks(&facts.trust, facts.now, recorded, Role::Owner)
    })
}
