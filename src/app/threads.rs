//! THREADS: which events are a registrar's own word about one envelope, and what is wrong with each registrar's chain of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::codec::artifact::Artifact;
use crate::gate::docket::Docket;
use crate::gate::facts::{LedgerEntry, Recorded};
use crate::ledger::chain::{self, Fault, Link};
use crate::model::digest::Digest;
use crate::model::event::Event;
use crate::model::id::{ArtifactId, EnvelopeId, KeyId, Oid};
use crate::model::key::PublicKey;

/// An event, its place in its chain, and whether it is the registrar's word as a listed one.
pub type Found<'a> = (Link, &'a Event, bool);

/// What events about an envelope are found in: notes of a repository, or what a bundle carries.
pub struct Threads<'a> {
    /// The artifacts.
    pub docket: &'a Docket,
    /// The envelope.
    pub id: EnvelopeId,
    /// The raw key of each registrar.
    pub keys: &'a dyn Fn(&KeyId) -> Option<PublicKey>,
}

impl<'a> Threads<'a> {
    /// The ledger entries by which an artifact is the word of the registrar in whose ledger it stands.
    pub fn links<'r>(&self, recorded: &'r Recorded) -> impl Iterator<Item = &'r LedgerEntry> {
        recorded
            .entries
            .iter()
            .filter(|entry| (self.keys)(&entry.registrar).is_some_and(|key| recorded.artifact.signed_by(&key)))
    }

    /// An artifact as an event of this envelope.
    pub fn event<'e>(&self, artifact: &'e Artifact) -> Option<&'e Event> {
        match artifact {
            Artifact::Event(it) if it.predicate.envelope_id == Some(self.id) => Some(&it.predicate),
            _ => None,
        }
    }

    /// The events by registrar and commit, in the order of their numbers.
    pub fn all(&self) -> BTreeMap<(KeyId, Oid), Vec<Found<'a>>> {
        let mut threads: BTreeMap<(KeyId, Oid), Vec<Found<'a>>> = BTreeMap::new();
        for recorded in self.docket.all() {
            let Some(event) = self.event(recorded.artifact.value()) else { continue };
            let link = Link { seq: event.seq, prev: event.prev, digest: recorded.artifact.digest() };
            let mut places: BTreeMap<(KeyId, Oid), bool> = BTreeMap::new();
            for entry in self.links(recorded) {
                *places.entry((entry.registrar, entry.note)).or_default() |= entry.listed;
            }
            for (place, listed) in places {
                threads.entry(place).or_default().push((link, event, listed));
            }
        }
        threads.values_mut().for_each(|found| found.sort_by_key(|(link, ..)| *link));
        threads
    }

    /// What one registrar's events start from, and what is wrong with them.
    pub fn check(&self, registrar: KeyId, commit: Oid, found: &[Found<'_>]) -> (Option<Digest>, Vec<Fault>) {
        let start = self.start(registrar, commit, found);
        let links: Vec<Link> = found.iter().map(|(link, ..)| *link).collect();
        (start, chain::check(start, &links).err().unwrap_or_default())
    }

    /// The context receipt of the version whose event comes first, where this registrar signed it: a later version's events go on with
    /// the chain of the version before.
    fn start(&self, registrar: KeyId, commit: Oid, found: &[Found<'_>]) -> Option<Digest> {
        let own = |digest: &Digest| {
            self.docket.get(digest).is_some_and(|recorded| {
                matches!(recorded.artifact.value(), Artifact::ContextReceipt(it) if it.predicate.envelope_id == self.id)
                    && self.links(recorded).any(|entry| entry.registrar == registrar && entry.note == commit)
            })
        };
        let (first, event, _) = found.first()?;
        let bound: BTreeSet<Digest> = self
            .docket
            .all()
            .filter_map(|recorded| match recorded.artifact.value() {
                Artifact::EvidenceEnvelope(it) if it.predicate.envelope_id == self.id => Some(&it.predicate),
                _ => None,
            })
            .filter(|envelope| Some(envelope.version) == event.version)
            .filter_map(|envelope| envelope.bindings.context.value().copied())
            .filter(own)
            .collect();
        first.prev.filter(|prev| bound.contains(prev) || own(prev)).or_else(|| bound.first().copied())
    }
}

/// A fault in words: its kind, the number at which it shows, the events at fault, and a sentence.
pub fn told(fault: Fault) -> (&'static str, u64, Vec<ArtifactId>, String) {
    let id = |digest: &Digest| ArtifactId::of(digest);
    let named = |digest: &Option<Digest>| digest.as_ref().map_or_else(|| "nothing".to_owned(), |it| id(it).to_string());
    match fault {
        Fault::Gap { first, last, link } => {
            let missing =
                if first == last { format!("event {first} is") } else { format!("events {first} to {last} are") };
            let seq = last + 1;
            let text = format!("{missing} missing before event {seq}, {}", id(&link));
            ("gap", seq, vec![id(&link)], text)
        }
        Fault::Fork { seq, prev, links } => {
            let events: Vec<ArtifactId> = links.iter().map(id).collect();
            let all = events.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
            ("fork", seq, events, format!("{all} are both event {seq} after {}", named(&prev)))
        }
        Fault::Edit { seq, link, names, found } => {
            let text = format!(
                "event {seq}, {}, goes on from {}, but {} stands before it",
                id(&link),
                named(&names),
                named(&found)
            );
            ("edit", seq, vec![id(&link)], text)
        }
        Fault::BeforeStart { seq, link } => {
            let text = format!("{} has the number {seq}, and events begin with {}", id(&link), chain::FIRST_SEQ);
            ("before_start", seq, vec![id(&link)], text)
        }
    }
}
