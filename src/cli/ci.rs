//! `git boundary verify --ci`.

use std::fs::File;
use std::io::Read as _;

use super::args::shared::{Publishing, Signing};
use super::args::verify::{Format, Verify};
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use super::verify::print;
use crate::app::ci::event::{Variables, What};
use crate::app::ci::{Answer, CiOptions, Receipts, ci};
use crate::app::verify::Verified;

/// GitHub sends no event longer than 25 MB.
const LONGEST_EVENT: u64 = 32 << 20;

pub(super) fn run(args: &Verify, context: &Context) -> Result<Exit, CliError> {
    let mut app = bridge::app(context, &Signing::default(), Publishing::default(), args.pinning);
    app.session.registrar.clone_from(&args.job.key);
    let get = |name: &str| {
        let value = context.environment.var(name)?.to_str()?;
        (!value.is_empty()).then(|| value.to_owned())
    };
    let event = || {
        let path = context.environment.path("GITHUB_EVENT_PATH").ok_or("it is not set")?;
        let mut bytes = Vec::new();
        let taken = File::open(&path).and_then(|file| file.take(LONGEST_EVENT + 1).read_to_end(&mut bytes));
        taken.map_err(|error| format!("{}: {error}", path.display()))?;
        if bytes.len() as u64 > LONGEST_EVENT {
            return Err(format!("{} is longer than {LONGEST_EVENT} bytes", path.display()));
        }
        Ok(bytes)
    };
    let options = CiOptions {
        revisions: args.revisions.clone(),
        reference: args.reference.clone(),
        no_fetch: args.job.no_fetch,
        receipt: args.job.receipt,
    };
    let progress = context.progress("verifying");
    let answer = ci(&app, &options, &Variables { get: &get, event: &event });
    drop(progress);
    let answer = answer?;
    let on_github = get("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let format = args.format.or_else(|| on_github.then_some(Format::Github));
    let exit = print(&answer, format, context)?;
    match answer.failed {
        Some(error) => Err(error.into()),
        None => Ok(exit),
    }
}

impl AsRef<Verified> for Answer {
    fn as_ref(&self) -> &Verified {
        &self.verified
    }
}

impl Report for Answer {
    fn human(&self, out: &mut Out) {
        let event = &self.event;
        let mut fields = Fields::new();
        fields.add(
            "job",
            match event.forge {
                Some(forge) => forge.name(),
                None => "of no forge that is known here",
            },
        );
        let what = match event.what {
            What::Push => "pushed to",
            What::Request => "to be merged into",
            What::Queue => "queued for",
            What::Started => "started on",
        };
        fields.add(what, &event.reference);
        if let Some(old) = event.old {
            fields.add("from", old);
        }
        fields.add("to", event.new);
        out.fields(&fields);
        self.verified.human(out);
        if let Some(receipts) = &self.work_receipts {
            show(out, receipts);
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }

    fn exit(&self) -> Exit {
        self.verified.exit()
    }
}

fn show(out: &mut Out, receipts: &Receipts) {
    out.blank();
    if let Some(remark) = &receipts.remark {
        out.line(Text::from("no work receipts: ").then(remark));
    }
    if !receipts.receipts.is_empty() {
        let mut table = Table::headed(&["WORK RECEIPT", "PROPOSAL", ""]);
        for one in &receipts.receipts {
            let when = if one.already { "recorded before" } else { "recorded" };
            table.row([Text::bold(one.id), one.proposal.into(), when.into()]);
        }
        out.table(&table);
    }
    for proposal in &receipts.elsewhere {
        out.line(format!(
            "{proposal} speaks for an equal change: its own commit did not land, and gets no work receipt"
        ));
    }
}
