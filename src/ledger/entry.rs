//! What one leaf of a ledger says: this artifact, as this line, about this object, was stored at this time.

use std::fmt;

use super::hash::{self, Hash};
use crate::model::digest::{Digest, NotADigest};
use crate::model::id::{BadName, Oid};
use crate::model::time::Timestamp;

/// One ledger entry (contract, section 10).
///
/// Its text, which is the leaf, is one line of four fields with single spaces between them:
///
/// ```text
/// sha256:<artifact digest> sha256:<digest of the line> <annotated git object id, or -> <unix seconds>\n
/// ```
///
/// Both digests carry their algorithm, as everywhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The artifact's digest (contract, section 2).
    pub artifact: Digest,
    /// SHA-256 of the stored line *without* its newline: lines are what note readers split at newlines, and a note
    /// whose last newline a tool dropped still holds the same line.
    pub line: Digest,
    /// The object whose note holds the line; `None` (written `-`) for lines that annotate nothing.
    pub annotated: Option<Oid>,
    /// The registrar's time. Never before 1970, never before the entry in front.
    pub at: Timestamp,
}

impl Entry {
    /// The entry for a stored `line`; a newline at its end is not part of what is hashed.
    pub fn for_line(artifact: Digest, line: &[u8], annotated: Option<Oid>, at: Timestamp) -> Self {
        Entry { artifact, line: line_digest(line), annotated, at }
    }

    /// Reads the text of one entry, newline included; the one accepted spelling is the one [`Entry`] is written in.
    ///
    /// # Errors
    /// Names the field at fault.
    pub fn parse(text: &[u8]) -> Result<Self, EntryError> {
        let text = std::str::from_utf8(text).map_err(|_| EntryError::NotUtf8)?;
        let line = text.strip_suffix('\n').ok_or(EntryError::NoNewline)?;
        let mut fields = line.split(' ');
        let four = [fields.next(), fields.next(), fields.next(), fields.next()];
        let ([Some(artifact), Some(digest), Some(annotated), Some(at)], None) = (four, fields.next()) else {
            return Err(EntryError::Fields { found: line.split(' ').count() });
        };
        let annotated = match annotated {
            "-" => None,
            oid => Some(oid.parse::<Oid>().map_err(EntryError::Annotated)?),
        };
        let entry = Entry {
            artifact: artifact.parse().map_err(EntryError::Artifact)?,
            line: digest.parse().map_err(EntryError::Line)?,
            annotated,
            at: Timestamp(seconds(at).ok_or_else(|| EntryError::Time(at.to_owned()))?),
        };
        entry.check()?;
        Ok(entry)
    }

    /// Whether this may stand in a ledger.
    ///
    /// # Errors
    /// When the time cannot be written, or "nothing" is spelled as the zero object id instead of `None`.
    pub fn check(&self) -> Result<(), EntryError> {
        if !(0..=Timestamp::MAX.0).contains(&self.at.0) {
            return Err(EntryError::Time(self.at.0.to_string()));
        }
        if self.annotated.is_some_and(|oid| oid.is_zero()) {
            return Err(EntryError::ZeroOid);
        }
        Ok(())
    }

    /// The hash of this entry as a leaf.
    pub fn leaf_hash(&self) -> Hash {
        hash::leaf(self.to_string().as_bytes())
    }
}

/// SHA-256 of a stored line without its newline, as entries hold it.
pub fn line_digest(line: &[u8]) -> Digest {
    Digest(hash::sha256(&[line.strip_suffix(b"\n").unwrap_or(line)]))
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.artifact, self.line)?;
        match &self.annotated {
            Some(oid) => write!(f, "{oid}")?,
            None => f.write_str("-")?,
        }
        writeln!(f, " {}", self.at.0)
    }
}

/// Why a text is no entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// Some bytes are no UTF-8.
    #[error("the entry is not UTF-8")]
    NotUtf8,
    /// The newline at the end is missing.
    #[error("the entry does not end with a newline")]
    NoNewline,
    /// Not four fields with single spaces between them.
    #[error("the entry has {found} fields instead of 4")]
    Fields {
        /// How many there are.
        found: usize,
    },
    /// The first field is no digest.
    #[error("artifact: {0}")]
    Artifact(NotADigest),
    /// The second field is no digest.
    #[error("line: {0}")]
    Line(NotADigest),
    /// The third field is neither an object id nor `-`.
    #[error("annotated object: {0}")]
    Annotated(BadName),
    /// The third field is the zero object id, which git uses for "nothing" and which `-` says here.
    #[error("annotated object: the zero id stands for nothing, which is written \"-\"")]
    ZeroOid,
    /// The fourth field is no time in canonical decimal seconds between 1970 and the year 9999.
    #[error("time: {0:?} is no canonical number of seconds between 1970 and the year 9999")]
    Time(String),
}

/// Decimal digits without leading zeros.
fn seconds(text: &str) -> Option<i64> {
    let canonical = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if canonical { text.parse().ok() } else { None }
}
