//! Reading on from where a reader stopped, believing nothing that the new head does not commit to.

use serde::{Deserialize, Serialize};

use super::append::Edge;
use super::entry::Entry;
use super::error::{Defect, LedgerError};
use super::stored::{Stored, TileSource};
use super::tiles::TILE_WIDTH;
use super::tree::{Frontier, TreeHead};
use crate::model::time::Timestamp;

/// What a reader has verified of one ledger so far: enough to go on without reading it again.
///
/// The default has seen nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    frontier: Frontier,
    last: Option<Timestamp>,
}

impl Seen {
    /// What was seen by a reader who kept nothing but a `head` up to which everything *had* been verified, as a server
    /// has with the old value of a ref: taken from the right edge of the tiles, O(log n) reads.
    ///
    /// # Errors
    /// When the tiles do not give the root of `head`, the last entry is not the one it commits to, or reading fails.
    pub fn up_to<S: TileSource>(source: &S, head: TreeHead) -> Result<Self, LedgerError<S::Error>> {
        let edge = Edge::read(source, head)?;
        Ok(Seen { frontier: edge.frontier(), last: (head.size > 0).then_some(edge.last) })
    }

    /// The head up to which everything was verified.
    pub fn head(&self) -> TreeHead {
        self.frontier.head()
    }

    /// How many entries were verified.
    pub fn size(&self) -> u64 {
        self.frontier.size()
    }

    /// The time of the last of them.
    pub fn last(&self) -> Option<Timestamp> {
        self.last
    }
}

/// What [`scan`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// The entries after the ones seen before; the first has the index [`Seen::size`] of what was passed in.
    pub entries: Vec<Entry>,
    /// What to pass in next time.
    pub seen: Seen,
}

/// Reads the entries from what was `seen` up to `head` and confirms that they, after the ones seen, give exactly the
/// root of `head`. Only then are they returned; hash tiles are not read at all.
///
/// Of what was verified before, nothing is read again but the beginning of the bundle in which it ends, and that is
/// not looked at.
///
/// # Errors
/// [`Defect::RolledBack`] when `head` is shorter than what was seen, [`Defect::NotExtended`] when the entries lead
/// elsewhere, or [`Defect::Root`] when nothing had been seen; [`Defect::TimeWentBack`], and whatever reading meets.
pub fn scan<S: TileSource>(source: &S, head: TreeHead, seen: &Seen) -> Result<Scan, LedgerError<S::Error>> {
    if head.size < seen.size() {
        return Err(Defect::RolledBack { seen: seen.head(), head }.into());
    }
    let stored = Stored::new(source, head)?;
    let mut entries = Vec::new();
    let mut after = seen.clone();
    let mut next = seen.size();
    while next < head.size {
        let texts = stored.bundle(next / TILE_WIDTH)?;
        for text in texts.iter().skip((next % TILE_WIDTH) as usize) {
            let entry = Entry::parse(text).map_err(|defect| Defect::Entry { index: next, defect })?;
            if let Some(before) = after.last.filter(|before| entry.at < *before) {
                return Err(Defect::TimeWentBack { index: next, before, at: entry.at }.into());
            }
            after.frontier.push(text);
            after.last = Some(entry.at);
            entries.push(entry);
            next += 1;
        }
    }
    let found = after.head();
    if found != head {
        return Err(match seen.size() {
            0 => Defect::Root { head, found: found.root },
            _ => Defect::NotExtended { seen: seen.head(), head },
        }
        .into());
    }
    Ok(Scan { entries, seen: after })
}
