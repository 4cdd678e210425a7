//! CARRIED: which lines one notes tree of a registrar has and another one of the same registrar lacks.
//!
//! Whoever can push may write into anybody's notes. So of what comes from elsewhere only that is carried over which the registrar's own
//! signed ledger holds, and the hints that lead to it.

use std::collections::{BTreeMap, BTreeSet};

use super::error::StoreError;
use super::hints::Hint;
use crate::git::{GitError, NotesError, NotesTree, ObjectError};
use crate::ledger::Entry;
use crate::ledger::entry::line_digest;
use crate::model::digest::Digest;
use crate::model::id::Oid;

/// Largest note that is looked at, in bytes; no registrar's readers look at a larger one.
const MAX_NOTE: u64 = 64 << 20;

/// Most hints that are carried over in all: a lost one only makes something harder to find, and anybody can write them.
pub(super) const MOST_HINTS: usize = 4096;

/// Directories of hints lead to others so often, and to lines.
const DEEPEST: usize = 3;

/// What a ledger vouches for.
#[derive(Debug, Default)]
pub struct Registered {
    lines: BTreeSet<(Oid, Digest)>,
    notes: BTreeSet<Oid>,
}

impl Registered {
    /// Of these entries.
    pub fn of<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Self {
        let mut found = Registered::default();
        for entry in entries {
            if let Some(oid) = entry.annotated {
                found.lines.insert((oid, entry.line));
                found.notes.insert(oid);
            }
        }
        found
    }

    /// What the hints of a notes tree may lead to: see [`lacking`].
    ///
    /// # Errors
    /// When an object is not here.
    pub(super) fn led(&self, from: &mut NotesTree<'_>) -> Result<BTreeSet<Oid>, StoreError> {
        let notes = from.iter()?.into_iter().map(|(oid, _)| oid).collect();
        self.led_to(from, &notes)
    }

    /// The notes that hold a registered line, and the directories of hints that lead to one, over others or at once.
    fn led_to(&self, from: &mut NotesTree<'_>, notes: &BTreeSet<Oid>) -> Result<BTreeSet<Oid>, StoreError> {
        let mut directories: Vec<(Oid, Vec<Oid>)> = Vec::new();
        for oid in notes.difference(&self.notes) {
            let Some(note) = readable(from, oid)? else { continue };
            let hints = lines(&note).filter_map(Hint::parse).map(|hint| hint.hint);
            directories.push((*oid, hints.take(MOST_HINTS).collect()));
        }
        let mut led = self.notes.clone();
        for _ in 0..DEEPEST {
            let found = directories.iter().filter(|(_, hints)| hints.iter().any(|hint| led.contains(hint)));
            let found: Vec<Oid> = found.map(|(oid, _)| *oid).collect();
            led.extend(found);
        }
        Ok(led)
    }
}

/// The lines, by note and in order, that `from` has and `to` lacks.
///
/// # Errors
/// When an object is not here. A note that can't be read for another reason holds nothing that counts.
pub fn lacking(
    from: &mut NotesTree<'_>,
    to: &mut NotesTree<'_>,
    registered: &Registered,
) -> Result<BTreeMap<Oid, Vec<Vec<u8>>>, StoreError> {
    let mut found = BTreeMap::new();
    let notes: BTreeSet<Oid> = from.iter()?.into_iter().map(|(oid, _)| oid).collect();
    let led = registered.led_to(from, &notes)?;
    let mut hints = 0;
    for oid in notes {
        if from.blobs(&oid)? == to.blobs(&oid)? {
            continue;
        }
        let Some(theirs) = readable(from, &oid)? else { continue };
        let ours = readable(to, &oid)?.unwrap_or_default();
        let mut have: BTreeSet<&[u8]> = lines(&ours).collect();
        let mut new = Vec::new();
        for line in lines(&theirs) {
            if have.contains(line) {
                continue;
            }
            let carried = match Hint::parse(line) {
                Some(hint) => {
                    hints += 1;
                    hints <= MOST_HINTS && led.contains(&hint.hint)
                }
                None => registered.lines.contains(&(oid, line_digest(line))),
            };
            if carried {
                have.insert(line);
                new.push(line.to_vec());
            }
        }
        if !new.is_empty() {
            found.insert(oid, new);
        }
    }
    Ok(found)
}

/// A note with more lines at its end.
pub(super) fn with_lines(mut note: Vec<u8>, more: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    if !note.is_empty() && !note.ends_with(b"\n") {
        note.push(b'\n');
    }
    for line in more {
        note.extend_from_slice(&line);
        note.push(b'\n');
    }
    note
}

/// The lines of a note.
pub(super) fn lines(note: &[u8]) -> impl Iterator<Item = &[u8]> {
    note.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn readable(notes: &mut NotesTree<'_>, oid: &Oid) -> Result<Option<Vec<u8>>, StoreError> {
    match notes.get_within(oid, MAX_NOTE) {
        Ok(note) => Ok(note),
        Err(NotesError::Object(error @ ObjectError::Missing { .. })) => Err(StoreError::Git(GitError::Object(error))),
        Err(_) => Ok(None),
    }
}
