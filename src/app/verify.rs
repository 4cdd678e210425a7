//! `verify`: judges history that is there, by the same gather and the same gate as a push.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::judge::{self, Judged};
use super::remote;
use super::write::{self, Written};
use crate::codec::artifact::Artifact;
use crate::gate::decisions::{Decisions, TakenBack};
use crate::gate::facts::{Facts, Purpose};
use crate::gate::order;
use crate::gate::proof::{ProofReport, examine};
use crate::gate::verdict::{CommitStatus, Outcome};
use crate::gather::base::{Side, default_branch, tracked_branch};
use crate::gather::notes::Noted;
use crate::gather::update::rule_of;
use crate::gather::{Session, UpdateRequest};
use crate::git::RangeEnds;
use crate::model::boundary_proof::BoundaryProof;
use crate::model::decision::ReasonGiven;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, KeyId, Oid, RepositoryId};
use crate::model::policy::Strength;
use crate::model::refusal::Code;

/// What `verify` is asked.
#[derive(Debug, Clone, Default)]
pub struct VerifyOptions {
    /// Revisions and ranges; `HEAD` without any.
    pub revisions: Vec<String>,
    /// The ref by whose rule to judge, unless a revision names a branch.
    pub reference: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Verified {
    /// `verified`, `refused` or `undecided`.
    pub verdict: &'static str,
    /// The primary code.
    pub primary_code: Option<Code>,
    /// All codes by rank.
    pub codes: Vec<Code>,
    /// The repository.
    pub repository: RepositoryId,
    /// The trust version used.
    pub trust_version: u64,
    /// The pinned root.
    pub trust_root: Digest,
    /// Where the pin came from.
    pub pinned_by: &'static str,
    /// Each revision's own answer.
    pub revisions: Vec<Revision>,
    /// Every commit judged, newest first.
    pub commits: Vec<CommitShown>,
    /// Sentences for the codes.
    pub reasons: Vec<ReasonGiven>,
    /// What could not be looked at.
    pub gaps: Vec<String>,
    /// What to type next.
    pub next: Option<String>,
    /// Other ways on, in sentences.
    pub advice: Vec<String>,
    /// Remarks.
    pub notices: Vec<String>,
    /// The proofs that were counted or looked at.
    pub proofs: Vec<ProofShown>,
    #[serde(skip)]
    /// For the exit status.
    pub outcome: Outcome,
}

/// One revision or range.
#[derive(Debug, Serialize)]
pub struct Revision {
    /// As it was named.
    pub name: String,
    /// Its tip.
    pub tip: Oid,
    /// The ref by whose rule it was judged.
    pub judged_by: String,
    /// Whether a rule governs that ref.
    pub governed: bool,
}

/// One commit.
#[derive(Debug, Serialize)]
pub struct CommitShown {
    /// The commit.
    pub oid: Oid,
    /// Its standing.
    pub status: &'static str,
    /// Codes against it.
    pub codes: Vec<Code>,
    /// The proposal that covers it.
    pub envelope: Option<ArtifactId>,
    /// Where that proposal is about another commit, whose equal change the rule lets count: that commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equal_change_of: Option<Oid>,
    /// Where files of it hold just what an owner approved through the gateway: which. It covers nothing: an approval of a write says
    /// nothing of where it is pushed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Written>,
}

/// One boundary proof and its five checks.
#[derive(Debug, Serialize)]
pub struct ProofShown {
    /// The proof.
    pub id: ArtifactId,
    /// The proposal.
    pub proposal: ArtifactId,
    /// The checker's label.
    pub checker: Option<String>,
    /// The verdict in it.
    pub decision: crate::model::boundary_proof::CheckDecision,
    /// Of a denial or abstention that no longer stands: what took it back.
    pub taken_back: Option<String>,
    /// The checks by number, 1 to 5; `null` where one holds, else why not.
    pub checks: Vec<Option<String>>,
    /// Strength of the anchor.
    pub strength: Option<Strength>,
    /// Classes recomputed here.
    pub recomputed: Vec<String>,
    /// Other classes of the diet: the checker's label for what it read.
    pub labelled: Vec<String>,
    /// Whose ledger recorded it.
    pub registrars: Vec<String>,
}

/// Verifies revisions and ranges.
///
/// # Errors
/// When a revision is none, or nothing can be read.
pub fn verify(context: &Context, options: &VerifyOptions) -> Result<Verified, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let names = if options.revisions.is_empty() { vec!["HEAD".to_owned()] } else { options.revisions.clone() };
    let mut targets = Vec::new();
    for name in names {
        let target = target(&session, &name, options.reference.as_deref())?;
        targets.push((name, target));
    }
    Ok(verify_targets(&session, &Noted::default(), targets)?.0)
}

/// The same of what was found out already; gives the judgements too, in the order of the targets.
///
/// # Errors
/// When nothing can be read.
pub(super) fn verify_targets(
    session: &Session<'_>,
    noted: &Noted,
    targets: Vec<(String, Target)>,
) -> Result<(Verified, Vec<Judged>), AppError> {
    let mut answer = empty(session);
    let (mut outcomes, mut judgements) = (Vec::new(), Vec::new());
    for (name, target) in targets {
        let request = target.request(session);
        let (tip, judged_by) = (request.new, request.reference.clone());
        let judged = judge::judge_update(session, noted, request)?;
        answer.revisions.push(Revision { name, tip, judged_by, governed: judged.verdict.governed });
        outcomes.push(take(session, noted, &mut answer, &judged)?);
        judgements.push(judged);
    }
    let outcome = judge::worst(outcomes);
    answer.outcome = outcome;
    answer.codes.sort_unstable();
    answer.codes.dedup();
    answer.verdict = match outcome {
        Outcome::Admitted => "verified",
        Outcome::Refused => "refused",
        Outcome::Undecided => "undecided",
    };
    answer.primary_code = match outcome {
        Outcome::Admitted => None,
        Outcome::Undecided => Some(Code::SnapshotUnavailable),
        Outcome::Refused => {
            answer.codes.iter().copied().find(|code| *code != Code::SnapshotUnavailable).or(answer.primary_code)
        }
    };
    Ok((answer, judgements))
}

impl Verified {
    /// Notes something that could not be looked at: what is not refused for another reason is undecided then.
    pub(super) fn leave_open(&mut self, gap: String) {
        self.gaps.push(gap);
        if self.outcome == Outcome::Admitted {
            self.outcome = Outcome::Undecided;
            self.verdict = "undecided";
            self.primary_code = Some(Code::SnapshotUnavailable);
        }
        if !self.codes.contains(&Code::SnapshotUnavailable) {
            self.codes.push(Code::SnapshotUnavailable);
            self.codes.sort_unstable();
        }
    }
}

fn empty(session: &Session<'_>) -> Verified {
    Verified {
        verdict: "undecided",
        primary_code: None,
        codes: Vec::new(),
        repository: session.trust.repository(),
        trust_version: session.trust.version(),
        trust_root: session.trust.root(),
        pinned_by: session.pin_source.name(),
        revisions: Vec::new(),
        commits: Vec::new(),
        reasons: Vec::new(),
        gaps: Vec::new(),
        next: None,
        advice: Vec::new(),
        notices: Vec::new(),
        proofs: Vec::new(),
        outcome: Outcome::Undecided,
    }
}

/// What is judged, and by whose rule.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// What it and all below it is left out; nothing where `None`.
    pub base: Option<Oid>,
    /// Whether the ref was seen to move from the base to the tip, so that the move is judged too.
    pub moved: bool,
    /// The ref by whose rule to judge.
    pub reference: String,
    /// Whose refs.
    pub side: Side,
    /// The tip; zero for a deletion.
    pub tip: Oid,
}

impl Target {
    /// As an update to be judged.
    pub fn request(self, session: &Session<'_>) -> UpdateRequest {
        UpdateRequest {
            exact: false,
            new: self.tip,
            old: self.base.unwrap_or(session.repository.object_format().zero_oid()),
            purpose: if self.moved { Purpose::Landed } else { Purpose::Verify },
            reference: self.reference,
            side: self.side,
        }
    }
}

/// The question to the gate.
pub(super) fn request_of(session: &Session<'_>, target: &Target) -> UpdateRequest {
    UpdateRequest {
        exact: false,
        new: target.tip,
        old: target.base.unwrap_or(session.repository.object_format().zero_oid()),
        purpose: Purpose::Verify,
        reference: target.reference.clone(),
        side: target.side.clone(),
    }
}

/// What a revision or range names, and by whose rule it is judged: the branch it names, else `--ref`, else the default branch.
///
/// # Errors
/// When it names nothing here.
pub(super) fn target(session: &Session<'_>, name: &str, reference: Option<&str>) -> Result<Target, AppError> {
    let repository = session.repository;
    let mut side = remote::side(repository)?;
    let (base, tip, named) = match RangeEnds::split(name) {
        Some(_) => {
            let (base, tip) = repository
                .resolve_range(name)?
                .ok_or_else(|| AppError::usage(format!("{name:?} is no range"), "name <from>..<to>"))?;
            (Some(base), tip, name.rsplit("..").next().unwrap_or("HEAD").to_owned())
        }
        None => (None, repository.resolve_commit(name)?, name.to_owned()),
    };
    let full = repository.full_ref_name(if named.is_empty() { "HEAD" } else { &named })?;
    let branch = full.as_deref().and_then(|full| match tracked_branch(repository, full) {
        Some((remote, branch)) => {
            side.remote = Some(remote);
            Some(branch)
        }
        None => full.starts_with("refs/heads/").then(|| full.to_owned()),
    });
    let reference = match (branch, reference) {
        (_, Some(named)) => super::subject::full_ref(named),
        (Some(branch), None) => branch,
        (None, None) => default_branch(repository, side.remote.as_deref())?,
    };
    Ok(Target { base, moved: false, reference, side, tip })
}

fn take(session: &Session<'_>, noted: &Noted, answer: &mut Verified, judged: &Judged) -> Result<Outcome, AppError> {
    let verdict = &judged.verdict;
    let mut outcome = verdict.outcome;
    if !verdict.governed {
        answer.gaps.push(format!(
            "no rule governs {}, so that nothing was judged; name one with --ref",
            judged.request.reference
        ));
        outcome = Outcome::Undecided;
    } else if verdict.commits.is_empty() && outcome == Outcome::Admitted && !judged.request.new.is_zero() {
        // A verifier that saw nothing says so and does not pass (contract, section 7).
        answer.gaps.push("the range is empty, so that nothing was judged".to_owned());
        outcome = Outcome::Undecided;
    }
    if outcome == Outcome::Undecided && !session.has_fetched_receipts() {
        answer.gaps.push("receipts are not fetched in this clone".to_owned());
        answer.next = Some("git fetch".to_owned());
    }
    answer.codes.extend(verdict.codes());
    if outcome == Outcome::Undecided {
        answer.codes.push(Code::SnapshotUnavailable);
    }
    let spoken_for: HashSet<(Digest, Oid)> = judged.facts.proposals.iter().map(|one| (one.digest, one.tip)).collect();
    let equal_change = |commit: &Oid, proposal: Digest| {
        let about = equal_change_of(&judged.facts, commit, &proposal)?;
        spoken_for.contains(&(proposal, *commit)).then_some(about)
    };
    answer.commits.extend(verdict.commits.iter().map(|one| CommitShown {
        oid: one.oid,
        status: one.status.name(),
        codes: one.codes.clone(),
        envelope: one.envelope.as_ref().map(ArtifactId::of),
        equal_change_of: one.envelope.and_then(|proposal| equal_change(&one.oid, proposal)),
        written: None,
    }));
    let of_this = answer.commits.len() - verdict.commits.len();
    for shown in &mut answer.commits[of_this..] {
        shown.written = write::recognised(session, noted, &judged.facts, &shown.oid)?;
    }
    answer.reasons.extend(verdict.findings.iter().map(|one| ReasonGiven { code: one.code, text: one.text.clone() }));
    answer.gaps.extend(verdict.gaps.iter().map(|gap| gap.text.clone()));
    answer.notices.extend(verdict.notices.iter().cloned());
    if answer.next.is_none() {
        // What a push of the same would be told.
        answer.next = judged.next_action().and_then(|next| next.command);
    }
    for one in judged.advice() {
        if !answer.advice.contains(&one) {
            answer.advice.push(one);
        }
    }
    proofs(session, answer, judged);
    Ok(outcome)
}

/// The commit that a proposal is about, where that is another one than this, whose equal change it then speaks for.
fn equal_change_of(facts: &Facts, commit: &Oid, proposal: &Digest) -> Option<Oid> {
    let about = facts.envelope(proposal)?.subject.as_ref()?.commit;
    Some(about).filter(|about| about != commit)
}

fn proofs(session: &Session<'_>, answer: &mut Verified, judged: &Judged) {
    let Some(rule) = rule_of(session, &judged.request.reference) else { return };
    let facts = &judged.facts;
    let places: HashMap<Oid, usize> = facts.range.iter().copied().zip(0..).collect();
    let place = |tip: &Oid| places.get(tip).copied().unwrap_or(usize::MAX);
    let proposals: BTreeMap<Digest, usize> =
        facts.proposals.iter().map(|proposal| (proposal.digest, place(&proposal.tip))).collect();
    let decisions = Decisions::of(facts, &rule.diet);
    let mut shown = Vec::new();
    for recorded in facts.artifacts.proofs() {
        let Artifact::BoundaryProof(proof) = recorded.artifact.value() else { continue };
        let Some(subject) = facts.artifacts.proposal(&proof.proven.subject_ref) else { continue };
        if let Some(place) = proposals.get(&subject) {
            shown.push((*place, order::shown(recorded), recorded, proof, subject));
        }
    }
    // The newest commit first, as commits are listed; then as ledgers took the proofs in.
    shown.sort_by_key(|(place, seen, ..)| (*place, *seen));
    for (.., recorded, proof, subject) in shown {
        answer.proofs.push(shown_proof(facts, &decisions, &examine(facts, recorded, subject, &rule.diet), proof));
    }
}

/// A proof after its five checks.
pub(super) fn shown_proof(
    facts: &Facts,
    decisions: &Decisions<'_>,
    report: &ProofReport<'_>,
    proof: &BoundaryProof,
) -> ProofShown {
    let recomputed: Vec<String> = report.recomputed.iter().cloned().collect();
    let classes = proof.proven.diet.iter().map(|entry| entry.class.clone());
    let labelled = classes.filter(|class| !recomputed.contains(class)).collect();
    let label =
        |id: &KeyId| facts.trust.party_of(id).map_or_else(|| format!("{id} (not listed)"), |party| party.label.clone());
    ProofShown {
        id: report.recorded.artifact.id(),
        proposal: ArtifactId::of(&report.subject),
        checker: report.checker.map(|party| party.label.clone()),
        decision: report.decision,
        taken_back: decisions.taken_back(facts, &report.digest).map(|by| match by {
            TakenBack::Overridden => "by an owner's override".to_owned(),
            TakenBack::Superseded(later) => format!("by the later {later}"),
        }),
        checks: report.checks.iter().map(|check| check.as_ref().err().map(|why| why.text.clone())).collect(),
        strength: report.strength,
        recomputed,
        labelled,
        registrars: report.recorded.entries.iter().map(|entry| label(&entry.registrar)).collect(),
    }
}

/// Whether a commit's standing lets history stand.
pub fn stands(status: CommitStatus) -> bool {
    !matches!(status, CommitStatus::Refused | CommitStatus::Undecided)
}
