//! `contradict`, `override` and `evidence`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand, ValueHint};

use super::shared::{Publishing, Signing, words};
use crate::model::test_result::ObservedResult;

/// `git boundary contradict`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary contradict origin/agent/fix --reason 'the report is of another build' --key ada\n\nAn owner's word counts, and that of a key for evidence. An open contradiction of a proposal, its\nhandoff or a proof refuses every push of that work until it is resolved."
)]
pub struct Contradict {
    /// What is contradicted, by id or digest; a revision stands for the one proposal on it
    #[arg(value_name = "artifact")]
    pub artifact: String,
    /// Why, for people
    #[arg(long, value_name = "text")]
    pub reason: Option<String>,
    /// Say it without refusing anything by it
    #[arg(long, conflicts_with = "resolve")]
    pub immaterial: bool,
    /// Resolve what is open against it
    #[arg(long)]
    pub resolve: bool,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary override`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary override art_0123456789abcdef0123456789abcdef --reason 'a flaky test' --key ada\n\nIt shows the decision that is set aside, and on a terminal asks first. The decision stays on record."
)]
pub struct Override {
    /// The proof that denies or abstains, by id or digest
    #[arg(value_name = "proof")]
    pub proof: String,
    /// Why, for people
    #[arg(long, value_name = "text", required = true, value_parser = NonEmptyStringValueParser::new())]
    pub reason: String,
    /// Sign without asking
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary evidence …`
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "command", disable_help_subcommand = true)]
pub enum Evidence {
    /// Sign and record a test result about what was done
    Add(Add),
    /// Sign and record what you saw of the running thing
    Observe(Observe),
    /// Record what an agent says of its own work, which counts for nothing
    Assert(Assert),
}

/// Whose result it is about.
#[derive(Debug, Clone, Default, Args)]
pub struct About {
    /// The proposal, by revision, id or digest, or its work receipt, instead of the proposal on HEAD
    #[arg(long = "for", value_name = "envelope")]
    pub envelope: Option<String>,
}

/// `git boundary evidence add`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary evidence add target/junit.xml --key ci-tests\n\nIt takes JUnit XML and in-toto test results. The key has the role 'evidence', in another domain\nthan the actor's, and is that of --key or boundary.evidenceKey."
)]
pub struct Add {
    /// The file, or - for standard input
    #[arg(value_name = "file", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    #[command(flatten)]
    pub about: About,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary evidence observe`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary evidence observe 'health check at noon' --result passed --key ci-tests"
)]
pub struct Observe {
    /// What you looked at
    #[arg(value_name = "words", value_parser = NonEmptyStringValueParser::new())]
    pub words: String,
    /// How it looked
    #[arg(long, value_name = "result", required = true, value_parser = words(&ObservedResult::ALL, ObservedResult::name))]
    pub result: ObservedResult,
    #[command(flatten)]
    pub about: About,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary evidence assert`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary evidence assert 'all of it works now'")]
pub struct Assert {
    /// What is said
    #[arg(value_name = "words", value_parser = NonEmptyStringValueParser::new())]
    pub words: String,
    /// The proposal, by revision, id or digest, instead of the one on HEAD
    #[arg(long = "for", value_name = "envelope")]
    pub envelope: Option<String>,
    #[command(flatten)]
    pub publishing: Publishing,
}
