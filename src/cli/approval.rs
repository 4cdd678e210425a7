//! `git boundary approvals`, `approve` and `reject`.

use super::args::approval::{Approvals, Approve, Reject};
use super::bridge::{self, value};
use super::context::{Context, clock};
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::approval::{self, Asked, Decided, Word};
use crate::app::record::publish;
use crate::codec::canonical;
use crate::gateway::actuator::{self, Carried, Seen};
use crate::model::count;
use crate::model::decision::ApprovalVerdict;
use crate::model::envelope::FileWrite;
use crate::model::id::Oid;
use crate::model::refusal::Code;

/// Paths that are shown before the rest is counted; the commits show the rest.
const MOST_PATHS: usize = 40;

pub(super) fn run_list(args: &Approvals, context: &Context) -> Result<Exit, CliError> {
    context.print(&Listed { all: args.all, asked: approval::waiting(&bridge::reading(context), args.all)? })
}

pub(super) fn run_approve(args: &Approve, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, args.publishing);
    let asked = approval::look(&app, args.proposal.as_deref(), args.registrar.as_deref())?;
    let seen = asked.action.write.as_ref().map(|write| actuator::look(&app, write));
    // What is signed is what was shown, whatever the revision names by then.
    if !context.json {
        context.print_to_people(&Shown { asked: &asked, seen: seen.as_ref() })?;
    }
    if let Some(seen) = &seen {
        over(&asked, seen)?;
    }
    if !args.yes && context.is_attended() && !context.confirm("Approve this?")? {
        return Err(CliError::fatal("nothing was signed"));
    }
    // Whoever thought about it signs now, and not when it was shown.
    let app = crate::app::Context { now: clock(), ..app };
    if let Some(write) = &asked.action.write {
        over(&asked, &actuator::look(&app, write))?;
    }
    let word = Word {
        verdict: ApprovalVerdict::Approve,
        ttl: args.ttl.map(|ttl| ttl.as_secs()),
        reason: args.reason.clone().unwrap_or_default(),
    };
    let (name, is_write) = (asked.digest.to_string(), asked.action.write.is_some());
    let decided = approval::decide(&app, asked, &word)?;
    // What an owner approves where its session runs happens at once.
    let carried = match is_write.then(|| actuator::carry_out_all(&app, Some(&name), clock)) {
        Some(Ok(mut carried)) => carried.pop(),
        // It is signed, whatever came after.
        Some(Err(error)) => {
            context.print(&Approved { decided, carried: None })?;
            return Err(error.into());
        }
        None => None,
    };
    if carried.is_some() {
        publish(&app)?;
    }
    context.print(&Approved { decided, carried })
}

/// What can't be carried out any more is not signed for.
fn over(asked: &Asked, seen: &Seen) -> Result<(), CliError> {
    let why = match &seen.session {
        _ if asked.has_ended() => "it came to its end before, and an approval is for once".to_owned(),
        Err(why) => format!("the session that asked for it is over: {why}"),
        Ok(_) => match unseen(asked, seen) {
            Some(why) => why,
            None => return Ok(()),
        },
    };
    let mut error = CliError::refused(format!("nothing was signed: {why}"));
    error.hints.push(format!("git boundary read {}", asked.envelope_id));
    Err(error)
}

/// Why what was shown is not what would be written: then nobody saw what they would sign for.
fn unseen(asked: &Asked, seen: &Seen) -> Option<String> {
    let write = asked.action.write.as_ref()?;
    match (&seen.before, &asked.content) {
        (Err(why), _) => Some(format!("what it would replace can't be shown: {why}")),
        (_, None) => Some("the bytes that wait to be written are not here whole".to_owned()),
        (_, Some(content)) if canonical::sha256(content) != write.content => {
            Some("the bytes that wait are not those that were asked for".to_owned())
        }
        _ if seen.digest != write.preimage => {
            let path = write.path.as_str();
            Some(format!("{path} is no longer what the request replaces, so that another difference would be written"))
        }
        _ => None,
    }
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

struct Shown<'a> {
    asked: &'a Asked,
    /// Of a write.
    seen: Option<&'a Seen>,
}

/// What a write is, and what it would change.
fn write(out: &mut Out, asked: &Asked, write: &FileWrite, seen: &Seen) {
    let mut fields = Fields::indented(2);
    fields.add("path", write.path.as_str());
    fields.add(
        "class",
        match asked.class {
            Some(class) => Text::yellow(class),
            None => "no automation file".into(),
        },
    );
    fields.add("size", count::of(write.size, "byte", "bytes"));
    fields.add(
        "may be run",
        if write.executable { Text::yellow("yes, as the file that it replaces") } else { "no".into() },
    );
    fields.add("media type", &write.media_type);
    fields.add("content", write.content);
    fields.add("replaces", write.preimage.map_or_else(|| "nothing: the file is made".to_owned(), |it| it.to_string()));
    match &seen.session {
        Ok(until) => fields.add("session until", until),
        Err(why) => fields.add("session", Text::red(format!("over: {why}"))),
    };
    out.fields(&fields);
    out.blank();
    let (Some(content), Ok(before)) = (&asked.content, &seen.before) else {
        let why = match &seen.before {
            Err(why) => why.as_str(),
            Ok(_) => "the bytes are not here",
        };
        out.line(Text::yellow("No difference can be shown: ").then(why));
        return;
    };
    if seen.digest != write.preimage {
        out.line(Text::red("The file is no longer as it was: nothing will be written unless it is again."));
    }
    out.line("What it would change:");
    super::diff::show(out, before.as_deref(), content);
}

impl Report for Shown<'_> {
    fn human(&self, out: &mut Out) {
        let asked = self.asked;
        out.line(Text::from("Proposal ").then(Text::bold(asked.id)).then(" by ").then(Text::bold(&asked.actor)));
        let mut fields = Fields::indented(2);
        let action = &asked.action;
        fields.add("envelope", format!("{} version {}", asked.envelope_id, asked.version));
        fields.add("repository", asked.repository);
        fields.add("ref", &action.reference);
        if action.write.is_none() {
            let or = |oid: &Oid, nothing: &str| if oid.is_zero() { nothing.to_owned() } else { oid.to_string() };
            fields.add("from", or(&action.old, "nothing: it is made"));
            fields.add("to", or(&action.new, "nothing: it is deleted"));
        }
        fields.add("handoff", asked.lease.map_or_else(|| "none".to_owned(), |id| id.to_string()));
        fields.add_some("lease until", asked.lease_until);
        fields.add("acts", asked.registrar);
        if action.write.is_none() {
            fields.add("needs it", asked.needed.as_deref().unwrap_or("nothing in it does"));
        }
        out.fields(&fields);
        if let (Some(it), Some(seen)) = (&asked.action.write, self.seen) {
            write(out, asked, it, seen);
            out.blank();
            out.asserted(&asked.asserted);
            bridge::warnings(out, &asked.warnings);
            out.blank();
            return;
        }
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
        Json::One(value(self.asked))
    }
}

/// An approval, and what came of it where it was for a write.
struct Approved {
    decided: Decided,
    carried: Option<Carried>,
}

impl Report for Approved {
    fn human(&self, out: &mut Out) {
        self.decided.human(out);
        if let Some(carried) = &self.carried {
            carried.human(out);
        }
    }

    fn json(&self) -> Json {
        let mut all = value(&self.decided);
        if let (Some(fields), Some(carried)) = (all.as_object_mut(), &self.carried) {
            fields.insert("carried".to_owned(), value(carried));
            // The head with all that followed.
            fields.insert("ledger".to_owned(), value(&carried.ledger));
        }
        Json::One(all)
    }

    fn exit(&self) -> Exit {
        self.carried.as_ref().map_or(Exit::Ok, Report::exit)
    }
}

impl Report for Carried {
    fn human(&self, out: &mut Out) {
        let word = match self.state {
            "complete" => Text::green("written"),
            "pending" => Text::yellow("waits for an owner"),
            "claimed" | "undecided" | "unknown" => Text::yellow(self.state),
            other => Text::red(format!("{other}, nothing was written")),
        };
        out.line(Text::bold(&self.path).then(": ").then(word));
        let mut fields = Fields::indented(2);
        fields.add("envelope", self.envelope_id);
        fields.add_some("work receipt", self.receipt);
        fields.add_some("", self.remark.as_deref());
        fields.add("ledger", format!("{} at {}", self.ledger.root, count::of(self.ledger.size, "entry", "entries")));
        out.fields(&fields);
        if let Some(answer) = &self.answer {
            super::hook::explain(out, answer);
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }

    fn exit(&self) -> Exit {
        match self.state {
            "complete" => Exit::Ok,
            "pending" | "claimed" | "undecided" | "unknown" => Exit::Undecided,
            _ => Exit::Refused,
        }
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
        fields.add("ledger", format!("{} at {}", self.ledger.root, count::of(self.ledger.size, "entry", "entries")));
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
