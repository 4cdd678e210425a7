//! Who may sign what (contract, section 1).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a key is trusted to sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The trust document.
    Root,
    /// Policy, handoffs, revocations, approvals, baselines, overrides, contradictions.
    Owner,
    /// Proposals of their own work, where the rule lists them.
    Person,
    /// Evidence envelopes.
    Actor,
    /// Diet commitments and boundary proofs.
    Checker,
    /// Decisions, lifecycle events, context and work receipts, ledger checkpoints.
    Registrar,
    /// Test results, runtime observations, contradictions.
    Evidence,
}

impl Role {
    /// Every role, in the order in which the manual lists them.
    pub const ALL: [Role; 7] =
        [Role::Root, Role::Owner, Role::Person, Role::Actor, Role::Checker, Role::Registrar, Role::Evidence];

    /// The word stored and typed.
    pub fn name(self) -> &'static str {
        match self {
            Role::Root => "root",
            Role::Owner => "owner",
            Role::Person => "person",
            Role::Actor => "actor",
            Role::Checker => "checker",
            Role::Registrar => "registrar",
            Role::Evidence => "evidence",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Role::ALL.into_iter().find(|role| role.name() == text).ok_or_else(|| {
            let known: Vec<_> = Role::ALL.iter().map(|role| role.name()).collect();
            format!("{text:?} is no role; the roles are {}", known.join(", "))
        })
    }
}
