//! `hook`.

use crate::hook::HookName;
use std::ffi::OsString;

use clap::{Args, Subcommand};

use super::shared::Pinning;
use crate::cli::error::CliError;

/// `git boundary hook …`
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "command", disable_help_subcommand = true)]
pub enum Hook {
    /// Install the hooks beside those that are there
    Install(Install),
    /// Remove what 'install' put there, and nothing else
    Uninstall(Uninstall),
    /// Say whether git will run our hooks
    Status(Status),
    /// Run as a hook; git does this
    #[command(subcommand)]
    Run(Run),
}

/// `git boundary hook install`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary hook install\n\nIn the repository that others push to:\n  git boundary hook install --server --trust-root sha256:6d1f…"
)]
pub struct Install {
    /// Install what judges and records whatever is pushed to this repository
    #[arg(long)]
    pub server: bool,
    #[command(flatten)]
    pub pinning: Pinning,
}

/// `git boundary hook uninstall`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary hook uninstall")]
pub struct Uninstall {}

/// `git boundary hook status`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary hook status")]
pub struct Status {}

/// `git boundary hook run`
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "hook", disable_help_subcommand = true)]
pub enum Run {
    /// The hook's name and what git passes to it. Taken raw: a remote's name or URL must never be read as an option of ours.
    #[command(external_subcommand)]
    Named(Vec<OsString>),
}

impl Run {
    /// The hook and its arguments.
    ///
    /// # Errors
    /// A hook that has no work here, as a usage error: what calls it must not take it for done.
    pub fn parts(self) -> Result<(HookName, Vec<OsString>), CliError> {
        let Run::Named(mut words) = self;
        let args = words.split_off(words.len().min(1));
        let name = words.pop().unwrap_or_default();
        match HookName::ALL.into_iter().find(|hook| name == hook.as_str()) {
            Some(hook) => Ok((hook, args)),
            None => Err(CliError::usage(format!("{name:?} is no hook with work here"))
                .hint("the hooks are pre-push, pre-receive and post-receive")),
        }
    }
}
