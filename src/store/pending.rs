//! PENDING: where the next trust version waits for root signatures. A ref of its own, that travels with the chain and is no part of it.

use super::error::{ChainDefect, StoreError};
use super::layout;
use crate::codec::strict;
use crate::git::{Expected, Mode, NewCommit, RefEdit, Repository, TreeEntry, Update};
use crate::model::id::Oid;
use crate::model::time::Timestamp;

/// The one file in its tree.
const FILE: &str = "pending.json";

/// The line that waits in a commit.
///
/// # Errors
/// [`ChainDefect::Layout`] when the tree is of another form.
pub fn read(repository: &Repository, reference: &str, commit: &Oid) -> Result<Vec<u8>, StoreError> {
    let layout = |text: &str| StoreError::Chain {
        reference: reference.to_owned(),
        defect: ChainDefect::Layout(text.to_owned()),
    };
    let entries = repository.tree(&repository.commit(commit)?.tree)?;
    let [TreeEntry { mode: Mode::File, name, oid }] = entries.as_slice() else {
        return Err(layout("holds something else than one file"));
    };
    if name != FILE.as_bytes() {
        return Err(layout("holds a file of another name than pending.json"));
    }
    let mut line = repository.blob_within(oid, strict::MAX_LINE as u64 + 1)?;
    if line.pop() != Some(b'\n') {
        return Err(layout("its file does not end in a newline"));
    }
    Ok(line)
}

/// Puts a line there. `onto` are the commits that it takes the place of, own and fetched, so that sending it is a plain fast-forward.
///
/// # Errors
/// When it can't be written; `Ok(Update::Raced)` when somebody else did meanwhile.
pub fn write(repository: &Repository, onto: &[Oid], line: &[u8], now: Timestamp) -> Result<Update, StoreError> {
    let mut bytes = line.to_vec();
    bytes.push(b'\n');
    let oid = repository.write_blob(&bytes)?;
    let entries = vec![TreeEntry { mode: Mode::File, name: FILE.as_bytes().to_vec(), oid }];
    let tree = repository.write_tree(entries)?;
    let message = "trust version that waits for signatures";
    let commit = repository.write_commit(&NewCommit { tree, parents: onto, time: now, message })?;
    let own = repository.find_ref(layout::TRUST_PENDING)?;
    let edit = RefEdit {
        name: layout::TRUST_PENDING.to_owned(),
        expected: own.map_or(Expected::Absent, Expected::At),
        new: Some(commit),
    };
    Ok(repository.update_refs(&[edit], message, now)?)
}
