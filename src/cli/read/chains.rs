//! Chains of events, their faults, and the outbox rows that they add up to.

use super::{heading, moved, or_nothing};
use crate::app::described::word;
use crate::app::read::chains::{Chain, OutboxRow, Stray};
use crate::cli::out::{Fields, Out, Table};
use crate::cli::text::Text;

pub(super) fn outbox(out: &mut Out, chains: &[Chain]) {
    if chains.iter().all(|chain| chain.outbox.is_empty() && chain.refused_events.is_empty()) {
        return;
    }
    heading(out, "outbox");
    for chain in chains {
        for row in &chain.outbox {
            out.line(Text::from("  ").then(Text::bold(row.state)).then(format!(
                " at {}: {} to {}",
                chain.registrar,
                row.candidate.reference,
                or_nothing(&row.candidate.new)
            )));
            out.fields(&fields(row));
        }
        for refused in &chain.refused_events {
            out.line(Text::yellow(format!("  not taken at {}: ", chain.registrar)).then(refused));
        }
    }
}

fn fields(row: &OutboxRow) -> Fields {
    let mut fields = Fields::indented(4);
    let ready = match (row.state, &row.released_by) {
        (_, Some(approval)) => format!("released by {approval}"),
        ("pending", None) => "no: it waits for an owner's approval".to_owned(),
        (_, None) => "from the start".to_owned(),
    };
    fields.add("authority", ready);
    fields.add("attempts", row.attempts);
    fields.add_some("claimed until", row.claimed_until);
    fields.add_some("ended", row.disposition.map(word));
    if let Some(seen) = &row.observed {
        fields.add("observed", moved(&seen.reference, &seen.old, &seen.new));
    }
    fields
}

pub(super) fn show(out: &mut Out, chains: &[Chain], strays: &[Stray]) {
    heading(out, "chains of events");
    if chains.is_empty() {
        out.indented(2, "none");
    }
    for chain in chains {
        let state = match (chain.faults.is_empty(), chain.known) {
            (true, _) => Text::green("sound"),
            (false, true) => Text::red("at fault"),
            (false, false) => Text::yellow("at fault, and by nobody whose word counts"),
        };
        let start = chain.start.map_or_else(|| "nothing".to_owned(), |id| id.to_string());
        out.line(Text::from(format!("  {}, from {start} on: ", chain.registrar)).then(state));
        let mut table = Table::new();
        for event in &chain.events {
            let listed = if event.listed { "" } else { " (not a listed registrar's word)" };
            table.row([
                format!("    {}", event.seq).into(),
                Text::dim(event.at),
                Text::bold(event.id),
                format!("{}{listed}", event.summary).into(),
            ]);
        }
        out.table(&table);
        for fault in &chain.faults {
            out.line(Text::red(format!("    {}: ", fault.kind.replace('_', " "))).then(&fault.text));
        }
        if !chain.faults.is_empty() {
            out.indented(4, "What it adds up to can't be told.");
        }
    }
    if strays.is_empty() {
        return;
    }
    heading(out, "strays: in a ledger whose registrar did not sign them; they count for nothing");
    for stray in strays {
        let (by, ledgers) = (stray.by.join(", "), stray.ledgers.join(", "));
        out.indented(2, format!("{} by {by} in the ledger of {ledgers}: {}", stray.id, stray.summary));
    }
}
