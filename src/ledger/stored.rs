//! Reading a stored ledger: entries, and the nodes that proofs are made of.

use std::collections::HashMap;
use std::ops::Range;

use super::bundle;
use super::consistency::ConsistencyProof;
use super::entry::Entry;
use super::error::{Defect, LedgerError};
use super::hash::{self, Hash};
use super::inclusion::InclusionProof;
use super::tiles::{Content, TILE_WIDTH, Tile};
use super::tree::{SIZE_LIMIT, TreeHead, complete_root, split};

/// Where tiles are kept: a git tree, a bundle, a map.
///
/// Any `Fn(&str) -> Result<Option<Vec<u8>>, E>` is one.
pub trait TileSource {
    /// Why reading failed. That nothing is there is no error.
    type Error: std::error::Error + 'static;

    /// The bytes at `path`, which is relative to `ledger/`; `None` when nothing is there.
    ///
    /// # Errors
    /// When it cannot be told what is there.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Self::Error>;
}

impl<F, E> TileSource for F
where
    F: Fn(&str) -> Result<Option<Vec<u8>>, E>,
    E: std::error::Error + 'static,
{
    type Error = E;

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, E> {
        self(path)
    }
}

/// A ledger as stored when its head was `head`. Keeps the hashes it has read, so one value serves many proofs.
///
/// Nothing but [`Stored::verified_entry`] and [`Stored::check_root`] confirms what it reads.
#[derive(Debug)]
pub struct Stored<'s, S> {
    source: &'s S,
    head: TreeHead,
    hashes: HashMap<Tile, Vec<Hash>>,
    nodes: HashMap<(u8, u64), Hash>,
    last_bundle: Option<(u64, Vec<Vec<u8>>)>,
}

impl<'s, S: TileSource> Stored<'s, S> {
    /// A ledger whose checkpoint says `head`; reads nothing yet.
    ///
    /// # Errors
    /// [`Defect::TooLarge`] when no ledger can have that size.
    pub fn new(source: &'s S, head: TreeHead) -> Result<Self, Defect> {
        if head.size >= SIZE_LIMIT {
            return Err(Defect::TooLarge { size: head.size });
        }
        Ok(Stored { source, head, hashes: HashMap::new(), nodes: HashMap::new(), last_bundle: None })
    }

    /// The head it is read under.
    pub fn head(&self) -> TreeHead {
        self.head
    }

    /// The entry at `index`, as stored: nothing shows yet that the head commits to it.
    ///
    /// # Errors
    /// When there is no such entry, or its bundle cannot be read.
    pub fn entry(&mut self, index: u64) -> Result<Entry, LedgerError<S::Error>> {
        if index >= self.head.size {
            return Err(Defect::NoSuchEntry { index, size: self.head.size }.into());
        }
        let at = index / TILE_WIDTH;
        if self.last_bundle.as_ref().is_none_or(|(held, _)| *held != at) {
            self.last_bundle = Some((at, self.bundle(at)?));
        }
        let texts = self.last_bundle.as_ref().map_or(&[][..], |(_, texts)| &texts[..]);
        let text = &texts[(index % TILE_WIDTH) as usize];
        Ok(Entry::parse(text).map_err(|defect| Defect::Entry { index, defect })?)
    }

    /// The entries of a range, as stored, reading each bundle once.
    ///
    /// # Errors
    /// When the range ends past the ledger, or a bundle or an entry cannot be read.
    pub fn entries(&mut self, range: Range<u64>) -> Result<Vec<Entry>, LedgerError<S::Error>> {
        if range.end > self.head.size {
            return Err(Defect::NoSuchEntry { index: range.end - 1, size: self.head.size }.into());
        }
        range.map(|index| self.entry(index)).collect()
    }

    /// The entry at `index` with the proof that the head commits to it, already verified.
    ///
    /// # Errors
    /// [`Defect::EntryNotInTree`] when what is stored does not lead to the head's root; else as [`Stored::entry`].
    pub fn verified_entry(&mut self, index: u64) -> Result<(Entry, InclusionProof), LedgerError<S::Error>> {
        let entry = self.entry(index)?;
        let proof = self.prove_inclusion(index, self.head.size)?;
        proof.verify(&entry.leaf_hash(), &self.head).map_err(|_| Defect::EntryNotInTree { index, head: self.head })?;
        Ok((entry, proof))
    }

    /// Makes the proof that entry `index` is in the tree of the first `size` entries (RFC 9162, section 2.1.3.1).
    ///
    /// # Errors
    /// When `size` is more than is stored, `index` is not below it, or tiles cannot be read.
    pub fn prove_inclusion(&mut self, index: u64, size: u64) -> Result<InclusionProof, LedgerError<S::Error>> {
        self.holds(size)?;
        if index >= size {
            return Err(Defect::NoSuchEntry { index, size }.into());
        }
        let mut path = Vec::new();
        let mut within = 0..size;
        while within.end - within.start > 1 {
            let middle = within.start + split(within.end - within.start);
            let (sibling, inside) = if index < middle {
                (middle..within.end, within.start..middle)
            } else {
                (within.start..middle, middle..within.end)
            };
            path.push(self.range_root(sibling)?);
            within = inside;
        }
        path.reverse();
        Ok(InclusionProof { index, size, path })
    }

    /// Makes the proof that the tree of the first `older` entries begins that of the first `newer`
    /// (RFC 9162, section 2.1.4.1).
    ///
    /// # Errors
    /// When the sizes are not in order or more than is stored, or tiles cannot be read.
    pub fn prove_consistency(&mut self, older: u64, newer: u64) -> Result<ConsistencyProof, LedgerError<S::Error>> {
        self.holds(newer)?;
        if older > newer {
            return Err(Defect::NoSuchSize { asked: older, size: newer }.into());
        }
        let mut path = Vec::new();
        let mut within = 0..newer;
        while older > 0 && older != within.end {
            let middle = within.start + split(within.end - within.start);
            let (sibling, inside) = if older <= middle {
                (middle..within.end, within.start..middle)
            } else {
                (within.start..middle, middle..within.end)
            };
            path.push(self.range_root(sibling)?);
            within = inside;
        }
        // A verifier has this node already when it is the whole older tree.
        if older > 0 && within.start > 0 {
            path.push(self.range_root(within)?);
        }
        path.reverse();
        Ok(ConsistencyProof { older: TreeHead { size: older, root: self.root_at(older)? }, size: newer, path })
    }

    /// The root of the tree of the first `size` entries, as the stored hashes give it.
    ///
    /// # Errors
    /// When `size` is more than is stored, or tiles cannot be read.
    pub fn root_at(&mut self, size: u64) -> Result<Hash, LedgerError<S::Error>> {
        self.holds(size)?;
        if size == 0 { Ok(hash::empty()) } else { self.range_root(0..size) }
    }

    /// Confirms that the stored hashes give the root of the head.
    ///
    /// # Errors
    /// [`Defect::Root`] when they give another one.
    pub fn check_root(&mut self) -> Result<(), LedgerError<S::Error>> {
        let found = self.root_at(self.head.size)?;
        if found == self.head.root { Ok(()) } else { Err(Defect::Root { head: self.head, found }.into()) }
    }

    /// The texts of a whole bundle.
    pub(super) fn bundle(&self, index: u64) -> Result<Vec<Vec<u8>>, LedgerError<S::Error>> {
        let (tile, bytes) = self.read(Content::Entries, index)?;
        let texts = bundle::split(&bytes, usize::from(tile.width))
            .map_err(|defect| Defect::Bundle { path: tile.path(), defect })?;
        Ok(texts.into_iter().map(<[u8]>::to_vec).collect())
    }

    /// The hashes of a tile; none where such a ledger has no tile.
    pub(super) fn tile(&mut self, level: u8, index: u64) -> Result<&[Hash], LedgerError<S::Error>> {
        let Some(tile) = Tile::of(Content::Hashes(level), index, self.head.size) else {
            return Ok(&[]);
        };
        if !self.hashes.contains_key(&tile) {
            let (_, bytes) = self.read(tile.content, index)?;
            let (hashes, rest) = bytes.as_chunks::<32>();
            if hashes.len() != usize::from(tile.width) || !rest.is_empty() {
                let expected = usize::from(tile.width) * 32;
                return Err(Defect::Length { path: tile.path(), expected, found: bytes.len() }.into());
            }
            self.hashes.insert(tile, hashes.to_vec());
        }
        Ok(&self.hashes[&tile])
    }

    fn read(&self, content: Content, index: u64) -> Result<(Tile, Vec<u8>), LedgerError<S::Error>> {
        let size = self.head.size;
        let tile = Tile::of(content, index, size).ok_or(Defect::NoSuchEntry { index: index * TILE_WIDTH, size })?;
        let path = tile.path();
        match self.source.read(&path) {
            Ok(Some(bytes)) => Ok((tile, bytes)),
            Ok(None) => Err(Defect::Missing { path }.into()),
            Err(source) => Err(LedgerError::Read { path, source }),
        }
    }

    fn holds(&self, size: u64) -> Result<(), Defect> {
        if size > self.head.size { Err(Defect::NoSuchSize { asked: size, size: self.head.size }) } else { Ok(()) }
    }

    /// The Merkle tree hash over the leaves of a range that RFC 9162's splitting can produce.
    fn range_root(&mut self, range: Range<u64>) -> Result<Hash, LedgerError<S::Error>> {
        let length = range.end - range.start;
        if length.is_power_of_two() {
            return self.node(length.ilog2() as u8, range.start / length);
        }
        let middle = range.start + split(length);
        let left = self.range_root(range.start..middle)?;
        let right = self.range_root(middle..range.end)?;
        Ok(hash::node(&left, &right))
    }

    /// The root of the `index`-th complete subtree of 2^`height` leaves.
    fn node(&mut self, height: u8, index: u64) -> Result<Hash, LedgerError<S::Error>> {
        if let Some(known) = self.nodes.get(&(height, index)) {
            return Ok(*known);
        }
        // Tiles store every eighth height; what lies between is hashed together.
        let span = 1 << (height % 8);
        let first = index * span;
        let start = (first % TILE_WIDTH) as usize;
        let hashes = self.tile(height / 8, first / TILE_WIDTH)?;
        let root = complete_root(&hashes[start..start + span as usize]);
        self.nodes.insert((height, index), root);
        Ok(root)
    }
}
