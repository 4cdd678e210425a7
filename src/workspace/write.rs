//! Writing one file: exactly this content in the place of exactly that one, or nothing.
//!
//! The content is complete and on the disk before it gets its name. A new file gets it only where nothing has it. A replacing one changes
//! places with its target, and what came out is looked at: if it is not the very file that was to be replaced, it goes back. So a user's
//! edit at the same moment is never overwritten unseen.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, linkat};
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
use rustix::fs::{RenameFlags, renameat_with};
use rustix::io::Errno;

use super::anchor::{Means, Workspace};
use super::directories::Made;
use super::error::{AccessError, Effect, WriteError};
use super::read::{Opened, digest};
use super::stat::Seen;
use super::temporary::{Temporary, remove_if, sync_directory};
use crate::model::digest::Digest;
use crate::model::workspace_path::WorkspacePath;

/// The permissions of a file that replaces none.
pub const NEW_FILE_MODE: u32 = 0o644;

/// What is to be at a path before a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expected {
    /// Nothing; nor need there be a directory for it.
    Absent,
    /// A regular file with this content.
    Content(Digest),
}

/// What a write did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What it replaced; `None` for a new file.
    pub replaced: Option<Digest>,
    /// Of the content that is there now.
    pub digest: Digest,
    /// Its bytes.
    pub size: u64,
    /// Its permissions.
    pub mode: u32,
    /// The directories that were made for it, outermost first.
    pub made_directories: Vec<String>,
}

/// The moments of a write at which tests do what others may do at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// The new content is complete under its temporary name; that took as long as a disk takes.
    Complete,
    /// The target was looked at for the last time.
    Verified,
    /// The new content has the target's name, and nothing was verified since.
    Placed,
}

/// What one write is about.
struct Write<'w> {
    workspace: &'w Workspace,
    path: &'w WorkspacePath,
    dir: OwnedFd,
    name: &'w str,
    bytes: &'w [u8],
    digest: Digest,
    limit: u64,
}

impl Workspace {
    /// Writes `bytes` to the file at `path`, if what is there is as `expected`; neither may have more than `limit` bytes.
    ///
    /// A replacing file keeps the permissions of the replaced one, but for set-user-id and its like; owner, extended attributes and access
    /// lists are those of a new file. Directories are made only for a file that was expected to be absent.
    ///
    /// # Errors
    /// What is there is something else, cannot be reached without a link or a mount, or changed meanwhile; or the system fails. The error
    /// says whether the workspace is as it was.
    pub fn write_file(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        expected: Expected,
        limit: u64,
    ) -> Result<Written, WriteError> {
        self.write_observed(path, bytes, expected, limit, &mut |_| {})
    }

    pub(super) fn write_observed(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        expected: Expected,
        limit: u64,
        at: &mut dyn FnMut(Moment),
    ) -> Result<Written, WriteError> {
        let size = bytes.len() as u64;
        if size > limit {
            return Err(AccessError::TooLarge { size, limit }.into());
        }
        let of = |(dir, name)| Write { workspace: self, path, dir, name, bytes, digest: digest(bytes), limit };
        match expected {
            Expected::Content(old) => {
                let reached = self.parent(path).map_err(|reason| vanished(reason, old))?;
                of(reached).replace(old, at)
            }
            Expected::Absent => {
                let mut made = Made::default();
                let reached = self.made_parent(path, &mut made).map_err(WriteError::from);
                match reached.and_then(|reached| of(reached).create(at)) {
                    Ok(written) => Ok(Written { made_directories: made.paths(), ..written }),
                    Err(err) => {
                        made.undo();
                        Err(err)
                    }
                }
            }
        }
    }
}

fn vanished(reason: AccessError, expected: Digest) -> AccessError {
    match reason {
        AccessError::NotFound => AccessError::PreimageDiffers { expected: Some(expected), found: None },
        reason => reason,
    }
}

impl Write<'_> {
    fn create(&self, at: &mut dyn FnMut(Moment)) -> Result<Written, WriteError> {
        self.nothing_is_there()?;
        let mut temporary = Temporary::create(self.workspace, self.dir.as_fd())?;
        temporary.fill(self.bytes, NEW_FILE_MODE)?;
        at(Moment::Complete);
        self.nothing_is_there()?;
        at(Moment::Verified);
        self.place(&temporary).map_err(|reason| self.not_placed(&temporary, reason))?;
        at(Moment::Placed);
        if !self.is_reached() {
            // The directory went elsewhere, and the file with it.
            let effect = if temporary.remove_at(self.name) { Effect::Nothing } else { Effect::Undetermined };
            let _lasting = sync_directory(&self.dir);
            return Err(WriteError { reason: AccessError::Changed, effect, kept: None });
        }
        self.settled(&mut temporary, NEW_FILE_MODE, None)
    }

    fn replace(&self, old: Digest, at: &mut dyn FnMut(Moment)) -> Result<Written, WriteError> {
        let dir = self.dir.as_fd();
        let mut target = self.workspace.open_regular(dir, self.name).map_err(|reason| vanished(reason, old))?;
        let found = digest(&target.read(self.limit)?);
        if found != old {
            return Err(AccessError::PreimageDiffers { expected: Some(old), found: Some(found) }.into());
        }
        let mode = target.seen.mode() & 0o777;
        let mut temporary = Temporary::create(self.workspace, dir)?;
        temporary.fill(self.bytes, mode)?;
        temporary.name_for_swap(&self.digest, &old)?;
        at(Moment::Complete);
        target.unchanged_at(dir, self.name)?;
        at(Moment::Verified);
        exchange(dir, temporary.name(), self.name).map_err(|reason| match Seen::at(dir, self.name) {
            // One of the two names went away: which one decides what is said.
            Ok(_) if reason == AccessError::NotFound => AccessError::Changed.into(),
            _ => self.not_placed(&temporary, vanished(reason, old)),
        })?;
        at(Moment::Placed);
        if !target.came_out(dir, temporary.name(), old, self.limit) || !self.is_reached() {
            return Err(self.put_back(&temporary, old));
        }
        // If this fails the name is one that is swept away later.
        remove_if(dir, temporary.name(), target.seen.identity);
        self.settled(&mut temporary, mode, Some(old))
    }

    fn nothing_is_there(&self) -> Result<(), AccessError> {
        match Seen::at(&self.dir, self.name) {
            Err(AccessError::NotFound) => Ok(()),
            Err(reason) => Err(reason),
            Ok(_) => Err(self.something_is_there()),
        }
    }

    /// What kind of thing is where nothing was expected.
    fn something_is_there(&self) -> AccessError {
        match self.workspace.read_at(self.dir.as_fd(), self.name, self.limit) {
            Ok(file) => AccessError::PreimageDiffers { expected: None, found: Some(file.digest) },
            Err(AccessError::NotFound) => AccessError::Changed,
            Err(reason) => reason,
        }
    }

    /// Gives a complete file the name of the target, unless something has it.
    fn place(&self, temporary: &Temporary<'_>) -> Result<(), AccessError> {
        let dir = self.dir.as_fd();
        let placed = match self.workspace.means() {
            Means::Openat2 => match rename_new(dir, temporary.name(), self.name) {
                Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => link_new(dir, temporary, self.name),
                placed => placed,
            },
            Means::Walk => link_new(dir, temporary, self.name),
        };
        placed.map_err(|errno| match errno {
            Errno::EXIST => self.something_is_there(),
            // Of the two names the temporary one went away.
            Errno::NOENT => AccessError::Changed,
            Errno::OPNOTSUPP | Errno::NOSYS => AccessError::Unsupported("give a new file its name"),
            errno => AccessError::of("give a new file its name", errno),
        })
    }

    /// What an error means that came when the content was to get its name. File servers have been known to do what they then call failed.
    fn not_placed(&self, temporary: &Temporary<'_>, reason: AccessError) -> WriteError {
        let placed = Seen::at(&self.dir, self.name).is_ok_and(|seen| seen.identity == temporary.identity());
        WriteError { reason, effect: if placed { Effect::Undetermined } else { Effect::Nothing }, kept: None }
    }

    /// Whether the path still leads to the directory that was written to.
    fn is_reached(&self) -> bool {
        let reached = self.workspace.parent(self.path).and_then(|(dir, _)| Seen::of(&dir));
        reached.is_ok_and(|reached| Seen::of(&self.dir).is_ok_and(|dir| dir.identity == reached.identity))
    }

    /// After the change of places: the target's name goes back to what came out of it.
    fn put_back(&self, temporary: &Temporary<'_>, old: Digest) -> WriteError {
        let dir = self.dir.as_fd();
        let back = exchange(dir, temporary.name(), self.name).is_ok();
        let ours = Seen::at(dir, temporary.name()).is_ok_and(|seen| seen.identity == temporary.identity());
        if !back || !ours {
            let (parent, _) = self.path.split_last();
            let kept = parent.map_or_else(|| temporary.name().to_owned(), |it| format!("{it}/{}", temporary.name()));
            let kept = Seen::at(dir, temporary.name()).is_ok().then_some(kept);
            return WriteError { reason: AccessError::Changed, effect: Effect::Undetermined, kept };
        }
        let _lasting = sync_directory(&self.dir);
        let reason = match self.workspace.read_at(dir, self.name, self.limit) {
            Ok(file) if file.digest != old => {
                AccessError::PreimageDiffers { expected: Some(old), found: Some(file.digest) }
            }
            Ok(_) => AccessError::Changed,
            Err(reason) => reason,
        };
        reason.into()
    }

    /// Makes the names durable, and looks once more at what is there.
    fn settled(
        &self,
        temporary: &mut Temporary<'_>,
        mode: u32,
        replaced: Option<Digest>,
    ) -> Result<Written, WriteError> {
        let undetermined = |reason| WriteError { reason, effect: Effect::Undetermined, kept: None };
        sync_directory(&self.dir).map_err(undetermined)?;
        let size = self.bytes.len() as u64;
        if !temporary.is_at(self.name, &self.digest, size, mode) {
            return Err(undetermined(AccessError::Changed));
        }
        Ok(Written { replaced, digest: self.digest, size, mode, made_directories: Vec::new() })
    }
}

impl Opened {
    /// Whether the entry `name` of `dir`, where the target came out, is the file that was opened, with its content as it was.
    fn came_out(&mut self, dir: BorrowedFd<'_>, name: &str, content: Digest, limit: u64) -> bool {
        let same = Seen::at(dir, name).is_ok_and(|seen| seen.is_but_for_its_name(&self.seen));
        same && self.read_again(limit).is_ok_and(|bytes| digest(&bytes) == content)
    }
}

/// `renameat2` with `RENAME_NOREPLACE`.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn rename_new(dir: BorrowedFd<'_>, from: &str, to: &str) -> rustix::io::Result<()> {
    renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn rename_new(_: BorrowedFd<'_>, _: &str, _: &str) -> rustix::io::Result<()> {
    Err(Errno::NOSYS)
}

/// The same in two steps; who is killed between them leaves the file with both names until the temporary one is swept away.
fn link_new(dir: BorrowedFd<'_>, temporary: &Temporary<'_>, to: &str) -> rustix::io::Result<()> {
    linkat(dir, temporary.name(), dir, to, AtFlags::empty())?;
    temporary.remove_at(temporary.name());
    Ok(())
}

/// `renameat2` with `RENAME_EXCHANGE`. There is no other way to replace a file and see which one it was.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(dir: BorrowedFd<'_>, one: &str, other: &str) -> Result<(), AccessError> {
    renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE).map_err(|errno| match errno {
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => AccessError::Unsupported("exchange two files"),
        errno => AccessError::of("exchange two files", errno),
    })
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(_: BorrowedFd<'_>, _: &str, _: &str) -> Result<(), AccessError> {
    Err(AccessError::Unsupported("exchange two files"))
}
