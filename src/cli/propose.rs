//! `git boundary prepare`, `propose` and `baseline`.

use super::args::proposal::{Baseline, Intent as IntentArgs, Prepare, Propose};
use super::args::shared::Publishing;
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::baseline::{Adopted, baseline};
use crate::app::propose::{Intent, Proposed, prepare, propose};
use crate::model::typed::{typed_branch, typed_ref, typed_remote};

/// Longest draft, in bytes.
const MAX_DRAFT: u64 = 1 << 20;

pub(super) fn run_prepare(args: &Prepare, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, Publishing::default());
    let prepared = prepare(&app, &intent(&args.intent, None))?;
    let mut draft = prepared.draft;
    draft.push(b'\n');
    context.deliver(&draft)
}

pub(super) fn run(args: &Propose, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, args.publishing);
    let draft = match &args.draft {
        Some(path) => Some(context.read("draft", path, MAX_DRAFT)?),
        None => None,
    };
    let proposed = propose(&app, &intent(&args.intent, args.delete.clone()), draft.as_deref())?;
    context.print(&proposed)
}

pub(super) fn run_baseline(args: &Baseline, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, args.publishing);
    context.print(&baseline(&app, args.rev.as_deref(), args.reference.as_deref())?)
}

fn intent(args: &IntentArgs, delete: Option<String>) -> Intent {
    Intent {
        command: "",
        completion: args.completion,
        reference: args.reference.clone(),
        at: args.at.clone(),
        delete,
        work: args.work.clone(),
        reason: args.reason.clone(),
        idempotency_key: args.idempotency_key.clone(),
        write: None,
    }
}

impl Report for Proposed {
    fn human(&self, out: &mut Out) {
        let verb = if self.already { "Proposed already: " } else { "Proposed: " };
        out.line(Text::from(verb).then(Text::bold(self.id)).then(" by ").then(Text::bold(&self.actor)));
        let mut fields = Fields::indented(2);
        fields.add("envelope", format!("{} version {}", self.envelope_id, self.version));
        let Some(action) = &self.action else {
            fields.add("claims", "that the work is done");
            fields.add("handoff", self.handoff.map_or_else(|| "none".to_owned(), |id| id.to_string()));
            out.fields(&fields);
            bridge::warnings(out, &self.warnings);
            bridge::published(out, &self.published);
            out.blank();
            out.line("Next:");
            out.command(&format!("git boundary submit {}", self.id));
            return;
        };
        if action.new.is_zero() {
            fields.add("action", format!("delete {} at {}", action.reference, action.old.short()));
        } else if action.old.is_zero() {
            fields.add("action", format!("create {} at {}", action.reference, action.new.short()));
        } else {
            fields.add("action", format!("{} from {} to {}", action.reference, action.old.short(), action.new.short()));
        }
        fields.add("handoff", self.handoff.map_or_else(|| "none".to_owned(), |id| id.to_string()));
        out.fields(&fields);
        bridge::warnings(out, &self.warnings);
        bridge::published(out, &self.published);
        if let Some(next) = &self.next {
            out.blank();
            out.line(&next.sentence);
            if let Some(command) = &next.command {
                out.command(command);
            }
            for one in &self.advice {
                out.line(Text::from("or: ").then(one));
            }
        }
        if self.warnings.is_empty() {
            out.blank();
            out.line("Next:");
            let remote = self.remote.as_deref().map_or("<remote>".into(), typed_remote);
            let named = typed_ref(&action.reference);
            let branch = typed_branch(&action.reference);
            let force = match self.rewrite {
                // Of a tag git remembers no value of the remote's.
                true if !action.reference.starts_with("refs/heads/") => {
                    format!("--force-with-lease={branch}:{} ", action.old)
                }
                true => "--force-with-lease ".to_owned(),
                false => String::new(),
            };
            if action.new.is_zero() {
                out.command(&format!("git push {remote} :{branch}"));
            } else {
                match &self.branch {
                    Some(local) if *local == action.reference => {
                        out.command(&format!("git push {force}{remote} {branch}"))
                    }
                    _ => out.command(&format!("git push {force}{remote} {}:{named}", action.new.short())),
                }
            }
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for Adopted {
    fn human(&self, out: &mut Out) {
        out.line(format!("History up to {} ({}) is adopted as it is.", self.commit.short(), self.reference));
        bridge::published(out, &self.published);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}
