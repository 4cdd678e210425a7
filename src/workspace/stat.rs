//! What `stat` says of a file, and whether that is a file we may use.

use rustix::fd::AsFd;
use rustix::fs::{AtFlags, FileType, Stat, fstat, statat};

use super::error::AccessError;

/// Device and inode: which file it is, whatever its name. Not the same for ever: a system may use an inode again when it is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// `st_dev`.
    pub device: u64,
    /// `st_ino`.
    pub inode: u64,
}

/// What was seen of a file at one moment. Two equal ones were taken with no change between them, as far as the system's times tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub identity: Identity,
    /// Type and permissions.
    pub raw_mode: u32,
    pub links: u64,
    pub size: u64,
    /// Of the content, seconds and nanoseconds.
    modified: (i64, i64),
    /// Of anything, also of the number of links.
    changed: (i64, i64),
}

impl Seen {
    /// Of what `fd` has open.
    pub fn of(fd: impl AsFd) -> Result<Self, AccessError> {
        fstat(fd).map(|stat| Seen::from(&stat)).map_err(|errno| AccessError::of("look at a file", errno))
    }

    /// Of the entry `name` of the directory `dir`; a link is not followed.
    pub fn at(dir: impl AsFd, name: &str) -> Result<Self, AccessError> {
        statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
            .map(|stat| Seen::from(&stat))
            .map_err(|errno| AccessError::of("look at a file", errno))
    }

    pub fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.raw_mode as _)
    }

    /// Permissions, with set-user-id and its like.
    pub fn mode(&self) -> u32 {
        self.raw_mode & 0o7777
    }

    /// Whether both are one file that did not change but for its name, which some systems count as a change of the file.
    pub fn is_but_for_its_name(&self, other: &Seen) -> bool {
        *self == Seen { changed: self.changed, ..*other }
    }

    /// An error unless it is a regular file on `device` with this one name.
    pub fn regular(&self, device: u64) -> Result<(), AccessError> {
        match self.kind() {
            FileType::RegularFile => {}
            FileType::Directory => return Err(AccessError::Directory),
            FileType::Symlink => return Err(AccessError::Symlink),
            FileType::Fifo => return Err(AccessError::Fifo),
            FileType::Socket => return Err(AccessError::Socket),
            _ => return Err(AccessError::Device),
        }
        if self.identity.device != device {
            return Err(AccessError::OtherFileSystem);
        }
        match self.links {
            1 => Ok(()),
            // Its name is gone: whoever removed it was at work meanwhile.
            0 => Err(AccessError::Changed),
            links => Err(AccessError::HardLink { links }),
        }
    }
}

impl From<&Stat> for Seen {
    // The widths of these fields differ from system to system.
    #[expect(clippy::unnecessary_cast, reason = "on this system some of them are of that width already")]
    fn from(stat: &Stat) -> Self {
        Seen {
            identity: Identity { device: stat.st_dev as u64, inode: stat.st_ino as u64 },
            raw_mode: stat.st_mode as u32,
            links: stat.st_nlink as u64,
            size: u64::try_from(stat.st_size).unwrap_or_default(),
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }
}
