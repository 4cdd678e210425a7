//! Notes trees: one blob of text for an object, at its id's hex digits, with or without fan-out directories.
//!
//! Read and written a path at a time: a change costs as many trees as the path is deep, however many notes there are.
//! gix-note is as lazy, but refuses a tree that holds two files for one object, which git joins; hence this editor.

mod fanout;
mod iter;
mod node;
mod unfinished;

use super::objects::{Mode, ObjectError};
use super::repository::Repository;
use crate::model::hex;
use crate::model::id::Oid;

use self::node::Node;
pub use self::unfinished::UnfinishedMerge;

/// A notes tree that cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum NotesError {
    /// A tree or blob of it.
    #[error("notes tree: {0}")]
    Object(#[from] ObjectError),
    /// A file is to be where a directory is, or the other way round.
    #[error("{path:?} cannot be a file of the notes tree: {defect}")]
    Path {
        /// The path within the notes tree.
        path: String,
        /// What is in the way.
        defect: &'static str,
    },
}

/// One notes tree, opened at a commit; changes stay in memory until [`NotesTree::write`].
#[derive(Debug)]
pub struct NotesTree<'r> {
    repository: &'r Repository,
    /// The root as stored, which answers questions as long as nothing is changed.
    stored: Oid,
    changed: Option<Node>,
}

impl<'r> NotesTree<'r> {
    /// The tree of a notes commit; with `None` an empty one. Reads nothing but that commit and its root tree.
    ///
    /// # Errors
    /// [`NotesError::Object`]
    pub fn load(repository: &'r Repository, commit: Option<&Oid>) -> Result<Self, NotesError> {
        let stored = match commit {
            None => repository.object_format().empty_tree(),
            Some(oid) => repository.commit(oid)?.tree,
        };
        repository.shared_tree(&stored)?;
        Ok(NotesTree { repository, stored, changed: None })
    }

    /// The root to be changed.
    fn root(&mut self) -> Result<&mut Node, NotesError> {
        let root = match self.changed.take() {
            Some(root) => root,
            None => Node::load(self.repository, &self.stored)?,
        };
        Ok(self.changed.insert(root))
    }

    /// The note of an object; several files for it are joined as git joins them, by an empty line.
    ///
    /// # Errors
    /// [`NotesError::Object`]
    pub fn get(&mut self, oid: &Oid) -> Result<Option<Vec<u8>>, NotesError> {
        self.get_within(oid, u64::MAX)
    }

    /// Like [`Self::get`], refusing more than `limit` bytes in all.
    ///
    /// # Errors
    /// [`NotesError::Object`], with [`ObjectError::TooLarge`] for a larger one.
    pub fn get_within(&mut self, oid: &Oid, limit: u64) -> Result<Option<Vec<u8>>, NotesError> {
        let blobs = self.blobs(oid)?;
        let mut left = limit;
        join(&blobs, |blob| {
            let bytes = self.repository.blob_within(blob, left)?;
            left -= bytes.len() as u64;
            Ok(bytes)
        })
    }

    /// The blobs that make up the note of an object, in git's order; mostly none or one.
    ///
    /// # Errors
    /// [`NotesError::Object`]
    pub fn blobs(&mut self, oid: &Oid) -> Result<Vec<Oid>, NotesError> {
        let mut found = Vec::new();
        let digits = hex::encode(oid.as_bytes());
        match &mut self.changed {
            Some(root) => fanout::find(self.repository, root, &digits, &mut found)?,
            None => fanout::find_stored(self.repository, &self.stored, &digits, &mut found)?,
        }
        Ok(found)
    }

    /// The same, if all of them are stored here; says nothing about whether they are intact.
    ///
    /// # Errors
    /// [`NotesError::Object`]
    pub fn blobs_here(&mut self, oid: &Oid) -> Result<Option<Vec<Oid>>, NotesError> {
        let blobs = self.blobs(oid)?;
        Ok(blobs.iter().all(|blob| self.repository.contains(blob)).then_some(blobs))
    }

    /// Replaces the note of an object; whatever files it had become one. Stores the blob at once.
    ///
    /// # Errors
    /// [`NotesError::Object`]
    pub fn set(&mut self, oid: &Oid, bytes: &[u8]) -> Result<(), NotesError> {
        let blob = self.repository.write_blob(bytes)?;
        let digits = hex::encode(oid.as_bytes());
        let repository = self.repository;
        let root = self.root()?;
        fanout::remove(repository, root, &digits)?;
        fanout::insert(repository, root, &digits, blob)
    }

    /// Removes the note of an object; whether there was one.
    ///
    /// # Errors
    /// [`NotesError::Object`]
    pub fn remove(&mut self, oid: &Oid) -> Result<bool, NotesError> {
        fanout::remove(self.repository, self.root()?, &hex::encode(oid.as_bytes()))
    }

    /// The bytes of a file beside the notes, such as `ledger/checkpoint`; `None` when there is no such file.
    ///
    /// # Errors
    /// [`NotesError::Object`]
    pub fn file(&mut self, path: &str) -> Result<Option<Vec<u8>>, NotesError> {
        match self.file_blob(path)? {
            Some(blob) => Ok(Some(self.repository.blob(&blob)?)),
            None => Ok(None),
        }
    }

    /// Like [`Self::file`], refusing a blob of more than `limit` bytes.
    ///
    /// # Errors
    /// [`NotesError::Object`], with [`ObjectError::TooLarge`] for a larger one.
    pub fn file_within(&mut self, path: &str, limit: u64) -> Result<Option<Vec<u8>>, NotesError> {
        match self.file_blob(path)? {
            Some(blob) => Ok(Some(self.repository.blob_within(&blob, limit)?)),
            None => Ok(None),
        }
    }

    /// The blob of a file beside the notes.
    ///
    /// # Errors
    /// [`NotesError::Object`]
    pub fn file_blob(&mut self, path: &str) -> Result<Option<Oid>, NotesError> {
        match &mut self.changed {
            Some(root) => root.file(self.repository, path),
            None => Ok(stored_file(self.repository, &self.stored, path)?),
        }
    }

    /// The names within a directory beside the notes, in order; empty when there is no such directory.
    ///
    /// # Errors
    /// [`NotesError::Object`]
    pub fn directory(&mut self, path: &str) -> Result<Vec<String>, NotesError> {
        match &mut self.changed {
            Some(root) => root.names(self.repository, path),
            None => Ok(stored_names(self.repository, &self.stored, path)?),
        }
    }

    /// Creates or replaces a file beside the notes. Stores the blob at once.
    ///
    /// # Errors
    /// [`NotesError::Path`] when a part of the path is a file, or the whole of it a directory.
    pub fn set_file(&mut self, path: &str, bytes: &[u8]) -> Result<(), NotesError> {
        let blob = self.repository.write_blob(bytes)?;
        let repository = self.repository;
        self.root()?.set_file(repository, path, path, blob)
    }

    /// Removes a file beside the notes, and directories that it leaves empty; whether there was one.
    ///
    /// # Errors
    /// [`NotesError::Object`]
    pub fn remove_file(&mut self, path: &str) -> Result<bool, NotesError> {
        let repository = self.repository;
        self.root()?.remove_file(repository, path)
    }

    /// Stores the trees that changed and names the root tree.
    ///
    /// # Errors
    /// [`NotesError::Object`]
    pub fn write(&mut self) -> Result<Oid, NotesError> {
        match &mut self.changed {
            Some(root) => Ok(root.write(self.repository)?),
            None => Ok(self.repository.write_tree(self.repository.tree(&self.stored)?)?),
        }
    }
}

/// The blob of a file in a stored tree.
fn stored_file(repository: &Repository, root: &Oid, path: &str) -> Result<Option<Oid>, ObjectError> {
    let mut tree = *root;
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        let entries = repository.shared_tree(&tree)?;
        let Some(entry) = entries.iter().find(|entry| entry.name == name.as_bytes()) else { return Ok(None) };
        match (names.peek(), entry.mode) {
            (None, Mode::File | Mode::Executable) => return Ok(Some(entry.oid)),
            (Some(_), Mode::Tree) => tree = entry.oid,
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// The names within a directory of a stored tree.
fn stored_names(repository: &Repository, root: &Oid, path: &str) -> Result<Vec<String>, ObjectError> {
    let mut tree = *root;
    for name in path.split('/').filter(|name| !name.is_empty()) {
        let entries = repository.shared_tree(&tree)?;
        match entries.iter().find(|entry| entry.name == name.as_bytes() && entry.mode == Mode::Tree) {
            Some(entry) => tree = entry.oid,
            None => return Ok(Vec::new()),
        }
    }
    let entries = repository.shared_tree(&tree)?;
    Ok(entries.iter().map(|entry| String::from_utf8_lossy(&entry.name).into_owned()).collect())
}

/// git's `combine_notes_concatenate`: an empty line between, equal blobs once, empty ones not at all.
fn join(
    blobs: &[Oid],
    mut read: impl FnMut(&Oid) -> Result<Vec<u8>, NotesError>,
) -> Result<Option<Vec<u8>>, NotesError> {
    let Some((first, others)) = blobs.split_first() else { return Ok(None) };
    let mut joined = read(first)?;
    for blob in others.iter().filter(|blob| *blob != first) {
        let more = read(blob)?;
        if joined.is_empty() {
            joined = more;
        } else if !more.is_empty() {
            if joined.last() == Some(&b'\n') {
                joined.pop();
            }
            joined.extend_from_slice(b"\n\n");
            joined.extend_from_slice(&more);
        }
    }
    Ok(Some(joined))
}

#[cfg(test)]
mod tests;
