//! Judging a push on the client, as git's `pre-push` hands it over. Records what was decided; pushes nothing.

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::judge::{self, Answer, Judged};
use super::receive::boundary;
use super::remote;
use crate::gate::facts::Purpose;
use crate::gate::verdict::Outcome;
use crate::gather::base::Side;
use crate::gather::notes::Noted;
use crate::gather::{Session, UpdateRequest};
use crate::git::{Repository, retry};
use crate::model::context::{Observation, ObservedBy};
use crate::model::id::Oid;

/// One ref that is being pushed.
#[derive(Debug, Clone)]
pub struct Pushed {
    /// The ref at the remote, in full.
    pub reference: String,
    /// The value it had there; zero for none.
    pub old: Oid,
    /// The value it gets; zero for a deletion.
    pub new: Oid,
}

/// The answer to a push.
#[derive(Debug, Serialize)]
pub struct PushAnswer {
    /// One answer for each ref, in git's order.
    pub refs: Vec<Answer>,
    /// The worst of them.
    #[serde(skip)]
    pub outcome: Outcome,
    /// Remarks about the push as a whole.
    pub notices: Vec<String>,
}

/// Judges every ref of a push.
///
/// # Errors
/// When nothing could be judged; the hook then refuses.
pub fn judge_push(context: &Context, remote: &str, refs: &[Pushed]) -> Result<PushAnswer, AppError> {
    let repository = context.repository()?;
    let (ours, governed): (Vec<&Pushed>, Vec<&Pushed>) = refs.iter().partition(|one| boundary::is_ours(&one.reference));
    let mut refused = Vec::new();
    for one in ours {
        refused.extend(boundary::taken_away(&repository, one)?);
    }
    let mut answer = if governed.is_empty() {
        PushAnswer { refs: Vec::new(), outcome: Outcome::Admitted, notices: Vec::new() }
    } else {
        retry("the boundary refs", || attempt(context, &repository, remote, &governed))?
    };
    if !refused.is_empty() {
        answer.outcome = Outcome::Refused;
        answer.refs.splice(0..0, refused);
    }
    Ok(answer)
}

/// Judges on one reading of the refs; `None` where it could not be recorded on just that.
fn attempt(
    context: &Context,
    repository: &Repository,
    remote: &str,
    governed: &[&Pushed],
) -> Result<Option<PushAnswer>, AppError> {
    let session = context.open(repository)?;
    let noted = Noted::default();
    let side = side(repository, remote, governed)?;
    let mut judged: Vec<Judged> = Vec::new();
    for one in governed {
        let request = UpdateRequest {
            exact: false,
            new: one.new,
            old: one.old,
            purpose: Purpose::Push,
            reference: one.reference.clone(),
            side: side.clone(),
        };
        judged.push(judge::judge_update(&session, &noted, request)?);
    }
    let outcome = judge::worst(judged.iter().map(|one| one.verdict.outcome));
    let Some((receipts, notices)) = keep(&session, &noted, &judged, outcome)? else { return Ok(None) };
    let refs = judged.iter().zip(receipts).map(|(one, receipt)| one.answer(receipt)).collect();
    Ok(Some(PushAnswer { refs, outcome, notices }))
}

type Kept = (Vec<Option<crate::model::digest::Digest>>, Vec<String>);

/// Writes the decisions. A push that must be refused is refused whether or not its receipt could be written; one that is admitted
/// needs its record.
fn keep(session: &Session<'_>, noted: &Noted, judged: &[Judged], outcome: Outcome) -> Result<Option<Kept>, AppError> {
    match judge::keep(session, noted, judged) {
        Ok(receipts) => Ok(receipts.map(|receipts| (receipts, Vec::new()))),
        Err(error) if outcome != Outcome::Admitted => {
            let notice = format!("the refusal's receipt could not be written: {error}");
            Ok(Some((vec![None; judged.len()], vec![notice])))
        }
        Err(error) => Err(error),
    }
}

/// What git told the hook about the other side, and, where `boundary.observe=remote`, what the remote answers.
fn side(repository: &Repository, remote: &str, refs: &[&Pushed]) -> Result<Side, AppError> {
    let named = repository.remotes().into_iter().find(|name| name == remote);
    let mut known: Vec<Observation> = refs
        .iter()
        .map(|one| Observation { by: ObservedBy::Hook, oid: Some(one.old), reference: one.reference.clone() })
        .collect();
    for one in remote::asked(repository, remote)? {
        if !known.iter().any(|told| told.reference == one.reference) {
            known.push(one);
        }
    }
    let remote = match named {
        Some(name) => Some(name),
        // Pushed to an address: the remote with that address, or the one that is used otherwise.
        None => {
            let by_address = repository.remotes().into_iter().find(|name| {
                repository.config_string(&format!("remote.{name}.url")).is_some_and(|address| address == remote)
            });
            by_address.map_or_else(|| remote::default_remote(repository), |name| Ok(Some(name)))?
        }
    };
    Ok(Side { remote, known })
}
