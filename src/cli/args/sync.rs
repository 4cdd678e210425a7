//! `sync`.

use clap::Args;

use super::shared::Publishing;

/// `git boundary sync`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary sync\n\nIt fetches others' receipts, trust and policy, takes over what verifies and goes on from what was\nhere, and publishes this clone's own receipts. Nothing is ever forced, here or there."
)]
pub struct Sync {
    /// The remote, instead of the one that git would push to
    #[arg(value_name = "remote")]
    pub remote: Option<String>,
    #[command(flatten)]
    pub publishing: Publishing,
}
