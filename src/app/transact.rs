//! TRANSACT: one coherent reading of the refs, a decision, and its record, which lands only on what was read.
//!
//! The registrar's own ref is compared and swapped by git; the refs that were only read are looked at once more right before. Whoever
//! lost reads and decides anew.

use super::context::Context;
use super::error::AppError;
use super::record::Writing;
use crate::crypto::Signer;
use crate::gather::Session;
use crate::gather::base::Side;
use crate::gather::notes::Noted;
use crate::gather::session::boundary_refs;
use crate::git::{Repository, retry};
use crate::model::context::Observation;
use crate::model::id::Oid;
use crate::store::append::Batch;
use crate::store::{Registrar, StoreError, append, layout};

/// What a decision wants to write, and what comes of it.
pub struct Decided<T> {
    /// Where the refs stood that were only read, with the side they were read from: they must stand there still.
    pub seen: Vec<(Side, Observation)>,
    /// The answer.
    pub value: T,
    /// The record. An empty one writes nothing.
    pub writing: Writing,
}

impl<T> Decided<T> {
    /// An answer that leaves nothing to be written.
    pub fn nothing(value: T) -> Self {
        Decided { seen: Vec::new(), value, writing: Writing::default() }
    }
}

enum Failed {
    /// Somebody else wrote meanwhile.
    Overtaken,
    App(AppError),
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Failed::App(error.into())
    }
}

/// Reads, decides and records; all of it again when another process wrote between.
///
/// # Errors
/// When it can't be decided or recorded; nothing is written then.
pub fn transact<T>(
    context: &Context,
    repository: &Repository,
    message: &str,
    mut decide: impl FnMut(&Session<'_>, &Noted, &dyn Signer) -> Result<Decided<T>, AppError>,
) -> Result<T, AppError> {
    retry("the boundary refs", || match attempt(context, repository, message, &mut decide) {
        Ok(value) => Ok(Some(value)),
        Err(Failed::Overtaken) => Ok(None),
        Err(Failed::App(error)) => Err(error),
    })
}

fn attempt<T>(
    context: &Context,
    repository: &Repository,
    message: &str,
    decide: &mut impl FnMut(&Session<'_>, &Noted, &dyn Signer) -> Result<Decided<T>, AppError>,
) -> Result<T, Failed> {
    let session = context.open(repository).map_err(Failed::App)?;
    let noted = Noted::default();
    let signer = session.local.registrar_or_new()?;
    let decided = decide(&session, &noted, &*signer).map_err(Failed::App)?;
    write(&session, &*signer, message, decided.writing, Some(&decided.seen))?;
    Ok(decided.value)
}

/// Records what one reading led to, if nobody wrote to the own ref since; whether it did. For hooks: git itself goes on to compare the
/// pushed ref with the value that was judged.
///
/// # Errors
/// When it can't be written.
pub fn write_if_current(
    session: &Session<'_>,
    signer: &dyn Signer,
    message: &str,
    writing: Writing,
) -> Result<bool, AppError> {
    match write(session, signer, message, writing, None) {
        Ok(()) => Ok(true),
        Err(Failed::Overtaken) => Ok(false),
        Err(Failed::App(error)) => Err(error),
    }
}

fn write(
    session: &Session<'_>,
    signer: &dyn Signer,
    message: &str,
    writing: Writing,
    seen: Option<&[(Side, Observation)]>,
) -> Result<(), Failed> {
    let batch = Batch::from(writing);
    if batch.is_empty() {
        return Ok(());
    }
    let registrar = Registrar { repository: session.trust.repository(), signer };
    let own = layout::registrar_ref(&registrar.id());
    let own_is_absent = !session.refs.iter().any(|(name, _)| *name == own);
    let here: Vec<Oid> = session
        .refs
        .iter()
        .filter(|(name, _)| layout::parse_notes_ref(name).is_some_and(|(id, _)| id == registrar.id()))
        .map(|(_, oid)| *oid)
        .collect();
    append(session.repository, &registrar, session.now, message, |from| {
        let is_read = from.map_or(own_is_absent, |from| here.contains(from));
        let is_current = match seen {
            Some(seen) if is_read => stands(session, &own, seen).map_err(Failed::App)?,
            _ => is_read,
        };
        if is_current { Ok(batch.clone()) } else { Err(Failed::Overtaken) }
    })?;
    Ok(())
}

/// Whether everything that was read but not written to stands where it stood.
fn stands(session: &Session<'_>, own: &str, seen: &[(Side, Observation)]) -> Result<bool, AppError> {
    let others = |refs: Vec<(String, Oid)>| refs.into_iter().filter(|(name, _)| name != own).collect::<Vec<_>>();
    if others(boundary_refs(session.repository)?) != others(session.refs.clone()) {
        return Ok(false);
    }
    for (side, observation) in seen {
        let now = side.observe(session.repository, &observation.reference).map_err(AppError::from)?;
        if now.oid != observation.oid {
            return Ok(false);
        }
    }
    Ok(true)
}
