//! One registrar's ref: what of it can be believed, and which of several refs of one registrar goes furthest.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::convert::Infallible;

use sha2::{Digest as _, Sha256};

use super::carried::lines;
use super::error::StoreError;
use super::index::{Indexed, LedgerIndex};
use super::layout;
use super::local::LocalState;
use super::shelves::Place;
use crate::crypto::trust::Trust;
use crate::crypto::{ed25519, parse_public_key};
use crate::git::{NotesTree, Repository};
use crate::ledger::entry::line_digest;
use crate::ledger::{
    ConsistencyProof, Entry, InclusionProof, Origin, Seen, SignedCheckpoint, Stored, TileSource, TreeHead, append, scan,
};
use crate::model::digest::Digest;
use crate::model::id::{KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::trust::LastCheckpoint;

/// Largest file of a ledger that is read, in bytes: a checkpoint with all its signatures, a full tile of entries.
const MAX_FILE: u64 = 1 << 20;
/// Largest note of a listed registrar that is read, in bytes.
pub(super) const MAX_NOTE: u64 = 64 << 20;
/// And of one that is not: anybody can write those.
const MAX_UNLISTED_NOTE: u64 = 4 << 20;

/// One registrar's ref.
#[derive(Debug)]
pub struct Shelf<'r> {
    /// Its ledger's head, signed.
    pub head: TreeHead,
    /// Whether it is listed or this clone's own; what others write, anybody may.
    pub known: bool,
    /// How many of its entries are its word as a listed registrar; 0 for an unlisted one.
    pub listed: u64,
    /// The ref.
    pub reference: String,
    /// Whose it is.
    pub registrar: KeyId,
    index: LedgerIndex,
    key: PublicKey,
    notes: RefCell<NotesTree<'r>>,
    /// Of other refs whose ledgers lead up to this one: nothing shows that this one's notes have all their lines.
    beside: Vec<RefCell<NotesTree<'r>>>,
}

/// What of a ledger is carried elsewhere.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The checkpoint as it is stored, cosignatures and all.
    pub checkpoint: Vec<u8>,
    /// That it goes on from an older size, where that was asked.
    pub consistency: Option<ConsistencyProof>,
    /// Entries, each with what shows that the checkpoint holds it.
    pub entries: Vec<(Entry, InclusionProof)>,
}

/// A ref with a ledger whose checkpoint its registrar signed; the ledger itself is not looked at yet.
pub(super) struct Signed<'r> {
    pub head: TreeHead,
    pub reference: String,
    pub key: PublicKey,
    notes: RefCell<NotesTree<'r>>,
    registrar: KeyId,
}

impl<'r> Signed<'r> {
    /// Opens a ref, or says in words what is wrong with it.
    pub fn open(
        repository: &'r Repository,
        trust: &Trust,
        registrar: &KeyId,
        reference: &str,
        tip: &Oid,
    ) -> Result<Self, String> {
        let mut notes = NotesTree::load(repository, Some(tip)).map_err(|defect| defect.to_string())?;
        let key = registrar_key(trust, registrar, &mut notes)?.ok_or("holds no key of its registrar")?;
        let origin = Origin { repository: trust.repository(), registrar: *registrar };
        Signed::of(notes, origin, key, reference)
    }

    /// What a notes tree holds of the ledger that `origin` names, if its checkpoint is signed by `key`.
    pub fn of(mut notes: NotesTree<'r>, origin: Origin, key: PublicKey, reference: &str) -> Result<Self, String> {
        let bytes = file(&mut notes, layout::CHECKPOINT)?.ok_or("holds no checkpoint")?;
        let head = SignedCheckpoint::parse(&bytes)
            .and_then(|signed| signed.verify(&origin, &key.0, verify_raw))
            .map_err(|defect| defect.to_string())?
            .head;
        let notes = RefCell::new(notes);
        Ok(Signed { head, reference: reference.to_owned(), key, notes, registrar: origin.registrar })
    }

    /// Whether this ledger is another one continued: has the root then that the other one has at its end.
    pub fn extends(&self, other: TreeHead) -> Result<bool, String> {
        extends(self.head, other, &|size| self.root_at(size))
    }

    /// How many entries this ledger and another one share from the first on.
    pub fn shared_with(&self, other: &Signed<'_>) -> Result<u64, String> {
        shared(self.head.size.min(other.head.size), &|size| Ok(self.root_at(size)? == other.root_at(size)?))
    }

    /// The root that the ledger had at a size.
    pub fn root_at(&self, size: u64) -> Result<[u8; 32], String> {
        root_at(&self.notes, self.head, size)
    }

    /// Every entry, from a ledger that is whole: entries give the head, and every file of hashes is the one that they give.
    pub fn entries(&self) -> Result<Vec<Entry>, String> {
        let found =
            scan(&|path: &str| self.tile(path), self.head, &Seen::default()).map_err(|error| error.to_string())?;
        let nothing = |_: &str| Ok::<_, Infallible>(None);
        let whole = append(&nothing, TreeHead::empty(), &found.entries).map_err(|error| error.to_string())?;
        for (path, bytes) in &whole.writes {
            if self.tile(path).map_err(|error| error.to_string())?.as_ref() != Some(bytes) {
                return Err(format!("{path} of its ledger is not what its entries give"));
            }
        }
        Ok(found.entries)
    }

    fn tile(&self, path: &str) -> Result<Option<Vec<u8>>, crate::git::NotesError> {
        tile(&self.notes, path)
    }

    /// The index of its ref, brought up to the head by what is new in the ledger.
    pub fn index(&self, local: &LocalState) -> Result<LedgerIndex, String> {
        LedgerIndex::open(local.index_of(&self.reference), local.remembers(), &|path: &str| self.tile(path), self.head)
    }

    /// Reads what is new in the ledger and brings its index up to the head.
    pub fn read(self, trust: &Trust, local: &LocalState) -> Result<Shelf<'r>, String> {
        let index = self.index(local)?;
        let source = |path: &str| self.tile(path);
        let listed = listed_size(trust, &self.registrar, &source, self.head)?;
        let Signed { head, reference, key, notes, registrar } = self;
        let known = listed > 0;
        Ok(Shelf { head, known, listed, reference, registrar, index, key, notes, beside: Vec::new() })
    }
}

impl<'r> Shelf<'r> {
    /// Reads the notes of another ref of the same registrar along, if its ledger leads up to this one; else gives it back.
    pub(super) fn beside(&mut self, other: Signed<'r>) -> Option<Signed<'r>> {
        if !self.extends(other.head).unwrap_or(false) {
            return Some(other);
        }
        self.beside.push(other.notes);
        None
    }

    /// Whether this ledger is the one of a head continued.
    ///
    /// # Errors
    /// In words, when its tiles don't say.
    pub(super) fn extends(&self, other: TreeHead) -> Result<bool, String> {
        extends(self.head, other, &|size| self.root_at(size))
    }

    /// How many entries this ledger and another one share from the first on.
    ///
    /// # Errors
    /// In words, when the tiles of one don't say.
    pub(super) fn shared_with(&self, other: &Shelf<'_>) -> Result<u64, String> {
        shared(self.head.size.min(other.head.size), &|size| Ok(self.root_at(size)? == other.root_at(size)?))
    }
}

impl Shelf<'_> {
    /// The lines of one note, hints and all.
    ///
    /// # Errors
    /// When git can't read it, or it is larger than anybody needs; unless another ref of the same registrar has all that was entered.
    pub fn lines(&self, oid: &Oid) -> Result<Vec<Vec<u8>>, StoreError> {
        let limit = if self.known { MAX_NOTE } else { MAX_UNLISTED_NOTE };
        let note = self.notes.borrow_mut().get_within(oid, limit);
        if self.beside.is_empty() {
            return Ok(lines(&note?.unwrap_or_default()).map(<[u8]>::to_vec).collect());
        }
        let mut missing: BTreeSet<Digest> = self.entries(oid)?.into_iter().map(|one| one.entry.line).collect();
        let (note, defect) = match note {
            Ok(note) => (note.unwrap_or_default(), None),
            Err(defect) => (Vec::new(), Some(defect)),
        };
        let mut found: Vec<Vec<u8>> = lines(&note).map(<[u8]>::to_vec).collect();
        for line in &found {
            missing.remove(&line_digest(line));
        }
        for other in &self.beside {
            if missing.is_empty() {
                break;
            }
            // What can't be read there, or is no line of this registrar's, is nothing that this ref lacks.
            let Ok(Some(note)) = other.borrow_mut().get_within(oid, limit) else { continue };
            found.extend(lines(&note).filter(|line| missing.remove(&line_digest(line))).map(<[u8]>::to_vec));
        }
        match defect.filter(|_| !missing.is_empty()) {
            Some(defect) => Err(defect.into()),
            None => Ok(found),
        }
    }

    /// Whether there is a note about an object, read or not.
    pub fn has(&self, oid: &Oid) -> bool {
        let mut all = std::iter::once(&self.notes).chain(&self.beside);
        all.any(|notes| notes.borrow_mut().blobs(oid).is_ok_and(|blobs| !blobs.is_empty()))
    }

    /// Whether it is sure that there is no note about an object.
    pub fn lacks(&self, oid: &Oid) -> bool {
        let mut all = std::iter::once(&self.notes).chain(&self.beside);
        all.all(|notes| notes.borrow_mut().blobs(oid).is_ok_and(|blobs| blobs.is_empty()))
    }

    /// All that the lines of one note and their entries follow from, written into `hasher`; `None` where some of it is not here.
    pub(super) fn write_basis(&self, oid: &Oid, hasher: &mut Sha256) -> Option<()> {
        hasher.update(self.registrar.0);
        hasher.update(self.key.0);
        hasher.update((self.beside.len() as u64).to_be_bytes());
        for notes in std::iter::once(&self.notes).chain(&self.beside) {
            let blobs = notes.borrow_mut().blobs_here(oid).ok()??;
            hasher.update((blobs.len() as u64).to_be_bytes());
            blobs.iter().for_each(|blob| hasher.update(blob.as_bytes()));
        }
        let entries = self.entries(oid).ok()?;
        hasher.update((entries.len() as u64).to_be_bytes());
        for Indexed { entry, index } in &entries {
            hasher.update([u8::from(*index < self.listed)]);
            hasher.update(index.to_be_bytes());
            hasher.update(entry.at.0.to_be_bytes());
            hasher.update(entry.artifact.0);
            hasher.update(entry.line.0);
        }
        Some(())
    }

    /// The ledger entries that annotate an object.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn entries(&self, oid: &Oid) -> Result<Vec<Indexed>, StoreError> {
        self.index.entries(oid)
    }

    /// All ledger entries that annotate an object.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn all(&self) -> Result<Vec<Indexed>, StoreError> {
        self.index.all()
    }

    /// The signed checkpoint as it is stored.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn checkpoint(&self) -> Result<Vec<u8>, StoreError> {
        Ok(self.file(layout::CHECKPOINT)?.unwrap_or_default())
    }

    /// A file of this tree beside the notes, or of another one that leads up to it.
    pub(super) fn file(&self, path: &str) -> Result<Option<Vec<u8>>, crate::git::NotesError> {
        let mut found = self.notes.borrow_mut().file_within(path, MAX_FILE);
        for other in &self.beside {
            if !matches!(found, Ok(Some(_))) {
                found = other.borrow_mut().file_within(path, MAX_FILE);
            }
        }
        found
    }

    /// The names in a directory of these trees beside the notes.
    pub(super) fn names(&self, path: &str) -> BTreeSet<String> {
        let all = std::iter::once(&self.notes).chain(&self.beside);
        all.flat_map(|notes| notes.borrow_mut().directory(path).unwrap_or_default()).collect()
    }

    /// The registrar's raw key.
    pub fn key(&self) -> PublicKey {
        self.key
    }

    /// The root that the ledger had at a size.
    ///
    /// # Errors
    /// In words, when it was never that large or its tiles don't say.
    pub fn root_at(&self, size: u64) -> Result<[u8; 32], String> {
        root_at(&self.notes, self.head, size)
    }

    /// What shows that this ledger goes on from the head that it had with so many entries.
    ///
    /// # Errors
    /// When the ledger can't be read, or was never that large.
    pub fn consistency(&self, size: u64) -> Result<ConsistencyProof, StoreError> {
        let broken = |defect: String| StoreError::Ledger { reference: self.reference.clone(), defect };
        let source = |path: &str| tile(&self.notes, path);
        let mut stored = Stored::new(&source, self.head).map_err(|defect| broken(defect.to_string()))?;
        stored.prove_consistency(size, self.head.size).map_err(|error| broken(error.to_string()))
    }

    /// What shows to somebody without this ref that some entries are in the ledger.
    ///
    /// # Errors
    /// When the ledger can't be read or is not the one that its checkpoint is of.
    pub fn prove(&self, indices: &BTreeSet<u64>, older: Option<u64>) -> Result<Shown, StoreError> {
        let broken = |defect: String| StoreError::Ledger { reference: self.reference.clone(), defect };
        let source = |path: &str| self.notes.borrow_mut().file_within(&format!("{}{path}", layout::LEDGER), MAX_FILE);
        let mut stored = Stored::new(&source, self.head).map_err(|defect| broken(defect.to_string()))?;
        let prove = |index: &u64| stored.verified_entry(*index).map_err(|error| broken(error.to_string()));
        let entries = indices.iter().map(prove).collect::<Result<Vec<_>, _>>()?;
        let consistency = older
            .map(|size| stored.prove_consistency(size, self.head.size).map_err(|error| broken(error.to_string())))
            .transpose()?;
        let checkpoint = file(&mut self.notes.borrow_mut(), layout::CHECKPOINT).map_err(broken)?.unwrap_or_default();
        Ok(Shown { checkpoint, consistency, entries })
    }

    pub(super) fn place(&self, entry: Indexed) -> Place {
        Place { listed: entry.index < self.listed, entry, registrar: self.registrar, registrar_key: self.key }
    }
}

fn extends(head: TreeHead, other: TreeHead, root_at: &dyn Fn(u64) -> Result<[u8; 32], String>) -> Result<bool, String> {
    if other.size > head.size {
        return Ok(false);
    }
    Ok(other == head || root_at(other.size)? == other.root)
}

fn shared(shorter: u64, same_at: &dyn Fn(u64) -> Result<bool, String>) -> Result<u64, String> {
    let (mut same, mut differ) = (0, shorter + 1);
    while differ - same > 1 {
        let size = same + (differ - same) / 2;
        if same_at(size)? {
            same = size;
        } else {
            differ = size;
        }
    }
    Ok(same)
}

fn tile(notes: &RefCell<NotesTree<'_>>, path: &str) -> Result<Option<Vec<u8>>, crate::git::NotesError> {
    notes.borrow_mut().file_within(&format!("{}{path}", layout::LEDGER), MAX_FILE)
}

fn root_at(notes: &RefCell<NotesTree<'_>>, head: TreeHead, size: u64) -> Result<[u8; 32], String> {
    root_under(&|path: &str| tile(notes, path), head, size)
}

/// The root at a size, by hashes that lead to the signed head as well: whoever can push can put other tiles beside a checkpoint.
fn root_under<S: TileSource>(source: &S, head: TreeHead, size: u64) -> Result<[u8; 32], String> {
    let mut stored = Stored::new(source, head).map_err(|defect| defect.to_string())?;
    let proof = stored.prove_consistency(size, head.size).map_err(|error| error.to_string())?;
    proof.verify(&head).map_err(|error| error.to_string())?;
    Ok(proof.older.root)
}

/// Strict Ed25519 over raw parts, as the ledger room asks for it.
pub fn verify_raw(key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
    ed25519::verify(&PublicKey(*key), message, signature)
}

/// Whether anything in a registrar's ledger is its word as a listed registrar, so that its loss leaves answers open.
pub fn is_honoured(trust: &Trust, registrar: &KeyId) -> bool {
    trust.party_of(registrar).filter(|party| party.roles.contains(&Role::Registrar)).is_some_and(|party| {
        match trust.last_checkpoint(registrar) {
            Some(last) => last.size > 0,
            None => party.revoked_at.is_none(),
        }
    })
}

fn file(notes: &mut NotesTree<'_>, path: &str) -> Result<Option<Vec<u8>>, String> {
    notes.file_within(path, MAX_FILE).map_err(|defect| defect.to_string())
}

/// From the trust document, or from the ref itself where the key's id is the ref's name.
fn registrar_key(trust: &Trust, registrar: &KeyId, notes: &mut NotesTree<'_>) -> Result<Option<PublicKey>, String> {
    if let Some(key) = trust.resolve(&registrar.to_string()) {
        return Ok(Some(key));
    }
    let text = file(notes, layout::REGISTRAR_KEY)?.unwrap_or_default();
    let key = std::str::from_utf8(&text).ok().and_then(|text| parse_public_key(text.trim_end()).ok());
    Ok(key.filter(|key| ed25519::key_id(key) == *registrar))
}

/// How much of a ledger is its registrar's word as a listed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Honoured {
    /// Nothing: the registrar is not listed, or was revoked with nothing honoured.
    Nothing,
    /// All of it.
    All,
    /// What its last honoured checkpoint holds, which the ledger has to go on from.
    UpTo(LastCheckpoint),
}

/// All while a registrar is in the role, up to its last honoured checkpoint once it was revoked, nothing otherwise.
pub fn honoured(trust: &Trust, registrar: &KeyId) -> Honoured {
    let Some(party) = trust.party_of(registrar) else { return Honoured::Nothing };
    if !party.roles.contains(&Role::Registrar) {
        return Honoured::Nothing;
    }
    match trust.last_checkpoint(registrar) {
        Some(last) => Honoured::UpTo(last),
        None if party.revoked_at.is_some() => Honoured::Nothing,
        None => Honoured::All,
    }
}

/// How many entries are a listed registrar's word.
fn listed_size<S: TileSource>(trust: &Trust, registrar: &KeyId, source: &S, head: TreeHead) -> Result<u64, String> {
    let last = match honoured(trust, registrar) {
        Honoured::Nothing => return Ok(0),
        Honoured::All => return Ok(head.size),
        Honoured::UpTo(last) => last,
    };
    if last.size > head.size {
        return Err(format!("its last honoured checkpoint has {}, the ledger only {}", entries(last.size), head.size));
    }
    if root_under(source, head, last.size)? == last.root.0 {
        Ok(last.size)
    } else {
        Err(format!("its ledger is not the one of its last honoured checkpoint at {}", entries(last.size)))
    }
}

fn entries(size: u64) -> String {
    crate::model::count::of(size, "entry", "entries")
}
