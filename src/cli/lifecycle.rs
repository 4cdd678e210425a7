//! `git boundary correct` and `supersede`.

use super::args::read::{Correct, Supersede};
use super::args::shared::Signing;
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::lifecycle::{Change, Marked, mark};

pub(super) fn run_correct(args: &Correct, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &Signing::default(), args.publishing);
    context.print(&mark(&app, Change::Corrected, args.proposal.as_deref(), &args.by)?)
}

pub(super) fn run_supersede(args: &Supersede, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &Signing::default(), args.publishing);
    context.print(&mark(&app, Change::Superseded, args.proposal.as_deref(), &args.by)?)
}

impl Report for Marked {
    fn human(&self, out: &mut Out) {
        let how = match self.change {
            Change::Corrected => "corrected",
            Change::Superseded => "superseded",
        };
        let head = if self.anew { "Recorded" } else { "Recorded before, and not anew" };
        out.line(
            Text::from(format!("{head}: ")).then(Text::bold(self.proposal)).then(format!(" is {how} by {}", self.by)),
        );
        let mut fields = Fields::indented(2);
        fields.add("event", self.id);
        fields.add("envelope", format!("{} version {}", self.envelope_id, self.version));
        fields.add("by", format!("{} version {}", self.by_envelope_id, self.by_version));
        fields.add("registrar", self.registrar);
        out.fields(&fields);
        if !self.listed {
            out.line(
                Text::yellow("warning: ")
                    .then("this clone's registrar is not listed, so that other clones see this and go by none of it"),
            );
        }
        if let Some(published) = &self.published {
            bridge::published(out, published);
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}
