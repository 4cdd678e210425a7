//! COSIGNED: what witnesses say of other registrars' ledgers (contract, sections 6 and 10).
//!
//! A witness keeps, in its own ref, each checkpoint of another registrar that it cosigned: the registrar's signed note with the C2SP
//! cosignature on it. Nobody has to believe the file: it counts when the registrar signed it, the witness cosigned it, and the ledger
//! that is read had that head.

use std::rc::Rc;

use super::error::StoreError;
use super::layout;
use super::shelf::{Shelf, is_honoured, verify_raw};
use super::shelves::Shelves;
use crate::crypto::trust::{Party, Standing, Trust};
use crate::git::{NotesError, NotesTree};
use crate::ledger::cosignature::witness_name;
use crate::ledger::{Cosigner, Origin, SignedCheckpoint, TreeHead};
use crate::model::id::{KeyId, RepositoryId};
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::time::Timestamp;

/// So many checkpoints of one registrar by one witness are read, the largest first.
const MOST_COSIGNED: usize = 10_000;

/// Largest such file that is read, in bytes.
pub(super) const MAX_COSIGNED: u64 = 1 << 20;

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
            for witness in &self.open {
                if let Some(party) = trust.party_of(&witness.registrar) {
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

impl Shelves<'_> {
    /// The note of a cosigned checkpoint that counts.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn cosigned_note(&self, registrar: &KeyId, found: &Cosigned) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(witness) = self.open.iter().find(|shelf| shelf.registrar == found.witness) else { return Ok(None) };
        Ok(witness.file(&layout::cosigned(registrar, found.size))?)
    }
}

/// What one witness cosigned of one ledger.
fn by_one(trust: &Trust, shelf: &Shelf<'_>, witness: &Shelf<'_>, party: &Party) -> Vec<Cosigned> {
    let directory = format!("{}{}", layout::COSIGNED, shelf.registrar);
    let mut sizes: Vec<u64> = witness.names(&directory).iter().filter_map(|name| parse_size(name)).collect();
    sizes.sort_unstable_by_key(|size| std::cmp::Reverse(*size));
    sizes.truncate(MOST_COSIGNED);
    let origin = Origin { repository: trust.repository(), registrar: shelf.registrar };
    let read = |size: u64| {
        let bytes = witness.file(&layout::cosigned(&shelf.registrar, size)).ok()??;
        let (head, found) = counts(trust, &bytes, (&origin, &shelf.key()), party)?;
        let held = head.size == size && size <= shelf.head.size && shelf.root_at(size).ok()? == head.root;
        held.then_some(found)
    };
    sizes.into_iter().filter_map(read).collect()
}

/// The head that a registrar signed and a witness of another domain cosigned, if both did. Whether the registrar's ledger had that head
/// is for the caller to see.
pub fn counts(
    trust: &Trust,
    bytes: &[u8],
    (origin, key): (&Origin, &PublicKey),
    witness: &Party,
) -> Option<(TreeHead, Cosigned)> {
    let registrar = trust.party_of(&origin.registrar)?;
    if registrar.domain == witness.domain || !is_honoured(trust, &witness.id) {
        return None;
    }
    let size = SignedCheckpoint::parse(bytes).ok()?.claimed().head.size;
    let (signed, at) = said(bytes, origin, size, (&witness.id, &witness.key))?;
    let head = signed.verify(origin, &key.0, verify_raw).ok()?.head;
    // Nothing but its own word says when it cosigned: whoever stole a key that was revoked could say anything.
    let good = witness.revoked_at.is_none() && trust.standing(&witness.key, Role::Registrar, at) == Standing::Good;
    let found = Cosigned { at, domain: witness.domain.clone(), size: head.size, witness: witness.id };
    good.then_some((head, found))
}

/// A checkpoint of that ledger and size that a witness cosigned, and when; whether its registrar signed it is another question.
fn said(
    bytes: &[u8],
    origin: &Origin,
    size: u64,
    (witness, key): (&KeyId, &PublicKey),
) -> Option<(SignedCheckpoint, Timestamp)> {
    let signed = SignedCheckpoint::parse(bytes).ok()?;
    let claimed = signed.claimed();
    if claimed.origin != *origin || claimed.head.size != size {
        return None;
    }
    let cosigner = Cosigner::new(&witness_name(witness), key.0).ok()?;
    let at = signed.cosigned_at(&cosigner, verify_raw).ok()??;
    Some((signed, at))
}

/// Whether a file below [`layout::COSIGNED`] is what a witness writes there: anybody who can push can put others.
pub(super) fn is_by(bytes: &[u8], name: &str, repository: RepositoryId, witness: (&KeyId, &PublicKey)) -> bool {
    let Some((registrar, size)) = parse_name(name) else { return false };
    said(bytes, &Origin { repository, registrar }, size, witness).is_some()
}

/// The files of a witness that `from` has and `to` lacks, each with its whole path.
///
/// # Errors
/// When `to` can't be read. What is no file of the witness's is left.
pub(super) fn lacking(
    from: &mut NotesTree<'_>,
    to: &mut NotesTree<'_>,
    repository: RepositoryId,
    (witness, key): (&KeyId, &PublicKey),
) -> Result<Vec<(String, Vec<u8>)>, NotesError> {
    let mut found = Vec::new();
    for registrar in from.directory(layout::COSIGNED.trim_end_matches('/')).unwrap_or_default() {
        let names = from.directory(&format!("{}{registrar}", layout::COSIGNED)).unwrap_or_default();
        for size in names.into_iter().take(MOST_COSIGNED) {
            let name = format!("{registrar}/{size}");
            let path = format!("{}{name}", layout::COSIGNED);
            if parse_name(&name).is_none() || to.file_within(&path, MAX_COSIGNED)?.is_some() {
                continue;
            }
            let Ok(Some(bytes)) = from.file_within(&path, MAX_COSIGNED) else { continue };
            if is_by(&bytes, &name, repository, (witness, key)) {
                found.push((path, bytes));
            }
        }
    }
    Ok(found)
}

/// `<registrar>/<size>`.
pub(super) fn parse_name(name: &str) -> Option<(KeyId, u64)> {
    let (registrar, size) = name.split_once('/')?;
    Some((registrar.parse().ok()?, parse_size(size)?))
}

fn parse_size(name: &str) -> Option<u64> {
    name.parse().ok().filter(|size: &u64| size.to_string() == name)
}
