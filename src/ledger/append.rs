//! Adding entries: reads the right edge, returns the tiles to write and the ones they take the place of.

use super::bundle;
use super::entry::Entry;
use super::error::{Defect, LedgerError};
use super::hash::{self, Hash};
use super::stored::{Stored, TileSource};
use super::tiles::{Content, TILE_WIDTH, Tile};
use super::tree::{Frontier, SIZE_LIMIT, TreeHead, complete_root};
use crate::model::time::Timestamp;

/// What appending comes to. Nothing is stored until the caller writes it, in one commit with the new checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The new head, to be signed.
    pub head: TreeHead,
    /// The entries as recorded; their times may be later than the ones given.
    pub entries: Vec<Entry>,
    /// Paths relative to `ledger/` with their whole new content.
    pub writes: Vec<(String, Vec<u8>)>,
    /// Partial tiles that wider ones take the place of. C2SP lets a log drop them once the full tile is there; here a
    /// reader takes tiles and checkpoint from one git tree, so the narrower ones have no reader at all.
    pub removes: Vec<String>,
}

/// Adds entries to the ledger stored under `head`: O(log n) tiles are read, whatever the ledger's size.
///
/// Times never decrease: an entry is recorded at its own time or that of the entry in front, whichever is later, and
/// never before 1970.
///
/// # Errors
/// When the right edge cannot be read or does not give the root of `head`, when the last entries are not those the
/// tree commits to (they are about to be written again, and a new checkpoint would vouch for them), or when a given
/// entry may not stand in a ledger.
pub fn append<S: TileSource>(source: &S, head: TreeHead, entries: &[Entry]) -> Result<Appended, LedgerError<S::Error>> {
    if head.size.checked_add(entries.len() as u64).is_none_or(|size| size >= SIZE_LIMIT) {
        return Err(Defect::TooLarge { size: head.size }.into());
    }
    let mut edge = Edge::read(source, head)?;
    let mut recorded = Vec::with_capacity(entries.len());
    for entry in entries {
        let entry = Entry { at: entry.at.max(edge.last), ..entry.clone() };
        entry.check().map_err(|defect| Defect::Entry { index: edge.size, defect })?;
        edge.push(&entry);
        recorded.push(entry);
    }
    Ok(edge.finish(head, recorded))
}

/// The partial tiles at the right, growing.
pub(super) struct Edge {
    size: u64,
    /// The time of the last entry; 1970 in an empty ledger.
    pub(super) last: Timestamp,
    /// By level, the hashes after the last full tile; never 256 between two pushes.
    levels: Vec<Vec<Hash>>,
    bundle: Vec<u8>,
    writes: Vec<(String, Vec<u8>)>,
}

impl Edge {
    /// Reads what is at the right of a ledger and confirms that it belongs to `head`.
    pub(super) fn read<S: TileSource>(source: &S, head: TreeHead) -> Result<Self, LedgerError<S::Error>> {
        let mut stored = Stored::new(source, head)?;
        let mut levels = Vec::new();
        for level in 0..=u8::MAX {
            let count = head.size.checked_shr(8 * u32::from(level)).unwrap_or(0);
            if count == 0 {
                break;
            }
            let partial = !count.is_multiple_of(TILE_WIDTH);
            levels.push(if partial { stored.tile(level, count / TILE_WIDTH)?.to_vec() } else { Vec::new() });
        }
        let mut edge = Edge { size: head.size, last: Timestamp(0), levels, bundle: Vec::new(), writes: Vec::new() };
        let found = edge.frontier().root();
        if found != head.root {
            return Err(Defect::Root { head, found }.into());
        }
        edge.last = edge.read_last_entries(&mut stored)?;
        Ok(edge)
    }

    /// Takes up the partial bundle; returns the time of the last entry, which the root vouches for by now.
    fn read_last_entries<S: TileSource>(
        &mut self,
        stored: &mut Stored<'_, S>,
    ) -> Result<Timestamp, LedgerError<S::Error>> {
        let Some(last) = self.size.checked_sub(1) else {
            return Ok(Timestamp(0));
        };
        if self.size.is_multiple_of(TILE_WIDTH) {
            return Ok(stored.verified_entry(last)?.0.at);
        }
        let first = last - last % TILE_WIDTH;
        let mut at = Timestamp(0);
        for ((text, hash), index) in stored.bundle(first / TILE_WIDTH)?.iter().zip(&self.levels[0]).zip(first..) {
            // An entry has one spelling: what reads as one is what it would be written as.
            let entry = Entry::parse(text).map_err(|defect| Defect::Entry { index, defect })?;
            if hash::leaf(text) != *hash {
                return Err(Defect::EntryNotInTree { index, head: stored.head() }.into());
            }
            bundle::add(&mut self.bundle, text);
            at = entry.at;
        }
        Ok(at)
    }

    fn push(&mut self, entry: &Entry) {
        self.last = entry.at;
        bundle::add(&mut self.bundle, entry.to_string());
        self.size += 1;
        if self.size.is_multiple_of(TILE_WIDTH) {
            let full = std::mem::take(&mut self.bundle);
            self.write_last(Content::Entries, full);
        }
        let mut hash = entry.leaf_hash();
        for level in 0..=u8::MAX {
            let at = usize::from(level);
            if self.levels.len() == at {
                self.levels.push(Vec::new());
            }
            self.levels[at].push(hash);
            if (self.levels[at].len() as u64) < TILE_WIDTH {
                break;
            }
            // A full tile is one hash of the level above, and a new one begins beside it.
            let full = std::mem::take(&mut self.levels[at]);
            hash = complete_root(&full);
            self.write_last(Content::Hashes(level), full.concat());
        }
    }

    fn finish(mut self, old: TreeHead, entries: Vec<Entry>) -> Appended {
        let head = self.frontier().head();
        let mut removes = Vec::new();
        let mut contents = vec![Content::Entries];
        contents.extend((0..self.levels.len()).map(|level| Content::Hashes(level as u8)));
        for content in contents {
            let (before, after) = (last_tile(content, old.size), last_tile(content, self.size));
            if before == after {
                continue;
            }
            removes.extend(before.filter(Tile::is_partial).map(|tile| tile.path()));
            if after.is_some_and(|tile| tile.is_partial()) {
                let bytes = match content {
                    Content::Entries => std::mem::take(&mut self.bundle),
                    Content::Hashes(level) => self.levels[usize::from(level)].concat(),
                };
                self.write_last(content, bytes);
            }
        }
        Appended { head, entries, writes: self.writes, removes }
    }

    /// Notes down the rightmost tile of the present size.
    fn write_last(&mut self, content: Content, bytes: Vec<u8>) {
        self.writes.extend(last_tile(content, self.size).map(|tile| (tile.path(), bytes)));
    }

    /// The same as complete subtrees.
    pub(super) fn frontier(&self) -> Frontier {
        let mut edge = Vec::new();
        for hashes in self.levels.iter().rev() {
            let mut rest = &hashes[..];
            while let Some(width) = rest.len().checked_ilog2() {
                let (subtree, after) = rest.split_at(1 << width);
                edge.push(complete_root(subtree));
                rest = after;
            }
        }
        Frontier::from_parts(self.size, edge).expect("the widths of the partial tiles are the size in base 256")
    }
}

/// The rightmost tile of a level, partial or full.
fn last_tile(content: Content, size: u64) -> Option<Tile> {
    let count = match content {
        Content::Entries => size,
        Content::Hashes(level) => size.checked_shr(8 * u32::from(level)).unwrap_or(0),
    };
    Tile::of(content, count.checked_sub(1)? / TILE_WIDTH, size)
}
