//! `git boundary import`.

use super::args::export::Import;
use super::args::shared::Signing;
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::Out;
use super::report::{Json, Report};
use super::text::Text;
use crate::app::bundle::answer::Defect;
use crate::app::bundle::form::MAX_BYTES;
use crate::app::import::{Imported, import};
use crate::model::count;

pub(super) fn run(args: &Import, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &Signing::default(), args.publishing);
    let bytes = context.read("file to import", &args.file, MAX_BYTES)?;
    let progress = context.progress("importing");
    let imported = import(&app, &bytes);
    drop(progress);
    context.print(&imported?)
}

/// What was left, once for each reason: what of it, or how many.
fn kinds(left: &[Defect]) -> Vec<(&str, String)> {
    let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in left {
        match kinds.iter_mut().find(|(text, _)| *text == one.text) {
            Some((_, what)) => what.push(&one.what),
            None => kinds.push((&one.text, vec![&one.what])),
        }
    }
    let told = |what: Vec<&str>| match what.as_slice() {
        [one] => (*one).to_owned(),
        several => count::of(several.len(), "line", "lines"),
    };
    kinds.into_iter().map(|(text, what)| (text, told(what))).collect()
}

impl Report for Imported {
    fn human(&self, out: &mut Out) {
        for defect in &self.defects {
            out.line(Text::red("wrong: ").then(&defect.what).then(": ").then(&defect.text));
        }
        if !self.defects.is_empty() {
            out.line("Nothing was taken.");
            return;
        }
        for ledger in &self.ledgers {
            let entries = count::of(ledger.entries as usize, "entry", "entries");
            out.line(Text::green("taken: ").then(format!("the ledger of {}, {entries}", ledger.registrar)));
            out.line("It counts in this clone. To hand it on:");
            out.command(&format!("git push <remote> {}:refs/notes/boundary/{}", ledger.reference, ledger.registrar));
        }
        for taken in &self.taken {
            let on = format!("{} {} on {}", taken.kind, taken.id, taken.commit.short());
            out.line(Text::green("taken: ").then(on));
        }
        for (text, what) in kinds(&self.left) {
            out.line(Text::yellow("left: ").then(what).then(": ").then(text));
        }
        if let Some((theirs, ours)) = self.newer_trust.filter(|_| !self.left.is_empty()) {
            out.line(format!(
                "The file knows trust version {theirs}, this clone {ours}; with the newer one it may know more keys:"
            ));
            out.command("git boundary sync");
        }
        if self.known > 0 {
            out.line(format!("{} here already", count::of(self.known as usize, "line is", "lines are")));
        }
        if let Some(published) = &self.published {
            bridge::published(out, published);
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }

    fn exit(&self) -> Exit {
        if self.defects.is_empty() { Exit::Ok } else { Exit::Refused }
    }
}
