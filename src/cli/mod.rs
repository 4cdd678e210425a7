//! CLI: the command line and the screen. Each subcommand is one file: it reads its arguments, calls one use case, and prints the
//! value that comes back.

#![expect(
    clippy::disallowed_methods,
    reason = "the room that speaks for the process: clock, streams, variables, programs"
)]

mod annotations;
mod approval;
mod args;
mod bridge;
mod bundle;
mod check;
mod checkpoint;
mod ci;
mod completions;
mod context;
mod contradict;
mod demo;
mod diff;
mod dispatch;
mod doctor;
pub mod duration;
pub mod error;
mod evidence;
pub mod exit;
mod export;
mod gateway;
mod handoff;
mod hook;
mod import;
mod init;
mod key;
mod lifecycle;
pub mod man;
mod manual;
pub mod out;
mod panic;
mod policy;
pub mod progress;
mod propose;
mod read;
mod records;
pub mod report;
mod sarif;
pub mod stream;
mod sync;
pub mod terminal;
#[cfg(test)]
mod testing;
pub mod text;
mod trust;
mod usage;
mod verify;

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use self::args::{Args, Command};
pub use self::context::{Context, World};
pub use self::error::CliError;
pub use self::exit::Exit;
pub use self::out::{Fields, Out, Table};
pub use self::report::{Json, Report};
use self::stream::Stream;
pub use self::text::{Paint, Text};
use crate::git::Environment;

/// The whole program, for this process.
pub fn main() -> ExitCode {
    panic::report_panics();
    let args: Vec<OsString> = std::env::args_os().collect();
    // Asked by every installer and prompt, so it waits for nothing.
    if matches!(args.get(1..), Some([only]) if only == "--version" || only == "-V") {
        return version(Stream::plain(io::stdout())).into();
    }
    match Environment::from_process() {
        Ok(environment) => run(args, World::of_process(environment)).into(),
        Err(error) => {
            let error = CliError::fatal(format!("cannot tell the current directory: {error}"));
            error.show(usage::wants_json(&args), &mut Stream::plain(io::stdout()), &mut Stream::plain(io::stderr()));
            error.exit.into()
        }
    }
}

/// The definition of the command line, for whoever wants to look something up in it.
pub fn command_line() -> clap::Command {
    Args::command()
}

/// The whole program in a given world; `args` begins with the program's name.
///
/// This is also the only way to run it at another time than now: no variable, option or file can set the clock.
pub fn run(args: impl IntoIterator<Item = OsString>, mut world: World) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    let parsed = match Args::of_hook(&args).map_or_else(|| Args::try_parse_from(&args), Ok) {
        Ok(parsed) => parsed,
        Err(error) => return usage::answer(&error, usage::wants_json(&args), &mut world),
    };
    let entered = enter(&parsed.global.directories, &mut world);
    let context = Context::new(world, parsed.global.json);
    match entered.and_then(|()| dispatch(parsed.command, &context)) {
        Ok(exit) => exit,
        Err(error) => {
            context.fail(&error);
            error.exit
        }
    }
}

fn dispatch(command: Command, context: &Context) -> Result<Exit, CliError> {
    match command {
        Command::Init(args) => init::run(&args, context),
        Command::Demo(args) => demo::run(&args, context),
        Command::Key(args) => key::run(args, context),
        Command::Trust(args) => trust::run(args, context),
        Command::Policy(args) => policy::run(args, context),
        Command::Handoff(args) => handoff::run(args, context),
        Command::Prepare(args) => propose::run_prepare(&args, context),
        Command::Propose(args) => propose::run(&args, context),
        Command::Check(args) => check::run(args, context),
        Command::Submit(args) => dispatch::run_submit(&args, context),
        Command::Push(args) => dispatch::run_push(&args, context),
        Command::Settle(args) => dispatch::run_settle(&args, context),
        Command::Sync(args) => sync::run(&args, context),
        Command::Baseline(args) => propose::run_baseline(&args, context),
        Command::Override(args) => contradict::run_override(&args, context),
        Command::Contradict(args) => contradict::run(&args, context),
        Command::Approvals(args) => approval::run_list(&args, context),
        Command::Approve(args) => approval::run_approve(&args, context),
        Command::Reject(args) => approval::run_reject(&args, context),
        Command::Evidence(args) => evidence::run(args, context),
        Command::Read(args) => read::run(&args, context),
        Command::Correct(args) => lifecycle::run_correct(&args, context),
        Command::Supersede(args) => lifecycle::run_supersede(&args, context),
        Command::Verify(args) => verify::run(&args, context),
        Command::Log(args) => records::run_log(&args, context),
        Command::Show(args) => records::run_show(&args, context),
        Command::Audit(_) => records::run_audit(context),
        Command::Checkpoint(args) => checkpoint::run(args, context),
        Command::Import(args) => import::run(&args, context),
        Command::Export(args) => export::run(&args, context),
        Command::Doctor(args) => doctor::run(&args, context),
        Command::Gateway(args) => gateway::run(args, context),
        Command::Hook(args) => hook::run(args, context),
        Command::Completions(args) => completions::run(&args, context),
        Command::Manual(args) => manual::run(&args, context),
    }
}

/// Each `-C` counts from the one before, and an empty one changes nothing, as for git.
fn enter(directories: &[OsString], world: &mut World) -> Result<(), CliError> {
    for directory in directories.iter().filter(|directory| !directory.is_empty()) {
        let target = world.environment.cwd().join(directory);
        let entered = if world.is_process { std::env::set_current_dir(&target) } else { is_directory(&target) };
        entered.map_err(|error| CliError::fatal(format!("cannot change to {directory:?}: {error}")))?;
        world.environment = world.environment.clone().in_directory(target);
    }
    Ok(())
}

fn is_directory(path: &Path) -> io::Result<()> {
    if path.metadata()?.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

fn version(mut stdout: Stream) -> Exit {
    let line = concat!("git-boundary ", env!("CARGO_PKG_VERSION"), "\n");
    report::deliver(line.as_bytes(), Exit::Ok, &mut stdout).unwrap_or_else(|error| {
        error.show(false, &mut Stream::plain(io::sink()), &mut Stream::plain(io::stderr()));
        error.exit
    })
}

#[cfg(test)]
mod tests;
