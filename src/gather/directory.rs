//! DIRECTORY: finding handoffs by when their leases end, so that those long over cost nobody anything.
//!
//! Hints, two steps deep. In the note of the empty blob one for each day on which a lease ends, at the object that stands for the day;
//! in that object's note one for each pinned commit. A hint without an end leads to a pinned commit from wherever it stands. Nobody
//! believes hints: a wrong one costs a look in vain, and a missing one makes a handoff harder to find, never a proposal under it worse.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::error::GatherError;
use super::notes::Noted;
use super::session::Session;
use crate::codec::artifact::Artifact;
use crate::model::digest::Digest;
use crate::model::id::{KeyId, Oid};
use crate::model::time::Timestamp;
use crate::store::hints::Hint;

const DAY: i64 = 86_400;

/// A hint, and who gave it where that is nobody known.
type Lead = (Option<KeyId>, Hint);

/// The object in whose note the days are: the empty blob.
pub fn root(session: &Session<'_>) -> Oid {
    session.repository.object_format().hash_blob(b"").expect("the empty blob has an id")
}

/// The hints that are still needed for a handoff to be found, each with the object in whose note it goes.
///
/// # Errors
/// When the shelves can't be read.
pub fn hints_for(session: &Session<'_>, pin: Oid, until: Option<Timestamp>) -> Result<Vec<(Oid, Hint)>, GatherError> {
    let root = root(session);
    let (place, end) = match until {
        Some(until) => day(session, until),
        None => (root, None),
    };
    let path = [(root, Hint { hint: place, until: end }), (place, Hint { hint: pin, until })];
    let mut needed = Vec::new();
    for (at, hint) in path.into_iter().filter(|(_, hint)| hint.hint != root) {
        if !session.shelves.read(&at)?.hints.contains(&hint) {
            needed.push((at, hint));
        }
    }
    Ok(needed)
}

/// Every handoff whose lease may not be over, newest end first; their notes are read.
///
/// # Errors
/// When the shelves can't be read.
pub fn live(session: &Session<'_>, noted: &Noted) -> Result<Vec<Digest>, GatherError> {
    let mut found = Vec::new();
    visit(session, noted, Some(session.now), &mut |digests| {
        found.extend_from_slice(digests);
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Every handoff; their notes are read.
///
/// # Errors
/// When the shelves can't be read.
pub fn all(session: &Session<'_>, noted: &Noted) -> Result<Vec<Digest>, GatherError> {
    let mut found = Vec::new();
    visit(session, noted, None, &mut |digests| {
        found.extend_from_slice(digests);
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Reads until one handoff is found, those that end last first; not at all where it was read before.
///
/// # Errors
/// When the shelves can't be read.
pub fn seek(session: &Session<'_>, noted: &Noted, wanted: &Digest) -> Result<(), GatherError> {
    if noted.artifact(wanted).is_some() {
        return Ok(());
    }
    visit(session, noted, None, &mut |digests| {
        if digests.contains(wanted) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

/// Shows the handoffs of one pinned commit after the other, those that end last first, until `see` has seen enough; those that ended
/// before `since` are left out.
///
/// # Errors
/// When the shelves can't be read.
pub fn visit(
    session: &Session<'_>,
    noted: &Noted,
    since: Option<Timestamp>,
    see: &mut dyn FnMut(&[Digest]) -> ControlFlow<()>,
) -> Result<(), GatherError> {
    let matters = |(_, hint): &Lead| hint.until.is_none_or(|until| since.is_none_or(|since| since <= until));
    let spent = |registrar: &Option<KeyId>| registrar.is_some_and(|registrar| session.shelves.is_spent(&registrar));
    let in_vain = |registrar: Option<KeyId>| registrar.iter().for_each(|registrar| session.shelves.charge(registrar));
    let mut days: Vec<Lead> = session.shelves.read(&root(session))?.leads().filter(matters).collect();
    days.sort_by_key(|(who, day)| (Reverse(day.until.unwrap_or(Timestamp::MAX)), day.hint, *who));
    let mut seen: BTreeSet<Oid> = BTreeSet::new();
    let mut seen_days: BTreeSet<Oid> = BTreeSet::new();
    for (registrar, day) in days {
        if spent(&registrar) || (day.until.is_some() && !seen_days.insert(day.hint)) {
            continue;
        }
        let mut pins: Vec<Lead> = match day.until {
            None => vec![(registrar, day)],
            Some(_) => {
                let leads: Vec<Lead> = session.shelves.read(&day.hint)?.leads().collect();
                if leads.is_empty() {
                    in_vain(registrar);
                }
                leads
            }
        };
        pins.retain(matters);
        pins.sort_by_key(|(who, pin)| (Reverse(pin.until), pin.hint, *who));
        for (registrar, Hint { hint: pin, .. }) in pins {
            if spent(&registrar) || !seen.insert(pin) {
                continue;
            }
            noted.skim(session, &pin)?;
            let handoffs = noted.on(&pin, |artifact| matches!(artifact, Artifact::Handoff(_)));
            if handoffs.is_empty() {
                in_vain(registrar);
            }
            if see(&handoffs).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The object that stands for the day of a moment, and the day's last second.
fn day(session: &Session<'_>, until: Timestamp) -> (Oid, Option<Timestamp>) {
    let end = Timestamp(until.0.div_euclid(DAY).saturating_mul(DAY).saturating_add(DAY - 1)).plus(0);
    let text = format!("handoffs until {end}\n");
    let oid = session.repository.object_format().hash_blob(text.as_bytes()).expect("a blob of any bytes has an id");
    (oid, Some(end))
}
