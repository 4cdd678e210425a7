//! `git boundary log`, `show` and `audit`.

use super::args::verify::{Log, Show};
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::records::{self, Audit, LogOptions, Record, SetAside, Shown};
use crate::model::count;

pub(super) fn run_log(args: &Log, context: &Context) -> Result<Exit, CliError> {
    let options = LogOptions { range: args.range.clone(), checker: args.checker.clone(), decision: args.decision };
    let chosen = options.checker.is_some() || options.decision.is_some();
    context.print(&Listed { records: records::log(&bridge::reading(context), &options)?, chosen })
}

pub(super) fn run_show(args: &Show, context: &Context) -> Result<Exit, CliError> {
    context.print(&records::show(&bridge::reading(context), &args.what)?)
}

pub(super) fn run_audit(context: &Context) -> Result<Exit, CliError> {
    context.print(&records::audit(&bridge::reading(context))?)
}

struct Listed {
    records: Vec<Record>,
    /// Whether only some decisions were asked for.
    chosen: bool,
}

impl Report for Listed {
    fn human(&self, out: &mut Out) {
        if self.records.is_empty() && self.chosen {
            out.line("No decision that is recorded here is of that kind.");
            return;
        }
        if self.records.is_empty() {
            out.line("Nothing is recorded here. If others have recorded something, fetch it:");
            out.command("git fetch");
            return;
        }
        let mut table = Table::headed(&["WHEN", "COMMIT", "KIND", "BY", "ID", ""]);
        for record in &self.records {
            let at = record.at.map_or_else(|| "-".to_owned(), |at| at.to_string());
            table.row([
                Text::dim(at),
                record.commit.short().into(),
                Text::bold(&record.kind),
                record.by.join(", ").into(),
                record.id.into(),
                match record.overridden {
                    Some(by) => Text::dim(format!("{}, overridden by {by}", record.summary)),
                    None => (&record.summary).into(),
                },
            ]);
        }
        out.table(&table);
    }

    fn json(&self) -> Json {
        Json::Lines(self.records.iter().map(value).collect())
    }
}

impl Report for Shown {
    fn human(&self, out: &mut Out) {
        if self.records.is_empty() {
            out.line("Nothing is recorded on it here. If others have recorded something, fetch it:");
            out.command("git fetch");
        }
        for (place, record) in self.records.iter().enumerate() {
            if place > 0 {
                out.blank();
            }
            show_record(out, record);
        }
        set_aside(out, &self.set_aside, &self.gaps);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

/// One record, what is proven of it apart from what is said.
pub(super) fn show_record(out: &mut Out, record: &Record) {
    // Of an event its kind is all that matters, and that is in its summary.
    let what = if record.kind == "event" { format!(": {}", record.summary) } else { String::new() };
    let line = Text::bold(&record.kind).then(" ").then(record.id).then(" on ").then(record.commit.short());
    out.line(line.then(what));
    if let Some(by) = record.overridden {
        out.line(Text::dim(format!("  overridden by {by}: it no longer stands")));
    }
    out.line(Text::dim("proven (signatures, digests and places; recomputed by verify):"));
    let mut fields = Fields::indented(2);
    fields.add("signed by", record.by.join(", "));
    for entry in &record.entries {
        // Of a key that nobody lists its name says so already.
        let told = entry.listed || entry.registrar.ends_with("(not listed)");
        let listed = if told { "" } else { " (not listed)" };
        fields.add("ledger", format!("{}{listed} #{} at {}", entry.registrar, entry.index, entry.at));
    }
    for (label, text) in &record.proven {
        fields.add(label, text);
    }
    out.fields(&fields);
    if !record.asserted.is_empty() {
        out.line(Text::dim("asserted (said by the signer; no rule reads it):"));
        let mut fields = Fields::indented(2);
        for (label, text) in &record.asserted {
            fields.add(label, text);
        }
        out.fields(&fields);
    }
}

pub(super) fn set_aside(out: &mut Out, lines: &[SetAside], gaps: &[String]) {
    if !lines.is_empty() {
        out.blank();
        out.line(Text::yellow(format!(
            "{} set aside, which authorise nothing:",
            count::of(lines.len(), "line", "lines")
        )));
        for one in lines {
            out.indented(2, format!("on {} in {}: {}", one.commit.short(), one.registrar, one.defect));
        }
    }
    for gap in gaps {
        out.line(Text::yellow("missing: ").then(gap));
    }
}

impl Report for Audit {
    fn human(&self, out: &mut Out) {
        out.line(Text::bold("decisions by checker"));
        let mut table = Table::headed(&["CHECKER", "ALLOW", "DENY", "PARTIAL", "ABSTAIN"]);
        for (checker, counts) in &self.checkers {
            let count = |word: &str| Text::from(counts.get(word).copied().unwrap_or(0));
            table.row([Text::bold(checker), count("allow"), count("deny"), count("partial"), count("abstain")]);
        }
        out.table(&table);
        if self.checkers.is_empty() {
            out.indented(2, "none");
        }
        out.blank();
        out.line(Text::bold("diets frozen and never decided on"));
        if self.undecided.is_empty() {
            out.indented(2, "none");
        }
        for one in &self.undecided {
            let at = one.at.map_or_else(String::new, |at| format!(" at {at}"));
            out.indented(2, format!("{} by {} on {}{at}", one.id, one.checker, one.commit.short()));
        }
        out.blank();
        out.line(Text::bold("pushes and writes judged"));
        let mut table = Table::headed(&["REF", "ADMITTED", "REFUSED"]);
        for (reference, counts) in &self.pushes {
            let count = |word: &str| Text::from(counts.get(word).copied().unwrap_or(0));
            table.row([Text::from(reference), count("admitted"), count("refused")]);
        }
        out.table(&table);
        if !self.refusals.is_empty() {
            out.blank();
            out.line(Text::bold("refusals by first code"));
            let mut fields = Fields::indented(2);
            for (code, count) in &self.refusals {
                fields.add(code, count);
            }
            out.fields(&fields);
        }
        out.blank();
        out.line(Text::bold("ledgers"));
        let mut table = Table::headed(&["REGISTRAR", "ENTRIES", "LISTED", "REF"]);
        for ledger in &self.ledgers {
            let listed = if ledger.listed { "yes" } else { "no" };
            table.row([
                Text::bold(&ledger.registrar),
                ledger.entries.into(),
                listed.into(),
                (&ledger.reference).into(),
            ]);
        }
        out.table(&table);
        set_aside(out, &self.set_aside, &self.gaps);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}
