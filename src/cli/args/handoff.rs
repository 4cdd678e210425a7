//! `handoff`.

use std::time::Duration;

use clap::{Args, Subcommand};

use super::shared::{Publishing, Signing, length, words};
use crate::model::operation::Grant;

/// `git boundary handoff …`
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "command", disable_help_subcommand = true)]
pub enum Handoff {
    /// Give work to a key, pinned to an exact commit
    Create(Create),
    /// List handoffs whose leases run, and whether their holders can work under them
    List(List),
    /// Show one handoff with its scope and lease
    Show(Show),
    /// Prolong a handoff, or pin it to a newer commit
    Renew(Renew),
    /// End a handoff before its time
    Revoke(Revoke),
}

/// `git boundary handoff create`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary handoff create --to codex --path 'src/**' --path ':!src/secrets'\n\nUnless told, it pins HEAD, covers refs/heads/agent/** and the current branch, and\ngrants add, modify, delete and mode of files, create and update of refs."
)]
pub struct Create {
    /// The key that gets the work
    #[arg(long, value_name = "key")]
    pub to: String,
    /// A pathspec that may be touched, from the top of the tree; may be given several times
    #[arg(long = "path", value_name = "pathspec", required = true, num_args = 1..)]
    pub paths: Vec<String>,
    /// A ref glob that may be pushed to; may be given several times
    #[arg(long = "ref", value_name = "glob", num_args = 1..)]
    pub refs: Vec<String>,
    /// The commit to pin, instead of HEAD
    #[arg(long, value_name = "rev")]
    pub at: Option<String>,
    /// The branch the work is meant for, instead of the current one
    #[arg(long, value_name = "ref")]
    pub pin_ref: Option<String>,
    /// What may be done, instead of the usual; may be given several times
    #[arg(long = "operation", value_name = "operation", value_delimiter = ',', value_parser = words(&Grant::ALL, Grant::name))]
    pub operations: Vec<Grant>,
    /// How long it lasts, such as 8h or 2d; the policy says it otherwise
    #[arg(long, value_name = "duration", value_parser = length)]
    pub ttl: Option<Duration>,
    /// The tracker's name for the work
    #[arg(long, value_name = "id")]
    pub work: Option<String>,
    /// What the work is, for people
    #[arg(long, value_name = "text")]
    pub summary: Option<String>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary handoff list`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary handoff list")]
pub struct List {
    /// Those that have ended too
    #[arg(long)]
    pub all: bool,
}

/// `git boundary handoff show`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary handoff show art_…")]
pub struct Show {
    /// The handoff, by id or digest
    #[arg(value_name = "handoff")]
    pub id: String,
}

/// `git boundary handoff renew`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary handoff renew art_… --at main")]
pub struct Renew {
    /// The handoff, by id or digest
    #[arg(value_name = "handoff")]
    pub id: String,
    /// How long from now, such as 8h or 2d
    #[arg(long, value_name = "duration", value_parser = length)]
    pub ttl: Option<Duration>,
    /// Pin this commit instead of the old one
    #[arg(long, value_name = "rev")]
    pub at: Option<String>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary handoff revoke`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary handoff revoke art_… --reason 'done by hand'")]
pub struct Revoke {
    /// The handoff, by id or digest
    #[arg(value_name = "handoff")]
    pub id: String,
    /// Why, for people
    #[arg(long, value_name = "text")]
    pub reason: Option<String>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}
