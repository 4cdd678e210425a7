//! `git boundary handoff`.

use super::args::handoff::Handoff;
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::handoff::{self, CreateOptions, Created, Revoked, Shown, State};
use crate::model::id::ArtifactId;

pub(super) fn run(args: Handoff, context: &Context) -> Result<Exit, CliError> {
    match args {
        Handoff::Create(args) => {
            let app = bridge::writing(context, &args.signing, args.publishing);
            let options = CreateOptions {
                to: args.to,
                paths: args.paths,
                refs: args.refs,
                operations: args.operations,
                at: args.at,
                pin_ref: args.pin_ref,
                ttl: args.ttl.map(|ttl| ttl.as_secs()),
                work: args.work,
                summary: args.summary,
            };
            context.print(&handoff::create(&app, &options)?)
        }
        Handoff::List(args) => {
            context.print(&Listed { shown: handoff::list(&bridge::reading(context), args.all)?, all: args.all })
        }
        Handoff::Show(args) => context.print(&handoff::show(&bridge::reading(context), &args.id)?),
        Handoff::Renew(args) => {
            let app = bridge::writing(context, &args.signing, args.publishing);
            let ttl = args.ttl.map(|ttl| ttl.as_secs());
            context.print(&handoff::renew(&app, &args.id, ttl, args.at.as_deref())?)
        }
        Handoff::Revoke(args) => {
            let app = bridge::writing(context, &args.signing, args.publishing);
            context.print(&handoff::revoke(&app, &args.id, args.reason.as_deref().unwrap_or_default())?)
        }
    }
}

impl Report for Created {
    fn human(&self, out: &mut Out) {
        out.line(Text::from("Handoff ").then(Text::bold(self.id)).then(" to ").then(Text::bold(&self.to)));
        let mut fields = Fields::indented(2);
        fields.add("pin", format!("{} on {}", self.commit.short(), self.reference));
        fields.add("paths", self.paths.join(" "));
        fields.add("refs", self.refs.join(" "));
        fields.add("operations", self.operations.iter().map(|one| one.name()).collect::<Vec<_>>().join(" "));
        fields.add("until", self.expires_at);
        out.fields(&fields);
        bridge::warnings(out, &self.warnings);
        bridge::published(out, &self.published);
        out.blank();
        out.line("When the work is committed, its holder runs:");
        out.command(&format!("git boundary propose --key {}", self.to));
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

struct Listed {
    all: bool,
    shown: Vec<Shown>,
}

impl Report for Listed {
    fn human(&self, out: &mut Out) {
        if self.shown.is_empty() {
            out.line(if self.all { "No handoff is known here." } else { "No handoff is live here." });
            out.command("git boundary handoff create --to <key> --path '<pathspec>' --key <owner>");
            return;
        }
        let mut table = Table::headed(&["HANDOFF", "STATE", "TO", "WORK", "PIN", "UNTIL", "PATHS", "OPERATIONS"]);
        for one in &self.shown {
            let until = one.handoff.lease.map_or_else(|| "-".to_owned(), |lease| lease.expires_at.to_string());
            let state =
                if one.state == State::Live { Text::green(one.state.name()) } else { Text::yellow(one.state.name()) };
            table.row([
                Text::bold(one.id),
                state,
                (&one.to).into(),
                work(one).into(),
                one.handoff.pin.commit.short().into(),
                until.into(),
                one.handoff.scope.paths.join(" ").into(),
                operations(one, ",").into(),
            ]);
        }
        out.table(&table);
    }

    fn json(&self) -> Json {
        Json::Lines(self.shown.iter().map(value).collect())
    }
}

/// The tracker's name of the work.
fn work(shown: &Shown) -> &str {
    match shown.handoff.assignment.work_id.as_str() {
        "" => "-",
        named => named,
    }
}

fn operations(shown: &Shown, between: &str) -> String {
    shown.handoff.scope.operations.iter().map(|one| one.name()).collect::<Vec<_>>().join(between)
}

impl Report for Shown {
    fn human(&self, out: &mut Out) {
        let handoff = &self.handoff;
        out.line(Text::bold(self.id).then("  ").then(self.state.name()));
        let mut fields = Fields::indented(2);
        fields.add("digest", self.digest);
        fields.add("from", &self.from);
        fields.add("to", &self.to);
        fields.add("pin", format!("{} on {}", handoff.pin.commit, handoff.pin.reference));
        fields.add("paths", handoff.scope.paths.join(" "));
        fields.add("refs", handoff.scope.refs.join(" "));
        fields.add("operations", operations(self, " "));
        fields.add("work", work(self));
        if let Some(lease) = handoff.lease {
            fields.add("lease", format!("{} to {}", lease.not_before, lease.expires_at));
        }
        if let Some(moment) = self.revoked_at {
            fields.add("revoked", moment);
        }
        if let Some(renews) = handoff.renews {
            fields.add("renews", ArtifactId::of(&renews));
        }
        if let Some(renewal) = self.renewed_by {
            fields.add("renewed by", renewal);
        }
        out.fields(&fields);
        out.asserted(&handoff.assignment.asserted);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for Revoked {
    fn human(&self, out: &mut Out) {
        out.line(format!("Handoff {} is revoked.", self.handoff));
        for renewal in &self.renewals {
            out.line(format!("Its renewal {renewal} is revoked with it."));
        }
        bridge::published(out, &self.published);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}
