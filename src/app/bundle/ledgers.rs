//! LEDGERS: which entries of which registrars a bundle shows, each under that registrar's signed checkpoint.

use std::collections::BTreeMap;

use super::answer::BundleAnswer;
use super::form::{CarriedCosigned, CarriedLedger};
use crate::crypto::trust::Trust;
use crate::crypto::{ed25519, parse_public_key};
use crate::ledger::{Entry, Origin, SignedCheckpoint, TreeHead};
use crate::model::digest::Digest;
use crate::model::id::{KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::time::Timestamp;
use crate::store::cosigned::{Cosigned, counts};
use crate::store::index::Indexed;
use crate::store::shelf::{Honoured, honoured, verify_raw};
use crate::store::shelves::Place;

/// Entries that hold, by line and by the note that they put it in, and the registrars' keys.
#[derive(Default)]
pub(super) struct Places {
    /// The key of each registrar.
    pub keys: BTreeMap<KeyId, PublicKey>,
    /// By the digest of a line and the object in whose note it stands.
    pub of: BTreeMap<Digest, BTreeMap<Oid, Vec<Place>>>,
    /// Cosigned checkpoints of each registrar.
    pub witnessed: BTreeMap<KeyId, Vec<Cosigned>>,
}

/// Verifies every ledger; what is wrong goes into the answer.
pub(super) fn open(ledgers: &[CarriedLedger], trust: &Trust, answer: &mut BundleAnswer) -> Places {
    let mut places = Places::default();
    let mut before = None;
    for ledger in ledgers {
        let what = format!("the ledger of {}", name(trust, &ledger.registrar));
        if before.is_some_and(|before| before >= ledger.registrar) {
            answer.defect(&what, "is out of order, or stands twice");
        }
        before = Some(ledger.registrar);
        if let Err(defect) = one(ledger, trust, answer, &mut places) {
            answer.defect(&what, defect);
        }
    }
    places
}

/// How a registrar is called.
pub(super) fn name(trust: &Trust, registrar: &KeyId) -> String {
    trust.party_of(registrar).map_or_else(|| registrar.to_string(), |party| format!("{} ({registrar})", party.label))
}

fn one(ledger: &CarriedLedger, trust: &Trust, answer: &mut BundleAnswer, places: &mut Places) -> Result<(), String> {
    let key = key_of(ledger, trust)?;
    let origin = Origin { repository: trust.repository(), registrar: ledger.registrar };
    let checkpoint = SignedCheckpoint::parse(ledger.checkpoint.as_bytes())
        .and_then(|signed| signed.verify(&origin, &key.0, verify_raw))
        .map_err(|defect| defect.to_string())?;
    let listed = listed(ledger, trust, checkpoint.head)?;
    let what = |index: u64| format!("entry {index} of the ledger of {}", name(trust, &ledger.registrar));
    let mut last: Option<(u64, Timestamp)> = None;
    for carried in &ledger.entries {
        let index = carried.proof.index;
        let entry = match Entry::parse(carried.entry.as_bytes()) {
            Ok(entry) => entry,
            Err(defect) => {
                answer.defect(&what(index), defect);
                continue;
            }
        };
        if last.is_some_and(|(before, _)| before >= index) {
            answer.defect(&what(index), "is out of order, or stands twice");
        } else if last.is_some_and(|(_, at)| at > entry.at) {
            answer.defect(&what(index), "is of an earlier time than the one before it");
        }
        last = Some((index, entry.at));
        if let Err(defect) = carried.proof.verify(&entry.leaf_hash(), &checkpoint.head) {
            answer.defect(&what(index), defect);
            continue;
        }
        let Some(note) = entry.annotated else {
            answer.defect(&what(index), "is about no object, so that it shows nothing here");
            continue;
        };
        let line = entry.line;
        let entry = Indexed { entry, index };
        let place = Place { entry, listed: index < listed, registrar: ledger.registrar, registrar_key: key };
        places.of.entry(line).or_default().entry(note).or_default().push(place);
    }
    for carried in &ledger.cosigned {
        match cosigned(carried, trust, (&origin, &key), checkpoint.head) {
            Ok(found) => places.witnessed.entry(ledger.registrar).or_default().push(found),
            Err(defect) => {
                let witness = name(trust, &carried.witness);
                answer.defect(
                    &format!("the cosignature of {witness} in the ledger of {}", name(trust, &ledger.registrar)),
                    defect,
                );
            }
        }
    }
    places.keys.insert(ledger.registrar, key);
    answer.ledgers.push(super::answer::LedgerSeen {
        registrar: name(trust, &ledger.registrar),
        registrar_id: ledger.registrar,
        listed: listed > 0,
        size: checkpoint.head.size,
        root: Digest(checkpoint.head.root),
        entries: ledger.entries.len() as u64,
    });
    Ok(())
}

/// A cosigned checkpoint that the carried one goes on from.
fn cosigned(
    carried: &CarriedCosigned,
    trust: &Trust,
    (origin, key): (&Origin, &PublicKey),
    carried_head: TreeHead,
) -> Result<Cosigned, String> {
    let witness = trust.party_of(&carried.witness).ok_or("is by nobody that the trust document holds")?;
    let (head, found) = counts(trust, carried.checkpoint.as_bytes(), (origin, key), witness)
        .ok_or("is not both signed by the registrar and cosigned by a listed registrar of another domain")?;
    match &carried.consistency {
        None if head == carried_head => Ok(found),
        Some(proof) if proof.older == head => {
            proof.verify(&carried_head).map_err(|defect| defect.to_string())?;
            Ok(found)
        }
        _ => Err(format!("nothing shows that the ledger goes on from {head}")),
    }
}

fn key_of(ledger: &CarriedLedger, trust: &Trust) -> Result<PublicKey, String> {
    match (trust.resolve(&ledger.registrar.to_string()), &ledger.key) {
        (Some(key), None) => Ok(key),
        (Some(_), Some(_)) => Err("brings a key, though the trust document holds its registrar's".to_owned()),
        (None, None) => Err("is of a registrar whose key neither the trust document nor the bundle holds".to_owned()),
        (None, Some(text)) => {
            let key = parse_public_key(text).map_err(|defect| format!("its registrar's key: {defect}"))?;
            let id = ed25519::key_id(&key);
            if id == ledger.registrar { Ok(key) } else { Err(format!("brings the key {id} of another registrar")) }
        }
    }
}

/// How many entries are the word of a listed registrar.
fn listed(ledger: &CarriedLedger, trust: &Trust, head: TreeHead) -> Result<u64, String> {
    if let Some(proof) = &ledger.consistency {
        proof.verify(&head).map_err(|defect| defect.to_string())?;
    }
    let last = match honoured(trust, &ledger.registrar) {
        Honoured::Nothing => return Ok(0),
        Honoured::All => return Ok(head.size),
        Honoured::UpTo(last) => last,
    };
    let older = TreeHead { size: last.size, root: last.root.0 };
    if older == head || ledger.consistency.as_ref().is_some_and(|proof| proof.older == older) {
        return Ok(last.size);
    }
    Err(match &ledger.consistency {
        Some(proof) => format!("goes on from {}, and its last honoured checkpoint is {older}", proof.older),
        None => format!("nothing shows that its checkpoint goes on from the last honoured one, {older}"),
    })
}
