//! `check`.

use std::ffi::OsString;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Subcommand};

use super::input::Input;
use super::shared::{Publishing, Signing, words};
use crate::model::boundary_proof::CheckDecision;

/// `git boundary check …`
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "command", disable_help_subcommand = true)]
pub enum Check {
    /// Commit to what will be read, before anything is decided
    Begin(Begin),
    /// Decide on what 'begin' committed to, and sign the proof
    Decide(Decide),
    /// Do both around a command, whose exit status decides
    Run(Run),
}

/// What will be read.
#[derive(Debug, Clone, Args)]
pub struct Diet {
    /// What is read: diff, or class=file, class=git:rev, class=sha256:…; may be given several times
    #[arg(long = "input", value_name = "input", required = true,
          value_parser = OsStringValueParser::new().try_map(Input::parse))]
    pub inputs: Vec<Input>,
}

/// `git boundary check begin`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary check begin --input diff --input test_result=report.json --key reviewer-bot"
)]
pub struct Begin {
    /// The proposal, by id, digest or commit; the one on HEAD unless named
    #[arg(value_name = "proposal")]
    pub proposal: Option<String>,
    #[command(flatten)]
    pub diet: Diet,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary check decide`
#[derive(Debug, Args)]
#[command(
    allow_missing_positional = true,
    after_help = "Example:\n  git boundary check decide allow --key reviewer-bot"
)]
pub struct Decide {
    /// The proposal, by id, digest or commit; the one on HEAD unless named
    #[arg(value_name = "proposal")]
    pub proposal: Option<String>,
    /// The decision
    #[arg(value_name = "decision", required = true, value_parser = words(&CheckDecision::ALL, CheckDecision::name))]
    pub decision: CheckDecision,
    /// What to say about it, for people
    #[arg(long, value_name = "text")]
    pub note: Option<String>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary check run`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary check run --input diff --key reviewer-bot -- cargo test\n\nThe command runs in a clean checkout of the proposal's commit. Exit status 0 allows,\n125 abstains, others deny; 126, 127 and a signal decide nothing."
)]
pub struct Run {
    /// The proposal, by id, digest or commit; the one on HEAD unless named
    #[arg(value_name = "proposal")]
    pub proposal: Option<String>,
    #[command(flatten)]
    pub diet: Diet,
    /// What to say about it, for people
    #[arg(long, value_name = "text")]
    pub note: Option<String>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
    /// The command and its arguments
    #[arg(value_name = "command", required = true, last = true)]
    pub command: Vec<OsString>,
}
