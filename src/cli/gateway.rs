//! `git boundary gateway`.

use std::io::Read as _;
use std::path::Path;

use serde::Serialize;

use super::args::gateway::{Doctor, Gateway, Launch, Serve, Setup, Trace};
use super::args::shared::{Publishing, Signing};
use super::bridge::{self, value};
use super::context::{Context, clock};
use super::error::CliError;
use super::exit::Exit;
use super::export;
use super::hook::binary;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::export::ExportOptions;
use crate::app::gateway::{Trace as Traced, TraceEnd, lost, trace};
use crate::app::records::{self, LogOptions, Record};
use crate::gateway::adapter::{ADAPTERS, SERVER};
use crate::gateway::installation::{Finding, Home, recheck};
use crate::gateway::session::place;
use crate::gateway::setup::{self, Done, Wanted};
use crate::gateway::{admit, launch, serve, tools};
use crate::model::count;
use crate::model::gateway::Access;

/// Most lines set aside that are shown to people.
const SHOWN: usize = 10;

pub(super) fn run(args: Gateway, context: &Context) -> Result<Exit, CliError> {
    match args {
        Gateway::Setup(args) => set_up(args, context),
        Gateway::Launch(args) => start(&args, context),
        Gateway::Serve(args) => answer(&args, context),
        Gateway::Trace(args) => show(&args, context),
        Gateway::Doctor(args) => diagnose(&args, context),
        Gateway::Hook(_) => hook(context),
    }
}

fn set_up(args: Setup, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &Signing::default(), args.publishing);
    let wanted = Wanted {
        agent: args.agent,
        arguments: args.arguments,
        policy: args.policy,
        program: args.program,
        runner: binary(context)?,
    };
    context.print(&setup::setup(&app, &wanted)?)
}

impl Report for Done {
    fn human(&self, out: &mut Out) {
        let it = &self.installation;
        out.line(Text::green("set up: ").then(format!("{} for {}", it.adapter, self.workspace)));
        let mut fields = Fields::indented(2);
        fields.add("program", &self.program).add("version", &it.version).add("home", &self.profile);
        for file in it.agent.iter().chain([&it.runner, &it.shim]).chain(&it.configuration) {
            fields.add(&file.role, format!("{}  {}", file.digest, file.name));
        }
        fields.add("policy", it.policy).add("session", format!("{} s", self.policy.session_seconds));
        fields.add("recorded", format!("{} on {}", self.kept.id, self.kept.commit.short()));
        out.fields(&fields);
        out.line("It is no sandbox. What stays open:");
        it.gaps.iter().for_each(|gap| out.indented(2, gap));
        bridge::published(out, &self.kept.published);
        out.line("Next:");
        if !self.shim_is_first && it.adapter != "generic" {
            out.command(&format!("export PATH={}:$PATH", crate::model::typed::quoted(&self.shims)));
        }
        out.command(&format!("git boundary gateway launch {} --key <actor>", it.adapter));
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

fn start(args: &Launch, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, args.publishing);
    let ready = launch::prepare(&app, &args.agent, &args.words)?;
    let session = ready.session;
    let status = ready.run(&app, clock)?;
    context.hint(format!("session {session} ended; git boundary gateway trace {session} shows it"));
    Ok(Exit::Passed(u8::try_from(status).unwrap_or(128)))
}

fn answer(args: &Serve, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::reading(context);
    let desk = admit::admit(&app, &args.agent, &args.session)?;
    serve::serve(desk, clock).map_err(CliError::fatal)?;
    Ok(Exit::Ok)
}

/// Reads what an agent is about to call. Ours passes; everything else is denied, and so is what can't be read.
fn hook(context: &Context) -> Result<Exit, CliError> {
    /// More than any call's description.
    const MOST: u64 = 16 << 20;
    #[derive(serde::Deserialize)]
    struct Call {
        tool_name: String,
    }
    let mut said = Vec::new();
    let read = context.stdin(|stdin| stdin.take(MOST).read_to_end(&mut said));
    // Said twice it is not read: an agent may have taken the other one.
    let name = read.ok().and_then(|_| serde_json::from_slice::<Call>(&said).ok()).map(|call| call.tool_name);
    // Agents write the server's name with either mark.
    let ours = |name: &str| {
        [SERVER.to_owned(), SERVER.replace('-', "_")].iter().any(|server| {
            let tool = name.strip_prefix(&format!("mcp__{server}__"));
            tool.is_some_and(|tool| tools::catalogue().iter().any(|one| one.name == tool))
        })
    };
    match name {
        Some(name) if ours(&name) => Ok(Exit::Ok),
        Some(name) => {
            context.hint(format!("{name} is none of the tools of this session"));
            // Agents take this status, and no other, for a denial.
            Ok(Exit::Undecided)
        }
        None => {
            context.hint("what is about to be called can't be told".to_owned());
            Ok(Exit::Undecided)
        }
    }
}

fn show(args: &Trace, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::reading(context);
    match (&args.session, &args.output) {
        (Some(session), Some(file)) => {
            let app = bridge::writing(context, &Signing::default(), Publishing { no_publish: true });
            // Whatever the words could mean elsewhere, here they are a session's.
            trace(&app, session)?;
            let options = ExportOptions { what: Some(session.clone()), ..ExportOptions::default() };
            export::write(&app, &options, (file != Path::new("-")).then_some(file.as_path()), context)
        }
        (Some(session), None) => context.print(&trace(&app, session)?),
        (None, _) => {
            let lost = lost(&app)?;
            lost.iter().for_each(|text| context.warn(text));
            let all = records::log(&app, &LogOptions::default())?;
            let all = all.into_iter().filter(|record| record.kind == "session").collect();
            context.print(&Sessions { all, whole: lost.is_empty() })
        }
    }
}

struct Sessions {
    all: Vec<Record>,
    /// Whether no ledger lost anything that was seen of it.
    whole: bool,
}

impl Report for Sessions {
    fn human(&self, out: &mut Out) {
        if self.all.is_empty() {
            out.line("No session is recorded here.");
            return out.command("git boundary gateway setup claude");
        }
        let mut table = Table::headed(&["SESSION", "AT", "BY", "ON"]);
        for one in &self.all {
            let at = one.at.map_or_else(|| "-".to_owned(), |at| at.to_string());
            table.row([(&one.id).into(), at.into(), one.by.join(", ").into(), one.commit.short().into()]);
        }
        out.table(&table);
    }

    fn json(&self) -> Json {
        Json::Lines(self.all.iter().map(value).collect())
    }

    fn exit(&self) -> Exit {
        if self.whole { Exit::Ok } else { Exit::Undecided }
    }
}

/// The calls of a session, for people.
pub(super) fn calls(out: &mut Out, calls: &[Access]) {
    let mut table = Table::headed(&["", "AT", "OPERATION", "OUTCOME", "BYTES", "PATH"]);
    for one in calls {
        let outcome = if one.outcome == "ok" { Text::green("ok") } else { Text::yellow(&one.outcome) };
        let path = one.path.as_deref().unwrap_or("-");
        table.row([one.seq.into(), one.at.into(), (&one.operation).into(), outcome, one.size.into(), path.into()]);
    }
    out.table(&table);
}

impl Report for Traced {
    fn human(&self, out: &mut Out) {
        let sound = self.faults.is_empty();
        let end = match (sound, self.end) {
            (false, _) => Text::red("not whole"),
            (true, TraceEnd::Closed) => Text::green("whole"),
            (true, TraceEnd::Open) => {
                Text::yellow("open: calls of a session that runs are recorded when it ends, or 256 at a time")
            }
        };
        out.line(Text::bold(self.id).then(": ").then(end));
        let mut fields = Fields::indented(2);
        let listed = if self.listed { "" } else { " (not listed)" };
        let registrar = format!("{}{listed}, strength {}", self.registrar, self.strength);
        fields.add("registrar", registrar).add("commit", self.commit);
        fields.add_some("began", self.began_at.map(|at| at.to_string())).add("until", self.seal.expires_at);
        if let Some(it) = &self.installation {
            fields.add("agent", format!("{}, version {}", it.adapter, it.version)).add("policy", it.policy);
            it.gaps.iter().for_each(|gap| {
                fields.add("gap", gap);
            });
        }
        fields.add("installation", self.seal.installation).add("root", self.root);
        fields.add("calls", count::of(self.accesses.len() as u64, "call", "calls"));
        out.fields(&fields);
        calls(out, &self.accesses);
        self.faults.iter().for_each(|fault| out.line(Text::red("wrong: ").then(fault)));
        self.set_aside.iter().take(SHOWN).for_each(|bad| out.line(Text::dim("set aside: ").then(bad)));
        if let Some(more) = self.set_aside.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            out.line(Text::dim(format!("set aside: {more} more; --json lists them all")));
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }

    fn exit(&self) -> Exit {
        if self.faults.is_empty() { Exit::Ok } else { Exit::Refused }
    }
}

#[derive(Serialize)]
struct Diagnosis {
    agent: String,
    findings: Vec<Finding>,
    gaps: Vec<String>,
}

struct Diagnoses(Vec<Diagnosis>);

fn diagnose(args: &Doctor, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::reading(context);
    let told =
        |error: crate::gateway::error::Unestablished| CliError::from(error.told("git boundary gateway setup claude"));
    let mut found = Vec::new();
    if let Some(agent) = &args.agent {
        let (home, installed) = launch::installed(&app, agent)?;
        launch::recover(&app, &home)?;
        let findings = recheck(&app, &home, &installed).map_err(told)?;
        found.push(Diagnosis { agent: agent.clone(), findings, gaps: installed.record.gaps });
    } else {
        let here = place(context.environment.cwd()).map_err(told)?;
        for adapter in ADAPTERS {
            if Home::open(&app, adapter.name, &here).map_err(told)?.is_none() {
                continue;
            }
            let (home, installed) = launch::installed(&app, adapter.name)?;
            launch::recover(&app, &home)?;
            let findings = recheck(&app, &home, &installed).map_err(told)?;
            found.push(Diagnosis { agent: adapter.name.to_owned(), findings, gaps: installed.record.gaps });
        }
    }
    context.print(&Diagnoses(found))
}

impl Report for Diagnoses {
    fn human(&self, out: &mut Out) {
        if self.0.is_empty() {
            out.line("No agent is set up for this directory.");
            return out.command("git boundary gateway setup claude");
        }
        for one in &self.0 {
            let drifted = one.findings.iter().filter(|finding| !finding.same).count();
            let state = if drifted == 0 { Text::green("as it was set up") } else { Text::red("not as it was set up") };
            out.line(Text::bold(&one.agent).then(": ").then(state));
            for finding in &one.findings {
                if finding.same {
                    out.indented(2, Text::green("same  ").then(format!("{}  {}", finding.what, finding.recorded)));
                } else {
                    out.indented(2, Text::red("other ").then(format!("{}  {}", finding.what, finding.recorded)));
                    out.indented(8, format!("now {}", finding.found));
                }
            }
            one.gaps.iter().for_each(|gap| out.indented(2, Text::dim(format!("gap   {gap}"))));
            if drifted > 0 {
                out.line("No launch goes on until that is as it was, or is set up anew, with the same --policy and --program:");
                out.command(&launch::setup_again(&one.agent));
            }
        }
    }

    fn json(&self) -> Json {
        Json::Lines(self.0.iter().map(value).collect())
    }

    fn exit(&self) -> Exit {
        let sound = self.0.iter().all(|one| one.findings.iter().all(|finding| finding.same));
        if sound { Exit::Ok } else { Exit::Refused }
    }
}
