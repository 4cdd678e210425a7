//! `git boundary contradict` and `override`.

use super::args::evidence::{Contradict, Override};
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out};
use super::records::show_record;
use super::report::{Json, Report};
use super::text::Text;
use crate::app::contradict::{Contradicted, Objection, contradict};
use crate::app::set_aside::{self, Denial, SetAside};
use crate::model::decision::ContradictionState;

pub(super) fn run(args: &Contradict, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, args.publishing);
    let said = Objection {
        immaterial: args.immaterial,
        reason: args.reason.clone().unwrap_or_default(),
        resolve: args.resolve,
    };
    context.print(&contradict(&app, &args.artifact, &said)?)
}

pub(super) fn run_override(args: &Override, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, args.publishing);
    let denial = set_aside::look(&app, &args.proof)?;
    if !context.json {
        context.print_to_people(&Asked(&denial))?;
    }
    if !args.yes && context.is_attended() && !context.confirm("Override this?")? {
        return Err(CliError::fatal("nothing was signed"));
    }
    context.print(&set_aside::set_aside(&app, denial, &args.reason)?)
}

impl Report for Contradicted {
    fn human(&self, out: &mut Out) {
        let verb = match self.state {
            ContradictionState::Open => "Contradicted: ",
            ContradictionState::Resolved => "Resolved, what was open against: ",
        };
        let target = crate::model::id::ArtifactId::of(&self.target);
        out.line(Text::from(verb).then(&self.kind).then(" ").then(Text::bold(target)).then(" by ").then(&self.by));
        let mut fields = Fields::indented(2);
        fields.add("contradiction", self.id);
        fields.add("commit", self.commit.short());
        fields.add("material", if self.material { "yes" } else { "no: it refuses nothing" });
        out.fields(&fields);
        if self.state == ContradictionState::Resolved {
            for open in &self.open {
                out.line(Text::yellow("warning: ").then(format!("{open} stands against it still")));
            }
        }
        bridge::published(out, &self.published);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

struct Asked<'a>(&'a Denial);

impl Report for Asked<'_> {
    fn human(&self, out: &mut Out) {
        let denial = self.0;
        let verb = denial.decision.to_string();
        out.line(Text::bold(&denial.checker).then(format!(" decides {verb} on ")).then(denial.commit.to_string()));
        show_record(out, &denial.record);
        out.blank();
    }

    fn json(&self) -> Json {
        Json::One(value(self.0))
    }
}

impl Report for SetAside {
    fn human(&self, out: &mut Out) {
        let proof = &self.proof;
        out.line(Text::from("Overridden: ").then(Text::bold(proof.id)).then(" by ").then(Text::bold(&self.owner)));
        let mut fields = Fields::indented(2);
        fields.add("override", self.id);
        fields.add("decision", format!("{} by {}, which stays on record", proof.decision, proof.checker));
        fields.add("commit", proof.commit.short());
        out.fields(&fields);
        bridge::published(out, &self.published);
        out.line("It allows nothing by itself: where proofs are wanted, they still are.");
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}
