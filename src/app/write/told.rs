//! TOLD: how a wish stands, for the agent that waits and for who carries it out. Reads, and changes nothing.

use serde::Serialize;

use crate::app::context::Context;
use crate::app::error::AppError;
use crate::app::outbox;
use crate::app::settle::Word;
use crate::codec::artifact::Artifact;
use crate::gate::checks::approval;
use crate::gate::outbox::State as RowState;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::gather::proposals;
use crate::model::decision::Disposition;
use crate::model::digest::Digest;
use crate::model::envelope::{ClaimKind, FileWrite};
use crate::model::id::{ArtifactId, EnvelopeId, KeyId, Oid};
use crate::model::refusal::Code;

use super::content;

/// The head of this clone's ledger, under whose signed checkpoint everything that was recorded stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LedgerRoot {
    /// Whose.
    pub registrar: KeyId,
    /// RFC 9162 root.
    pub root: Digest,
    /// Entries.
    pub size: u64,
}

/// How far a wish is, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits for an owner.
    Pending,
    /// An owner approved it, and it was not carried out yet.
    Approved,
    /// An owner rejected it.
    Rejected,
    /// Somebody is at it, or was killed doing so.
    Claimed,
    /// It happened.
    Complete,
    /// It was tried and did not.
    Failed,
    /// It ran out of attempts.
    Expired,
    /// Nobody can say whether it happened.
    Unknown,
    /// The gate refused it.
    Refused,
}

impl State {
    /// The word for agents.
    pub fn word(self) -> &'static str {
        match self {
            State::Pending => "pending",
            State::Approved => "approved",
            State::Rejected => "rejected",
            State::Claimed => "claimed",
            State::Complete => "complete",
            State::Failed => "failed",
            State::Expired => "expired",
            State::Unknown => "unknown",
            State::Refused => "refused",
        }
    }
}

/// One wish, and how it stands.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// The proposal.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// Its envelope.
    pub envelope_id: EnvelopeId,
    /// The branch that it was asked for on.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What is to be written.
    pub write: FileWrite,
    /// How far it is.
    pub state: State,
    /// The code that the gate has against it, where that is more than a lacking approval.
    pub code: Option<Code>,
    /// The work receipt.
    pub receipt: Option<ArtifactId>,
    #[serde(skip)]
    pub(super) commit: Oid,
}

/// The head of this clone's ledger as it stands.
///
/// # Errors
/// When it can't be read, or there is none.
pub fn ledger_root(context: &Context) -> Result<LedgerRoot, AppError> {
    let repository = context.repository()?;
    root_of(&context.open(&repository)?)
}

fn root_of(session: &Session<'_>) -> Result<LedgerRoot, AppError> {
    let none = || AppError::fatal("this clone's registrar has no ledger", "git boundary doctor");
    let registrar = session.local.registrar_id()?.ok_or_else(none)?;
    let shelf = session.shelves.open.iter().find(|shelf| shelf.registrar == registrar).ok_or_else(none)?;
    Ok(LedgerRoot { registrar, root: Digest(shelf.head.root), size: shelf.head.size })
}

/// How the wishes of one session stand, in the order of their refs; of one envelope or proposal where that is named. Never carries one out.
///
/// # Errors
/// When they can't be read.
pub fn status(
    context: &Context,
    session_digest: &Digest,
    which: Option<&str>,
) -> Result<(Vec<Status>, LedgerRoot), AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let mut found = Vec::new();
    for (_, commit) in repository.refs_under(&content::of_session(session_digest))? {
        found.extend(on(&session, &noted, commit, which, true)?);
    }
    found.retain(|one: &Status| one.write.session == *session_digest);
    Ok((found, root_of(&session)?))
}

/// The wishes of one session that came to no end yet, by what is recorded of them alone: nothing is judged, so that approved ones count as
/// pending.
///
/// # Errors
/// When they can't be read.
pub fn unended(context: &Context, session_digest: &Digest) -> Result<Vec<Status>, AppError> {
    let repository = context.repository()?;
    let kept = repository.refs_under(&content::of_session(session_digest))?;
    if kept.is_empty() {
        return Ok(Vec::new());
    }
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let mut found = Vec::new();
    for (_, commit) in kept {
        found.extend(on(&session, &noted, commit, None, false)?);
    }
    found.retain(|one: &Status| {
        one.write.session == *session_digest && matches!(one.state, State::Pending | State::Claimed)
    });
    Ok(found)
}

/// The wishes of this clone that came to no end yet, whichever session's they are: of one proposal or envelope where that is named.
///
/// # Errors
/// When they can't be read.
pub fn open(context: &Context, which: Option<&str>) -> Result<Vec<Status>, AppError> {
    let repository = context.repository()?;
    let waiting = content::waiting(&repository)?;
    if waiting.is_empty() {
        return Ok(Vec::new());
    }
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let mut found = Vec::new();
    for waiting in waiting {
        found.extend(on(&session, &noted, waiting.commit, which, true)?);
    }
    let is_open = |one: &Status| matches!(one.state, State::Pending | State::Approved | State::Claimed);
    found.retain(|one: &Status| which.is_some() || is_open(one));
    Ok(found)
}

/// The wishes that are noted on one commit, by the actor that each names; of those only one, where that is named.
fn on(
    session: &Session<'_>,
    noted: &Noted,
    commit: Oid,
    which: Option<&str>,
    judged: bool,
) -> Result<Vec<Status>, AppError> {
    noted.read(session, &commit)?;
    let mut found = Vec::new();
    for digest in noted.on(&commit, |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_))) {
        let Some(statement) = proposals::statement(noted, &digest) else { continue };
        let envelope = &statement.predicate;
        let ids = || [ArtifactId::of(&digest).to_string(), digest.to_string(), envelope.envelope_id.to_string()];
        if which.is_some_and(|which| !ids().iter().any(|id| id == which)) {
            continue;
        }
        let signed = proposals::signed_by_its_actor(session, noted, &digest, envelope).is_some();
        if !signed || envelope.claim.kind != ClaimKind::Write {
            continue;
        }
        let Some(action) = &envelope.requested_action else { continue };
        let Some(write) = &action.write else { continue };
        let (state, code) = stands(session, noted, (digest, commit), action, judged)?;
        let is_receipt =
            |artifact: &Artifact| matches!(artifact, Artifact::WorkReceipt(it) if it.predicate.envelope == digest);
        let receipt = noted.on(&commit, is_receipt).first().map(ArtifactId::of);
        found.push(Status {
            id: ArtifactId::of(&digest),
            commit,
            digest,
            envelope_id: envelope.envelope_id,
            reference: action.reference.clone(),
            write: write.clone(),
            state,
            code,
            receipt,
        });
    }
    Ok(found)
}

fn stands(
    session: &Session<'_>,
    noted: &Noted,
    (digest, commit): (Digest, Oid),
    action: &crate::model::envelope::Action,
    judged: bool,
) -> Result<(State, Option<Code>), AppError> {
    let signer = session.local.registrar()?;
    let rows = outbox::on(session, noted, &*signer, commit)?;
    let row = rows.iter().find(|entry| entry.proposal == digest);
    let ended = |disposition: Disposition| match Word::of(disposition) {
        Word::Complete => State::Complete,
        Word::Failed => State::Failed,
        Word::Expired => State::Expired,
        _ => State::Unknown,
    };
    match row.map(|entry| &entry.row.state) {
        Some(RowState::Settled { disposition, .. }) => return Ok((ended(*disposition), None)),
        Some(RowState::Claimed { .. }) => return Ok((State::Claimed, None)),
        Some(RowState::Pending | RowState::Ready) | None => {}
    }
    if !judged {
        return Ok((if row.is_some() { State::Pending } else { State::Refused }, None));
    }
    let judged = super::judge(session, noted, (digest, action), None)?;
    let code = judged.verdict.primary().filter(|code| *code != Code::ApprovalMissing);
    let approved = approval::state(&judged.facts, &digest).and_then(|state| state.code);
    Ok(match approved {
        Some(Code::ApprovalRejected) => (State::Rejected, Some(Code::ApprovalRejected)),
        None if row.is_some() => (State::Approved, code),
        _ if row.is_some() => (State::Pending, code),
        _ => (State::Refused, code),
    })
}
