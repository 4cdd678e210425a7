//! `git boundary hook`: installing, and the bodies that git runs.

mod report;

use std::ffi::OsString;
use std::path::PathBuf;

use serde::Serialize;

use super::args::hook::{Hook, Install};
use super::bridge::{self, exit_of};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use crate::app::doctor::{Diagnosis, Health};
use crate::app::push::{Pushed, judge_push};
use crate::app::receive;
use crate::app::server::{self, Server};
use crate::git::Repository;
use crate::hook::{
    self, Caller, HookName, HookState, InputDoubt, InstallError, InstallOptions, Installed, ReceiveLine, Stdin,
    read_push_lines, read_receive_lines,
};

pub(super) use self::report::explain;

/// What `hook install` did.
#[derive(Debug, Serialize)]
struct Done {
    #[serde(flatten)]
    installed: Installed,
    /// What a server has besides hooks.
    server: Option<Server>,
}

pub(super) fn run(args: Hook, context: &Context) -> Result<Exit, CliError> {
    match args {
        Hook::Install(args) => install(&args, context),
        Hook::Uninstall(_) => context.print(&hook::uninstall(&repository(context)?)?),
        Hook::Status(_) => context.print(&hook::status(&repository(context)?)?),
        Hook::Run(args) => {
            let (name, words) = args.parts()?;
            match name {
                HookName::PrePush => pre_push(&words, context),
                HookName::PreReceive => pre_receive(context),
                HookName::PostReceive => post_receive(context),
            }
        }
    }
}

fn repository(context: &Context) -> Result<Repository, CliError> {
    Ok(Repository::discover(&context.environment)?)
}

fn install(args: &Install, context: &Context) -> Result<Exit, CliError> {
    if !args.server {
        if args.pinning.trust_root.is_some() || args.pinning.min_trust_version.is_some() {
            return Err(CliError::usage(
                "only a server's hooks are installed with a trust root; a clone pins one by itself",
            )
            .hint("git boundary init --trust-root <root>"));
        }
        return context.print(&Done { installed: put(context, false)?, server: None });
    }
    let app = bridge::app(context, &Default::default(), Default::default(), args.pinning);
    // Before the first hook is there, so that none judges by nothing.
    let server = server::prepare(&app)?;
    context.print(&Done { installed: put(context, true)?, server: Some(server) })
}

fn put(context: &Context, server: bool) -> Result<Installed, CliError> {
    Ok(hook::install(&repository(context)?, &InstallOptions { server, binary: binary(context)? })?)
}

/// The file that hooks will start: this program under its own name, else what PATH has under that name. A program that merely links
/// the library must never be recorded: every push would start it anew.
pub(super) fn binary(context: &Context) -> Result<PathBuf, CliError> {
    const NAME: &str = "git-boundary";
    let running = std::env::current_exe()
        .map_err(|error| CliError::fatal(format!("the path of this program can't be told: {error}")))?;
    if running.file_stem().is_some_and(|stem| stem == NAME) {
        return Ok(running);
    }
    let path = context.environment.var("PATH").unwrap_or_default().to_owned();
    std::env::split_paths(&path)
        .map(|directory| directory.join(NAME))
        .find(|file| file.is_absolute() && file.is_file())
        .ok_or_else(|| {
            CliError::fatal(format!("{} is not {NAME}, and PATH has none", running.display()))
                .hint("cargo install git-boundary")
        })
}

/// Installs the client's hook for `init`; says where.
pub(super) fn install_quietly(context: &Context) -> Result<String, CliError> {
    let installed = put(context, false)?;
    let paths: Vec<String> = installed.hooks.iter().map(|hook| hook.path.display().to_string()).collect();
    Ok(paths.join(", "))
}

/// The hooks' part of `doctor`.
pub(super) fn diagnose(context: &Context, repair: bool, diagnosis: &mut Diagnosis) {
    let status = || repository(context).and_then(|repository| Ok(hook::status(&repository)?));
    if repair && let Ok(before) = status() {
        let concerned = before.concerned();
        for server in [false, true] {
            if concerned.iter().any(|name| HookName::of(server).contains(name)) {
                mend(context, server, diagnosis);
            }
        }
    }
    match status() {
        Ok(status) => {
            let concerned = status.concerned();
            for one in status.hooks.iter().filter(|one| concerned.contains(&one.name)) {
                let health = if one.state.is_sound() { Health::Good } else { Health::Bad };
                let text = one.remedy.clone().unwrap_or_else(|| format!("git runs ours from {}", one.path.display()));
                diagnosis.add("hooks", health, text, one.command.clone());
            }
        }
        Err(error) => diagnosis.add("hooks", Health::Bad, error.message, None),
    }
}

fn mend(context: &Context, server: bool, diagnosis: &mut Diagnosis) {
    match put(context, server) {
        Ok(installed) if installed.hooks.iter().any(|hook| hook.changed) => {
            diagnosis.repaired.push("hooks installed".to_owned());
        }
        Ok(_) => {}
        Err(error) => diagnosis.add("hooks", Health::Bad, error.message, error.hints.into_iter().next()),
    }
}

/// Judges a push. Standard input is read to its end before anything else, or git would die of a closed pipe.
fn pre_push(args: &[OsString], context: &Context) -> Result<Exit, CliError> {
    let remote = args.first().and_then(|arg| arg.to_str()).unwrap_or_default().to_owned();
    let lines = context.stdin(|stdin| read_push_lines(stdin)).map_err(CliError::fatal)?;
    let caller = Caller::new(&context.environment, Stdin::of_process());
    if let Some(doubt) = caller.doubt(&lines) {
        return Err(CliError::undecided(format!("undecided: {doubt}")).hint("git boundary hook install"));
    }
    if lines.is_empty() && stands_behind_others(context) {
        return Err(CliError::undecided(format!("undecided: {}", InputDoubt::NothingHandedOver))
            .hint("git boundary doctor --repair"));
    }
    let refs: Vec<Pushed> =
        lines.into_iter().map(|line| Pushed { reference: line.remote_ref, old: line.old, new: line.new }).collect();
    let answer = judge_push(&bridge::reading(context), &remote, &refs)?;
    let exit = exit_of(answer.outcome);
    if exit != Exit::Ok || context.json {
        context.print_to_people(&answer)?;
    }
    Ok(exit)
}

/// Whether our lines are not the first of the hook, so that those before may have read the list.
fn stands_behind_others(context: &Context) -> bool {
    let status = repository(context).and_then(|repository| Ok(hook::status(&repository)?));
    status.is_ok_and(|status| {
        status.hooks.iter().any(|one| one.name == HookName::PrePush && one.state == HookState::AfterOthers)
    })
}

/// The moves that git asks a server about. Standard input is read to its end before anything else.
fn moves(context: &Context) -> Result<Vec<Pushed>, CliError> {
    let lines = context.stdin(|stdin| read_receive_lines(stdin)).map_err(CliError::fatal)?;
    let pushed = |line: ReceiveLine| Pushed { reference: line.ref_name, old: line.old, new: line.new };
    Ok(lines.into_iter().map(pushed).collect())
}

fn pre_receive(context: &Context) -> Result<Exit, CliError> {
    let lines = moves(context)?;
    let answer = receive::judge_receive(&bridge::reading(context), &lines)?;
    let exit = exit_of(answer.outcome);
    if exit != Exit::Ok || context.json {
        context.print_to_people(&answer)?;
    }
    Ok(exit)
}

fn post_receive(context: &Context) -> Result<Exit, CliError> {
    let lines = moves(context)?;
    let recorded = receive::record(&bridge::reading(context), &lines)?;
    if context.json || !recorded.without_receipts.is_empty() {
        return context.print_to_people(&recorded);
    }
    Ok(Exit::Ok)
}

impl From<InstallError> for CliError {
    fn from(error: InstallError) -> Self {
        CliError::fatal(error)
    }
}
