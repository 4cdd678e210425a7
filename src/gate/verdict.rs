//! VERDICT: what a judgement says. A value, never an error.

use std::collections::BTreeMap;

use crate::model::decision::CheckVerdict;
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::refusal::{Check, Code};

use super::facts::Gap;

/// One reason against an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The code.
    pub code: Code,
    /// What to type next, complete; `None` where no command helps.
    pub command: Option<String>,
    /// Why, with both values.
    pub text: String,
}

impl Finding {
    /// A finding without a command.
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        Finding { code, command: None, text: text.into() }
    }

    /// With the command that helps.
    #[must_use]
    pub fn with_command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }
}

/// How one commit of the judged range stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitStanding {
    /// Codes against it.
    pub codes: Vec<Code>,
    /// The proposal that covers it, or that was judged for it.
    pub envelope: Option<Digest>,
    /// The commit.
    pub oid: Oid,
    /// In a word.
    pub status: CommitStatus,
}

/// The word for a commit's standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitStatus {
    /// A passing proposal's range holds it.
    Covered,
    /// A listed person signed it, and the rule lets that count.
    Person,
    /// A merge that touches nothing of its own.
    Merge,
    /// Adopted by an owner as it is.
    Baseline,
    /// Nothing covers it.
    Refused,
    /// It can't be told.
    Undecided,
}

impl CommitStatus {
    /// The word stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            CommitStatus::Covered => "covered",
            CommitStatus::Person => "person",
            CommitStatus::Merge => "merge",
            CommitStatus::Baseline => "baseline",
            CommitStatus::Refused => "refused",
            CommitStatus::Undecided => "undecided",
        }
    }
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing stands against it, and everything was looked at.
    Admitted,
    /// Something stands against it.
    Refused,
    /// Nothing known stands against it, and something could not be looked at.
    Undecided,
}

/// A judgement.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// Other ways on than the command of a finding, in sentences. No reasons.
    pub advice: Vec<String>,
    /// What each check said.
    pub checks: BTreeMap<Check, CheckVerdict>,
    /// Each commit of the range, newest first.
    pub commits: Vec<CommitStanding>,
    /// What stands against it, by rank.
    pub findings: Vec<Finding>,
    /// What could not be looked at.
    pub gaps: Vec<Gap>,
    /// Whether a rule governs the ref at all.
    pub governed: bool,
    /// Remarks for people: whose clock counted, lines set aside.
    pub notices: Vec<String>,
    /// The answer.
    pub outcome: Outcome,
    /// The proposal that was judged for the tip, or that got furthest.
    pub proposal: Option<Digest>,
    /// Proposals that pass and were needed.
    pub used: Vec<Digest>,
}

impl Verdict {
    /// The primary code: the failing one of lowest rank; `snapshot.unavailable` where only gaps stand in the way.
    pub fn primary(&self) -> Option<Code> {
        match self.outcome {
            Outcome::Admitted => None,
            Outcome::Refused => self.findings.first().map(|finding| finding.code),
            Outcome::Undecided => Some(Code::SnapshotUnavailable),
        }
    }

    /// Whether nothing stands against it but that an owner's approval is still to come.
    pub fn awaits_approval(&self) -> bool {
        self.outcome == Outcome::Refused && self.findings.iter().all(|finding| finding.code == Code::ApprovalMissing)
    }

    /// All codes by rank, each once.
    pub fn codes(&self) -> Vec<Code> {
        let mut codes: Vec<Code> = self.findings.iter().map(|finding| finding.code).collect();
        if !self.gaps.is_empty() {
            codes.push(Code::SnapshotUnavailable);
        }
        codes.sort_unstable();
        codes.dedup();
        codes
    }
}

/// What a message says of values of which there may be none.
pub(super) fn listed<T: std::fmt::Debug>(values: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = values.into_iter().map(|value| format!("{value:?}")).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
