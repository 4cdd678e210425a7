//! How much one request may take: memory and time are the owner's, and who asks may be hostile.

/// The largest file that is read or written, in bytes: more than any source file that people write, little enough to be held, hashed,
/// shown for approval and put into one message several times over.
pub const LARGEST_FILE: u64 = 1024 * 1024;

/// The files in one listing: the sources of a large project.
pub const MOST_LISTED: usize = 10_000;

/// The bytes of all paths in one listing, so that long names can't make an answer huge: a hundred bytes for each of [`MOST_LISTED`].
pub const MOST_PATH_BYTES: usize = 1024 * 1024;

/// The directory entries that are looked at for one listing or search, whether they end up in it or not: ten for each file listed.
pub const MOST_EXAMINED: usize = 100_000;

/// How deep directories are entered. Each level holds a descriptor, and many systems give a process 256.
pub const DEEPEST: usize = 64;

/// The directories that are made for one new file. Who wants more has a mistake in the path, and each holds a descriptor meanwhile.
pub const MOST_MADE: usize = 16;

/// The bytes of files read for one search: some tens of milliseconds.
pub const MOST_SEARCHED: u64 = 16 * 1024 * 1024;

/// The matching lines in one answer: more than anybody reads.
pub const MOST_MATCHES: usize = 1_000;

/// The bytes shown of a matching line. A minified file has lines of megabytes.
pub const LONGEST_LINE: usize = 512;

/// The bytes of what is searched for.
pub const LONGEST_LITERAL: usize = 1024;

/// The bounds of a walk through directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkBounds {
    /// Directory entries looked at.
    pub examined: usize,
    /// Levels of directories entered below the one asked for; with 0 only its own files are seen.
    pub depth: usize,
}

impl Default for WalkBounds {
    fn default() -> Self {
        WalkBounds { examined: MOST_EXAMINED, depth: DEEPEST }
    }
}

/// The bounds of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListBounds {
    /// Files in it.
    pub files: usize,
    /// Bytes of all their paths.
    pub path_bytes: usize,
    /// Of the walk.
    pub walk: WalkBounds,
}

impl Default for ListBounds {
    fn default() -> Self {
        ListBounds { files: MOST_LISTED, path_bytes: MOST_PATH_BYTES, walk: WalkBounds::default() }
    }
}

/// The bounds of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchBounds {
    /// Matching lines in the answer.
    pub matches: usize,
    /// Bytes of all files read.
    pub bytes: u64,
    /// Bytes of one file; larger ones are left out and counted.
    pub file: u64,
    /// Bytes shown of a line.
    pub line: usize,
    /// Of the walk.
    pub walk: WalkBounds,
}

impl Default for SearchBounds {
    fn default() -> Self {
        SearchBounds {
            matches: MOST_MATCHES,
            bytes: MOST_SEARCHED,
            file: LARGEST_FILE,
            line: LONGEST_LINE,
            walk: WalkBounds::default(),
        }
    }
}
