//! The evidence envelope: what is proposed, by whom, under which authority, given which context (contract, section 5).

use serde::{Deserialize, Serialize};

use super::asserted::Asserted;
use super::digest::Digest;
use super::fact::Fact;
use super::id::{EnvelopeId, KeyId, Oid, RepositoryId};

/// The predicate of an `evidence-envelope`. Signed by the actor it is the *proposal*.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// Explicit values, each with where it was read.
    pub bindings: Bindings,
    /// The content of the change, for recognising it after a squash or rebase.
    pub change: ChangeRef,
    /// What is claimed.
    pub claim: Claim,
    /// Shared by all versions.
    pub envelope_id: EnvelopeId,
    /// Artifacts that the claim relies on.
    pub evidence: Vec<EvidenceRef>,
    /// One for all attempts at the same action.
    pub idempotency_key: String,
    /// The digest of version n-1; `null` in version 1.
    pub predecessor: Option<Digest>,
    /// What should happen.
    pub requested_action: Option<Action>,
    /// 1, 2, 3, …
    pub version: u64,
}

/// What the tool derived about the proposal's standing; none of it is taken from the proposer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bindings {
    /// The signer.
    pub actor: Fact<KeyId>,
    /// Digest of the canonical assignment object, the `specification` of the context receipt.
    pub assignment: Fact<Digest>,
    /// The context receipt.
    pub context: Fact<Digest>,
    /// The handoff.
    pub lease: Fact<Digest>,
    /// The pinned commit.
    pub source_expected: Fact<Oid>,
    /// Where the pinned ref was seen to stand.
    pub source_observed: Fact<Oid>,
}

/// What is claimed, and why as the proposer tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The proposer's own words.
    pub asserted: Asserted,
    /// The kind of claim.
    pub kind: ClaimKind,
}

/// The two kinds of claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimKind {
    /// "These commits should go there."
    Change,
    /// "This work is done."
    Completion,
}

/// An artifact that a claim relies on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceRef {
    /// Which artifact.
    pub digest: Digest,
    /// What it is meant to show.
    pub kind: String,
}

/// The change list's anchor points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeRef {
    /// The tree the change starts from.
    pub base_tree: Oid,
    /// Blob id of the canonical change list.
    pub list: Oid,
}

/// The one action this tool executes: moving a ref.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// The new value; zero for a deletion.
    pub new: Oid,
    /// The value it had; zero for a ref that is not there.
    pub old: Oid,
    /// The ref in full.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The repository it is meant for.
    pub repository: RepositoryId,
    /// Always `git.ref.update`.
    #[serde(rename = "type")]
    pub kind: String,
}

impl Action {
    /// The type that has an executor.
    pub const REF_UPDATE: &'static str = "git.ref.update";
}
