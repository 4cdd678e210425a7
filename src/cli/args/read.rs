//! `read`, `correct` and `supersede`.

use clap::Args;

use super::shared::Publishing;

/// `git boundary read`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary read art_5d41402abc4b2a76b9719d911017c592 --check-contradictions\n\nWithout --check-contradictions nothing is looked up, and whether it still holds is unknown. Exit\nstatus 0 is a sound record, 2 one with a fault or with something missing; it is never 1."
)]
pub struct Read {
    /// The proposal, by revision, id or digest, instead of the one on HEAD
    #[arg(value_name = "envelope")]
    pub proposal: Option<String>,
    /// Look for what contradicts, corrects or supersedes it in everything that was read here, and say how far that goes
    #[arg(long)]
    pub check_contradictions: bool,
}

/// `git boundary correct`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary correct art_5d41402abc4b2a76b9719d911017c592 --by HEAD\n\nNothing is erased: the decision stays, and 'git boundary read' tells both."
)]
pub struct Correct {
    /// The proposal that was decided on, by revision, id or digest, instead of the one on HEAD
    #[arg(value_name = "envelope")]
    pub proposal: Option<String>,
    /// The later version of the same envelope that says it better
    #[arg(long, value_name = "envelope")]
    pub by: String,
    #[command(flatten)]
    pub publishing: Publishing,
}

/// `git boundary supersede`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary supersede art_5d41402abc4b2a76b9719d911017c592 --by HEAD\n\nNothing is erased: the decision stays, and 'git boundary read' tells both."
)]
pub struct Supersede {
    /// The proposal that was decided on, by revision, id or digest, instead of the one on HEAD
    #[arg(value_name = "envelope")]
    pub proposal: Option<String>,
    /// The proposal of another envelope that takes its place
    #[arg(long, value_name = "envelope")]
    pub by: String,
    #[command(flatten)]
    pub publishing: Publishing,
}
