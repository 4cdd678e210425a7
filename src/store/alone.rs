//! ALONE: one writer of our own refs at a time in a clone.
//!
//! What decides between writers is the compare-and-swap of the ref. This is for the writer that is killed between taking git's lock
//! and giving it back: the system takes *this* lock from it, so that whoever holds it next knows that nobody of ours is behind a
//! lock file that stays.

use std::fs::File;

use super::error::StoreError;
use super::local::LocalState;
use crate::git::{RefError, RefLock, Repository, retry};

/// So many attempts in a row find the same lock file before it counts as left behind. Each waits a tenth of a second for it, which
/// is long past what a `git notes` by hand holds it for.
const PATIENCE: u32 = 15;

/// So many, and whoever wants to write gives up.
const LONGEST_PATIENCE: u32 = 40;

/// Being the one writer, as long as this lives.
pub(super) struct Alone<'r> {
    repository: &'r Repository,
    /// `None` where the system gave no lock: then no file of another writer is touched.
    held: Option<File>,
    stuck: Option<(RefLock, u32)>,
}

impl<'r> Alone<'r> {
    /// Waits for other writers, and not for ever: without the lock the compare-and-swap still holds.
    pub(super) fn enter(repository: &'r Repository) -> Self {
        let held = LocalState::of(repository).writing().and_then(|file| {
            let got = retry("the writers' lock", || Ok::<_, RefError>(file.try_lock().is_ok().then_some(())));
            got.is_ok().then_some(file)
        });
        Alone { repository, held, stuck: None }
    }

    /// To be told of every attempt to write a ref that was refused. Whether a lock stands in its way.
    ///
    /// # Errors
    /// When a lock that was left behind can't be removed, or one stays that may not be removed.
    pub(super) fn refused(&mut self, reference: &str) -> Result<bool, StoreError> {
        let lock = self.repository.ref_lock(reference);
        self.stuck = match (lock, self.stuck) {
            (Some(now), Some((then, times))) if now == then => Some((now, times + 1)),
            (Some(now), _) => Some((now, 1)),
            (None, _) => None,
        };
        if let Some((lock, times)) = self.stuck {
            if times >= PATIENCE && self.held.is_some() {
                self.repository.remove_ref_lock(reference, &lock)?;
            }
            if times >= LONGEST_PATIENCE {
                return Err(RefError::Contended { name: reference.to_owned(), attempts: times }.into());
            }
        }
        Ok(self.stuck.is_some())
    }
}
