//! `init` and `demo`.

use clap::Args;

use super::shared::{Pinning, Publishing, Signing};

/// `git boundary init`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary init\n\nWithout a remote, or with one that has no trust yet, this creates trust with your key\nas owner. A remote that has trust is joined, after you confirm its digest."
)]
pub struct Init {
    /// Join the trust that the remote has, and never create any
    #[arg(long)]
    pub join: bool,
    #[command(flatten)]
    pub pinning: Pinning,
    /// Install no hooks
    #[arg(long)]
    pub no_hooks: bool,
    #[command(flatten)]
    pub publishing: Publishing,
    #[command(flatten)]
    pub signing: Signing,
    /// Call the owner's key by this label in the trust document
    #[arg(long, value_name = "label")]
    pub label: Option<String>,
}

/// `git boundary demo`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary demo\n\nIt ends with 0 only if every step did what it should.")]
pub struct Demo {
    /// Leave the repository in place and print where it is
    #[arg(long)]
    pub keep: bool,
}
