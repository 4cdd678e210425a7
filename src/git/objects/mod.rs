//! Objects, typed from bytes that were hashed again against the id they were asked for by.
//!
//! Nothing is ever fetched to answer a question; an absent object is said to be absent.

mod cache;
mod commit;
mod identity;
mod near;
mod store;
mod tag;
mod tree;
mod write;

use std::path::PathBuf;
use std::sync::Arc;

pub(super) use self::cache::ReadCache;
pub use self::commit::Commit;
pub use self::identity::Identity;
pub(super) use self::store::ObjectStore;
pub use self::tree::{Mode, TreeEntry};
pub use self::write::NewCommit;
use super::repository::Repository;
use crate::model::id::Oid;

/// Brings what a partial clone's filter left out of refs that were fetched already: an ordinary fetch counts that as here.
const FETCH_ALL: &str = "git fetch --refetch --no-filter";

/// The four kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// File content.
    Blob,
    /// A directory.
    Tree,
    /// A revision.
    Commit,
    /// An annotated tag.
    Tag,
}

/// An object that cannot be had, or cannot be believed.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// It is not here.
    #[error("object {oid} is not in this repository{}", why_missing(*.promisor, *.shallow))]
    Missing {
        /// Its id.
        oid: Oid,
        /// The repository is a partial clone: a promisor remote may have it.
        promisor: bool,
        /// The repository is shallow: it may lie beyond the cut.
        shallow: bool,
    },
    /// Its bytes cannot be decoded, or hash to something else.
    #[error("object {oid} is corrupt: {defect}")]
    Corrupt {
        /// Its id.
        oid: Oid,
        /// What is wrong.
        defect: String,
    },
    /// Its bytes are intact and break git's own rules for such an object.
    #[error("object {oid} is malformed: {defect}")]
    Malformed {
        /// Its id.
        oid: Oid,
        /// What is wrong.
        defect: String,
    },
    /// It is of another kind than the place it is named in wants.
    #[error("object {oid} is a {}, not a {}", found.name(), wanted.name())]
    Kind {
        /// Its id.
        oid: Oid,
        /// What it is.
        found: ObjectKind,
        /// What was asked for.
        wanted: ObjectKind,
    },
    /// It is larger than the caller is willing to read.
    #[error("object {oid} has {size} bytes, more than the {limit} that are read here")]
    TooLarge {
        /// Its id.
        oid: Oid,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The id has the length of another object format.
    #[error("object id {oid} is not of this repository's object format")]
    Format {
        /// The id.
        oid: Oid,
    },
    /// A new object could not be stored.
    #[error("no object can be written to '{}': {defect}", path.display())]
    Write {
        /// The object directory.
        path: PathBuf,
        /// What the system said.
        defect: String,
    },
}

impl ObjectError {
    /// Whether it says only that something is not here: the answer is unknown, nobody is at fault.
    pub fn is_missing(&self) -> bool {
        matches!(self, ObjectError::Missing { .. })
    }

    /// Whether the bytes are here and intact, and are nothing that git would make: whoever made it is at fault.
    pub fn is_malformed(&self) -> bool {
        matches!(self, ObjectError::Malformed { .. } | ObjectError::Kind { .. })
    }

    /// The command that brings what is missing; `None` for any other defect.
    pub fn fetch_command(&self) -> Option<&'static str> {
        match self {
            ObjectError::Missing { promisor: true, .. } => Some(FETCH_ALL),
            ObjectError::Missing { shallow: true, .. } => Some("git fetch --unshallow"),
            ObjectError::Missing { .. } => Some("git fetch"),
            _ => None,
        }
    }
}

impl ObjectKind {
    /// git's word for it.
    pub fn name(self) -> &'static str {
        match self {
            ObjectKind::Blob => "blob",
            ObjectKind::Tree => "tree",
            ObjectKind::Commit => "commit",
            ObjectKind::Tag => "tag",
        }
    }
}

impl Repository {
    /// A commit.
    ///
    /// # Errors
    /// [`ObjectError`]; `Kind` for an annotated tag: see [`Self::peel_to_commit`].
    pub fn commit(&self, oid: &Oid) -> Result<Commit, ObjectError> {
        if let Some(known) = self.read_cache().borrow().commit(oid) {
            return Ok(known.clone());
        }
        let commit = Commit::parse(*oid, self.object_of_kind(oid, ObjectKind::Commit)?, self.object_format())?;
        self.read_cache().borrow_mut().keep_commit(&commit);
        Ok(commit)
    }

    /// The entries of a tree in git's order, after the checks of [`TreeEntry`]. The empty tree needs no object.
    ///
    /// # Errors
    /// [`ObjectError`]; `Malformed` for a tree that git's own tools would read in more than one way.
    pub fn tree(&self, oid: &Oid) -> Result<Vec<TreeEntry>, ObjectError> {
        Ok(self.shared_tree(oid)?.to_vec())
    }

    /// The same, shared with whoever asks for it again.
    pub(super) fn shared_tree(&self, oid: &Oid) -> Result<Arc<[TreeEntry]>, ObjectError> {
        if *oid == self.object_format().empty_tree() {
            return Ok(Arc::default());
        }
        if let Some(known) = self.read_cache().borrow().tree(oid) {
            return Ok(known);
        }
        let raw = self.object_of_kind(oid, ObjectKind::Tree)?;
        let entries: Arc<[TreeEntry]> = tree::parse(*oid, &raw, self.object_format())?.into();
        self.read_cache().borrow_mut().keep_tree(oid, &entries);
        Ok(entries)
    }

    /// The bytes of a blob.
    ///
    /// # Errors
    /// [`ObjectError`]
    pub fn blob(&self, oid: &Oid) -> Result<Vec<u8>, ObjectError> {
        self.object_of_kind(oid, ObjectKind::Blob)
    }

    /// The bytes of a blob of at most `limit` bytes; a larger one is not read.
    ///
    /// # Errors
    /// [`ObjectError`]
    pub fn blob_within(&self, oid: &Oid, limit: u64) -> Result<Vec<u8>, ObjectError> {
        let (found, bytes) = self.objects().read_within(oid, limit)?.ok_or_else(|| self.missing(oid))?;
        if found == ObjectKind::Blob {
            return Ok(bytes);
        }
        Err(ObjectError::Kind { oid: *oid, found, wanted: ObjectKind::Blob })
    }

    /// What kind of object this is.
    ///
    /// # Errors
    /// [`ObjectError`]
    pub fn kind(&self, oid: &Oid) -> Result<ObjectKind, ObjectError> {
        Ok(self.object(oid)?.0)
    }

    /// Whether the object is stored here. Says nothing about whether it is intact.
    pub fn contains(&self, oid: &Oid) -> bool {
        self.read_cache().borrow().has(oid) || self.objects().contains(oid)
    }

    /// Sorts items by where their objects are stored. Reading many packed blobs in this order is several times faster.
    pub fn sort_by_storage<T>(&self, items: &mut [T], oid: impl Fn(&T) -> Oid) {
        let position = self.objects().positions();
        items.sort_by_cached_key(|item| position(&oid(item)));
    }

    /// The commit that an object is or, through annotated tags, names; `None` for trees and blobs.
    ///
    /// # Errors
    /// [`ObjectError`]
    pub fn peel_to_commit(&self, oid: &Oid) -> Result<Option<Oid>, ObjectError> {
        // A hash cannot name itself, so chains end; the bound is for chains made to cost time.
        let mut oid = *oid;
        for _ in 0..64 {
            if self.read_cache().borrow().commit(&oid).is_some() {
                return Ok(Some(oid));
            }
            match self.object(&oid)? {
                (ObjectKind::Commit, bytes) => {
                    // It is mostly read next; whether it is well-formed is for that reading to say.
                    if let Ok(commit) = Commit::parse(oid, bytes, self.object_format()) {
                        self.read_cache().borrow_mut().keep_commit(&commit);
                    }
                    return Ok(Some(oid));
                }
                (ObjectKind::Tag, bytes) => oid = tag::target(oid, &bytes, self.object_format())?,
                _ => return Ok(None),
            }
        }
        Err(ObjectError::Malformed { oid, defect: "more than 64 tags of tags".to_owned() })
    }

    /// Any object: its kind and its bytes, hashed against its id.
    pub(super) fn object(&self, oid: &Oid) -> Result<(ObjectKind, Vec<u8>), ObjectError> {
        self.objects().read(oid)?.ok_or_else(|| self.missing(oid))
    }

    pub(super) fn missing(&self, oid: &Oid) -> ObjectError {
        ObjectError::Missing { oid: *oid, promisor: self.is_partial(), shallow: self.is_shallow() }
    }

    fn object_of_kind(&self, oid: &Oid, wanted: ObjectKind) -> Result<Vec<u8>, ObjectError> {
        let (found, bytes) = self.object(oid)?;
        if found == wanted { Ok(bytes) } else { Err(ObjectError::Kind { oid: *oid, found, wanted }) }
    }
}

fn why_missing(promisor: bool, shallow: bool) -> &'static str {
    match (promisor, shallow) {
        (true, _) => " (it is a partial clone: the object was not fetched)",
        (false, true) => " (its history is shallow: git fetch --unshallow brings the rest)",
        (false, false) => "",
    }
}

#[cfg(test)]
mod tests;
