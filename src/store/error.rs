//! What can be wrong with the shelves.

use std::path::PathBuf;

use crate::crypto::KeyError;
use crate::crypto::trust::TrustError;
use crate::git::{GitError, NotesError, ObjectError, RefError};
use crate::model::digest::Digest;
use crate::model::id::Oid;

/// Reading or writing the shelves failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Git.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file of the local state.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of the local state that does not say what it should.
    #[error("{}: {defect}", path.display())]
    Local {
        /// The file.
        path: PathBuf,
        /// The defect.
        defect: String,
    },
    /// A key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The ledger in a registrar's ref.
    #[error("{reference}: {defect}")]
    Ledger {
        /// The ref.
        reference: String,
        /// The defect.
        defect: String,
    },
    /// A chain that is not what it must be.
    #[error("{reference}: {defect}")]
    Chain {
        /// The ref.
        reference: String,
        /// The defect.
        defect: ChainDefect,
    },
    /// A bare notes ref stands in the way of all registrars' refs.
    #[error("the ref refs/notes/boundary blocks every refs/notes/boundary/<registrar>")]
    Blocked,
}

/// What is wrong with a chain of trust or policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainDefect {
    /// Not the files it should hold.
    #[error("{0}")]
    Layout(String),
    /// The trust chain does not verify.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The policy chain does not verify.
    #[error("policy version {version}: {defect}")]
    Policy {
        /// Place in the chain, from 1.
        version: u64,
        /// The defect.
        defect: String,
    },
    /// An older version than was seen before.
    #[error("is at version {found}; version {seen} was seen before, so somebody went back")]
    RolledBack {
        /// What is there now.
        found: u64,
        /// The highest seen.
        seen: u64,
    },
    /// Another version of the same number than was seen before.
    #[error("version {version} is {found}, seen before was {seen}: two histories")]
    Forked {
        /// The version.
        version: u64,
        /// Its digest now.
        found: Digest,
        /// Its digest then, or in the other ref.
        seen: Digest,
    },
    /// Lower than the user asked for.
    #[error("is at version {found}, at least {wanted} was asked for")]
    TooOld {
        /// What is there.
        found: u64,
        /// What was asked for.
        wanted: u64,
    },
}

impl StoreError {
    /// Whether only a lack of objects stands in the way, so that the answer is "undecided".
    pub fn missing(&self) -> Option<Oid> {
        match self.object() {
            Some(ObjectError::Missing { oid, .. }) => Some(*oid),
            _ => None,
        }
    }

    /// The command that brings what is missing.
    pub fn fetch_command(&self) -> Option<&'static str> {
        self.object()?.fetch_command()
    }

    fn object(&self) -> Option<&ObjectError> {
        match self {
            StoreError::Git(GitError::Object(error) | GitError::Notes(NotesError::Object(error))) => Some(error),
            _ => None,
        }
    }
}

impl From<RefError> for StoreError {
    fn from(error: RefError) -> Self {
        StoreError::Git(error.into())
    }
}

impl From<ObjectError> for StoreError {
    fn from(error: ObjectError) -> Self {
        StoreError::Git(error.into())
    }
}

impl From<NotesError> for StoreError {
    fn from(error: NotesError) -> Self {
        StoreError::Git(error.into())
    }
}
