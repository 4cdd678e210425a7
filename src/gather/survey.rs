//! SURVEY: the outlines of all artifacts in many notes. A note that is as it was when an earlier process read it is not read again.
//!
//! What a note came to then is found by the name of all that it follows from: the ids of its blobs, its ledger entries and the trust
//! document. Only a note without any flaw is kept, and only where nothing outside it had a part in what it came to. No moment has: an
//! outline says who signed what, and whether that counts now is not asked here.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use super::ahead;
use super::error::GatherError;
use super::notes::Noted;
use super::outline::Outline;
use super::session::Session;
use crate::gate::facts::{BadLineSeen, Gap};
use crate::model::digest::Digest;
use crate::model::id::Oid;

/// What many notes hold.
#[derive(Debug)]
pub struct Survey {
    /// Every verified artifact.
    pub outlines: BTreeMap<Digest, Outline>,
    /// Lines that authorise nothing.
    pub bad_lines: Vec<BadLineSeen>,
    /// What is missing.
    pub gaps: Vec<Gap>,
}

/// Looks through the notes of many objects, each named once.
///
/// # Errors
/// When git can't read them; that an object is absent becomes a gap.
pub fn survey(session: &Session<'_>, notes: &[Oid]) -> Result<Survey, GatherError> {
    let noted = Noted::default();
    if notes.len() < ahead::LEAST {
        noted.read_many(session, notes, |_| ())?;
        return Ok(Survey::of(&noted, notes, Vec::new()));
    }
    let mut known = session.local.known_notes(session.trust.digest());
    let (mut remembered, mut unread, mut named) = (Vec::new(), Vec::new(), Vec::new());
    for oid in notes {
        let basis = session.shelves.basis(oid);
        let again = basis.and_then(|basis| read(*oid, known.get(oid, &basis)?));
        match again {
            Some(again) => remembered.extend(again),
            None => {
                unread.push(*oid);
                named.extend(basis.map(|basis| (*oid, basis)));
            }
        }
    }
    noted.read_many(session, &unread, |_| ())?;
    let flawed = noted.flawed();
    for (oid, basis) in named.into_iter().filter(|(oid, _)| !flawed.contains(oid)) {
        if let Some(bytes) = write(&noted, &oid) {
            known.add(oid, basis, bytes);
        }
    }
    known.keep();
    Ok(Survey::of(&noted, notes, remembered))
}

/// The outlines of one flawless note; `None` where one of its artifacts is in another note as well, whose signatures and entries are
/// counted with those of this one.
fn write(noted: &Noted, oid: &Oid) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for digest in noted.on(oid, |_| true) {
        let recorded = noted.artifact(&digest)?;
        if recorded.entries.iter().any(|entry| entry.note != *oid) {
            return None;
        }
        Outline::of(&recorded).write(&mut bytes);
    }
    Some(bytes)
}

fn read(oid: Oid, mut bytes: &[u8]) -> Option<Vec<Outline>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        found.push(Outline::read(oid, &mut bytes)?);
    }
    Some(found)
}

impl Survey {
    /// What was read now and what was known, as if all of it had been read now, in the order of `notes`.
    fn of(noted: &Noted, notes: &[Oid], remembered: Vec<Outline>) -> Self {
        let mut outlines: BTreeMap<Digest, Outline> =
            noted.artifacts().into_iter().map(|(digest, recorded)| (digest, Outline::of(&recorded))).collect();
        let places: OnceCell<HashMap<Oid, usize>> = OnceCell::new();
        for one in remembered {
            let Some(there) = outlines.get_mut(&one.digest) else {
                outlines.insert(one.digest, one);
                continue;
            };
            let places = places.get_or_init(|| notes.iter().copied().zip(0..).collect());
            if places.get(&one.note) < places.get(&there.note) {
                there.note = one.note;
            }
            there.signers.extend(one.signers);
            let new = one.seats.into_iter().filter(|seat| !there.seats.contains(seat));
            let new: Vec<_> = new.collect();
            there.seats.extend(new);
        }
        let all = notes.iter().copied().collect();
        Survey { outlines, bad_lines: noted.bad_lines(&all), gaps: noted.gaps(&all) }
    }
}
