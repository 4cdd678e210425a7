//! `checkpoint`.

use clap::{Args, Subcommand};

use super::shared::Publishing;

/// `git boundary checkpoint …`
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "command", disable_help_subcommand = true)]
pub enum Checkpoint {
    /// Show the signed heads of the ledgers that are here, and who cosigned them
    Show(Show),
    /// Print this clone's own signed head, to be given to a witness
    Sign(Sign),
    /// Cosign the heads of other registrars' ledgers, as a witness
    Cosign(Cosign),
}

/// `git boundary checkpoint show`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary checkpoint show")]
pub struct Show {
    /// The registrar, by label or id, instead of all
    #[arg(value_name = "registrar")]
    pub registrar: Option<String>,
}

/// `git boundary checkpoint sign`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary checkpoint sign > checkpoint")]
pub struct Sign {}

/// `git boundary checkpoint cosign`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git fetch && git boundary checkpoint cosign\n\nThe witness is this clone's registrar. It cosigns what is signed, whole, and goes on from what\nthis clone saw before. A proof is witnessed when that happens between 'check begin' and\n'check decide', by a witness in a third domain."
)]
pub struct Cosign {
    /// The registrar, by label or id, instead of all
    #[arg(value_name = "registrar")]
    pub registrar: Option<String>,
    #[command(flatten)]
    pub publishing: Publishing,
}
