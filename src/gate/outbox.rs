//! OUTBOX: the rows that the events of one registrar about one proposal add up to (contract, section 8). Pure: a fold, in chain order.

use crate::model::decision::{Candidate, Disposition, ObservedUpdate};
use crate::model::digest::Digest;
use crate::model::event::{Event, EventKind};
use crate::model::time::Timestamp;

/// So often an action is tried.
pub const MOST_ATTEMPTS: u64 = 3;

/// One admitted update, and how far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// How often it was claimed.
    pub attempts: u64,
    /// What is to happen.
    pub candidate: Candidate,
    /// The approval that was consumed for it.
    pub released_by: Option<Digest>,
    /// How far it is.
    pub state: State,
    /// How many events it has.
    pub version: u64,
}

/// How far a row is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It waits for an owner's approval: its authority-ready marker is null.
    Pending,
    /// It may be claimed.
    Ready,
    /// Somebody acts, or was killed doing so.
    Claimed {
        /// Of the current claim.
        fence: String,
        /// Its end.
        until: Timestamp,
    },
    /// It ended.
    Settled {
        /// How.
        disposition: Disposition,
        /// What the remote was seen to hold.
        observed: ObservedUpdate,
    },
}

impl Row {
    /// Whether it ended.
    pub fn is_settled(&self) -> bool {
        matches!(self.state, State::Settled { .. })
    }

    /// The fence of a claim that still runs.
    pub fn live_claim(&self, now: Timestamp) -> Option<(&str, Timestamp)> {
        match &self.state {
            State::Claimed { fence, until } if now <= *until => Some((fence, *until)),
            _ => None,
        }
    }
}

/// Folds events, in the order of their chain, into rows: one for each update, the last one of a ref last. An update that was admitted
/// and overtaken by another of the same ref before anybody claimed it has none.
///
/// What the order does not allow (a claim of what is settled, a settlement under another fence) changes nothing, and is told.
pub fn fold<'e>(events: impl IntoIterator<Item = &'e Event>) -> (Vec<Row>, Vec<String>) {
    let mut outbox = Outbox::default();
    for event in events {
        if let Err(fault) = outbox.apply(event) {
            outbox.faults.push(format!("event {}: {fault}", event.seq));
        }
    }
    (outbox.rows, outbox.faults)
}

#[derive(Default)]
struct Outbox {
    faults: Vec<String>,
    rows: Vec<Row>,
}

impl Outbox {
    fn apply(&mut self, event: &Event) -> Result<(), String> {
        match &event.kind {
            EventKind::Admitted { candidate, pending, .. } => {
                self.admit(candidate, *pending);
                Ok(())
            }
            EventKind::Released { approval, candidate } => {
                let row = self.row(candidate)?;
                row.released_by.get_or_insert(*approval);
                if row.state == State::Pending {
                    row.state = State::Ready;
                }
                row.version += 1;
                Ok(())
            }
            EventKind::Claimed { attempt, candidate, fence, row_version, until } => {
                let row = self.row(candidate)?;
                match row.state {
                    State::Pending => return Err("a claim of what waits for an approval".to_owned()),
                    State::Settled { .. } => return Err("a claim of what is settled".to_owned()),
                    State::Ready | State::Claimed { .. } => {}
                }
                if *row_version != row.version || *attempt != row.attempts + 1 || *attempt > MOST_ATTEMPTS {
                    return Err(format!(
                        "claim {attempt} at version {row_version} of a row with {} claims at version {}",
                        row.attempts, row.version
                    ));
                }
                row.attempts = *attempt;
                row.state = State::Claimed { fence: fence.clone(), until: *until };
                row.version += 1;
                Ok(())
            }
            EventKind::Settled { candidate, disposition, fence, observed } => {
                let row = self.row(candidate)?;
                let holds = match (&row.state, fence) {
                    (State::Settled { .. }, _) => return Err("a second settlement".to_owned()),
                    (State::Claimed { fence: current, .. }, Some(fence)) => current == fence,
                    (State::Claimed { until, .. }, None) => event.at > *until,
                    (_, fence) => fence.is_none(),
                };
                if !holds {
                    return Err("a settlement by who does not hold the claim".to_owned());
                }
                row.state = State::Settled { disposition: *disposition, observed: observed.clone() };
                row.version += 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn admit(&mut self, candidate: &Candidate, pending: bool) {
        if let Some(known) = self.rows.iter_mut().find(|row| row.candidate == *candidate) {
            if known.state == State::Pending && !pending {
                known.state = State::Ready;
            }
            return;
        }
        self.rows.retain(|row| {
            row.candidate.reference != candidate.reference || !matches!(row.state, State::Pending | State::Ready)
        });
        let state = if pending { State::Pending } else { State::Ready };
        self.rows.push(Row { attempts: 0, candidate: candidate.clone(), released_by: None, state, version: 1 });
    }

    fn row(&mut self, candidate: &Candidate) -> Result<&mut Row, String> {
        let found = self.rows.iter_mut().find(|row| row.candidate == *candidate);
        found.ok_or_else(|| format!("{} at {} was never admitted", candidate.reference, candidate.new.short()))
    }
}

#[cfg(test)]
mod tests;
