//! Whether an envelope still holds, never without how far that goes.

use super::heading;
use crate::app::read::currency::{Changed, Currency};
use crate::cli::out::{Fields, Out, Table};
use crate::cli::text::Text;

pub(super) fn show(out: &mut Out, currency: &Currency) {
    heading(out, "currency");
    let state = match currency.state {
        "contradicted" | "superseded" | "corrected" => Text::red(currency.state),
        "unknown" => Text::yellow(currency.state),
        other => Text::green(other),
    };
    out.line(Text::from("  ").then(state));
    out.indented(2, &currency.text);
    for one in &currency.contradictions {
        let by = one.by.join(", ");
        out.indented(2, format!("{} against its {} {} by {by}", one.id, one.about, one.target));
        if !one.asserted.is_empty() {
            out.indented(4, Text::dim("asserted (said by the signer; no rule reads it):"));
            let mut fields = Fields::indented(6);
            for (label, text) in &one.asserted {
                fields.add(label, text);
            }
            out.fields(&fields);
        }
    }
    changes(out, "corrected", &currency.corrected_by);
    changes(out, "superseded", &currency.superseded_by);
    let Some(bound) = &currency.snapshot else { return };
    let whole = if bound.complete { "" } else { ", not all of which could be read" };
    out.indented(2, format!("The snapshot: at {}, by trust version {}{whole}, over", bound.at, bound.trust_version));
    let mut table = Table::new();
    for ledger in &bound.ledgers {
        let listed = if ledger.listed { "" } else { "not listed" };
        table.row([
            format!("    {}", ledger.registrar).into(),
            format!("up to {}", ledger.size).into(),
            listed.into(),
            Text::dim(&ledger.reference),
        ]);
    }
    out.table(&table);
    for absent in &bound.absent {
        out.indented(4, format!("{absent}, listed: nothing of its ledger is here"));
    }
}

fn changes(out: &mut Out, how: &str, all: &[Changed]) {
    for one in all {
        let missing = if one.found { "" } else { ", which is not here" };
        out.indented(2, format!("{how} by {}{missing}: event {} of {}", one.by, one.event, one.registrar));
    }
}
