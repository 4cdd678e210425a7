//! A value that is known with its provenance, or explicitly not (seed "evidence envelopes"; contract, section 5).

use serde::{Deserialize, Serialize};

use super::time::Timestamp;

/// Missing is never rounded up to assumed: a binding says what it is, where and when it was read, or why it is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fact<T> {
    /// Read from `source_ref` at `observed_at`.
    Known {
        /// When it was read.
        observed_at: Timestamp,
        /// Where it was read: a ref name, an artifact digest or a key.
        source_ref: String,
        /// What was read.
        value: T,
    },
    /// It should be there and could not be read.
    Unknown {
        /// Why.
        reason: Reason,
    },
    /// There is nothing that it could be.
    NotApplicable {
        /// Why.
        reason: Reason,
    },
}

impl<T> Fact<T> {
    /// A value with its provenance.
    pub fn known(value: T, source_ref: impl Into<String>, observed_at: Timestamp) -> Self {
        Fact::Known { observed_at, source_ref: source_ref.into(), value }
    }

    /// The value, if it is known.
    pub fn value(&self) -> Option<&T> {
        match self {
            Fact::Known { value, .. } => Some(value),
            Fact::Unknown { .. } | Fact::NotApplicable { .. } => None,
        }
    }
}

/// Why a value is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The proposal is a person's own work and names no handoff.
    NoHandoff,
    /// The ref is not known in this clone.
    RefNotFetched,
    /// The handoff names no ref with an observable position.
    RefAbsent,
}
