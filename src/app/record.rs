//! RECORD: signed lines go to this clone's registrar, and from there to the remote.

use super::context::Context;
use super::error::AppError;
use super::publication;
use super::remote::{self, Published};
use crate::codec::dsse::Dsse;
use crate::crypto::Signer;
use crate::gather::Session;
use crate::model::id::Oid;
use crate::store::append::{Batch, NewHint, NewLine};
use crate::store::hints::Hint;
use crate::store::{Registrar, append};

/// What was recorded.
#[derive(Debug, Clone)]
pub struct Recording {
    /// Index of each line in this registrar's ledger.
    pub indices: Vec<u64>,
    /// Whether it is at the remote.
    pub published: Published,
}

/// Lines and hints to be written together.
#[derive(Debug, Default, Clone)]
pub struct Writing {
    /// Signed lines and the commits they are noted on.
    pub lines: Vec<(Oid, Dsse)>,
    /// Hints, each with the object in whose note it goes.
    pub hints: Vec<(Oid, Hint)>,
}

impl From<Writing> for Batch {
    fn from(writing: Writing) -> Self {
        Batch {
            files: Vec::new(),
            lines: writing.lines.into_iter().map(|(annotated, artifact)| NewLine { annotated, artifact }).collect(),
            hints: writing
                .hints
                .into_iter()
                .map(|(annotated, hint)| NewHint { annotated, line: hint.line() })
                .collect(),
        }
    }
}

/// Records lines in one commit and publishes them.
///
/// # Errors
/// When they can't be written; that they can't be published is told, not failed for.
pub fn record(
    context: &Context,
    session: &Session<'_>,
    message: &str,
    writing: Writing,
) -> Result<Recording, AppError> {
    let indices = record_quietly(session, message, writing)?;
    let registrar = session.local.registrar_id()?.expect("recording made a registrar");
    let published = remote::publish(context, session.repository, &remote::own_refs(session.repository, &registrar))?;
    Ok(Recording { indices, published })
}

/// Records lines in one commit; for hooks, which never push.
///
/// # Errors
/// When they can't be written.
pub fn record_quietly(session: &Session<'_>, message: &str, writing: Writing) -> Result<Vec<u64>, AppError> {
    record_as(session, &*session.local.registrar_or_new()?, message, writing)
}

/// The same for who has read the registrar's key already.
///
/// # Errors
/// When they can't be written.
pub fn record_as(
    session: &Session<'_>,
    signer: &dyn Signer,
    message: &str,
    writing: Writing,
) -> Result<Vec<u64>, AppError> {
    let registrar = Registrar { repository: session.trust.repository(), signer };
    let batch = Batch::from(writing);
    append(session.repository, &registrar, session.now, message, |_| Ok(batch.clone()))
}

/// Sends what an earlier writing left here, where something was; says nothing where all of it is at the remote.
///
/// # Errors
/// When the repository can't be read.
pub(super) fn publish_rest(context: &Context, session: &Session<'_>) -> Result<Published, AppError> {
    let repository = session.repository;
    let (Some(remote), Some(registrar)) = (remote::default_remote(repository)?, session.local.registrar_id()?) else {
        return Ok(Published::NoRemote);
    };
    if publication::unpublished(session, &remote)?.is_empty() {
        return Ok(Published::Off);
    }
    remote::publish(context, repository, &remote::own_refs(repository, &registrar))
}

/// Sends this clone's own boundary refs, as after every writing.
///
/// # Errors
/// When the repository can't be read.
pub fn publish(context: &Context) -> Result<Published, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    match session.local.registrar_id()? {
        Some(registrar) => remote::publish(context, &repository, &remote::own_refs(&repository, &registrar)),
        None => Ok(Published::Off),
    }
}
