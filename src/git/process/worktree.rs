//! Clean checkouts, and where hooks belong.

use std::path::{Path, PathBuf};

use super::ProcessError;
use crate::git::repository::Repository;
use crate::model::id::Oid;

impl Repository {
    /// Checks a commit out at `path`, which must not exist or be empty, as a linked worktree on no branch. No hook runs: what is there
    /// afterwards is the commit, and not what a `post-checkout` made of it.
    ///
    /// # Errors
    /// [`ProcessError`]
    pub fn worktree_add_detached(&self, path: &Path, commit: &Oid) -> Result<(), ProcessError> {
        let mut command = self.git(["-c", "core.hooksPath=/dev/null", "worktree", "add", "--quiet", "--detach", "--"]);
        command.args([path.as_os_str(), commit.hex().as_ref()]);
        // A hook's variables would make git put the checkout's files elsewhere.
        command.env_remove("GIT_INDEX_FILE").env_remove("GIT_WORK_TREE").run().map(drop)
    }

    /// Removes such a checkout with all that is in it.
    ///
    /// # Errors
    /// [`ProcessError`]
    pub fn worktree_remove(&self, path: &Path) -> Result<(), ProcessError> {
        let mut command = self.git(["worktree", "remove", "--force", "--force", "--"]);
        command.args([path.as_os_str()]).run().map(drop)
    }

    /// The directory git looks for hooks in, `core.hooksPath` and linked worktrees considered; absolute.
    ///
    /// # Errors
    /// [`ProcessError`]
    pub fn hooks_dir(&self) -> Result<PathBuf, ProcessError> {
        // git answers relative to where it runs, and `core.hooksPath` is relative to where hooks run: the top.
        let top = self.work_tree().unwrap_or_else(|| self.git_dir());
        let mut command = self.git_local(["rev-parse", "--git-path", "hooks"]);
        command.current_dir(top);
        if self.environment().var("GIT_DIR").is_some() {
            command.env("GIT_DIR", self.git_dir()).env("GIT_COMMON_DIR", self.common_dir()).env("GIT_WORK_TREE", top);
        }
        let output = command.output()?;
        let line = output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout);
        match gix::path::from_byte_slice(line) {
            Ok(path) if output.status.success() && !line.is_empty() => Ok(top.join(path)),
            Ok(_) => Err(output.failure()),
            Err(_) => Err(output.unknown(String::from_utf8_lossy(line))),
        }
    }
}
