//! The three hashes of RFC 9162, section 2.1.1: of nothing, of a leaf, of an inner node.

use sha2::{Digest as _, Sha256};

/// A SHA-256 value: a leaf hash, a node, a root.
pub type Hash = [u8; 32];

/// The root of a tree without leaves: SHA-256 of the empty string.
pub fn empty() -> Hash {
    sha256(&[])
}

/// The hash of a leaf holding `data`: SHA-256 of `0x00` and the data.
pub fn leaf(data: &[u8]) -> Hash {
    sha256(&[&[0], data])
}

/// The hash of an inner node: SHA-256 of `0x01`, the left and the right child.
pub fn node(left: &Hash, right: &Hash) -> Hash {
    sha256(&[&[1], left, right])
}

/// SHA-256 of the parts, one after the other.
pub(super) fn sha256(parts: &[&[u8]]) -> Hash {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// Serde for lists of hashes, written as `sha256:` texts like every other digest.
pub(super) mod list {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Hash;
    use crate::model::digest::Digest;

    pub fn serialize<S: Serializer>(hashes: &[Hash], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(hashes.iter().copied().map(Digest))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Hash>, D::Error> {
        Ok(Vec::<Digest>::deserialize(deserializer)?.into_iter().map(|digest| digest.0).collect())
    }
}

/// Serde for one hash, in the same spelling.
pub(super) mod one {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Hash;
    use crate::model::digest::Digest;

    pub fn serialize<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
        Digest(*hash).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        Ok(Digest::deserialize(deserializer)?.0)
    }
}
