//! One chain of events a registrar, from its start on, with every fault named, and the outbox rows that it adds up to.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Around;
use crate::app::described;
use crate::app::records::{describe, label_of};
use crate::codec::artifact::Artifact;
use crate::gate::facts::{LedgerEntry, Recorded};
use crate::gate::outbox::{self, Row, State};
use crate::ledger::chain::{self, Fault, Link};
use crate::model::decision::{Candidate, Disposition, ObservedUpdate};
use crate::model::digest::Digest;
use crate::model::envelope::ClaimKind;
use crate::model::event::{Event, EventKind};
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::time::Timestamp;

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

/// The ledger entries by which an artifact is the word of the registrar in whose ledger it stands.
pub(super) fn links<'r>(around: &Around<'_, '_>, recorded: &'r Recorded) -> impl Iterator<Item = &'r LedgerEntry> {
    recorded.entries.iter().filter(|entry| {
        let shelf = around.session.shelves.open.iter().find(|shelf| shelf.registrar == entry.registrar);
        shelf.is_some_and(|shelf| recorded.artifact.signed_by(&shelf.key()))
    })
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
    match artifact {
        Artifact::Event(it) if it.predicate.envelope_id == Some(around.id) => Some(&it.predicate),
        _ => None,
    }
}

type Found<'a> = (Link, &'a Event, bool);

pub(super) fn of(around: &Around<'_, '_>) -> (Vec<Chain>, Vec<Stray>) {
    let mut by_registrar: BTreeMap<(KeyId, Oid), Vec<Found<'_>>> = BTreeMap::new();
    let mut strays = Vec::new();
    for recorded in around.docket.all() {
        let found = event(around, recorded.artifact.value());
        let refusal = matches!(recorded.artifact.value(), Artifact::Refusal(it)
            if it.predicate.candidate.envelope.is_some_and(|digest| around.is_version(&digest)));
        if found.is_none() && !refusal {
            continue;
        }
        if links(around, recorded).next().is_none() {
            strays.push(stray(around, recorded));
        }
        let Some(event) = found else { continue };
        let link = Link { seq: event.seq, prev: event.prev, digest: recorded.artifact.digest() };
        let mut places: BTreeMap<(KeyId, Oid), bool> = BTreeMap::new();
        for entry in links(around, recorded) {
            *places.entry((entry.registrar, entry.note)).or_default() |= entry.listed;
        }
        for (place, listed) in places {
            by_registrar.entry(place).or_default().push((link, event, listed));
        }
    }
    let chains = by_registrar.into_iter().map(|(place, found)| chain(around, place, found)).collect();
    (chains, strays)
}

/// A claim that work is done was admitted and moves nothing, so that nothing of it is to be acted on.
fn is_claim(around: &Around<'_, '_>, row: &Row) -> bool {
    let mut versions = around.versions.iter();
    versions.any(|(digest, envelope, _)| {
        row.candidate.envelope == Some(*digest) && envelope.claim.kind == ClaimKind::Completion
    })
}

fn chain(around: &Around<'_, '_>, (registrar, commit): (KeyId, Oid), mut found: Vec<Found<'_>>) -> Chain {
    found.sort_by_key(|(link, ..)| *link);
    let links: Vec<Link> = found.iter().map(|(link, ..)| *link).collect();
    let start = start(around, registrar, commit, &found);
    let faults = chain::check(start, &links).err().unwrap_or_default();
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

/// The context receipt of the version whose event comes first, where this registrar signed it: a later version's events go on with the
/// chain of the version before.
fn start(around: &Around<'_, '_>, registrar: KeyId, commit: Oid, found: &[Found<'_>]) -> Option<Digest> {
    let own = |digest: &Digest| {
        around.docket.get(digest).is_some_and(|recorded| {
            matches!(recorded.artifact.value(), Artifact::ContextReceipt(it) if it.predicate.envelope_id == around.id)
                && links(around, recorded).any(|entry| entry.registrar == registrar && entry.note == commit)
        })
    };
    let (first, event, _) = found.first()?;
    let versions = around.versions.iter().filter(|(_, envelope, _)| Some(envelope.version) == event.version);
    let bound: BTreeSet<Digest> =
        versions.filter_map(|(_, envelope, _)| envelope.bindings.context.value().copied()).filter(own).collect();
    first.prev.filter(|prev| bound.contains(prev) || own(prev)).or_else(|| bound.first().copied())
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
    let id = |digest: &Digest| ArtifactId::of(digest);
    let named = |digest: &Option<Digest>| digest.as_ref().map_or_else(|| "nothing".to_owned(), |it| id(it).to_string());
    match fault {
        Fault::Gap { first, last, link } => {
            let missing =
                if first == last { format!("event {first} is") } else { format!("events {first} to {last} are") };
            let seq = last + 1;
            let text = format!("{missing} missing before event {seq}, {}", id(&link));
            ChainFault { kind: "gap", seq, events: vec![id(&link)], text }
        }
        Fault::Fork { seq, prev, links } => {
            let events: Vec<ArtifactId> = links.iter().map(id).collect();
            let all = events.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
            ChainFault { kind: "fork", seq, text: format!("{all} are both event {seq} after {}", named(&prev)), events }
        }
        Fault::Edit { seq, link, names, found } => {
            let text = format!(
                "event {seq}, {}, goes on from {}, but {} stands before it",
                id(&link),
                named(&names),
                named(&found)
            );
            ChainFault { kind: "edit", seq, events: vec![id(&link)], text }
        }
        Fault::BeforeStart { seq, link } => {
            let text = format!("{} has the number {seq}, and events begin with {}", id(&link), chain::FIRST_SEQ);
            ChainFault { kind: "before_start", seq, events: vec![id(&link)], text }
        }
    }
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
