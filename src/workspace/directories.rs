//! Making the directories that a new file needs, beneath the workspace, and taking them away again when it came to nothing.

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, mkdirat, unlinkat};
use rustix::io::Errno;

use super::anchor::Workspace;
use super::bounds::MOST_MADE;
use super::error::AccessError;
use super::temporary::{io, sync_directory};
use crate::model::workspace_path::WorkspacePath;

/// What a user's `mkdir` gives at most; the process's umask takes from it.
const DIRECTORY_MODE: u32 = 0o755;

/// Directories that were made for one file.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// Where each was made, its name there and its path, outermost first.
    made: Vec<(OwnedFd, String, String)>,
}

impl Made {
    /// Their paths, outermost first.
    pub fn paths(self) -> Vec<String> {
        self.made.into_iter().map(|(.., path)| path).collect()
    }

    /// Removes those that are empty.
    pub fn undo(&mut self) {
        while let Some((parent, name, _)) = self.made.pop() {
            if unlinkat(&parent, &name, AtFlags::REMOVEDIR).is_err() {
                return;
            }
        }
    }
}

impl Workspace {
    /// The directory in which `path` lies, made where it is absent, and its name there. What was made is in `made`, also after an error.
    pub(super) fn made_parent<'p>(
        &self,
        path: &'p WorkspacePath,
        made: &mut Made,
    ) -> Result<(OwnedFd, &'p str), AccessError> {
        match self.parent(path) {
            Err(AccessError::NotFound) => {}
            reached => return reached,
        }
        let (parent, name) = path.split_last();
        let mut reached = self.directory(None)?;
        let mut length = 0;
        for segment in parent.into_iter().flat_map(|parent| parent.split('/')) {
            length += segment.len() + 1;
            let inner = match self.child_directory(reached.as_fd(), segment) {
                Err(AccessError::NotFound) if made.made.len() == MOST_MADE => {
                    Err(AccessError::TooManyDirectories { limit: MOST_MADE })
                }
                Err(AccessError::NotFound) => {
                    if make(&reached, segment)? {
                        let parent = reached.try_clone().map_err(|err| io("open a directory", &err))?;
                        made.made.push((parent, segment.to_owned(), path.as_str()[..length - 1].to_owned()));
                    }
                    sync_directory(&reached)?;
                    self.child_directory(reached.as_fd(), segment)
                }
                opened => opened,
            };
            reached = inner?;
        }
        Ok((reached, name))
    }
}

/// Whether it was made; else somebody else did.
fn make(parent: &OwnedFd, name: &str) -> Result<bool, AccessError> {
    match mkdirat(parent, name, Mode::from_raw_mode(DIRECTORY_MODE as _)) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(errno) => Err(AccessError::of("make a directory", errno)),
    }
}
