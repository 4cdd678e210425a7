//! `submit`: a signed proposal is judged against one coherent reading of the refs, and the decision is recorded: admitted, admitted to
//! wait for an owner's approval, or refused (contract, sections 7 and 8).

mod completion;

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::events::Events;
use super::judge::{self, Answer, Judged};
use super::outbox;
use super::record::publish;
use super::remote::{self, Published};
use super::subject;
use super::transact::{Decided, transact};
use crate::codec::in_toto::Statement;
use crate::crypto::Signer;
use crate::gate::facts::Purpose;
use crate::gate::outbox::State;
use crate::gate::verdict::Outcome;
use crate::gather::base::Side;
use crate::gather::notes::Noted;
use crate::gather::{Session, UpdateRequest};
use crate::git::Head;
use crate::model::context::Observation;
use crate::model::decision::Disposition;
use crate::model::digest::Digest;
use crate::model::envelope::{Action, ClaimKind, Envelope};
use crate::model::id::{ArtifactId, EnvelopeId, Oid};
use crate::model::typed::{typed_branch, typed_ref, typed_remote};

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It may happen.
    Admitted,
    /// It may happen once an owner has approved it.
    Pending,
    /// It must not happen.
    Refused,
    /// Nothing was decided, since something could not be looked at.
    Undecided,
}

/// A decision about a proposal.
#[derive(Debug, Serialize)]
pub struct Submitted {
    /// The proposal.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// Its envelope.
    pub envelope_id: EnvelopeId,
    /// Its version.
    pub version: u64,
    /// What it claims.
    pub claim: ClaimKind,
    /// What was decided.
    pub decision: Decision,
    /// Whether this had been decided already, so that nothing was written.
    pub already: bool,
    /// The judgement in full.
    pub answer: Answer,
    /// What to type next, where it was admitted and that was not all.
    pub next: Option<String>,
    /// Whether the record is at the remote.
    pub published: Published,
    /// The commit in whose note it stands.
    #[serde(skip)]
    pub note: Oid,
}

/// Judges and records.
///
/// # Errors
/// When there is no such proposal, or facts can't be gathered at all.
pub fn submit(context: &Context, what: Option<&str>) -> Result<Submitted, AppError> {
    let repository = context.repository()?;
    let mut submitted = transact(context, &repository, "decision", |session, noted, signer| {
        let (digest, statement) = subject::proposal(session, noted, what, &subject::to_propose)?;
        decide(session, noted, signer, (&remote::side(session.repository)?, None), digest, &statement)
    })?;
    if !submitted.already {
        submitted.published = publish(context)?;
    }
    Ok(submitted)
}

/// Judges one proposal, and says what is to be recorded of it. `held` is what the other side was just seen to hold of the ref, zero for
/// nothing; else what is known of it here goes.
///
/// # Errors
/// When facts can't be gathered at all.
pub(super) fn decide(
    session: &Session<'_>,
    noted: &Noted,
    signer: &dyn Signer,
    (side, held): (&Side, Option<Oid>),
    digest: Digest,
    statement: &Statement<Envelope>,
) -> Result<Decided<Submitted>, AppError> {
    let envelope = &statement.predicate;
    let commit = statement.subject.as_ref().map(|about| about.commit).ok_or_else(|| nothing(&digest))?;
    let judged = match envelope.claim.kind {
        ClaimKind::Write => return Err(decided_elsewhere(&digest)),
        ClaimKind::Completion => completion::judge(session, noted, side, digest, (commit, statement))?,
        ClaimKind::Change => {
            let action = envelope.requested_action.clone().ok_or_else(|| nothing(&digest))?;
            let held = match held {
                Some(held) => Some(held).filter(|oid| !oid.is_zero()),
                None => side.held(session.repository, &action.reference)?,
            };
            let ours = || {
                outbox::rows(noted, commit, envelope, signer).iter().any(|row| row.candidate.envelope == Some(digest))
            };
            if held == Some(action.new) && !ours() {
                return Err(there_already(&action));
            }
            judge_change(session, noted, (side, held), digest, &action)?
        }
    };
    let mut found = Submitted {
        id: ArtifactId::of(&digest),
        digest,
        envelope_id: envelope.envelope_id,
        version: envelope.version,
        claim: envelope.claim.kind,
        decision: decision(&judged, &digest),
        already: false,
        answer: judged.answer(None),
        next: None,
        published: Published::Off,
        note: commit,
    };
    if found.decision == Decision::Admitted {
        found.next = match &envelope.requested_action {
            None => Some("git boundary settle".to_owned()),
            Some(_) if is_done(session, noted, signer, (digest, commit))? => None,
            Some(action) => Some(to_push(session, side, action)?),
        };
    }
    let (Some(tip), Some(snapshot)) = (judged.facts.update.tip, judge::snapshot(session, &judged)) else {
        return Ok(Decided::nothing(found));
    };
    let mut events = Events::new(session, noted, signer);
    match found.decision {
        Decision::Admitted if envelope.claim.kind == ClaimKind::Completion || !judged.verdict.governed => {
            judge::admit(&mut events, &judged, &snapshot, tip, (digest, false))?;
        }
        Decision::Admitted => judge::admit_all(&mut events, &judged, &snapshot, tip)?,
        Decision::Pending => judge::admit(&mut events, &judged, &snapshot, tip, (digest, true))?,
        Decision::Refused => {
            let receipt = judge::refuse(&mut events, session, noted, signer, &judged)?;
            found.answer = judged.answer(receipt);
        }
        Decision::Undecided => {}
    }
    let writing = events.writing();
    found.already = writing.lines.is_empty() && found.decision != Decision::Undecided;
    let seen = [judged.facts.update.reference.clone(), judged.facts.base.reference.clone()];
    let observed = |reference: &String| -> Result<(Side, Observation), AppError> {
        Ok((side.clone(), side.observe(session.repository, reference)?))
    };
    Ok(Decided { seen: seen.iter().map(observed).collect::<Result<_, _>>()?, value: found, writing })
}

fn decision(judged: &Judged, digest: &Digest) -> Decision {
    match judged.verdict.outcome {
        Outcome::Admitted => Decision::Admitted,
        Outcome::Undecided => Decision::Undecided,
        // At release an approval is needed; until then it may still come.
        Outcome::Refused if judged.verdict.awaits_approval() && judged.verdict.proposal == Some(*digest) => {
            Decision::Pending
        }
        Outcome::Refused => Decision::Refused,
    }
}

/// The update that a proposal asks for, as if it were pushed now, with no other proposal of the same commit to speak for it.
fn judge_change(
    session: &Session<'_>,
    noted: &Noted,
    (side, held): (&Side, Option<Oid>),
    digest: Digest,
    action: &Action,
) -> Result<Judged, AppError> {
    let zero = session.repository.object_format().zero_oid();
    // What landed is judged from where it was moved.
    let old = held.filter(|old| *old != action.new).unwrap_or(if held.is_some() { action.old } else { zero });
    let request = UpdateRequest {
        exact: false,
        new: action.new,
        old,
        purpose: Purpose::Push,
        reference: action.reference.clone(),
        side: side.clone(),
    };
    judge::judge_with(session, noted, request, |facts| {
        let tip = facts.update.tip;
        facts.proposals.retain(|one| one.digest == digest || Some(one.tip) != tip);
        crate::gate::judge::judge(facts)
    })
}

/// Whether this clone saw the update of a proposal arrive.
fn is_done(
    session: &Session<'_>,
    noted: &Noted,
    signer: &dyn Signer,
    (proposal, note): (Digest, Oid),
) -> Result<bool, AppError> {
    let rows = outbox::on(session, noted, signer, note)?;
    let mut own = rows.iter().filter(|entry| entry.proposal == proposal);
    Ok(own.any(|entry| matches!(entry.row.state, State::Settled { disposition: Disposition::Complete, .. })))
}

/// The command that pushes what was admitted.
fn to_push(session: &Session<'_>, side: &Side, action: &Action) -> Result<String, AppError> {
    let reference = &action.reference;
    let remote = side.remote.as_deref().map_or("<remote>".into(), typed_remote);
    if action.new.is_zero() {
        return Ok(format!("git push {remote} :{}", typed_ref(reference)));
    }
    if side.remote.is_none() || session.repository.find_ref(reference)? != Some(action.new) {
        return Ok(format!("git push {remote} {}:{}", action.new.short(), typed_ref(reference)));
    }
    match session.repository.head()? {
        Head::Branch { name, .. } if name == *reference => Ok("git boundary push".to_owned()),
        _ => Ok(format!("git boundary push {remote} {}", typed_branch(reference))),
    }
}

/// What is there and was not let through here under this proposal: to admit it now would make a result of what others did.
fn there_already(action: &Action) -> AppError {
    AppError::usage(
        format!(
            "{} is at {} already, and not by a push that this clone admitted under this proposal, so that there is nothing to decide",
            action.reference,
            action.new.short()
        ),
        format!("git boundary verify {}", action.new.short()),
    )
}

/// A file is written where its session runs, and nothing of it is decided anywhere else.
fn decided_elsewhere(digest: &Digest) -> AppError {
    let id = ArtifactId::of(digest);
    AppError::usage(
        format!("proposal {id} asks for a file to be written, which was decided when it was asked for"),
        format!("git boundary approve {id} --key <owner>"),
    )
}

fn nothing(digest: &Digest) -> AppError {
    let id = ArtifactId::of(digest);
    AppError::usage(format!("proposal {id} asks for nothing that could be decided"), format!("git boundary show {id}"))
}
