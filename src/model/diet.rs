//! The information diet: what a checker committed to reading before it decided (seed "boundary proofs"; contract, section 6).

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::id::{KeyId, Oid};

/// The predicate of a `diet-commitment`, signed by the checker before it decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DietCommitment {
    /// The checker.
    pub checker: KeyId,
    /// The commit under check.
    pub commit: Oid,
    /// The inputs, in order.
    pub diet: Vec<DietEntry>,
    /// RFC 9162 root, each leaf the canonical JSON of one entry of `diet`.
    pub diet_root: Digest,
    /// Makes two otherwise equal commitments different artifacts.
    pub nonce: String,
    /// The policy applied.
    pub policy: Digest,
    /// The proposal's full digest.
    pub subject: Digest,
    /// The commit's tree.
    pub tree: Oid,
}

/// One input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DietEntry {
    /// SHA-256 of the input.
    pub digest: Digest,
    /// Its class, such as `diff` or `test_result`.
    #[serde(rename = "type")]
    pub class: String,
}

/// The class whose digest a verifier recomputes from the commits themselves.
pub const DIFF_CLASS: &str = "diff";

/// What the class `diff` of a revision is the SHA-256 of, as canonical JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiffInput {
    /// The pinned commit, or the observed base where there is no pin.
    pub base: Oid,
    /// Its tree.
    pub base_tree: Oid,
    /// The commit under check.
    pub commit: Oid,
    /// Its tree.
    pub tree: Oid,
}
