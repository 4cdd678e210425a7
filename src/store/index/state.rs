//! What is kept of an index between processes: which runs there are, the newest entries, and how far all of them go.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Indexed;
use super::record::{WIDTH, decode, encode};
use super::run::{self, Run};
use crate::codec::{canonical, strict};
use crate::ledger::Seen;
use crate::model::digest::Digest;
use crate::store::local::replace;

/// Newest entries that stand beside the runs; more become a run.
const MOST_RECENT: usize = 64;
/// A run is merged with what is newer once that is at least this part of it, so that each entry is written again only when the ledger
/// has grown by such a part.
const GROWTH: u64 = 16;
const STATE: &str = "state";
const LOCK: &str = "lock";

/// Everything that is kept.
#[derive(Debug, Default)]
pub struct State {
    /// How far it goes.
    pub seen: Seen,
    /// Entries that no run holds.
    pub recent: Vec<Indexed>,
    /// Oldest first; each much larger than the next.
    pub runs: Vec<Run>,
    names: Vec<Name>,
    /// The bytes that were there when it was read.
    read: Option<Vec<u8>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    recent: u64,
    root: Digest,
    runs: Vec<Name>,
    seen: Seen,
}

/// The name of a run: `run-<first index>-<index after the last>-<the root then>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Name {
    entries: u64,
    first: u64,
    next: u64,
    root: Digest,
}

impl State {
    /// What a directory holds; nothing seen where that can't be used.
    pub fn load(dir: &Path) -> Self {
        let mut read = None;
        // Another process may merge runs between two readings; what it leaves is whole again.
        for _ in 0..3 {
            let bytes = fs::read(dir.join(STATE)).ok();
            if let Some(state) = bytes.as_ref().and_then(|bytes| State::parse(dir, bytes)) {
                return State { read: bytes, ..state };
            }
            read = bytes;
        }
        State { read, ..State::default() }
    }

    /// What was read and is not to be kept.
    pub fn aside(recent: Vec<Indexed>, seen: Seen) -> Self {
        State { recent, seen, ..State::default() }
    }

    /// The same with nothing seen: what is kept next takes the place of all there was.
    pub fn emptied(self) -> Self {
        State { read: self.read, ..State::default() }
    }

    fn parse(dir: &Path, bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let header: Header = strict::read(&bytes[..end]).ok()?;
        let records = &bytes[end + 1..];
        let whole = header.root == Digest(header.seen.head().root)
            && header.recent.checked_mul(WIDTH as u64) == Some(records.len() as u64);
        if !whole {
            return None;
        }
        let recent = records.chunks_exact(WIDTH).zip(0..).map(|(record, place)| decode(place, record));
        let recent: Vec<Indexed> = recent.collect::<Option<_>>()?;
        let runs =
            header.runs.iter().map(|name| Run::open(name.path(dir), name.entries).ok()).collect::<Option<_>>()?;
        Some(State { seen: header.seen, recent, runs, names: header.runs, read: None })
    }

    /// Adds what was read and verified after it.
    pub fn extend(&mut self, entries: Vec<Indexed>, seen: Seen) {
        self.recent.extend(entries);
        self.seen = seen;
    }

    /// Keeps it. Whether that could be done changes nothing about what it says.
    ///
    /// # Errors
    /// When a file can't be written, or another process changed them meanwhile.
    pub fn store(&mut self, dir: &Path) -> io::Result<()> {
        fs::create_dir_all(dir)?;
        let lock = File::create(dir.join(LOCK))?;
        lock.try_lock().map_err(|_| io::ErrorKind::WouldBlock)?;
        // What this value knows of the runs holds only as long as nobody changed them.
        if fs::read(dir.join(STATE)).ok() != self.read {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let flushed = self.recent.len() > MOST_RECENT && self.flush(dir).is_ok();
        let root = Digest(self.seen.head().root);
        let header =
            Header { recent: self.recent.len() as u64, root, runs: self.names.clone(), seen: self.seen.clone() };
        let mut bytes = canonical::to_vec(&header);
        bytes.push(b'\n');
        bytes.extend(self.recent.iter().zip(0..).filter_map(|(one, place)| encode(place, one)).flatten());
        replace(&dir.join(STATE), &bytes).map_err(io::Error::other)?;
        self.read = Some(bytes);
        if flushed {
            self.tidy(dir);
        }
        Ok(())
    }

    /// Makes a run of the newest entries and of every run that has not outgrown them.
    fn flush(&mut self, dir: &Path) -> io::Result<()> {
        let mut keep = self.runs.len();
        let mut entries = self.recent.clone();
        while keep > 0 && self.runs[keep - 1].count() <= GROWTH * entries.len() as u64 {
            keep -= 1;
            entries.extend(self.runs[keep].all().map_err(io::Error::other)?);
        }
        let name = Name {
            entries: entries.len() as u64,
            first: if keep == 0 { 0 } else { self.names[keep - 1].next },
            next: self.seen.size(),
            root: Digest(self.seen.head().root),
        };
        let path = name.path(dir);
        replace(&path, &run::bytes(entries)).map_err(io::Error::other)?;
        let run = Run::open(path, name.entries)?;
        self.runs.truncate(keep);
        self.names.truncate(keep);
        self.runs.push(run);
        self.names.push(name);
        self.recent.clear();
        Ok(())
    }

    /// Removes what no state names any more. Who still has one of them open reads on.
    fn tidy(&self, dir: &Path) {
        let mut named: BTreeSet<PathBuf> = self.names.iter().map(|name| name.path(dir)).collect();
        named.extend([dir.join(STATE), dir.join(LOCK)]);
        for file in fs::read_dir(dir).into_iter().flatten().flatten() {
            if !named.contains(&file.path()) {
                fs::remove_file(file.path()).ok();
            }
        }
    }
}

impl Name {
    fn path(&self, dir: &Path) -> PathBuf {
        let root = crate::model::hex::encode(&self.root.0[..8]);
        dir.join(format!("run-{}-{}-{root}", self.first, self.next))
    }
}
