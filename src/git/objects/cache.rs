//! Commits and trees that this process has read already. Each was hashed against its id when it was read, and objects never change,
//! so that a second reading could find nothing else.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Commit, TreeEntry};
use crate::model::id::Oid;

/// About 400 bytes each; past this the cache starts anew.
const COMMITS: usize = 1 << 16;
/// Entries of all trees together, about 100 bytes each; past this the cache starts anew.
const ENTRIES: usize = 1 << 18;
/// Commits with more bytes (a message may be long) are not kept.
const LARGEST_COMMIT: usize = 1 << 14;

/// What was read.
#[derive(Default)]
pub(in crate::git) struct ReadCache {
    commits: HashMap<Oid, Commit>,
    trees: HashMap<Oid, Arc<[TreeEntry]>>,
    entries: usize,
}

impl ReadCache {
    pub(super) fn commit(&self, oid: &Oid) -> Option<&Commit> {
        self.commits.get(oid)
    }

    pub(super) fn has(&self, oid: &Oid) -> bool {
        self.commits.contains_key(oid) || self.trees.contains_key(oid)
    }

    pub(super) fn keep_commit(&mut self, commit: &Commit) {
        if commit.raw.len() > LARGEST_COMMIT {
            return;
        }
        if self.commits.len() >= COMMITS {
            self.commits.clear();
        }
        self.commits.insert(commit.oid, commit.clone());
    }

    pub(super) fn tree(&self, oid: &Oid) -> Option<Arc<[TreeEntry]>> {
        self.trees.get(oid).cloned()
    }

    pub(super) fn keep_tree(&mut self, oid: &Oid, entries: &Arc<[TreeEntry]>) {
        if self.entries + entries.len() > ENTRIES {
            self.trees.clear();
            self.entries = 0;
        }
        if entries.len() <= ENTRIES {
            self.entries += entries.len();
            self.trees.insert(*oid, Arc::clone(entries));
        }
    }
}
