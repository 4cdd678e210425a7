//! `gateway`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::shared::{Publishing, Signing};

/// `git boundary gateway …`
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "command", disable_help_subcommand = true)]
pub enum Gateway {
    /// Bind an agent to this worktree: measure it, compile its policy, sign what was found
    Setup(Setup),
    /// Find all of that again, seal a session, and start the agent with nothing but our tools
    Launch(Launch),
    /// Serve the tools of a session over the Model Context Protocol; a launch has the agent start it
    Serve(Serve),
    /// Show what was looked at in a session, and whether the record is whole
    Trace(Trace),
    /// Compare each value that was set up with what is found now
    Doctor(Doctor),
    /// Let our tools pass and deny all others; the agent's own hook starts it
    Hook(Hook),
}

/// `git boundary gateway setup`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary gateway setup claude\n\nThe current directory has to be the top of a worktree; none above it is searched for.\nWithout --policy all may be read but what usually holds secrets."
)]
pub struct Setup {
    /// The agent: claude, codex, or generic for any other client
    #[arg(value_name = "agent")]
    pub agent: String,
    /// The policy file, instead of the starter policy
    #[arg(long, value_name = "file")]
    pub policy: Option<PathBuf>,
    /// Where the agent's program is, instead of on PATH
    #[arg(long, value_name = "path")]
    pub program: Option<PathBuf>,
    /// An argument of a generic client, {mcp} standing for the file that names our server; may be given several times
    #[arg(long = "argument", value_name = "word", allow_hyphen_values = true)]
    pub arguments: Vec<String>,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary gateway launch`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary gateway launch claude --key codex -- \"Which tests are slow?\"\n\nWithout a key the agent may only look."
)]
pub struct Launch {
    /// The agent
    #[arg(value_name = "agent")]
    pub agent: String,
    /// What is passed on to it, as far as its adapter knows the words
    #[arg(value_name = "argument", last = true)]
    pub words: Vec<OsString>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary gateway serve`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary gateway serve claude --session 0123456789abcdef0123456789abcdef")]
pub struct Serve {
    /// The agent
    #[arg(value_name = "agent")]
    pub agent: String,
    /// The session's name; its token is in the environment
    #[arg(long, value_name = "name")]
    pub session: String,
}

/// `git boundary gateway trace`
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  git boundary gateway trace art_0123456789abcdef0123456789abcdef\n  git boundary gateway trace art_0123456789abcdef0123456789abcdef --output session.bundle\n\nSomebody else verifies the file with\n'git boundary verify --bundle session.bundle --trust-root <digest>', anywhere."
)]
pub struct Trace {
    /// The session, by its id; all that are noted on HEAD and the commits before it without one
    #[arg(value_name = "session")]
    pub session: Option<String>,
    /// Write the session as a bundle to this file instead of showing it; '-' for standard output
    #[arg(long, value_name = "file", value_hint = ValueHint::FilePath, requires = "session")]
    pub output: Option<PathBuf>,
}

/// `git boundary gateway doctor`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary gateway doctor claude")]
pub struct Doctor {
    /// The agent; all that are set up for this worktree without one
    #[arg(value_name = "agent")]
    pub agent: Option<String>,
}

/// `git boundary gateway hook`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  echo '{\"tool_name\":\"Bash\"}' | git boundary gateway hook")]
pub struct Hook {}
