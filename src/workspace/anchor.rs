//! The opened workspace. Everything is reached from its descriptor downwards, and nothing on the way may be a link or a mount.

use std::path::Path;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, FileType, Mode, OFlags, openat};

use super::error::AccessError;
use super::stat::{Identity, Seen};
use crate::model::workspace_path::WorkspacePath;

/// How paths are opened beneath the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Means {
    /// By the kernel: `openat2` with `RESOLVE_BENEATH`, `NO_SYMLINKS`, `NO_MAGICLINKS` and `NO_XDEV`. Linux 5.6.
    Openat2,
    /// One component after the other, each with `O_NOFOLLOW` and its device and, where the system tells it, its mount compared. New files
    /// get their name by `linkat`.
    Walk,
}

/// A directory that is read and written by somebody who may be hostile, while others may change it.
///
/// It is the directory that was opened, wherever it may be moved. All methods take `&self`; several may run at once.
#[derive(Debug)]
pub struct Workspace {
    top: OwnedFd,
    identity: Identity,
    mount: Option<u64>,
    means: Means,
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);

impl Workspace {
    /// Opens the directory `dir` by the strictest means that the system has. `dir` is the owner's word: links on the way to it are
    /// followed, but it is none itself.
    ///
    /// # Errors
    /// It is absent, a link, no directory, or not to be read.
    pub fn open(dir: &Path) -> Result<Self, AccessError> {
        let mut workspace = Workspace::open_by(dir, Means::Walk)?;
        if openat2_works(workspace.top.as_fd()) {
            workspace.means = Means::Openat2;
        }
        Ok(workspace)
    }

    /// Opens the directory `dir` by these means.
    ///
    /// # Errors
    /// As [`Workspace::open`]; or the system has not these means.
    pub fn open_with(dir: &Path, means: Means) -> Result<Self, AccessError> {
        let workspace = Workspace::open_by(dir, means)?;
        if means == Means::Openat2 && !openat2_works(workspace.top.as_fd()) {
            return Err(AccessError::Unsupported("open beneath a directory"));
        }
        Ok(workspace)
    }

    fn open_by(dir: &Path, means: Means) -> Result<Self, AccessError> {
        let flags = DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let top = openat(CWD, dir, flags, Mode::empty()).map_err(|errno| {
            let is_link = std::fs::symlink_metadata(dir).is_ok_and(|found| found.is_symlink());
            if is_link { AccessError::Symlink } else { AccessError::of("open the workspace", errno) }
        })?;
        let seen = Seen::of(&top)?;
        let mount = mount_of(top.as_fd());
        Ok(Workspace { top, identity: seen.identity, mount, means })
    }

    /// Which directory it is. Who kept it from an earlier time compares it before trusting this one.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// How paths are opened.
    pub fn means(&self) -> Means {
        self.means
    }

    /// The directory at `path`, or the workspace itself.
    pub(super) fn directory(&self, path: Option<&str>) -> Result<OwnedFd, AccessError> {
        let Some(path) = path else {
            return self.top.try_clone().map_err(|_| AccessError::Changed);
        };
        match self.means {
            Means::Openat2 => self.child_directory(self.top.as_fd(), path),
            Means::Walk => {
                let mut segments = path.split('/');
                let first = segments.next().unwrap_or_default();
                let mut reached = self.child_directory(self.top.as_fd(), first)?;
                for segment in segments {
                    reached = self.child_directory(reached.as_fd(), segment)?;
                }
                Ok(reached)
            }
        }
    }

    /// The directory in which `path` lies, and its name there.
    pub(super) fn parent<'p>(&self, path: &'p WorkspacePath) -> Result<(OwnedFd, &'p str), AccessError> {
        let (parent, name) = path.split_last();
        Ok((self.directory(parent)?, name))
    }

    /// A directory beneath `dir`.
    pub(super) fn child_directory(&self, dir: BorrowedFd<'_>, path: &str) -> Result<OwnedFd, AccessError> {
        let opened = self.open_beneath(dir, path, DIRECTORY, Mode::empty());
        if self.means == Means::Walk && matches!(opened, Err(AccessError::NotADirectory)) {
            // With O_DIRECTORY a link is first of all no directory.
            return Err(match Seen::at(dir, path)?.kind() {
                FileType::Symlink => AccessError::Symlink,
                FileType::Directory => AccessError::Changed,
                _ => AccessError::NotADirectory,
            });
        }
        opened
    }

    /// What is at `path` beneath `dir`; with [`Means::Walk`] it must be one name. It is on our file system, and may be anything else.
    pub(super) fn open_beneath(
        &self,
        dir: BorrowedFd<'_>,
        path: &str,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd, AccessError> {
        let flags = flags | OFlags::CLOEXEC;
        let opened = match self.means {
            // It refuses links itself; told not to follow the last one, it would call that one no directory.
            Means::Openat2 => openat2_beneath(dir, path, flags, mode),
            Means::Walk => openat(dir, path, flags | OFlags::NOFOLLOW, mode),
        };
        let opened = opened.map_err(|errno| AccessError::of("open a file", errno))?;
        if Seen::of(&opened)?.identity.device != self.identity.device {
            return Err(AccessError::OtherFileSystem);
        }
        // The kernel looked at the mount itself. A file system mounted a second time has the same device.
        if self.means == Means::Walk && mount_of(opened.as_fd()) != self.mount {
            return Err(AccessError::OtherFileSystem);
        }
        Ok(opened)
    }
}

#[cfg(target_os = "linux")]
fn openat2_beneath(dir: BorrowedFd<'_>, path: &str, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve =
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV;
    openat2(dir, path, flags, mode, resolve)
}

#[cfg(not(target_os = "linux"))]
fn openat2_beneath(_: BorrowedFd<'_>, _: &str, _: OFlags, _: Mode) -> rustix::io::Result<OwnedFd> {
    Err(rustix::io::Errno::NOSYS)
}

/// Old kernels lack it, and some containers forbid it.
fn openat2_works(top: BorrowedFd<'_>) -> bool {
    openat2_beneath(top, ".", DIRECTORY | OFlags::CLOEXEC, Mode::empty()).is_ok()
}

/// The mount that `fd` was opened through. Linux 5.8.
#[cfg(target_os = "linux")]
fn mount_of(fd: BorrowedFd<'_>) -> Option<u64> {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    let found = statx(fd, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
    StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::MNT_ID).then_some(found.stx_mnt_id)
}

#[cfg(not(target_os = "linux"))]
fn mount_of(_: BorrowedFd<'_>) -> Option<u64> {
    None
}
