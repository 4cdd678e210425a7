//! in-toto Statement v1 around every own predicate (contract, section 2).

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{canonical, strict};
use crate::model::id::{Oid, RepositoryId};
use crate::model::party::Role;

/// The media type of own statements and of in-toto's.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// Predicate type of test results as CI tools emit them; read by its own rules, never a statement of ours.
pub const TEST_RESULT: &str = "https://in-toto.io/attestation/test-result/v0.1";
/// The statement type.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";

macro_rules! kinds {
    ($($kind:ident $name:literal $role:ident $doc:literal;)*) => {
        /// The kinds of own statement.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $(#[doc = $doc] $kind,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind),*];

            /// The word in `urn:git-boundary:<kind>:v1`.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$kind => $name,)* }
            }

            /// The role that signs it. `approval` and `contradiction` have more to say; see the checks.
            pub fn role(self) -> Role {
                match self { $(Kind::$kind => Role::$role,)* }
            }
        }
    };
}

kinds! {
    Trust "trust" Root "The trust document.";
    Policy "policy" Owner "A version of the policy.";
    Handoff "handoff" Owner "Work given away.";
    Revocation "revocation" Owner "A handoff ended.";
    Baseline "baseline" Owner "History adopted.";
    Override "override" Owner "A denial set aside.";
    EvidenceEnvelope "evidence-envelope" Actor "A proposal.";
    ContextReceipt "context-receipt" Registrar "What an actor was shown.";
    DietCommitment "diet-commitment" Checker "What a checker committed to reading.";
    Approval "approval" Owner "An action approved or rejected.";
    Event "event" Registrar "A link of an envelope's life.";
    WorkReceipt "work-receipt" Registrar "What an action did.";
    Contradiction "contradiction" Evidence "An artifact contradicted.";
    Refusal "refusal" Registrar "A candidate that was not admitted.";
    Observation "observation" Evidence "What somebody saw of the running thing.";
    Installation "installation" Registrar "An agent bound to a workspace.";
    Session "session" Registrar "One launch of such an agent.";
    Access "access" Registrar "What an agent looked at.";
}

impl Kind {
    /// The full predicate type.
    pub fn predicate_type(self) -> String {
        format!("urn:git-boundary:{}:v1", self.name())
    }

    /// The kind of a predicate type, if it is one of ours.
    pub fn of_predicate_type(text: &str) -> Option<Kind> {
        let name = text.strip_prefix("urn:git-boundary:")?.strip_suffix(":v1")?;
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A predicate of one fixed kind.
pub trait Predicate: Serialize + DeserializeOwned {
    /// Its kind.
    const KIND: Kind;
}

/// Which revision a statement is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The commit.
    pub commit: Oid,
    /// The repository.
    pub repository: RepositoryId,
    /// The commit's tree.
    pub tree: Oid,
}

/// A predicate and its subject; `None` for trust and policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement<P> {
    /// What is said.
    pub predicate: P,
    /// About which revision.
    pub subject: Option<Subject>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "P: DeserializeOwned"))]
struct Wire<P> {
    #[serde(rename = "_type")]
    statement_type: String,
    predicate: P,
    #[serde(rename = "predicateType")]
    predicate_type: String,
    subject: Vec<WireSubject>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSubject {
    digest: WireDigest,
    name: RepositoryId,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireDigest {
    #[serde(rename = "gitCommit")]
    commit: Oid,
    #[serde(rename = "gitTree")]
    tree: Oid,
}

/// What is wrong with an own statement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StatementError {
    /// Not strict canonical JSON of this kind.
    #[error("no {kind} statement: {defect}")]
    Payload {
        /// The kind expected.
        kind: Kind,
        /// The defect.
        defect: strict::Defect,
    },
    /// The statement type or predicate type is another.
    #[error("a statement of kind {kind} and of type {found:?}")]
    Type {
        /// The kind expected.
        kind: Kind,
        /// The type found.
        found: String,
    },
    /// Trust and policy have no subject; all others have exactly one.
    #[error("a statement of kind {kind} with {found} subjects")]
    Subjects {
        /// The kind.
        kind: Kind,
        /// How many were found.
        found: usize,
    },
}

impl<P: Predicate> Statement<P> {
    /// The canonical payload.
    pub fn payload(&self) -> Vec<u8> {
        canonical::to_vec(&Wire {
            statement_type: STATEMENT_TYPE.to_owned(),
            predicate: &self.predicate,
            predicate_type: P::KIND.predicate_type(),
            subject: self
                .subject
                .iter()
                .map(|one| WireSubject {
                    digest: WireDigest { commit: one.commit, tree: one.tree },
                    name: one.repository,
                })
                .collect(),
        })
    }

    /// Reads a payload whose signature was verified before.
    ///
    /// # Errors
    /// [`StatementError`], naming kind and defect.
    pub fn read(payload: &[u8]) -> Result<Self, StatementError> {
        Statement::of(strict::read(payload))
    }

    /// The same of a payload that it has read before, in this process or another.
    ///
    /// # Errors
    /// [`StatementError`], where that is not so.
    pub fn read_again(payload: &[u8]) -> Result<Self, StatementError> {
        Statement::of(strict::read_again(payload))
    }

    fn of(wire: Result<Wire<P>, strict::Defect>) -> Result<Self, StatementError> {
        let kind = P::KIND;
        let wire = wire.map_err(|defect| StatementError::Payload { kind, defect })?;
        if wire.statement_type != STATEMENT_TYPE {
            return Err(StatementError::Type { kind, found: wire.statement_type });
        }
        if wire.predicate_type != kind.predicate_type() {
            return Err(StatementError::Type { kind, found: wire.predicate_type });
        }
        let wanted = usize::from(!matches!(kind, Kind::Trust | Kind::Policy));
        if wire.subject.len() != wanted {
            return Err(StatementError::Subjects { kind, found: wire.subject.len() });
        }
        let subject = wire.subject.into_iter().next().map(|one| Subject {
            commit: one.digest.commit,
            repository: one.name,
            tree: one.digest.tree,
        });
        Ok(Statement { predicate: wire.predicate, subject })
    }
}
