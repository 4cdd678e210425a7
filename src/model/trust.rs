//! The trust document: which keys there are, who answers for each, and until when (contract, section 4).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::id::{KeyId, RepositoryId};
use super::party::Role;
use super::time::Timestamp;

/// One version of the trust document, the predicate of a `trust` statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustDocument {
    /// A key is in exactly one domain: the team, vendor or service that answers for it.
    pub domains: BTreeMap<String, Vec<KeyId>>,
    /// After this moment the document says nothing any more; `null` for never.
    pub expires_at: Option<Timestamp>,
    /// Every key ever trusted. Keys are ended, never deleted.
    pub keys: BTreeMap<KeyId, TrustedKey>,
    /// Of registrars that were revoked: the last checkpoint that is honoured.
    pub ledgers: BTreeMap<KeyId, LastCheckpoint>,
    /// The artifact digest of the version before; `null` in version 1.
    pub previous: Option<Digest>,
    /// `null` in version 1, which defines it.
    pub repository: Option<RepositoryId>,
    /// Who may sign the next version.
    pub roots: Roots,
    /// 1, 2, 3, …
    pub version: u64,
}

/// The keys that sign trust documents, and how many of them it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Roots {
    /// Root keys.
    pub keys: Vec<KeyId>,
    /// How many distinct raw keys must have signed.
    pub threshold: u64,
}

/// What is known of one key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedKey {
    /// Foreign key ids that name this key too, such as Treeship's.
    pub aliases: Vec<String>,
    /// A name for people.
    pub label: String,
    /// Set when the key must not be believed from that moment on.
    pub revoked_at: Option<Timestamp>,
    /// What it may sign.
    pub roles: Vec<Role>,
    /// `ssh-ed25519 AAAA…`, without a comment.
    pub ssh: String,
    /// First moment of validity; `null` for no bound.
    pub valid_from: Option<Timestamp>,
    /// Last moment of validity; `null` for no bound.
    pub valid_until: Option<Timestamp>,
}

/// A point in a registrar's ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastCheckpoint {
    /// RFC 9162 root hash.
    pub root: Digest,
    /// Number of entries.
    pub size: u64,
}
