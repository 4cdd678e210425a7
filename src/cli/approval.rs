//! `git boundary approvals`, `approve` and `reject`.

use super::args::approval::{Approvals, Approve, Reject};
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::approval::{self, Asked, Decided, Word};
use crate::model::decision::ApprovalVerdict;
use crate::model::refusal::Code;

/// Paths that are shown before the rest is counted; the commits show the rest.
const MOST_PATHS: usize = 40;

pub(super) fn run_list(args: &Approvals, context: &Context) -> Result<Exit, CliError> {
    context.print(&Listed { all: args.all, asked: approval::waiting(&bridge::reading(context), args.all)? })
}

pub(super) fn run_approve(args: &Approve, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, args.publishing);
    let asked = approval::look(&app, args.proposal.as_deref(), args.registrar.as_deref())?;
    // What is signed is what was shown, whatever the revision names by then.
    if !context.json {
        context.print_to_people(&Shown(&asked))?;
    }
    if !args.yes && context.is_attended() && !context.confirm("Approve this?")? {
        return Err(CliError::fatal("nothing was signed"));
    }
    let word = Word {
        verdict: ApprovalVerdict::Approve,
        ttl: args.ttl.map(|ttl| ttl.as_secs()),
        reason: args.reason.clone().unwrap_or_default(),
    };
    context.print(&approval::decide(&app, asked, &word)?)
}

pub(super) fn run_reject(args: &Reject, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, args.publishing);
    let asked = approval::look(&app, args.proposal.as_deref(), None)?;
    let reason = args.reason.clone().unwrap_or_default();
    context.print(&approval::decide(&app, asked, &Word { verdict: ApprovalVerdict::Reject, ttl: None, reason })?)
}

struct Listed {
    all: bool,
    asked: Vec<Asked>,
}

impl Report for Listed {
    fn human(&self, out: &mut Out) {
        if self.asked.is_empty() {
            out.line(if self.all {
                "No branch here has work that an owner was asked about."
            } else {
                "Nothing waits for an owner here."
            });
            return;
        }
        let mut table = Table::headed(&["PROPOSAL", "STATE", "BY", "REF", "COMMIT", "WHY"]);
        for one in &self.asked {
            let state = match one.standing {
                None => Text::green("approved"),
                Some(code) => Text::yellow(code.name().trim_start_matches("approval.").replace('_', " ")),
            };
            table.row([
                Text::bold(one.id),
                state,
                (&one.actor).into(),
                (&one.action.reference).into(),
                one.action.new.short().into(),
                one.needed.as_deref().unwrap_or("-").into(),
            ]);
        }
        out.table(&table);
        let Some(first) = self.asked.iter().find(|one| one.waits()) else { return };
        out.blank();
        out.line("To see one in full and decide:");
        out.command(&format!("git boundary approve {} --key <owner>", first.id));
    }

    fn json(&self) -> Json {
        Json::Lines(self.asked.iter().map(value).collect())
    }
}

struct Shown<'a>(&'a Asked);

impl Report for Shown<'_> {
    fn human(&self, out: &mut Out) {
        let asked = self.0;
        out.line(Text::from("Proposal ").then(Text::bold(asked.id)).then(" by ").then(Text::bold(&asked.actor)));
        let mut fields = Fields::indented(2);
        let action = &asked.action;
        fields.add("envelope", format!("{} version {}", asked.envelope_id, asked.version));
        fields.add("repository", asked.repository);
        fields.add("ref", &action.reference);
        fields
            .add("from", if action.old.is_zero() { "nothing: it is made".to_owned() } else { action.old.to_string() });
        fields
            .add("to", if action.new.is_zero() { "nothing: it is deleted".to_owned() } else { action.new.to_string() });
        fields.add("handoff", asked.lease.map_or_else(|| "none".to_owned(), |id| id.to_string()));
        fields.add_some("lease until", asked.lease_until);
        fields.add("acts", asked.registrar);
        fields.add("needs it", asked.needed.as_deref().unwrap_or("nothing in it does"));
        out.fields(&fields);
        if !asked.commits.is_empty() {
            out.blank();
            let mut table = Table::headed(&["COMMIT", "WHAT ITS AUTHOR SAYS"]);
            for commit in &asked.commits {
                table.row([commit.oid.short().into(), (&commit.summary).into()]);
            }
            out.table(&table);
        }
        if !asked.paths.is_empty() {
            out.blank();
            out.line("Paths:");
            for path in asked.paths.iter().take(MOST_PATHS) {
                out.indented(2, path);
            }
            if asked.paths.len() > MOST_PATHS {
                out.indented(2, format!("and {} more: git diff --stat", asked.paths.len() - MOST_PATHS));
            }
        }
        bridge::warnings(out, &asked.warnings);
        if asked.standing == Some(Code::ApprovalRejected) {
            bridge::warnings(out, &["an owner rejected it, and no approval outweighs that".to_owned()]);
        }
        out.blank();
    }

    fn json(&self) -> Json {
        Json::One(value(self.0))
    }
}

impl Report for Decided {
    fn human(&self, out: &mut Out) {
        let asked = &self.about;
        let verb = match self.verdict {
            ApprovalVerdict::Approve => "Approved",
            ApprovalVerdict::Reject => "Rejected",
        };
        out.line(Text::from(format!("{verb}: ")).then(Text::bold(asked.id)).then(" by ").then(Text::bold(&self.owner)));
        let mut fields = Fields::indented(2);
        fields.add("approval", self.id);
        fields.add("action", asked.action_digest);
        if self.verdict == ApprovalVerdict::Approve {
            fields.add("until", self.expires_at);
        }
        out.fields(&fields);
        bridge::published(out, &self.published);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}
