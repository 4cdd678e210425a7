//! `git boundary manual`: the pages of the manual, and the man page for installers.

use serde_json::json;

use super::args::manual::Manual;
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::man;
use super::out::{Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::manual::Page;

pub(super) fn run(args: &Manual, context: &Context) -> Result<Exit, CliError> {
    match args.page {
        _ if args.man => context.deliver(&man::man_page()),
        Some(page) => context.print(&OnePage(page)),
        None => context.print(&Pages),
    }
}

struct Pages;

impl Report for Pages {
    fn human(&self, out: &mut Out) {
        let mut table = Table::new();
        for page in Page::ALL {
            table.row([Text::bold(page.name()), page.summary().into()]);
        }
        out.table(&table);
        out.blank();
        out.line("To read one:");
        out.command("git boundary manual <page>");
    }

    fn json(&self) -> Json {
        Json::Lines(Page::ALL.iter().map(|page| json!({ "page": page.name(), "summary": page.summary() })).collect())
    }
}

struct OnePage(Page);

impl Report for OnePage {
    fn human(&self, out: &mut Out) {
        out.block(0, &self.0.text());
    }

    fn json(&self) -> Json {
        Json::One(json!({ "page": self.0.name(), "text": self.0.text() }))
    }
}
