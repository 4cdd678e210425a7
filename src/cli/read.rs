//! `git boundary read`.

mod chains;
mod currency;

use super::args::read::Read;
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out, Table};
use super::records::set_aside;
use super::report::{Json, Report};
use super::text::Text;
use crate::app::read::decisions::Decision;
use crate::app::read::{Life, ReadOptions, Said, read};
use crate::app::records::Record;
use crate::model::id::Oid;

pub(super) fn run(args: &Read, context: &Context) -> Result<Exit, CliError> {
    let options = ReadOptions { what: args.proposal.clone(), contradictions: args.check_contradictions };
    let progress = context.progress("reading notes");
    let life = read(&bridge::reading(context), &options, &|done, total| progress.at(done, total));
    drop(progress);
    context.print(&life?)
}

impl Report for Life {
    fn human(&self, out: &mut Out) {
        payload(out, self);
        currency::show(out, &self.currency);
        records(out, "what was delivered", &self.contexts, true);
        records(out, "the handoff", &self.authority, true);
        decision(out, self);
        said(out, "approvals", "an owner", &self.approvals);
        said(out, "boundary proofs", "a checker", &self.proofs);
        chains::outbox(out, &self.chains);
        said(out, "work receipts", "a listed registrar", &self.work_receipts);
        said(out, "evidence", "an evidence producer", &self.evidence);
        records(out, "verified results", &self.verified, false);
        records(out, "corrections and supersessions", &self.changes, false);
        if !self.assertions.is_empty() {
            heading(out, "what agents say of their own work (asserted; counts for nothing)");
            for record in &self.assertions {
                line(out, record, Text::new());
                asserted(out, record);
            }
        }
        chains::show(out, &self.chains, &self.strays);
        set_aside(out, &self.set_aside, &self.gaps);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }

    fn exit(&self) -> Exit {
        if self.is_undecided() { Exit::Undecided } else { Exit::Ok }
    }
}

fn payload(out: &mut Out, life: &Life) {
    let by = if life.by_its_actor { "" } else { " (not signed by the actor that it names)" };
    out.line(
        Text::from("Proposal ")
            .then(Text::bold(life.id))
            .then(" by ")
            .then(Text::bold(life.by.join(", ")))
            .then(Text::red(by)),
    );
    let it = &life.payload;
    let mut fields = Fields::indented(2);
    fields.add("envelope", format!("{} version {}", life.envelope_id, life.version));
    fields.add("digest", life.digest);
    fields.add("commit", life.commit);
    fields.add("claims", crate::app::described::word(it.claim.kind));
    match &it.requested_action {
        Some(action) => {
            fields.add("action", format!("{} {}", action.kind, action.reference));
            fields.add("from", or_nothing(&action.old));
            fields.add("to", or_nothing(&action.new));
            fields.add("repository", action.repository);
            if let Some(write) = &action.write {
                fields.add("path", write.path.as_str());
                fields.add("content", format!("{} {} bytes", write.content, write.size));
                fields.add("replaces", write.preimage.map_or_else(|| "nothing".to_owned(), |it| it.to_string()));
            }
        }
        None => drop(fields.add("action", "none")),
    }
    for reference in &it.evidence {
        fields.add("relies on", format!("{} {}", reference.kind, reference.digest));
    }
    fields.add_some("predecessor", it.predecessor);
    out.fields(&fields);
    out.asserted(&it.claim.asserted);
    out.blank();
    let mut table = Table::headed(&["BINDING", "STATE", "VALUE"]);
    for binding in &life.bindings {
        let state = if binding.state == "known" { Text::from(binding.state) } else { Text::yellow(binding.state) };
        table.row([binding.name.into(), state, (&binding.value).into()]);
        if let (Some(source), Some(at)) = (&binding.source, binding.observed_at) {
            table.row([Text::new(), Text::new(), Text::dim(format!("read from {source} at {at}"))]);
        }
    }
    out.table(&table);
    if life.versions.len() > 1 {
        heading(out, "versions");
        let mut table = Table::new();
        for version in &life.versions {
            let by = if version.by_its_actor { "" } else { " (not its actor)" };
            let at = version.at.map_or_else(|| "-".to_owned(), |at| at.to_string());
            let before = version.predecessor.map_or_else(Text::new, |digest| {
                Text::dim(format!("after {}", crate::model::id::ArtifactId::of(&digest)))
            });
            table.row([
                format!("  {}", version.version).into(),
                Text::bold(version.id),
                Text::dim(at),
                format!("{}{by}", version.by.join(", ")).into(),
                version.commit.short().into(),
                before,
            ]);
        }
        out.table(&table);
    }
    for one in &life.equivocations {
        let ids = one.ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
        out.line(Text::red("equivocation: ").then(format!("version {} has several payloads, {ids}", one.version)));
    }
}

fn decision(out: &mut Out, life: &Life) {
    heading(out, "the original decision");
    match &life.decision {
        None => out.indented(2, "None is recorded here about this version."),
        Some(first) => decided(out, first, true),
    }
    let more: Vec<&Decision> =
        life.decisions.iter().filter(|one| life.decision.as_ref().is_none_or(|first| first.id != one.id)).collect();
    if !more.is_empty() {
        heading(out, "other decisions about this envelope");
        more.into_iter().for_each(|one| decided(out, one, false));
    }
}

fn decided(out: &mut Out, one: &Decision, in_full: bool) {
    let word = if one.outcome == "admitted" { Text::green(one.outcome) } else { Text::red(one.outcome) };
    let version = one.version.map_or_else(String::new, |version| format!(" version {version}"));
    let waits = if one.pending { ", to wait for an owner's approval" } else { "" };
    let code = one.receipt.as_ref().map_or_else(Text::new, |it| Text::from(": ").then(Text::bold(it.primary_code)));
    out.line(Text::from("  ").then(word).then(version).then(waits).then(code).then(" ").then(Text::dim(one.id)));
    let mut fields = Fields::indented(4);
    let clock = match (one.listed, one.clock_counts) {
        (true, true) => "listed, and of another domain than the actor",
        (true, false) => "of the actor's own domain, so that its clock counts against nobody",
        (false, _) => "not a listed registrar's word",
    };
    fields.add("when", format!("{} by the clock of {} ({clock})", one.at, one.registrar));
    if let Some(candidate) = &one.candidate {
        fields.add("update", moved(&candidate.reference, &candidate.old, &candidate.new));
    }
    if in_full && let Some(snapshot) = &one.snapshot {
        let seen = |it: &crate::model::context::Observation| {
            let oid = it.oid.as_ref().map_or_else(|| "not known".to_owned(), or_nothing);
            format!("{} at {oid}, by {}", it.reference, crate::app::described::word(it.by))
        };
        fields.add("base", seen(&snapshot.base));
        fields.add("destination", seen(&snapshot.destination));
        fields.add("policy", snapshot.policy);
        fields.add("trust", snapshot.trust);
    }
    if let Some(receipt) = &one.receipt {
        fields.add("codes", receipt.codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(" "));
        for reason in &receipt.reasons {
            fields.add("reason", format!("{}: {}", reason.code, reason.text));
        }
        fields.add("safe next", &receipt.safe_next_action.sentence);
        fields.add_some("command", receipt.safe_next_action.command.as_ref());
        fields.add("effects", "no envelope was admitted, and no action happened");
    }
    out.fields(&fields);
}

fn said(out: &mut Out, title: &str, role: &str, all: &[Said]) {
    if all.is_empty() {
        return;
    }
    heading(out, title);
    for one in all {
        let note =
            if one.in_role { Text::new() } else { Text::yellow(format!(" (not by {role}; counts for nothing)")) };
        line(out, &one.record, note);
        asserted(out, &one.record);
    }
}

/// Records a line each, with what they prove beneath where that is wanted.
fn records(out: &mut Out, title: &str, all: &[Record], in_full: bool) {
    if all.is_empty() {
        return;
    }
    heading(out, title);
    for record in all {
        line(out, record, Text::new());
        if in_full {
            let mut fields = Fields::indented(4);
            for (label, text) in &record.proven {
                fields.add(label, text);
            }
            out.fields(&fields);
        }
        asserted(out, record);
    }
}

fn line(out: &mut Out, record: &Record, note: Text) {
    let at = record.at.map_or_else(|| "-".to_owned(), |at| at.to_string());
    let by = record.by.join(", ");
    out.line(
        Text::from("  ")
            .then(Text::dim(at))
            .then("  ")
            .then(Text::bold(record.id))
            .then(format!("  {} by {by}: {}", record.kind, record.summary))
            .then(note),
    );
}

fn asserted(out: &mut Out, record: &Record) {
    if record.asserted.is_empty() {
        return;
    }
    out.indented(4, Text::dim("asserted (said by the signer; no rule reads it):"));
    let mut fields = Fields::indented(6);
    for (label, text) in &record.asserted {
        fields.add(label, text);
    }
    out.fields(&fields);
}

fn moved(reference: &str, old: &Oid, new: &Oid) -> String {
    format!("{reference} from {} to {}", or_nothing(old), or_nothing(new))
}

/// A ref that is made comes from nothing, and one that is deleted goes there.
fn or_nothing(oid: &Oid) -> String {
    if oid.is_zero() { "nothing".to_owned() } else { oid.to_string() }
}

fn heading(out: &mut Out, title: &str) {
    out.blank();
    out.line(Text::bold(title));
}
