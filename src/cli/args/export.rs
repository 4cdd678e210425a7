//! `export` and `import`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::shared::{Publishing, Signing, words};
use crate::app::export::Format;

/// `git boundary export`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary export HEAD --output fix.bundle\n\nHEAD is exported unless something is named. Somebody else verifies the file with\n'git boundary verify --bundle fix.bundle --trust-root <digest>', anywhere."
)]
pub struct Export {
    /// A proof, a proposal, an envelope, a session of the gateway, a revision or a range
    #[arg(value_name = "what")]
    pub what: Option<String>,
    /// What to write: a bundle, the signed envelopes, or a summary
    #[arg(long, value_name = "format", default_value = Format::Bundle.name(), value_parser = words(&Format::ALL, Format::name))]
    pub format: Format,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "file", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Judge a range by this ref's rule, where it names none
    #[arg(long = "ref", value_name = "ref")]
    pub reference: Option<String>,
    /// Take this clone's whole ledger along, for 'git boundary import' elsewhere
    #[arg(long)]
    pub with_ledger: bool,
    #[command(flatten)]
    pub signing: Signing,
}

/// `git boundary import`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary import fix.bundle\n\nA proof counts here once the ledger in which it was frozen is here too: its checker exports it\nwith 'git boundary export <proof> --with-ledger'."
)]
pub struct Import {
    /// A bundle, or signed lines; '-' for standard input
    #[arg(value_name = "file", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    #[command(flatten)]
    pub publishing: Publishing,
}
