//! `git boundary completions`.

use clap::CommandFactory as _;
use clap_complete::{Shell as Generator, generate};

use super::args::Args;
use super::args::manual::{Completions, Shell};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;

pub(super) fn run(args: &Completions, context: &Context) -> Result<Exit, CliError> {
    context.deliver(script(args.shell).as_bytes())
}

/// The script for one shell.
fn script(shell: Shell) -> String {
    let mut out = Vec::new();
    let g = match shell {
        Shell::Bash => Generator::Bash,
        Shell::Zsh => Generator::Zsh,
        Shell::Fish => Generator::Fish,
    };
    generate(g, &mut Args::command(), "git-boundary", &mut out);
    String::from_utf8(out).expect("utf8")
}
