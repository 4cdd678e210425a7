//! Evidence about a result: what a test run or a look at the running thing showed, and of which artifact (contract, sections 5 and 9).

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::id::Oid;

/// A test result as in-toto has it (`test-result/v0.1`), as far as anything here depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestResult {
    /// Commits that its subjects name by `gitCommit`.
    pub commits: Vec<Oid>,
    /// Tests that failed, by name.
    pub failed: Vec<String>,
    /// Tests that passed.
    pub passed: Vec<String>,
    /// The result as a whole.
    pub result: TestOutcome,
    /// SHA-256 digests of its subjects: a result about an artifact of ours names it by its full digest.
    pub subjects: Vec<Digest>,
    /// Tests that passed with warnings.
    pub warned: Vec<String>,
}

impl TestResult {
    /// Whether it passed, with no failure in it.
    pub fn passes(&self) -> bool {
        self.result == TestOutcome::Passed && self.failed.is_empty()
    }
}

/// The three results that in-toto knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TestOutcome {
    /// All is well.
    Passed,
    /// It passed with warnings, which is not passed here.
    Warned,
    /// It failed.
    #[default]
    Failed,
}

/// The predicate of an `observation`: what somebody saw of the running thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuntimeObservation {
    /// How it looked.
    pub result: ObservedResult,
    /// The artifact it is about: a work receipt.
    pub subject: Digest,
    /// What was looked at, in words.
    pub what: String,
}

/// How it looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObservedResult {
    /// As it should.
    Passed,
    /// Not as it should.
    Failed,
}

impl ObservedResult {
    /// Both.
    pub const ALL: [ObservedResult; 2] = [ObservedResult::Passed, ObservedResult::Failed];

    /// The word stored and typed.
    pub fn name(self) -> &'static str {
        match self {
            ObservedResult::Passed => "passed",
            ObservedResult::Failed => "failed",
        }
    }
}
