//! Reading one file: what is returned was the content of a regular file with one name, at this path, and did not change meanwhile.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use sha2::{Digest as _, Sha256};

use super::anchor::Workspace;
use super::error::AccessError;
use super::stat::Seen;
use super::temporary::io;
use crate::model::digest::Digest;
use crate::model::workspace_path::WorkspacePath;

/// A file of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// Its content.
    pub text: String,
    /// Its permissions.
    pub mode: u32,
    /// Of its bytes.
    pub digest: Digest,
}

/// A file of any bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryFile {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its permissions.
    pub mode: u32,
    /// Of its bytes.
    pub digest: Digest,
}

/// What a write would replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preimage {
    /// Nothing is there, and perhaps no directory for it either.
    Absent,
    /// A regular file.
    File(BinaryFile),
}

impl Preimage {
    /// Of the content, if there is one.
    pub fn digest(&self) -> Option<Digest> {
        match self {
            Preimage::Absent => None,
            Preimage::File(file) => Some(file.digest),
        }
    }
}

/// A regular file that was opened, and what it was then.
#[derive(Debug)]
pub(super) struct Opened {
    pub file: File,
    pub seen: Seen,
}

impl Workspace {
    /// Reads the text of the file at `path`, at most `limit` bytes.
    ///
    /// # Errors
    /// What is there is no regular file of UTF-8 with one name, cannot be reached without a link or a mount, is larger, may not be read,
    /// or changed while it was read.
    pub fn read_file(&self, path: &WorkspacePath, limit: u64) -> Result<TextFile, AccessError> {
        let (dir, name) = self.parent(path)?;
        let found = self.read_at(dir.as_fd(), name, limit)?;
        Ok(TextFile { text: text(found.bytes)?, mode: found.mode, digest: found.digest })
    }

    /// What a write to `path` would replace, to be shown and compared; of any bytes, at most `limit`.
    ///
    /// # Errors
    /// Something is there that is no regular file with one name, and so on as in [`Workspace::read_file`].
    pub fn preimage(&self, path: &WorkspacePath, limit: u64) -> Result<Preimage, AccessError> {
        let found = self.parent(path).and_then(|(dir, name)| self.read_at(dir.as_fd(), name, limit));
        match found {
            Ok(file) => Ok(Preimage::File(file)),
            Err(AccessError::NotFound) => Ok(Preimage::Absent),
            Err(reason) => Err(reason),
        }
    }

    /// The first directory on the way to `path`, below the top, that has a repository of its own in it: something that git calls `.git`.
    ///
    /// # Errors
    /// The way can't be gone. A directory that is not there has none.
    pub fn other_repository(&self, path: &WorkspacePath) -> Result<Option<String>, AccessError> {
        for (at, _) in path.as_str().match_indices('/') {
            let above = &path.as_str()[..at];
            let dir = match self.directory(Some(above)) {
                Err(AccessError::NotFound) => return Ok(None),
                reached => reached?,
            };
            match Seen::at(&dir, ".git") {
                Err(AccessError::NotFound) => {}
                _ => return Ok(Some(above.to_owned())),
            }
        }
        Ok(None)
    }

    pub(super) fn read_at(&self, dir: BorrowedFd<'_>, name: &str, limit: u64) -> Result<BinaryFile, AccessError> {
        let (bytes, seen) = self.bytes_at(dir, name, limit)?;
        Ok(BinaryFile { digest: digest(&bytes), bytes, mode: seen.mode() })
    }

    /// The content of the file `name` of `dir`, and what was seen of it before and after it was read.
    pub(super) fn bytes_at(&self, dir: BorrowedFd<'_>, name: &str, limit: u64) -> Result<(Vec<u8>, Seen), AccessError> {
        let mut opened = self.open_regular(dir, name)?;
        let bytes = opened.read(limit)?;
        // The clock of many kernels stands still for milliseconds, and a write in that time leaves no other trace.
        if opened.read_again(limit)? != bytes {
            return Err(AccessError::Changed);
        }
        opened.unchanged_at(dir, name)?;
        Ok((bytes, opened.seen))
    }

    /// Opens the file `name` of `dir` for reading, if it is one that may be used.
    pub(super) fn open_regular(&self, dir: BorrowedFd<'_>, name: &str) -> Result<Opened, AccessError> {
        // Opening a device can do something to it, and a socket can't be opened: they are told apart before.
        Seen::at(dir, name)?.regular(self.identity().device)?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let opened = self.open_beneath(dir, name, flags, Mode::empty())?;
        Opened::new(opened, self.identity().device)
    }
}

impl Opened {
    pub fn new(fd: OwnedFd, device: u64) -> Result<Self, AccessError> {
        // It may be something else than a moment ago.
        let seen = Seen::of(&fd)?;
        seen.regular(device)?;
        Ok(Opened { file: fd.into(), seen })
    }

    /// All of it from where it stands; one byte more than it had is a change.
    pub fn read(&mut self, limit: u64) -> Result<Vec<u8>, AccessError> {
        let size = self.seen.size;
        if size > limit {
            return Err(AccessError::TooLarge { size, limit });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
        (&mut self.file).take(size + 1).read_to_end(&mut bytes).map_err(|err| io("read a file", &err))?;
        if bytes.len() as u64 == size { Ok(bytes) } else { Err(AccessError::Changed) }
    }

    /// [`Opened::read`] from its start.
    pub fn read_again(&mut self, limit: u64) -> Result<Vec<u8>, AccessError> {
        self.file.seek(SeekFrom::Start(0)).map_err(|err| io("read a file", &err))?;
        self.read(limit)
    }

    /// An error unless the file is as it was when it was opened and still has its name.
    ///
    /// The name is asked for because a file outside, of which a link was made here, has one name again when the link is gone.
    pub fn unchanged_at(&self, dir: BorrowedFd<'_>, name: &str) -> Result<(), AccessError> {
        let named = Seen::at(dir, name);
        if Seen::of(&self.file)? == self.seen && named == Ok(self.seen) { Ok(()) } else { Err(AccessError::Changed) }
    }
}

pub(super) fn digest(bytes: &[u8]) -> Digest {
    Digest(Sha256::digest(bytes).into())
}

pub(super) fn text(bytes: Vec<u8>) -> Result<String, AccessError> {
    String::from_utf8(bytes).map_err(|err| AccessError::NotUtf8 { valid_up_to: err.utf8_error().valid_up_to() as u64 })
}
