//! Two trees side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Change, DiffError, Place, entries};
use crate::git::objects::{Mode, ObjectError, TreeEntry};
use crate::git::repository::Repository;
use crate::model::id::Oid;

type Entry = (Mode, Oid);

pub(super) fn walk(
    repository: &Repository,
    [old, new]: [Option<Oid>; 2],
    place: &mut Place,
    changes: &mut Vec<Change>,
) -> Result<(), DiffError> {
    if old == new {
        return Ok(());
    }
    let sides = [entries(repository, old)?, entries(repository, new)?];
    let mut names: BTreeMap<&[u8], [Option<Entry>; 2]> = BTreeMap::new();
    for (side, changed) in differing(&sides).into_iter().enumerate() {
        for entry in changed {
            names.entry(&entry.name).or_default()[side] = Some((entry.mode, entry.oid));
        }
    }
    for (name, [old, new]) in names.into_iter().filter(|(_, [old, new])| old != new) {
        place.within(name, |place| {
            let (old_file, new_file) = (file(old), file(new));
            if old_file != new_file {
                changes.push(Change { path: place.path.clone(), old: old_file, new: new_file });
            }
            walk(repository, [tree(old), tree(new)], place, changes)
        })?;
    }
    Ok(())
}

/// The lists without what is alike in all of them at their beginnings and at their ends: no name is twice in a tree, so that what is
/// left out of one is left out of the others.
pub(super) fn differing(lists: &[Arc<[TreeEntry]>]) -> Vec<&[TreeEntry]> {
    let mut lists: Vec<&[TreeEntry]> = lists.iter().map(|list| &**list).collect();
    while let Some(first) = lists.first().and_then(|list| list.first())
        && lists.iter().all(|list| list.first() == Some(first))
    {
        lists.iter_mut().for_each(|list| *list = &list[1..]);
    }
    while let Some(last) = lists.first().and_then(|list| list.last())
        && lists.iter().all(|list| list.last() == Some(last))
    {
        lists.iter_mut().for_each(|list| *list = &list[..list.len() - 1]);
    }
    lists
}

/// What is at the path itself; a directory is nothing but what is in it.
pub(super) fn file(entry: Option<Entry>) -> Option<Entry> {
    entry.filter(|(mode, _)| *mode != Mode::Tree)
}

pub(super) fn tree(entry: Option<Entry>) -> Option<Oid> {
    entry.filter(|(mode, _)| *mode == Mode::Tree).map(|(_, oid)| oid)
}

impl Repository {
    /// The entry at a path of a tree; `None` when there is nothing.
    ///
    /// # Errors
    /// [`ObjectError`]
    pub fn entry_at(&self, root: &Oid, path: &[u8]) -> Result<Option<Entry>, ObjectError> {
        let mut found = Some((Mode::Tree, *root));
        for name in path.split(|byte| *byte == b'/') {
            let Some(directory) = tree(found) else { return Ok(None) };
            found = self
                .shared_tree(&directory)?
                .iter()
                .find(|entry| entry.name == name)
                .map(|entry| (entry.mode, entry.oid));
        }
        Ok(found)
    }
}
