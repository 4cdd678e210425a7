//! EVENTS: what happens to an envelope, as the next links of the chain that this clone's registrar keeps about it.

use std::collections::BTreeMap;

use super::error::AppError;
use super::record::Writing;
use crate::codec::artifact::Artifact;
use crate::codec::dsse::Dsse;
use crate::codec::in_toto::Statement;
use crate::crypto::Signer;
use crate::crypto::verified::sign_statement;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::ledger::chain;
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::event::{Event, EventKind};
use crate::model::id::{EnvelopeId, Oid};

/// Lines of one writing, with the events among them chained one behind the other.
pub struct Events<'s, 'r> {
    ends: BTreeMap<(Oid, Option<EnvelopeId>), (u64, Option<Digest>)>,
    lines: Vec<(Oid, Dsse)>,
    noted: &'s Noted,
    session: &'s Session<'r>,
    signer: &'s dyn Signer,
}

impl<'s, 'r> Events<'s, 'r> {
    /// Nothing yet.
    pub fn new(session: &'s Session<'r>, noted: &'s Noted, signer: &'s dyn Signer) -> Self {
        Events { ends: BTreeMap::new(), lines: Vec::new(), noted, session, signer }
    }

    /// The next event about an envelope, or about a push that needed none. The note has to have been read.
    ///
    /// # Errors
    /// When the commit can't be read or the registrar doesn't sign.
    pub fn add(&mut self, note: Oid, envelope: Option<&Envelope>, kind: EventKind) -> Result<chain::Link, AppError> {
        let id = envelope.map(|envelope| envelope.envelope_id);
        let start = envelope.and_then(|envelope| envelope.bindings.context.value().copied());
        let (seq, prev) = match self.ends.get(&(note, id)) {
            Some(end) => *end,
            None => next_link(self.noted, note, id, start, self.signer),
        };
        let event = Event {
            at: self.session.now,
            envelope_id: id,
            kind,
            prev,
            seq,
            version: envelope.map(|envelope| envelope.version),
        };
        let subject = super::subject::subject(self.session, note)?;
        let line = sign_statement(&Statement { predicate: event, subject: Some(subject) }, self.signer)?;
        let digest = line.digest();
        self.ends.insert((note, id), (seq + 1, Some(digest)));
        self.lines.push((note, line));
        Ok(chain::Link { seq, prev, digest })
    }

    /// Whether this registrar recorded such an event in a note before. What others record is their word, and takes no place of ours.
    pub fn happened(&self, note: Oid, wanted: impl Fn(&EventKind) -> bool) -> bool {
        self.said(note, |artifact| matches!(artifact, Artifact::Event(event) if wanted(&event.predicate.kind)))
            .is_some()
    }

    /// Something that this registrar signed and that stands in a note already.
    pub fn said(&self, note: Oid, wanted: impl Fn(&Artifact) -> bool) -> Option<Digest> {
        said(self.noted, note, self.signer, wanted)
    }

    /// Who signs.
    pub fn signer(&self) -> &'s dyn Signer {
        self.signer
    }

    /// Another line that is to be written along.
    pub fn line(&mut self, note: Oid, line: Dsse) {
        self.lines.push((note, line));
    }

    /// What is to be written.
    pub fn writing(self) -> Writing {
        Writing { lines: self.lines, hints: Vec::new() }
    }
}

/// Something in a note that a key signed.
pub(super) fn said(
    noted: &Noted,
    note: Oid,
    signer: &dyn Signer,
    wanted: impl Fn(&Artifact) -> bool,
) -> Option<Digest> {
    let key = signer.public_key();
    let own = |digest: &Digest| noted.artifact(digest).is_some_and(|recorded| recorded.artifact.signed_by(&key));
    noted.on(&note, wanted).into_iter().find(own)
}

/// The place of the next event in this registrar's chain about one envelope.
pub(super) fn next_link(
    noted: &Noted,
    note: Oid,
    envelope: Option<EnvelopeId>,
    start: Option<Digest>,
    signer: &dyn Signer,
) -> (u64, Option<Digest>) {
    let key = signer.public_key();
    let links: Vec<chain::Link> = own(noted, note, envelope, signer).into_iter().map(|(link, _)| link).collect();
    let start = start.filter(|digest| noted.artifact(digest).is_some_and(|recorded| recorded.artifact.signed_by(&key)));
    chain::next(start, &links).unwrap_or_else(|_| {
        // A chain with a fault is reported by `doctor`; what happens now is still recorded, after the highest link there is.
        let last = links.iter().max_by_key(|link| link.seq);
        last.map_or((chain::FIRST_SEQ, start), |link| (link.seq + 1, Some(link.digest)))
    })
}

/// This registrar's events about one envelope, in the order of their numbers.
pub fn own(noted: &Noted, note: Oid, envelope: Option<EnvelopeId>, signer: &dyn Signer) -> Vec<(chain::Link, Event)> {
    let key = signer.public_key();
    let about = |artifact: &Artifact| matches!(artifact, Artifact::Event(it) if it.predicate.envelope_id == envelope);
    let mut found = Vec::new();
    for digest in noted.on(&note, about) {
        let Some(recorded) = noted.artifact(&digest).filter(|recorded| recorded.artifact.signed_by(&key)) else {
            continue;
        };
        if let Artifact::Event(event) = recorded.artifact.value() {
            let event = event.predicate.clone();
            found.push((chain::Link { seq: event.seq, prev: event.prev, digest }, event));
        }
    }
    found.sort_by_key(|(link, _)| *link);
    found
}
