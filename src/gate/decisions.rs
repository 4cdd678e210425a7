//! DECISIONS: which denials and abstentions stand against a commit (contract, section 6, last paragraphs).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::codec::artifact::Artifact;
use crate::crypto::trust::Standing;
use crate::model::boundary_proof::CheckDecision;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, Oid};
use crate::model::party::Role;
use crate::model::policy::DietRule;
use crate::model::refusal::Code;

use super::clock;
use super::facts::{Facts, LedgerEntry, ProposalFacts, Recorded};
use super::order;
use super::proof::{self, ProofReport};
use super::verdict::Finding;

/// One decision by an accepted checker about one commit.
pub struct Decision<'a> {
    /// The commits that it is about: the proposal's, else the one that the checker's own commitment names; only where both are gone
    /// the ones in whose notes the ledger that the proof names has it.
    pub commits: BTreeSet<Oid>,
    /// The checker's domain.
    pub domain: String,
    /// What the five checks say of it.
    pub report: ProofReport<'a>,
    /// Whether the proposal asks for a deletion, so that allowing it takes no denial of its commits back.
    deletes: bool,
    /// The proposal's own range, where it is one of the gathered proposals.
    pub range: Option<&'a BTreeSet<Oid>>,
    /// The proposal's digest.
    pub subject: Digest,
    /// The first entry in the ledger that the proof itself names by its anchor.
    home: Option<&'a LedgerEntry>,
}

/// What to say of a denial or abstention that stands.
pub fn finding(no: &Decision<'_>) -> Finding {
    let (code, verb) = match no.report.decision {
        CheckDecision::Abstain => (Code::PolicyDecisionAbstained, "abstains from"),
        _ => (Code::PolicyDecisionDenied, "denies"),
    };
    let id = no.report.recorded.artifact.id();
    let commits: Vec<String> = no.commits.iter().map(Oid::short).collect();
    let text = format!("domain {:?} {verb} {} in proof {id}", no.domain, commits.join(", "));
    Finding::new(code, text).with_command(format!("git boundary show {id}"))
}

/// Why a denial or an abstention no longer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenBack {
    /// An owner set it aside.
    Overridden,
    /// Its domain decided later, in this proof.
    Superseded(ArtifactId),
}

/// The commits of the range, and those whose equal change counts as one of them, each with the commit of the range that stands for it.
pub fn judged_commits(facts: &Facts) -> BTreeMap<Oid, Oid> {
    let range: BTreeMap<Oid, Oid> = facts.range.iter().map(|oid| (*oid, *oid)).collect();
    let mut judged = range.clone();
    for proposal in facts.proposals.iter().filter(|proposal| range.contains_key(&proposal.tip)) {
        if let Some(about) = facts.envelope(&proposal.digest).and_then(|it| it.subject.as_ref()) {
            judged.entry(about.commit).or_insert(proposal.tip);
        }
    }
    judged
}

fn is_no(decision: &Decision<'_>) -> bool {
    matches!(decision.report.decision, CheckDecision::Deny | CheckDecision::Abstain)
}

/// Every decision by an accepted checker in the gathered notes.
#[derive(Default)]
pub struct Decisions<'a> {
    all: Vec<Decision<'a>>,
    by_subject: HashMap<Digest, Vec<usize>>,
    by_proof: HashMap<Digest, usize>,
}

impl<'a> Decisions<'a> {
    /// Collects them.
    pub fn of(facts: &'a Facts, diet: &DietRule) -> Self {
        // Not where it stands for an equal change: that its checker saw that commit is nobody's word but the proposal's.
        let own = |proposal: &&ProposalFacts| {
            let about = facts.envelope(&proposal.digest).and_then(|statement| statement.subject.as_ref());
            about.is_some_and(|about| about.commit == proposal.tip)
        };
        let ranges: HashMap<Digest, &BTreeSet<Oid>> =
            facts.proposals.iter().filter(own).map(|proposal| (proposal.digest, &proposal.range)).collect();
        let mut decisions = Decisions::default();
        let proofs = facts.artifacts.proofs();
        decisions.all = proofs.filter_map(|recorded| decision(facts, diet, recorded, &ranges)).collect();
        decisions.all.sort_by_key(|one| order::shown(one.report.recorded));
        for (place, decision) in decisions.all.iter().enumerate() {
            decisions.by_proof.entry(decision.report.digest).or_insert(place);
            decisions.by_subject.entry(decision.subject).or_default().push(place);
        }
        decisions
    }

    /// The denials and abstentions that stand against what is judged, each with the judged commit that it hits.
    ///
    /// `judged` has the commits of the range, and those whose equal change is in it, with the commit of the range that stands for them.
    ///
    /// One stands until its domain decides later, with a proof that holds, on the commit, on the judged one that stands for it, or on a
    /// proposal whose range has either, or until an owner sets it aside. A denial need not hold in all five checks to stand: who says
    /// no is heard. To allow a part of it is not to take a denial back.
    pub fn standing_against(&self, facts: &Facts, judged: &BTreeMap<Oid, Oid>) -> Vec<(Oid, &Decision<'a>)> {
        self.all
            .iter()
            .flat_map(|no| no.commits.iter().filter_map(move |commit| Some((*judged.get(commit)?, no))))
            .filter(|(_, no)| self.stands(facts, no, judged))
            .collect()
    }

    /// The denials and abstentions about some proposals that stand.
    pub fn against(&self, facts: &Facts, subjects: &BTreeSet<Digest>) -> Vec<&Decision<'a>> {
        subjects
            .iter()
            .filter_map(|subject| self.by_subject.get(subject))
            .flatten()
            .map(|place| &self.all[*place])
            .filter(|no| self.stands(facts, no, &BTreeMap::new()))
            .collect()
    }

    /// What took back a denial or abstention that an accepted checker signed; `None` while it stands, and for every other proof.
    pub fn taken_back(&self, facts: &Facts, proof: &Digest) -> Option<TakenBack> {
        let no = self.by_proof.get(proof).map(|place| &self.all[*place])?;
        if !is_no(no) {
            return None;
        }
        self.lifted(facts, no, &judged_commits(facts))
    }

    fn stands(&self, facts: &Facts, no: &Decision<'_>, judged: &BTreeMap<Oid, Oid>) -> bool {
        is_no(no) && self.lifted(facts, no, judged).is_none()
    }

    fn lifted(&self, facts: &Facts, no: &Decision<'_>, judged: &BTreeMap<Oid, Oid>) -> Option<TakenBack> {
        let lifts = |later: &&Decision<'_>| {
            later.domain == no.domain
                && !later.deletes
                && later.report.decision != CheckDecision::Partial
                && later.report.holds()
                && no
                    .commits
                    .iter()
                    .all(|commit| later.reaches(commit) || judged.get(commit).is_some_and(|hit| later.reaches(hit)))
                && later.is_after(no)
        };
        if is_overridden(facts, &no.report.digest) {
            return Some(TakenBack::Overridden);
        }
        self.all.iter().find(lifts).map(|later| TakenBack::Superseded(later.report.recorded.artifact.id()))
    }

    /// Whether no later decision of a domain about the same proposals says otherwise than this allowing one.
    pub fn is_last(&self, domain: &str, subjects: &BTreeSet<Digest>, report: &ProofReport<'_>) -> bool {
        let Some(mine) = self.by_proof.get(&report.digest).map(|place| &self.all[*place]) else { return false };
        let about =
            subjects.iter().filter_map(|subject| self.by_subject.get(subject)).flatten().map(|place| &self.all[*place]);
        !about
            .filter(|other| other.domain == domain && other.report.digest != report.digest)
            .filter(|other| other.report.decision != CheckDecision::Allow)
            // A tie is a denial.
            .any(|other| !mine.is_after(other))
    }
}

impl Decision<'_> {
    fn reaches(&self, commit: &Oid) -> bool {
        self.commits.contains(commit) || self.range.is_some_and(|range| range.contains(commit))
    }

    /// By ledger order where one ledger holds both, else by time.
    ///
    /// Which ledger is the proof's own word: the one that its anchor names. Copies in other ledgers, which anybody can keep for the
    /// purpose, order nothing.
    fn is_after(&self, other: &Decision<'_>) -> bool {
        let mine = self.home.or_else(|| order::at_the_earliest(self.report.recorded));
        let theirs = other.home.or_else(|| order::at_the_latest(other.report.recorded));
        mine.zip(theirs).is_some_and(|(mine, theirs)| order::is_after(mine, theirs))
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
    // The proposal's line may be gone, or may never have been shown: what the checker itself froze still says which commit it was.
    let frozen = proof::commitment_by(facts, &proof.proven, &checker);
    let named = frozen.map(|frozen| frozen.subject).or_else(|| facts.artifacts.proposal(&proof.proven.subject_ref));
    // Where nothing names a proposal in full, the proof is examined as one about nothing that is known: a denial still counts.
    let subject = named.unwrap_or(recorded.artifact.digest());
    let proposed = facts.envelope(&subject).and_then(|statement| statement.subject.as_ref()).map(|about| about.commit);
    let anchored = proof::parse_anchor(facts, &proof.proven.anchor).map(|(registrar, _)| registrar);
    // Not the note that it was found on, as long as anything else says: a line can be copied to any other. Where nothing does, the
    // notes that listed ledgers and the one that the proof names have it in, so that dropping a proposal drops no denial of it.
    let commits = match proposed.or(frozen.map(|frozen| frozen.commit)) {
        Some(commit) => BTreeSet::from([commit]),
        None => {
            let counts = |entry: &&LedgerEntry| entry.listed || Some(entry.registrar) == anchored;
            recorded.entries.iter().filter(counts).map(|entry| entry.note).collect()
        }
    };
    let home = anchored.and_then(|registrar| {
        recorded.entries.iter().filter(|entry| entry.registrar == registrar).min_by_key(|entry| entry.index)
    });
    let report = proof::examine(facts, recorded, subject, diet);
    let action = facts.envelope(&subject).and_then(|statement| statement.predicate.requested_action.as_ref());
    let deletes = action.is_some_and(|action| action.new.is_zero());
    let domain = facts.trust.party(&checker)?.domain.clone();
    Some(Decision { commits, deletes, domain, report, range: ranges.get(&subject).copied(), subject, home })
}

fn is_overridden(facts: &Facts, target: &Digest) -> bool {
    facts.artifacts.about(target).any(|recorded| {
        matches!(recorded.artifact.value(), Artifact::Override(_))
            && clock::speaks(&facts.trust, facts.now, recorded, Role::Owner)
    })
}
