//! `boundary.toml`, the policy as people write it, and the canonical policy that it is compiled to (contract, section 4).

mod duration;
mod raw;
mod starter;
#[cfg(test)]
mod tests;

use std::fmt;

use sha2::{Digest as _, Sha256};

pub use duration::{NotADuration, parse_duration};
pub use starter::starter;

use crate::gate::policy_check::{Place, PolicyDefectKind, check_policy};
use crate::model::digest::{Digest, NotADigest};
use crate::model::id::{BadName, KeyId};
use crate::model::policy::Policy;

/// The file's name at the top of the tree.
pub const FILE_NAME: &str = "boundary.toml";

/// Compiles a policy file. `file` is the name that errors show; `resolve` gives the key that a label stands for.
///
/// A rule may leave out all but its refs. What it leaves out is the strict side of the starter's values: a handoff, `pin = "ancestor"`,
/// one proof from one domain, `strength = "self"`, diet classes `diff` and `test_result` permitted and `diff` required, `equality =
/// "commit"`, an approval for automation files, nothing adopted, no people.
pub fn compile(file: &str, text: &str, resolve: &dyn Fn(&str) -> Option<KeyId>) -> Result<Policy, PolicyFileError> {
    let fail = |offset: Option<usize>, problem| PolicyFileError {
        file: file.to_owned(),
        position: offset.map(|offset| Position::of(text, offset)),
        problem: Box::new(problem),
    };
    let raw: raw::RawPolicy = toml::from_str(text).map_err(|error| {
        let offset = error.span().map(|span| span.start);
        fail(offset, PolicyProblem::Toml(error.message().to_owned()))
    })?;
    let policy = raw.resolve(resolve).map_err(|(offset, problem)| fail(Some(offset), problem))?;
    check_policy(&policy).map_err(|defect| {
        let offset = raw.offset(&defect.place);
        fail(offset, PolicyProblem::Defect { place: defect.place, kind: defect.kind })
    })?;
    Ok(policy)
}

/// The canonical JSON of a policy (RFC 8785), without a newline.
pub fn canonical(policy: &Policy) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(policy).expect("a policy is texts, small whole numbers and lists of them")
}

/// The policy digest: SHA-256 of [`canonical`].
pub fn policy_digest(policy: &Policy) -> Digest {
    Digest(Sha256::digest(canonical(policy)).into())
}

/// A policy file that can't be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFileError {
    /// The file's name as it was given.
    pub file: String,
    /// Where in it, where there is such a place.
    pub position: Option<Position>,
    /// What is wrong.
    pub problem: Box<PolicyProblem>,
}

impl fmt::Display for PolicyFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(Position { line, column }) => write!(f, "{}:{line}:{column}: {}", self.file, self.problem),
            None => write!(f, "{}: {}", self.file, self.problem),
        }
    }
}

impl std::error::Error for PolicyFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.problem)
    }
}

/// A place in a text, both counted from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

impl Position {
    fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Position { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

/// What is wrong with a policy file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyProblem {
    /// It is no TOML, or has an unknown key or a value of the wrong type; in the words of the TOML reader.
    #[error("{0}")]
    Toml(String),
    /// Something begins with `key_` and is no key id.
    #[error(transparent)]
    KeyId(BadName),
    /// A label that no trusted key has.
    #[error("nobody is called {0:?} in the trust document; people are named by their key's label or key id")]
    UnknownPerson(String),
    /// An accepted digest that is none.
    #[error(transparent)]
    AcceptedDigest(NotADigest),
    /// The default lease is no duration.
    #[error(transparent)]
    Lease(NotADuration),
    /// What is no whole number, below zero, or more than anybody could mean.
    #[error("{0} is no number of {1}: expected a whole number from 0 to 1000")]
    Count(String, &'static str),
    /// It reads well and can't be applied.
    #[error("{place}: {kind}")]
    Defect {
        /// Where.
        place: Place,
        /// What.
        kind: PolicyDefectKind,
    },
}
