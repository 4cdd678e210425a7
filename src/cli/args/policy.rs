//! `policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::shared::{Publishing, Signing};

/// `git boundary policy …`
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "command", disable_help_subcommand = true)]
pub enum Policy {
    /// Read the rules and print them as canonical JSON with their digest
    Compile(Compile),
    /// Compile the rules and put them in force
    Sign(Sign),
    /// Show the policy in force
    Show(Show),
    /// Say which rule governs a ref, and what it asks for
    Explain(Explain),
}

/// `git boundary policy compile`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary policy compile boundary.toml")]
pub struct Compile {
    /// The rules as people write them, or - for standard input
    #[arg(value_name = "file", default_value = "boundary.toml", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
}

/// `git boundary policy sign`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary policy sign boundary.toml")]
pub struct Sign {
    /// The rules as people write them, or - for standard input
    #[arg(value_name = "file", default_value = "boundary.toml", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary policy show`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary policy show")]
pub struct Show {}

/// `git boundary policy explain`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary policy explain main .github/workflows/ci.yml")]
pub struct Explain {
    /// The ref, in full or as a branch name
    #[arg(value_name = "ref")]
    pub reference: String,
    /// Paths, to be told which of them need an approval
    #[arg(value_name = "path", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,
}
