//! A boundary proof: the payload `treeship.boundary.v1` of a Treeship receipt (seed "boundary proofs"; contract, sections 2 and 6).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::asserted::Asserted;
use super::diet::DietEntry;
use super::digest::Digest;

/// The proven zone and, apart from it, what is merely said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundaryProof {
    /// Digests, key ids and order: what a verifier recomputes.
    pub proven: ProvenBoundary,
    /// Labels, outcomes and notes: shown, never judged by.
    pub said: SaidBoundary,
}

/// What a verifier checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvenBoundary {
    /// Key id of the actor, own or foreign form.
    pub actor: String,
    /// Where the diet was committed: `merkle://<ledger origin>#<index>` for proofs of this tool.
    pub anchor: String,
    /// Key id of the checker, own or foreign form.
    pub checker: String,
    /// The verdict.
    pub decision: CheckDecision,
    /// The inputs, in order.
    pub diet: Vec<DietEntry>,
    /// Their Merkle root.
    pub diet_root: Digest,
    /// The policy applied.
    pub policy: Digest,
    /// The proposal's artifact id, own or foreign form.
    pub subject_ref: String,
}

/// What is said. Kept in types that no rule reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SaidBoundary {
    /// `actor.uri`, `checker.uri`, `policy.ref`, `system` and the two times, where given.
    pub labels: Asserted,
    /// The producer's detail about its decision.
    pub outcome: Asserted,
    /// The narrative zone.
    pub asserted: Asserted,
}

/// A checker's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckDecision {
    /// The action may proceed.
    Allow,
    /// It must not.
    Deny,
    /// Some of it may; authorises no ref update.
    Partial,
    /// The diet did not suffice; authorises nothing.
    Abstain,
}

impl CheckDecision {
    /// All four.
    pub const ALL: [CheckDecision; 4] =
        [CheckDecision::Allow, CheckDecision::Deny, CheckDecision::Partial, CheckDecision::Abstain];

    /// The word stored and typed.
    pub fn name(self) -> &'static str {
        match self {
            CheckDecision::Allow => "allow",
            CheckDecision::Deny => "deny",
            CheckDecision::Partial => "partial",
            CheckDecision::Abstain => "abstain",
        }
    }
}

impl fmt::Display for CheckDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
