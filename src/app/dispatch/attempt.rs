//! ATTEMPT: a claim, the user's `git push` with a lease, a look at the remote, a settlement. At most three, with one idempotency key.

use std::hash::{BuildHasher as _, RandomState};
use std::thread::sleep;
use std::time::Duration;

use super::{Dispatched, compare, row};
use crate::app::context::{Context, nonce};
use crate::app::error::AppError;
use crate::app::events::Events;
use crate::app::outbox::{self, Entry, Found};
use crate::app::publication;
use crate::app::record::publish;
use crate::app::remote;
use crate::app::settle::{self, Word};
use crate::app::transact::{Decided, transact};
use crate::gate::outbox::{MOST_ATTEMPTS, State};
use crate::gather::notes::Noted;
use crate::git::{PushOptions, PushRef, PushStatus, RemoteError, Repository};
use crate::model::decision::Disposition;
use crate::model::digest::Digest;
use crate::model::event::EventKind;
use crate::model::id::{ArtifactId, Oid};
use crate::store::Dispatching;

/// Seconds for which a claim is good where nobody gives it up.
const CLAIM: i64 = 120;
/// The wait before the second attempt; twice that before the third.
const BACKOFF_MILLIS: u64 = 400;
/// Most lines of a remote that are handed on.
const MOST_TOLD: usize = 50;
/// Most characters of each.
const LONGEST_TOLD: usize = 1000;

/// What one run of git did.
enum Ran {
    /// git and the remote were of one mind; the remote is still looked at.
    Done,
    /// It may go better the next time.
    Again(String),
    /// Nothing was pushed, for a reason on this side.
    Stopped(String),
    /// The remote said no.
    No(String),
}

/// Dispatches an admitted update.
///
/// # Errors
/// When the remote can't be observed, or nothing can be recorded.
pub(super) fn dispatch(
    context: &Context,
    repository: &Repository,
    _alone: &Dispatching,
    mut answer: Dispatched,
    of: (Digest, Oid),
) -> Result<Dispatched, AppError> {
    let mut held: Option<String> = None;
    loop {
        let Some(entry) = row(context, repository, of, &answer)? else {
            return Err(AppError::fatal(
                "the admitted update has no row in this clone's ledger",
                "git boundary doctor",
            ));
        };
        answer.attempts = entry.row.attempts;
        if let State::Settled { disposition, .. } = &entry.row.state {
            answer.state = Word::of(*disposition);
            answer.remark = Some("it was settled before".to_owned());
            break;
        }
        // After the first attempt nobody knows what the one before did.
        if entry.row.attempts > 0 {
            let (found, value) = compare(repository, &entry, &answer.remote)?;
            let end = match found {
                Found::There(_) => Some(Disposition::Complete),
                Found::Elsewhere(_) => Some(Disposition::Failed),
                _ if entry.row.attempts >= MOST_ATTEMPTS => Some(Disposition::Expired),
                _ => None,
            };
            if let Some(end) = end {
                finish(context, repository, &mut answer, &entry, end, value)?;
                break;
            }
        }
        let Some(entry) = claim(context, repository, &entry, held.as_deref())? else {
            answer.state = Word::Claimed;
            answer.remark = Some("another process of this clone claimed it".to_owned());
            answer.command = Some("git boundary settle".to_owned());
            break;
        };
        answer.attempts = entry.row.attempts;
        let (ran, told) = run(context, repository, &answer, Some(&entry))?;
        answer.told = told;
        let (found, value) = match compare(repository, &entry, &answer.remote) {
            Ok(seen) => seen,
            Err(error) if matches!(ran, Ran::Again(_)) && entry.row.attempts < MOST_ATTEMPTS => {
                drop(error);
                held = fence(&entry);
                wait(entry.row.attempts);
                continue;
            }
            Err(error) => return Err(error),
        };
        match (found, ran) {
            (Found::There(_), _) => finish(context, repository, &mut answer, &entry, Disposition::Complete, value)?,
            (_, Ran::Again(_)) if entry.row.attempts < MOST_ATTEMPTS => {
                held = fence(&entry);
                wait(entry.row.attempts);
                continue;
            }
            (Found::NotYet, Ran::Stopped(why)) => {
                answer.state = Word::Ready;
                answer.remark = Some(why);
                answer.command = Some(settle::push_again(&answer.remote, &answer.reference));
            }
            (_, Ran::Again(why)) => {
                answer.remark = Some(why);
                finish(context, repository, &mut answer, &entry, Disposition::Expired, value)?;
            }
            (_, Ran::No(why) | Ran::Stopped(why)) => {
                answer.remark = Some(why);
                finish(context, repository, &mut answer, &entry, Disposition::Failed, value)?;
            }
            (_, Ran::Done) => {
                answer.remark = Some("git reported success, and the remote does not hold it".to_owned());
                finish(context, repository, &mut answer, &entry, Disposition::Failed, value)?;
            }
        }
        break;
    }
    answer.published = publish(context)?;
    Ok(answer)
}

/// A push that needs no proposal of its own: one attempt, nothing to settle.
///
/// # Errors
/// When nothing can be published.
pub(super) fn without_a_row(
    context: &Context,
    repository: &Repository,
    alone: &Dispatching,
    mut answer: Dispatched,
) -> Result<Dispatched, AppError> {
    let (ran, told) = run(context, repository, &answer, None)?;
    let seen = settle::look(repository, &answer.remote, std::iter::once(&answer.reference))?;
    let there = settle::value_of(repository, &seen, &answer.reference) == answer.new;
    answer.attempts = 1;
    answer.state = if there { Word::Complete } else { Word::Failed };
    if !there {
        answer.remark = Some(match ran {
            Ran::Done => "git reported success, and the remote does not hold it".to_owned(),
            Ran::Again(why) | Ran::Stopped(why) | Ran::No(why) => why,
        });
        answer.told = told;
    }
    if there {
        settle_what_is_there(context, repository, alone, &mut answer)?;
    }
    answer.published = publish(context)?;
    Ok(answer)
}

/// Settles what was admitted for the very update that the remote was seen to hold: by a hook, for a push of somebody's by hand, or by
/// a process that was killed.
///
/// # Errors
/// When the own ledger can't be read or written.
pub(super) fn settle_what_is_there(
    context: &Context,
    repository: &Repository,
    _alone: &Dispatching,
    answer: &mut Dispatched,
) -> Result<(), AppError> {
    let entries = {
        let session = context.open(repository)?;
        let signer = session.local.registrar_or_new()?;
        outbox::open(&session, &Noted::default(), &*signer)?
    };
    for entry in entries {
        let candidate = &entry.row.candidate;
        let is_it = candidate.reference == answer.reference && candidate.new == answer.new;
        // Who claimed it and does not hold the lock was killed.
        if is_it && matches!(entry.row.state, State::Ready | State::Claimed { .. }) {
            let receipt = settle::record(context, repository, &entry, Disposition::Complete, Some(answer.new))?;
            answer.receipt = receipt.as_ref().map(ArtifactId::of).or(answer.receipt);
        }
    }
    Ok(())
}

fn fence(entry: &Entry) -> Option<String> {
    match &entry.row.state {
        State::Claimed { fence, .. } => Some(fence.clone()),
        _ => None,
    }
}

/// Claims a row for the next attempt; `None` where another process did so first. `held` is the fence of this process's own claim.
///
/// # Errors
/// When the row can't be read or nothing can be recorded.
pub(in crate::app) fn claim(
    context: &Context,
    repository: &Repository,
    entry: &Entry,
    held: Option<&str>,
) -> Result<Option<Entry>, AppError> {
    let new_fence = nonce()?;
    let wanted = &entry.row.candidate;
    let claimed = transact(context, repository, "claim", |session, noted, signer| {
        let rows = outbox::on(session, noted, signer, entry.note)?;
        let Some(now) = rows.iter().find(|one| one.proposal == entry.proposal && one.row.candidate == *wanted) else {
            return Ok(Decided::nothing(false));
        };
        // Whoever claimed it before and holds no lock any more was killed, and whoever holds the lock is here.
        let free = match &now.row.state {
            State::Ready => true,
            State::Claimed { fence, .. } => Some(fence.as_str()) == held || now.row == entry.row,
            State::Pending | State::Settled { .. } => false,
        };
        if !free || now.row.attempts >= MOST_ATTEMPTS {
            return Ok(Decided::nothing(false));
        }
        let mut events = Events::new(session, noted, signer);
        let kind = EventKind::Claimed {
            attempt: now.row.attempts + 1,
            candidate: wanted.clone(),
            fence: new_fence.clone(),
            row_version: now.row.version,
            until: session.now.plus(CLAIM),
        };
        events.add(entry.note, Some(&entry.statement.predicate), kind)?;
        Ok(Decided { seen: Vec::new(), value: true, writing: events.writing() })
    })?;
    if !claimed {
        return Ok(None);
    }
    let session = context.open(repository)?;
    let noted = Noted::default();
    let signer = session.local.registrar_or_new()?;
    let rows = outbox::on(&session, &noted, &*signer, entry.note)?;
    Ok(rows.into_iter().find(|one| one.proposal == entry.proposal && fence(one).as_deref() == Some(&*new_fence)))
}

/// The user's own git, with the user's hooks and credentials: the ref under a lease on its old value, and this clone's receipts with it.
fn run(
    context: &Context,
    repository: &Repository,
    answer: &Dispatched,
    entry: Option<&Entry>,
) -> Result<(Ran, Vec<String>), AppError> {
    let session = context.open(repository)?;
    let zero = repository.object_format().zero_oid();
    let mut refspecs = vec![format!("{}:{}", answer.new, answer.reference)];
    if remote::publishes(context, repository) {
        let missing = publication::unpublished(&session, &answer.remote)?;
        refspecs.extend(missing.into_iter().map(|name| format!("{name}:{name}")));
    }
    let old = entry.map_or(answer.old, |entry| entry.row.candidate.old);
    let mut options = PushOptions {
        atomic: refspecs.len() > 1,
        leases: vec![(answer.reference.clone(), Some(old).filter(|old| *old != zero))],
        ..PushOptions::default()
    };
    let asked = repository.config_string("boundary.pushOption").is_some_and(|value| value == "true");
    if let Some(entry) = entry.filter(|_| asked) {
        options.push_options = vec![format!("boundary-idempotency-key={}", entry.statement.predicate.idempotency_key)];
    }
    Ok(attempt(repository, &answer.remote, &refspecs, options, &answer.reference))
}

/// One run of git, and what the remote's hooks said in it.
fn attempt(
    repository: &Repository,
    remote: &str,
    refspecs: &[String],
    options: PushOptions,
    reference: &str,
) -> (Ran, Vec<String>) {
    let said = |text: &str| {
        let lines = text.lines().filter_map(remote_line).take(MOST_TOLD);
        lines.map(|line| line.chars().take(LONGEST_TOLD).collect()).collect::<Vec<String>>()
    };
    match repository.push(remote, refspecs, &options) {
        Ok(pushed) => {
            let lines = said(&pushed.messages);
            let told = pushed.refs.iter().find(|one| one.name == reference).map(|one| one.status.clone());
            let ran = match told {
                Some(PushStatus::Done | PushStatus::UpToDate) => return (Ran::Done, Vec::new()),
                Some(PushStatus::Raced) => Ran::Again(format!("{reference} was moved at the same moment")),
                Some(PushStatus::Behind | PushStatus::Stale) => {
                    Ran::No(format!("{reference} at {remote} is no longer where it was judged"))
                }
                Some(PushStatus::NotAtomic) => {
                    let others: Vec<String> = pushed.refs.iter().filter_map(refusal).collect();
                    Ran::Stopped(format!("{remote} took no part of the push: {}", others.join("; ")))
                }
                Some(PushStatus::Refused(why)) => Ran::No(format!("{remote} refused {reference}: {why}")),
                None => Ran::Stopped(first_line(&pushed.messages)),
            };
            (ran, lines)
        }
        // Branch and receipts go one behind the other then.
        Err(RemoteError::NoAtomic { .. }) if options.atomic => {
            attempt(repository, remote, refspecs, PushOptions { atomic: false, ..options }, reference)
        }
        Err(RemoteError::Unreachable { message, .. }) => (Ran::Again(first_line(&message)), said(&message)),
        Err(RemoteError::Stopped { message, .. }) => (Ran::Stopped(first_line(&message)), said(&message)),
        Err(error) => (Ran::Stopped(first_line(&error.to_string())), Vec::new()),
    }
}

/// What a line is where the remote said it.
fn remote_line(line: &str) -> Option<String> {
    let said = line.strip_prefix("remote:")?.trim_end();
    let said = said.strip_prefix(' ').unwrap_or(said);
    (!said.is_empty()).then(|| said.to_owned())
}

/// git and its hooks say it in several lines, of which the first one says why.
fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("git gave no reason").to_owned()
}

/// What became of a ref that brought another one down.
fn refusal(one: &PushRef) -> Option<String> {
    match &one.status {
        PushStatus::Done | PushStatus::UpToDate | PushStatus::NotAtomic => None,
        PushStatus::Refused(why) => Some(format!("{}: {why}", one.name)),
        PushStatus::Behind | PushStatus::Stale => Some(format!("{} is ahead there", one.name)),
        PushStatus::Raced => Some(format!("{} was changed at the same moment", one.name)),
    }
}

fn finish(
    context: &Context,
    repository: &Repository,
    answer: &mut Dispatched,
    entry: &Entry,
    disposition: Disposition,
    value: Oid,
) -> Result<(), AppError> {
    let receipt = settle::record(context, repository, entry, disposition, Some(value))?;
    answer.receipt = receipt.as_ref().map(ArtifactId::of);
    answer.state = Word::of(disposition);
    if disposition != Disposition::Complete {
        answer.command = Some(settle::push_again(&answer.remote, &answer.reference));
    }
    Ok(())
}

/// A bounded wait, longer each time, and never the same for two that met.
fn wait(attempts: u64) {
    let longest = BACKOFF_MILLIS << attempts.min(MOST_ATTEMPTS);
    let jitter = RandomState::new().hash_one(attempts) % (longest / 2);
    sleep(Duration::from_millis(longest / 2 + jitter));
}
