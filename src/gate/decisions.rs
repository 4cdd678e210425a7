//! DECISIONS: which denials and abstentions stand against a commit (contract, section 6, last paragraphs).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::codec::artifact::Artifact;
use crate::crypto::trust::Standing;
use crate::model::boundary_proof::{CheckDecision, ProvenBoundary};
use crate::model::diet::DietCommitment;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::party::Role;
use crate::model::policy::DietRule;
use crate::model::refusal::Code;
use crate::model::time::Timestamp;

use super::clock;
use super::facts::{Facts, LedgerEntry, Recorded};
use super::proof::{self, ProofReport};
use super::verdict::Finding;

/// One decision by an accepted checker.
pub struct Decision<'a> {
    /// The commits that it is about: the proposal's own, and only where nothing says which that is the ones it is noted on.
    pub commits: BTreeSet<Oid>,
    /// The verdict.
    pub decision: CheckDecision,
    /// The proof's own digest.
    pub digest: Digest,
    /// The checker's domain.
    pub domain: String,
    /// Whether all five checks of the proof hold.
    pub holds: bool,
    /// The proposal's own range, where it is one of the gathered proposals.
    pub range: Option<&'a BTreeSet<Oid>>,
    /// The proof.
    pub recorded: &'a Recorded,
}

/// What to say of a denial or abstention that stands.
pub fn finding(no: &Decision<'_>) -> Finding {
    let (code, verb) = match no.decision {
        CheckDecision::Abstain => (Code::PolicyDecisionAbstained, "abstains from"),
        _ => (Code::PolicyDecisionDenied, "denies"),
    };
    let id = no.recorded.artifact.id();
    let commits: Vec<String> = no.commits.iter().map(Oid::short).collect();
    let text = format!("domain {:?} {verb} {} in proof {id}", no.domain, commits.join(", "));
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
            if let Some((subject, decision)) = decision(facts, diet, recorded, &ranges) {
                if let Some(subject) = subject {
                    decisions.by_subject.entry(subject).or_default().push(decisions.all.len());
                }
                decisions.all.push(decision);
            }
        }
        decisions
    }

    /// The denials and abstentions that stand against commits of `range`.
    ///
    /// One stands until its domain decides later, with a proof that holds, on the commit or on a proposal whose range has it, or until
    /// an owner sets it aside. A denial need not hold in all five checks to stand, and its proposal need not be there any more: who
    /// says no is heard.
    pub fn standing_against(&self, facts: &Facts, range: &BTreeSet<Oid>) -> Vec<&Decision<'a>> {
        self.all.iter().filter(|no| !no.commits.is_disjoint(range)).filter(|no| self.stands(facts, no)).collect()
    }

    fn stands(&self, facts: &Facts, no: &Decision<'_>) -> bool {
        let denies = matches!(no.decision, CheckDecision::Deny | CheckDecision::Abstain);
        let covers = |later: &Decision<'_>, commit: &Oid| {
            later.commits.contains(commit) || later.range.is_some_and(|range| range.contains(commit))
        };
        denies
            && !is_overridden(facts, &no.digest)
            && !self.all.iter().any(|later| {
                later.domain == no.domain
                    && later.holds
                    && no.commits.iter().all(|commit| covers(later, commit))
                    && decided_later(facts, later.recorded, no.recorded)
            })
    }

    /// The denials and abstentions about some proposals that stand.
    pub fn against(&self, facts: &Facts, subjects: &BTreeSet<Digest>) -> Vec<&Decision<'a>> {
        self.about(subjects).filter(|no| self.stands(facts, no)).collect()
    }

    /// Whether no later decision of a domain about the same proposals says otherwise than this allowing one.
    pub fn is_last(&self, facts: &Facts, domain: &str, subjects: &BTreeSet<Digest>, report: &ProofReport<'_>) -> bool {
        !self
            .about(subjects)
            .filter(|other| other.domain == domain && other.digest != report.digest)
            .filter(|other| other.decision != CheckDecision::Allow)
            // A tie is a denial.
            .any(|other| !decided_later(facts, report.recorded, other.recorded))
    }

    fn about(&self, subjects: &BTreeSet<Digest>) -> impl Iterator<Item = &Decision<'a>> {
        subjects.iter().filter_map(|subject| self.by_subject.get(subject)).flatten().map(|place| &self.all[*place])
    }
}

fn decision<'a>(
    facts: &'a Facts,
    diet: &DietRule,
    recorded: &'a Recorded,
    ranges: &HashMap<Digest, &'a BTreeSet<Oid>>,
) -> Option<(Option<Digest>, Decision<'a>)> {
    let Artifact::BoundaryProof(proof) = recorded.artifact.value() else { return None };
    let proven = &proof.proven;
    let checker = facts.trust.resolve(&proven.checker)?;
    let (standing, _) = clock::standing(facts, recorded, &checker, Role::Checker);
    if !recorded.artifact.signed_by(&checker) || standing != Standing::Good {
        return None;
    }
    let domain = facts.trust.party(&checker)?.domain.clone();
    let subject = subject_of(facts, proven);
    let decision = Decision {
        commits: commits_of(facts, recorded, proven),
        decision: proven.decision,
        digest: recorded.artifact.digest(),
        domain,
        holds: subject.is_some_and(|subject| proof::examine(facts, recorded, subject, diet).holds()),
        range: subject.and_then(|subject| ranges.get(&subject).copied()),
        recorded,
    };
    Some((subject, decision))
}

/// The proposal that a proof is about, as far as anything names it in full.
fn subject_of(facts: &Facts, proven: &ProvenBoundary) -> Option<Digest> {
    facts.artifacts.proposal(&proven.subject_ref).or_else(|| Some(commitment_of(facts, proven)?.subject))
}

/// The commits that a proof is about.
///
/// A proof names a proposal and no commit. Where the proposal is gone, because its registrar dropped it, the checker's own frozen
/// diet still says which commit it was; where that is gone, too, the notes in which the ledger that the proof names has it. A copy
/// that somebody else put in another note says nothing.
fn commits_of(facts: &Facts, recorded: &Recorded, proven: &ProvenBoundary) -> BTreeSet<Oid> {
    let proposal = facts.artifacts.proposal(&proven.subject_ref).and_then(|subject| facts.envelope(&subject));
    if let Some(subject) = proposal.and_then(|statement| statement.subject.as_ref()) {
        return BTreeSet::from([subject.commit]);
    }
    if let Some(commitment) = commitment_of(facts, proven) {
        return BTreeSet::from([commitment.commit]);
    }
    let own = proof::parse_anchor(facts, &proven.anchor).map(|(registrar, _)| registrar);
    let counts = |entry: &&LedgerEntry| entry.listed || Some(entry.registrar) == own;
    recorded.entries.iter().filter(counts).map(|entry| entry.note).collect()
}

/// The commitment that a proof names as its own, if the checker signed it and it is of the same proposal.
fn commitment_of<'a>(facts: &'a Facts, proven: &ProvenBoundary) -> Option<&'a DietCommitment> {
    let (registrar, index) = proof::parse_anchor(facts, &proven.anchor)?;
    let checker = facts.trust.resolve(&proven.checker)?;
    let its_own = |(recorded, said): &(&Recorded, &DietCommitment)| {
        recorded.artifact.signed_by(&checker) && ArtifactId::of(&said.subject).to_string() == proven.subject_ref
    };
    facts.artifacts.commitments_at(registrar, index).find(its_own).map(|(_, said)| said)
}

/// Whether one proof was decided after another.
///
/// Each is dated by the ledger that it names itself, which is the checker's word: in other ledgers anybody may have entered both, in
/// the order that suits them. Doubt leaves a denial standing.
fn decided_later(facts: &Facts, one: &Recorded, other: &Recorded) -> bool {
    let Some(mine) = decided_at(facts, one) else { return false };
    match decided_at(facts, other) {
        Some(theirs) if theirs.registrar == mine.registrar => mine.index > theirs.index,
        Some(theirs) => mine.at > theirs.at,
        None => {
            other.entries.iter().filter(|entry| entry.listed).map(|entry| entry.at).min().is_some_and(|at| mine.at > at)
        }
    }
}

/// The first entry of a proof in the ledger that its anchor names.
fn decided_at<'a>(facts: &Facts, recorded: &'a Recorded) -> Option<&'a LedgerEntry> {
    let Artifact::BoundaryProof(proof) = recorded.artifact.value() else { return None };
    let proven = &proof.proven;
    let (registrar, _) = proof::parse_anchor(facts, &proven.anchor)?;
    recorded.entries.iter().filter(|entry| entry.registrar == registrar).min_by_key(|entry| entry.index)
}

/// Whether one artifact was recorded after another: by the order of ledgers that hold both, else by time.
///
/// Only listed registrars are asked where they can answer: anybody may enter two lines in the order that suits them into a ledger of
/// their own. Where several answer, all must agree; a line counts from its first entry, however often it is entered again; a tie is
/// not later, and of what no listed registrar dates the latest entry of the other one counts.
pub fn is_later(one: &Recorded, other: &Recorded) -> bool {
    for listed in [true, false] {
        let (mine, theirs) = (first_indices(one, listed), first_indices(other, listed));
        let mut answers = mine.iter().filter_map(|(registrar, index)| Some(index > theirs.get(registrar)?)).peekable();
        if answers.peek().is_some() {
            return answers.all(|later| later);
        }
    }
    let times = |recorded: &Recorded, listed: bool| -> Vec<Timestamp> {
        recorded.entries.iter().filter(|entry| entry.listed || !listed).map(|entry| entry.at).collect()
    };
    let mine = times(one, true).into_iter().min().or_else(|| times(one, false).into_iter().min());
    let theirs = times(other, true).into_iter().min().or_else(|| times(other, false).into_iter().max());
    mine.zip(theirs).is_some_and(|(mine, theirs)| mine > theirs)
}

fn first_indices(recorded: &Recorded, listed: bool) -> BTreeMap<KeyId, u64> {
    let mut first: BTreeMap<KeyId, u64> = BTreeMap::new();
    for entry in recorded.entries.iter().filter(|entry| entry.listed || !listed) {
        let index = first.entry(entry.registrar).or_insert(entry.index);
        *index = entry.index.min(*index);
    }
    first
}

fn is_overridden(facts: &Facts, target: &Digest) -> bool {
    facts.artifacts.about(target).any(|recorded| {
        matches!(recorded.artifact.value(), Artifact::Override(_))
            && clock::speaks(&facts.trust, facts.now, recorded, Role::Owner)
    })
}
