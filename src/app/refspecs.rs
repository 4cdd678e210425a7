//! What makes `git fetch` bring others' receipts, into a place where it can't destroy own ones.

use super::error::AppError;
use crate::git::{Expected, RefEdit, Repository, Update};
use crate::model::time::Timestamp;
use crate::store::layout;

/// Sets the fetch refspecs of every remote, takes out what was set before and does harm; gives the remotes.
///
/// # Errors
/// When the configuration can't be written.
pub fn refspecs(repository: &Repository) -> Result<Vec<String>, AppError> {
    let remotes = repository.remotes();
    for remote in &remotes {
        let key = format!("remote.{remote}.fetch");
        let there = repository.config_strings(&key);
        for spec in layout::fetch_refspecs(remote) {
            if !there.contains(&spec) {
                repository.add_config_local(&key, &spec)?;
            }
        }
        let former = layout::former_refspec(remote);
        if there.contains(&former) {
            repository.unset_config_local(&key, Some(&former))?;
        }
        unblock(repository, &layout::blocking_tracking(remote))?;
    }
    Ok(remotes)
}

/// The configured fetch refspecs of a remote.
pub fn refspecs_of(repository: &Repository, remote: &str) -> Vec<String> {
    repository.config_strings(&format!("remote.{remote}.fetch"))
}

/// The remotes whose refspecs lack something, or have what [`refspecs`] takes out.
pub fn unsound(repository: &Repository) -> Vec<String> {
    let unsound = |remote: &String| {
        let there = refspecs_of(repository, remote);
        let lacks = layout::fetch_refspecs(remote).iter().any(|spec| !there.contains(spec));
        lacks || there.contains(&layout::former_refspec(remote))
    };
    repository.remotes().into_iter().filter(unsound).collect()
}

/// The refspecs of a remote by which a fetch writes to own refs: forced or pruned, it could take from them what was not published yet.
pub fn overwriting(repository: &Repository, remote: &str) -> Vec<String> {
    let touches_own = |spec: &String| {
        let Some((_, to)) = spec.split_once(':') else { return false };
        let to = to.split('*').next().unwrap_or(to);
        [layout::NOTES, layout::BOUNDARY].iter().any(|own| own.starts_with(to) || to.starts_with(own))
    };
    refspecs_of(repository, remote).into_iter().filter(touches_own).collect()
}

/// Removes what was fetched under a name that has only refs below it.
pub(super) fn unblock(repository: &Repository, name: &str) -> Result<(), AppError> {
    let Some(there) = repository.find_ref(name)? else { return Ok(()) };
    let edit = RefEdit { name: name.to_owned(), expected: Expected::At(there), new: None };
    // A ref that goes takes its log with it, so that the moment does not matter.
    match repository.update_refs(&[edit], "boundary: in the way of what is fetched", Timestamp(0))? {
        // Whoever changed it meanwhile fetches; `doctor` says what is there then.
        Update::Done | Update::Raced => Ok(()),
    }
}
