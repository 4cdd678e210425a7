//! ANSWER: what verifying a bundle comes to. Never a bare "verified": which checks were made, and which could not be, is part of it.

use std::fmt::Display;

use serde::Serialize;

use super::form::AboutKind;
use super::session::SessionSeen;
use crate::app::verify::ProofShown;
use crate::gate::verdict::Outcome;
use crate::model::decision::ReasonGiven;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, KeyId, Oid, RepositoryId};
use crate::model::refusal::Code;

/// Most defects that are told.
const MOST_DEFECTS: usize = 50;

/// The answer.
#[derive(Debug, Serialize)]
pub struct BundleAnswer {
    /// `verified_as_bundled`, `refused` or `undecided`.
    pub verdict: &'static str,
    /// The failing code of lowest rank.
    pub primary_code: Option<Code>,
    /// All codes by rank.
    pub codes: Vec<Code>,
    /// What the bundle is about.
    pub about: Option<AboutSeen>,
    /// The repository.
    pub repository: Option<RepositoryId>,
    /// The trust version used, which is the bundle's last.
    pub trust_version: Option<u64>,
    /// The pinned root.
    pub trust_root: Digest,
    /// Where the pin came from.
    pub pinned_by: &'static str,
    /// The policy in force in the bundle.
    pub policy: Option<Digest>,
    /// How many artifacts were verified.
    pub artifacts: u64,
    /// The ledgers, each under its signed checkpoint.
    pub ledgers: Vec<LedgerSeen>,
    /// What is wrong with the file itself.
    pub defects: Vec<Defect>,
    /// The checks that were made.
    pub checks: Vec<CheckMade>,
    /// The checks that a bundle leaves open.
    pub not_made: Vec<String>,
    /// Boundary proofs with their five checks.
    pub proofs: Vec<ProofShown>,
    /// Each commit of a range.
    pub commits: Vec<CommitSeen>,
    /// A session, once all of it was looked at.
    pub session: Option<SessionSeen>,
    /// Sentences for the codes.
    pub reasons: Vec<ReasonGiven>,
    /// Why nothing can be decided.
    pub gaps: Vec<String>,
    /// What is seen beside the answer and decides nothing.
    pub remarks: Vec<String>,
    #[serde(skip)]
    /// For the exit status.
    pub outcome: Outcome,
}

/// What a bundle is about.
#[derive(Debug, Serialize)]
pub struct AboutSeen {
    /// What kind of thing.
    pub kind: AboutKind,
    /// Its artifact.
    pub artifact: Option<ArtifactId>,
    /// In a line.
    pub text: String,
}

/// A ledger.
#[derive(Debug, Serialize)]
pub struct LedgerSeen {
    /// The registrar's label and id.
    pub registrar: String,
    /// Its key.
    pub registrar_id: KeyId,
    /// Whether it is listed.
    pub listed: bool,
    /// How many entries its checkpoint is over.
    pub size: u64,
    /// The root under it.
    pub root: Digest,
    /// How many of them the bundle shows.
    pub entries: u64,
}

/// What is wrong with the file.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Defect {
    /// What of it: an artifact, an entry, a chain.
    pub what: String,
    /// The defect.
    pub text: String,
}

/// A check that was made.
#[derive(Debug, Serialize)]
pub struct CheckMade {
    /// What was looked at.
    pub about: String,
    /// Which check.
    pub check: String,
    /// `holds`, `fails` or `not_applicable`.
    pub state: &'static str,
    /// What was found.
    pub text: String,
}

/// A commit of a range.
#[derive(Debug, Serialize)]
pub struct CommitSeen {
    /// The commit.
    pub oid: Oid,
    /// `covered`, `refused` or `undecided`.
    pub status: &'static str,
    /// The proposal that covers it.
    pub envelope: Option<ArtifactId>,
}

impl BundleAnswer {
    /// Before anything was looked at.
    pub(in crate::app) fn of(root: Digest, pinned_by: &'static str) -> Self {
        BundleAnswer {
            verdict: "undecided",
            primary_code: None,
            codes: Vec::new(),
            about: None,
            repository: None,
            trust_version: None,
            trust_root: root,
            pinned_by,
            policy: None,
            artifacts: 0,
            ledgers: Vec::new(),
            defects: Vec::new(),
            checks: Vec::new(),
            not_made: Vec::new(),
            proofs: Vec::new(),
            commits: Vec::new(),
            session: None,
            reasons: Vec::new(),
            gaps: Vec::new(),
            remarks: Vec::new(),
            outcome: Outcome::Undecided,
        }
    }

    /// Something is wrong with the file.
    pub(in crate::app) fn defect(&mut self, what: &str, text: impl Display) {
        if self.defects.len() < MOST_DEFECTS {
            self.defects.push(Defect { what: what.to_owned(), text: text.to_string() });
        }
    }

    /// A check was made.
    pub(super) fn made(&mut self, about: &str, check: &str, state: &'static str, text: impl Display) {
        let (about, check) = (about.to_owned(), check.to_owned());
        self.checks.push(CheckMade { about, check, state, text: text.to_string() });
    }

    /// Draws the conclusion. Nothing seen is nothing verified.
    pub(super) fn conclude(&mut self) {
        self.codes = self.reasons.iter().map(|reason| reason.code).collect();
        self.codes.sort_unstable();
        self.codes.dedup();
        let refused = !self.defects.is_empty() || !self.reasons.is_empty();
        let seen = self.checks.iter().any(|check| check.state == "holds");
        self.outcome = match (refused, self.gaps.is_empty() && seen) {
            (true, _) => Outcome::Refused,
            (false, true) => Outcome::Admitted,
            (false, false) => Outcome::Undecided,
        };
        self.verdict = match self.outcome {
            Outcome::Admitted => "verified_as_bundled",
            Outcome::Refused => "refused",
            Outcome::Undecided => "undecided",
        };
        if self.outcome == Outcome::Undecided {
            self.codes.push(Code::SnapshotUnavailable);
        }
        self.primary_code = self.codes.first().copied();
    }
}
