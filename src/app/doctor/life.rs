//! Whether the chains of events that registrars keep are whole, and what of this clone's own is not settled.

use std::collections::BTreeMap;

use super::{Diagnosis, Health};
use crate::app::error::AppError;
use crate::app::outbox;
use crate::codec::artifact::Artifact;
use crate::gate::outbox::State;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::ledger::chain::{self, Link};
use crate::model::count;
use crate::model::id::{EnvelopeId, KeyId, Oid};

/// Looks at the chains in all notes that were read, and at the outbox.
///
/// # Errors
/// When the own ledger can't be read.
pub(super) fn look(session: &Session<'_>, noted: &Noted, diagnosis: &mut Diagnosis) -> Result<(), AppError> {
    let mut chains: BTreeMap<(KeyId, Oid, EnvelopeId), Vec<Link>> = BTreeMap::new();
    for recorded in noted.artifacts().values() {
        let Artifact::Event(event) = recorded.artifact.value() else { continue };
        let Some(envelope) = event.predicate.envelope_id else { continue };
        let link = Link { seq: event.predicate.seq, prev: event.predicate.prev, digest: recorded.artifact.digest() };
        for entry in &recorded.entries {
            let shelf = session.shelves.open.iter().find(|shelf| shelf.registrar == entry.registrar && shelf.known);
            // What anybody else writes decides nothing.
            if shelf.is_some_and(|shelf| recorded.artifact.signed_by(&shelf.key())) {
                chains.entry((entry.registrar, entry.note, envelope)).or_default().push(link);
            }
        }
    }
    let (mut sound, mut faulty) = (0_usize, 0_usize);
    for ((registrar, _, envelope), mut links) in chains {
        links.sort_unstable();
        links.dedup();
        let start = links.first().and_then(|link| link.prev);
        let Err(faults) = chain::check(start, &links) else {
            sound += 1;
            continue;
        };
        faulty += 1;
        let label =
            session.trust.party_of(&registrar).map_or_else(|| registrar.to_string(), |party| party.label.clone());
        for fault in faults {
            let text = format!("the chain of {label} about {envelope}: {fault}");
            diagnosis.add("events", Health::Bad, text, Some(format!("git boundary read {envelope}")));
        }
    }
    if faulty == 0 {
        diagnosis.add("events", Health::Good, count::of(sound, "sound chain", "sound chains"), None);
    }
    unsettled(session, noted, diagnosis)
}

fn unsettled(session: &Session<'_>, noted: &Noted, diagnosis: &mut Diagnosis) -> Result<(), AppError> {
    if !session.local.has_registrar() {
        return Ok(());
    }
    let signer = session.local.registrar()?;
    let open = outbox::open(session, noted, &*signer)?;
    let waiting = open.iter().filter(|entry| entry.row.state == State::Pending).count();
    let text = match open.len() {
        0 => "nothing that was admitted here is open".to_owned(),
        several => {
            let updates = count::of(several, "admitted update is", "admitted updates are");
            format!("{updates} not settled, {waiting} of them waiting for an owner: git boundary settle")
        }
    };
    diagnosis.add("outbox", Health::Good, text, None);
    Ok(())
}
