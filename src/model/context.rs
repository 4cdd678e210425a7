//! What an actor was shown, and the state of the refs it was shown in (contract, section 5).

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::id::{EnvelopeId, KeyId, Oid};
use super::time::Timestamp;

/// The predicate of a `context-receipt`, signed by the registrar. The start of its envelope's chain of events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextReceipt {
    /// Whom it was delivered to.
    pub actor: KeyId,
    /// When.
    pub at: Timestamp,
    /// What was delivered; exactly one `specification` among it.
    pub delivered: Vec<Delivered>,
    /// RFC 9162 root, each leaf the canonical JSON of one entry of `delivered`.
    pub delivered_root: Digest,
    /// For which envelope.
    pub envelope_id: EnvelopeId,
    /// The refs as they stood.
    pub snapshot: Snapshot,
}

/// One delivered item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delivered {
    /// Its digest.
    pub digest: Digest,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: DeliveredKind,
}

/// The kinds of delivered item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveredKind {
    /// The handoff.
    Handoff,
    /// The policy.
    Policy,
    /// The trust document.
    Trust,
    /// The canonical assignment object.
    Specification,
}

/// One coherent reading of the refs that a judgement is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The pinned ref, or the default branch.
    pub base: Observation,
    /// The pushed ref.
    pub destination: Observation,
    /// The policy digest in force.
    pub policy: Digest,
    /// The trust document's artifact digest.
    pub trust: Digest,
}

/// Where a ref stood and who said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// How it was observed.
    pub by: ObservedBy,
    /// Its value; zero when it is not there, `null` when nobody could say.
    pub oid: Option<Oid>,
    /// The ref in full.
    #[serde(rename = "ref")]
    pub reference: String,
}

/// How a ref's value was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObservedBy {
    /// By the remote-tracking ref of this clone, or the clone's own branch where there is no remote.
    Tracking,
    /// By git, which passed it to the hook.
    Hook,
    /// By asking the remote.
    Remote,
}
