//! RECEIVE: judging what a server is sent, before any ref moves (contract, section 11). Runs inside git's quarantine: reads the pushed
//! objects there and writes nothing into the repository, only files beside its local state.

mod after;
pub(super) mod boundary;

pub use after::{Recorded, record};

use super::context::Context;
use super::error::AppError;
use super::judge::{self, Answer, Judged};
use super::push::{PushAnswer, Pushed};
use super::server;
use super::subject;
use crate::codec::canonical;
use crate::codec::in_toto::Statement;
use crate::crypto::verified::sign_statement;
use crate::gate::facts::Purpose;
use crate::gate::judge::judge;
use crate::gate::verdict::Outcome;
use crate::gather::base::Side;
use crate::gather::notes::Noted;
use crate::gather::{Session, SessionOptions, UpdateRequest};
use crate::git::Repository;
use crate::model::context::{Observation, ObservedBy};
use crate::model::digest::Digest;
use crate::model::refusal::Code;
use crate::store::{LocalState, Received, ReceivedUpdate, Used};

/// Most updates in one file of what waits to be recorded.
const UPDATES_A_FILE: usize = 200;

/// What every refusal by a server ends with where something was not found: it may only not have been sent.
const NOT_SENT: &str = "what is recorded in your clone alone counts here once it is sent: git boundary sync";

/// Judges every ref of a push that this server is to receive: boundary refs by whether they only add, all others by the rules, with the
/// boundary refs as they shall be.
///
/// # Errors
/// When nothing could be judged; the hook then refuses.
pub fn judge_receive(context: &Context, lines: &[Pushed]) -> Result<PushAnswer, AppError> {
    server::require_no_namespace(context)?;
    let repository = context.repository()?;
    let mut answer = PushAnswer { refs: Vec::new(), outcome: Outcome::Admitted, notices: Vec::new() };
    let lines = by_what_moves(&repository, lines, &mut answer.notices)?;
    let (ours, others): (Vec<&Pushed>, Vec<&Pushed>) =
        lines.iter().partition(|line| boundary::is_ours(&line.reference));
    let received = boundary::admit(context, &repository, &ours, &mut answer.refs)?;
    if !answer.refs.is_empty() {
        answer.outcome = Outcome::Refused;
    }
    if others.is_empty() {
        return Ok(answer);
    }
    let options = SessionOptions { received, ..context.session.clone() };
    let session = Session::open(&repository, context.now, &options)?;
    let noted = Noted::default();
    let judged = judge_others(&session, &noted, &others)?;
    answer.outcome = judge::worst(judged.iter().map(|one| one.verdict.outcome).chain([answer.outcome]));
    for one in &judged {
        let receipt = match one.verdict.outcome {
            Outcome::Refused => keep_refusal(&session, one).unwrap_or_else(|error| {
                answer.notices.push(format!("the refusal's receipt could not be written: {error}"));
                None
            }),
            _ => None,
        };
        answer.refs.push(told(one.answer(receipt)));
    }
    if answer.refs.iter().any(|one| one.codes.iter().copied().any(Code::is_absence) || one.outcome == "undecided") {
        answer.notices.push(NOT_SENT.to_owned());
    }
    if answer.outcome == Outcome::Admitted {
        keep_admitted(&session, &judged)?;
    }
    Ok(answer)
}

/// The same lines, each by the ref that would move: neither a symbolic ref that the keeper made nor, on a file system that folds case,
/// another spelling is another branch, and a way round its rule.
fn by_what_moves(
    repository: &Repository,
    lines: &[Pushed],
    notices: &mut Vec<String>,
) -> Result<Vec<Pushed>, AppError> {
    // Where files are found whatever the case of their names, so are loose refs.
    let folds = repository.config_bool("core.ignoreCase") == Some(true);
    let here = if folds { repository.refs_under("refs/")? } else { Vec::new() };
    let follow = |line: &Pushed| {
        let exact = here.iter().any(|(name, _)| *name == line.reference);
        let alike = here.iter().find(|(name, _)| !exact && name.eq_ignore_ascii_case(&line.reference));
        let named = alike.map_or(line.reference.as_str(), |(name, _)| name);
        let reference = repository.ref_behind(named)?;
        if reference != line.reference {
            notices.push(format!("{} is {reference} here, and is judged as that", line.reference));
        }
        Ok(Pushed { reference, ..line.clone() })
    };
    lines.iter().map(follow).collect()
}

fn judge_others(session: &Session<'_>, noted: &Noted, lines: &[&Pushed]) -> Result<Vec<Judged>, AppError> {
    let known = lines.iter().map(|one| Observation {
        by: ObservedBy::Hook,
        oid: Some(one.old),
        reference: one.reference.clone(),
    });
    let side = Side { remote: None, known: known.collect() };
    let judge_one = |one: &&Pushed| {
        let request = UpdateRequest {
            exact: false,
            new: one.new,
            old: one.old,
            purpose: Purpose::Receive,
            reference: one.reference.clone(),
            side: side.clone(),
        };
        judge::judge_with(session, noted, request, |facts| judge(facts))
    };
    lines.iter().map(judge_one).collect()
}

/// Commands are typed by who pushed, in a clone: what this server would fetch is for them to send.
fn told(mut answer: Answer) -> Answer {
    if let Some(next) = &mut answer.next
        && next.command.as_ref().is_some_and(|command| command.starts_with("git fetch"))
    {
        next.command = Some("git boundary sync".to_owned());
    }
    answer
}

/// Keeps the receipt of a refusal where refusals are kept; the same candidate refused for the same reasons has its receipt already.
fn keep_refusal(session: &Session<'_>, judged: &Judged) -> Result<Option<Digest>, AppError> {
    let Some((note, receipt)) = judge::receipt_of(session, judged) else { return Ok(None) };
    let alike = canonical::separated_digest("refused", &(&receipt.candidate_digest, &receipt.codes, &receipt.reasons));
    if let Some(known) = session.local.refused(&alike)? {
        return Ok(Some(known.digest()));
    }
    let signer = session.local.registrar_or_new()?;
    let subject = subject::subject(session, note)?;
    let line = sign_statement(&Statement { predicate: receipt, subject: Some(subject) }, &*signer)?;
    session.local.keep_refused(&alike, &line)?;
    Ok(Some(line.digest()))
}

/// Keeps what was admitted for `post-receive` to record, by the clock of the decision.
fn keep_admitted(session: &Session<'_>, judged: &[Judged]) -> Result<(), AppError> {
    let mut updates = Vec::new();
    for one in judged.iter().filter(|one| one.verdict.governed) {
        let (Some(tip), Some(snapshot)) = (one.facts.update.tip, judge::snapshot(session, one)) else { continue };
        let used = judge::admissions(one, tip).into_iter().map(|admission| Used {
            approval: admission.approval,
            envelope: admission.candidate.envelope,
            note: admission.note,
        });
        updates.push(ReceivedUpdate { candidate: one.candidate(None), snapshot, used: used.collect() });
    }
    for updates in updates.chunks(UPDATES_A_FILE) {
        session.local.keep_received(&Received { at: session.now, updates: updates.to_vec() })?;
    }
    Ok(())
}

/// Whether this repository has something to record that it received.
///
/// # Errors
/// When the local state can't be read.
pub fn waits(repository: &Repository) -> Result<bool, AppError> {
    Ok(!LocalState::of(repository).received()?.is_empty())
}
