//! CONTENT: where the bytes of a wish wait: in a commit of their own on top of what is there, which differs in that one file, and which a
//! ref of this clone keeps, so that no `git gc` drops them. Nobody pushes it.

use crate::app::context::Context;
use crate::app::error::AppError;
use crate::codec::canonical;
use crate::git::{Expected, Mode, NewCommit, RefEdit, Repository, TreeEntry, Update};
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::time::Timestamp;
use crate::model::workspace_path::WorkspacePath;
use crate::store::layout;

/// A wish's commit, by the key of the wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The ref that keeps it.
    pub reference: String,
    /// The commit.
    pub commit: Oid,
}

/// Every commit that is kept for a wish of this clone's sessions.
///
/// # Errors
/// When refs can't be read.
pub fn waiting(repository: &Repository) -> Result<Vec<Waiting>, AppError> {
    let refs = repository.refs_under(layout::WRITES)?;
    Ok(refs.into_iter().map(|(reference, commit)| Waiting { reference, commit }).collect())
}

/// The ref for a wish: named by its session and its key, so that the same wish finds its own.
pub(super) fn reference(session: &Digest, key: &Digest) -> String {
    format!("{}{}/{}", layout::WRITES, &session.hex()[..32], &key.hex()[..32])
}

/// What a session's refs begin with.
pub(super) fn of_session(session: &Digest) -> String {
    format!("{}{}/", layout::WRITES, &session.hex()[..32])
}

/// Makes the commit and keeps it; the one that is kept for the same wish already, where there is one.
///
/// # Errors
/// When objects or the ref can't be written.
pub(super) fn keep(
    repository: &Repository,
    (reference, key): (&str, &Digest),
    base: Oid,
    (path, bytes, executable): (&WorkspacePath, &[u8], bool),
    now: Timestamp,
) -> Result<Oid, AppError> {
    let blob = repository.write_blob(bytes)?;
    let mode = if executable { Mode::Executable } else { Mode::File };
    let names: Vec<&str> = path.segments().collect();
    let tree = placed(repository, Some(repository.commit(&base)?.tree), &names, (mode, blob))?;
    // The key makes the commit of one wish another than that of the next, of whatever second both are.
    let message = format!("write {}\n\n{} {}", path.as_str(), canonical::sha256(bytes), key.hex());
    let commit = repository.write_commit(&NewCommit { tree, parents: &[base], time: now, message: &message })?;
    let edit = RefEdit { name: reference.to_owned(), expected: Expected::Absent, new: Some(commit) };
    match repository.update_refs(&[edit], "boundary: content that waits", now)? {
        Update::Done => Ok(commit),
        Update::Raced => repository
            .find_ref(reference)?
            .ok_or_else(|| AppError::fatal(format!("{reference} can't be written"), "git boundary doctor")),
    }
}

/// Lets go of what was kept for a session that is over. git drops it when it next collects what nothing leads to.
///
/// # Errors
/// When refs can't be read or written.
pub fn forget(context: &Context, session: &Digest) -> Result<(), AppError> {
    let repository = context.repository()?;
    for (name, there) in repository.refs_under(&of_session(session))? {
        let edit = RefEdit { name, expected: Expected::At(there), new: None };
        match repository.update_refs(&[edit], "boundary: the session is over", context.now)? {
            Update::Done | Update::Raced => {}
        }
    }
    Ok(())
}

/// The tree with an entry at a path, whatever was there or on the way.
fn placed(repository: &Repository, tree: Option<Oid>, names: &[&str], file: (Mode, Oid)) -> Result<Oid, AppError> {
    let mut entries: Vec<TreeEntry> = match tree {
        Some(tree) => repository.tree(&tree)?,
        None => Vec::new(),
    };
    let Some((name, below)) = names.split_first() else { unreachable!("a path has a segment") };
    let there = entries.iter().position(|entry| entry.name == name.as_bytes()).map(|at| entries.swap_remove(at));
    let (mode, oid) = if below.is_empty() {
        file
    } else {
        let tree = there.filter(|entry| entry.mode == Mode::Tree).map(|entry| entry.oid);
        (Mode::Tree, placed(repository, tree, below, file)?)
    };
    entries.push(TreeEntry { mode, name: name.as_bytes().to_vec(), oid });
    Ok(repository.write_tree(entries)?)
}
