//! `hook`.

use std::ffi::OsString;

use clap::{Args, Subcommand};

use super::shared::words;

/// `git boundary hook …`
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "command")]
pub enum Hook {
    /// Install the hooks beside those that are there
    Install(Install),
    /// Remove what 'install' put there, and nothing else
    Uninstall(Uninstall),
    /// Say whether git will run our hooks
    Status(Status),
    /// Run as a hook; git does this
    Run(Run),
}

/// `git boundary hook install`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary hook install")]
pub struct Install {
    /// The hooks of a receiving repository
    #[arg(long)]
    pub server: bool,
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
#[derive(Debug, Args)]
pub struct Run {
    /// Which hook
    #[arg(value_name = "hook", value_parser = words(&HookName::ALL, HookName::name))]
    pub hook: HookName,
    /// What git passes to it
    #[arg(value_name = "arg", trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}

/// A hook of git that has work here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookName {
    /// On the pushing side.
    PrePush,
    /// On the receiving side, before the refs move.
    PreReceive,
    /// On the receiving side, afterwards.
    PostReceive,
}

impl HookName {
    /// All of them.
    pub const ALL: [HookName; 3] = [HookName::PrePush, HookName::PreReceive, HookName::PostReceive];

    /// git's name for it.
    pub fn name(self) -> &'static str {
        match self {
            HookName::PrePush => "pre-push",
            HookName::PreReceive => "pre-receive",
            HookName::PostReceive => "post-receive",
        }
    }
}
