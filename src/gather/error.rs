//! Why facts could not be gathered at all. That something is not there is a fact, not an error.

use crate::git::{DiffError, GitError, HistoryError, ObjectError, RefError};
use crate::model::digest::Digest;
use crate::store::StoreError;

/// Nothing can be judged.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// Git.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The shelves.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// History.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// Trees.
    #[error(transparent)]
    Diff(#[from] DiffError),
    /// No trust root is pinned here.
    #[error("this clone pins no trust root")]
    NotPinned,
    /// A pinned root without its chain.
    #[error("receipts are not fetched in this clone: the trust chain of {0} is not here")]
    NoTrust(Digest),
    /// The pin in git config is none.
    #[error("boundary.trustRoot is {text:?}, which is no digest")]
    BadPin {
        /// What it says.
        text: String,
        /// What the local state still knows.
        pinned: Option<Digest>,
    },
    /// The pins disagree.
    #[error("boundary.trustRoot is {config}, this clone pinned {pinned}")]
    TwoPins {
        /// Of git config.
        config: Digest,
        /// Of the local state.
        pinned: Digest,
    },
}

impl GatherError {
    /// Whether it is about an object, a history, a tree or a ref that somebody named. The files that this clone keeps for itself are not
    /// of that kind.
    pub fn is_about_what_was_named(&self) -> bool {
        match self {
            GatherError::Git(error) => {
                matches!(error, GitError::Ref(_) | GitError::Object(_) | GitError::History(_) | GitError::Diff(_))
            }
            GatherError::History(_) | GatherError::Diff(_) => true,
            _ => false,
        }
    }
}

impl From<RefError> for GatherError {
    fn from(error: RefError) -> Self {
        GatherError::Git(error.into())
    }
}

impl From<ObjectError> for GatherError {
    fn from(error: ObjectError) -> Self {
        GatherError::Git(error.into())
    }
}
