//! What can be wrong with a stored ledger.

use super::bundle::BundleError;
use super::entry::EntryError;
use super::tree::TreeHead;
use crate::model::digest::Digest;
use crate::model::time::Timestamp;

/// Reading the storage failed, or it was read and is not the ledger it should be.
///
/// The two are apart because they mean different things: what could not be read leaves a question undecided; a
/// [`Defect`] is evidence against the ledger or its storage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError<E: std::error::Error + 'static> {
    /// The storage gave an error.
    #[error("could not read {path} of the ledger")]
    Read {
        /// The path, relative to `ledger/`.
        path: String,
        /// What the storage said.
        source: E,
    },
    /// The storage answered, and the answer does not fit.
    #[error(transparent)]
    Defect(#[from] Defect),
}

/// What is wrong with a ledger, or with what was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Defect {
    /// A tile that a ledger of this size consists of is not there.
    #[error("the ledger has no {path}")]
    Missing {
        /// The path, relative to `ledger/`.
        path: String,
    },
    /// A hash tile is not as long as its hashes are.
    #[error("{path} of the ledger holds {found} bytes instead of {expected}")]
    Length {
        /// The path, relative to `ledger/`.
        path: String,
        /// Bytes it should have.
        expected: usize,
        /// Bytes it has.
        found: usize,
    },
    /// An entry bundle cannot be taken apart.
    #[error("{path} of the ledger {defect}")]
    Bundle {
        /// The path, relative to `ledger/`.
        path: String,
        /// What is wrong with it.
        defect: BundleError,
    },
    /// An entry cannot be read, or may not be written.
    #[error("entry {index} of the ledger: {defect}")]
    Entry {
        /// Its index.
        index: u64,
        /// What is wrong with it.
        defect: EntryError,
    },
    /// A stored entry is not the one that the tree's hashes commit to.
    #[error("entry {index} of the ledger is not the one its head of {head} commits to")]
    EntryNotInTree {
        /// Its index.
        index: u64,
        /// The head.
        head: TreeHead,
    },
    /// An entry is older than the one in front of it.
    #[error("entry {index} of the ledger is dated {at}, before the {before} of the entry in front")]
    TimeWentBack {
        /// Its index.
        index: u64,
        /// The time of the entry in front.
        before: Timestamp,
        /// Its own time.
        at: Timestamp,
    },
    /// What is stored does not give the root of the head it was read under.
    #[error("what is stored of the ledger gives the root {}, not {head}", Digest(*.found))]
    Root {
        /// The head.
        head: TreeHead,
        /// The root that the stored hashes or entries give.
        found: [u8; 32],
    },
    /// The entries after the head that was seen before do not lead to the new head: a fork, or damaged storage.
    #[error("the ledger's head of {head} does not extend the one seen before, {seen}")]
    NotExtended {
        /// The head verified earlier.
        seen: TreeHead,
        /// The head it should lead to.
        head: TreeHead,
    },
    /// The ledger is shorter than it was.
    #[error("the ledger went back from {seen} to {head}")]
    RolledBack {
        /// The head verified earlier.
        seen: TreeHead,
        /// The shorter one.
        head: TreeHead,
    },
    /// There is no such entry.
    #[error("there is no entry {index} among {size}")]
    NoSuchEntry {
        /// The index asked for.
        index: u64,
        /// How many entries there are.
        size: u64,
    },
    /// A tree of that size is not part of this ledger.
    #[error("a ledger of {size} entries holds no tree of {asked}")]
    NoSuchSize {
        /// The size asked for.
        asked: u64,
        /// How many entries there are.
        size: u64,
    },
    /// No ledger can be that large.
    #[error("a ledger of {size} entries is past the limit of 2^53")]
    TooLarge {
        /// The size.
        size: u64,
    },
}
