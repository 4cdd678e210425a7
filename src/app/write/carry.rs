//! CARRY: an approved wish is judged once more with what is seen now, its approval is consumed, it is claimed, and, once the gateway has
//! acted, settled: exactly once, by who holds the claim (contract, section 8).

use crate::app::context::Context;
use crate::app::dispatch::{self, claim};
use crate::app::error::{AppError, Failure};
use crate::app::events::Events;
use crate::app::judge::{self, Answer};
use crate::app::outbox::{self, Entry};
use crate::app::settle::{self, Word};
use crate::app::subject;
use crate::app::transact::{Decided, transact};
use crate::codec::in_toto::Statement;
use crate::gate::outbox::State as RowState;
use crate::gate::verdict::Outcome;
use crate::gate::write::Standing;
use crate::gather::notes::Noted;
use crate::gather::write::bytes;
use crate::gather::{Session, proposals};
use crate::git::Repository;
use crate::model::decision::Disposition;
use crate::model::digest::Digest;
use crate::model::envelope::{Action, ClaimKind, Envelope, FileWrite};
use crate::model::id::{ArtifactId, Oid};
use crate::store::Dispatching;

use super::told::{State, Status};

/// A wish that may be carried out now, by this process alone.
#[derive(Debug)]
pub struct Claim {
    /// The exact bytes, with the digest that was approved.
    pub bytes: Vec<u8>,
    /// What is to be written.
    pub file: FileWrite,
    entry: Entry,
    _alone: Dispatching,
}

/// What is to be done about a wish.
#[derive(Debug)]
pub enum Turn {
    /// It is this process's turn to act.
    Act(Box<Claim>),
    /// It came to its end, now or before; the work receipt where one was written now.
    Ended(Word, Option<ArtifactId>),
    /// It waits for an owner.
    Pending,
    /// It may not happen, or not now; nothing was consumed.
    Refused(Box<Answer>),
    /// It can't be told whether it may.
    Undecided(Box<Answer>),
    /// Another process is at it.
    Busy,
}

/// How often the lock is waited for, a fifth of a second each time: somebody pushes for as long, or carries out another wish.
const PATIENCE: usize = 25;

/// The lock of who acts in this clone, waited for.
fn alone(repository: &Repository) -> Result<Dispatching, AppError> {
    let mut tries = 0;
    loop {
        match dispatch::alone(repository) {
            Err(error) if error.failure() == Failure::Undecided && tries < PATIENCE => {
                drop(error);
                tries += 1;
            }
            Err(error) if error.failure() == Failure::Undecided => {
                let text = "another process of this clone acts, and has for a while; what is approved waits".to_owned();
                let hint = Some("git boundary settle".to_owned());
                return Err(AppError::Told { failure: Failure::Undecided, hint, text });
            }
            other => return other,
        }
    }
}

/// The proposal of a wish, read from the note of the commit that stands for it.
pub(super) fn find(
    session: &Session<'_>,
    noted: &Noted,
    (digest, commit): (Digest, Oid),
) -> Result<(Digest, Statement<Envelope>), AppError> {
    // Where it stands is known, and looked at first: a digest alone is looked for in every note.
    if session.repository.contains(&commit) {
        noted.read(session, &commit)?;
        if let Some(statement) = proposals::statement(noted, &digest) {
            return Ok((digest, statement));
        }
    }
    subject::proposal(session, noted, Some(&digest.to_string()), &subject::to_approve)
}

pub(super) fn no_wish(digest: &Digest) -> AppError {
    let id = ArtifactId::of(digest);
    AppError::usage(format!("proposal {id} asks for no file to be written"), format!("git boundary show {id}"))
}

/// Takes the turn of a wish, or says why it can't be taken. After an attempt that nobody settled, what the worktree holds says what that
/// attempt did.
///
/// # Errors
/// When it can't be judged or recorded at all.
pub fn begin(context: &Context, status: &Status, standing: &Standing) -> Result<Turn, AppError> {
    let wish = (status.digest, status.commit);
    let repository = context.repository()?;
    let alone = alone(&repository)?;
    if let Some((entry, content)) = row(context, &repository, wish)? {
        match &entry.row.state {
            RowState::Settled { disposition, .. } => return Ok(Turn::Ended(Word::of(*disposition), None)),
            // Who claimed it before and holds the lock no more was killed.
            RowState::Claimed { .. } => {
                let end = match &standing.found {
                    Ok(found) if *found == Some(content.content) => Some(Disposition::Complete),
                    // It may have been written and taken back: an approval is for once, so that nobody tries again.
                    Ok(found) if *found == content.preimage => Some(Disposition::Expired),
                    // What is there now is neither: whether it was written in between, nobody can say.
                    Ok(_) => Some(Disposition::Unknown),
                    Err(_) => None,
                };
                if let Some(end) = end {
                    let receipt = record(context, &repository, &entry, end)?;
                    return Ok(Turn::Ended(Word::of(end), receipt));
                }
            }
            RowState::Pending | RowState::Ready => {}
        }
    }
    let decided = transact(context, &repository, "decision", |session, noted, signer| {
        let (digest, statement) = find(session, noted, wish)?;
        let action = wished(&digest, &statement)?;
        let judged = super::judge(session, noted, (digest, action), Some(standing.clone()))?;
        let mut events = Events::new(session, noted, signer);
        let turn = match (judged.verdict.outcome, judge::snapshot(session, &judged)) {
            (Outcome::Admitted, Some(snapshot)) => {
                judge::admit(&mut events, &judged, &snapshot, action.new, (digest, false))?;
                None
            }
            (Outcome::Refused, _) if judged.verdict.awaits_approval() => Some(Turn::Pending),
            (Outcome::Refused, _) => {
                let receipt = judge::refuse(&mut events, session, noted, signer, &judged)?;
                Some(Turn::Refused(Box::new(judged.answer(receipt))))
            }
            (Outcome::Admitted | Outcome::Undecided, _) => Some(Turn::Undecided(Box::new(judged.answer(None)))),
        };
        Ok(Decided { seen: Vec::new(), value: turn, writing: events.writing() })
    })?;
    if let Some(turn) = decided {
        return Ok(turn);
    }
    let Some((entry, file)) = row(context, &repository, wish)? else {
        return Err(AppError::fatal("the admitted wish has no row in this clone's ledger", "git boundary doctor"));
    };
    let Some(entry) = claim(context, &repository, &entry, None)? else { return Ok(Turn::Busy) };
    let content = bytes(&repository, &entry.row.candidate.new, &file)?.unwrap_or_default();
    Ok(Turn::Act(Box::new(Claim { bytes: content, file, entry, _alone: alone })))
}

/// Settles a wish whose session is over, by what the worktree holds: what was not claimed before never happens. Nothing where it came to
/// its end, or was refused.
///
/// # Errors
/// When it can't be recorded.
pub fn lapse(context: &Context, status: &Status, found: Result<Option<Digest>, String>) -> Result<(), AppError> {
    if !matches!(status.state, State::Pending | State::Approved | State::Rejected | State::Claimed) {
        return Ok(());
    }
    let repository = context.repository()?;
    let _alone = alone(&repository)?;
    let Some((entry, file)) = row(context, &repository, (status.digest, status.commit))? else { return Ok(()) };
    let end = match &entry.row.state {
        RowState::Settled { .. } => return Ok(()),
        RowState::Pending | RowState::Ready => Disposition::Expired,
        RowState::Claimed { .. } => match found {
            Ok(found) if found == Some(file.content) => Disposition::Complete,
            Ok(found) if found == file.preimage => Disposition::Expired,
            Ok(_) | Err(_) => Disposition::Unknown,
        },
    };
    record(context, &repository, &entry, end).map(drop)
}

/// Does something while nobody carries anything out in this clone.
///
/// # Errors
/// When somebody does, and what is done fails.
pub fn alone_here<T>(context: &Context, work: impl FnOnce() -> Result<T, AppError>) -> Result<T, AppError> {
    let repository = context.repository()?;
    let _alone = alone(&repository)?;
    work()
}

/// Settles a claim as it ended, and gives the work receipt.
///
/// # Errors
/// When it can't be recorded: the next look at it settles it by what the worktree holds.
pub fn settle(context: &Context, claim: &Claim, end: Disposition) -> Result<Option<ArtifactId>, AppError> {
    record(context, &context.repository()?, &claim.entry, end)
}

fn record(
    context: &Context,
    repository: &Repository,
    entry: &Entry,
    end: Disposition,
) -> Result<Option<ArtifactId>, AppError> {
    let candidate = &entry.row.candidate;
    let value = if end == Disposition::Complete { candidate.new } else { candidate.old };
    Ok(settle::record(context, repository, entry, end, Some(value))?.as_ref().map(ArtifactId::of))
}

fn wished<'s>(digest: &Digest, statement: &'s Statement<Envelope>) -> Result<&'s Action, AppError> {
    let action = statement.predicate.requested_action.as_ref().filter(|action| action.write.is_some());
    action.filter(|_| statement.predicate.claim.kind == ClaimKind::Write).ok_or_else(|| no_wish(digest))
}

/// The row of a wish in this clone's ledger, and what it is to write.
fn row(
    context: &Context,
    repository: &Repository,
    wish: (Digest, Oid),
) -> Result<Option<(Entry, FileWrite)>, AppError> {
    let session = context.open(repository)?;
    let noted = Noted::default();
    let (digest, statement) = find(&session, &noted, wish)?;
    let action = wished(&digest, &statement)?;
    let Some(file) = action.write.clone() else { return Err(no_wish(&digest)) };
    let signer = session.local.registrar()?;
    let rows = outbox::on(&session, &noted, &*signer, action.new)?;
    Ok(rows.into_iter().find(|entry| entry.proposal == digest).map(|entry| (entry, file)))
}
