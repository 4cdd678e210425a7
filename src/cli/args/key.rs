//! `key`.

use clap::{Args, Subcommand};

/// `git boundary key …`
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "command", disable_help_subcommand = true)]
pub enum Key {
    /// Make a new Ed25519 key under a label
    New(New),
    /// List the labelled keys and those in the ssh-agent
    List(List),
    /// Show one key and its public half
    Show(Show),
}

/// `git boundary key new`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary key new codex")]
pub struct New {
    /// What to call it; also its file name
    #[arg(value_name = "label")]
    pub label: String,
}

/// `git boundary key list`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary key list")]
pub struct List {}

/// `git boundary key show`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary key show codex")]
pub struct Show {
    /// A label, a key id, a path or a public key line
    #[arg(value_name = "key")]
    pub key: String,
}
