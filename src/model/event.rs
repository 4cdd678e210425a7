//! The events of an envelope's life, each one link of the chain that a registrar keeps (contract, sections 5, 8 and 9).

use serde::{Deserialize, Serialize};

use super::asserted::Asserted;
use super::context::Snapshot;
use super::decision::{Candidate, Disposition, ObservedUpdate};
use super::digest::Digest;
use super::id::EnvelopeId;
use super::time::Timestamp;

/// The predicate of an `event`: one link of the chain that one registrar keeps about one envelope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// The envelope; `null` for a push that needed none.
    pub envelope_id: Option<EnvelopeId>,
    /// What happened.
    pub kind: EventKind,
    /// The digest of the event before, or of the context receipt; `null` where this registrar has neither.
    pub prev: Option<Digest>,
    /// 1 after the context receipt, then counting up.
    pub seq: u64,
    /// The envelope's version; `null` without an envelope.
    pub version: Option<u64>,
}

/// What happened to an envelope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EventKind {
    /// The gate admitted it: a push that it covers, a proposal that was submitted, or a claim that holds.
    Admitted {
        /// The update.
        candidate: Candidate,
        /// Whether it must not happen before an owner's approval is consumed. Not written where it need not wait.
        #[serde(default, skip_serializing_if = "is_false")]
        pending: bool,
        /// The refs that were judged.
        snapshot: Box<Snapshot>,
    },
    /// It was refused; the receipt's digest.
    Refused {
        /// The refusal receipt.
        receipt: Digest,
    },
    /// An approval was consumed, and the action may happen: one way, once.
    Released {
        /// The approval.
        approval: Digest,
        /// The update that it was consumed for.
        candidate: Candidate,
    },
    /// One process of this registrar acts, and nobody else until `until`.
    Claimed {
        /// 1, 2 or 3.
        attempt: u64,
        /// The update.
        candidate: Candidate,
        /// Fresh for each claim: only its holder settles.
        fence: String,
        /// How many events the row had before this claim.
        row_version: u64,
        /// The end of the claim, unless it is settled before.
        until: Timestamp,
    },
    /// How the action ended, once.
    Settled {
        /// The update.
        candidate: Candidate,
        /// How.
        disposition: Disposition,
        /// The fence of the claim it was done under; `null` where a push that was not dispatched from here was observed.
        fence: Option<String>,
        /// What the remote was seen to hold.
        observed: ObservedUpdate,
    },
    /// The result was cross-checked: a work receipt and evidence about it that the actor could not have made.
    Verified {
        /// The evidence artifacts.
        evidence: Vec<Digest>,
        /// The work receipt.
        work_receipt: Digest,
    },
    /// A later version says better what this one said.
    Corrected {
        /// The later version.
        by: Digest,
    },
    /// Another envelope takes its place.
    Superseded {
        /// The other envelope's proposal.
        by: Digest,
    },
    /// What the agent says of itself; recorded, never counted.
    AgentAssertion {
        /// Its words.
        asserted: Asserted,
    },
}

fn is_false(value: &bool) -> bool {
    !value
}
