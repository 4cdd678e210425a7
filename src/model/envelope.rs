//! The evidence envelope: what is proposed, by whom, under which authority, given which context (contract, section 5).

use serde::{Deserialize, Serialize};

use super::asserted::Asserted;
use super::digest::Digest;
use super::fact::Fact;
use super::id::{EnvelopeId, KeyId, Oid, RepositoryId};
use super::workspace_path::WorkspacePath;

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

/// The kinds of claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimKind {
    /// "These commits should go there."
    Change,
    /// "This work is done."
    Completion,
    /// "This file of the worktree should have this content." It speaks for no commit.
    Write,
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

/// An action that this tool executes: moving a ref, or writing a file of a worktree.
///
/// Of a write `new` is a commit on top of `old` that nobody pushes and that differs from it in the one file: it holds the exact bytes, is
/// what the scope is judged by, and carries in its note all that is said about the write.
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
    /// [`Action::REF_UPDATE`] or [`Action::WORKSPACE_WRITE`].
    #[serde(rename = "type")]
    pub kind: String,
    /// What is to be written; present in a write, and in nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<FileWrite>,
}

/// One file of a worktree, as it is to be written (seed "execution gateway", "Write and approval sequence").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileWrite {
    /// SHA-256 of its exact bytes.
    pub content: Digest,
    /// Whether the file may be run, as the one that it replaces.
    pub executable: bool,
    /// What kind of content the proposer says it is, such as `text/plain`. Shown, and no rule reads it.
    pub media_type: String,
    /// From the top of the worktree.
    pub path: WorkspacePath,
    /// SHA-256 of the bytes that it replaces; `null` where nothing is there.
    pub preimage: Option<Digest>,
    /// The registrar that sealed the session. Nobody else carries it out, and nobody else's word is heard of that.
    pub registrar: KeyId,
    /// Digest of the session of the gateway that may ask for it; with that session's end it can't happen any more.
    pub session: Digest,
    /// Its bytes.
    pub size: u64,
}

impl Action {
    /// A ref is moved, by the user's own git.
    pub const REF_UPDATE: &'static str = "git.ref.update";
    /// A file of a worktree is written, by the gateway.
    pub const WORKSPACE_WRITE: &'static str = "workspace.write";
}
