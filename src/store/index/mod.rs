//! INDEX: which ledger entries annotate which object, so that asking for one commit does not cost a walk through the ledger.
//!
//! Entries are verified against the signed checkpoint once, when they are first seen, and then kept in local files: the newest beside
//! the state, older ones in sorted runs of geometrically growing size. A question reads a few hundred bytes of each run, however long
//! the ledger is. The files are as trustworthy as the repository's own configuration, and safe to delete.

mod record;
mod run;
mod state;

#[cfg(test)]
mod tests;

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use self::state::State;
use super::error::StoreError;
use crate::ledger::{Entry, TileSource, TreeHead, scan};
use crate::model::id::Oid;

/// After so many questions the rest is answered from memory.
const MANY_QUESTIONS: u32 = 200;

/// So few new entries are read again the next time: that costs less than writing the state anew.
const LEAST_KEPT: usize = 16;

/// An entry and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexed {
    /// The entry.
    pub entry: Entry,
    /// Its index in the ledger.
    pub index: u64,
}

/// The verified entries of one ledger up to one head.
#[derive(Debug)]
pub struct LedgerIndex {
    asked: Cell<u32>,
    head: TreeHead,
    loaded: OnceCell<HashMap<Oid, Vec<Indexed>>>,
    recent: HashMap<Oid, Vec<Indexed>>,
    state: State,
}

impl LedgerIndex {
    /// Brings the index of a ledger up to a head whose signature was verified; `keeps` says whether the files may be written.
    ///
    /// # Errors
    /// When the stored entries do not give the head, in words; never for want of a cache.
    pub fn open<S: TileSource>(dir: PathBuf, keeps: bool, source: &S, head: TreeHead) -> Result<Self, String> {
        let mut state = State::load(&dir);
        if state.seen.head() == head {
            return Ok(LedgerIndex::new(head, state));
        }
        let first = state.seen.size();
        if first > head.size {
            // The reading of the refs is older than the index, which another process brought further meanwhile.
            let found = scan(source, head, &Default::default()).map_err(|error| error.to_string())?;
            let state = State::aside(indexed(found.entries, 0), found.seen);
            return Ok(LedgerIndex::new(head, state));
        }
        let found = match scan(source, head, &state.seen) {
            Err(_) if first > 0 => {
                // It was kept of another history: everything is read.
                state = state.emptied();
                scan(source, head, &state.seen)
            }
            found => found,
        };
        let found = found.map_err(|error| error.to_string())?;
        let first = state.seen.size();
        let few = first > 0 && found.entries.len() < LEAST_KEPT;
        state.extend(indexed(found.entries, first), found.seen);
        if !few && keeps {
            // A cache that can't be written (a read-only repository, a full disk, another process at the same work) only costs time.
            state.store(&dir).ok();
        }
        Ok(LedgerIndex::new(head, state))
    }

    fn new(head: TreeHead, state: State) -> Self {
        let recent = by_object(state.recent.iter().cloned());
        LedgerIndex { asked: Cell::new(0), head, loaded: OnceCell::new(), recent, state }
    }

    /// The head up to which this index goes.
    pub fn head(&self) -> TreeHead {
        self.head
    }

    /// The entries that annotate an object, in order.
    ///
    /// # Errors
    /// When a file of the index is damaged; deleting it mends that.
    pub fn entries(&self, oid: &Oid) -> Result<Vec<Indexed>, StoreError> {
        let mut found = Vec::new();
        match self.in_memory()? {
            Some(loaded) => found.extend(loaded.get(oid).into_iter().flatten().cloned()),
            None => {
                for run in &self.state.runs {
                    found.extend(run.find(oid)?);
                }
            }
        }
        found.extend(self.recent.get(oid).into_iter().flatten().cloned());
        Ok(in_order(found))
    }

    /// Every entry that annotates an object, in order.
    ///
    /// # Errors
    /// When a file of the index is damaged.
    pub fn all(&self) -> Result<Vec<Indexed>, StoreError> {
        let mut found: Vec<Indexed> = self.state.recent.clone();
        for run in &self.state.runs {
            found.extend(run.all()?);
        }
        Ok(in_order(found))
    }

    /// The runs by object, once so much was asked that reading them whole is cheaper.
    fn in_memory(&self) -> Result<Option<&HashMap<Oid, Vec<Indexed>>>, StoreError> {
        self.asked.set(self.asked.get().saturating_add(1));
        if self.asked.get() > MANY_QUESTIONS && self.loaded.get().is_none() {
            let runs: Vec<Vec<Indexed>> = self.state.runs.iter().map(|run| run.all()).collect::<Result<_, _>>()?;
            self.loaded.get_or_init(|| by_object(runs.into_iter().flatten()));
        }
        Ok(self.loaded.get())
    }
}

fn by_object(entries: impl Iterator<Item = Indexed>) -> HashMap<Oid, Vec<Indexed>> {
    let mut found: HashMap<Oid, Vec<Indexed>> = HashMap::new();
    for one in entries {
        if let Some(oid) = one.entry.annotated {
            found.entry(oid).or_default().push(one);
        }
    }
    found
}

/// Those that annotate something: no question finds the others.
fn indexed(entries: Vec<Entry>, first: u64) -> Vec<Indexed> {
    let all = entries.into_iter().zip(first..).map(|(entry, index)| Indexed { entry, index });
    all.filter(|one| one.entry.annotated.is_some()).collect()
}

fn in_order(mut found: Vec<Indexed>) -> Vec<Indexed> {
    found.sort_by_key(|one| one.index);
    found
}

/// The error for a file that is not what was written.
fn damaged(path: &Path) -> StoreError {
    StoreError::Local {
        path: path.to_owned(),
        defect: "a damaged cache; delete its directory and run the command again".to_owned(),
    }
}
