//! That one tree is a prefix of another: RFC 9162, section 2.1.4. Proofs are made by
//! [`super::Stored::prove_consistency`].

use serde::{Deserialize, Serialize};

use super::hash::{self, Hash};
use super::inclusion::{climb, climb_border, path_lengths};
use super::tree::TreeHead;
use crate::model::digest::Digest;

/// The nodes from which both the older and the newer root can be computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsistencyProof {
    /// What the prover's ledger was at the older size. Whoever holds a head of that size compares it with this one:
    /// that the proof verifies and this root is another one is what shows a fork.
    pub older: TreeHead,
    /// The size of the newer tree.
    pub size: u64,
    /// The nodes, in RFC 9162's order.
    #[serde(with = "hash::list")]
    pub path: Vec<Hash>,
}

impl ConsistencyProof {
    /// Confirms that the tree of `newer` begins with the tree of this proof's `older`.
    ///
    /// For equal sizes the path is empty and the heads are one; the empty tree begins every tree, with an empty path
    /// (both cases RFC 9162 leaves open).
    ///
    /// # Errors
    /// When sizes or the number of nodes do not fit, or either root comes out otherwise.
    pub fn verify(&self, newer: &TreeHead) -> Result<(), ConsistencyError> {
        if self.size != newer.size || self.older.size > newer.size {
            return Err(ConsistencyError::Size { older: self.older.size, proof: self.size, newer: newer.size });
        }
        let Some((shift, inner, border)) = self.shape() else {
            return self.verify_without_path(newer);
        };
        // A complete older tree is itself a node of the newer one, and RFC 9162 leaves it out of the path.
        let seeded = self.older.size.is_power_of_two();
        let expected = inner + border + usize::from(!seeded);
        if self.path.len() != expected {
            return Err(ConsistencyError::Length { expected, found: self.path.len() });
        }
        let (seed, nodes) = match self.path.split_first() {
            Some((first, rest)) if !seeded => (*first, rest),
            _ => (self.older.root, &self.path[..]),
        };
        let (inner_path, border_path) = nodes.split_at(inner);
        let last = (self.older.size - 1) >> shift;

        let newer_root = climb_border(climb(seed, inner_path, last), border_path);
        if newer_root != newer.root {
            return Err(ConsistencyError::Root { head: *newer, found: newer_root });
        }
        // The older root is made of those nodes alone that lie to the left of its last leaf.
        let left = inner_path.iter().enumerate().filter(|(level, _)| last >> level & 1 == 1).map(|(_, node)| node);
        let older_root = left.chain(border_path).fold(seed, |below, node| hash::node(node, &below));
        if older_root != self.older.root {
            return Err(ConsistencyError::Root { head: self.older, found: older_root });
        }
        Ok(())
    }

    /// How many levels the way starts above the older tree's last leaf, and the lengths of its two parts; `None` where
    /// no path is needed.
    fn shape(&self) -> Option<(u32, usize, usize)> {
        if self.older.size == 0 || self.older.size == self.size {
            return None;
        }
        let shift = self.older.size.trailing_zeros();
        let (inner, border) = path_lengths(self.older.size - 1, self.size);
        Some((shift, inner - shift as usize, border))
    }

    fn verify_without_path(&self, newer: &TreeHead) -> Result<(), ConsistencyError> {
        if !self.path.is_empty() {
            return Err(ConsistencyError::Length { expected: 0, found: self.path.len() });
        }
        let found = if self.older.size == 0 { hash::empty() } else { newer.root };
        if found != self.older.root {
            return Err(ConsistencyError::Root { head: self.older, found });
        }
        if newer.size == 0 && newer.root != hash::empty() {
            return Err(ConsistencyError::Root { head: *newer, found: hash::empty() });
        }
        Ok(())
    }
}

/// Why a proof does not show that one tree begins another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConsistencyError {
    /// It is about other sizes, or the older tree is the larger one.
    #[error("the consistency proof goes from {older} to {proof} entries, the newer head has {newer}")]
    Size {
        /// The proof's older size.
        older: u64,
        /// The proof's newer size.
        proof: u64,
        /// The newer head's size.
        newer: u64,
    },
    /// There are too many nodes, or too few.
    #[error("the consistency proof has {found} hashes instead of {expected}")]
    Length {
        /// How many there have to be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// It leads to another root.
    #[error("the consistency proof leads to the root {}, not to {head}", Digest(*.found))]
    Root {
        /// The head it should lead to.
        head: TreeHead,
        /// The root it leads to.
        found: Hash,
    },
}
