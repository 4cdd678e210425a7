//! All notes of a tree.

use super::fanout::{is_directory, is_note};
use super::node::Node;
use super::{NotesError, NotesTree};
use crate::git::repository::Repository;
use crate::model::hex;
use crate::model::id::Oid;

impl NotesTree<'_> {
    /// Every note as (annotated object, blob), in the order of the tree; an object with several files comes several times.
    ///
    /// Reads trees and no blobs. Before reading many blobs sort them with [`Repository::sort_by_storage`].
    ///
    /// # Errors
    /// [`NotesError::Object`]
    pub fn iter(&mut self) -> Result<Vec<(Oid, Oid)>, NotesError> {
        let mut found = Vec::new();
        let digits = self.repository.object_format().id_len() * 2;
        walk(self.repository, self.root()?, &mut String::new(), digits, &mut found)?;
        Ok(found)
    }
}

fn walk(
    repository: &Repository,
    node: &mut Node,
    prefix: &mut String,
    digits: usize,
    found: &mut Vec<(Oid, Oid)>,
) -> Result<(), NotesError> {
    for (name, entry) in &mut node.entries {
        let left = digits - prefix.len();
        if is_note(name, entry, left) {
            let id = format!("{prefix}{}", String::from_utf8_lossy(name).to_ascii_lowercase());
            found.extend(hex::decode(&id).and_then(|raw| Oid::from_bytes(&raw)).map(|oid| (oid, entry.oid)));
        } else if left > 2 && is_directory(name, entry) {
            let length = prefix.len();
            prefix.push_str(&String::from_utf8_lossy(name).to_ascii_lowercase());
            // What was not open yet is not kept: a walk over everything should not hold everything.
            match entry.child.as_deref_mut() {
                Some(child) => walk(repository, child, prefix, digits, found)?,
                None => walk(repository, &mut Node::load(repository, &entry.oid)?, prefix, digits, found)?,
            }
            prefix.truncate(length);
        }
    }
    Ok(())
}
