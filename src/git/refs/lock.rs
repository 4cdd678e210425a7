//! The lock file of a ref, as a writer that was killed leaves it behind.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use super::super::repository::Repository;
use super::RefError;

/// One lock, told from every other one of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefLock {
    device: u64,
    inode: u64,
    /// Seconds and nanoseconds.
    changed: (i64, i64),
}

impl Repository {
    /// The lock that is on a ref now; `None` when there is none, or where refs are not files of their own.
    pub fn ref_lock(&self, name: &str) -> Option<RefLock> {
        let found = fs::symlink_metadata(self.lock_path(name)?).ok()?;
        Some(RefLock { device: found.dev(), inode: found.ino(), changed: (found.mtime(), found.mtime_nsec()) })
    }

    /// Removes a lock from a ref, unless it is another one by now. For a caller who knows that nobody is behind it any more.
    ///
    /// # Errors
    /// [`RefError::Write`]
    pub fn remove_ref_lock(&self, name: &str, lock: &RefLock) -> Result<(), RefError> {
        let Some(path) = self.lock_path(name).filter(|_| self.ref_lock(name) == Some(*lock)) else { return Ok(()) };
        match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(RefError::Write { name: name.to_owned(), defect: error.to_string() })
            }
            _ => Ok(()),
        }
    }

    fn lock_path(&self, name: &str) -> Option<PathBuf> {
        self.file_refs().map(|_| self.common_dir().join(format!("{name}.lock")))
    }
}
