//! A handoff: work given to one key, pinned to one commit, with a scope and a lease; and what ends it (contract, section 5).

use serde::{Deserialize, Serialize};

use super::asserted::Asserted;
use super::digest::Digest;
use super::id::{KeyId, Oid};
use super::operation::Grant;
use super::time::Timestamp;

/// The predicate of a `handoff`, signed by an owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handoff {
    /// What the work is.
    pub assignment: Assignment,
    /// The owner's key.
    pub from: KeyId,
    /// When the work may be done; `null` gives the holder none, and authorises nothing.
    pub lease: Option<Lease>,
    /// Makes two otherwise equal handoffs different artifacts. 32 hex digits.
    pub nonce: String,
    /// The revision the work starts from.
    pub pin: Pin,
    /// The policy in force when it was given.
    pub policy: Digest,
    /// The handoff that this one prolongs.
    pub renews: Option<Digest>,
    /// Where and how the work may touch the repository.
    pub scope: Scope,
    /// The key that holds it.
    pub to: KeyId,
}

/// An exact revision, and the ref that stood there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The commit.
    pub commit: Oid,
    /// The ref that the work is meant for, in full.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The commit's tree.
    pub tree: Oid,
}

/// What a handoff reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// Operations granted.
    pub operations: Vec<Grant>,
    /// Git pathspecs from the top of the tree.
    pub paths: Vec<String>,
    /// Ref globs: `*` within a segment, `**` across.
    pub refs: Vec<String>,
}

/// First and last moment of a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// Not after this moment.
    pub expires_at: Timestamp,
    /// Not before this one.
    pub not_before: Timestamp,
}

/// Which piece of work a handoff is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// What people say of it.
    pub asserted: Asserted,
    /// The tracker's name for it.
    pub work_id: String,
}

/// The predicate of a `revocation`: an owner ends a handoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revocation {
    /// Why, for people.
    pub reason: String,
    /// The handoff's digest.
    pub target: Digest,
}

/// The predicate of a `baseline`: an owner adopts history up to here as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The last adopted commit.
    pub commit: Oid,
    /// The ref that stood there.
    #[serde(rename = "ref")]
    pub reference: String,
}
