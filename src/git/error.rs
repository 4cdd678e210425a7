//! One error for callers that do several things with git.

use super::config::ConfigError;
use super::diff::DiffError;
use super::history::HistoryError;
use super::notes::NotesError;
use super::objects::ObjectError;
use super::process::{ProcessError, RemoteError};
use super::refs::RefError;
use super::repository::OpenError;

/// Anything that can go wrong in this room.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The repository cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its configuration cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A ref.
    #[error(transparent)]
    Ref(#[from] RefError),
    /// An object.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// A walk through history.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// A comparison of trees.
    #[error(transparent)]
    Diff(#[from] DiffError),
    /// A notes tree.
    #[error(transparent)]
    Notes(#[from] NotesError),
    /// The user's git.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// Another repository, through the user's git.
    #[error(transparent)]
    Remote(#[from] RemoteError),
}
