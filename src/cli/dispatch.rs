//! `git boundary submit`, `push` and `settle`.

use super::args::dispatch::{Push, Settle, Submit};
use super::args::shared::{Publishing, Signing};
use super::bridge::{self, value};
use super::context::{Context, clock};
use super::error::CliError;
use super::exit::Exit;
use super::hook;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::dispatch::{self, Dispatched};
use crate::app::receive;
use crate::app::record::publish;
use crate::app::remote as app_remote;
use crate::app::remote::Published;
use crate::app::server;
use crate::app::settle::{self, Settled, Word};
use crate::app::submit::{self, Decision, Submitted};
use crate::gateway::actuator::{self, Carried};
use crate::model::count;
use crate::model::decision::Disposition;

pub(super) fn run_submit(args: &Submit, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &Signing::default(), args.publishing);
    context.print(&submit::submit(&app, args.proposal.as_deref())?)
}

pub(super) fn run_push(args: &Push, context: &Context) -> Result<Exit, CliError> {
    let publishing = Publishing { no_publish: args.no_publish };
    let app = bridge::writing(context, &args.signing, publishing);
    context.print(&dispatch::push(&app, args.remote.as_deref(), args.reference.as_deref())?)
}

pub(super) fn run_settle(args: &Settle, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &Signing::default(), args.publishing);
    if args.proposal.is_none() && args.remote.is_none() && server::settles_itself(&app)? {
        return context.print(&receive::record(&app, &[])?);
    }
    let end = args.unknown.then_some(Disposition::Unknown);
    // What was approved of a worktree is carried out here as well; no remote is asked about it.
    let writes = actuator::carry_out_all(&app, args.proposal.as_deref(), clock)?;
    let pushes = args.proposal.is_none() || writes.is_empty();
    let has_remote =
        || Ok::<_, CliError>(args.remote.is_some() || app_remote::default_remote(&app.repository()?)?.is_some());
    if !writes.is_empty() {
        publish(&app)?;
    }
    let settled = match pushes && (writes.is_empty() || has_remote()?) {
        true => Some(settle::settle(&app, args.proposal.as_deref(), args.remote.as_deref(), end)?),
        false => None,
    };
    context.print(&Both { settled, writes })
}

/// Updates of remotes, and writes of a worktree.
struct Both {
    settled: Option<Settled>,
    writes: Vec<Carried>,
}

impl Report for Both {
    fn human(&self, out: &mut Out) {
        self.writes.iter().for_each(|one| one.human(out));
        if let Some(settled) = &self.settled {
            settled.human(out);
        }
    }

    fn json(&self) -> Json {
        let mut all = self.settled.as_ref().map_or_else(|| serde_json::json!({}), value);
        if let Some(fields) = all.as_object_mut().filter(|_| !self.writes.is_empty()) {
            fields.insert("writes".to_owned(), value(&self.writes));
        }
        Json::One(all)
    }

    fn exit(&self) -> Exit {
        let exits = self.writes.iter().map(Report::exit).chain(self.settled.as_ref().map(Report::exit));
        exits
            .max_by_key(|exit| match exit {
                Exit::Refused => 2,
                Exit::Undecided => 1,
                _ => 0,
            })
            .unwrap_or(Exit::Ok)
    }
}

impl Report for Submitted {
    fn human(&self, out: &mut Out) {
        let again = if self.already { " (recorded before)" } else { "" };
        let word = match self.decision {
            Decision::Admitted => Text::green("admitted"),
            Decision::Pending => Text::yellow("admitted, and waits for an owner's approval"),
            Decision::Refused => Text::red("refused"),
            Decision::Undecided => Text::yellow("undecided"),
        };
        out.line(Text::from("Proposal ").then(Text::bold(self.id)).then(": ").then(word).then(again));
        let mut fields = Fields::indented(2);
        fields.add("envelope", format!("{} version {}", self.envelope_id, self.version));
        fields.add("ref", &self.answer.reference);
        out.fields(&fields);
        match self.decision {
            Decision::Refused | Decision::Undecided => hook::explain(out, &self.answer),
            Decision::Pending => {
                out.line("Next, by an owner:");
                out.command(&format!("git boundary approve {} --key <owner>", self.id));
            }
            Decision::Admitted => {}
        }
        bridge::published(out, &self.published);
        if let Some(next) = &self.next {
            out.line("Next:");
            out.command(next);
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }

    fn exit(&self) -> Exit {
        match self.decision {
            Decision::Admitted | Decision::Pending => Exit::Ok,
            Decision::Refused => Exit::Refused,
            Decision::Undecided => Exit::Undecided,
        }
    }
}

impl Report for Dispatched {
    fn human(&self, out: &mut Out) {
        if let Some(id) = self.proposed {
            out.line(Text::from("Proposed: ").then(Text::bold(id)));
        }
        let decided = self.decision.as_ref();
        match decided.map(|one| one.decision) {
            Some(Decision::Refused | Decision::Undecided) => {
                if let Some(one) = decided {
                    let refused = one.decision == Decision::Refused;
                    let word = if refused { Text::red("refused") } else { Text::yellow("undecided") };
                    out.line(Text::bold(&self.reference).then(": ").then(word).then(", nothing was pushed"));
                    hook::explain(out, &one.answer);
                }
                record_published(out, &self.published);
                return;
            }
            Some(Decision::Pending) => {
                out.line(
                    Text::bold(&self.reference)
                        .then(": admitted, and waits for an owner's approval; nothing was pushed"),
                );
            }
            Some(Decision::Admitted) | None => {
                let tried = match self.attempts {
                    0 | 1 => String::new(),
                    several => format!(" after {several} attempts"),
                };
                let line = Text::bold(&self.reference).then(" at ").then(&self.remote).then(": ");
                out.line(line.then(colour(self.state)).then(tried));
            }
        }
        let mut fields = Fields::indented(2);
        fields.add("from", if self.old.is_zero() { "nothing".to_owned() } else { self.old.short() });
        fields.add("to", self.new.short());
        fields.add_some("work receipt", self.receipt);
        fields.add_some("", self.remark.as_deref());
        out.fields(&fields);
        if !self.told.is_empty() {
            out.line(format!("What {} said:", self.remote));
            for line in &self.told {
                // As git shows it: whatever command stands in it is the server's advice, not this program's.
                out.line(Text::dim("  remote: ").then(line));
            }
        }
        if self.receipt.is_some() && !self.listed {
            let text =
                "this clone's registrar is not listed, so that nobody goes by its work receipt: git boundary doctor";
            bridge::warnings(out, &[text.to_owned()]);
        }
        if self.decision.as_ref().is_some_and(|one| one.decision == Decision::Pending) {
            record_published(out, &self.published);
        } else {
            bridge::published(out, &self.published);
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
        bridge::exit_of(self.outcome())
    }
}

/// Where nothing was pushed, what was sent is the record of that.
fn record_published(out: &mut Out, published: &Published) {
    match published {
        Published::Sent { remote } => out.line(Text::dim(format!("the record of it was sent to {remote}"))),
        other => bridge::published(out, other),
    }
}

fn colour(word: Word) -> Text {
    match word {
        Word::Complete => Text::green(word.name()),
        Word::Failed | Word::Expired => Text::red(word.name()),
        _ => Text::yellow(word.name()),
    }
}

impl Report for Settled {
    fn human(&self, out: &mut Out) {
        if self.updates.is_empty() {
            out.line(format!("Nothing that was admitted here is open; {} was not asked.", self.remote));
        } else {
            let mut table = Table::headed(&["PROPOSAL", "STATE", "REF", "COMMIT", "RECEIPT", ""]);
            for one in &self.updates {
                table.row([
                    Text::bold(one.proposal),
                    colour(one.state),
                    (&one.reference).into(),
                    one.new.short().into(),
                    one.receipt.map_or_else(|| "-".to_owned(), |id| id.to_string()).into(),
                    one.remark.as_deref().unwrap_or_default().into(),
                ]);
            }
            out.table(&table);
        }
        if !self.verified.is_empty() {
            let results = count::of(self.verified.len(), "result is", "results are");
            out.line(format!("{results} verified by evidence now."));
        }
        bridge::published(out, &self.published);
        if let Some(command) = self.updates.iter().find_map(|one| one.command.as_deref()) {
            out.line("Next:");
            out.command(command);
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}
