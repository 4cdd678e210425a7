//! Why a command could not do its work. A refusal is no error; it is a value of the command.

mod obstacle;

use crate::crypto::KeyError;
use crate::crypto::trust::TrustError;
use crate::gather::GatherError;
use crate::git::{GitError, ObjectError, ProcessError, RefError};
use crate::store::StoreError;
use crate::store::error::ChainDefect;

/// What kind of failure it is; decides the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// What was shown does not verify from the root that was named.
    NotVerified,
    /// Facts are missing, or contradict each other: nothing is claimed against anyone.
    Undecided,
    /// It can't be done here: no repository, an unreadable key.
    Fatal,
    /// The command line asks for something that is no such thing.
    Usage,
}

/// A command failed.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// Git.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The shelves.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Facts.
    #[error(transparent)]
    Gather(#[from] GatherError),
    /// A key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A file.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Anything else, with the way out.
    #[error("{text}")]
    Told {
        /// What kind.
        failure: Failure,
        /// What to type.
        hint: Option<String>,
        /// What is wrong.
        text: String,
    },
}

impl AppError {
    /// Wrong words on the command line.
    pub fn usage(text: impl Into<String>, hint: impl Into<String>) -> Self {
        AppError::Told { failure: Failure::Usage, hint: Some(hint.into()), text: text.into() }
    }

    /// Can't be done here.
    pub fn fatal(text: impl Into<String>, hint: impl Into<String>) -> Self {
        AppError::Told { failure: Failure::Fatal, hint: Some(hint.into()), text: text.into() }
    }

    /// The kind of failure.
    pub fn failure(&self) -> Failure {
        match self {
            AppError::Told { failure, .. } => *failure,
            AppError::Gather(GatherError::NoTrust(_)) => Failure::Undecided,
            AppError::Gather(GatherError::Store(error)) | AppError::Store(error) => match error {
                StoreError::Chain { defect: ChainDefect::Trust(TrustError::OtherRoot { .. }), .. } => {
                    Failure::NotVerified
                }
                StoreError::Ledger { .. } | StoreError::Chain { .. } => Failure::Undecided,
                other if other.missing().is_some() => Failure::Undecided,
                _ => Failure::Fatal,
            },
            AppError::Gather(GatherError::History(error)) if error.is_incomplete() => Failure::Undecided,
            AppError::Gather(GatherError::Diff(error)) if error.is_incomplete() => Failure::Undecided,
            _ => Failure::Fatal,
        }
    }

    /// Where history or an object is not here, the command that brings it, whichever room missed it.
    fn fetch_command(&self) -> Option<&'static str> {
        use crate::git::{DiffError, HistoryError};
        let history = |error: &HistoryError| match error {
            HistoryError::ShallowEdge { .. } => Some("git fetch --unshallow"),
            HistoryError::Missing { .. } => Some("git fetch"),
            HistoryError::OverBudget { .. } => None,
            HistoryError::Object(error) => error.fetch_command(),
        };
        let diff = |error: &DiffError| match error {
            DiffError::Object(error) => error.fetch_command(),
            DiffError::History(error) => history(error),
            _ => None,
        };
        match self {
            AppError::Git(error) | AppError::Gather(GatherError::Git(error)) => match error {
                GitError::Object(error) => error.fetch_command(),
                GitError::History(error) => history(error),
                GitError::Diff(error) => diff(error),
                _ => None,
            },
            AppError::Store(error) | AppError::Gather(GatherError::Store(error)) => error.fetch_command(),
            AppError::Gather(GatherError::History(error)) => history(error),
            AppError::Gather(GatherError::Diff(error)) => diff(error),
            _ => None,
        }
    }

    /// What to type next.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            AppError::Told { hint, .. } => return hint.clone(),
            AppError::Key(error) => return error.remedy(),
            AppError::Gather(GatherError::NotPinned) => "git boundary init",
            AppError::Gather(GatherError::NoTrust(root)) => {
                return Some(format!("git boundary init --trust-root {root}"));
            }
            AppError::Gather(
                GatherError::BadPin { pinned: Some(pinned), .. } | GatherError::TwoPins { pinned, .. },
            ) => {
                return Some(format!("git config boundary.trustRoot {pinned}"));
            }
            AppError::Gather(GatherError::BadPin { pinned: None, .. }) => {
                "git config --unset-all boundary.trustRoot && git boundary init --trust-root <root>"
            }
            AppError::Store(StoreError::Blocked) | AppError::Gather(GatherError::Store(StoreError::Blocked)) => {
                "git update-ref refs/notes/boundary-old refs/notes/boundary && git update-ref -d refs/notes/boundary"
            }
            AppError::Store(StoreError::Chain { defect, .. })
            | AppError::Gather(GatherError::Store(StoreError::Chain { defect, .. })) => way_out(defect),
            AppError::Store(StoreError::Ledger { .. })
            | AppError::Gather(GatherError::Store(StoreError::Ledger { .. })) => "git boundary doctor",
            error => return error.fetch_command().map(str::to_owned).or_else(|| obstacle::command(error)),
        };
        Some(text.to_owned())
    }
}

/// Where a chain is sound and only not the one that was asked for, nothing here is ill.
fn way_out(defect: &ChainDefect) -> &'static str {
    match defect {
        ChainDefect::TooOld { .. } => "git fetch",
        ChainDefect::Trust(TrustError::OtherRoot { .. }) => {
            "compare both with the root that the owner gave you; this clone's own is shown by: git config boundary.trustRoot"
        }
        _ => "git boundary doctor",
    }
}

impl From<RefError> for AppError {
    fn from(error: RefError) -> Self {
        AppError::Git(error.into())
    }
}

impl From<ObjectError> for AppError {
    fn from(error: ObjectError) -> Self {
        AppError::Git(error.into())
    }
}

impl From<ProcessError> for AppError {
    fn from(error: ProcessError) -> Self {
        AppError::Git(error.into())
    }
}
