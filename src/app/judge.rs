//! Judging ref updates, and keeping what was decided: shared by the hook, `verify` and the commands that warn.

mod admitting;
mod refusing;

pub(super) use admitting::{Admission, admissions, admit, admit_all, write_admission};
pub(super) use refusing::{receipt_of, refuse};

use std::collections::BTreeMap;

use serde::Serialize;

use super::error::AppError;
use super::events::Events;
use super::remote;
use super::transact::write_if_current;
use crate::gate::case::typed_key;
use crate::gate::facts::{Facts, Purpose};
use crate::gate::judge::judge;
use crate::gate::next::usual_command;
use crate::gate::verdict::{Outcome, Verdict};
use crate::gather::notes::Noted;
use crate::gather::{Session, UpdateRequest, facts_for};
use crate::model::context::{Observation, ObservedBy, Snapshot};
use crate::model::decision::{Candidate, NextAction, ReasonGiven};
use crate::model::digest::Digest;
use crate::model::envelope::Action;
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

/// An action as the update that it is, if it were carried out by this clone now.
///
/// # Errors
/// When the remote's side can't be told.
pub(super) fn as_pushed(session: &Session<'_>, action: &Action) -> Result<UpdateRequest, AppError> {
    Ok(UpdateRequest {
        exact: false,
        new: action.new,
        old: action.old,
        purpose: Purpose::Push,
        reference: action.reference.clone(),
        side: remote::side(session.repository)?,
    })
}

/// What would stand against an action if it were pushed now, and the way on.
///
/// # Errors
/// When facts can't be gathered at all.
pub fn doubts(session: &Session<'_>, noted: &Noted, action: &Action) -> Result<Doubts, AppError> {
    let judged = judge_update(session, noted, as_pushed(session, action)?)?;
    let gaps = judged.verdict.gaps.iter().map(|gap| gap.text.clone());
    let found = judged.verdict.findings.iter().map(|one| format!("{}: {}", one.code, one.text));
    Ok(Doubts { advice: judged.advice(), next: judged.next_action(), warnings: found.chain(gaps).collect() })
}

/// What would stand against something.
#[derive(Debug, Default)]
pub struct Doubts {
    /// Other ways on, in sentences.
    pub advice: Vec<String>,
    /// The way on.
    pub next: Option<NextAction>,
    /// What would stand against it.
    pub warnings: Vec<String>,
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
    /// Other ways on, in sentences.
    pub advice: Vec<String>,
    /// Remarks.
    pub notices: Vec<String>,
    /// The receipt of a refusal.
    pub receipt: Option<ArtifactId>,
    /// Whether the receipt is kept at the server that judged, and nowhere else.
    pub kept_at_server: bool,
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
            next: self.next_action(),
            advice: self.advice(),
            notices: verdict.notices.clone(),
            receipt: receipt.as_ref().map(ArtifactId::of),
            kept_at_server: receipt.is_some() && self.facts.update.purpose == Purpose::Receive,
        }
    }

    /// The safe way on: the primary code's sentence, and the command of a finding of that code, which fits it.
    pub fn next_action(&self) -> Option<NextAction> {
        let verdict = &self.verdict;
        let primary = verdict.primary()?;
        if self.facts.write.is_some() {
            return Some(of_a_write(verdict, primary));
        }
        let of_primary = verdict.findings.iter().filter(|one| one.code == primary).find_map(|one| one.command.clone());
        let of_gap = verdict.gaps.iter().find_map(|gap| gap.command.clone());
        let command = match verdict.outcome {
            Outcome::Undecided => of_gap,
            _ => of_primary.or_else(|| Some(self.filled(&usual_command(primary, &self.request.reference)))),
        };
        Some(NextAction { command, sentence: primary.safe_next_action().to_owned() })
    }

    /// A command with what is known of the judged proposal in the places that it leaves open. Whose key an owner or a checker signs with
    /// stays open.
    fn filled(&self, command: &str) -> String {
        let Some(digest) = self.verdict.proposal else { return command.to_owned() };
        let Some(statement) = self.facts.envelope(&digest) else { return command.to_owned() };
        let bindings = &statement.predicate.bindings;
        let mut filled = command.replace("<proposal>", &ArtifactId::of(&digest).to_string());
        if let Some(handoff) = bindings.lease.value() {
            filled = filled.replace("<handoff>", &ArtifactId::of(handoff).to_string());
        }
        if let Some(actor) = bindings.actor.value() {
            filled = filled.replace("<holder>", &typed_key(&self.facts, actor));
        }
        filled
    }

    /// Other ways on than the command, each once.
    pub fn advice(&self) -> Vec<String> {
        self.verdict.advice.iter().cloned().chain(self.elsewhere()).collect()
    }

    /// What is not here may have been recorded in another clone; a server has all that there is.
    fn elsewhere(&self) -> Option<String> {
        let absent = matches!(self.verdict.primary()?, Code::EvidenceBoundaryMissing | Code::PolicyUnresolved);
        let asks = self.facts.update.purpose == Purpose::Push;
        (absent && asks).then(|| "if it was recorded elsewhere, bring it first: git boundary sync".to_owned())
    }
}

/// The way on where a file was to be written: what helps a push is of no use there.
fn of_a_write(verdict: &Verdict, primary: Code) -> NextAction {
    let found = verdict.findings.iter().find(|one| one.code == primary);
    let (command, sentence) = match primary {
        Code::ApprovalRejected => (None, "An owner said no. Whoever asked can ask for something else."),
        Code::ApprovalMissing => (found.and_then(|one| one.command.clone()), "Have an owner look at it."),
        Code::ApprovalAlreadyConsumed | Code::AuthorityLeaseExpired => {
            (None, "Have it asked for anew: what was approved can't be carried out any more.")
        }
        _ => (
            Some("git boundary settle".to_owned()),
            "Nothing was written. Once all is as it was approved, this carries it out; else have it asked for anew.",
        ),
    };
    NextAction { command, sentence: sentence.to_owned() }
}

fn reasons(verdict: &Verdict) -> Vec<ReasonGiven> {
    verdict.findings.iter().map(|one| ReasonGiven { code: one.code, text: one.text.clone() }).collect()
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
                    admit_all(&mut events, one, &snapshot, tip)?;
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
