//! One chain of events a registrar, from its start on, with every fault named, and the outbox rows that it adds up to.

use serde::Serialize;

use super::Around;
use crate::app::described;
use crate::app::records::{describe, label_of};
use crate::app::threads::{self, Found, Threads};
use crate::codec::artifact::Artifact;
use crate::gate::facts::{LedgerEntry, Recorded};
use crate::gate::outbox::{self, Row, State};
use crate::ledger::chain::Fault;
use crate::model::decision::{Candidate, Disposition, ObservedUpdate};
use crate::model::envelope::ClaimKind;
use crate::model::event::{Event, EventKind};
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::time::Timestamp;
use crate::store::Shelf;

/// The chain that one registrar keeps about the envelope, in the note of one commit.
#[derive(Debug, Serialize)]
pub struct Chain {
    /// The registrar's label or id.
    pub registrar: String,
    /// Its key.
    pub registrar_id: KeyId,
    /// Whether any of it is the word of a listed registrar or of this clone's own; what others write is shown and decides nothing.
    pub known: bool,
    /// The commit.
    pub commit: Oid,
    /// The context receipt that it starts from; nothing where another registrar signed that.
    pub start: Option<ArtifactId>,
    /// Its events, by number.
    pub events: Vec<Happened>,
    /// What is wrong with it.
    pub faults: Vec<ChainFault>,
    /// The outbox rows that the events add up to; none from a chain with a fault.
    pub outbox: Vec<OutboxRow>,
    /// Events that the outbox could not take, in words.
    pub refused_events: Vec<String>,
}

/// One event.
#[derive(Debug, Serialize)]
pub struct Happened {
    /// Its number.
    pub seq: u64,
    /// The event.
    pub id: ArtifactId,
    /// When, as the event says.
    pub at: Timestamp,
    /// Which version it is about.
    pub version: Option<u64>,
    /// What happened.
    pub summary: String,
    /// Whether it is the registrar's word as a listed one.
    pub listed: bool,
}

/// A fault of a chain and the events at fault.
#[derive(Debug, Serialize)]
pub struct ChainFault {
    /// `gap`, `fork`, `edit` or `before_start`.
    pub kind: &'static str,
    /// The number at which it shows.
    pub seq: u64,
    /// The events at fault.
    pub events: Vec<ArtifactId>,
    /// In words.
    pub text: String,
}

/// One outbox row.
#[derive(Debug, Serialize)]
pub struct OutboxRow {
    /// The update.
    pub candidate: Candidate,
    /// `pending`, `ready`, `claimed` or `settled`.
    pub state: &'static str,
    /// How often it was claimed.
    pub attempts: u64,
    /// How many events it has.
    pub row_version: u64,
    /// The approval that was consumed for it.
    pub released_by: Option<ArtifactId>,
    /// The end of a claim.
    pub claimed_until: Option<Timestamp>,
    /// How it ended.
    pub disposition: Option<Disposition>,
    /// What was seen then.
    pub observed: Option<ObservedUpdate>,
}

/// An event or a refusal that is not the word of the registrar in whose ledger it stands.
#[derive(Debug, Serialize)]
pub struct Stray {
    /// The artifact.
    pub id: ArtifactId,
    /// What it says.
    pub summary: String,
    /// Labels of whose signatures verified.
    pub by: Vec<String>,
    /// In whose ledgers it stands.
    pub ledgers: Vec<String>,
}

/// The events about the envelope, by the keys in the registrars' own refs.
fn threads<T>(around: &Around<'_, '_>, ask: impl FnOnce(&Threads<'_>) -> T) -> T {
    let shelves = &around.session.shelves.open;
    let key = |id: &KeyId| shelves.iter().find(|shelf| shelf.registrar == *id).map(Shelf::key);
    ask(&Threads { docket: around.docket, id: around.id, keys: &key })
}

/// The ledger entries by which an artifact is the word of the registrar in whose ledger it stands.
pub(super) fn links<'r>(around: &Around<'_, '_>, recorded: &'r Recorded) -> impl Iterator<Item = &'r LedgerEntry> {
    let found: Vec<&'r LedgerEntry> = threads(around, |threads| threads.links(recorded).collect());
    found.into_iter()
}

/// Whether a registrar is this clone's own that nobody listed; a listed one's word is told by its entries, which may end somewhere.
pub(super) fn is_own(around: &Around<'_, '_>, registrar: &KeyId) -> bool {
    around.session.shelves.open.iter().any(|shelf| shelf.registrar == *registrar && shelf.known && shelf.listed == 0)
}

/// Which section an event of this envelope is told in, beside its chain.
pub(super) fn kind_of(around: &Around<'_, '_>, artifact: &Artifact) -> Option<&'static str> {
    match event(around, artifact)?.kind {
        EventKind::AgentAssertion { .. } => Some("assertion"),
        EventKind::Verified { .. } => Some("verified"),
        EventKind::Corrected { .. } | EventKind::Superseded { .. } => Some("change"),
        _ => None,
    }
}

pub(super) fn event<'e>(around: &Around<'_, '_>, artifact: &'e Artifact) -> Option<&'e Event> {
    threads(around, |threads| threads.event(artifact))
}

pub(super) fn of(around: &Around<'_, '_>) -> (Vec<Chain>, Vec<Stray>) {
    let strays = around.docket.all().filter(|recorded| {
        let refusal = matches!(recorded.artifact.value(), Artifact::Refusal(it)
            if it.predicate.candidate.envelope.is_some_and(|digest| around.is_version(&digest)));
        (refusal || event(around, recorded.artifact.value()).is_some()) && links(around, recorded).next().is_none()
    });
    let strays = strays.map(|recorded| stray(around, recorded)).collect();
    let chains = threads(around, |threads| {
        let all = threads.all().into_iter();
        all.map(|(place, found)| chain(around, threads, place, &found)).collect()
    });
    (chains, strays)
}

/// A claim that work is done was admitted and moves nothing, so that nothing of it is to be acted on.
fn is_claim(around: &Around<'_, '_>, row: &Row) -> bool {
    let mut versions = around.versions.iter();
    versions.any(|(digest, envelope, _)| {
        row.candidate.envelope == Some(*digest) && envelope.claim.kind == ClaimKind::Completion
    })
}

fn chain(
    around: &Around<'_, '_>,
    threads: &Threads<'_>,
    (registrar, commit): (KeyId, Oid),
    found: &[Found<'_>],
) -> Chain {
    let (start, faults) = threads.check(registrar, commit, found);
    let (rows, refused) =
        if faults.is_empty() { outbox::fold(found.iter().map(|(_, event, _)| *event)) } else { Default::default() };
    let known = found.iter().any(|(_, _, listed)| *listed) || is_own(around, &registrar);
    Chain {
        registrar: label_of(around.session, &registrar.to_string()),
        registrar_id: registrar,
        known,
        commit,
        start: start.as_ref().map(ArtifactId::of),
        events: found.iter().filter_map(|one| happened(around, one)).collect(),
        faults: faults.into_iter().map(told).collect(),
        outbox: rows.into_iter().filter(|row| !is_claim(around, row)).map(row).collect(),
        refused_events: refused,
    }
}

fn happened(around: &Around<'_, '_>, (link, event, listed): &Found<'_>) -> Option<Happened> {
    let recorded = around.docket.get(&link.digest)?;
    Some(Happened {
        seq: link.seq,
        id: recorded.artifact.id(),
        at: event.at,
        version: event.version,
        summary: described::parts(around.session, recorded.artifact.value()).1,
        listed: *listed,
    })
}

fn stray(around: &Around<'_, '_>, recorded: &Recorded) -> Stray {
    let record = describe(around.session, around.noted, recorded);
    let ledgers = record.entries.into_iter().map(|entry| entry.registrar).collect();
    Stray { id: record.id, summary: record.summary, by: record.by, ledgers }
}

fn told(fault: Fault) -> ChainFault {
    let (kind, seq, events, text) = threads::told(fault);
    ChainFault { kind, seq, events, text }
}

fn row(row: Row) -> OutboxRow {
    let (state, claimed_until, disposition, observed) = match row.state {
        State::Pending => ("pending", None, None, None),
        State::Ready => ("ready", None, None, None),
        State::Claimed { until, .. } => ("claimed", Some(until), None, None),
        State::Settled { disposition, observed } => ("settled", None, Some(disposition), Some(observed)),
    };
    OutboxRow {
        candidate: row.candidate,
        state,
        attempts: row.attempts,
        row_version: row.version,
        released_by: row.released_by.as_ref().map(ArtifactId::of),
        claimed_until,
        disposition,
        observed,
    }
}
