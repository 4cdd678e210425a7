//! Paths of a workspace as a stranger may name them: one canonical spelling, nothing that leads out of it or into git's own directory.

use std::fmt;
use std::str::FromStr;

use super::folding;
use super::id::text_serde;

/// The longest segment, in bytes: `NAME_MAX` of every common file system.
pub const LONGEST_SEGMENT: usize = 255;

/// The longest path, in bytes: Linux' `PATH_MAX`.
pub const LONGEST_PATH: usize = 4096;

/// How the name of every temporary file in a workspace begins. No path may have a segment like it, so that what is swept away later was
/// never a file that somebody asked for.
pub const TEMPORARY_PREFIX: &str = ".git-boundary-tmp-";

/// A path below the top of a workspace: UTF-8 segments joined by `/`, none of them empty, `.`, `..`, `.git` in any spelling that some file
/// system takes for it, or a name of our temporary files; no control character, no backslash.
///
/// It says nothing of what is there. Whoever opens it must still follow no link.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspacePath(String);

/// Why a text is no [`WorkspacePath`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum PathDefect {
    /// Nothing at all.
    #[error("the path is empty")]
    Empty,
    /// Longer than [`LONGEST_PATH`]; holds its bytes.
    #[error("the path has {0} bytes, more than {LONGEST_PATH}")]
    TooLong(usize),
    /// It begins with a slash.
    #[error("the path is absolute; name it from the top of the workspace")]
    Absolute,
    /// It ends with a slash.
    #[error("the path ends with a slash")]
    TrailingSlash,
    /// Two slashes in a row.
    #[error("the path has an empty segment")]
    EmptySegment,
    /// A segment `.`.
    #[error("the path has a segment \".\"")]
    CurrentDirectory,
    /// A segment `..`.
    #[error("the path has a segment \"..\"")]
    ParentDirectory,
    /// A NUL.
    #[error("the path has a NUL in it")]
    Nul,
    /// Another control character.
    #[error("the path has a control character in it")]
    ControlCharacter,
    /// A backslash, which is a separator elsewhere.
    #[error("the path has a backslash in it")]
    Backslash,
    /// A segment longer than [`LONGEST_SEGMENT`]; holds its bytes.
    #[error("a segment of the path has {0} bytes, more than {LONGEST_SEGMENT}")]
    SegmentTooLong(usize),
    /// A segment that some file system takes for `.git`.
    #[error("the path leads into git's own directory, or may on some file system")]
    DotGit,
    /// A segment named like a temporary file of ours.
    #[error("the path is named like a temporary file of git-boundary")]
    Temporary,
}

impl PathDefect {
    /// One word for machines, the same for ever.
    pub fn name(self) -> &'static str {
        match self {
            PathDefect::Empty => "empty",
            PathDefect::TooLong(_) => "too_long",
            PathDefect::Absolute => "absolute",
            PathDefect::TrailingSlash => "trailing_slash",
            PathDefect::EmptySegment => "empty_segment",
            PathDefect::CurrentDirectory => "current_directory",
            PathDefect::ParentDirectory => "parent_directory",
            PathDefect::Nul => "nul",
            PathDefect::ControlCharacter => "control_character",
            PathDefect::Backslash => "backslash",
            PathDefect::SegmentTooLong(_) => "segment_too_long",
            PathDefect::DotGit => "dot_git",
            PathDefect::Temporary => "temporary",
        }
    }
}

impl WorkspacePath {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its segments, from the top.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The path of the directory it lies in, none for the top, and its last segment.
    pub fn split_last(&self) -> (Option<&str>, &str) {
        match self.0.rsplit_once('/') {
            Some((parent, name)) => (Some(parent), name),
            None => (None, &self.0),
        }
    }

    /// The path of `segment` in the directory `parent`, which is the top if it is none.
    ///
    /// # Errors
    /// The segment or the whole is no path; only the segment is looked at.
    pub fn child(parent: Option<&WorkspacePath>, segment: &str) -> Result<Self, PathDefect> {
        check_segment(segment)?;
        let path = match parent {
            Some(parent) => format!("{}/{segment}", parent.0),
            None => segment.to_owned(),
        };
        if path.len() > LONGEST_PATH { Err(PathDefect::TooLong(path.len())) } else { Ok(WorkspacePath(path)) }
    }
}

impl FromStr for WorkspacePath {
    type Err = PathDefect;

    fn from_str(text: &str) -> Result<Self, PathDefect> {
        if text.is_empty() {
            return Err(PathDefect::Empty);
        }
        if text.len() > LONGEST_PATH {
            return Err(PathDefect::TooLong(text.len()));
        }
        if text.starts_with('/') {
            return Err(PathDefect::Absolute);
        }
        if text.ends_with('/') {
            return Err(PathDefect::TrailingSlash);
        }
        text.split('/').try_for_each(check_segment)?;
        Ok(WorkspacePath(text.to_owned()))
    }
}

fn check_segment(segment: &str) -> Result<(), PathDefect> {
    match segment {
        "" => return Err(PathDefect::EmptySegment),
        "." => return Err(PathDefect::CurrentDirectory),
        ".." => return Err(PathDefect::ParentDirectory),
        _ => {}
    }
    for character in segment.chars() {
        match character {
            '\0' => return Err(PathDefect::Nul),
            '\\' => return Err(PathDefect::Backslash),
            '/' => return Err(PathDefect::EmptySegment),
            _ if character.is_control() => return Err(PathDefect::ControlCharacter),
            _ => {}
        }
    }
    if segment.len() > LONGEST_SEGMENT {
        return Err(PathDefect::SegmentTooLong(segment.len()));
    }
    let folded = folding::fold(segment.as_bytes());
    if folding::leads_into_dot_git(&folded) {
        return Err(PathDefect::DotGit);
    }
    if folded.starts_with(TEMPORARY_PREFIX.as_bytes()) {
        return Err(PathDefect::Temporary);
    }
    Ok(())
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

text_serde!(WorkspacePath);
