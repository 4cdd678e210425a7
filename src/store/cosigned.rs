//! COSIGNED: what witnesses say of other registrars' ledgers (contract, sections 6 and 10).
//!
//! A witness keeps, in its own ref, each checkpoint of another registrar that it cosigned: the registrar's signed note with the C2SP
//! cosignature on it. Nobody has to believe the file: it counts when the registrar signed it, the witness cosigned it, and the ledger
//! that is read had that head.

use std::rc::Rc;

use super::layout;
use super::shelf::{Shelf, is_honoured, verify_raw};
use super::shelves::Shelves;
use crate::crypto::trust::{Party, Standing, Trust};
use crate::ledger::cosignature::witness_name;
use crate::ledger::{Cosigner, Origin, SignedCheckpoint};
use crate::model::id::KeyId;
use crate::model::party::Role;
use crate::model::time::Timestamp;

/// So many checkpoints of one registrar by one witness are read, the largest first.
const MOST_COSIGNED: usize = 10_000;

/// A cosigned checkpoint that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cosigned {
    /// When, by the witness's clock.
    pub at: Timestamp,
    /// The witness's domain.
    pub domain: String,
    /// How many entries the checkpoint holds.
    pub size: u64,
    /// The witness.
    pub witness: KeyId,
}

impl Shelves<'_> {
    /// The cosigned checkpoints of one registrar, smallest first: those by listed registrars of other domains, over heads that its
    /// ledger had.
    pub fn cosigned(&self, trust: &Trust, registrar: &KeyId) -> Rc<[Cosigned]> {
        if let Some(known) = self.witnessed.borrow().get(registrar) {
            return Rc::clone(known);
        }
        let mut found = Vec::new();
        if let Some(shelf) = self.open.iter().find(|shelf| shelf.registrar == *registrar && shelf.listed > 0) {
            let domain = trust.party_of(registrar).map(|party| party.domain.clone());
            // A witness need not have recorded anything itself.
            for witness in self.open.iter().filter(|witness| is_honoured(trust, &witness.registrar)) {
                let party = trust.party_of(&witness.registrar).filter(|party| Some(&party.domain) != domain.as_ref());
                if let Some(party) = party {
                    found.extend(by_one(trust, shelf, witness, party));
                }
            }
        }
        found.sort_by_key(|one| one.size);
        let found: Rc<[Cosigned]> = found.into();
        self.witnessed.borrow_mut().insert(*registrar, Rc::clone(&found));
        found
    }
}

/// What one witness cosigned of one ledger.
fn by_one(trust: &Trust, shelf: &Shelf<'_>, witness: &Shelf<'_>, party: &Party) -> Vec<Cosigned> {
    let directory = format!("{}{}", layout::COSIGNED, shelf.registrar);
    let mut sizes: Vec<u64> =
        witness.names(&directory).unwrap_or_default().iter().filter_map(|name| parse_size(name)).collect();
    sizes.sort_unstable_by_key(|size| std::cmp::Reverse(*size));
    sizes.truncate(MOST_COSIGNED);
    let read = |size: u64| {
        let bytes = witness.file(&layout::cosigned(&shelf.registrar, size)).ok()??;
        let at = counts(trust, &bytes, shelf, size, party)?;
        Some(Cosigned { at, domain: party.domain.clone(), size, witness: party.id })
    };
    sizes.into_iter().filter_map(read).collect()
}

/// When a witness cosigned the head that a ledger had with so many entries, if all of it holds.
fn counts(trust: &Trust, bytes: &[u8], shelf: &Shelf<'_>, size: u64, party: &Party) -> Option<Timestamp> {
    let signed = SignedCheckpoint::parse(bytes).ok()?;
    let origin = Origin { repository: trust.repository(), registrar: shelf.registrar };
    let head = signed.verify(&origin, &shelf.key().0, verify_raw).ok()?.head;
    if head.size != size || head.size > shelf.head.size || shelf.root_at(size).ok()? != head.root {
        return None;
    }
    let cosigner = Cosigner::new(&witness_name(&party.id), party.key.0).ok()?;
    let at = signed.cosigned_at(&cosigner, verify_raw).ok()??;
    // Nothing but its own word says when it cosigned: whoever stole a key that was revoked could say anything.
    let good = party.revoked_at.is_none() && trust.standing(&party.key, Role::Registrar, at) == Standing::Good;
    good.then_some(at)
}

/// `<registrar>/<size>`.
pub(super) fn parse_name(name: &str) -> Option<(KeyId, u64)> {
    let (registrar, size) = name.split_once('/')?;
    Some((registrar.parse().ok()?, parse_size(size)?))
}

fn parse_size(name: &str) -> Option<u64> {
    name.parse().ok().filter(|size: &u64| size.to_string() == name)
}
