//! The command line: one place that the parser, the help, the man page and the completions all come from (contract, section 12).

pub mod approval;
pub mod check;
pub mod checkpoint;
pub mod dispatch;
pub mod evidence;
pub mod export;
pub mod gateway;
pub mod handoff;
pub mod hook;
pub mod init;
pub mod input;
pub mod key;
pub mod manual;
pub mod policy;
pub mod proposal;
pub mod read;
pub mod shared;
pub mod sync;
pub mod trust;
pub mod verify;

use std::ffi::OsString;

use clap::builder::OsStringValueParser;
use clap::{ArgAction, Parser, Subcommand, ValueHint};

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "git-boundary",
    bin_name = "git boundary",
    version,
    about = "Pin work to a revision, prove who checked it, refuse pushes that lack either",
    after_help = "Begin with 'git boundary demo', the whole story in a throw-away repository, or with\n'git boundary init' in a clone of yours. 'git boundary manual' explains the ideas.",
    max_term_width = 100
)]
pub struct Args {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

impl Args {
    /// The same as the parser makes of what git's hooks are called with, without setting the parser up for every command there is:
    /// that is a tenth of what a hook may take.
    pub fn of_hook(args: &[OsString]) -> Option<Self> {
        let [_, hook, run, words @ ..] = args else { return None };
        // Before the hook's name an option is ours; behind it nothing is.
        let named = words.first()?.to_str().is_some_and(|name| !name.is_empty() && !name.starts_with('-'));
        (hook == "hook" && run == "run" && named).then(|| Args {
            global: Global::default(),
            command: Command::Hook(hook::Hook::Run(hook::Run::Named(words.to_vec()))),
        })
    }
}

/// What every command takes.
#[derive(Debug, Default, clap::Args)]
pub struct Global {
    /// Print JSON, one object a line
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,
    /// Run as if started in this directory
    #[arg(short = 'C', value_name = "dir", global = true, action = ArgAction::Append, value_parser = OsStringValueParser::new(),
          value_hint = ValueHint::DirPath,
          help_heading = "Everywhere")]
    pub directories: Vec<OsString>,
}

/// The commands.
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "command", subcommand_help_heading = "Commands")]
pub enum Command {
    /// Set a clone up: trust, policy, registrar, hooks and a baseline
    Init(init::Init),
    /// Tell the whole story in a throw-away repository, refusals included
    Demo(init::Demo),
    /// Make and show the keys that you can sign with
    #[command(subcommand)]
    Key(key::Key),
    /// Show and change who is trusted with what
    #[command(subcommand)]
    Trust(trust::Trust),
    /// Compile, sign, show and explain the rules
    #[command(subcommand)]
    Policy(policy::Policy),
    /// Give work to a key, pinned to a commit, within a scope and a time
    #[command(subcommand)]
    Handoff(handoff::Handoff),
    /// Print a draft of a proposal for the work done
    Prepare(proposal::Prepare),
    /// Sign a proposal as its actor and record it
    Propose(proposal::Propose),
    /// Check a proposal and sign what was read and decided
    #[command(subcommand)]
    Check(check::Check),
    /// Judge a proposal and record the decision
    Submit(dispatch::Submit),
    /// Push a branch with its receipts, once, and look whether it arrived
    Push(dispatch::Push),
    /// Record how admitted pushes ended
    Settle(dispatch::Settle),
    /// Fetch and verify others' receipts, and publish this clone's own
    Sync(sync::Sync),
    /// Adopt the history up to a commit as it is
    Baseline(proposal::Baseline),
    /// Set aside one checker's denial or abstention, as an owner
    Override(evidence::Override),
    /// Say that an artifact is wrong, or that this is resolved
    Contradict(evidence::Contradict),
    /// List work that waits for an owner's approval
    Approvals(approval::Approvals),
    /// Approve exactly what a proposal asks for, once
    Approve(approval::Approve),
    /// Reject what a proposal asks for
    Reject(approval::Reject),
    /// Sign and record what shows how a result turned out
    #[command(subcommand)]
    Evidence(evidence::Evidence),
    /// Read the whole life of one envelope, its first decision always
    Read(read::Read),
    /// Note that a later version corrects a decided envelope
    Correct(read::Correct),
    /// Note that another envelope supersedes a decided one
    Supersede(read::Supersede),
    /// Verify revisions, ranges or branches against everything recorded
    Verify(verify::Verify),
    /// List decisions about the commits of a range
    Log(verify::Log),
    /// Show an artifact, an envelope or all about a commit
    Show(verify::Show),
    /// Count decisions by checker, denials and unfinished checks included
    Audit(verify::Audit),
    /// Write a proof, an envelope or a range to one file for others to verify
    Export(export::Export),
    /// Take in a bundle or signed lines that somebody handed over as a file
    Import(export::Import),
    /// Show ledgers' signed heads, and cosign them as a witness
    #[command(subcommand)]
    Checkpoint(checkpoint::Checkpoint),
    /// Look for what is amiss in this clone, and mend it on request
    Doctor(verify::Doctor),
    /// Bind an agent to a worktree, so that it can look, propose and wait, and nothing else
    #[command(subcommand)]
    Gateway(gateway::Gateway),
    /// Install, remove, inspect and run the hooks
    #[command(subcommand)]
    Hook(hook::Hook),
    /// Print a completion script for a shell
    Completions(manual::Completions),
    /// Read a page of the manual
    Manual(manual::Manual),
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
