//! OBSTACLE: what stands in the way of writing, and the command that shows it.

use std::io::ErrorKind;

use super::AppError;
use crate::gather::GatherError;
use crate::git::{GitError, NotesError, ObjectError, RefError};
use crate::store::StoreError;

/// Shows how much room there is, and who may write.
const ROOM: &str = "df -h \"$(git rev-parse --git-common-dir)\" && ls -ld \"$(git rev-parse --git-common-dir)\"";

/// What to type to see it; `None` where nothing stands in the way of writing.
pub(super) fn command(error: &AppError) -> Option<String> {
    match error {
        AppError::File { source, .. } => file(source.kind()),
        AppError::Git(error) | AppError::Gather(GatherError::Git(error)) => git(error),
        AppError::Store(error) | AppError::Gather(GatherError::Store(error)) => store(error),
        _ => None,
    }
}

fn store(error: &StoreError) -> Option<String> {
    match error {
        StoreError::File { source, .. } => file(source.kind()),
        StoreError::Git(error) => git(error),
        _ => None,
    }
}

fn git(error: &GitError) -> Option<String> {
    match error {
        GitError::Object(ObjectError::Write { .. })
        | GitError::Notes(NotesError::Object(ObjectError::Write { .. }))
        | GitError::Ref(RefError::Write { .. }) => Some(ROOM.to_owned()),
        GitError::Ref(RefError::Contended { name, .. }) if name.starts_with("refs/") => {
            Some(format!("ls -l \"$(git rev-parse --git-path {name}.lock)\""))
        }
        _ => None,
    }
}

fn file(kind: ErrorKind) -> Option<String> {
    use ErrorKind::{FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let room = matches!(kind, FileTooLarge | PermissionDenied | QuotaExceeded | ReadOnlyFilesystem | StorageFull);
    room.then(|| ROOM.to_owned())
}
