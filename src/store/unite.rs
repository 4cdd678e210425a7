//! UNITE: this registrar's own ref and what was fetched of it become one, with no line of either lost.
//!
//! They part where a backup of a clone is put back, or a key is used in two places. As long as one ledger goes on from the other, the
//! longer one holds all that was signed. Where both went on, nobody can make one ledger of them: that is said, and both stay.

use super::alone::Alone;
use super::carried::{Registered, lacking, with_lines};
use super::cosigned;
use super::error::StoreError;
use super::layout;
use super::shelf::Signed;
use crate::git::{Expected, NewCommit, NotesTree, RefEdit, Repository, TreeEntry, Update, retry};
use crate::ledger::{Entry, Origin, TreeHead};
use crate::model::id::Oid;
use crate::model::key::PublicKey;
use crate::model::time::Timestamp;

/// Whose ref it is.
#[derive(Debug, Clone, Copy)]
pub struct Own {
    /// The registrar's raw key.
    pub key: PublicKey,
    /// Its ledger.
    pub origin: Origin,
}

/// What became of the own ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum United {
    /// It had everything already.
    Whole,
    /// It went forward to what was fetched.
    Forward,
    /// It got a commit that has both for parents.
    Merged,
    /// Two ledgers of one key: nothing was changed.
    Forked(Fork),
    /// What was fetched is no ledger of this registrar, in words: nothing was changed.
    Foreign(String),
}

/// Two ledgers that one key signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fork {
    /// Of the own ref.
    pub own: TreeHead,
    /// Of what was fetched.
    pub other: TreeHead,
    /// The last head that both have.
    pub shared: TreeHead,
}

/// Unites the own ref with a notes commit that was fetched.
///
/// # Errors
/// [`StoreError`]; nothing is changed then. [`StoreError::Ledger`] when the own ref itself holds no ledger.
pub fn unite(
    repository: &Repository,
    own: Own,
    (place, other): (&str, Oid),
    now: Timestamp,
) -> Result<United, StoreError> {
    let reference = layout::registrar_ref(&own.origin.registrar);
    let mut alone = Alone::enter(repository);
    retry(&reference, || {
        let tip = repository.find_ref(&reference)?;
        let made = match join(repository, own, &reference, tip, (place, other), now)? {
            Joined::As(united) => return Ok(Some(united)),
            Joined::At(made, united) => (made, united),
        };
        let expected = tip.map_or(Expected::Absent, Expected::At);
        let edit = RefEdit { name: reference.clone(), expected, new: Some(made.0) };
        match repository.update_refs(&[edit], "boundary: united with what was fetched", now)? {
            Update::Done => Ok(Some(made.1)),
            Update::Raced => {
                alone.refused(&reference)?;
                Ok(None)
            }
        }
    })
}

enum Joined {
    /// There is nothing to write.
    As(United),
    /// The ref is to be at this commit.
    At(Oid, United),
}

fn join(
    repository: &Repository,
    own: Own,
    reference: &str,
    tip: Option<Oid>,
    (place, other): (&str, Oid),
    now: Timestamp,
) -> Result<Joined, StoreError> {
    // Where the walk can't tell, the trees do.
    let leads_to = |from: &Oid, to: &Oid| from == to || repository.is_ancestor(from, to).unwrap_or(false);
    if tip.is_some_and(|tip| leads_to(&other, &tip)) {
        return Ok(Joined::As(United::Whole));
    }
    let theirs = match Signed::of(NotesTree::load(repository, Some(&other))?, own.origin, own.key, place) {
        Ok(theirs) => theirs,
        Err(defect) => return Ok(Joined::As(United::Foreign(defect))),
    };
    let broken = |defect: String| StoreError::Ledger { reference: reference.to_owned(), defect };
    let ours = match &tip {
        Some(tip) => {
            Some(Signed::of(NotesTree::load(repository, Some(tip))?, own.origin, own.key, reference).map_err(broken)?)
        }
        None => None,
    };
    let entries: Vec<Entry>;
    let mut takes_theirs = true;
    match &ours {
        Some(ours) if ours.extends(theirs.head).unwrap_or(false) => {
            takes_theirs = false;
            entries = ours.entries().map_err(broken)?;
        }
        Some(ours) if !theirs.extends(ours.head).unwrap_or(false) => {
            return Ok(Joined::As(match shared(ours, &theirs) {
                Ok(shared) => United::Forked(Fork { own: ours.head, other: theirs.head, shared }),
                Err(defect) => United::Foreign(defect),
            }));
        }
        _ => match theirs.entries() {
            Ok(found) => entries = found,
            Err(defect) => return Ok(Joined::As(United::Foreign(defect))),
        },
    }
    let mut notes = NotesTree::load(repository, tip.as_ref())?;
    let mut more = NotesTree::load(repository, Some(&other))?;
    for (oid, lines) in lacking(&mut more, &mut notes, &Registered::of(&entries))? {
        let note = with_lines(notes.get(&oid)?.unwrap_or_default(), lines);
        notes.set(&oid, &note)?;
    }
    let witness = (&own.origin.registrar, &own.key);
    for (path, bytes) in cosigned::lacking(&mut more, &mut notes, own.origin.repository, witness)? {
        notes.set_file(&path, &bytes)?;
    }
    let mut tree = notes.write()?;
    if takes_theirs {
        tree = with_ledger_of(repository, &tree, &other)?;
    }
    let theirs_whole = repository.commit(&other)?.tree == tree;
    if theirs_whole && tip.is_none_or(|tip| leads_to(&tip, &other)) {
        return Ok(Joined::At(other, United::Forward));
    }
    let parents: Vec<Oid> = tip.into_iter().chain([other]).collect();
    let message = layout::message(repository, "unite");
    let commit = repository.write_commit(&NewCommit { tree, parents: &parents, time: now, message: &message })?;
    Ok(Joined::At(commit, United::Merged))
}

fn shared(ours: &Signed<'_>, theirs: &Signed<'_>) -> Result<TreeHead, String> {
    let size = ours.shared_with(theirs)?;
    Ok(TreeHead { root: ours.root_at(size)?, size })
}

/// The tree with the ledger of another notes commit in place of its own.
fn with_ledger_of(repository: &Repository, tree: &Oid, other: &Oid) -> Result<Oid, StoreError> {
    let name = layout::LEDGER.trim_end_matches('/').as_bytes();
    let mut entries: Vec<TreeEntry> =
        repository.tree(tree)?.into_iter().filter(|entry| entry.name.as_slice() != name).collect();
    let theirs = repository.tree(&repository.commit(other)?.tree)?;
    entries.extend(theirs.into_iter().filter(|entry| entry.name.as_slice() == name));
    Ok(repository.write_tree(entries)?)
}
