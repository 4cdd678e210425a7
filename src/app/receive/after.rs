//! AFTER: records what was admitted and received, with a work receipt for each proposal that asked for it. What a killed process left is
//! recorded by the next.

use std::path::PathBuf;

use serde::Serialize;

use crate::app::context::Context;
use crate::app::error::AppError;
use crate::app::events::Events;
use crate::app::judge::{Admission, write_admission};
use crate::app::outbox::{self, Entry, Found};
use crate::app::push::Pushed;
use crate::app::server;
use crate::app::transact::{Decided, transact};
use crate::gate::outbox::{Row, State};
use crate::gather::notes::Noted;
use crate::gather::{Session, proposals};
use crate::git::Repository;
use crate::model::decision::{Candidate, Disposition};
use crate::model::envelope::ClaimKind;
use crate::model::event::EventKind;
use crate::model::id::{ArtifactId, Oid};
use crate::store::{LocalState, Received, ReceivedUpdate, Used, layout};

/// So many seconds an update is waited for that no ref shows: another hook may have refused it, or it is still on its way.
const PATIENCE: i64 = 24 * 3600;

/// What was recorded of what a server received.
#[derive(Debug, Default, Serialize)]
pub struct Recorded {
    /// The work receipts made now.
    pub receipts: Vec<ArtifactId>,
    /// Refs that moved while what covers them did not arrive: it is recorded once it is there.
    pub without_receipts: Vec<String>,
    /// How many updates no ref shows, so that nothing is recorded of them.
    pub not_seen: usize,
}

/// How one admitted update stands.
enum Standing {
    /// The ref holds it, or has gone on from there; what it holds.
    Landed(Oid),
    /// No ref shows it.
    NotSeen,
}

/// Records whatever was admitted and is not recorded yet; `lines` are the moves that git says were made just now.
///
/// # Errors
/// When it can't be written; what is not recorded stays where the next process finds it.
pub fn record(context: &Context, lines: &[Pushed]) -> Result<Recorded, AppError> {
    server::require_no_namespace(context)?;
    let repository = context.repository()?;
    let local = LocalState::of(&repository);
    if lines.iter().any(|line| line.reference == layout::TRUST) {
        server::open_ledger(&context.open_for_trust(&repository)?)?;
    }
    let mut recorded = Recorded::default();
    for (path, received) in local.received()? {
        record_one(context, &repository, lines, (path, &received), &mut recorded)?;
    }
    Ok(recorded)
}

fn record_one(
    context: &Context,
    repository: &Repository,
    lines: &[Pushed],
    (path, received): (PathBuf, &Received),
    recorded: &mut Recorded,
) -> Result<(), AppError> {
    let mut landed = Vec::new();
    let mut open = 0;
    for update in &received.updates {
        match standing(repository, lines, &update.candidate)? {
            Standing::Landed(seen) => landed.push((update, seen)),
            Standing::NotSeen => open += 1,
        }
    }
    let old = received.at.plus(PATIENCE) < context.now;
    // By the clock of the decision, which is what a reader wants to know; a ledger's times never go back.
    let then = Context { now: received.at.min(context.now), ..context.clone() };
    let (receipts, absent) = transact(&then, repository, "received", |session, noted, signer| {
        let mut events = Events::new(session, noted, signer);
        let (mut receipts, mut absent) = (Vec::new(), Vec::new());
        for (update, seen) in &landed {
            for used in &update.used {
                match write(session, noted, &mut events, update, used, *seen)? {
                    Written::Receipt(id) => receipts.push(id),
                    Written::Nothing => {}
                    Written::Absent => absent.push(update.candidate.reference.clone()),
                }
            }
        }
        Ok(Decided { seen: Vec::new(), value: (receipts, absent), writing: events.writing() })
    })?;
    if absent.is_empty() && (open == 0 || old) {
        LocalState::of(repository).forget_received(path)?;
    } else {
        recorded.not_seen += open;
    }
    recorded.receipts.extend(receipts);
    recorded.without_receipts.extend(absent);
    recorded.without_receipts.dedup();
    Ok(())
}

fn standing(repository: &Repository, lines: &[Pushed], candidate: &Candidate) -> Result<Standing, AppError> {
    let moved = |line: &&Pushed| {
        line.reference == candidate.reference && line.old == candidate.old && line.new == candidate.new
    };
    if lines.iter().any(|line| moved(&line)) {
        return Ok(Standing::Landed(candidate.new));
    }
    let zero = repository.object_format().zero_oid();
    let value = repository.find_ref(&candidate.reference)?.unwrap_or(zero);
    Ok(match outbox::compare(repository, candidate, value)? {
        Found::There(seen) => Standing::Landed(seen),
        _ => Standing::NotSeen,
    })
}

enum Written {
    Receipt(ArtifactId),
    Nothing,
    Absent,
}

/// The admission, and, where the proposal asked for just this, its settlement with a work receipt.
fn write(
    session: &Session<'_>,
    noted: &Noted,
    events: &mut Events<'_, '_>,
    update: &ReceivedUpdate,
    used: &Used,
    seen: Oid,
) -> Result<Written, AppError> {
    noted.read(session, &used.note)?;
    let candidate = Candidate { envelope: used.envelope, ..update.candidate.clone() };
    let statement = match used.envelope {
        None => None,
        Some(digest) => match proposals::statement(noted, &digest) {
            Some(statement) => Some((digest, statement)),
            None => return Ok(Written::Absent),
        },
    };
    let admission =
        Admission { approval: used.approval, candidate: candidate.clone(), note: used.note, pending: false };
    write_admission(events, statement.as_ref().map(|(_, it)| &it.predicate), &admission, &update.snapshot)?;
    let Some((proposal, statement)) = statement else { return Ok(Written::Nothing) };
    // A push of other commits, of which this proposal only covers some, does not do what it asks for.
    let asked = statement.predicate.requested_action.as_ref().is_some_and(|action| action.new == candidate.new);
    let settled = |kind: &EventKind| matches!(kind, EventKind::Settled { candidate: other, .. } if *other == candidate);
    if !asked || statement.predicate.claim.kind == ClaimKind::Completion || events.happened(used.note, settled) {
        return Ok(Written::Nothing);
    }
    let row = Row { attempts: 0, candidate, released_by: used.approval, state: State::Ready, version: 1 };
    let entry = Entry { note: used.note, proposal, row, statement };
    let Some(receipt) = outbox::settle(session, events, &entry, Disposition::Complete, Some(seen))? else {
        return Ok(Written::Nothing);
    };
    Ok(Written::Receipt(ArtifactId::of(&receipt)))
}
