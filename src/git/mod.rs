//! GIT: the only room that opens a repository or starts git. It knows git's words and none of this project's.

#![expect(clippy::disallowed_methods, reason = "the room that starts git and takes what the process was started with")]

mod config;
mod diff;
mod environment;
mod error;
mod history;
mod notes;
mod object_format;
mod objects;
mod process;
mod refs;
mod repository;
#[cfg(test)]
pub(crate) mod testing;

pub use self::config::{BadParameters, ConfigError};
pub use self::diff::{Change, DiffError, Touch};
pub use self::environment::Environment;
pub use self::error::GitError;
pub use self::history::{HistoryError, Range};
pub use self::notes::{NotesError, NotesTree, UnfinishedMerge};
pub use self::object_format::ObjectFormat;
pub use self::objects::{Commit, Identity, Mode, NewCommit, ObjectError, ObjectKind, TreeEntry};
pub use self::process::{
    GitCommand, GitOutput, ProcessError, Prompt, PushOptions, PushRef, PushStatus, Pushed, RemoteError, RemoteRefs,
};
pub use self::refs::{
    Expected, Head, RangeEnds, RefEdit, RefError, RefLock, Update, back_off, is_full_ref_name, retry,
};
pub use self::repository::{OpenError, Repository};
