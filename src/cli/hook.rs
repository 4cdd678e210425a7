//! `git boundary hook`: installing, and the bodies that git runs.

use super::args::hook::{Hook, HookName};
use super::bridge::{self, exit_of, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::Out;
use super::report::{Json, Report};
use super::text::Text;
use crate::app::judge::Answer;
use crate::app::push::{PushAnswer, Pushed, judge_push};
use crate::hook::pre_push_input::read_push_lines;

pub(super) fn run(args: Hook, context: &Context) -> Result<Exit, CliError> {
    match args {
        Hook::Install(_) | Hook::Uninstall(_) | Hook::Status(_) => super::pending::absent("hook"),
        Hook::Run(args) => match args.hook {
            HookName::PrePush => pre_push(&args.args, context),
            HookName::PreReceive | HookName::PostReceive => super::pending::absent("hook run pre-receive"),
        },
    }
}

/// Installs the client's hooks for `init`; says where.
pub(super) fn install_quietly(_context: &Context) -> Result<String, CliError> {
    Err(CliError::fatal("hooks are not built into this binary yet"))
}

fn pre_push(args: &[std::ffi::OsString], context: &Context) -> Result<Exit, CliError> {
    let remote = args.first().and_then(|arg| arg.to_str()).unwrap_or_default().to_owned();
    let lines = context.stdin(|stdin| read_push_lines(stdin)).map_err(|error| CliError::fatal(error))?;
    let refs: Vec<Pushed> =
        lines.into_iter().map(|line| Pushed { reference: line.remote_ref, old: line.old, new: line.new }).collect();
    let answer = judge_push(&bridge::reading(context), &remote, &refs)?;
    let exit = exit_of(answer.outcome);
    if exit == Exit::Ok && !context.json {
        return Ok(exit);
    }
    context.print_to_people(&answer)?;
    Ok(exit)
}

impl Report for PushAnswer {
    fn human(&self, out: &mut Out) {
        for answer in self.refs.iter().filter(|answer| answer.outcome != "admitted") {
            show(out, answer);
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
fn show(out: &mut Out, answer: &Answer) {
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

/// Hooks, looked at by the room that installs them.
pub(super) fn diagnose(_context: \&Context, _repair: bool, _diagnosis: \&mut crate::app::doctor::Diagnosis) {}
