//! Going through the directories of a workspace in the bytewise order of full paths, within bounds, following nothing.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Dir, FileType};

use super::anchor::Workspace;
use super::bounds::WalkBounds;
use super::error::AccessError;
use super::stat::Seen;
use crate::model::workspace_path::{PathDefect, WorkspacePath};

/// Why an entry is not in a listing or was not searched. What lies in a directory that was left out is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Omission {
    /// It changed or vanished meanwhile.
    Changed,
    /// A device.
    Device,
    /// git's own directory, in any spelling that some file system takes for it.
    DotGit,
    /// A FIFO.
    Fifo,
    /// A file with several names.
    HardLink,
    /// A name that is no segment of a canonical path.
    Name,
    /// A name that is not UTF-8.
    NameNotUtf8,
    /// A file whose content is not UTF-8; only a search looks at it.
    NotUtf8,
    /// Another file system.
    OtherFileSystem,
    /// The system denies access.
    Permission,
    /// A socket.
    Socket,
    /// A symbolic link, whatever it leads to.
    Symlink,
    /// The system failed.
    System,
    /// A temporary file of ours.
    Temporary,
    /// A directory below the depth that is allowed.
    TooDeep,
    /// A file above the size that is searched.
    TooLarge,
    /// A file that the caller does not want to see.
    Unwanted,
}

impl Omission {
    /// One word for machines, the same for ever.
    pub fn name(self) -> &'static str {
        match self {
            Omission::Changed => "changed",
            Omission::Device => "device",
            Omission::DotGit => "dot_git",
            Omission::Fifo => "fifo",
            Omission::HardLink => "hard_link",
            Omission::Name => "name",
            Omission::NameNotUtf8 => "name_not_utf8",
            Omission::NotUtf8 => "not_utf8",
            Omission::OtherFileSystem => "other_file_system",
            Omission::Permission => "permission",
            Omission::Socket => "socket",
            Omission::Symlink => "symlink",
            Omission::System => "system",
            Omission::Temporary => "temporary",
            Omission::TooDeep => "too_deep",
            Omission::TooLarge => "too_large",
            Omission::Unwanted => "unwanted",
        }
    }
}

impl From<AccessError> for Omission {
    fn from(reason: AccessError) -> Self {
        match reason {
            AccessError::Symlink => Omission::Symlink,
            AccessError::HardLink { .. } => Omission::HardLink,
            AccessError::Device => Omission::Device,
            AccessError::Fifo => Omission::Fifo,
            AccessError::Socket => Omission::Socket,
            AccessError::OtherFileSystem => Omission::OtherFileSystem,
            AccessError::TooLarge { .. } => Omission::TooLarge,
            AccessError::NotUtf8 { .. } => Omission::NotUtf8,
            AccessError::Permission => Omission::Permission,
            AccessError::Unsupported(_) | AccessError::System { .. } => Omission::System,
            // The directory had it a moment ago, as what was then looked at.
            AccessError::NotFound
            | AccessError::Directory
            | AccessError::NotADirectory
            | AccessError::Changed
            | AccessError::TooManyDirectories { .. }
            | AccessError::PreimageDiffers { .. } => Omission::Changed,
        }
    }
}

impl From<PathDefect> for Omission {
    fn from(defect: PathDefect) -> Self {
        match defect {
            PathDefect::DotGit => Omission::DotGit,
            PathDefect::Temporary => Omission::Temporary,
            _ => Omission::Name,
        }
    }
}

/// How many entries were left out, by reason.
pub type Omissions = BTreeMap<Omission, u64>;

/// A bound that ended an answer or left a part out of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bound {
    /// Files in a listing.
    Files,
    /// Bytes of their paths.
    PathBytes,
    /// Entries looked at.
    Examined,
    /// Depth; the only one after which it went on elsewhere.
    Depth,
    /// Matching lines.
    Matches,
    /// Bytes searched.
    Bytes,
}

impl Bound {
    /// One word for machines, the same for ever.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Files => "files",
            Bound::PathBytes => "path_bytes",
            Bound::Examined => "examined",
            Bound::Depth => "depth",
            Bound::Matches => "matches",
            Bound::Bytes => "bytes",
        }
    }
}

/// Where a bound was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Met {
    /// Which.
    pub bound: Bound,
    /// The first path that is not in the answer, or not wholly; empty for the workspace itself.
    pub at: String,
}

/// What a visitor is shown: a regular file of the workspace, which it may open in `dir` by its name.
pub(super) struct Visit<'v> {
    pub dir: BorrowedFd<'v>,
    pub name: &'v str,
    pub path: &'v WorkspacePath,
    pub seen: &'v Seen,
}

/// A visitor's word: go on, leave this one out, or end here because of a bound.
pub(super) enum Next {
    On,
    Omit(Omission),
    End(Bound),
}

/// Who is shown what a walk comes by.
pub(super) trait Visitor {
    /// A regular file.
    fn file(&mut self, visit: &Visit<'_>) -> Next;

    /// An entry `name` of `dir`, of any kind, that is named like a temporary file of ours.
    fn temporary(&mut self, dir: BorrowedFd<'_>, parent: Option<&WorkspacePath>, name: &str) {
        let _ = (dir, parent, name);
    }
}

impl<F: FnMut(&Visit<'_>) -> Next> Visitor for F {
    fn file(&mut self, visit: &Visit<'_>) -> Next {
        self(visit)
    }
}

/// What a walk found besides what its visitor keeps.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub omitted: Omissions,
    pub met: Vec<Met>,
}

struct Walker<'w> {
    workspace: &'w Workspace,
    bounds: WalkBounds,
    examined: usize,
    walked: Walked,
}

/// One entry of a directory that may be looked at further.
struct Entry {
    name: String,
    is_directory: bool,
}

impl Workspace {
    /// Shows `visitor` every regular file below `from`, or below the top, sorted by the bytes of its path. Where it ends early, what was shown
    /// is the beginning of that order.
    pub(super) fn walk(
        &self,
        from: Option<&WorkspacePath>,
        bounds: WalkBounds,
        visitor: &mut dyn Visitor,
    ) -> Result<Walked, AccessError> {
        let dir = self.directory(from.map(WorkspacePath::as_str))?;
        let mut walker = Walker { workspace: self, bounds, examined: 0, walked: Walked::default() };
        // Of the directory that was asked for, a failure is the answer.
        let entries = walker.entries(&dir, from)?;
        if let Some(entries) = entries {
            // The visitor's end is noted where it happened.
            let _ended = walker.entered(&dir, from, entries, 0, visitor);
        }
        Ok(walker.walked)
    }
}

impl Walker<'_> {
    fn omit(&mut self, omission: Omission) {
        *self.walked.omitted.entry(omission).or_default() += 1;
    }

    fn met(&mut self, bound: Bound, at: Option<&WorkspacePath>) {
        if !self.walked.met.iter().any(|met| met.bound == bound) {
            self.walked.met.push(Met { bound, at: at.map(ToString::to_string).unwrap_or_default() });
        }
    }

    /// What `dir` holds, sorted as their full paths are; none where it has more entries than may still be looked at, since a part of them
    /// would be no beginning of any order.
    fn entries(&mut self, dir: &OwnedFd, path: Option<&WorkspacePath>) -> Result<Option<Vec<Entry>>, AccessError> {
        let failed = |errno| AccessError::of("read a directory", errno);
        let mut found = Vec::new();
        for entry in Dir::read_from(dir).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            if self.examined == self.bounds.examined {
                self.met(Bound::Examined, path);
                return Ok(None);
            }
            self.examined += 1;
            match std::str::from_utf8(name) {
                Ok(name) => found.push((name.to_owned(), entry.file_type())),
                Err(_) => self.omit(Omission::NameNotUtf8),
            }
        }
        let mut entries = Vec::with_capacity(found.len());
        for (name, kind) in found {
            let kind = if kind == FileType::Unknown { Seen::at(dir, &name).map(|seen| seen.kind()) } else { Ok(kind) };
            match kind {
                Ok(kind) => entries.push(Entry { name, is_directory: kind == FileType::Directory }),
                Err(reason) => self.omit(reason.into()),
            }
        }
        entries.sort_unstable_by(Entry::order);
        Ok(Some(entries))
    }

    fn entered(
        &mut self,
        dir: &OwnedFd,
        path: Option<&WorkspacePath>,
        entries: Vec<Entry>,
        depth: usize,
        visitor: &mut dyn Visitor,
    ) -> ControlFlow<()> {
        for entry in entries {
            let child = match WorkspacePath::child(path, &entry.name) {
                Ok(child) => child,
                Err(defect) => {
                    if defect == PathDefect::Temporary {
                        visitor.temporary(dir.as_fd(), path, &entry.name);
                    }
                    self.omit(defect.into());
                    continue;
                }
            };
            if entry.is_directory {
                self.directory(dir, &child, &entry.name, depth, visitor)?;
            } else {
                self.file(dir, &child, &entry.name, visitor)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn directory(
        &mut self,
        parent: &OwnedFd,
        path: &WorkspacePath,
        name: &str,
        depth: usize,
        visitor: &mut dyn Visitor,
    ) -> ControlFlow<()> {
        if depth == self.bounds.depth {
            self.omit(Omission::TooDeep);
            self.met(Bound::Depth, Some(path));
            return ControlFlow::Continue(());
        }
        let opened = self.workspace.child_directory(parent.as_fd(), name);
        match opened.and_then(|dir| Ok((self.entries(&dir, Some(path))?, dir))) {
            Ok((Some(entries), dir)) => self.entered(&dir, Some(path), entries, depth + 1, visitor),
            Ok((None, _)) => ControlFlow::Break(()),
            Err(reason) => {
                self.omit(reason.into());
                ControlFlow::Continue(())
            }
        }
    }

    fn file(&mut self, dir: &OwnedFd, path: &WorkspacePath, name: &str, visitor: &mut dyn Visitor) -> ControlFlow<()> {
        let usable = Seen::at(dir, name).and_then(|seen| seen.regular(self.workspace.identity().device).map(|()| seen));
        let next = match usable {
            Ok(seen) => visitor.file(&Visit { dir: dir.as_fd(), name, path, seen: &seen }),
            Err(reason) => Next::Omit(reason.into()),
        };
        match next {
            Next::On => ControlFlow::Continue(()),
            Next::Omit(omission) => {
                self.omit(omission);
                ControlFlow::Continue(())
            }
            Next::End(bound) => {
                self.met(bound, Some(path));
                ControlFlow::Break(())
            }
        }
    }
}

impl Entry {
    /// A directory's name counts with the slash that follows it in the paths below.
    fn order(&self, other: &Self) -> Ordering {
        let (one, two) = (self.name.as_bytes(), other.name.as_bytes());
        let shared = one.len().min(two.len());
        // What is beyond the shorter name is looked at only where all before it is the same: directories hold thousands of names.
        let rest = |entry: &Self| entry.name.bytes().skip(shared).chain(entry.is_directory.then_some(b'/')).next();
        one[..shared].cmp(&two[..shared]).then_with(|| rest(self).cmp(&rest(other)))
    }
}
