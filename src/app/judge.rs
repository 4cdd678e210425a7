//! Judging ref updates, and keeping what was decided: shared by the hook, `verify` and the commands that warn.

use std::collections::BTreeMap;

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::events::{self, Events};
use super::remote;
use super::transact::write_if_current;
use crate::codec::artifact::Artifact;
use crate::codec::canonical;
use crate::codec::dsse::Dsse;
use crate::codec::in_toto::Statement;
use crate::crypto::Signer;
use crate::crypto::verified::sign_statement;
use crate::gate::checks::approval;
use crate::gate::facts::{Facts, Purpose};
use crate::gate::judge::judge;
use crate::gate::next::usual_command;
use crate::gate::verdict::{Outcome, Verdict};
use crate::gather::notes::Noted;
use crate::gather::{Session, UpdateRequest, facts_for};
use crate::model::context::{Observation, ObservedBy, Snapshot};
use crate::model::decision::{Candidate, Effects, NextAction, ReasonGiven, RefusalReceipt};
use crate::model::digest::Digest;
use crate::model::envelope::Action;
use crate::model::event::EventKind;
use crate::model::id::{ArtifactId, Oid};
use crate::model::refusal::Code;
use crate::model::time::Timestamp;

/// A judgement of one ref update.
#[derive(Debug)]
pub struct Judged {
    /// What was asked.
    pub request: UpdateRequest,
    /// What was gathered.
    pub facts: Facts,
    /// The answer.
    pub verdict: Verdict,
}

/// Gathers and judges. Where clocks, or a baseline further up, may have made a range too long, the walk is repeated exactly before
/// anybody is refused for it.
///
/// # Errors
/// When facts can't be gathered at all.
pub fn judge_update(session: &Session<'_>, noted: &Noted, request: UpdateRequest) -> Result<Judged, AppError> {
    judge_with(session, noted, request, |facts| judge(facts))
}

/// The same with another question to the gate.
///
/// # Errors
/// As [`judge_update`].
pub(super) fn judge_with(
    session: &Session<'_>,
    noted: &Noted,
    request: UpdateRequest,
    judge: impl Fn(&mut Facts) -> Verdict,
) -> Result<Judged, AppError> {
    let mut facts = facts_for(session, noted, &request)?;
    let verdict = judge(&mut facts);
    if verdict.outcome == Outcome::Admitted || facts.exact {
        return Ok(Judged { request, facts, verdict });
    }
    let request = UpdateRequest { exact: true, ..request };
    let mut facts = facts_for(session, noted, &request)?;
    let verdict = judge(&mut facts);
    Ok(Judged { request, facts, verdict })
}

/// What would stand against an action if it were pushed now, and the way on.
///
/// # Errors
/// When facts can't be gathered at all.
pub fn warnings(
    context: &Context,
    session: &Session<'_>,
    noted: &Noted,
    action: &Action,
) -> Result<(Vec<String>, Option<NextAction>), AppError> {
    let _ = context;
    let request = UpdateRequest {
        exact: false,
        new: action.new,
        old: action.old,
        purpose: Purpose::Push,
        reference: action.reference.clone(),
        side: remote::side(session.repository)?,
    };
    let judged = judge_update(session, noted, request)?;
    let gaps = judged.verdict.gaps.iter().map(|gap| gap.text.clone());
    let found = judged.verdict.findings.iter().map(|one| format!("{}: {}", one.code, one.text));
    Ok((found.chain(gaps).collect(), next_action(&judged.verdict, &judged.request.reference)))
}

/// The answer about one pushed ref, for people and machines.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Old value.
    pub old: Oid,
    /// New value.
    pub new: Oid,
    /// `admitted`, `refused` or `undecided`.
    pub outcome: &'static str,
    /// Whether a rule governs the ref.
    pub governed: bool,
    /// The primary code.
    pub primary_code: Option<Code>,
    /// All codes by rank.
    pub codes: Vec<Code>,
    /// Sentences for the codes.
    pub reasons: Vec<ReasonGiven>,
    /// What could not be looked at.
    pub gaps: Vec<String>,
    /// What to do.
    pub next: Option<NextAction>,
    /// Remarks.
    pub notices: Vec<String>,
    /// The receipt of a refusal.
    pub receipt: Option<ArtifactId>,
}

impl Judged {
    /// The update as something that somebody asked for, by a proposal or without one.
    pub fn candidate(&self, envelope: Option<Digest>) -> Candidate {
        Candidate {
            envelope,
            new: self.request.new,
            old: self.request.old,
            reference: self.request.reference.clone(),
            repository: self.facts.trust.repository(),
        }
    }

    /// The answer, with the receipt of a refusal where one was written.
    pub fn answer(&self, receipt: Option<Digest>) -> Answer {
        let verdict = &self.verdict;
        Answer {
            reference: self.request.reference.clone(),
            old: self.request.old,
            new: self.request.new,
            outcome: match verdict.outcome {
                Outcome::Admitted => "admitted",
                Outcome::Refused => "refused",
                Outcome::Undecided => "undecided",
            },
            governed: verdict.governed,
            primary_code: verdict.primary(),
            codes: verdict.codes(),
            reasons: reasons(verdict),
            gaps: verdict.gaps.iter().map(|gap| gap.text.clone()).collect(),
            next: next_action(verdict, &self.request.reference),
            notices: verdict.notices.clone(),
            receipt: receipt.as_ref().map(ArtifactId::of),
        }
    }
}

fn reasons(verdict: &Verdict) -> Vec<ReasonGiven> {
    verdict.findings.iter().map(|one| ReasonGiven { code: one.code, text: one.text.clone() }).collect()
}

/// The safe way on: the primary code's sentence, and the command of a finding of that code, which fits it.
fn next_action(verdict: &Verdict, reference: &str) -> Option<NextAction> {
    let primary = verdict.primary()?;
    let of_primary = verdict.findings.iter().filter(|one| one.code == primary).find_map(|one| one.command.clone());
    let of_gap = verdict.gaps.iter().find_map(|gap| gap.command.clone());
    let command = match verdict.outcome {
        Outcome::Undecided => of_gap,
        _ => of_primary.or_else(|| Some(usual_command(primary, reference))),
    };
    Some(NextAction { command, sentence: primary.safe_next_action().to_owned() })
}

/// Writes what was decided about the lines of one push, in one commit: a receipt for each refusal, an event for each admission.
///
/// The same candidate refused for the same reasons has its receipt already; an admission of the same update is not recorded twice.
/// `None` where somebody wrote since this was read: then it is read and judged again.
///
/// # Errors
/// When it can't be written.
pub fn keep(session: &Session<'_>, noted: &Noted, judged: &[Judged]) -> Result<Option<Vec<Option<Digest>>>, AppError> {
    let signer = session.local.registrar_or_new()?;
    let mut receipts = Vec::new();
    let mut events = Events::new(session, noted, &*signer);
    for one in judged {
        if !one.verdict.governed {
            receipts.push(None);
            continue;
        }
        match one.verdict.outcome {
            Outcome::Admitted => {
                if let (Some(tip), Some(snapshot)) = (one.facts.update.tip, snapshot(session, one)) {
                    admissions(&mut events, one, &snapshot, tip)?;
                }
                receipts.push(None);
            }
            Outcome::Refused => {
                receipts.push(refuse(&mut events, session, noted, &*signer, one)?);
            }
            Outcome::Undecided => receipts.push(None),
        }
    }
    let written = write_if_current(session, &*signer, "decision", events.writing())?;
    Ok(written.then_some(receipts))
}

/// What the refs looked like to who judged.
pub(super) fn snapshot(session: &Session<'_>, judged: &Judged) -> Option<Snapshot> {
    let last = session.policy_chain.versions.last().map(|(digest, ..)| *digest);
    let policy = session.policies.in_force.or(last)?;
    let reference = judged.request.reference.clone();
    let told = judged.request.side.known.iter().find(|known| known.reference == reference);
    let by = told.map_or(ObservedBy::Tracking, |known| known.by);
    let destination = Observation { by, oid: Some(judged.request.old), reference };
    Some(Snapshot { base: judged.facts.base.clone(), destination, policy, trust: session.trust.digest() })
}

/// The receipt of a refusal, and, where a proposal was refused, the event in the chain of its envelope that names the receipt. Gives the
/// receipt, also where it is there already; then nothing is written.
pub(super) fn refuse(
    events: &mut Events<'_, '_>,
    session: &Session<'_>,
    noted: &Noted,
    signer: &dyn Signer,
    judged: &Judged,
) -> Result<Option<Digest>, AppError> {
    let Refusal { digest, line } = refusal(session, noted, signer, judged)?;
    let Some((note, line)) = line else { return Ok(digest) };
    let receipt = line.digest();
    events.line(note, line);
    let proposal = judged.verdict.proposal.and_then(|digest| {
        Some((judged.facts.artifacts.get(&digest)?.note, &judged.facts.envelope(&digest)?.predicate))
    });
    if let Some((note, envelope)) = proposal {
        events.add(note, Some(envelope), EventKind::Refused { receipt })?;
    }
    Ok(digest)
}

/// The receipt of a refusal: one that is there already, or a new line for a note.
struct Refusal {
    digest: Option<Digest>,
    line: Option<(Oid, Dsse)>,
}

fn refusal(session: &Session<'_>, noted: &Noted, signer: &dyn Signer, judged: &Judged) -> Result<Refusal, AppError> {
    let (Some(note), Some(snapshot), Some(primary)) =
        (judged.facts.update.tip, snapshot(session, judged), judged.verdict.primary())
    else {
        // Without a commit to note it on, or a policy to have judged by, there is nothing that a receipt could bind.
        return Ok(Refusal { digest: None, line: None });
    };
    let candidate = judged.candidate(judged.verdict.proposal);
    let receipt = RefusalReceipt {
        at: session.now,
        candidate_digest: canonical::separated_digest("candidate", &candidate),
        candidate,
        checks: judged.verdict.checks.clone(),
        codes: judged.verdict.codes(),
        effects: Effects { admitted_envelope_created: false, requested_action_committed: false },
        primary_code: primary,
        reasons: reasons(&judged.verdict),
        safe_next_action: next_action(&judged.verdict, &judged.request.reference)
            .unwrap_or(NextAction { command: None, sentence: primary.safe_next_action().to_owned() }),
        snapshot,
    };
    noted.read(session, &note)?;
    let known = events::said(noted, note, signer, |artifact| {
        matches!(artifact, Artifact::Refusal(it) if it.predicate.candidate_digest == receipt.candidate_digest
            && it.predicate.codes == receipt.codes
            && it.predicate.reasons == receipt.reasons)
    });
    if known.is_some() {
        return Ok(Refusal { digest: known, line: None });
    }
    let subject = super::subject::subject(session, note)?;
    let line = sign_statement(&Statement { predicate: receipt, subject: Some(subject) }, signer)?;
    Ok(Refusal { digest: Some(line.digest()), line: Some((note, line)) })
}

/// One event for each proposal that the update rests on; one without an envelope where it rests on none. Where an owner's approval is
/// what it rests on, that is consumed with it.
pub(super) fn admissions(
    events: &mut Events<'_, '_>,
    judged: &Judged,
    snapshot: &Snapshot,
    tip: Oid,
) -> Result<(), AppError> {
    let mut used: Vec<Option<Digest>> = judged.verdict.used.iter().copied().map(Some).collect();
    if used.is_empty() && !judged.facts.range.is_empty() {
        used.push(None);
    }
    for envelope in used {
        admit(events, judged, snapshot, tip, (envelope, false))?;
    }
    Ok(())
}

/// The admission of one proposal, unless it is recorded, to wait for an approval or not.
pub(super) fn admit(
    events: &mut Events<'_, '_>,
    judged: &Judged,
    snapshot: &Snapshot,
    tip: Oid,
    (envelope, pending): (Option<Digest>, bool),
) -> Result<(), AppError> {
    let named = envelope.and_then(|digest| judged.facts.envelope(&digest)).map(|statement| &statement.predicate);
    let note = envelope.and_then(|digest| judged.facts.artifacts.get(&digest)).map_or(tip, |recorded| recorded.note);
    let candidate = judged.candidate(envelope);
    let approval = envelope.filter(|digest| !pending && has_approval(&judged.facts, digest)).and_then(|digest| {
        // Which of them it rests on is only looked for where there is any.
        approval::state(&judged.facts, &digest)?.rests_on
    });
    // What was admitted to wait is released by its approval. Where it needs none any more, it is admitted once more, without waiting.
    let waits = pending || approval.is_some();
    let known = |kind: &EventKind| {
        matches!(kind, EventKind::Admitted { candidate: other, pending, .. }
            if *other == candidate && (waits || !pending))
    };
    if !events.happened(note, known) {
        let snapshot = Box::new(snapshot.clone());
        events.add(note, named, EventKind::Admitted { candidate: candidate.clone(), pending, snapshot })?;
    }
    if let Some(approval) = approval {
        let known = |kind: &EventKind| {
            matches!(kind, EventKind::Released { approval: other, candidate: update }
                if *other == approval && *update == candidate)
        };
        if !events.happened(note, known) {
            events.add(note, named, EventKind::Released { approval, candidate })?;
        }
    }
    Ok(())
}

fn has_approval(facts: &Facts, proposal: &Digest) -> bool {
    facts.artifacts.about(proposal).any(|recorded| matches!(recorded.artifact.value(), Artifact::Approval(_)))
}

/// The exit status of several answers: a refusal outranks an undecided one, which outranks an admission.
pub fn worst(outcomes: impl IntoIterator<Item = Outcome>) -> Outcome {
    let mut worst = Outcome::Admitted;
    for outcome in outcomes {
        worst = match (worst, outcome) {
            (Outcome::Refused, _) | (_, Outcome::Refused) => Outcome::Refused,
            (Outcome::Undecided, _) | (_, Outcome::Undecided) => Outcome::Undecided,
            _ => Outcome::Admitted,
        };
    }
    worst
}

/// The first moment that any ledger shows for an artifact; for listings.
pub fn first_seen(entries: &[crate::gate::facts::LedgerEntry]) -> Option<Timestamp> {
    entries.iter().map(|entry| entry.at).min()
}

/// Counts by word, in a stable order.
pub fn tally<'a>(words: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word.to_owned()).or_insert(0) += 1;
    }
    counts
}
