//! `git boundary evidence …`

use super::args::evidence::{Add, Assert, Evidence, Observe};
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::described::word;
use crate::app::evidence::{self, Assertion, Evidenced, Shown};
use crate::cli::args::shared::Signing;
use crate::model::count;
use crate::model::id::ArtifactId;

/// Failed tests that are shown before the rest is counted; `show` has all of them.
const MOST_TESTS: usize = 20;

pub(super) fn run(args: Evidence, context: &Context) -> Result<Exit, CliError> {
    match args {
        Evidence::Add(args) => run_add(&args, context),
        Evidence::Observe(args) => run_observe(&args, context),
        Evidence::Assert(args) => run_assert(&args, context),
    }
}

fn run_add(args: &Add, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, args.publishing);
    let file = context.read("test result", &args.file, evidence::MAX_FILE)?;
    context.print(&evidence::add(&app, &file, args.about.envelope.as_deref())?)
}

fn run_observe(args: &Observe, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, args.publishing);
    context.print(&evidence::observe(&app, &args.words, args.result, args.about.envelope.as_deref())?)
}

fn run_assert(args: &Assert, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &Signing::default(), args.publishing);
    context.print(&evidence::assert(&app, &args.words, args.envelope.as_deref())?)
}

impl Report for Evidenced {
    fn human(&self, out: &mut Out) {
        out.line(Text::from("Evidence: ").then(Text::bold(self.id)).then(" by ").then(Text::bold(&self.by)));
        let mut fields = Fields::indented(2);
        fields.add("about", format!("work receipt {} of {}", ArtifactId::of(&self.work_receipt), self.proposal));
        fields.add("domain", &self.domain);
        match &self.shown {
            Shown::TestResult { result, failed, passed, warned } => {
                fields.add("result", word(result).to_lowercase());
                fields.add("passed", passed);
                fields.add("failed", failed.len());
                if !warned.is_empty() {
                    fields.add("warned", warned.len());
                }
                out.fields(&fields);
                for test in failed.iter().take(MOST_TESTS) {
                    out.indented(4, test);
                }
                if failed.len() > MOST_TESTS {
                    let more = count::of(failed.len() - MOST_TESTS, "failed test", "failed tests");
                    out.indented(4, format!("and {more} more: git boundary show {}", self.id));
                }
            }
            Shown::Observation { result, what } => {
                fields.add("result", word(result));
                fields.add("seen", what);
                out.fields(&fields);
            }
        }
        bridge::published(out, &self.published);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for Assertion {
    fn human(&self, out: &mut Out) {
        out.line(Text::from("Asserted: ").then(Text::bold(self.id)).then(format!(" about {}", self.proposal)));
        let mut fields = Fields::indented(2);
        fields.add("envelope", self.envelope_id);
        fields.add("said", &self.asserted);
        out.fields(&fields);
        bridge::published(out, &self.published);
        out.line("It is recorded, and counts for nothing: evidence is what another domain signs.");
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}
