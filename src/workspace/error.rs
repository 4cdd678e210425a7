//! Why something of a workspace was not read or written.

use rustix::io::Errno;

use crate::model::digest::Digest;

/// One reason for each way in which a file of a workspace is not what may be used. Nothing was returned of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum AccessError {
    /// Nothing is there.
    #[error("there is nothing at this path")]
    NotFound,
    /// A symbolic link, at the path or on the way to it.
    #[error("there is a symbolic link at this path or on the way to it")]
    Symlink,
    /// The file has other names, which may lie outside.
    #[error("the file is a hard link: it has {links} names")]
    HardLink {
        /// Names of it.
        links: u64,
    },
    /// A directory where a file is wanted.
    #[error("this path is a directory")]
    Directory,
    /// Something else where a directory is wanted.
    #[error("this path, or one on the way to it, is no directory")]
    NotADirectory,
    /// A block or character device.
    #[error("this path is a device")]
    Device,
    /// A named pipe.
    #[error("this path is a FIFO")]
    Fifo,
    /// A socket.
    #[error("this path is a socket")]
    Socket,
    /// Something is mounted at the path or on the way to it.
    #[error("this path lies on another file system than the workspace")]
    OtherFileSystem,
    /// Somebody else changed it while it was in use.
    #[error("it was changed by somebody else meanwhile; try again")]
    Changed,
    /// Above the limit.
    #[error("{size} bytes are more than the {limit} that are allowed")]
    TooLarge {
        /// Its bytes.
        size: u64,
        /// The bytes allowed.
        limit: u64,
    },
    /// Text is wanted.
    #[error("the file is not UTF-8 from byte {valid_up_to} on")]
    NotUtf8 {
        /// Bytes that are.
        valid_up_to: u64,
    },
    /// The system does not let us.
    #[error("the system denies access")]
    Permission,
    /// What is to be replaced is not what was approved; `None` is nothing at all.
    #[error("{}", preimage_differs(.expected, .found))]
    PreimageDiffers {
        /// What the approval says.
        expected: Option<Digest>,
        /// What is there.
        found: Option<Digest>,
    },
    /// A new file wants more directories than are made for one.
    #[error("more than {limit} directories on the way to this path are absent")]
    TooManyDirectories {
        /// The directories that would be made.
        limit: usize,
    },
    /// The system or its file system can't do this safely.
    #[error("the file system of the workspace can't {0}")]
    Unsupported(&'static str),
    /// The system failed.
    #[error("can't {doing}: {source}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// Its error.
        source: Errno,
    },
}

fn preimage_differs(expected: &Option<Digest>, found: &Option<Digest>) -> String {
    match (expected, found) {
        (None, Some(found)) => format!("a file {found} is there, and none was expected"),
        (Some(expected), None) => format!("nothing is there, and {expected} was expected"),
        (Some(expected), Some(found)) => format!("{found} is there, and {expected} was expected"),
        (None, None) => "something is there, and nothing was expected".to_owned(),
    }
}

impl AccessError {
    /// One word for machines, the same for ever.
    pub fn name(self) -> &'static str {
        match self {
            AccessError::NotFound => "not_found",
            AccessError::Symlink => "symlink",
            AccessError::HardLink { .. } => "hard_link",
            AccessError::Directory => "directory",
            AccessError::NotADirectory => "not_a_directory",
            AccessError::Device => "device",
            AccessError::Fifo => "fifo",
            AccessError::Socket => "socket",
            AccessError::OtherFileSystem => "other_file_system",
            AccessError::Changed => "changed",
            AccessError::TooLarge { .. } => "too_large",
            AccessError::NotUtf8 { .. } => "not_utf8",
            AccessError::Permission => "permission",
            AccessError::PreimageDiffers { .. } => "preimage_differs",
            AccessError::TooManyDirectories { .. } => "too_many_directories",
            AccessError::Unsupported(_) => "unsupported",
            AccessError::System { .. } => "system",
        }
    }

    /// What an error of the system means for a path; `doing` completes "can't …".
    pub(super) fn of(doing: &'static str, source: Errno) -> Self {
        match source {
            Errno::NOENT => AccessError::NotFound,
            Errno::LOOP => AccessError::Symlink,
            Errno::XDEV => AccessError::OtherFileSystem,
            Errno::NOTDIR => AccessError::NotADirectory,
            Errno::ISDIR => AccessError::Directory,
            Errno::ACCESS | Errno::PERM | Errno::ROFS => AccessError::Permission,
            // A path that led somewhere when it was looked at and leads elsewhere now.
            Errno::AGAIN | Errno::STALE | Errno::NXIO => AccessError::Changed,
            source => AccessError::System { doing, source },
        }
    }
}

/// Whether a write that failed left anything behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The workspace is as it was.
    Nothing,
    /// Look what is there: the new content may be, and somebody else was at work.
    Undetermined,
}

/// A write that is not known to have been done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}{}", leftover(.kept))]
pub struct WriteError {
    /// Why.
    pub reason: AccessError,
    /// What it left behind.
    pub effect: Effect,
    /// The path of a file that holds content of somebody else, which could not be put back in its place.
    pub kept: Option<String>,
}

fn leftover(kept: &Option<String>) -> String {
    kept.as_ref().map_or_else(String::new, |path| format!("; what was there is kept as {path:?}"))
}

impl From<AccessError> for WriteError {
    fn from(reason: AccessError) -> Self {
        WriteError { reason, effect: Effect::Nothing, kept: None }
    }
}
