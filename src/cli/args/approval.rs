//! `approvals`, `approve` and `reject`.

use std::time::Duration;

use clap::Args;

use super::shared::{Publishing, Signing, length};

/// `git boundary approvals`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary approvals")]
pub struct Approvals {
    /// Also those that were approved or rejected
    #[arg(long)]
    pub all: bool,
}

/// `git boundary approve`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary approve origin/agent/fix --key ada\n\nIt shows all that it would sign for, and on a terminal asks first."
)]
pub struct Approve {
    /// The proposal, by revision, id or digest, instead of the one on HEAD
    #[arg(value_name = "envelope")]
    pub proposal: Option<String>,
    /// How long it may be used, such as 8h or 2d; as long as leases are by the policy unless told
    #[arg(long, value_name = "duration", value_parser = length)]
    pub ttl: Option<Duration>,
    /// The registrar that may act on it, instead of the one that recorded the proposal
    #[arg(long, value_name = "key")]
    pub registrar: Option<String>,
    /// Why, for people
    #[arg(long, value_name = "text")]
    pub reason: Option<String>,
    /// Sign without asking
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary reject`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary reject origin/agent/fix --reason 'not this way' --key ada")]
pub struct Reject {
    /// The proposal, by revision, id or digest, instead of the one on HEAD
    #[arg(value_name = "envelope")]
    pub proposal: Option<String>,
    /// Why, for people
    #[arg(long, value_name = "text")]
    pub reason: Option<String>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}
