//! One event of an envelope's life in words.

use super::{moved, oid_or, short, update, word};
use crate::model::asserted::Asserted;
use crate::model::event::{Event, EventKind};

/// Its summary, and what is merely said in it; proven facts go to `fact`.
pub(super) fn parts(event: &Event, fact: &mut impl FnMut(&str, String)) -> (String, Asserted) {
    fact("at", event.at.to_string());
    let after = event.prev.as_ref().map_or_else(|| "nothing".to_owned(), short);
    fact("place", format!("{} after {after}", event.seq));
    if let Some(id) = event.envelope_id {
        fact("envelope", id.to_string());
    }
    let summary = match &event.kind {
        EventKind::Admitted { candidate, pending, snapshot } => {
            fact("update", update(candidate));
            fact("base", format!("{} {}", snapshot.base.reference, oid_or(&snapshot.base.oid)));
            fact("policy", snapshot.policy.to_string());
            let waits = if *pending { ", which waits for an owner's approval" } else { "" };
            format!("admitted {}{waits}", moved(candidate))
        }
        EventKind::Refused { receipt } => format!("refused, receipt {}", short(receipt)),
        EventKind::Released { approval, candidate } => {
            fact("approval", approval.to_string());
            fact("update", update(candidate));
            format!("released {} by {}", moved(candidate), short(approval))
        }
        EventKind::Claimed { attempt, candidate, fence, row_version, until } => {
            fact("update", update(candidate));
            fact("fence", fence.clone());
            fact("row version", row_version.to_string());
            fact("until", until.to_string());
            format!("attempt {attempt} at {} claimed", moved(candidate))
        }
        EventKind::Settled { candidate, disposition, fence, observed } => {
            fact("update", update(candidate));
            fact("disposition", word(disposition));
            fact("fence", fence.clone().unwrap_or_else(|| "none".to_owned()));
            fact("observed", format!("{} from {} to {}", observed.reference, observed.old, observed.new));
            format!("settled {}: {}", word(disposition), moved(candidate))
        }
        EventKind::Verified { evidence, work_receipt } => {
            fact("work receipt", work_receipt.to_string());
            evidence.iter().for_each(|one| fact("evidence", one.to_string()));
            format!("verified {}", short(work_receipt))
        }
        EventKind::Corrected { by } => {
            fact("by", by.to_string());
            format!("corrected by {}", short(by))
        }
        EventKind::Superseded { by } => {
            fact("by", by.to_string());
            format!("superseded by {}", short(by))
        }
        EventKind::AgentAssertion { asserted } => {
            return ("an agent's own words".to_owned(), asserted.clone());
        }
    };
    (summary, Asserted::none())
}
