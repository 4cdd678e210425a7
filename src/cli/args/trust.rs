//! `trust`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::shared::{Publishing, Signing, words};
use crate::model::digest::Digest;
use crate::model::party::Role;
use crate::model::time::Timestamp;
use crate::model::trust::LastCheckpoint;

/// `git boundary trust …`
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "command", disable_help_subcommand = true)]
pub enum Trust {
    /// Show the trust document in force and where its pin came from
    Show(Show),
    /// Pin the trust whose first version has this digest
    Pin(Pin),
    /// Add a key in the roles it needs
    Add(Add),
    /// End a key
    Revoke(Revoke),
    /// Put a new key in an old one's place, or change how many roots it takes, or until when it holds
    Rotate(Rotate),
    /// Sign a version that waits for more roots
    Cosign(Cosign),
    /// Add the keys of an allowed signers file, each called by its principal
    ImportAllowedSigners(ImportAllowedSigners),
    /// Print the keys as an allowed signers file, for ssh-keygen and git
    ExportAllowedSigners(ExportAllowedSigners),
}

/// `git boundary trust import-allowed-signers`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary trust import-allowed-signers .allowed_signers --role person\n\nAll of them come in one version of the trust document."
)]
pub struct ImportAllowedSigners {
    /// The file; '-' for standard input
    #[arg(value_name = "file", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// What they may sign; may be given several times
    #[arg(long = "role", value_name = "role", required = true, value_delimiter = ',', value_parser = words(&Role::ALL, Role::name))]
    pub roles: Vec<Role>,
    /// Who answers for all of them; each one's principal unless named
    #[arg(long, value_name = "domain")]
    pub domain: Option<String>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary trust export-allowed-signers`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary trust export-allowed-signers > ~/.allowed_signers\n  git config gpg.ssh.allowedSignersFile ~/.allowed_signers"
)]
pub struct ExportAllowedSigners {
    /// Only keys in this role; may be given several times
    #[arg(long = "role", value_name = "role", value_delimiter = ',', value_parser = words(&Role::ALL, Role::name))]
    pub roles: Vec<Role>,
}

/// `git boundary trust show`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary trust show")]
pub struct Show {}

/// `git boundary trust pin`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary trust pin sha256:6d1f…\n\nTake the digest from a person you trust, not from the repository."
)]
pub struct Pin {
    /// The digest of version 1
    #[arg(value_name = "digest")]
    pub digest: Digest,
}

/// `git boundary trust add`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary trust add codex --role actor --new-key")]
pub struct Add {
    /// The label of the key, or the key itself: an id, a path or a public key line
    #[arg(value_name = "label|key")]
    pub who: String,
    /// What it may sign; may be given several times
    #[arg(long = "role", value_name = "role", required = true, value_delimiter = ',', value_parser = words(&Role::ALL, Role::name))]
    pub roles: Vec<Role>,
    /// Who answers for it; the label unless named
    #[arg(long, value_name = "domain")]
    pub domain: Option<String>,
    /// Make the key first
    #[arg(long)]
    pub new_key: bool,
    /// A foreign id of the same key; may be given several times
    #[arg(long = "alias", value_name = "id")]
    pub aliases: Vec<String>,
    /// Not valid before this time, such as 2026-06-06T00:00:00Z
    #[arg(long, value_name = "time")]
    pub valid_from: Option<Timestamp>,
    /// Not valid after this time
    #[arg(long, value_name = "time")]
    pub valid_until: Option<Timestamp>,
    /// What to call it in the trust document
    #[arg(long, value_name = "label")]
    pub label: Option<String>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary trust revoke`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary trust revoke codex")]
pub struct Revoke {
    /// The key, by label or id
    #[arg(value_name = "key")]
    pub who: String,
    /// From this time on, instead of from now on
    #[arg(long, value_name = "time")]
    pub at: Option<Timestamp>,
    /// Of a registrar, the last checkpoint that is honoured, its entries and root, instead of the last one here
    #[arg(long, value_name = "checkpoint", value_parser = checkpoint)]
    pub last_checkpoint: Option<LastCheckpoint>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary trust rotate`
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  git boundary trust rotate codex\n  git boundary trust rotate --threshold 2\n  git boundary trust rotate --expires 2027-06-06T00:00:00Z\n\nWhat the old key signed stays what it was, by a clock that it does not set."
)]
pub struct Rotate {
    /// The key that ends, by label or id
    #[arg(value_name = "key")]
    pub who: Option<String>,
    /// The key that takes its place, instead of a new one: an id, a path or a public key line
    #[arg(long, value_name = "key", requires = "who")]
    pub to: Option<String>,
    /// What to call the key that takes its place
    #[arg(long, value_name = "label", requires = "who")]
    pub label: Option<String>,
    /// How many root signatures the next changes take
    #[arg(long, value_name = "n", value_parser = clap::value_parser!(u64).range(1..))]
    pub threshold: Option<u64>,
    /// Until when the trust document holds
    #[arg(long, value_name = "time", conflicts_with = "no_expiry")]
    pub expires: Option<Timestamp>,
    /// Let the trust document hold without an end
    #[arg(long)]
    pub no_expiry: bool,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary trust cosign`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary trust cosign --key <root>\n\nIt shows what the version changes, and asks on a terminal."
)]
pub struct Cosign {
    /// The digest of the version, where several wait
    #[arg(value_name = "digest")]
    pub digest: Option<Digest>,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// A point in a ledger: `<entries>:sha256:<root>`.
fn checkpoint(text: &str) -> Result<LastCheckpoint, String> {
    let point = text.split_once(':').and_then(|(size, root)| {
        let size = size.parse::<u64>().ok().filter(|number| number.to_string() == size)?;
        Some(LastCheckpoint { root: root.parse().ok()?, size })
    });
    point.ok_or_else(|| "it is a number of entries, a colon and a root, such as 12:sha256:6d1f…".to_owned())
}
