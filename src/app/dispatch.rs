//! `push`: proposes and submits where that is still needed, then dispatches: one claimed attempt at a time, by the user's own git, and
//! afterwards the remote is observed (contract, section 8).

mod attempt;

pub(super) use attempt::claim;

use std::time::Duration;

use serde::Serialize;

use super::context::Context;
use super::error::{AppError, Failure};
use super::outbox::{self, Entry, Found};
use super::propose::{self, Intent};
use super::record::publish;
use super::remote::{self, Published};
use super::settle::{self, Word, value_of};
use super::submit::{self, Decision, Submitted};
use super::transact::transact;
use super::{judge, subject};
use crate::codec::artifact::Artifact;
use crate::crypto::trust::Standing;
use crate::gate::facts::Purpose;
use crate::gate::verdict::Outcome;
use crate::gather::notes::Noted;
use crate::gather::{Session, UpdateRequest, proposals};
use crate::git::{Prompt, Repository};
use crate::model::digest::Digest;
use crate::model::envelope::ClaimKind;
use crate::model::id::{ArtifactId, Oid};
use crate::model::party::Role;
use crate::model::typed::{typed, typed_ref, typed_remote};
use crate::store::{Dispatching, LocalState};

/// How often the lock is asked for before it counts as a dispatcher's, and the wait each time.
const MOMENTS: u32 = 10;
const MOMENT: Duration = Duration::from_millis(20);

/// What became of a push.
#[derive(Debug, Serialize)]
pub struct Dispatched {
    /// The ref at the remote.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The remote.
    pub remote: String,
    /// The value it had there; zero for none.
    pub old: Oid,
    /// The value it should get.
    pub new: Oid,
    /// Whether it was proposed by this command.
    pub proposed: Option<ArtifactId>,
    /// The decision; `None` where no proposal was needed.
    pub decision: Option<Submitted>,
    /// How the update stands now, in a word.
    pub state: Word,
    /// How often it was tried.
    pub attempts: u64,
    /// In words, where there is more to say.
    pub remark: Option<String>,
    /// What the remote's own hooks said, a line each, where it did not take the push. Untrusted text.
    pub told: Vec<String>,
    /// What to type next.
    pub command: Option<String>,
    /// The work receipt.
    pub receipt: Option<ArtifactId>,
    /// Whether this clone's registrar is listed, so that others go by its work receipt.
    pub listed: bool,
    /// Whether the receipts are at the remote.
    pub published: Published,
}

impl Dispatched {
    /// Admitted where it is done, refused where it was refused or failed, undecided where it waits.
    pub fn outcome(&self) -> Outcome {
        match (self.state, self.decision.as_ref().map(|one| one.decision)) {
            (Word::Complete, _) => Outcome::Admitted,
            (_, Some(Decision::Refused)) | (Word::Failed | Word::Expired, _) => Outcome::Refused,
            _ => Outcome::Undecided,
        }
    }
}

/// Pushes one branch with its receipts.
///
/// # Errors
/// When there is nothing to push or nowhere to push it, the remote can't be reached, or nothing can be recorded.
pub fn push(context: &Context, remote: Option<&str>, reference: Option<&str>) -> Result<Dispatched, AppError> {
    let repository = context.repository()?;
    let remote = match remote {
        Some(remote) => remote.to_owned(),
        None => remote::default_remote(&repository)?.ok_or_else(settle::no_remote)?,
    };
    let reference = named(&repository, reference)?;
    let new = repository.find_ref(&reference)?.ok_or_else(|| {
        AppError::usage(format!("{reference} is not here, so that it can't be pushed"), "git branch --list")
    })?;
    // From here on: two that propose the same update at the same moment would make two proposals of it.
    let alone = alone(&repository)?;
    // What the remote holds of branches and receipts is judged as it is, not as it was last seen.
    repository.fetch(&remote, &[], Prompt::IfTerminal).map_err(|error| unreached(&remote, &error))?;
    let seen = settle::look(&repository, &remote, std::iter::once(&reference))?;
    let old = value_of(&repository, &seen, &reference);
    let mut answer = Dispatched {
        reference,
        remote,
        old,
        new,
        proposed: None,
        decision: None,
        state: Word::Ready,
        attempts: 0,
        remark: None,
        told: Vec::new(),
        command: None,
        receipt: None,
        listed: is_listed(context, &repository)?,
        published: Published::Off,
    };
    if old == new {
        answer.state = Word::Complete;
        answer.remark = Some(format!("{} is there already", answer.reference));
        attempt::settle_what_is_there(context, &repository, &alone, &mut answer)?;
        answer.published = publish(context)?;
        return Ok(answer);
    }
    let unneeded = needs_none(context, &repository, &answer)?;
    // What no rule governs is nobody's to admit, whoever proposed it.
    let mut proposal = if unneeded == Some(false) { None } else { waiting(context, &repository, &answer)? };
    if proposal.is_none()
        && let Some(governed) = unneeded
    {
        answer.remark = (!governed).then(|| format!("no rule governs {}: nothing was asked of it", answer.reference));
        return attempt::without_a_row(context, &repository, &alone, answer);
    }
    if proposal.is_none() {
        let intent = Intent {
            command: "push",
            reference: Some(answer.reference.clone()),
            at: Some(new.to_string()),
            ..Intent::default()
        };
        let quiet = Context { publish: false, ..context.clone() };
        let proposed = propose::propose(&quiet, &intent, None)?;
        answer.proposed = (!proposed.already).then_some(proposed.id);
        proposal = Some(proposed.digest);
    }
    let Some(proposal) = proposal else { unreachable!("it was found or made") };
    let decided = transact(context, &repository, "decision", |session, noted, signer| {
        let (digest, statement) = subject::proposal(session, noted, Some(&proposal.to_string()), &subject::to_propose)?;
        submit::decide(
            session,
            noted,
            signer,
            (&remote::side_of(session.repository, &answer.remote)?, Some(answer.old)),
            digest,
            &statement,
        )
    })?;
    let decision = decided.decision;
    let note = decided.note;
    answer.decision = Some(decided);
    match decision {
        Decision::Admitted => attempt::dispatch(context, &repository, &alone, answer, (proposal, note)),
        Decision::Pending => {
            answer.state = Word::Pending;
            answer.command = Some(format!("git boundary approve {} --key <owner>", ArtifactId::of(&proposal)));
            answer.published = publish(context)?;
            Ok(answer)
        }
        Decision::Refused | Decision::Undecided => {
            answer.published = publish(context)?;
            Ok(answer)
        }
    }
}

fn is_listed(context: &Context, repository: &Repository) -> Result<bool, AppError> {
    let session = context.open(repository)?;
    let signer = session.local.registrar_or_new()?;
    Ok(session.trust.standing(&signer.public_key(), Role::Registrar, session.now) == Standing::Good)
}

/// The branch that is meant, in full.
fn named(repository: &Repository, name: Option<&str>) -> Result<String, AppError> {
    let Some(name) = name.filter(|name| *name != "HEAD" && *name != "@") else {
        return subject::current_branch(repository, "git boundary push <remote> <branch>");
    };
    if let Some((from, to)) = name.trim_start_matches('+').split_once(':') {
        let (text, hint) = if from.is_empty() {
            ("deletes nothing", format!("git boundary propose --delete {} --key <key>, then git push", typed_ref(to)))
        } else {
            (
                "pushes a branch under its own name only",
                format!(
                    "git push <remote> {}, once it is proposed: git boundary propose --ref {} --at {} --key <key>",
                    typed(name, "<from>:<to>"),
                    typed_ref(to),
                    typed(from, "<from>"),
                ),
            )
        };
        return Err(AppError::usage(format!("{name:?} says from where to where, and git boundary push {text}"), hint));
    }
    Ok(subject::full_ref(name))
}

fn unreached(remote: &str, error: &crate::git::RemoteError) -> AppError {
    if let crate::git::RemoteError::Absent { .. } = error {
        return AppError::usage(error.to_string(), "git remote -v");
    }
    AppError::Told {
        failure: Failure::Undecided,
        hint: Some(format!("git fetch {}", typed_remote(remote))),
        text: format!("nothing was pushed, since what {remote} holds can't be told: {error}"),
    }
}

/// The newest proposal of exactly this update that has not come to its end without success.
fn waiting(context: &Context, repository: &Repository, wanted: &Dispatched) -> Result<Option<Digest>, AppError> {
    let session = context.open(repository)?;
    let noted = Noted::default();
    let Some(tip) = repository.peel_to_commit(&wanted.new)? else { return Ok(None) };
    noted.read(&session, &tip)?;
    let signer = session.local.registrar_or_new()?;
    let ended: Vec<Digest> = outbox::on(&session, &noted, &*signer, tip)?
        .into_iter()
        .filter(|entry| entry.row.is_settled() && entry.row.candidate.old == wanted.old)
        .map(|entry| entry.proposal)
        .collect();
    let mut found = Vec::new();
    for digest in noted.on(&tip, |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_))) {
        let Some(statement) = proposals::statement(&noted, &digest) else { continue };
        let envelope = statement.predicate;
        let action = envelope.requested_action.as_ref();
        let asks = action.is_some_and(|action| action.reference == wanted.reference && action.new == wanted.new);
        // What its actor did not sign is nobody's proposal, and stands in nobody's way.
        let Some(actor) = proposals::signed_by_its_actor(&session, &noted, &digest, &envelope) else { continue };
        if asks && envelope.claim.kind == ClaimKind::Change {
            found.push(((envelope.envelope_id, actor), envelope.version, digest));
        }
    }
    let mut in_vain = Vec::new();
    for (.., digest) in &found {
        if !propose::is_vouched_for(&session, &noted, digest)? {
            in_vain.push(*digest);
        }
    }
    // Of one envelope only the last version asks for anything.
    let newest = |one: &(_, u64, Digest)| !found.iter().any(|(id, version, _)| *id == one.0 && *version > one.1);
    let ends = |digest: &Digest| ended.contains(digest) || in_vain.contains(digest);
    let mut open: Vec<Digest> =
        found.iter().filter(|one| newest(one)).map(|(.., digest)| *digest).filter(|one| !ends(one)).collect();
    match open.len() {
        0 | 1 => Ok(open.pop()),
        several => {
            let passing = passing(&session, &noted, wanted, &open)?;
            passing.map(Some).ok_or_else(|| {
                let ids: Vec<String> = open.iter().map(|digest| ArtifactId::of(digest).to_string()).collect();
                AppError::usage(
                    format!("{} has {several} proposals: {}", wanted.new.short(), ids.join(", ")),
                    "git boundary submit <one of them>",
                )
            })
        }
    }
}

/// Of several proposals of one update the one that the gate would rest the push on.
fn passing(
    session: &Session<'_>,
    noted: &Noted,
    wanted: &Dispatched,
    open: &[Digest],
) -> Result<Option<Digest>, AppError> {
    let judged = judge::judge_update(session, noted, request(session, wanted)?)?;
    Ok(judged.verdict.proposal.filter(|digest| open.contains(digest)))
}

/// Of an update that passes without a proposal of its own, whether a rule governs its ref. A proposal that has come to its end does not
/// count: once more needs a new one.
fn needs_none(context: &Context, repository: &Repository, wanted: &Dispatched) -> Result<Option<bool>, AppError> {
    let session = context.open(repository)?;
    let judged = judge::judge_update(&session, &Noted::default(), request(&session, wanted)?)?;
    let action = |digest: &Digest| judged.facts.envelope(digest)?.predicate.requested_action.as_ref();
    let is_its_own = |digest: &Digest| {
        action(digest).is_some_and(|action| action.reference == wanted.reference && action.new == wanted.new)
    };
    let passes = judged.verdict.outcome == Outcome::Admitted && !judged.verdict.used.iter().any(is_its_own);
    Ok(passes.then_some(judged.verdict.governed))
}

fn request(session: &Session<'_>, wanted: &Dispatched) -> Result<UpdateRequest, AppError> {
    Ok(UpdateRequest {
        exact: false,
        new: wanted.new,
        old: wanted.old,
        purpose: Purpose::Push,
        reference: wanted.reference.clone(),
        side: remote::side_of(session.repository, &wanted.remote)?,
    })
}

/// The row of a proposal for the update that is wanted.
fn row(
    context: &Context,
    repository: &Repository,
    (proposal, note): (Digest, Oid),
    wanted: &Dispatched,
) -> Result<Option<Entry>, AppError> {
    let session = context.open(repository)?;
    let noted = Noted::default();
    let signer = session.local.registrar_or_new()?;
    let rows = outbox::on(&session, &noted, &*signer, note)?;
    Ok(rows.into_iter().find(|entry| {
        let candidate = &entry.row.candidate;
        let update = (&candidate.reference, candidate.old, candidate.new);
        entry.proposal == proposal && update == (&wanted.reference, wanted.old, wanted.new)
    }))
}

/// The lock of the process that dispatches here; an error that says so where there is another one. Whoever settles has it for a moment.
pub(super) fn alone(repository: &Repository) -> Result<Dispatching, AppError> {
    let local = LocalState::of(repository);
    for _ in 0..MOMENTS {
        if let Some(held) = local.dispatching()? {
            return Ok(held);
        }
        std::thread::sleep(MOMENT);
    }
    Err(AppError::Told {
        failure: Failure::Undecided,
        hint: Some("git boundary settle".to_owned()),
        text: "another process of this clone is dispatching; nothing was pushed by this one".to_owned(),
    })
}

fn compare(repository: &Repository, entry: &Entry, remote: &str) -> Result<(Found, Oid), AppError> {
    let reference = &entry.row.candidate.reference;
    let value = value_of(repository, &settle::look(repository, remote, std::iter::once(reference))?, reference);
    let found = outbox::compare(repository, &entry.row.candidate, value)?;
    if matches!(found, Found::NotHere(_)) {
        repository
            .fetch(remote, std::slice::from_ref(reference), Prompt::IfTerminal)
            .map_err(|error| unreached(remote, &error))?;
        return Ok((outbox::compare(repository, &entry.row.candidate, value)?, value));
    }
    Ok((found, value))
}
