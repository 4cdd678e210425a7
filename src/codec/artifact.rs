//! What a payload turns out to be, once its signature is verified.

use super::in_toto::{Kind, PAYLOAD_TYPE, Predicate, STATEMENT_TYPE, Statement, StatementError, Subject, TEST_RESULT};
use super::strict;
use super::test_result::{self, TestResultError};
use super::treeship::{self, ForeignReceipt, TreeshipError};
use crate::model::boundary_proof::BoundaryProof;
use crate::model::context::ContextReceipt;
use crate::model::decision::{Approval, Contradiction, Override, RefusalReceipt, WorkReceipt};
use crate::model::diet::DietCommitment;
use crate::model::envelope::{Action, Envelope};
use crate::model::event::Event;
use crate::model::gateway::{AccessRecord, Installation, SessionSeal};
use crate::model::handoff::{Baseline, Handoff, Revocation};
use crate::model::id::Oid;
use crate::model::policy::PolicyVersion;
use crate::model::test_result::{RuntimeObservation, TestResult};
use crate::model::trust::TrustDocument;

macro_rules! predicates {
    ($($kind:ident $type:ident;)*) => {
        $(impl Predicate for $type {
            const KIND: Kind = Kind::$kind;
        })*

        /// A parsed payload.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Artifact {
            $(#[doc = concat!("A `", stringify!($type), "`.")] $kind(Box<Statement<$type>>),)*
            /// A checker's proof.
            BoundaryProof(Box<BoundaryProof>),
            /// A Treeship receipt or action by another producer: read, verified and shown; counts towards nothing.
            Foreign(ForeignReceipt),
            /// An in-toto test result, by its own rules.
            TestResult(Box<TestResult>),
            /// An in-toto statement with a predicate type that this version does not know.
            Unknown {
                /// The commit that its one subject names, if it does.
                commit: Option<Oid>,
                /// The predicate type as it stands.
                predicate_type: String,
            },
        }

        impl Artifact {
            fn read_own(kind: Kind, payload: &[u8], again: bool) -> Result<Artifact, StatementError> {
                match kind {
                    $(Kind::$kind => {
                        let read = if again { Statement::<$type>::read_again } else { Statement::<$type>::read };
                        read(payload).map(|it| Artifact::$kind(Box::new(it)))
                    })*
                }
            }

            /// The kind, for own statements.
            pub fn kind(&self) -> Option<Kind> {
                match self {
                    $(Artifact::$kind(_) => Some(Kind::$kind),)*
                    _ => None,
                }
            }

            /// The subject, for own statements that have one.
            pub fn subject(&self) -> Option<&Subject> {
                match self {
                    $(Artifact::$kind(statement) => statement.subject.as_ref(),)*
                    _ => None,
                }
            }
        }
    };
}

predicates! {
    Trust TrustDocument;
    Policy PolicyVersion;
    Handoff Handoff;
    Revocation Revocation;
    Baseline Baseline;
    Override Override;
    EvidenceEnvelope Envelope;
    ContextReceipt ContextReceipt;
    DietCommitment DietCommitment;
    Approval Approval;
    Event Event;
    WorkReceipt WorkReceipt;
    Contradiction Contradiction;
    Refusal RefusalReceipt;
    Observation RuntimeObservation;
    Installation Installation;
    Session SessionSeal;
    Access AccessRecord;
}

/// What is wrong with a payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// An own statement with a defect.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// A Treeship receipt with a defect.
    #[error(transparent)]
    Treeship(#[from] TreeshipError),
    /// A test result with a defect.
    #[error(transparent)]
    TestResult(#[from] TestResultError),
    /// A media type that nothing here reads.
    #[error("payload type {0:?} is none that is read here")]
    PayloadType(String),
    /// An in-toto payload that is no statement.
    #[error("no in-toto statement: {0}")]
    NoStatement(String),
    /// Subject and predicate name different revisions.
    #[error("subject and predicate of this {kind} name different revisions: {subject} and {predicate}")]
    Disagree {
        /// The kind.
        kind: Kind,
        /// The subject's commit or tree.
        subject: Oid,
        /// The predicate's.
        predicate: Oid,
    },
}

impl Artifact {
    /// Reads a payload of a given media type.
    ///
    /// # Errors
    /// [`PayloadError`], naming the kind and the defect.
    pub fn read(payload_type: &str, payload: &[u8]) -> Result<Artifact, PayloadError> {
        Artifact::read_by(payload_type, payload, false)
    }

    /// The same of a payload that it has read before, in this process or another: its spelling is not looked at again.
    ///
    /// # Errors
    /// [`PayloadError`], where that is not so.
    pub fn read_again(payload_type: &str, payload: &[u8]) -> Result<Artifact, PayloadError> {
        Artifact::read_by(payload_type, payload, true)
    }

    fn read_by(payload_type: &str, payload: &[u8], again: bool) -> Result<Artifact, PayloadError> {
        match payload_type {
            PAYLOAD_TYPE => {
                let Head { predicate_type, subject, .. } = head(payload)?;
                if predicate_type == TEST_RESULT {
                    return Ok(Artifact::TestResult(Box::new(test_result::read(payload)?)));
                }
                let Some(kind) = Kind::of_predicate_type(&predicate_type) else {
                    return Ok(Artifact::Unknown { commit: subject.and_then(commit_of), predicate_type });
                };
                let artifact = Artifact::read_own(kind, payload, again)?;
                artifact.check_agreement(kind)?;
                Ok(artifact)
            }
            treeship::RECEIPT_PAYLOAD_TYPE | treeship::ACTION_PAYLOAD_TYPE => {
                Ok(treeship::read(payload_type, payload)?)
            }
            other => Err(PayloadError::PayloadType(other.to_owned())),
        }
    }

    /// What an unverified payload says it is; for telling whose place a bad line claims, and for nothing else.
    pub fn claimed_kind(payload_type: &str, payload: &[u8]) -> Option<ClaimedKind> {
        match payload_type {
            PAYLOAD_TYPE => Kind::of_predicate_type(&head(payload).ok()?.predicate_type).map(ClaimedKind::Own),
            treeship::RECEIPT_PAYLOAD_TYPE => Some(ClaimedKind::BoundaryProof),
            _ => None,
        }
    }

    /// The commit in whose note this artifact belongs, where its own content says so.
    pub fn noted_on(&self) -> Option<Oid> {
        match self {
            Artifact::Unknown { commit, .. } => *commit,
            Artifact::TestResult(result) => result.commits.first().copied(),
            own => own.subject().map(|subject| subject.commit),
        }
    }

    fn check_agreement(&self, kind: Kind) -> Result<(), PayloadError> {
        let Some(subject) = self.subject() else { return Ok(()) };
        let (commit, tree) = match self {
            Artifact::Handoff(it) => (Some(it.predicate.pin.commit), Some(it.predicate.pin.tree)),
            Artifact::Baseline(it) => (Some(it.predicate.commit), None),
            Artifact::DietCommitment(it) => (Some(it.predicate.commit), Some(it.predicate.tree)),
            Artifact::EvidenceEnvelope(it) => (it.predicate.requested_action.as_ref().and_then(noted_commit), None),
            _ => (None, None),
        };
        for (subject, predicate) in [(subject.commit, commit), (subject.tree, tree)] {
            if let Some(predicate) = predicate
                && predicate != subject
            {
                return Err(PayloadError::Disagree { kind, subject, predicate });
            }
        }
        Ok(())
    }
}

/// The place that an unverified line claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimedKind {
    /// An own statement's.
    Own(Kind),
    /// A boundary proof's.
    BoundaryProof,
}

/// The new value, or for a deletion the old one: the commit in whose note the action's proposal stands. A tag's value can be a tag
/// object, whose commit only the repository knows.
fn noted_commit(action: &Action) -> Option<Oid> {
    if action.reference.starts_with("refs/tags/") {
        return None;
    }
    Some(if action.new.is_zero() { action.old } else { action.new })
}

/// What every in-toto statement has, whoever wrote it. Consumers ignore what they do not know.
#[derive(serde::Deserialize)]
struct Head<'a> {
    #[serde(rename = "_type")]
    statement_type: String,
    #[serde(rename = "predicateType")]
    predicate_type: String,
    #[serde(borrow, default)]
    subject: Option<&'a serde_json::value::RawValue>,
}

fn head(payload: &[u8]) -> Result<Head<'_>, PayloadError> {
    strict::bounds(payload).map_err(|defect| PayloadError::NoStatement(defect.to_string()))?;
    let head: Head = serde_json::from_slice(payload).map_err(|error| PayloadError::NoStatement(error.to_string()))?;
    if head.statement_type != STATEMENT_TYPE {
        return Err(PayloadError::NoStatement(format!("of type {:?}", head.statement_type)));
    }
    Ok(head)
}

fn commit_of(subject: &serde_json::value::RawValue) -> Option<Oid> {
    let subject: serde_json::Value = serde_json::from_str(subject.get()).ok()?;
    let [one] = subject.as_array()?.as_slice() else { return None };
    one.get("digest")?.get("gitCommit")?.as_str()?.parse().ok()
}
