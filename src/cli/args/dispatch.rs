//! `submit`, `push` and `settle`.

use clap::Args;

use super::shared::{Publishing, Signing};

/// `git boundary submit`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary submit\n\nIt judges as a push now would be judged, and records the decision. Where only an owner's approval is\nlacking, the work is admitted to wait for that."
)]
pub struct Submit {
    /// The proposal, by revision, id or digest, instead of the one on HEAD
    #[arg(value_name = "envelope")]
    pub proposal: Option<String>,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary push`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary push origin agent/fix --key codex\n\nIt fetches, proposes and submits where that is still needed, pushes the branch with its\nreceipts, and looks whether they arrived. A branch is pushed under its own name."
)]
pub struct Push {
    /// The remote, instead of the one that git would push to
    #[arg(value_name = "remote")]
    pub remote: Option<String>,
    /// The branch, instead of the current one
    #[arg(value_name = "ref")]
    pub reference: Option<String>,
    #[command(flatten)]
    pub signing: Signing,
    /// Push the branch alone, and leave its receipts to a later command
    #[arg(long)]
    pub no_publish: bool,
}

/// `git boundary settle`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary settle\n\nIt looks at the remote and records how admitted pushes ended, plain pushes included: once\neach, with a work receipt. Exit status 0 says that it looked, and not that all is complete."
)]
pub struct Settle {
    /// The proposal, by revision, id or digest, instead of all that is open
    #[arg(value_name = "envelope")]
    pub proposal: Option<String>,
    /// Close it as unknown where the remote does not hold it, since nobody can say any more how it ended
    #[arg(long, requires = "proposal")]
    pub unknown: bool,
    /// The remote to look at, instead of the one that git would push to
    #[arg(long, value_name = "remote")]
    pub remote: Option<String>,
    #[command(flatten)]
    pub publishing: Publishing,
}
