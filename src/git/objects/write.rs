//! New loose objects.

use super::tree;
use super::{ObjectError, ObjectKind, TreeEntry};
use crate::git::repository::Repository;
use crate::model::id::Oid;
use crate::model::time::Timestamp;

/// A commit to be written; its author and committer are [`Repository::identity`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommit<'a> {
    /// Its tree.
    pub tree: Oid,
    /// Its parents.
    pub parents: &'a [Oid],
    /// When, in UTC.
    pub time: Timestamp,
    /// Its message; a final newline is added where absent.
    pub message: &'a str,
}

impl Repository {
    /// Stores a blob and names it.
    ///
    /// # Errors
    /// [`ObjectError::Write`]
    pub fn write_blob(&self, bytes: &[u8]) -> Result<Oid, ObjectError> {
        self.objects().write(ObjectKind::Blob, bytes)
    }

    /// Stores a tree and names it. Entries may come in any order; they must pass the checks of [`TreeEntry`].
    ///
    /// # Errors
    /// [`ObjectError::Write`], also for entries that no tree may have.
    pub fn write_tree(&self, entries: Vec<TreeEntry>) -> Result<Oid, ObjectError> {
        let raw = tree::encode(entries)
            .map_err(|defect| ObjectError::Malformed { oid: self.object_format().zero_oid(), defect })?;
        self.objects().write(ObjectKind::Tree, &raw)
    }

    /// Stores a commit and names it.
    ///
    /// # Errors
    /// [`ObjectError::Write`]
    pub fn write_commit(&self, commit: &NewCommit<'_>) -> Result<Oid, ObjectError> {
        let who = self.identity();
        let mut raw = format!("tree {}\n", commit.tree);
        for parent in commit.parents {
            raw.push_str(&format!("parent {parent}\n"));
        }
        for role in ["author", "committer"] {
            raw.push_str(&format!("{role} {} <{}> {} +0000\n", who.name, who.email, commit.time.0.max(0)));
        }
        raw.push('\n');
        raw.push_str(commit.message);
        if !raw.ends_with('\n') {
            raw.push('\n');
        }
        self.objects().write(ObjectKind::Commit, raw.as_bytes())
    }
}
