//! INDEX: which ledger entries annotate which object, so that asking for one commit does not cost a walk through the ledger.
//!
//! Entries are verified against the signed checkpoint once, when they are first seen, and then kept in local files by the first
//! byte of the annotated id. The files are as trustworthy as the repository's own configuration, and safe to delete.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::local::replace;
use crate::codec::{canonical, strict};
use crate::ledger::{Entry, Seen, TileSource, TreeHead, scan};
use crate::model::digest::Digest;
use crate::model::id::Oid;

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
    dir: PathBuf,
    head: TreeHead,
    /// Entries that are not in the files, because these could not be written.
    pending: Vec<Indexed>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Progress {
    root: Digest,
    seen: Seen,
}

impl LedgerIndex {
    /// Brings the index of a ledger up to a head whose signature was verified.
    ///
    /// # Errors
    /// When the stored entries do not give the head, in words; never for want of a cache.
    pub fn open<S: TileSource>(dir: PathBuf, source: &S, head: TreeHead) -> Result<Self, String> {
        if let Some(progress) = read_progress(&dir)
            && progress.seen.size() <= head.size
        {
            if progress.seen.head() == head {
                return Ok(LedgerIndex { dir, head, pending: Vec::new() });
            }
            if let Ok(found) = scan(source, head, &progress.seen) {
                return Ok(LedgerIndex::keep(dir, head, progress.seen.size(), found.entries, &found.seen));
            }
        }
        // Nothing usable was kept, or it was kept of another history: read everything.
        let found = scan(source, head, &Seen::default()).map_err(|error| error.to_string())?;
        fs::remove_dir_all(&dir).ok();
        Ok(LedgerIndex::keep(dir, head, 0, found.entries, &found.seen))
    }

    fn keep(dir: PathBuf, head: TreeHead, first: u64, entries: Vec<Entry>, seen: &Seen) -> Self {
        let new: Vec<Indexed> =
            entries.into_iter().zip(first..).map(|(entry, index)| Indexed { entry, index }).collect();
        let kept = store(&dir, &new, seen).is_ok();
        // A cache that can't be written (a read-only repository, a full disk) only costs time.
        let pending = if kept { Vec::new() } else { new };
        LedgerIndex { dir, head, pending }
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
        let path = bucket(&self.dir, oid);
        let mut found = match fs::read_to_string(&path) {
            Ok(text) => parse(&path, &text, |entry| entry.annotated == Some(*oid))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(StoreError::File { path, source }),
        };
        found.extend(self.pending.iter().filter(|one| one.entry.annotated == Some(*oid)).cloned());
        found.retain(|one| one.index < self.head.size);
        found.sort_by_key(|one| one.index);
        found.dedup_by_key(|one| one.index);
        Ok(found)
    }

    /// Every annotated object, each once, in order of its first entry.
    ///
    /// # Errors
    /// When a file of the index is damaged.
    pub fn all(&self) -> Result<Vec<Indexed>, StoreError> {
        let mut found = self.pending.clone();
        for name in 0..=u8::MAX {
            let path = self.dir.join(format!("{name:02x}"));
            if let Ok(text) = fs::read_to_string(&path) {
                found.extend(parse(&path, &text, |_| true)?);
            }
        }
        found.retain(|one| one.index < self.head.size);
        found.sort_by_key(|one| one.index);
        found.dedup_by_key(|one| one.index);
        Ok(found)
    }
}

fn bucket(dir: &Path, oid: &Oid) -> PathBuf {
    dir.join(format!("{:02x}", oid.as_bytes()[0]))
}

fn parse(path: &Path, text: &str, wanted: impl Fn(&Entry) -> bool) -> Result<Vec<Indexed>, StoreError> {
    let damaged = || StoreError::Local {
        path: path.to_owned(),
        defect: "a damaged cache; delete its directory and run the command again".to_owned(),
    };
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let (index, entry) = line.split_once(' ').ok_or_else(damaged)?;
        let index = index.parse().map_err(|_| damaged())?;
        let entry = Entry::parse(entry.as_bytes()).map_err(|_| damaged())?;
        if wanted(&entry) {
            found.push(Indexed { entry, index });
        }
    }
    Ok(found)
}

fn read_progress(dir: &Path) -> Option<Progress> {
    let progress: Progress = strict::read(&fs::read(dir.join("progress")).ok()?).ok()?;
    (progress.root == Digest(progress.seen.head().root)).then_some(progress)
}

/// Adds entries to their files, and only then says how far they go: what a killed process leaves behind is written again.
fn store(dir: &Path, entries: &[Indexed], seen: &Seen) -> Result<(), StoreError> {
    let failed = |source| StoreError::File { path: dir.to_owned(), source };
    fs::create_dir_all(dir).map_err(failed)?;
    let lock = File::create(dir.join("lock")).map_err(failed)?;
    // Another process is at the same work; its result will do as well as ours.
    lock.try_lock().map_err(|_| failed(std::io::ErrorKind::WouldBlock.into()))?;
    let mut by_bucket: std::collections::BTreeMap<PathBuf, String> = std::collections::BTreeMap::new();
    for one in entries {
        if let Some(oid) = one.entry.annotated {
            by_bucket.entry(bucket(dir, &oid)).or_default().push_str(&format!("{} {}", one.index, one.entry));
        }
    }
    for (path, text) in by_bucket {
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
    }
    let progress = Progress { root: Digest(seen.head().root), seen: seen.clone() };
    replace(&dir.join("progress"), &canonical::to_vec(&progress))
}
