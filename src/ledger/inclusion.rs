//! That an entry is in a tree: RFC 9162, section 2.1.3. Proofs are made by [`super::Stored::prove_inclusion`].

use serde::{Deserialize, Serialize};

use super::hash::{self, Hash};
use super::tree::TreeHead;
use crate::model::digest::Digest;

/// The siblings on the way from one leaf to the root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InclusionProof {
    /// Which leaf, from 0.
    pub index: u64,
    /// The size of the tree it is in.
    pub size: u64,
    /// The siblings, the leaf's own first.
    #[serde(with = "hash::list")]
    pub path: Vec<Hash>,
}

impl InclusionProof {
    /// Confirms that the leaf is at the proof's index in exactly the tree of `head`.
    ///
    /// # Errors
    /// When sizes, index or the number of siblings do not fit, or the root comes out otherwise.
    pub fn verify(&self, leaf: &Hash, head: &TreeHead) -> Result<(), InclusionError> {
        if self.size != head.size {
            return Err(InclusionError::Size { head: head.size, proof: self.size });
        }
        if self.index >= self.size {
            return Err(InclusionError::Index { index: self.index, size: self.size });
        }
        let (inner, border) = path_lengths(self.index, self.size);
        if self.path.len() != inner + border {
            return Err(InclusionError::Length { expected: inner + border, found: self.path.len() });
        }
        let (inner_path, border_path) = self.path.split_at(inner);
        let root = climb_border(climb(*leaf, inner_path, self.index), border_path);
        if root == head.root { Ok(()) } else { Err(InclusionError::Root { head: *head, found: root }) }
    }
}

/// Why a proof does not show that an entry is in a tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InclusionError {
    /// It is about a tree of another size.
    #[error("the inclusion proof is for {proof} entries, the head for {head}")]
    Size {
        /// The head's size.
        head: u64,
        /// The proof's.
        proof: u64,
    },
    /// The index lies outside the tree.
    #[error("the inclusion proof is for entry {index} of {size}")]
    Index {
        /// The index.
        index: u64,
        /// The tree's size.
        size: u64,
    },
    /// There are too many siblings, or too few.
    #[error("the inclusion proof has {found} hashes instead of {expected}")]
    Length {
        /// How many there have to be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// It leads to another root.
    #[error("the inclusion proof leads to the root {}, not to {head}", Digest(*.found))]
    Root {
        /// The head it should lead to.
        head: TreeHead,
        /// The root it leads to.
        found: Hash,
    },
}

/// How many siblings a leaf's way has below, and how many above, the point where it joins the way of the last leaf.
///
/// Above that point every sibling is on the left, and levels where the right edge has none are skipped.
pub(super) fn path_lengths(index: u64, size: u64) -> (usize, usize) {
    let inner = u64::BITS - (index ^ (size - 1)).leading_zeros();
    let border = index.checked_shr(inner).unwrap_or(0).count_ones();
    (inner as usize, border as usize)
}

/// Goes up through siblings whose side the bits of `index` tell.
pub(super) fn climb(from: Hash, siblings: &[Hash], index: u64) -> Hash {
    siblings.iter().enumerate().fold(from, |below, (level, sibling)| match index >> level & 1 {
        0 => hash::node(&below, sibling),
        _ => hash::node(sibling, &below),
    })
}

/// Goes up the right edge, where every sibling is on the left.
pub(super) fn climb_border(from: Hash, siblings: &[Hash]) -> Hash {
    siblings.iter().fold(from, |below, sibling| hash::node(sibling, &below))
}
