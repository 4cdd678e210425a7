//! `settle`: looks at the remote, and records how admitted updates ended: once each, with a work receipt (contract, sections 8 and 9).

use serde::Serialize;

use super::context::Context;
use super::error::{AppError, Failure};
use super::events::Events;
use super::outbox::{self, Entry, Found};
use super::record::publish;
use super::remote::{self, Published};
use super::transact::{Decided, transact};
use super::{approval, result, subject};
use crate::gate::outbox::{MOST_ATTEMPTS, State};
use crate::gather::notes::Noted;
use crate::git::{Prompt, RemoteError, Repository};
use crate::model::decision::{Candidate, Disposition};
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, EnvelopeId, Oid};
use crate::model::refusal::Code;
use crate::model::typed::{typed_ref, typed_remote};

/// How one update stands.
#[derive(Debug, Clone, Serialize)]
pub struct Standing {
    /// The proposal.
    pub proposal: ArtifactId,
    /// Its envelope.
    pub envelope_id: EnvelopeId,
    /// The ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// From.
    pub old: Oid,
    /// To.
    pub new: Oid,
    /// In a word.
    pub state: Word,
    /// How often it was tried.
    pub attempts: u64,
    /// In words, where there is more to say.
    pub remark: Option<String>,
    /// What to type next.
    pub command: Option<String>,
    /// The work receipt, where there is one now.
    pub receipt: Option<ArtifactId>,
}

/// How an update stands, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// It waits for an owner's approval.
    Pending,
    /// It may be dispatched.
    Ready,
    /// A process of this clone is at it.
    Claimed,
    /// It happened.
    Complete,
    /// It did not and will not.
    Failed,
    /// It was tried as often as may be.
    Expired,
    /// What the remote holds can't be told from here.
    Unknown,
}

impl Word {
    /// The word stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Word::Pending => "pending",
            Word::Ready => "ready",
            Word::Claimed => "claimed",
            Word::Complete => "complete",
            Word::Failed => "failed",
            Word::Expired => "expired",
            Word::Unknown => "unknown",
        }
    }

    /// How a settled action ended.
    pub fn of(disposition: Disposition) -> Self {
        match disposition {
            Disposition::Complete => Word::Complete,
            Disposition::Failed => Word::Failed,
            Disposition::Expired => Word::Expired,
            Disposition::Unknown => Word::Unknown,
        }
    }
}

/// What `settle` did.
#[derive(Debug, Serialize)]
pub struct Settled {
    /// The remote that was looked at.
    pub remote: String,
    /// Updates that were open, and how they stand now.
    pub updates: Vec<Standing>,
    /// Results that were found to be verified now.
    pub verified: Vec<ArtifactId>,
    /// Whether the record is at the remote.
    pub published: Published,
}

/// Settles what is open, or what is open of one proposal; `end` is how it is to be taken to have ended where the remote does not say so.
///
/// # Errors
/// When there is no remote to look at, it can't be reached, or nothing can be written.
pub fn settle(
    context: &Context,
    what: Option<&str>,
    remote: Option<&str>,
    end: Option<Disposition>,
) -> Result<Settled, AppError> {
    let repository = context.repository()?;
    let remote = match remote {
        Some(remote) => remote.to_owned(),
        None => remote::default_remote(&repository)?.ok_or_else(no_remote)?,
    };
    let entries = open(context, &repository, what)?;
    // Whoever claimed what was just read, and holds the lock no more, is done or was killed. It is given back at once, so that nobody
    // who wants to dispatch takes this for a dispatcher: what is claimed from here on is another row than the one that is settled.
    let alone = crate::store::LocalState::of(&repository).dispatching()?.is_some();
    let seen = look(&repository, &remote, entries.iter().map(|entry| &entry.row.candidate.reference))?;
    let mut updates = Vec::new();
    for entry in &entries {
        let standing = settle_one(context, &repository, entry, (&remote, &seen), alone, end)?;
        updates.push(standing);
    }
    let verified = result::verify_results(context, &repository, what)?;
    let wrote = !verified.is_empty() || updates.iter().any(|one| one.receipt.is_some());
    let published = if wrote { publish(context)? } else { Published::Off };
    Ok(Settled { remote, updates, verified, published })
}

pub(super) fn no_remote() -> AppError {
    AppError::usage("this repository has no remote, so that nothing can be observed", "git remote add origin <url>")
}

fn open(context: &Context, repository: &Repository, what: Option<&str>) -> Result<Vec<Entry>, AppError> {
    let session = context.open(repository)?;
    let noted = Noted::default();
    if !session.local.has_registrar() {
        return Ok(Vec::new());
    }
    let signer = session.local.registrar()?;
    match what {
        None => outbox::open(&session, &noted, &*signer),
        Some(_) => {
            let (digest, statement) = subject::proposal(&session, &noted, what, &subject::to_name)?;
            let Some(note) = statement.subject.as_ref().map(|about| about.commit) else { return Ok(Vec::new()) };
            let mut found = outbox::on(&session, &noted, &*signer, note)?;
            found.retain(|entry| entry.proposal == digest && !entry.row.is_settled());
            Ok(found)
        }
    }
}

/// What the remote holds of some refs now; what is not in the answer is not there. Asks nothing where there is nothing to ask.
///
/// # Errors
/// When it doesn't answer.
pub(super) fn look<'s>(
    repository: &Repository,
    remote: &str,
    references: impl Iterator<Item = &'s String>,
) -> Result<Vec<(String, Oid)>, AppError> {
    let mut patterns: Vec<&str> = references.map(String::as_str).collect();
    patterns.sort_unstable();
    patterns.dedup();
    if patterns.is_empty() {
        return Ok(Vec::new());
    }
    // A command line has an end; all of them are asked for then.
    if patterns.len() > 500 {
        patterns.clear();
    }
    let answer = repository.ls_remote(remote, &patterns, Prompt::IfTerminal).map_err(|error| match error {
        RemoteError::Absent { .. } => AppError::usage(error.to_string(), "git remote -v"),
        error => AppError::Told {
            failure: Failure::Undecided,
            hint: Some(format!("git ls-remote {}", typed_remote(remote))),
            text: format!("the remote was not observed, so that nothing is settled: {error}"),
        },
    })?;
    Ok(answer.refs)
}

/// The command that pushes this update and no other, whatever branch is current.
pub(super) fn push_again(remote: &str, reference: &str) -> String {
    format!("git boundary push {} {}", typed_remote(remote), typed_ref(reference))
}

/// The value of one ref in an answer; zero where it is not there.
pub(super) fn value_of(repository: &Repository, seen: &[(String, Oid)], reference: &str) -> Oid {
    let found = seen.iter().find(|(name, _)| name == reference).map(|(_, oid)| *oid);
    found.unwrap_or(repository.object_format().zero_oid())
}

fn settle_one(
    context: &Context,
    repository: &Repository,
    entry: &Entry,
    (remote, seen): (&str, &[(String, Oid)]),
    alone: bool,
    end: Option<Disposition>,
) -> Result<Standing, AppError> {
    let candidate = &entry.row.candidate;
    let value = value_of(repository, seen, &candidate.reference);
    let mut found = outbox::compare(repository, candidate, value)?;
    if let Found::NotHere(_) = found {
        // Whether it holds the new value, only its history tells.
        let wanted = [candidate.reference.clone()];
        if repository.fetch(remote, &wanted, Prompt::IfTerminal).is_ok() {
            found = outbox::compare(repository, candidate, value)?;
        }
    }
    let live = match &entry.row.state {
        State::Claimed { until, .. } => !alone && context.now <= *until,
        _ => false,
    };
    let spent = matches!(entry.row.state, State::Claimed { .. }) && entry.row.attempts >= MOST_ATTEMPTS;
    let disposition = match (&found, live) {
        (Found::There(_), false) if entry.row.state != State::Pending => Some(Disposition::Complete),
        (Found::NotYet | Found::Elsewhere(_), false) if spent => Some(Disposition::Expired),
        (_, false) => end,
        _ => None,
    };
    let mut standing = describe(entry, &found, live, remote);
    if entry.row.state == State::Pending {
        heard(context, entry, &found, &mut standing);
    }
    if let Some(disposition) = disposition {
        let receipt = record(context, repository, entry, disposition, Some(value))?;
        if let Some(receipt) = receipt {
            standing.receipt = Some(ArtifactId::of(&receipt));
        }
        (standing.state, standing.remark, standing.command) = (Word::of(disposition), None, None);
    }
    Ok(standing)
}

fn describe(entry: &Entry, found: &Found, live: bool, remote: &str) -> Standing {
    let Candidate { reference, old, new, .. } = entry.row.candidate.clone();
    let id = ArtifactId::of(&entry.proposal);
    let (state, remark, command) = match (&entry.row.state, found) {
        (State::Pending, Found::There(_)) => (
            Word::Pending,
            Some(format!("{reference} holds it already, and no owner approved it")),
            Some(format!("git boundary approve {id} --key <owner>")),
        ),
        (State::Pending, _) => (
            Word::Pending,
            Some("it waits for an owner's approval".to_owned()),
            Some(format!("git boundary approve {id} --key <owner>")),
        ),
        (_, Found::NotHere(oid)) => (
            Word::Unknown,
            Some(format!("{reference} is at {}, which is not here", oid.short())),
            Some("git fetch".to_owned()),
        ),
        (State::Claimed { until, .. }, _) if live => {
            (Word::Claimed, Some(format!("another process of this clone is at it, until {until} at the latest")), None)
        }
        (_, Found::Elsewhere(oid)) => {
            let there = if oid.is_zero() { "is not there".to_owned() } else { format!("is at {}", oid.short()) };
            (Word::Ready, Some(format!("{reference} {there}")), Some("git fetch".to_owned()))
        }
        _ => (Word::Ready, Some("it was not pushed yet".to_owned()), Some(push_again(remote, &reference))),
    };
    Standing {
        proposal: id,
        envelope_id: entry.statement.predicate.envelope_id,
        reference,
        old,
        new,
        state,
        attempts: entry.row.attempts,
        remark,
        command,
        receipt: None,
    }
}

/// What waits for an owner may have been answered since: the next push or `submit` records that.
fn heard(context: &Context, entry: &Entry, found: &Found, standing: &mut Standing) {
    let Ok(asked) = approval::look(context, Some(&entry.proposal.to_string()), None) else { return };
    match asked.standing {
        Some(Code::ApprovalRejected) => {
            standing.remark = Some("an owner rejected it".to_owned());
            standing.command = None;
        }
        None if !matches!(found, Found::There(_)) => {
            standing.remark = Some("it is approved, and was not pushed yet".to_owned());
            standing.command = Some("git boundary push".to_owned());
        }
        _ => {}
    }
}

/// Records how a row ended, once: whoever finds it settled, or claimed anew, records nothing. Returns the work receipt.
///
/// # Errors
/// When it can't be written.
pub(super) fn record(
    context: &Context,
    repository: &Repository,
    entry: &Entry,
    disposition: Disposition,
    seen: Option<Oid>,
) -> Result<Option<Digest>, AppError> {
    transact(context, repository, "settlement", |session, noted, signer| {
        let rows = outbox::on(session, noted, signer, entry.note)?;
        let same = |one: &&Entry| one.proposal == entry.proposal && one.row.candidate == entry.row.candidate;
        let Some(now) = rows.iter().find(same).filter(|now| now.row == entry.row) else {
            return Ok(Decided::nothing(None));
        };
        let mut events = Events::new(session, noted, signer);
        let Some(digest) = outbox::settle(session, &mut events, now, disposition, seen)? else {
            return Ok(Decided::nothing(None));
        };
        Ok(Decided { seen: Vec::new(), value: Some(digest), writing: events.writing() })
    })
}
