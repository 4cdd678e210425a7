//! What registrars and owners sign about a candidate: refusal receipt, override, contradiction, approval, work receipt (contract,
//! sections 5, 7 and 8).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::asserted::Asserted;
use super::context::Snapshot;
use super::digest::Digest;
use super::id::{Oid, RepositoryId};
use super::refusal::{Check, Code};
use super::time::Timestamp;

/// The predicate of a `refusal`: the durable receipt of a candidate that was not admitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusalReceipt {
    /// When it was refused first.
    pub at: Timestamp,
    /// What was refused.
    pub candidate: Candidate,
    /// SHA-256 of the canonical candidate, domain-separated.
    pub candidate_digest: Digest,
    /// The verdict of each check.
    pub checks: BTreeMap<Check, CheckVerdict>,
    /// All codes by rank.
    pub codes: Vec<Code>,
    /// What did not happen.
    pub effects: Effects,
    /// The first of `codes`.
    pub primary_code: Code,
    /// One sentence for each code, with both values.
    pub reasons: Vec<ReasonGiven>,
    /// What to do.
    pub safe_next_action: NextAction,
    /// What the refs looked like.
    pub snapshot: Snapshot,
}

/// A ref update that somebody asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// The proposal judged, if there was one.
    pub envelope: Option<Digest>,
    /// The value it should get; zero for a deletion.
    pub new: Oid,
    /// The value it had; zero where there was none.
    pub old: Oid,
    /// The ref in full.
    #[serde(rename = "ref")]
    pub reference: String,
    /// This repository.
    pub repository: RepositoryId,
}

/// What one check said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    /// It looked and found nothing against it.
    Passed,
    /// It refuses.
    Refused,
    /// It could not look.
    Undecided,
    /// It had nothing to judge.
    NotApplicable,
}

/// One code and the sentence that explains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReasonGiven {
    /// The code.
    pub code: Code,
    /// Why, with both values.
    pub text: String,
}

/// The safe way on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextAction {
    /// To be typed as it stands.
    pub command: Option<String>,
    /// In words.
    pub sentence: String,
}

/// A refusal's statement that nothing was created or committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effects {
    /// Always false.
    pub admitted_envelope_created: bool,
    /// Always false.
    pub requested_action_committed: bool,
}

/// The predicate of an `override`: an owner says that one denial no longer stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// Why.
    pub asserted: Asserted,
    /// The boundary proof that denies.
    pub target: Digest,
}

/// The predicate of a `contradiction`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// Why.
    pub asserted: Asserted,
    /// Whether it matters to the decision.
    pub material: bool,
    /// Open until resolved by the same key or an owner.
    pub state: ContradictionState,
    /// The artifact contradicted.
    pub target: Digest,
}

/// Whether a contradiction still stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContradictionState {
    /// It stands.
    Open,
    /// It was cleared up.
    Resolved,
}

/// The predicate of an `approval` (contract, section 8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// Digest of the exact action.
    pub action_digest: Digest,
    /// The registrar that will act.
    pub connection: super::id::KeyId,
    /// The proposal.
    pub envelope: Digest,
    /// Not after this moment.
    pub expires_at: Timestamp,
    /// The handoff; `null` for a person's own work.
    pub lease: Option<Digest>,
    /// Makes two approvals different.
    pub nonce: String,
    /// Digest of the action's parameters.
    pub params_hash: Digest,
    /// The actor's key.
    pub principal: super::id::KeyId,
    /// In words.
    pub reason: String,
    /// Approve or reject.
    pub verdict: ApprovalVerdict,
}

/// What the owner said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalVerdict {
    /// It may happen once.
    Approve,
    /// It must not.
    Reject,
}

/// The predicate of a `work-receipt` (contract, section 5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkReceipt {
    /// Digest of the action.
    pub action_digest: Digest,
    /// Whose proposal it was.
    pub actor: super::id::KeyId,
    /// When.
    pub at: Timestamp,
    /// How it ended.
    pub disposition: Disposition,
    /// The proposal.
    pub envelope: Digest,
    /// What the remote was seen to hold.
    pub observed: ObservedUpdate,
    /// Who acted.
    pub registrar: super::id::KeyId,
}

/// How an action ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Disposition {
    /// It happened.
    Complete,
    /// It was tried and did not.
    Failed,
    /// It ran out of attempts.
    Expired,
    /// Nobody can say.
    Unknown,
}

/// A ref update as it was observed afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedUpdate {
    /// After.
    pub new: Oid,
    /// Before.
    pub old: Oid,
    /// The ref.
    #[serde(rename = "ref")]
    pub reference: String,
}
