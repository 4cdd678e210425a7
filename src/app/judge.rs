//! Judging ref updates, and keeping what was decided: shared by the hook, `verify` and the commands that warn.

use std::collections::BTreeMap;

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::record::{Writing, record_as};
use super::remote;
use crate::codec::artifact::Artifact;
use crate::codec::canonical;
use crate::codec::dsse::Dsse;
use crate::codec::in_toto::Statement;
use crate::crypto::Signer;
use crate::crypto::verified::sign_statement;
use crate::gate::facts::{Facts, Purpose};
use crate::gate::judge::judge;
use crate::gate::next::usual_command;
use crate::gate::verdict::{Outcome, Verdict};
use crate::gather::notes::Noted;
use crate::gather::{Session, UpdateRequest, facts_for};
use crate::ledger::chain;
use crate::model::context::{Observation, ObservedBy, Snapshot};
use crate::model::decision::{Candidate, Effects, NextAction, ReasonGiven, RefusalReceipt};
use crate::model::digest::Digest;
use crate::model::envelope::Action;
use crate::model::event::{Event, EventKind};
use crate::model::id::{ArtifactId, EnvelopeId, Oid};
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
    let facts = facts_for(session, noted, &request)?;
    let verdict = judge(&facts);
    if verdict.outcome == Outcome::Admitted || facts.exact {
        return Ok(Judged { request, facts, verdict });
    }
    let request = UpdateRequest { exact: true, ..request };
    let facts = facts_for(session, noted, &request)?;
    let verdict = judge(&facts);
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
///
/// # Errors
/// When it can't be written.
pub fn keep(session: &Session<'_>, noted: &Noted, judged: &[Judged]) -> Result<Vec<Option<Digest>>, AppError> {
    let signer = session.local.registrar_or_new()?;
    let mut receipts = Vec::new();
    let mut writing = Writing::default();
    for one in judged {
        if !one.verdict.governed {
            receipts.push(None);
            continue;
        }
        match one.verdict.outcome {
            Outcome::Admitted => {
                writing.lines.extend(admissions(session, noted, &*signer, one)?);
                receipts.push(None);
            }
            Outcome::Refused => {
                let refusal = refusal(session, noted, &*signer, one)?;
                writing.lines.extend(refusal.line);
                receipts.push(refusal.digest);
            }
            Outcome::Undecided => receipts.push(None),
        }
    }
    record_as(session, &*signer, "decision", writing)?;
    Ok(receipts)
}

fn candidate(session: &Session<'_>, judged: &Judged, envelope: Option<Digest>) -> Candidate {
    Candidate {
        envelope,
        new: judged.request.new,
        old: judged.request.old,
        reference: judged.request.reference.clone(),
        repository: session.trust.repository(),
    }
}

fn snapshot(session: &Session<'_>, judged: &Judged) -> Option<Snapshot> {
    let last = session.policy_chain.versions.last().map(|(digest, ..)| *digest);
    let policy = session.policies.in_force.or(last)?;
    let destination = Observation {
        by: ObservedBy::Hook,
        oid: Some(judged.request.old),
        reference: judged.request.reference.clone(),
    };
    Some(Snapshot { base: judged.facts.base.clone(), destination, policy, trust: session.trust.digest() })
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
    let candidate = candidate(session, judged, judged.verdict.proposal);
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
    let known = noted.on(&note, |artifact| {
        matches!(artifact, Artifact::Refusal(it) if it.predicate.candidate_digest == receipt.candidate_digest
            && it.predicate.codes == receipt.codes
            && it.predicate.reasons == receipt.reasons)
    });
    if let Some(digest) = known.first() {
        return Ok(Refusal { digest: Some(*digest), line: None });
    }
    let subject = super::subject::subject(session, note)?;
    let line = sign_statement(&Statement { predicate: receipt, subject: Some(subject) }, signer)?;
    Ok(Refusal { digest: Some(line.digest()), line: Some((note, line)) })
}

/// One event for each proposal that the update rests on; one without an envelope where it rests on none.
fn admissions(
    session: &Session<'_>,
    noted: &Noted,
    signer: &dyn Signer,
    judged: &Judged,
) -> Result<Vec<(Oid, Dsse)>, AppError> {
    let (Some(tip), Some(snapshot)) = (judged.facts.update.tip, snapshot(session, judged)) else {
        return Ok(Vec::new());
    };
    let mut used: Vec<Option<Digest>> = judged.verdict.used.iter().copied().map(Some).collect();
    if used.is_empty() && !judged.facts.range.is_empty() {
        used.push(None);
    }
    let mut lines = Vec::new();
    for envelope in used {
        let named = envelope.and_then(|digest| judged.facts.envelope(&digest)).map(|statement| &statement.predicate);
        let note =
            envelope.and_then(|digest| judged.facts.artifacts.get(&digest)).map_or(tip, |recorded| recorded.note);
        let candidate = candidate(session, judged, envelope);
        let known = noted.on(&note, |artifact| {
            matches!(artifact, Artifact::Event(event)
                if matches!(&event.predicate.kind, EventKind::Admitted { candidate: other, .. } if *other == candidate))
        });
        if !known.is_empty() {
            continue;
        }
        let id = named.map(|envelope| envelope.envelope_id);
        let start = named.and_then(|envelope| envelope.bindings.context.value().copied());
        let (seq, prev) = next_link(noted, note, id, start, signer);
        let event = Event {
            at: session.now,
            envelope_id: id,
            kind: EventKind::Admitted { candidate, pending: false, snapshot: Box::new(snapshot.clone()) },
            prev,
            seq,
            version: named.map(|envelope| envelope.version),
        };
        let subject = super::subject::subject(session, note)?;
        lines.push((note, sign_statement(&Statement { predicate: event, subject: Some(subject) }, signer)?));
    }
    Ok(lines)
}

/// The place of the next event in this registrar's chain about one envelope.
pub(super) fn next_link(
    noted: &Noted,
    note: Oid,
    envelope: Option<EnvelopeId>,
    start: Option<Digest>,
    signer: &dyn Signer,
) -> (u64, Option<Digest>) {
    let key = signer.public_key();
    let mut links = Vec::new();
    for digest in
        noted.on(&note, |artifact| matches!(artifact, Artifact::Event(it) if it.predicate.envelope_id == envelope))
    {
        let Some(recorded) = noted.artifact(&digest).filter(|recorded| recorded.artifact.signed_by(&key)) else {
            continue;
        };
        if let Artifact::Event(event) = recorded.artifact.value() {
            links.push(chain::Link { seq: event.predicate.seq, prev: event.predicate.prev, digest });
        }
    }
    let start = start.filter(|digest| noted.artifact(digest).is_some_and(|recorded| recorded.artifact.signed_by(&key)));
    chain::next(start, &links).unwrap_or_else(|_| {
        // A chain with a fault is reported by `doctor`; what happens now is still recorded, after the highest link there is.
        let last = links.iter().max_by_key(|link| link.seq);
        last.map_or((chain::FIRST_SEQ, start), |link| (link.seq + 1, Some(link.digest)))
    })
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
