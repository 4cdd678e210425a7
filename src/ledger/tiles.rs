//! Where the tiles of a ledger lie: C2SP tlog-tiles paths, relative to the `ledger/` directory.

use std::fmt;
use std::str::FromStr;

use super::tree::SIZE_LIMIT;

/// How many hashes or entries a full tile holds.
pub const TILE_WIDTH: u64 = 256;

/// Where the signed checkpoint lies, beside the tiles.
pub const CHECKPOINT_PATH: &str = "checkpoint";

/// The highest level a tree below 2^53 leaves can have.
const MAX_LEVEL: u8 = 6;

/// What a tile holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Content {
    /// The entries themselves, each behind its length.
    Entries,
    /// Tree hashes; level 0 holds leaf hashes, each higher one the roots of full tiles of the level below.
    Hashes(u8),
}

/// One tile: `tile/<L>/<N>[.p/<W>]` or `tile/entries/<N>[.p/<W>]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile {
    /// What it holds.
    pub content: Content,
    /// Its place within the level, from 0.
    pub index: u64,
    /// How many hashes or entries it holds, 1 to 256; below 256 it is partial.
    pub width: u16,
}

impl Tile {
    /// The tile at `index` of a ledger of `size` entries; `None` when such a ledger has none there.
    pub fn of(content: Content, index: u64, size: u64) -> Option<Self> {
        let first = index.checked_mul(TILE_WIDTH)?;
        let width = count(content, size).checked_sub(first)?.min(TILE_WIDTH);
        (width > 0).then_some(Tile { content, index, width: width as u16 })
    }

    /// Every tile a ledger of `size` entries consists of, and no other: what an audit expects to find.
    pub fn all(size: u64) -> impl Iterator<Item = Tile> {
        std::iter::once(Content::Entries)
            .chain((0..=MAX_LEVEL).map(Content::Hashes))
            .flat_map(move |content| (0..).map_while(move |index| Tile::of(content, index, size)))
    }

    /// Whether more may still be added to it.
    pub fn is_partial(&self) -> bool {
        u64::from(self.width) < TILE_WIDTH
    }

    /// The path, relative to `ledger/`.
    pub fn path(&self) -> String {
        self.to_string()
    }
}

/// How many hashes or entries the level holds in a tree of `size` leaves: subtrees that are full, and those only.
fn count(content: Content, size: u64) -> u64 {
    match content {
        Content::Entries => size,
        Content::Hashes(level) => size.checked_shr(8 * u32::from(level)).unwrap_or(0),
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.content {
            Content::Entries => f.write_str("tile/entries/")?,
            Content::Hashes(level) => write!(f, "tile/{level}/")?,
        }
        // Three digits to a directory, so that no directory grows past a thousand names.
        let mut thousands = 1;
        while self.index / thousands >= 1000 {
            thousands *= 1000;
        }
        while thousands > 1 {
            write!(f, "x{:03}/", self.index / thousands % 1000)?;
            thousands /= 1000;
        }
        write!(f, "{:03}", self.index % 1000)?;
        if self.is_partial() {
            write!(f, ".p/{}", self.width)?;
        }
        Ok(())
    }
}

/// A path that names no tile of any ledger; holds the path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no tile path")]
pub struct NotATile(pub String);

impl FromStr for Tile {
    type Err = NotATile;

    fn from_str(path: &str) -> Result<Self, NotATile> {
        read(path).filter(|tile| tile.path() == path).ok_or_else(|| NotATile(path.to_owned()))
    }
}

/// Reads generously; the caller compares with the one spelling.
fn read(path: &str) -> Option<Tile> {
    let (content, rest) = path.strip_prefix("tile/")?.split_once('/')?;
    let content = match content {
        "entries" => Content::Entries,
        level => Content::Hashes(level.parse().ok().filter(|level| *level <= MAX_LEVEL)?),
    };
    let (index, width) = match rest.split_once(".p/") {
        Some((index, width)) => (index, width.parse().ok().filter(|width| (1..256).contains(width))?),
        None => (rest, TILE_WIDTH as u16),
    };
    let mut number: u64 = 0;
    for part in index.split('/') {
        let digits = part.strip_prefix('x').unwrap_or(part);
        let value = digits.parse::<u64>().ok().filter(|value| *value < 1000)?;
        number = number.checked_mul(1000)?.checked_add(value).filter(|number| *number < SIZE_LIMIT)?;
    }
    Some(Tile { content, index: number, width })
}
