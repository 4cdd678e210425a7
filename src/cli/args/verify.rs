//! `verify`, `log`, `show`, `audit` and `doctor`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::shared::{Pinning, words};
use crate::model::boundary_proof::CheckDecision;

/// `git boundary verify`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary verify origin/main\n\nHEAD is verified unless something is named; with --ci what the job of a forge is about:\n\n  git boundary verify --ci --trust-root sha256:6d1f… --min-trust-version 3\n\nExit status 0 is verified, 1 not verified,\n2 undecided."
)]
pub struct Verify {
    /// Revisions, ranges or branches
    #[arg(value_name = "rev|range")]
    pub revisions: Vec<String>,
    /// Verify this file instead, which takes no repository
    #[arg(long, value_name = "file", value_hint = ValueHint::FilePath, conflicts_with = "revisions")]
    pub bundle: Option<PathBuf>,
    /// Judge by this ref's rule, where the revision names none
    #[arg(long = "ref", value_name = "ref")]
    pub reference: Option<String>,
    #[command(flatten)]
    pub pinning: Pinning,
    #[command(flatten)]
    pub job: Job,
    /// Print for people, for machines (as --json), as SARIF 2.1.0, or with annotations for GitHub
    #[arg(long, value_name = "format", value_enum)]
    pub format: Option<Format>,
}

/// What only the job of a pipeline asks.
#[derive(Debug, Clone, Default, Args)]
pub struct Job {
    /// Judge what the job of a forge is about: GitHub, GitLab, Forgejo or Gitea
    #[arg(long)]
    pub ci: bool,
    /// Mint the work receipts of what is verified, as the registrar of the pipeline
    #[arg(long, requires = "ci")]
    pub receipt: bool,
    /// The file with that registrar's key
    #[arg(long, value_name = "file", requires = "receipt")]
    pub key: Option<PathBuf>,
    /// Fetch nothing that is missing
    #[arg(long, requires = "ci")]
    pub no_fetch: bool,
}

/// How the answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// One object of JSON
    Json,
    /// A log in the Static Analysis Results Interchange Format
    Sarif,
    /// For people, and with the annotations that GitHub shows
    Github,
}

/// `git boundary log`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary log origin/main..HEAD --decision deny")]
pub struct Log {
    /// The commits, instead of everything that is recorded here
    #[arg(value_name = "range")]
    pub range: Option<String>,
    /// Only decisions by this key
    #[arg(long, value_name = "key")]
    pub checker: Option<String>,
    /// Only decisions of this kind
    #[arg(long, value_name = "decision", value_parser = words(&CheckDecision::ALL, CheckDecision::name))]
    pub decision: Option<CheckDecision>,
}

/// `git boundary show`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary show HEAD")]
pub struct Show {
    /// An artifact (art_… or sha256:…), an envelope (env_…) or a revision
    #[arg(value_name = "what")]
    pub what: String,
}

/// `git boundary audit`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary audit --json")]
pub struct Audit {}

/// `git boundary doctor`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary doctor")]
pub struct Doctor {
    /// Mend what can be mended without losing a line
    #[arg(long)]
    pub repair: bool,
}
