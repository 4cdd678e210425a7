//! Trees, read strictly: one that two programs could read differently is refused.

use std::cmp::Ordering;
use std::collections::HashSet;

use gix::bstr::ByteSlice;

use super::ObjectError;
use crate::git::object_format::ObjectFormat;
use crate::model::id::Oid;

/// What an entry of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// A directory, `40000`.
    Tree,
    /// A file, `100644`. Old trees may say `100664`, which git reads as this.
    File,
    /// A file to be run, `100755`.
    Executable,
    /// A symbolic link, `120000`.
    Symlink,
    /// A commit of another repository, `160000`.
    Submodule,
}

impl Mode {
    /// The octal digits that git writes.
    pub fn octal(self) -> &'static str {
        match self {
            Mode::Tree => "40000",
            Mode::File => "100644",
            Mode::Executable => "100755",
            Mode::Symlink => "120000",
            Mode::Submodule => "160000",
        }
    }

    fn parse(digits: &[u8]) -> Option<Self> {
        Some(match digits {
            b"40000" | b"040000" => Mode::Tree,
            b"100644" | b"100664" => Mode::File,
            b"100755" => Mode::Executable,
            b"120000" => Mode::Symlink,
            b"160000" => Mode::Submodule,
            _ => return None,
        })
    }
}

/// One entry of a tree that passed the checks: sorted, no name twice, no empty name, `.`, `..` or `.git` in any spelling
/// a file system may take for it, no slash, a known mode, an id that is not zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// What it is.
    pub mode: Mode,
    /// Its name within the tree; any bytes but NUL and slash.
    pub name: Vec<u8>,
    /// What it names.
    pub oid: Oid,
}

impl TreeEntry {
    /// git's order: by name, a tree's name ending with a slash.
    pub fn order(&self, other: &TreeEntry) -> Ordering {
        compare(&self.name, self.mode == Mode::Tree, &other.name, other.mode == Mode::Tree)
    }
}

pub(super) fn parse(oid: Oid, raw: &[u8], format: ObjectFormat) -> Result<Vec<TreeEntry>, ObjectError> {
    let malformed = |defect: String| ObjectError::Malformed { oid, defect };
    let mut entries = Vec::with_capacity(raw.len() / 36);
    let mut rest = raw;
    while !rest.is_empty() {
        let cut = || malformed("it ends within an entry".to_owned());
        let space = rest.find_byte(b' ').ok_or_else(cut)?;
        let end = rest.find_byte(0).filter(|end| *end > space).ok_or_else(cut)?;
        let id = rest.get(end + 1..end + 1 + format.id_len()).and_then(Oid::from_bytes).ok_or_else(cut)?;
        let name = &rest[space + 1..end];
        let mode = Mode::parse(&rest[..space]).ok_or_else(|| {
            malformed(format!("entry {:?} has the unknown mode {:?}", name.as_bstr(), rest[..space].as_bstr()))
        })?;
        entries.push(TreeEntry { mode, name: name.to_vec(), oid: id });
        rest = &rest[end + 1 + format.id_len()..];
    }
    check(&entries).map_err(malformed)?;
    Ok(entries)
}

/// The bytes of a tree; sorts the entries.
pub(super) fn encode(mut entries: Vec<TreeEntry>) -> Result<Vec<u8>, String> {
    entries.sort_by(TreeEntry::order);
    check(&entries)?;
    let mut raw = Vec::with_capacity(entries.len() * 40);
    for entry in &entries {
        raw.extend_from_slice(entry.mode.octal().as_bytes());
        raw.push(b' ');
        raw.extend_from_slice(&entry.name);
        raw.push(0);
        raw.extend_from_slice(entry.oid.as_bytes());
    }
    Ok(raw)
}

fn check(entries: &[TreeEntry]) -> Result<(), String> {
    let mut seen = HashSet::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let name = entry.name.as_bstr();
        check_name(entry)?;
        if entry.oid.is_zero() {
            return Err(format!("entry {name:?} names the zero id"));
        }
        if !seen.insert(entry.name.as_slice()) {
            return Err(format!("entry {name:?} is there twice"));
        }
        if index > 0 && entries[index - 1].order(entry) != Ordering::Less {
            return Err(format!("entry {name:?} is not in order"));
        }
    }
    Ok(())
}

fn check_name(entry: &TreeEntry) -> Result<(), String> {
    // Windows' own names (`aux`, a trailing dot) are ordinary elsewhere; what may stand for `.git` is not, anywhere.
    let options =
        gix::validate::path::component::Options { protect_windows: false, protect_hfs: true, protect_ntfs: true };
    let name = entry.name.as_bstr();
    if entry.name.contains(&0) {
        return Err(format!("entry {name:?} has a name with a NUL in it"));
    }
    gix::validate::path::component(name, None, options)
        .map(drop)
        .map_err(|err| format!("entry {name:?} has a name that is not allowed: {err}"))
}

fn compare(a: &[u8], a_is_tree: bool, b: &[u8], b_is_tree: bool) -> Ordering {
    let common = a.len().min(b.len());
    a[..common].cmp(&b[..common]).then_with(|| {
        let next =
            |name: &[u8], is_tree: bool| name.get(common).copied().or(is_tree.then_some(b'/')).map_or(0, i32::from);
        next(a, a_is_tree).cmp(&next(b, b_is_tree))
    })
}
