//! Removing the temporary files that a killed process left.

use rustix::fd::BorrowedFd;
use rustix::fs::FileType;

use super::anchor::Workspace;
use super::bounds::WalkBounds;
use super::error::AccessError;
use super::stat::Seen;
use super::temporary::{Named, remove_if};
use super::walk::{Met, Next, Visit, Visitor};
use crate::model::workspace_path::WorkspacePath;

/// What was swept away and what was not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Swept {
    /// Temporary files that are gone.
    pub removed: Vec<String>,
    /// Paths that are named like ours and hold what we can't tell to be superseded: the owner decides.
    pub kept: Vec<String>,
    /// The bounds that were met; what lies behind was not looked at.
    pub met: Vec<Met>,
}

struct Sweeper<'w> {
    workspace: &'w Workspace,
    limit: u64,
    swept: Swept,
}

impl Workspace {
    /// Removes what killed writes of at most `limit` bytes left: unfinished content, and content that was replaced as approved. It must not
    /// run beside a write to the same workspace, which would then fail.
    ///
    /// # Errors
    /// The workspace itself cannot be read.
    pub fn sweep(&self, bounds: WalkBounds, limit: u64) -> Result<Swept, AccessError> {
        let mut sweeper = Sweeper { workspace: self, limit, swept: Swept::default() };
        let walked = self.walk(None, bounds, &mut sweeper)?;
        Ok(Swept { met: walked.met, ..sweeper.swept })
    }
}

impl Visitor for Sweeper<'_> {
    fn file(&mut self, _: &Visit<'_>) -> Next {
        Next::On
    }

    fn temporary(&mut self, dir: BorrowedFd<'_>, parent: Option<&WorkspacePath>, name: &str) {
        let path = parent.map_or_else(|| name.to_owned(), |parent| format!("{parent}/{name}"));
        if self.removes(dir, name) { self.swept.removed.push(path) } else { self.swept.kept.push(path) }
    }
}

impl Sweeper<'_> {
    fn removes(&self, dir: BorrowedFd<'_>, name: &str) -> bool {
        let Ok(seen) = Seen::at(dir, name) else { return false };
        let superseded = match Named::parse(name) {
            // Its other name, if it has one, is that of the file it became.
            Some(Named::New) => seen.kind() == FileType::RegularFile,
            Some(Named::Swap { new, old }) => {
                self.workspace.read_at(dir, name, self.limit).is_ok_and(|file| file.digest == new || file.digest == old)
            }
            None => false,
        };
        superseded && remove_if(dir, name, seen.identity)
    }
}
