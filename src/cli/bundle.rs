//! `git boundary verify --bundle`.

use std::path::Path;

use super::args::shared::{Publishing, Signing};
use super::args::verify::Verify;
use super::bridge::{self, exit_of, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::gateway::calls;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use super::verify::show_proof;
use crate::app::bundle::answer::BundleAnswer;
use crate::app::bundle::form::MAX_BYTES;
use crate::app::bundle::{Verifier, verify};
use crate::app::gateway::TraceEnd;
use crate::app::subject::full_ref;

/// Most checks that are listed one by one for people.
const SHOWN: usize = 60;

pub(super) fn run(args: &Verify, file: &Path, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::app(context, &Signing::default(), Publishing::default(), args.pinning);
    let (root, source) = app.pinned()?;
    let bytes = context.read("bundle", file, MAX_BYTES)?;
    let verifier = Verifier {
        now: context.now,
        pinned_by: source.name(),
        reference: args.reference.as_deref().map(full_ref),
        root,
        min_trust_version: args.pinning.min_trust_version,
    };
    let progress = context.progress("verifying");
    let answer = verify(&bytes, &verifier);
    drop(progress);
    context.print(&answer)
}

impl Report for BundleAnswer {
    fn human(&self, out: &mut Out) {
        let verdict = match self.verdict {
            "verified_as_bundled" => Text::green("verified as far as a bundle goes"),
            "refused" => Text::red("not verified"),
            other => Text::yellow(other),
        };
        let code = self.primary_code.map_or_else(Text::new, |code| Text::from(": ").then(Text::bold(code)));
        out.line(verdict.then(code));
        out.fields(&self.fields());
        for defect in &self.defects {
            out.line(Text::red("wrong: ").then(&defect.what).then(": ").then(&defect.text));
        }
        for reason in &self.reasons {
            out.line(Text::red("refused: ").then(Text::bold(reason.code)));
            out.indented(2, &reason.text);
        }
        for gap in &self.gaps {
            out.line(Text::yellow("not decided: ").then(gap));
        }
        self.tables(out);
        for proof in &self.proofs {
            show_proof(out, proof);
        }
        for remark in &self.remarks {
            out.line(Text::dim("seen beside it: ").then(remark));
        }
        if !self.not_made.is_empty() {
            out.blank();
            out.line("What a bundle leaves open:");
            self.not_made.iter().for_each(|open| out.indented(2, format!("- {open}")));
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }

    fn exit(&self) -> Exit {
        exit_of(self.outcome)
    }
}

impl BundleAnswer {
    fn fields(&self) -> Fields {
        let mut fields = Fields::indented(2);
        if let Some(about) = &self.about {
            let kind = value(&about.kind);
            let kind = kind.as_str().unwrap_or_default();
            let id = about.artifact.map_or_else(String::new, |id| format!(" {id}"));
            fields.add("about", format!("{kind}{id}, {}", about.text));
        }
        for proof in self.proofs.iter().filter(|proof| self.about.as_ref().and_then(|it| it.artifact) == Some(proof.id))
        {
            fields.add("it says", Text::bold(proof.decision));
        }
        if let Some(repository) = &self.repository {
            fields.add("repository", repository);
        }
        if let Some(it) = &self.session {
            let listed = if it.listed { "" } else { " (not listed)" };
            fields.add("registrar", format!("{}{listed}, strength {}", it.registrar, it.strength));
            fields.add_some("began", it.began_at.map(|at| at.to_string())).add("until", it.seal.expires_at);
            if let Some(installed) = &it.installation {
                fields.add("agent", format!("{}, version {}", installed.adapter, installed.version));
                fields.add("policy", installed.policy);
            }
            fields.add("installation", it.seal.installation).add("root", it.root);
            let end = if it.end == TraceEnd::Closed { "ended" } else { "not ended" };
            let calls = crate::model::count::of(it.accesses.len() as u64, "call", "calls");
            fields.add("calls", format!("{calls}, {end}"));
        }
        let version =
            self.trust_version.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
        fields.add("trust", format!("{version} from {} ({})", self.trust_root, self.pinned_by));
        for ledger in &self.ledgers {
            let listed = if ledger.listed { "" } else { ", not listed" };
            let size = crate::model::count::of(ledger.size, "entry", "entries");
            let text = format!("{}{listed}: {} of {size}", ledger.registrar, ledger.entries);
            fields.add("ledger", text);
        }
        fields
    }

    fn tables(&self, out: &mut Out) {
        if !self.commits.is_empty() {
            out.blank();
            let mut table = Table::headed(&["COMMIT", "STATUS", "PROPOSAL"]);
            for commit in self.commits.iter().take(SHOWN) {
                let envelope = commit.envelope.map_or_else(|| "-".to_owned(), |id| id.to_string());
                table.row([commit.oid.short().into(), state(commit.status), envelope.into()]);
            }
            out.table(&table);
            more(out, self.commits.len());
        }
        if let Some(session) = &self.session {
            out.blank();
            calls(out, &session.accesses[..session.accesses.len().min(SHOWN)]);
            more(out, session.accesses.len());
        }
        if !self.checks.is_empty() {
            out.blank();
            let mut table = Table::headed(&["CHECK", "STATE", "ABOUT", "WHAT WAS FOUND"]);
            for check in self.checks.iter().take(SHOWN) {
                table.row([(&check.check).into(), state(check.state), (&check.about).into(), (&check.text).into()]);
            }
            out.table(&table);
            more(out, self.checks.len());
        }
    }
}

fn more(out: &mut Out, count: usize) {
    if count > SHOWN {
        out.line(Text::dim(format!("and {} more; --json lists them all", count - SHOWN)));
    }
}

fn state(word: &'static str) -> Text {
    match word {
        "holds" | "covered" => Text::green(word),
        "fails" | "refused" => Text::red(word),
        "undecided" => Text::yellow(word),
        _ => Text::dim("-"),
    }
}
