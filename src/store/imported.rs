//! IMPORTED: another registrar's ledger that came in a file, placed where fetched ones are.

use std::collections::BTreeMap;
use std::convert::Infallible;

use super::error::StoreError;
use super::layout;
use super::local::LocalState;
use super::shelves::Shelves;
use crate::crypto::to_openssh;
use crate::git::{Expected, NewCommit, NotesTree, RefEdit, Repository, Update, retry};
use crate::ledger::{Entry, TreeHead, append, root_of};
use crate::model::id::{KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::time::Timestamp;

/// A whole ledger and every line of it, verified.
pub struct Whole<'a> {
    /// The signed checkpoint as it is stored.
    pub checkpoint: &'a [u8],
    /// Every entry, first to last.
    pub entries: Vec<Entry>,
    /// The head that the checkpoint is of.
    pub head: TreeHead,
    /// The registrar's key.
    pub key: PublicKey,
    /// The lines of each note, as the ledger has them in order.
    pub notes: BTreeMap<Oid, Vec<&'a [u8]>>,
    /// Whose ledger.
    pub registrar: KeyId,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placed {
    /// The ref holds it now.
    Taken,
    /// All of it is here already.
    Known,
    /// It is this clone's own, which only this clone writes.
    Own,
}

/// Places a ledger in its tracking ref, unless all of it is here.
///
/// # Errors
/// [`StoreError::Ledger`] for one that does not go on from what was seen of its registrar; nothing is written then.
pub fn place(
    repository: &Repository,
    local: &LocalState,
    shelves: &Shelves<'_>,
    whole: &Whole<'_>,
    now: Timestamp,
) -> Result<Placed, StoreError> {
    if local.registrar_id()? == Some(whole.registrar) {
        return Ok(Placed::Own);
    }
    let reference = layout::imported_ref(&whole.registrar);
    let broken = |defect: String| StoreError::Ledger { reference: reference.clone(), defect };
    let texts: Vec<String> = whole.entries.iter().map(Entry::to_string).collect();
    // Nothing that was seen of this registrar may part from what came now, in either direction.
    let heads = shelves.open.iter().filter(|shelf| shelf.registrar == whole.registrar).map(|shelf| shelf.head);
    let heads: Vec<TreeHead> = heads.chain(local.seen_head(&whole.registrar)?).collect();
    for seen in &heads {
        if seen.size <= whole.head.size {
            let size = usize::try_from(seen.size).map_err(|_| broken("is too long".to_owned()))?;
            let root = root_of(texts[..size].iter().map(String::as_bytes));
            if seen.size > 0 && root != seen.root {
                return Err(broken(format!("the ledger of {} does not extend the one seen, of {seen}", whole.head)));
            }
        }
    }
    let longer =
        shelves.open.iter().find(|shelf| shelf.registrar == whole.registrar && shelf.head.size >= whole.head.size);
    if let Some(longer) = longer {
        return match longer.root_at(whole.head.size).is_ok_and(|root| root == whole.head.root) {
            true => Ok(Placed::Known),
            false => Err(broken(format!("the ledger of {} parts from the one here, of {}", whole.head, longer.head))),
        };
    }
    if heads.iter().any(|seen| seen.size > whole.head.size) {
        return Err(broken(format!("the ledger of {} is shorter than the one that was seen", whole.head)));
    }
    retry(&reference, || write(repository, &reference, whole, now))?;
    Ok(Placed::Taken)
}

fn write(
    repository: &Repository,
    reference: &str,
    whole: &Whole<'_>,
    now: Timestamp,
) -> Result<Option<()>, StoreError> {
    let tip = repository.find_ref(reference)?;
    let mut notes = NotesTree::load(repository, None)?;
    for (oid, lines) in &whole.notes {
        let note: Vec<u8> = lines.iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect();
        notes.set(oid, &note)?;
    }
    let nothing = |_: &str| Ok::<_, Infallible>(None);
    let broken = |defect: String| StoreError::Ledger { reference: reference.to_owned(), defect };
    let appended = append(&nothing, TreeHead::empty(), &whole.entries).map_err(|error| broken(error.to_string()))?;
    if appended.head != whole.head {
        return Err(broken(format!("its entries give {}, not {}", appended.head, whole.head)));
    }
    for (path, bytes) in &appended.writes {
        notes.set_file(&format!("{}{path}", layout::LEDGER), bytes)?;
    }
    notes.set_file(layout::CHECKPOINT, whole.checkpoint)?;
    notes.set_file(layout::REGISTRAR_KEY, format!("{}\n", to_openssh(&whole.key, "")).as_bytes())?;
    let tree = notes.write()?;
    let parents: Vec<Oid> = tip.into_iter().collect();
    let commit = repository.write_commit(&NewCommit { tree, parents: &parents, time: now, message: "imported" })?;
    let expected = tip.map_or(Expected::Absent, Expected::At);
    let edit = RefEdit { name: reference.to_owned(), expected, new: Some(commit) };
    match repository.update_refs(&[edit], "imported", now)? {
        Update::Done => Ok(Some(())),
        Update::Raced => Ok(None),
    }
}
