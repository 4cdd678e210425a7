//! A tree in memory whose subtrees are read when they are walked into and written when they changed.

use std::collections::BTreeMap;

use super::NotesError;
use crate::git::objects::{Mode, ObjectError, TreeEntry};
use crate::git::repository::Repository;
use crate::model::id::Oid;

/// One directory.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub entries: BTreeMap<Vec<u8>, Entry>,
    /// Not as stored: `oid` of the entry that holds this node is out of date.
    pub dirty: bool,
    /// Some name has hex digits in upper case, which git takes for the same note.
    pub upper: bool,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub mode: Mode,
    pub oid: Oid,
    pub child: Option<Box<Node>>,
}

impl Entry {
    pub fn file(oid: Oid) -> Self {
        Entry { mode: Mode::File, oid, child: None }
    }

    fn directory(repository: &Repository) -> Self {
        Entry { mode: Mode::Tree, oid: repository.object_format().empty_tree(), child: Some(Box::default()) }
    }

    pub fn is_file(&self) -> bool {
        matches!(self.mode, Mode::File | Mode::Executable)
    }

    /// The directory this entry is, read at the first call.
    pub fn open(&mut self, repository: &Repository) -> Result<Option<&mut Node>, ObjectError> {
        if self.mode != Mode::Tree {
            return Ok(None);
        }
        let node = match self.child.take() {
            Some(node) => node,
            None => Box::new(Node::load(repository, &self.oid)?),
        };
        Ok(Some(self.child.insert(node)))
    }
}

impl Node {
    pub fn load(repository: &Repository, tree: &Oid) -> Result<Self, ObjectError> {
        let entries: BTreeMap<_, _> = repository
            .shared_tree(tree)?
            .iter()
            .map(|entry| (entry.name.clone(), Entry { mode: entry.mode, oid: entry.oid, child: None }))
            .collect();
        let upper = entries.keys().any(|name| name.iter().any(|byte| matches!(byte, b'A'..=b'F')));
        Ok(Node { entries, dirty: false, upper })
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The directory of this name, made when absent; `None` when something else has the name.
    pub fn directory(&mut self, repository: &Repository, name: &[u8]) -> Result<Option<&mut Node>, ObjectError> {
        if !self.entries.contains_key(name) {
            self.dirty = true;
        }
        self.entries.entry(name.to_vec()).or_insert_with(|| Entry::directory(repository)).open(repository)
    }

    pub fn put(&mut self, name: &[u8], entry: Entry) {
        self.entries.insert(name.to_vec(), entry);
        self.dirty = true;
    }

    pub fn take(&mut self, name: &[u8]) -> Option<Entry> {
        let taken = self.entries.remove(name);
        self.dirty |= taken.is_some();
        taken
    }

    /// Takes note of what happened in a subdirectory: a change there is one here, and an empty one goes away.
    pub fn settle(&mut self, name: &[u8]) {
        let Some(child) = self.entries.get(name).and_then(|entry| entry.child.as_deref()) else { return };
        let (empty, dirty) = (child.is_empty(), child.dirty);
        if empty {
            self.take(name);
        }
        self.dirty |= dirty;
    }

    pub fn file(&mut self, repository: &Repository, path: &str) -> Result<Option<Oid>, NotesError> {
        match path.split_once('/') {
            None => Ok(self.entries.get(path.as_bytes()).filter(|entry| entry.is_file()).map(|entry| entry.oid)),
            Some((name, rest)) => match self.entries.get_mut(name.as_bytes()) {
                None => Ok(None),
                Some(entry) => match entry.open(repository)? {
                    Some(node) => node.file(repository, rest),
                    None => Ok(None),
                },
            },
        }
    }

    pub fn names(&mut self, repository: &Repository, path: &str) -> Result<Vec<String>, NotesError> {
        let (name, rest) = path.split_once('/').unwrap_or((path, ""));
        if name.is_empty() {
            return Ok(self.entries.keys().map(|name| String::from_utf8_lossy(name).into_owned()).collect());
        }
        match self.entries.get_mut(name.as_bytes()).map(|entry| entry.open(repository)).transpose()?.flatten() {
            Some(node) => node.names(repository, rest),
            None => Ok(Vec::new()),
        }
    }

    pub fn set_file(&mut self, repository: &Repository, whole: &str, path: &str, blob: Oid) -> Result<(), NotesError> {
        let bad = |defect| NotesError::Path { path: whole.to_owned(), defect };
        let Some((name, rest)) = path.split_once('/') else {
            if path.is_empty() {
                return Err(bad("a part of it is empty"));
            }
            return match self.entries.get(path.as_bytes()) {
                Some(entry) if entry.mode == Mode::Tree => Err(bad("it is a directory")),
                Some(entry) if entry.is_file() && entry.oid == blob => Ok(()),
                _ => {
                    self.put(path.as_bytes(), Entry::file(blob));
                    Ok(())
                }
            };
        };
        if name.is_empty() {
            return Err(bad("a part of it is empty"));
        }
        let node = self.directory(repository, name.as_bytes())?.ok_or_else(|| bad("a part of it is a file"))?;
        node.set_file(repository, whole, rest, blob)?;
        self.settle(name.as_bytes());
        Ok(())
    }

    pub fn remove_file(&mut self, repository: &Repository, path: &str) -> Result<bool, NotesError> {
        let Some((name, rest)) = path.split_once('/') else {
            let there = self.entries.get(path.as_bytes()).is_some_and(Entry::is_file);
            return Ok(there && self.take(path.as_bytes()).is_some());
        };
        let Some(entry) = self.entries.get_mut(name.as_bytes()) else { return Ok(false) };
        let removed = match entry.open(repository)? {
            Some(node) => node.remove_file(repository, rest)?,
            None => false,
        };
        if removed {
            self.settle(name.as_bytes());
        }
        Ok(removed)
    }

    /// Stores this tree and what changed below it.
    pub fn write(&mut self, repository: &Repository) -> Result<Oid, ObjectError> {
        let mut entries = Vec::with_capacity(self.entries.len());
        for (name, entry) in &mut self.entries {
            if let Some(child) = entry.child.as_deref_mut().filter(|child| child.dirty) {
                entry.oid = child.write(repository)?;
            }
            entries.push(TreeEntry { mode: entry.mode, name: name.clone(), oid: entry.oid });
        }
        let oid = repository.write_tree(entries)?;
        self.dirty = false;
        Ok(oid)
    }
}
