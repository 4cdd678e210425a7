//! `git boundary demo`: plays the story and says of each step what it should do, what it did, and what that proves.

mod stage;

use std::path::Path;

use serde_json::{Value, json};

use self::stage::{Played, Stage};
use super::args::init::Demo;
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::demo::{ACTS, Judged, Step};

/// Most lines of one command's output that people are shown.
const SHOWN: usize = 14;

/// Plays all acts, or up to the first step that does something else than it should; that one's place is then left as it is.
pub(super) fn run(args: &Demo, context: &Context) -> Result<Exit, CliError> {
    let binary = std::env::current_exe()
        .map_err(|error| CliError::fatal(format!("cannot tell where this program is: {error}")))?;
    let mut stage = Stage::new(&context.environment, &binary)?;
    let mut number = 0;
    for act in ACTS {
        if context.print(&Heading(act.title))? == Exit::ClosedPipe {
            return Ok(Exit::ClosedPipe);
        }
        for step in act.steps {
            number += 1;
            let told = tell(&mut stage, act.title, number, step)?;
            let ok = told.judged.as_ref().is_some_and(|judged| judged.ok);
            if context.print(&told)? == Exit::ClosedPipe {
                return Ok(Exit::ClosedPipe);
            }
            if !ok {
                return context.print(&End { steps: number, failed: true, left: Some(stage.keep().as_path()) });
            }
        }
    }
    let left = args.keep.then(|| stage.keep());
    context.print(&End { steps: number, failed: false, left: left.as_deref() })
}

fn tell<'a>(stage: &mut Stage, act: &'a str, number: usize, step: &'a Step) -> Result<Told<'a>, CliError> {
    let (ran, judged, stuck) = match stage.play(step)? {
        Played::Done { ran, seen } => (ran, Some(step.judge(&seen)), None),
        Played::Stuck { line, ran } => (ran, None, Some(line)),
    };
    // The place's name changes with every run and means nothing.
    let root = format!("{}/", stage.root().display());
    Ok(Told { act, number, step, text: ran.text.replace(&root, ""), status: ran.status, judged, stuck })
}

struct Heading(&'static str);

impl Report for Heading {
    fn human(&self, out: &mut Out) {
        out.line(Text::bold(format!("== {} ==", self.0)));
        out.blank();
    }

    fn json(&self) -> Json {
        Json::Lines(Vec::new())
    }
}

/// One step, played.
struct Told<'a> {
    act: &'a str,
    number: usize,
    step: &'a Step,
    status: Option<i32>,
    text: String,
    /// `None` when the scene could not be set.
    judged: Option<Judged>,
    /// The command line that could not set it.
    stuck: Option<String>,
}

impl Report for Told<'_> {
    fn human(&self, out: &mut Out) {
        let step = self.step;
        out.line(
            Text::bold(format!("{}. {}", self.number, step.who.name()))
                .then(Text::dim(format!(", in {}", step.place.name()))),
        );
        for line in step.before {
            out.indented(3, Text::dim(format!("$ {line}")));
        }
        out.indented(3, Text::from("$ ").then(Text::bold(step.command)));
        let lines: Vec<&str> = self.text.lines().collect();
        for line in lines.iter().take(SHOWN) {
            out.indented(5, *line);
        }
        if lines.len() > SHOWN {
            out.indented(5, Text::dim(format!("and {} more lines", lines.len() - SHOWN)));
        }
        let mut fields = Fields::indented(3);
        fields.add("should", step.should.sentence());
        match &self.judged {
            Some(judged) if judged.ok => fields.add("did", Text::green("ok: ").then(&judged.did)),
            Some(judged) => fields.add("did", Text::red("WRONG: ").then(&judged.did)),
            None => fields.add("did", Text::red("WRONG: ").then(self.stuck_text())),
        };
        fields.add("proves", step.proves);
        out.fields(&fields);
        out.blank();
    }

    fn json(&self) -> Json {
        let step = self.step;
        let (ok, did, moved) = match &self.judged {
            Some(judged) => (judged.ok, judged.did.clone(), judged.moved.clone()),
            None => (false, self.stuck_text(), Vec::new()),
        };
        Json::One(json!({
            "step": self.number,
            "act": self.act,
            "who": step.who.name(),
            "in": step.place.name(),
            "before": step.before,
            "command": step.command,
            "should": { "status": step.should.status, "code": step.should.code, "sentence": step.should.sentence() },
            "did": { "status": self.status, "moved": moved, "sentence": did },
            "ok": ok,
            "proves": step.proves,
            "output": self.text,
        }))
    }
}

impl Told<'_> {
    fn stuck_text(&self) -> String {
        format!("the scene could not be set: {}", self.stuck.as_deref().unwrap_or_default())
    }
}

/// How it came out.
struct End<'a> {
    steps: usize,
    failed: bool,
    left: Option<&'a Path>,
}

impl Report for End<'_> {
    fn human(&self, out: &mut Out) {
        if self.failed {
            out.line(Text::red(format!("Step {} did not do what it should.", self.steps)));
        } else {
            out.line(Text::green(format!("All {} steps did what they should.", self.steps)));
        }
        if let Some(left) = self.left {
            out.line(Text::from("The repositories are left in ").then(Text::path(left)));
        }
    }

    fn json(&self) -> Json {
        let left = self.left.map_or(Value::Null, |left| left.to_string_lossy().into());
        Json::One(json!({ "steps": self.steps, "ok": !self.failed, "left": left }))
    }

    fn exit(&self) -> Exit {
        if self.failed { Exit::Refused } else { Exit::Ok }
    }
}
