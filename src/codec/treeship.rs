//! Treeship receipts (`treeship/receipt/v1`), which carry boundary proofs (seed "boundary proofs"; contract, section 2).
//!
//! Written canonical. Read by the other format's own rules: the published schema closes the payload, and leaves `outcome` and
//! `asserted` open.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::artifact::Artifact;
use super::{canonical, strict};
use crate::model::asserted::Asserted;
use crate::model::boundary_proof::{BoundaryProof, CheckDecision, ProvenBoundary, SaidBoundary};
use crate::model::diet::DietEntry;
use crate::model::digest::Digest;
use crate::model::time::Timestamp;

/// Media type of a receipt.
pub const RECEIPT_PAYLOAD_TYPE: &str = "application/vnd.treeship.receipt.v1+json";
/// Media type of an action, which Treeship's own proposals are.
pub const ACTION_PAYLOAD_TYPE: &str = "application/vnd.treeship.action.v1+json";
/// `kind` of the receipts that are boundary proofs.
pub const BOUNDARY_KIND: &str = "boundary.v1";
const RECEIPT_TYPE: &str = "treeship/receipt/v1";
const BOUNDARY_SCHEMA: &str = "treeship.boundary.v1";

/// A receipt or action by another producer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignReceipt {
    /// `kind` of a receipt, or `action` and its name.
    pub kind: String,
    /// Everything in it, for display.
    pub said: Asserted,
}

/// What is wrong with a Treeship payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeshipError {
    /// Too long, too deep, or a byte order mark.
    #[error("no Treeship payload: {0}")]
    Bounds(#[from] strict::Defect),
    /// Not of the shape that the schema gives.
    #[error("no Treeship receipt: {0}")]
    Shape(String),
    /// A `type` or `schema` that is another.
    #[error("a Treeship payload of type {0:?}")]
    Type(String),
    /// `subject.artifactId` and `payload.subject_ref` differ.
    #[error("the receipt is about {subject:?}, its payload about {payload:?}")]
    Subject {
        /// `subject.artifactId`.
        subject: String,
        /// `payload.subject_ref`.
        payload: String,
    },
    /// A text that the published form gives another shape.
    #[error("{field} is {text:?}: expected {expected}")]
    Text {
        /// Which field.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
        /// What stands there.
        text: String,
    },
    /// A boundary proof over nothing.
    #[error("the diet is empty")]
    EmptyDiet,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Receipt {
    kind: String,
    payload: Boundary,
    #[serde(rename = "payloadDigest", default, skip_serializing_if = "Option::is_none")]
    payload_digest: Option<String>,
    subject: ReceiptSubject,
    system: String,
    timestamp: String,
    #[serde(rename = "type")]
    receipt_type: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReceiptSubject {
    #[serde(rename = "artifactId")]
    artifact_id: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Boundary {
    actor: Party,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asserted: Option<Asserted>,
    checker: Party,
    committed_at: CommittedAt,
    decision: CheckDecision,
    diet: Vec<DietEntry>,
    diet_root: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<Asserted>,
    policy: PolicyRef,
    schema: String,
    subject_ref: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Party {
    keyid: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommittedAt {
    anchor: String,
    ts: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyRef {
    digest: Digest,
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
}

/// What a checker signs: the proven zone, what it says of itself, and when it committed and signed.
#[derive(Debug, Clone)]
pub struct NewBoundary {
    /// The proven zone.
    pub proven: ProvenBoundary,
    /// A note in the checker's words; recorded as asserted.
    pub asserted: Asserted,
    /// Label of the checker, for `system` and `checker.uri`; narrative.
    pub checker_label: String,
    /// Label of the actor, for `actor.uri`; narrative.
    pub actor_label: String,
    /// When the commitment was recorded.
    pub committed: Timestamp,
    /// Now.
    pub signed: Timestamp,
}

/// The canonical payload of a boundary proof.
pub fn write(new: &NewBoundary) -> Vec<u8> {
    let NewBoundary { proven, asserted, checker_label, actor_label, committed, signed } = new;
    canonical::to_vec(&Receipt {
        kind: BOUNDARY_KIND.to_owned(),
        payload: Boundary {
            actor: Party { keyid: proven.actor.clone(), uri: Some(format!("agent://{actor_label}")) },
            asserted: (!asserted.is_empty()).then(|| asserted.clone()),
            checker: Party { keyid: proven.checker.clone(), uri: Some(format!("system://{checker_label}")) },
            committed_at: CommittedAt { anchor: proven.anchor.clone(), ts: committed.to_string() },
            decision: proven.decision,
            diet: proven.diet.clone(),
            diet_root: proven.diet_root,
            outcome: None,
            policy: PolicyRef { digest: proven.policy, reference: None },
            schema: BOUNDARY_SCHEMA.to_owned(),
            subject_ref: proven.subject_ref.clone(),
        },
        payload_digest: None,
        subject: ReceiptSubject { artifact_id: proven.subject_ref.clone() },
        system: format!("system://{checker_label}"),
        timestamp: signed.to_string(),
        receipt_type: RECEIPT_TYPE.to_owned(),
    })
}

/// Reads a Treeship payload whose signature was verified before.
///
/// # Errors
/// [`TreeshipError`], naming the defect.
pub fn read(payload_type: &str, payload: &[u8]) -> Result<Artifact, TreeshipError> {
    strict::bounds(payload)?;
    let open: serde_json::Map<String, Value> = from_slice(payload)?;
    let text = |name: &str| open.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    if payload_type == ACTION_PAYLOAD_TYPE {
        let kind = format!("action {}", text("action"));
        return Ok(Artifact::Foreign(ForeignReceipt { kind, said: from_slice(payload)? }));
    }
    if text("type") != RECEIPT_TYPE {
        return Err(TreeshipError::Type(text("type")));
    }
    if text("kind") != BOUNDARY_KIND {
        return Ok(Artifact::Foreign(ForeignReceipt { kind: text("kind"), said: from_slice(payload)? }));
    }
    let receipt: Receipt = from_slice(payload)?;
    boundary(receipt).map(|proof| Artifact::BoundaryProof(Box::new(proof)))
}

fn boundary(receipt: Receipt) -> Result<BoundaryProof, TreeshipError> {
    let Receipt { payload, subject, system, timestamp, .. } = receipt;
    if payload.schema != BOUNDARY_SCHEMA {
        return Err(TreeshipError::Type(payload.schema));
    }
    if subject.artifact_id != payload.subject_ref {
        return Err(TreeshipError::Subject { subject: subject.artifact_id, payload: payload.subject_ref });
    }
    check_texts(&payload)?;
    if payload.diet.is_empty() {
        return Err(TreeshipError::EmptyDiet);
    }
    let mut labels = Asserted::one("system", &system);
    for (name, label) in [
        ("actor.uri", payload.actor.uri),
        ("checker.uri", payload.checker.uri),
        ("policy.ref", payload.policy.reference),
    ] {
        if let Some(label) = label {
            labels = labels.and(name, &label);
        }
    }
    Ok(BoundaryProof {
        proven: ProvenBoundary {
            actor: payload.actor.keyid,
            anchor: payload.committed_at.anchor,
            checker: payload.checker.keyid,
            decision: payload.decision,
            diet: payload.diet,
            diet_root: payload.diet_root,
            policy: payload.policy.digest,
            subject_ref: payload.subject_ref,
        },
        said: SaidBoundary {
            labels: labels.and("committed_at.ts", &payload.committed_at.ts).and("timestamp", &timestamp),
            outcome: payload.outcome.unwrap_or_default(),
            asserted: payload.asserted.unwrap_or_default(),
        },
    })
}

/// The published form's patterns and least lengths.
fn check_texts(payload: &Boundary) -> Result<(), TreeshipError> {
    let hex = |text: &str| text.len() >= 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_id = payload.subject_ref.strip_prefix("art_").is_some_and(hex);
    let something = "something";
    for (field, text, good, expected) in [
        ("subject_ref", &payload.subject_ref, is_id, "art_ and at least 16 lower-case hex digits"),
        ("actor.keyid", &payload.actor.keyid, !payload.actor.keyid.is_empty(), something),
        ("checker.keyid", &payload.checker.keyid, !payload.checker.keyid.is_empty(), something),
        ("committed_at.anchor", &payload.committed_at.anchor, !payload.committed_at.anchor.is_empty(), something),
    ] {
        if !good {
            return Err(TreeshipError::Text { field, expected, text: text.clone() });
        }
    }
    Ok(())
}

fn from_slice<T: serde::de::DeserializeOwned>(payload: &[u8]) -> Result<T, TreeshipError> {
    serde_json::from_slice(payload).map_err(|error| TreeshipError::Shape(error.to_string()))
}
