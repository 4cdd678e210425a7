//! `git boundary doctor`.

use super::args::verify::Doctor;
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::doctor::{Diagnosis, Health, doctor};

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
        let mut commands: Vec<&String> = Vec::new();
        for command in
            self.symptoms.iter().filter(|one| one.health != Health::Good).filter_map(|one| one.command.as_ref())
        {
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        if !commands.is_empty() {
            out.blank();
            out.line("To mend it:");
            for command in commands {
                out.command(command);
            }
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }

    fn exit(&self) -> Exit {
        if self.is_well() { Exit::Ok } else { Exit::Refused }
    }
}
