//! IDENTITY: turns stored lines into verified artifacts, once each.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::ahead::{self, Ahead};
use super::error::GatherError;
use super::line::{self, Amiss, Looked};
use super::session::Session;
use crate::codec::artifact::{Artifact, ClaimedKind};
use crate::codec::in_toto::Kind;
use crate::crypto::verified::{claimed_kind, verify_line_of};
use crate::gate::facts::{BadLineSeen, Gap, Recorded, Witness};
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::store::local::KnownLines;
use crate::store::shelves::Place;
use crate::store::{SPENT, StoredLine};

/// Everything read so far, shared by the updates of one push.
#[derive(Debug, Default)]
pub struct Noted {
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Notes that were read and looked at, and not asked for yet.
    ahead: BTreeMap<Oid, Ahead>,
    /// Lines that were good before; only asked for where there are many.
    known: Option<KnownLines>,
    read: BTreeSet<Oid>,
    /// Notes of which only what owners say about a commit was read.
    skimmed: BTreeSet<Oid>,
    artifacts: BTreeMap<Digest, Rc<Recorded>>,
    /// Every artifact of a note, copies of what was found in another note before included.
    by_note: BTreeMap<Oid, BTreeSet<Digest>>,
    bad: Vec<BadLineSeen>,
    gaps: Vec<(Oid, Gap)>,
}

impl Noted {
    /// Reads and verifies the note of one object, unless that was done before.
    ///
    /// # Errors
    /// When git can't read it; that an object is absent becomes a gap.
    pub fn read(&self, session: &Session<'_>, oid: &Oid) -> Result<(), GatherError> {
        let state = &mut *self.state.borrow_mut();
        if !state.read.insert(*oid) {
            return Ok(());
        }
        if state.skimmed.remove(oid) {
            // All of it is read again.
            state.bad.retain(|bad| bad.note != *oid);
            state.gaps.retain(|(note, _)| note != oid);
        }
        let ahead = state.ahead.remove(oid);
        state.look(session, oid, &|_| true, ahead)
    }

    /// Reads the notes of many objects, one after the other, with `then` after each. It does what [`Noted::read`] does; the lines are
    /// verified on several threads, and those that were good in an earlier process are only read.
    ///
    /// # Errors
    /// As for [`Noted::read`].
    pub fn read_many(
        &self,
        session: &Session<'_>,
        oids: &[Oid],
        mut then: impl FnMut(&Oid),
    ) -> Result<(), GatherError> {
        for some in oids.chunks(ahead::TOGETHER) {
            self.state.borrow_mut().look_ahead(session, some)?;
            for oid in some {
                self.read(session, oid)?;
                then(oid);
            }
        }
        if let Some(known) = &mut self.state.borrow_mut().known {
            known.keep();
        }
        Ok(())
    }

    /// Reads of one object's note, unless that was done before, what owners say about a commit that others build on: handoffs from it,
    /// their revocations and contradictions, that it is a baseline. The tip of a busy branch has a dozen other lines, each with a signature to verify.
    ///
    /// # Errors
    /// As for [`Noted::read`].
    pub fn skim(&self, session: &Session<'_>, oid: &Oid) -> Result<(), GatherError> {
        let state = &mut *self.state.borrow_mut();
        if state.read.contains(oid) || !state.skimmed.insert(*oid) {
            return Ok(());
        }
        let wanted = [Kind::Baseline, Kind::Contradiction, Kind::Handoff, Kind::Revocation].map(ClaimedKind::Own);
        state.look(session, oid, &|claimed| wanted.contains(&claimed), None)
    }

    /// The verified artifacts in the notes read so far.
    pub fn artifacts(&self) -> BTreeMap<Digest, Rc<Recorded>> {
        self.state.borrow().artifacts.clone()
    }

    /// One of them.
    pub fn artifact(&self, digest: &Digest) -> Option<Rc<Recorded>> {
        self.state.borrow().artifacts.get(digest).cloned()
    }

    /// Lines that authorise nothing, on the given notes.
    pub fn bad_lines(&self, notes: &BTreeSet<Oid>) -> Vec<BadLineSeen> {
        self.state.borrow().bad.iter().filter(|bad| notes.contains(&bad.note)).cloned().collect()
    }

    /// What is missing from the given notes.
    pub fn gaps(&self, notes: &BTreeSet<Oid>) -> Vec<Gap> {
        self.state.borrow().gaps.iter().filter(|(note, _)| notes.contains(note)).map(|(_, gap)| gap.clone()).collect()
    }

    /// The notes of which something authorises nothing, or is missing.
    pub fn flawed(&self) -> BTreeSet<Oid> {
        let state = self.state.borrow();
        let (bad, gaps) = (state.bad.iter().map(|bad| bad.note), state.gaps.iter().map(|(note, _)| *note));
        bad.chain(gaps).collect()
    }

    /// The digests of artifacts noted on one object for which `wanted` holds.
    pub fn on(&self, oid: &Oid, wanted: impl Fn(&Artifact) -> bool) -> Vec<Digest> {
        let state = self.state.borrow();
        let there = state.by_note.get(oid).into_iter().flatten();
        there
            .filter(|digest| state.artifacts.get(digest).is_some_and(|recorded| wanted(recorded.artifact.value())))
            .copied()
            .collect()
    }
}

impl State {
    fn look_ahead(&mut self, session: &Session<'_>, oids: &[Oid]) -> Result<(), GatherError> {
        self.ahead.clear();
        let unread: Vec<Oid> = oids.iter().filter(|oid| !self.read.contains(oid)).copied().collect();
        if unread.len() < ahead::LEAST {
            return Ok(());
        }
        let known = self.known.get_or_insert_with(|| session.local.known_lines(session.trust.digest()));
        self.ahead = ahead::look_ahead(session, &unread, known)?;
        Ok(())
    }

    fn look(
        &mut self,
        session: &Session<'_>,
        oid: &Oid,
        wanted: &dyn Fn(ClaimedKind) -> bool,
        ahead: Option<Ahead>,
    ) -> Result<(), GatherError> {
        let (reading, looked) = match ahead {
            Some(ahead) => (ahead.reading, ahead.looked),
            None => (session.shelves.read(oid)?, Vec::new()),
        };
        let mut looked = looked.into_iter();
        for unread in reading.unread {
            let text = format!("{}: the note of {}: {}", unread.reference, oid.short(), unread.defect);
            if unread.listed {
                let command = unread.fetch.unwrap_or("git boundary doctor");
                self.gaps.push((*oid, Gap { command: Some(command.to_owned()), text }));
            } else {
                // Anybody may have made it, so that it takes nothing away.
                let registrar = unread.registrar;
                self.bad.push(BadLineSeen { claims: None, unknown_key: false, note: *oid, registrar, text });
            }
        }
        for stored in &reading.lines {
            self.keep(session, oid, stored, wanted, looked.next());
        }
        for stray in &reading.unregistered {
            // What it would claim is only looked at for saying whose empty place it stands in; for what anybody wrote, that is not
            // worth a verification.
            let claims = if stray.known {
                match verify_line_of(&stray.line, wanted, &|name| session.trust.resolve(name)) {
                    Ok(None) => continue,
                    Ok(Some(good)) => good.value().kind().map(ClaimedKind::Own),
                    Err(bad) => bad.claims(),
                }
            } else {
                claimed_kind(&stray.line).filter(|claims| matches!(claims, ClaimedKind::Own(_)))
            };
            if claims.is_some_and(|claims| !wanted(claims)) {
                continue;
            }
            let text = "has no entry in its registrar's ledger".to_owned();
            self.bad.push(BadLineSeen { claims, unknown_key: false, note: *oid, registrar: stray.registrar, text });
        }
        for (reference, entry) in &reading.missing {
            let text = format!(
                "{reference} has a ledger entry of {} for {} whose line {} is gone",
                crate::model::id::ArtifactId::of(&entry.artifact),
                oid.short(),
                entry.line
            );
            self.gaps.push((*oid, Gap { command: Some("git boundary doctor".to_owned()), text }));
        }
        Ok(())
    }

    fn keep(
        &mut self,
        session: &Session<'_>,
        oid: &Oid,
        stored: &StoredLine,
        wanted: &dyn Fn(ClaimedKind) -> bool,
        looked: Option<Looked>,
    ) {
        let spent = |place: &Place| session.shelves.is_spent(&place.registrar);
        let amiss = if stored.places.iter().all(spent) {
            Amiss { claims: None, in_vain: false, text: SPENT.to_owned(), unknown_key: false }
        } else {
            let looked = looked.unwrap_or_else(|| line::look(&session.trust, stored, wanted));
            match line::weigh(looked, oid, stored, &|place| witnesses(session, place)) {
                Ok(None) => return,
                Ok(Some(recorded)) => {
                    self.by_note.entry(*oid).or_default().insert(recorded.artifact.digest());
                    return line::keep(&mut self.artifacts, recorded);
                }
                Err(amiss) => amiss,
            }
        };
        for place in &stored.places {
            if amiss.in_vain {
                session.shelves.charge(&place.registrar);
            }
            let Amiss { claims, text, unknown_key, .. } = amiss.clone();
            self.bad.push(BadLineSeen { claims, unknown_key, note: *oid, registrar: place.registrar, text });
        }
    }
}

fn witnesses(session: &Session<'_>, place: &Place) -> Vec<Witness> {
    line::witnesses(&session.shelves.cosigned(&session.trust, &place.registrar), place.entry.index)
}
