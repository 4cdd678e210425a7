//! A trust version that waits for signatures: what the remote has of it comes here, and what was signed here goes there.

use crate::app::context::Context;
use crate::app::error::AppError;
use crate::crypto::pending::Pending;
use crate::crypto::trust::Trust;
use crate::git::{Expected, RefEdit, Repository, Update, retry};
use crate::model::id::Oid;
use crate::store::{StoreError, layout, pending};

/// Takes over what waits at the remote, unites it with what waits here where that is the same version, and gives what the remote lacks.
/// What no root of the trust document has signed as its next version is nothing that waits.
///
/// # Errors
/// When refs or objects can't be read or written.
pub(super) fn take(
    context: &Context,
    repository: &Repository,
    remote: &str,
    trust: &Trust,
) -> Result<Option<(String, Oid)>, AppError> {
    let name = layout::TRUST_PENDING;
    let incoming = layout::incoming(remote, name).expect("it is a boundary ref");
    let tracking = layout::tracking(remote, name).expect("it is a boundary ref");
    let there = repository.find_ref(&incoming)?;
    let waits_there = read(repository, trust, &incoming, there)?;
    if let (Some(_), Some(there)) = (&waits_there, there) {
        put(context, repository, &tracking, there)?;
    }
    let own = repository.find_ref(name)?;
    let Some(mut waits_here) = read(repository, trust, name, own)? else { return Ok(None) };
    let Some(own) = own else { return Ok(None) };
    let (Some(waits_there), Some(there)) = (waits_there, there) else {
        return Ok(forward(repository, there, own).then(|| (name.to_owned(), own)));
    };
    if waits_there.digest() != waits_here.digest() || there == own {
        return Ok(None);
    }
    let alone = waits_here.line();
    waits_here.unite(&waits_there);
    if waits_here.line() == waits_there.line() {
        return Ok(None);
    }
    if waits_here.line() == alone && forward(repository, Some(there), own) {
        return Ok(Some((name.to_owned(), own)));
    }
    match pending::write(repository, &[own, there], &waits_here.line(), context.now)? {
        Update::Done => Ok(repository.find_ref(name)?.map(|made| (name.to_owned(), made))),
        // Whoever was faster has it here now; the next `sync` sends it.
        Update::Raced => Ok(None),
    }
}

fn read(
    repository: &Repository,
    trust: &Trust,
    reference: &str,
    commit: Option<Oid>,
) -> Result<Option<Pending>, AppError> {
    let Some(commit) = commit else { return Ok(None) };
    match pending::read(repository, reference, &commit) {
        Ok(line) => Ok(Pending::read(trust, &line).ok()),
        Err(StoreError::Chain { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn forward(repository: &Repository, there: Option<Oid>, own: Oid) -> bool {
    there.is_none_or(|there| super::leads_to(repository, &there, &own).unwrap_or(false))
}

fn put(context: &Context, repository: &Repository, name: &str, to: Oid) -> Result<(), AppError> {
    retry(name, || {
        let from = repository.find_ref(name)?;
        if from == Some(to) {
            return Ok(Some(()));
        }
        let expected = from.map_or(Expected::Absent, Expected::At);
        let edit = RefEdit { name: name.to_owned(), expected, new: Some(to) };
        match repository.update_refs(&[edit], "boundary: take over what was fetched", context.now)? {
            Update::Done => Ok::<_, AppError>(Some(())),
            Update::Raced => Ok(None),
        }
    })
}
