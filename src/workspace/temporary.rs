//! The temporary files that a write makes beside its target, by names that are recognised when a killed process left them.
//!
//! A new file has the one name until it is complete. A replacing one then gets another, with the digests of both contents in it, before
//! it changes places with its target: so whoever finds that name later can tell superseded content from somebody's that must be kept.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{AtFlags, Mode, OFlags, fchmod, fsync, renameat, unlinkat};
use rustix::io::Errno;

use super::anchor::Workspace;
use super::error::AccessError;
use super::read::digest;
use super::stat::{Identity, Seen};
use crate::model::digest::Digest;
use crate::model::hex;
use crate::model::workspace_path::TEMPORARY_PREFIX;

/// Bytes of randomness in a name, so that nobody can be there first.
const RANDOM: usize = 16;

/// What the name of a temporary file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// Content that never became a file of the workspace; perhaps a part of it.
    New,
    /// Content before or after it changed places.
    Swap { new: Digest, old: Digest },
}

impl Named {
    /// What `name` says, if it is one that [`Temporary`] gives.
    pub fn parse(name: &str) -> Option<Self> {
        let rest = name.strip_prefix(TEMPORARY_PREFIX)?;
        if let Some(random) = rest.strip_prefix("new-") {
            return hex::decode_exact::<RANDOM>(random).map(|_| Named::New);
        }
        let mut words = rest.strip_prefix("swap-")?.split('-');
        let (random, new, old) = (words.next()?, words.next()?, words.next()?);
        hex::decode_exact::<RANDOM>(random).filter(|_| words.next().is_none())?;
        Some(Named::Swap { new: Digest(hex::decode_exact(new)?), old: Digest(hex::decode_exact(old)?) })
    }
}

/// A file beside its target. When it is dropped it is removed, if it still has its name.
#[derive(Debug)]
pub(super) struct Temporary<'d> {
    dir: BorrowedFd<'d>,
    name: String,
    random: String,
    file: File,
    identity: Identity,
}

impl<'d> Temporary<'d> {
    /// An empty file that only its owner may open.
    pub fn create(workspace: &Workspace, dir: BorrowedFd<'d>) -> Result<Self, AccessError> {
        let mut random = [0; RANDOM];
        getrandom::fill(&mut random)
            .map_err(|_| AccessError::System { doing: "get random bytes", source: Errno::IO })?;
        let random = hex::encode(&random);
        let name = format!("{TEMPORARY_PREFIX}new-{random}");
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        let file = workspace.open_beneath(dir, &name, flags, Mode::RUSR | Mode::WUSR)?;
        let seen = Seen::of(&file)?;
        Ok(Temporary { dir, name, random, file: file.into(), identity: seen.identity })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Gives it its content and, when that is complete, its permissions; both are on the disk afterwards.
    pub fn fill(&mut self, bytes: &[u8], mode: u32) -> Result<(), AccessError> {
        self.file.write_all(bytes).map_err(|err| io("write a file", &err))?;
        fchmod(&self.file, Mode::from_raw_mode(mode as _)).map_err(|errno| AccessError::of("set a mode", errno))?;
        if Seen::of(&self.file)?.mode() != mode {
            return Err(AccessError::Unsupported("keep the permissions of a file"));
        }
        fsync(&self.file).map_err(|errno| AccessError::of("write a file to the disk", errno))
    }

    /// Gives it the name of a file that is about to change places.
    pub fn name_for_swap(&mut self, new: &Digest, old: &Digest) -> Result<(), AccessError> {
        let name = format!("{TEMPORARY_PREFIX}swap-{}-{}-{}", self.random, new.hex(), old.hex());
        renameat(self.dir, &self.name, self.dir, &name).map_err(|errno| {
            match AccessError::of("rename a file", errno) {
                AccessError::NotFound => AccessError::Changed,
                reason => reason,
            }
        })?;
        self.name = name;
        Ok(())
    }

    /// Whether the entry `name` of its directory is this file, and has the content and permissions that it was given.
    pub fn is_at(&mut self, name: &str, content: &Digest, size: u64, mode: u32) -> bool {
        self.has(content, size).unwrap_or(false)
            && Seen::at(self.dir, name).is_ok_and(|seen| {
                seen.identity == self.identity && seen.links == 1 && seen.size == size && seen.mode() == mode
            })
    }

    fn has(&mut self, content: &Digest, size: u64) -> std::io::Result<bool> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        (&mut self.file).take(size + 1).read_to_end(&mut bytes)?;
        Ok(digest(&bytes) == *content)
    }

    /// Removes the entry `name` of its directory, if it is this file.
    pub fn remove_at(&self, name: &str) -> bool {
        remove_if(self.dir, name, self.identity)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        self.remove_at(&self.name);
    }
}

/// Removes the entry `name` of `dir`, if it is the file `identity`; says whether it did.
pub(super) fn remove_if(dir: BorrowedFd<'_>, name: &str, identity: Identity) -> bool {
    Seen::at(dir, name).is_ok_and(|seen| seen.identity == identity) && unlinkat(dir, name, AtFlags::empty()).is_ok()
}

/// Makes the names in a directory last. Some file systems have no such call and need none.
pub(super) fn sync_directory(dir: impl AsFd) -> Result<(), AccessError> {
    match fsync(dir) {
        Ok(()) | Err(Errno::INVAL | Errno::OPNOTSUPP) => Ok(()),
        Err(errno) => Err(AccessError::of("write a directory to the disk", errno)),
    }
}

pub(super) fn io(doing: &'static str, err: &std::io::Error) -> AccessError {
    AccessError::of(doing, Errno::from_io_error(err).unwrap_or(Errno::IO))
}
