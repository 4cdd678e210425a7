//! `git boundary doctor`.

use super::args::verify::Doctor;
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::doctor::{Diagnosis, Health, Symptom, doctor};

pub(super) fn run(args: &Doctor, context: &Context) -> Result<Exit, CliError> {
    let mut diagnosis = doctor(&bridge::reading(context), args.repair)?;
    super::hook::diagnose(context, args.repair, &mut diagnosis);
    context.print(&diagnosis)
}

impl Report for Diagnosis {
    fn human(&self, out: &mut Out) {
        for done in &self.repaired {
            out.line(Text::green("repaired ").then(done));
        }
        let mut table = Table::new();
        for one in &self.symptoms {
            let word = match one.health {
                Health::Good => Text::green("good"),
                Health::Warning => Text::yellow("warning"),
                Health::Bad => Text::red("bad"),
            };
            table.row([word, Text::bold(one.what), (&one.text).into()]);
        }
        out.table(&table);
        let ill = |optional: bool, health: Health| {
            let of = move |one: &&Symptom| one.health == health && one.optional == optional;
            self.symptoms.iter().filter(of).filter_map(|one| one.command.as_ref())
        };
        // What is broken first.
        commands(out, "To mend it:", ill(false, Health::Bad).chain(ill(false, Health::Warning)));
        commands(
            out,
            "If this clone's own word shall count for others too, an owner lists it:",
            ill(true, Health::Warning),
        );
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }

    fn exit(&self) -> Exit {
        if self.is_well() { Exit::Ok } else { Exit::Refused }
    }
}

/// What is to be typed, each once, below what it is for.
fn commands<'a>(out: &mut Out, heading: &str, commands: impl Iterator<Item = &'a String>) {
    let mut told: Vec<&String> = Vec::new();
    for command in commands {
        if told.contains(&command) {
            continue;
        }
        if told.is_empty() {
            out.blank();
            out.line(heading);
        }
        out.command(command);
        told.push(command);
    }
}
