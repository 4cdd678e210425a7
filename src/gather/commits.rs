//! AUTHORITY: what each commit touches, from its own trees.

use super::error::GatherError;
use crate::codec::change_list::{self, Change};
use crate::crypto::verify_sshsig;
use crate::gate::facts::{CommitFacts, Touch};
use crate::git::{Commit, DiffError, Mode, Repository};
use crate::model::id::Oid;

/// Reads one commit.
///
/// # Errors
/// [`GatherError`] when its trees or those of its parents can't be read.
pub fn facts(
    repository: &Repository,
    commit: &Commit,
    prefer: &[Oid],
    with_change_list: bool,
) -> Result<CommitFacts, DiffError> {
    let touched = repository
        .touched(commit, prefer)?
        .into_iter()
        .map(|one| Touch { operations: one.operations, path: one.path })
        .collect();
    let change_list = match commit.parents.as_slice() {
        [parent] if with_change_list => {
            let base_tree = repository.commit(parent)?.tree;
            Some(change_list_id(repository, &base_tree, &commit.tree)?.0)
        }
        _ => None,
    };
    Ok(CommitFacts {
        change_list,
        parents: commit.parents.clone(),
        ssh_signer: commit.ssh_signature().and_then(|(payload, signature)| verify_sshsig(&signature, &payload).ok()),
        touched,
        tree: commit.tree,
    })
}

/// The blob id of the change list between two trees, and whether it is empty.
///
/// # Errors
/// When a tree can't be read.
pub fn change_list_id(repository: &Repository, base_tree: &Oid, tree: &Oid) -> Result<(Oid, bool), DiffError> {
    let changes = list(repository, base_tree, tree)?;
    let bytes = change_list::encode(&changes);
    let oid = repository.object_format().hash_blob(&bytes).expect("a blob of any bytes has an id");
    Ok((oid, changes.is_empty()))
}

/// The blob with a change list's bytes, written; its id names the list for ever.
///
/// # Errors
/// When a tree can't be read or the blob not be written.
pub fn write_change_list(repository: &Repository, base_tree: &Oid, tree: &Oid) -> Result<Oid, GatherError> {
    let changes = list(repository, base_tree, tree)?;
    Ok(repository.write_blob(&change_list::encode(&changes))?)
}

fn list(repository: &Repository, base_tree: &Oid, tree: &Oid) -> Result<Vec<Change>, DiffError> {
    let side = |side: Option<(Mode, Oid)>| side.map(|(mode, oid)| (mode.octal(), oid));
    let changes = repository.change_list(base_tree, tree)?;
    Ok(changes.into_iter().map(|one| Change { path: one.path, old: side(one.old), new: side(one.new) }).collect())
}
