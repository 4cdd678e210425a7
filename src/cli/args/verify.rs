//! `verify`, `log`, `show`, `audit` and `doctor`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::shared::{Pinning, words};
use crate::model::boundary_proof::CheckDecision;

/// `git boundary verify`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary verify origin/main\n\nHEAD is verified unless something is named. Exit status 0 is verified, 1 not verified,\n2 undecided."
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
