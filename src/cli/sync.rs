//! `git boundary sync`.

use super::args::shared::Signing;
use super::args::sync::Sync;
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::sync::{self, Fetched, Moved, Sending, Synced};
use crate::model::count;

pub(super) fn run(args: &Sync, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &Signing::default(), args.publishing);
    context.print(&sync::sync(&app, args.remote.as_deref())?)
}

impl Report for Synced {
    fn human(&self, out: &mut Out) {
        let headline = if self.problems.iter().any(|one| one.listed) { "Looked at " } else { "Synchronised with " };
        out.line(Text::from(headline).then(Text::bold(&self.remote)));
        let mut fields = Fields::indented(2);
        fields.add("trust", version(self.trust));
        fields.add("policy", version(self.policy));
        fields.add("receipts", summary(&self.fetched));
        out.fields(&fields);
        let mut table = Table::new();
        for one in self.fetched.iter().filter(|one| !one.own && one.state != "same") {
            let size = |size: Option<u64>| size.map_or_else(|| "-".to_owned(), |size| size.to_string());
            let name = one.label.clone().unwrap_or_else(|| format!("{} (not listed)", one.registrar));
            let word = if one.new_size == Some(1) { "entry" } else { "entries" };
            let entries = format!("{} to {} {word}", size(one.old_size), size(one.new_size));
            let word = match one.state {
                "new" | "extended" => Text::green(one.state),
                other => Text::red(other),
            };
            table.row([Text::from("   "), Text::bold(name), entries.into(), word]);
        }
        out.table(&table);
        match self.united {
            Some("merged") => {
                out.line("This clone's own ref and what the remote had of it were united; no line is lost.")
            }
            Some(_) => out.line("This clone's own ref went forward to what the remote had of it."),
            None => {}
        }
        published(self, out);
        for problem in &self.problems {
            let word = if problem.listed { Text::red("wrong: ") } else { Text::yellow("set aside: ") };
            let mut lines = problem.text.lines();
            out.line(word.then(Text::bold(&problem.reference)).then(": ").then(lines.next().unwrap_or_default()));
            lines.for_each(|more| out.indented(2, more));
        }
        if let Some(command) = &self.command {
            out.line("Next:");
            out.command(command);
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }

    fn exit(&self) -> Exit {
        match self.published.state {
            Sending::Refused => Exit::Refused,
            _ if self.is_undecided() => Exit::Undecided,
            _ => Exit::Ok,
        }
    }
}

fn version(moved: Moved) -> String {
    match (moved.version_before, moved.version_after) {
        (_, None) => "none".to_owned(),
        (Some(before), Some(after)) if before != after => format!("version {before} to {after}"),
        (_, Some(after)) => format!("version {after}"),
    }
}

fn summary(fetched: &[Fetched]) -> String {
    let others = fetched.iter().filter(|one| !one.own && one.new_size.is_some());
    let (mut registrars, mut new) = (0_u64, 0_u64);
    for one in others {
        registrars += 1;
        if ["new", "extended"].contains(&one.state) {
            new += one.new_size.unwrap_or(0).saturating_sub(one.old_size.unwrap_or(0));
        }
    }
    format!(
        "{} of {}",
        count::of(new, "new entry", "new entries"),
        count::of(registrars, "other registrar", "other registrars")
    )
}

fn published(synced: &Synced, out: &mut Out) {
    let sent = &synced.published;
    let entries = match sent.entries {
        0 => String::new(),
        some => format!(": {} of this clone's that it lacked", count::of(some, "entry", "entries")),
    };
    match sent.state {
        Sending::Nothing if synced.problems.iter().any(|one| one.listed) => out.line(Text::dim("nothing was sent")),
        Sending::Nothing => out.line(Text::dim(format!("{} has everything that is here", synced.remote))),
        Sending::Sent => out.line(Text::dim(format!("sent to {}{entries}", synced.remote))),
        Sending::Off => out.line(Text::yellow("not sent").then(format!(", as asked{entries}"))),
        Sending::Refused | Sending::Failed => {
            let message = sent.message.as_deref().unwrap_or("git gave no reason");
            let mut lines = message.lines().filter(|line| !line.trim().is_empty());
            let first = lines.next().unwrap_or("git gave no reason");
            out.line(Text::red("not sent: ").then(first));
            for more in lines {
                out.indented(10, more);
            }
        }
    }
}
