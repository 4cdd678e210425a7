//! Roots and right edges of RFC 9162 trees.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::hash::{self, Hash};
use crate::model::digest::Digest;

/// Sizes stay below this (2^53), so that every reader of JSON can hold them exactly.
pub const SIZE_LIMIT: u64 = 1 << 53;

/// What a tree of `size` leaves amounts to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeHead {
    /// How many leaves.
    pub size: u64,
    /// The Merkle tree hash over them; for no leaves, SHA-256 of the empty string.
    #[serde(with = "hash::one")]
    pub root: Hash,
}

impl TreeHead {
    /// The head of a ledger that holds nothing yet.
    pub fn empty() -> Self {
        TreeHead { size: 0, root: hash::empty() }
    }
}

impl fmt::Display for TreeHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with root {}", crate::model::count::of(self.size, "entry", "entries"), Digest(self.root))
    }
}

impl fmt::Debug for TreeHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The Merkle tree hash of `leaves` in order (RFC 9162, section 2.1.1); also what a `diet_root` is made with.
pub fn root_of<L: AsRef<[u8]>>(leaves: impl IntoIterator<Item = L>) -> Hash {
    let mut frontier = Frontier::default();
    for leaf in leaves {
        frontier.push(leaf.as_ref());
    }
    frontier.root()
}

/// The right edge of a tree: the roots of its complete subtrees, largest first, one for each set bit of its size.
///
/// Enough to add leaves and to compute the root without the leaves that are there already: at most 53 hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Frontier {
    size: u64,
    edge: Vec<Hash>,
}

impl Frontier {
    /// From a size and its complete subtrees, largest first.
    ///
    /// # Errors
    /// When there is not exactly one hash for each set bit of `size`, or `size` is 2^53 or more.
    pub fn from_parts(size: u64, edge: Vec<Hash>) -> Result<Self, NotAFrontier> {
        if size >= SIZE_LIMIT || edge.len() != size.count_ones() as usize {
            return Err(NotAFrontier { size, hashes: edge.len() });
        }
        Ok(Frontier { size, edge })
    }

    /// How many leaves the tree has.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The complete subtrees, largest first.
    pub fn edge(&self) -> &[Hash] {
        &self.edge
    }

    /// Adds a leaf holding `data`.
    pub fn push(&mut self, data: &[u8]) {
        self.push_leaf_hash(hash::leaf(data));
    }

    /// Adds a leaf by its hash.
    pub fn push_leaf_hash(&mut self, leaf: Hash) {
        let mut root = leaf;
        // Each trailing one bit of the size is a complete subtree that the new one joins with to make a larger one.
        for _ in 0..self.size.trailing_ones() {
            let left = self.edge.pop().expect("the edge has one subtree for each set bit of the size");
            root = hash::node(&left, &root);
        }
        self.edge.push(root);
        self.size += 1;
    }

    /// The Merkle tree hash over all leaves.
    pub fn root(&self) -> Hash {
        self.edge.iter().rev().copied().reduce(|right, left| hash::node(&left, &right)).unwrap_or_else(hash::empty)
    }

    /// Size and root.
    pub fn head(&self) -> TreeHead {
        TreeHead { size: self.size, root: self.root() }
    }
}

/// A size and a number of subtrees that do not belong together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a tree of {size} leaves (below 2^53) has {} complete subtrees, not {hashes}", size.count_ones())]
pub struct NotAFrontier {
    /// The size that was given.
    pub size: u64,
    /// How many hashes came with it.
    pub hashes: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    size: u64,
    #[serde(with = "hash::list")]
    edge: Vec<Hash>,
}

impl TryFrom<Parts> for Frontier {
    type Error = NotAFrontier;

    fn try_from(parts: Parts) -> Result<Self, NotAFrontier> {
        Frontier::from_parts(parts.size, parts.edge)
    }
}

impl From<Frontier> for Parts {
    fn from(frontier: Frontier) -> Self {
        Parts { size: frontier.size, edge: frontier.edge }
    }
}

/// The root of a complete subtree from its leaf-side hashes; their number is a power of two.
pub(super) fn complete_root(hashes: &[Hash]) -> Hash {
    debug_assert!(hashes.len().is_power_of_two());
    match hashes {
        [only] => *only,
        _ => {
            let (left, right) = hashes.split_at(hashes.len() / 2);
            hash::node(&complete_root(left), &complete_root(right))
        }
    }
}

/// Where RFC 9162 splits `n > 1` leaves: the largest power of two smaller than `n`.
pub(super) fn split(n: u64) -> u64 {
    1 << (n - 1).ilog2()
}
