//! `completions` and `manual`.

use clap::Args;

use super::shared::words;
use crate::manual::Page;

/// `git boundary completions`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  git boundary completions bash > ~/.local/share/bash-completion/completions/git-boundary\n\nThe scripts complete 'git-boundary' and 'git boundary' alike."
)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "shell", value_parser = words(&Shell::ALL, Shell::name))]
    pub shell: Shell,
}

/// A shell that is known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// GNU bash.
    Bash,
    /// The Z shell.
    Zsh,
    /// The friendly interactive shell.
    Fish,
}

impl Shell {
    /// All of them.
    pub const ALL: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Shell::Bash => "bash",
            Shell::Zsh => "zsh",
            Shell::Fish => "fish",
        }
    }
}

/// `git boundary manual`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git boundary manual refusals\n\nWithout a page it lists them.")]
pub struct Manual {
    /// The page
    #[arg(value_name = "page", value_parser = words(&Page::ALL, Page::name))]
    pub page: Option<Page>,
    /// Print the man page git-boundary(1) for an installer instead
    #[arg(long, conflicts_with = "page")]
    pub man: bool,
}
