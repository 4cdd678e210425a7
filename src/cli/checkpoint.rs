//! `git boundary checkpoint`.

use super::args::checkpoint::Checkpoint;
use super::args::shared::Signing;
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::checkpoint::{self, CheckpointShown, Witnessed};
use crate::model::count;

pub(super) fn run(args: Checkpoint, context: &Context) -> Result<Exit, CliError> {
    match args {
        Checkpoint::Show(args) => {
            context.print(&Shown(checkpoint::show(&bridge::reading(context), args.registrar.as_deref())?))
        }
        Checkpoint::Sign(_) => context.print(&Own(checkpoint::sign(&bridge::reading(context))?)),
        Checkpoint::Cosign(args) => {
            let app = bridge::writing(context, &Signing::default(), args.publishing);
            context.print(&checkpoint::cosign(&app, args.registrar.as_deref())?)
        }
    }
}

struct Shown(Vec<CheckpointShown>);

impl Report for Shown {
    fn human(&self, out: &mut Out) {
        if self.0.is_empty() {
            return out.line("No ledger is here.");
        }
        let mut table = Table::headed(&["REGISTRAR", "ENTRIES", "LISTED", "WITNESS", "UP TO", "AT"]);
        for one in &self.0 {
            let listed = if one.listed { Text::green("yes") } else { Text::yellow("no") };
            let mut first = [Text::bold(&one.label), one.size.into(), listed];
            if one.cosigned.is_empty() {
                let [label, size, listed] = first.clone();
                table.row([label, size, listed, "-".into(), "-".into(), "-".into()]);
            }
            for cosigned in &one.cosigned {
                let [label, size, listed] = std::mem::replace(&mut first, [Text::new(), Text::new(), Text::new()]);
                table.row([label, size, listed, (&cosigned.witness).into(), cosigned.size.into(), cosigned.at.into()]);
            }
        }
        out.table(&table);
    }

    fn json(&self) -> Json {
        Json::Lines(self.0.iter().map(value).collect())
    }
}

/// The note as it is, for whoever pipes it on.
struct Own(CheckpointShown);

impl Report for Own {
    fn human(&self, out: &mut Out) {
        for line in self.0.note.lines() {
            out.line(line);
        }
    }

    fn json(&self) -> Json {
        Json::One(value(&self.0))
    }
}

impl Report for Witnessed {
    fn human(&self, out: &mut Out) {
        for one in &self.cosigned {
            let entries = count::of(one.size, "entry", "entries");
            out.line(Text::from("Cosigned: ").then(Text::bold(&one.label)).then(format!(" up to {entries}")));
        }
        for (label, reason) in &self.passed_over {
            out.line(Text::dim(format!("passed over: {label}: {reason}")));
        }
        if self.cosigned.is_empty() && self.passed_over.is_empty() {
            out.line("No other registrar's ledger is here; to bring what there is:");
            out.command("git fetch");
        }
        bridge::published(out, &self.published);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}
