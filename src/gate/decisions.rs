//! DECISIONS: which denials and abstentions stand against a commit (contract, section 6, last paragraphs).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::codec::artifact::Artifact;
use crate::model::boundary_proof::CheckDecision;
use crate::model::digest::Digest;
use crate::model::id::{KeyId, Oid};
use crate::model::party::Role;
use crate::model::policy::DietRule;
use crate::model::refusal::Code;
use crate::model::time::Timestamp;

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

/// Whether one artifact was recorded after another: by the order of ledgers that hold both, else by time.
///
/// Only listed registrars are asked where they can answer: anybody may enter two lines in the order that suits them into a ledger of
/// their own. Where several answer, all must agree; a line counts from its first entry, however often it is entered again; and a tie
/// is not later.
pub fn is_later(one: &Recorded, other: &Recorded) -> bool {
    for listed in [true, false] {
        let (mine, theirs) = (first_indices(one, listed), first_indices(other, listed));
        let mut answers = mine.iter().filter_map(|(registrar, index)| Some(index > theirs.get(registrar)?)).peekable();
        if answers.peek().is_some() {
            return answers.all(|later| later);
        }
    }
    matches!((first_time(one), first_time(other)), (Some(mine), Some(theirs)) if mine > theirs)
}

fn first_indices(recorded: &Recorded, listed: bool) -> BTreeMap<KeyId, u64> {
    let mut first: BTreeMap<KeyId, u64> = BTreeMap::new();
    for entry in recorded.entries.iter().filter(|entry| entry.listed || !listed) {
        let index = first.entry(entry.registrar).or_insert(entry.index);
        *index = entry.index.min(*index);
    }
    first
}

fn first_time(recorded: &Recorded) -> Option<Timestamp> {
    let listed = recorded.entries.iter().filter(|entry| entry.listed).map(|entry| entry.at).min();
    listed.or_else(|| recorded.entries.iter().map(|entry| entry.at).min())
}

fn is_overridden(facts: &Facts, target: &Digest) -> bool {
    facts.artifacts.about(target).any(|recorded| {
        matches!(recorded.artifact.value(), Artifact::Override(_))
            && clock::speaks(&facts.trust, facts.now, recorded, Role::Owner)
    })
}
