//! Chains of events: each names the one before it, so what is missing, doubled or changed shows (contract, section 9).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::model::digest::Digest;

/// The number of the first event. What a chain starts from (the context receipt) counts as number 0.
pub const FIRST_SEQ: u64 = 1;

/// One event's place in its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// Its number, from [`FIRST_SEQ`].
    pub seq: u64,
    /// The digest of the event with the number before, or of what the chain starts from.
    pub prev: Option<Digest>,
    /// Its own digest.
    pub digest: Digest,
}

/// Puts the links of one chain in order, or says what is wrong with it.
///
/// `start` is what the first link must name (`None` when the chain starts from nothing). Links may come in any order
/// and more than once. Links missing at the end leave no trace here: showing those is the ledger's part.
///
/// # Errors
/// Every fault, by number, each with the link at fault.
pub fn check(start: Option<Digest>, links: &[Link]) -> Result<Vec<Link>, Vec<Fault>> {
    let mut by_seq: BTreeMap<u64, BTreeSet<Link>> = BTreeMap::new();
    for link in links {
        by_seq.entry(link.seq).or_default().insert(*link);
    }
    let mut faults = Vec::new();
    let mut expected = FIRST_SEQ;
    let mut before = BTreeSet::from([start]);
    for (&seq, here) in &by_seq {
        if seq < FIRST_SEQ {
            faults.extend(here.iter().map(|link| Fault::BeforeStart { seq, link: link.digest }));
            continue;
        }
        if seq == expected {
            // Behind a fork a link may go on from either side; the fork itself is what is reported.
            let strays = here.iter().filter(|link| !before.contains(&link.prev));
            let found = before.first().copied().flatten();
            faults.extend(strays.map(|link| Fault::Edit { seq, link: link.digest, names: link.prev, found }));
        } else {
            // What the link names is missing, so whether it names the right one cannot be told.
            faults.extend(here.iter().map(|link| Fault::Gap { first: expected, last: seq - 1, link: link.digest }));
        }
        faults.extend(forks(seq, here));
        before = here.iter().map(|link| Some(link.digest)).collect();
        expected = seq.saturating_add(1);
    }
    if faults.is_empty() { Ok(by_seq.into_values().flatten().collect()) } else { Err(faults) }
}

/// The number and `prev` of the next event of a chain.
///
/// # Errors
/// As [`check`]: a faulty chain is not added to.
pub fn next(start: Option<Digest>, links: &[Link]) -> Result<(u64, Option<Digest>), Vec<Fault>> {
    let ordered = check(start, links)?;
    Ok(ordered.last().map_or((FIRST_SEQ, start), |link| (link.seq + 1, Some(link.digest))))
}

/// Links of one number that go on from the same event.
fn forks(seq: u64, here: &BTreeSet<Link>) -> impl Iterator<Item = Fault> {
    let mut by_prev: BTreeMap<Option<Digest>, Vec<Digest>> = BTreeMap::new();
    for link in here {
        by_prev.entry(link.prev).or_default().push(link.digest);
    }
    by_prev.into_iter().filter(|(_, links)| links.len() > 1).map(move |(prev, links)| Fault::Fork { seq, prev, links })
}

/// What is wrong with a chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Events are missing.
    #[error("events {first} to {last} are missing before {link}")]
    Gap {
        /// The first number missing.
        first: u64,
        /// The last one.
        last: u64,
        /// The event after the gap.
        link: Digest,
    },
    /// Several events go on from one.
    #[error("{} events claim the number {seq} after {}", links.len(), Named(prev))]
    Fork {
        /// Their number.
        seq: u64,
        /// The event they all go on from.
        prev: Option<Digest>,
        /// The events.
        links: Vec<Digest>,
    },
    /// An event goes on from another one than the one that stands before it: one of the two was exchanged.
    #[error("event {seq}, {link}, goes on from {}, but {} stands before it", Named(names), Named(found))]
    Edit {
        /// Its number.
        seq: u64,
        /// The event.
        link: Digest,
        /// What it names.
        names: Option<Digest>,
        /// What stands there.
        found: Option<Digest>,
    },
    /// An event has a number that comes before the first.
    #[error("{link} has the number {seq}, events start at {FIRST_SEQ}")]
    BeforeStart {
        /// Its number.
        seq: u64,
        /// The event.
        link: Digest,
    },
}

/// A digest that may be absent, in a sentence.
struct Named<'a>(&'a Option<Digest>);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(digest) => digest.fmt(f),
            None => f.write_str("nothing"),
        }
    }
}
