//! Where in the tree a note is: at all 40 or 64 digits of its object's id, or with pairs of them as directories.
//!
//! Any mixture is read. Written is what git's own rule gives: a directory of notes fans out when each of the sixteen
//! first digits has at least two notes (or a directory) in it, so that no directory grows past a few hundred entries.

use super::NotesError;
use super::node::{Entry, Node};
use crate::git::objects::{Mode, ObjectError};
use crate::git::repository::Repository;
use crate::model::id::Oid;

/// Appends the blobs for the id whose remaining digits are `digits`: directories first, as git loads them.
pub(super) fn find(
    repository: &Repository,
    node: &mut Node,
    digits: &str,
    found: &mut Vec<Oid>,
) -> Result<(), NotesError> {
    for name in directories(node, digits) {
        if let Some(child) = node.entries.get_mut(&name).map(|entry| entry.open(repository)).transpose()?.flatten() {
            find(repository, child, &digits[2..], found)?;
        }
    }
    found.extend(files(node, digits).iter().filter_map(|name| node.entries.get(name)).map(|entry| entry.oid));
    Ok(())
}

/// The same in a tree as it is stored.
pub(super) fn find_stored(
    repository: &Repository,
    tree: &Oid,
    digits: &str,
    found: &mut Vec<Oid>,
) -> Result<(), ObjectError> {
    let entries = repository.shared_tree(tree)?;
    if let Some((pair, rest)) = digits.split_at_checked(2).filter(|(_, rest)| !rest.is_empty()) {
        let directories = entries.iter().filter(|entry| entry.mode == Mode::Tree && is_spelt(&entry.name, pair));
        for directory in directories {
            find_stored(repository, &directory.oid, rest, found)?;
        }
    }
    let files = entries.iter().filter(|entry| matches!(entry.mode, Mode::File | Mode::Executable));
    found.extend(files.filter(|entry| is_spelt(&entry.name, digits)).map(|entry| entry.oid));
    Ok(())
}

/// git takes digits in upper case for the same note.
fn is_spelt(name: &[u8], digits: &str) -> bool {
    name.len() == digits.len() && name.eq_ignore_ascii_case(digits.as_bytes())
}

/// Takes every file for this id away.
pub(super) fn remove(repository: &Repository, node: &mut Node, digits: &str) -> Result<bool, NotesError> {
    let mut removed = false;
    for name in directories(node, digits) {
        if let Some(child) = node.entries.get_mut(&name).map(|entry| entry.open(repository)).transpose()?.flatten()
            && remove(repository, child, &digits[2..])?
        {
            removed = true;
            node.settle(&name);
        }
    }
    for name in files(node, digits) {
        removed |= node.take(&name).is_some();
    }
    Ok(removed)
}

/// Adds the one file for this id.
pub(super) fn insert(repository: &Repository, node: &mut Node, digits: &str, blob: Oid) -> Result<(), NotesError> {
    if digits.len() > 2 && is_fanned(node) {
        let name = &digits.as_bytes()[..2];
        if let Some(child) = node.directory(repository, name)? {
            insert(repository, child, &digits[2..], blob)?;
            node.settle(name);
            return Ok(());
        }
    }
    node.put(digits.as_bytes(), Entry::file(blob));
    Ok(fan_out(repository, node, digits.len())?)
}

/// Moves the notes of a directory into directories of their next two digits, where git would.
fn fan_out(repository: &Repository, node: &mut Node, digits: usize) -> Result<(), ObjectError> {
    if digits <= 2 || !is_due(node, digits) {
        return Ok(());
    }
    let names: Vec<Vec<u8>> = node
        .entries
        .iter()
        .filter(|(name, entry)| is_note(name, entry, digits))
        .map(|(name, _)| name.clone())
        .collect();
    let mut touched = Vec::new();
    for name in names {
        let Some(entry) = node.take(&name) else { continue };
        let pair = name[..2].to_ascii_lowercase();
        match node.directory(repository, &pair)? {
            Some(child) => child.put(&name[2..], entry),
            // Something that is no directory has the name: the note stays where it was.
            None => node.put(&name, entry),
        }
        touched.push(pair);
    }
    touched.dedup();
    for pair in touched {
        if let Some(child) = node.directory(repository, &pair)? {
            fan_out(repository, child, digits - 2)?;
        }
    }
    Ok(())
}

fn is_due(node: &Node, digits: usize) -> bool {
    let mut notes = [0_usize; 16];
    for (name, entry) in &node.entries {
        let Some(first) = name.first().and_then(|digit| char::from(*digit).to_digit(16)) else { continue };
        if is_note(name, entry, digits) {
            notes[first as usize] += 1;
        } else if is_directory(name, entry) {
            notes[first as usize] += 2;
        }
    }
    notes.iter().all(|count| *count >= 2)
}

fn is_fanned(node: &Node) -> bool {
    node.entries.iter().any(|(name, entry)| is_directory(name, entry))
}

pub(super) fn is_note(name: &[u8], entry: &Entry, digits: usize) -> bool {
    entry.is_file() && name.len() == digits && name.iter().all(u8::is_ascii_hexdigit)
}

pub(super) fn is_directory(name: &[u8], entry: &Entry) -> bool {
    entry.mode == Mode::Tree && name.len() == 2 && name.iter().all(u8::is_ascii_hexdigit)
}

fn directories(node: &Node, digits: &str) -> Vec<Vec<u8>> {
    if digits.len() <= 2 {
        return Vec::new();
    }
    spellings(node, &digits[..2], is_directory)
}

fn files(node: &Node, digits: &str) -> Vec<Vec<u8>> {
    spellings(node, digits, |_, entry| entry.is_file())
}

fn spellings(node: &Node, digits: &str, fits: impl Fn(&[u8], &Entry) -> bool) -> Vec<Vec<u8>> {
    let digits = digits.as_bytes();
    let one = node.entries.get_key_value(digits).filter(|_| !node.upper);
    let all = node.entries.iter().filter(|(name, _)| node.upper && name.eq_ignore_ascii_case(digits));
    one.into_iter().chain(all).filter(|(name, entry)| fits(name, entry)).map(|(name, _)| name.clone()).collect()
}
