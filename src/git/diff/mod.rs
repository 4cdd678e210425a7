//! What a commit touches, and what changed between two trees; on strict trees, equal subtrees skipped.

mod merge;
mod operations;
mod pair;

use std::sync::Arc;

use super::history::HistoryError;
use super::objects::{Commit, Mode, ObjectError, TreeEntry};
use super::repository::Repository;
use crate::model::id::Oid;
use crate::model::operation::Operation;

/// A comparison that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum DiffError {
    /// A tree or commit.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The parents of a merge have no known relation.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// More paths to look at than any honest change has. A few small trees that name each other can hold billions.
    #[error("more than {MOST_PATHS} paths differ")]
    TooManyPaths,
    /// More parents than any honest merge has.
    #[error("merge {oid} has more than {MOST_PARENTS} parents")]
    TooManyParents {
        /// The merge.
        oid: Oid,
    },
    /// Directories nested deeper than any file system holds.
    #[error("directories nested deeper than {DEEPEST} at {:?}", String::from_utf8_lossy(path))]
    TooDeep {
        /// The path down to there.
        path: Vec<u8>,
    },
}

/// How many differing paths and directories one comparison looks at.
const MOST_PATHS: usize = 1 << 20;
const DEEPEST: usize = 512;
/// The largest octopus in a well-known public history has 66.
const MOST_PARENTS: usize = 128;

/// A path that a commit touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// The path from the top of the tree, parts separated by `/`; any bytes but NUL.
    pub path: Vec<u8>,
    /// What is done to it, in the order of [`Operation::ALL`]; never empty.
    pub operations: Vec<Operation>,
}

/// A path with other content or mode in one tree than in another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path from the top of the tree.
    pub path: Vec<u8>,
    /// What it was; `None` where there was nothing.
    pub old: Option<(Mode, Oid)>,
    /// What it is; `None` where there is nothing.
    pub new: Option<(Mode, Oid)>,
}

impl DiffError {
    /// Whether it says only that something is not here: the answer is unknown, nobody is at fault.
    pub fn is_incomplete(&self) -> bool {
        match self {
            DiffError::Object(err) => err.is_missing(),
            DiffError::History(err) => err.is_incomplete(),
            DiffError::TooManyPaths | DiffError::TooManyParents { .. } | DiffError::TooDeep { .. } => false,
        }
    }

    /// Whether a tree is nothing that git would make; see [`ObjectError::is_malformed`].
    pub fn is_malformed(&self) -> bool {
        matches!(self, DiffError::Object(error) if error.is_malformed())
    }

    /// Whether it says only that there is more than is looked at: the answer is unknown.
    pub fn is_over_budget(&self) -> bool {
        match self {
            DiffError::Object(_) => false,
            DiffError::History(error) => matches!(error, HistoryError::OverBudget { .. }),
            DiffError::TooManyPaths | DiffError::TooManyParents { .. } | DiffError::TooDeep { .. } => true,
        }
    }
}

impl Repository {
    /// The paths that a commit touches, sorted.
    ///
    /// An ordinary commit is compared with its parent, a root with nothing. A merge touches the paths at which it is not
    /// what merging its parents without a judgement gives (contract, section 7): what no parent changed stays, what
    /// some changed alike is taken, anything else is a judgement and counts as touched. Where several merge bases give
    /// different results only an entry that one of the commits in `prefer` has (base and destination as they were before) is
    /// none. One that holds the merge itself says nothing: its entry may be the very judgement.
    ///
    /// # Errors
    /// [`DiffError`]
    pub fn touched(&self, commit: &Commit, prefer: &[Oid]) -> Result<Vec<Touch>, DiffError> {
        match commit.parents.as_slice() {
            [] => self.touched_between(&self.object_format().empty_tree(), &commit.tree),
            [parent] => self.touched_between(&self.commit(parent)?.tree, &commit.tree),
            parents if parents.len() > MOST_PARENTS => Err(DiffError::TooManyParents { oid: commit.oid }),
            parents => self.touched_by_merge(commit, parents, prefer),
        }
    }

    /// All differences between two trees, sorted by path. Directories themselves are not listed.
    ///
    /// # Errors
    /// [`DiffError`]
    pub fn change_list(&self, base: &Oid, tip: &Oid) -> Result<Vec<Change>, DiffError> {
        let mut changes = Vec::new();
        pair::walk(self, [Some(*base), Some(*tip)], &mut Place::default(), &mut changes)?;
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    fn touched_between(&self, old: &Oid, new: &Oid) -> Result<Vec<Touch>, DiffError> {
        let changes = self.change_list(old, new)?;
        Ok(changes
            .into_iter()
            .map(|change| Touch { operations: operations::between(change.old, change.new), path: change.path })
            .collect())
    }
}

/// Where a walk is, and how far it has gone.
#[derive(Default)]
struct Place {
    path: Vec<u8>,
    depth: usize,
    seen: usize,
}

impl Place {
    /// Runs `f` one level down.
    fn within<T>(&mut self, name: &[u8], f: impl FnOnce(&mut Self) -> Result<T, DiffError>) -> Result<T, DiffError> {
        self.seen += 1;
        if self.seen > MOST_PATHS {
            return Err(DiffError::TooManyPaths);
        }
        if self.depth == DEEPEST {
            return Err(DiffError::TooDeep { path: self.path.clone() });
        }
        let length = self.path.len();
        if length > 0 {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(name);
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        self.path.truncate(length);
        result
    }
}

fn entries(repository: &Repository, tree: Option<Oid>) -> Result<Arc<[TreeEntry]>, ObjectError> {
    tree.map_or(Ok(Arc::default()), |tree| repository.shared_tree(&tree))
}

#[cfg(test)]
mod tests;
