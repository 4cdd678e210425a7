//! `prepare`, `propose` and `baseline`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::shared::{Publishing, Signing};

/// What the actor wants, in its own words; everything else is derived.
#[derive(Debug, Clone, Default, Args)]
pub struct Intent {
    /// The ref to be pushed to, instead of the current branch
    #[arg(long = "ref", value_name = "ref")]
    pub reference: Option<String>,
    /// The commit to propose, instead of HEAD
    #[arg(long, value_name = "rev")]
    pub at: Option<String>,
    /// Claim that the work that was pushed is done, with the receipts and the evidence there are
    #[arg(long, conflicts_with = "reference")]
    pub completion: bool,
    /// Which work it is for, where several handoffs fit
    #[arg(long, value_name = "id")]
    pub work: Option<String>,
    /// Why, for people
    #[arg(long, value_name = "text")]
    pub reason: Option<String>,
    /// The same key makes a second call the same proposal
    #[arg(long, value_name = "key")]
    pub idempotency_key: Option<String>,
}

/// `git boundary prepare`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary prepare --key codex > draft.json\n  git boundary propose draft.json --key codex"
)]
pub struct Prepare {
    #[command(flatten)]
    pub intent: Intent,
    #[command(flatten)]
    pub signing: Signing,
}

/// `git boundary propose`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary propose --key codex\n\nWithout a draft one is prepared first. It records and warns; it judges nothing."
)]
pub struct Propose {
    /// A draft that 'prepare' printed, or - for standard input
    #[arg(value_name = "draft", value_hint = ValueHint::FilePath,
          conflicts_with_all = ["reference", "at", "work", "reason", "idempotency_key", "delete", "completion"])]
    pub draft: Option<PathBuf>,
    #[command(flatten)]
    pub intent: Intent,
    /// Propose to delete this ref
    #[arg(long, value_name = "ref", conflicts_with_all = ["reference", "at", "completion"])]
    pub delete: Option<String>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary baseline`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary baseline main")]
pub struct Baseline {
    /// The last commit to adopt, instead of HEAD
    #[arg(value_name = "rev")]
    pub rev: Option<String>,
    /// The ref that it stands for, where the revision names none
    #[arg(long = "ref", value_name = "ref")]
    pub reference: Option<String>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}
