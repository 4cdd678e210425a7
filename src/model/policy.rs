//! The policy: which refs are governed, and by what (contract, section 4).

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::id::{KeyId, RepositoryId};

/// One link of the policy chain, the predicate of a `policy` statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyVersion {
    /// The rules. The *policy digest* is the SHA-256 of this object as canonical JSON.
    pub policy: Policy,
    /// The artifact digest of the version before; `null` in version 1.
    pub previous: Option<Digest>,
    /// The repository it is for.
    pub repository: RepositoryId,
    /// 1, 2, 3, …
    pub version: u64,
}

/// Rules in order; the first whose pattern matches a ref governs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Digests of earlier policies that are still honoured.
    pub accept: Vec<Digest>,
    /// For refs that no rule matches.
    pub default: DefaultRule,
    /// How long a handoff's lease runs when `handoff create` is not told, in seconds.
    pub lease_seconds: u64,
    /// In order of precedence.
    pub rules: Vec<Rule>,
}

/// What happens to a ref without a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DefaultRule {
    /// It is not judged.
    Open,
    /// It is refused.
    Refuse,
}

/// What one set of refs asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Refs (exact names) whose content is taken as judged already: pin and base are left out of the range when the pinned ref is
    /// one of these.
    pub adopts: Vec<String>,
    /// Pathspecs whose change by an actor needs an owner's approval.
    pub approval_paths: Vec<String>,
    /// Whether a change to an automation file by an actor needs an owner's approval.
    pub automation_approval: bool,
    /// Least strength of the registrar's word for a context receipt.
    pub context_strength: Strength,
    /// Which input classes a checker may and must have read.
    pub diet: DietRule,
    /// When two commits count as the same.
    pub equality: Equality,
    /// Evidence kinds that a completion claim needs.
    pub evidence: Vec<String>,
    /// Whether an actor needs a handoff.
    pub handoff: bool,
    /// Keys that may propose without a handoff.
    pub people: Vec<KeyId>,
    /// Whether a commit signed with one of `people`'s SSH keys passes as it is.
    pub people_by_signature: bool,
    /// How exactly the pinned ref must still stand where it was pinned.
    pub pin: PinRule,
    /// How many allowing proofs, from how many domains, how strongly anchored.
    pub proofs: ProofRule,
    /// Ref globs.
    pub refs: Vec<String>,
}

/// How exactly the base must still be where it was pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PinRule {
    /// The pinned commit must still be in the base's history.
    Ancestor,
    /// The base must still be at the pinned commit.
    Exact,
}

/// When a commit counts as the proposal's tip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Equality {
    /// Only the very commit.
    Commit,
    /// Also a single-parent commit with the same, non-empty change list.
    Change,
}

/// Proofs wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofRule {
    /// How many counting proofs.
    pub count: u64,
    /// From how many distinct checker domains.
    pub domains: u64,
    /// Least strength of each anchor.
    pub strength: Strength,
}

/// Whose word an anchor or a receipt is, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    /// A registrar in the domain of the one it speaks for, or one that is not listed.
    #[serde(rename = "self")]
    Own,
    /// A listed registrar in another domain.
    Other,
    /// A cosigned checkpoint, witness in a third domain.
    Witnessed,
}

impl Strength {
    /// The word stored and typed.
    pub fn name(self) -> &'static str {
        match self {
            Strength::Own => "self",
            Strength::Other => "other",
            Strength::Witnessed => "witnessed",
        }
    }
}

/// Input classes of a checker's diet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DietRule {
    /// Classes that may be read.
    pub permitted: Vec<String>,
    /// Classes that must be read.
    pub required: Vec<String>,
}
