//! Walks through history, over parents taken from commit bytes that were hashed again.
//!
//! Neither commit-graph, grafts, replace refs nor the shallow list say what a commit's parents are: its own bytes do.
//!
//! Walks go newest first by committers' clocks, which keeps them near where they began. Clocks lie, so no answer rests
//! on them: [`Repository::is_ancestor`] and [`Repository::merge_bases`] go on until every commit that could change the
//! answer was looked at. [`Repository::range`] stops earlier, which can only make a range too large; see there.

mod bases;
mod range;
mod walk;

use std::collections::HashMap;
use std::sync::Arc;

pub use self::range::Range;
pub(super) use self::walk::Links;
use super::objects::{Commit, ObjectError};
use super::repository::Repository;
use crate::model::id::Oid;

/// A question about history without an answer here.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The history needed goes past the point where a shallow clone was cut.
    #[error(
        "history incomplete: commit {oid} is where this shallow clone was cut; git fetch --unshallow brings the rest"
    )]
    ShallowEdge {
        /// The last commit that is here.
        oid: Oid,
    },
    /// A commit that is needed is not here.
    #[error("history incomplete: commit {oid} is not in this repository")]
    Missing {
        /// The absent commit.
        oid: Oid,
    },
    /// More commits than the caller allows.
    #[error("more than {budget} commits")]
    OverBudget {
        /// The limit.
        budget: usize,
    },
    /// A commit that cannot be believed.
    #[error(transparent)]
    Object(#[from] ObjectError),
}

impl HistoryError {
    /// Whether it says only that something is not here: the answer is unknown, nobody is at fault.
    pub fn is_incomplete(&self) -> bool {
        match self {
            HistoryError::ShallowEdge { .. } | HistoryError::Missing { .. } => true,
            HistoryError::OverBudget { .. } => false,
            HistoryError::Object(err) => err.is_missing(),
        }
    }
}

/// Parents and times of commits already read, so that several walks over one stretch read it once.
pub(super) type LinkCache = HashMap<Oid, Arc<Links>>;

/// Past this many the cache starts anew: about 100 bytes each.
const CACHED_LINKS: usize = 1 << 20;

impl Repository {
    /// What a walk needs, and the commit itself where it had to be read for that.
    fn links(&self, oid: &Oid) -> Result<(Arc<Links>, Option<Commit>), ObjectError> {
        if let Some(known) = self.link_cache().borrow().get(oid) {
            return Ok((Arc::clone(known), None));
        }
        let commit = self.commit(oid)?;
        let links = Arc::new(Links { parents: commit.parents.clone(), time: commit.committer_time });
        let mut cache = self.link_cache().borrow_mut();
        if cache.len() >= CACHED_LINKS {
            cache.clear();
        }
        cache.insert(*oid, Arc::clone(&links));
        Ok((links, Some(commit)))
    }

    /// The error for a commit that is absent, met as a parent of `child`.
    fn incomplete(&self, child: Option<&Oid>, absent: &Oid) -> HistoryError {
        match child.filter(|child| self.is_shallow_edge(child)) {
            Some(child) => HistoryError::ShallowEdge { oid: *child },
            None => HistoryError::Missing { oid: *absent },
        }
    }
}

#[cfg(test)]
mod tests;
