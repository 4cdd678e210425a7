//! HISTORY: the Merkle log each registrar keeps of what it stored, and how others check it.
//!
//! One ledger per registrar: an RFC 9162 tree over [`Entry`] texts, stored as C2SP tlog-tiles, its head signed as a
//! C2SP checkpoint (contract, section 10). Pure: storage is a [`TileSource`] somebody passes in, signing and
//! verifying are closures, times are values.
//!
//! How far each answer can be believed:
//!
//! - [`Stored::entry`], [`Stored::entries`] return what is stored, unchecked;
//! - [`Stored::verified_entry`] and [`scan()`] return only what the given head commits to;
//! - a [`TreeHead`] itself is worth what [`SignedCheckpoint::verify`] said about it.

pub mod append;
pub mod bundle;
pub mod chain;
pub mod checkpoint;
pub mod consistency;
pub mod cosignature;
pub mod entry;
pub mod error;
pub mod hash;
pub mod inclusion;
pub mod note;
pub mod relation;
pub mod scan;
pub mod stored;
pub mod tiles;
pub mod tree;

pub use append::{Appended, append};
pub use checkpoint::{Checkpoint, CheckpointError, Origin, SignedCheckpoint};
pub use consistency::ConsistencyProof;
pub use cosignature::Cosigner;
pub use entry::Entry;
pub use error::{Defect, LedgerError};
pub use hash::Hash;
pub use inclusion::InclusionProof;
pub use relation::{Relation, relation};
pub use scan::{Scan, Seen, scan};
pub use stored::{Stored, TileSource};
pub use tree::{Frontier, TreeHead, root_of};

#[cfg(test)]
mod tests;
