//! A draft that comes back to be signed: bytes by whoever edited them meanwhile.

use crate::codec::artifact::{Artifact, PayloadError};
use crate::codec::in_toto::{PAYLOAD_TYPE, Statement};
use crate::model::context::{ContextReceipt, DeliveredKind};
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::fact::Fact;
use crate::model::id::{KeyId, Oid};

/// Why a draft is not signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DraftDefect {
    /// No bytes, which is what a command that failed hands on.
    #[error("it is empty")]
    Empty,
    /// No own statement.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// A statement of another kind.
    #[error("it is no proposal but {0}")]
    NoProposal(String),
    /// Another key than the one that signs is named as the actor.
    #[error("it was prepared for {prepared_for}, the key that signs is {signer}")]
    OtherActor {
        /// Whom it names; words where it names nobody.
        prepared_for: String,
        /// Who would sign.
        signer: KeyId,
    },
    /// It is bound to other content than was delivered for it.
    #[error("{what} in it is not what was delivered for it")]
    OtherContext {
        /// What differs.
        what: &'static str,
    },
    /// The context that it claims was not delivered.
    #[error("it claims the context {claimed}, which was never delivered to {signer} for this envelope")]
    UnknownContext {
        /// The receipt it names; words where it names none.
        claimed: String,
        /// Who would sign.
        signer: KeyId,
    },
}

/// A draft that this key may sign, once its context is known to have been delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The commit it is about.
    pub commit: Oid,
    /// What it says.
    pub statement: Statement<Envelope>,
}

impl Draft {
    /// Reads a draft as strictly as its line will be read once it is signed; one newline at its end is not part of it.
    ///
    /// # Errors
    /// [`DraftDefect`], naming the defect.
    pub fn read(bytes: &[u8], signer: KeyId) -> Result<Self, DraftDefect> {
        let payload = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        if payload.is_empty() {
            return Err(DraftDefect::Empty);
        }
        let artifact = Artifact::read(PAYLOAD_TYPE, payload)?;
        let statement = match artifact {
            Artifact::EvidenceEnvelope(statement) => *statement,
            other => {
                let kind =
                    other.kind().map_or_else(|| "a statement of an unknown kind".to_owned(), |it| it.to_string());
                return Err(DraftDefect::NoProposal(kind));
            }
        };
        let named = statement.predicate.bindings.actor.value();
        if named != Some(&signer) {
            let prepared_for = named.map_or_else(|| "nobody".to_owned(), ToString::to_string);
            return Err(DraftDefect::OtherActor { prepared_for, signer });
        }
        let commit = statement.subject.as_ref().expect("a proposal without a subject is not read").commit;
        Ok(Draft { commit, statement })
    }

    /// The context receipt that it claims.
    pub fn claimed_context(&self) -> Option<Digest> {
        self.statement.predicate.bindings.context.value().copied()
    }

    /// Whether the receipt found under [`Draft::claimed_context`] was delivered for this envelope, to this signer, with just the
    /// specification, handoff and refs that the draft is bound to (contract, section 7).
    ///
    /// # Errors
    /// [`DraftDefect::UnknownContext`] or [`DraftDefect::OtherContext`], the first difference.
    pub fn check_context(&self, signer: KeyId, delivered: Option<&ContextReceipt>) -> Result<(), DraftDefect> {
        let envelope = &self.statement.predicate;
        let claimed = self.claimed_context().map_or_else(|| "of nothing".to_owned(), |digest| digest.to_string());
        let receipt = delivered
            .filter(|receipt| receipt.envelope_id == envelope.envelope_id && receipt.actor == signer)
            .ok_or(DraftDefect::UnknownContext { claimed, signer })?;
        let of = |kind: DeliveredKind| -> Vec<Digest> {
            receipt.delivered.iter().filter(|item| item.kind == kind).map(|item| item.digest).collect()
        };
        let bound = |fact: &Fact<Digest>| fact.value().copied().into_iter().collect::<Vec<_>>();
        let bindings = &envelope.bindings;
        let other = |what: &'static str| Err(DraftDefect::OtherContext { what });
        let specification = of(DeliveredKind::Specification);
        if specification.len() != 1 || specification != bound(&bindings.assignment) {
            return other("the specification");
        }
        if of(DeliveredKind::Handoff) != bound(&bindings.lease) {
            return other("the handoff");
        }
        if receipt.snapshot.base.oid.filter(|oid| !oid.is_zero()).as_ref() != bindings.source_observed.value() {
            return other("where the base stood");
        }
        let destination = &receipt.snapshot.destination;
        let asked = envelope.requested_action.as_ref();
        if asked.is_some_and(|action| action.reference != destination.reference || Some(action.old) != destination.oid)
        {
            return other("the ref to be moved and where it stood");
        }
        Ok(())
    }
}
