//! `git boundary hook`: installing, and the bodies that git runs.

use std::ffi::OsString;
use std::path::PathBuf;

use super::args::hook::Hook;
use super::bridge::{self, exit_of, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::described::word;
use crate::app::doctor::{Diagnosis, Health};
use crate::app::judge::Answer;
use crate::app::push::{PushAnswer, Pushed, judge_push};
use crate::git::Repository;
use crate::hook::{
    self, Caller, HookName, HookStatus, How, InstallError, InstallOptions, Installed, Stdin, Uninstalled,
    read_push_lines,
};

pub(super) fn run(args: Hook, context: &Context) -> Result<Exit, CliError> {
    match args {
        Hook::Install(_) => context.print(&install(context)?),
        Hook::Uninstall(_) => context.print(&hook::uninstall(&repository(context)?)?),
        Hook::Status(_) => context.print(&hook::status(&repository(context)?)?),
        Hook::Run(args) => {
            let (_, words) = args.parts()?;
            pre_push(&words, context)
        }
    }
}

fn repository(context: &Context) -> Result<Repository, CliError> {
    Ok(Repository::discover(&context.environment)?)
}

fn install(context: &Context) -> Result<Installed, CliError> {
    Ok(hook::install(&repository(context)?, &InstallOptions { server: false, binary: binary(context)? })?)
}

/// The file that hooks will start: this program under its own name, else what PATH has under that name. A program that merely links
/// the library must never be recorded: every push would start it anew.
fn binary(context: &Context) -> Result<PathBuf, CliError> {
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
    let installed = install(context)?;
    let paths: Vec<String> = installed.hooks.iter().map(|hook| hook.path.display().to_string()).collect();
    Ok(paths.join(", "))
}

/// The hooks' part of `doctor`.
pub(super) fn diagnose(context: &Context, repair: bool, diagnosis: &mut Diagnosis) {
    if repair {
        match install(context) {
            Ok(installed) if installed.hooks.iter().any(|hook| hook.changed) => {
                diagnosis.repaired.push("hooks installed".to_owned());
            }
            Ok(_) => {}
            Err(error) => diagnosis.add("hooks", Health::Bad, error.message, error.hints.into_iter().next()),
        }
    }
    let status = repository(context).and_then(|repository| Ok(hook::status(&repository)?));
    match status {
        Ok(status) => {
            for one in status.hooks.iter().filter(|one| HookName::of(false).contains(&one.name)) {
                let health = if one.state.is_sound() { Health::Good } else { Health::Bad };
                let text = one.remedy.clone().unwrap_or_else(|| format!("git runs ours from {}", one.path.display()));
                diagnosis.add("hooks", health, text, one.command.clone());
            }
        }
        Err(error) => diagnosis.add("hooks", Health::Bad, error.message, None),
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
    let refs: Vec<Pushed> =
        lines.into_iter().map(|line| Pushed { reference: line.remote_ref, old: line.old, new: line.new }).collect();
    let answer = judge_push(&bridge::reading(context), &remote, &refs)?;
    let exit = exit_of(answer.outcome);
    if exit != Exit::Ok || context.json {
        context.print_to_people(&answer)?;
    }
    Ok(exit)
}

impl From<InstallError> for CliError {
    fn from(error: InstallError) -> Self {
        CliError::fatal(error)
    }
}

impl Report for Installed {
    fn human(&self, out: &mut Out) {
        for one in &self.hooks {
            let how = match one.how {
                How::Own => "installed",
                How::Ahead => "installed ahead of what is there",
                How::Beside => "installed; the hook that was there runs after it",
                How::ByHand => "runs by a line that somebody added",
            };
            let how = if one.changed { how.to_owned() } else { format!("{how}, as before") };
            out.line(Text::bold(one.name).then(format!(": {how}")).then("  ").then(Text::path(&one.path)));
        }
        out.line("To see whether git would run it:");
        out.command("git boundary hook status");
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for Uninstalled {
    fn human(&self, out: &mut Out) {
        for path in &self.restored {
            out.line(Text::from("as it was before: ").then(Text::path(path)));
        }
        for path in &self.by_hand {
            out.line(Text::yellow("still started by a line that somebody added: ").then(Text::path(path)));
        }
        if self.restored.is_empty() && self.by_hand.is_empty() {
            out.line("No hook of ours was there.");
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for HookStatus {
    fn human(&self, out: &mut Out) {
        let mut table = Table::headed(&["HOOK", "STATE", "FILE"]);
        for one in self.hooks.iter().filter(|one| HookName::of(false).contains(&one.name)) {
            let word = word(one.state);
            let state = if one.state.is_sound() { Text::green(word) } else { Text::yellow(word) };
            table.row([Text::bold(one.name), state, Text::path(&one.path)]);
        }
        out.table(&table);
        for remedy in self.gaps().filter_map(|one| one.remedy.as_ref()) {
            out.line(remedy);
        }
    }

    fn json(&self) -> Json {
        let mut json = value(self);
        ours(&mut json["hooks"]);
        for worktree in json["worktrees"].as_array_mut().into_iter().flatten() {
            ours(&mut worktree["hooks"]);
        }
        Json::One(json)
    }

    fn exit(&self) -> Exit {
        let sound = |one: &&crate::hook::OneHook| !one.state.is_sound() && HookName::of(false).contains(&one.name);
        if self.hooks.iter().any(|one| sound(&one)) { Exit::Refused } else { Exit::Ok }
    }
}

/// A clone has use for a clone's hooks alone: nothing here installs those of a server.
fn ours(hooks: &mut serde_json::Value) {
    if let Some(hooks) = hooks.as_array_mut() {
        hooks.retain(|one| HookName::of(false).iter().any(|name| one["name"] == name.as_str()));
    }
}

impl Report for PushAnswer {
    fn human(&self, out: &mut Out) {
        for answer in self.refs.iter().filter(|answer| answer.outcome != "admitted") {
            explain(out, answer);
        }
        for notice in &self.notices {
            out.line(Text::yellow("warning: ").then(notice));
        }
    }

    fn json(&self) -> Json {
        Json::Lines(self.refs.iter().map(value).collect())
    }

    fn exit(&self) -> Exit {
        exit_of(self.outcome)
    }
}

/// One refused or undecided ref: the code, the reason with both values, the next command.
pub(super) fn explain(out: &mut Out, answer: &Answer) {
    let code = answer.primary_code.map_or_else(|| "undecided".to_owned(), |code| code.to_string());
    let (word, others) = match answer.outcome {
        "refused" => (Text::red("refused: "), &answer.codes[..]),
        _ => (Text::yellow("undecided: "), &[][..]),
    };
    out.line(word.then(Text::bold(&code)).then("  ").then(&answer.reference));
    for reason in &answer.reasons {
        let head = if reason.code.name() == code { Text::new() } else { Text::dim(format!("{}: ", reason.code)) };
        out.indented(2, head.then(&reason.text));
    }
    for gap in &answer.gaps {
        out.indented(2, Text::from("not judged: ").then(gap));
    }
    if answer.outcome == "undecided" {
        for notice in &answer.notices {
            out.indented(2, Text::dim(notice));
        }
    }
    if others.len() > 1 {
        let names: Vec<&str> = others.iter().map(|code| code.name()).collect();
        out.indented(2, Text::dim(format!("codes: {}", names.join(" "))));
    }
    if let Some(next) = &answer.next {
        out.indented(2, Text::from("next: ").then(&next.sentence));
        if let Some(command) = &next.command {
            out.command(&format!("  {command}"));
        }
    }
    if let Some(receipt) = &answer.receipt {
        out.indented(2, Text::dim(format!("receipt: {receipt}")));
    }
}
