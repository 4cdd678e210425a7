//! Searching the files of a workspace for a literal text.

use super::anchor::Workspace;
use super::bounds::{LONGEST_LITERAL, SearchBounds};
use super::error::AccessError;
use super::read::text;
use super::walk::{Bound, Met, Next, Omission, Omissions, Visit};
use crate::model::workspace_path::WorkspacePath;

/// A text to look for: within one line, letter for letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal(String);

/// Why a text cannot be looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LiteralDefect {
    /// It is everywhere.
    #[error("the text to search for is empty")]
    Empty,
    /// Longer than [`LONGEST_LITERAL`]; holds its bytes.
    #[error("the text to search for has {0} bytes, more than {LONGEST_LITERAL}")]
    TooLong(usize),
    /// The end of a line, or another control character than the tabulator.
    #[error("the text to search for has a control character in it; a search looks within single lines")]
    ControlCharacter,
}

impl Literal {
    /// `text`, if it can be looked for.
    ///
    /// # Errors
    /// It is empty, too long, or no part of a line.
    pub fn new(text: &str) -> Result<Self, LiteralDefect> {
        if text.is_empty() {
            return Err(LiteralDefect::Empty);
        }
        if text.len() > LONGEST_LITERAL {
            return Err(LiteralDefect::TooLong(text.len()));
        }
        if text.chars().any(|character| character.is_control() && character != '\t') {
            return Err(LiteralDefect::ControlCharacter);
        }
        Ok(Literal(text.to_owned()))
    }
}

/// A line with the text in it. It is there once however often the text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchMatch {
    /// The file.
    pub path: WorkspacePath,
    /// From 1.
    pub line: u64,
    /// The byte of the line at which the text first begins, from 1.
    pub column: u64,
    /// The line without its end, or a part of it.
    pub shown: String,
    /// The byte of the line at which `shown` begins, from 1.
    pub shown_from: u64,
    /// Whether the line is longer than `shown`.
    pub cut: bool,
}

/// The lines found below a directory, or the first of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// By the bytes of their paths, then by line.
    pub matches: Vec<SearchMatch>,
    /// Files read to their end.
    pub files: u64,
    /// Bytes read, also of files that turned out to be no text.
    pub bytes: u64,
    /// What was left out on the way.
    pub omitted: Omissions,
    /// The bounds that were met. But for [`Bound::Depth`] the search ended there.
    pub met: Vec<Met>,
}

impl Workspace {
    /// The lines that have `literal` in them, in all files below `from`, or below the top, that are `wanted`. No other is opened.
    ///
    /// # Errors
    /// As [`Workspace::list_files`]. Files that cannot be read are counted in the answer.
    pub fn search_text(
        &self,
        literal: &Literal,
        from: Option<&WorkspacePath>,
        bounds: SearchBounds,
        wanted: &dyn Fn(&WorkspacePath) -> bool,
    ) -> Result<Found, AccessError> {
        let mut matches = Vec::new();
        let (mut files, mut bytes) = (0, 0);
        let walked = self.walk(from, bounds.walk, &mut |visit: &Visit<'_>| {
            if !wanted(visit.path) {
                return Next::Omit(Omission::Unwanted);
            }
            if visit.seen.size <= bounds.file && visit.seen.size > bounds.bytes.saturating_sub(bytes) {
                return Next::End(Bound::Bytes);
            }
            let text = match self.text_of(visit, bounds.file.min(bounds.bytes.saturating_sub(bytes))) {
                Ok(text) => text,
                Err(reason) => {
                    // What was read in vain was read too.
                    let is_read = matches!(reason, AccessError::NotUtf8 { .. } | AccessError::Changed);
                    bytes += if is_read { visit.seen.size } else { 0 };
                    return Next::Omit(reason.into());
                }
            };
            files += 1;
            bytes += text.len() as u64;
            for found in lines_with(&text, &literal.0) {
                if matches.len() == bounds.matches {
                    return Next::End(Bound::Matches);
                }
                matches.push(found.shown(visit.path, &literal.0, bounds.line));
            }
            Next::On
        })?;
        Ok(Found { matches, files, bytes, omitted: walked.omitted, met: walked.met })
    }

    fn text_of(&self, visit: &Visit<'_>, limit: u64) -> Result<String, AccessError> {
        text(self.bytes_at(visit.dir, visit.name, limit)?.0)
    }
}

/// A line with the text in it, from a file in memory.
struct Line<'t> {
    number: u64,
    text: &'t str,
    /// Bytes of it before the text.
    at: usize,
}

fn lines_with<'t>(text: &'t str, literal: &str) -> impl Iterator<Item = Line<'t>> {
    let mut number = 1;
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text[from..].find(literal)?;
        let start = text[from..at].rfind('\n').map_or(from, |newline| from + newline + 1);
        number += count_lines(&text[from..start]);
        let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        let line = Line { number, text: without_return(&text[start..end]), at: at - start };
        // The end of this line is counted with the next one.
        from = end;
        Some(line)
    })
}

fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

fn count_lines(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

impl Line<'_> {
    /// As much of the line as may be shown: from its start, unless the text would then be cut off.
    fn shown(&self, path: &WorkspacePath, literal: &str, most: usize) -> SearchMatch {
        let from = if self.at + literal.len() <= most {
            0
        } else {
            self.text.floor_char_boundary(self.at.saturating_sub(most / 4))
        };
        let end = self.text.floor_char_boundary(self.text.len().min(from.saturating_add(most)));
        let shown = self.text[from..end.max(from)].to_owned();
        SearchMatch {
            path: path.clone(),
            line: self.number,
            column: self.at as u64 + 1,
            cut: shown.len() < self.text.len(),
            shown,
            shown_from: from as u64 + 1,
        }
    }
}
