//! SHELVES: the registrars' refs, own and fetched, opened together and read as one.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::error::StoreError;
use super::hints::Hint;
use super::index::{Indexed, LedgerIndex};
use super::layout;
use super::local::LocalState;
use crate::crypto::trust::Trust;
use crate::crypto::{ed25519, parse_public_key};
use crate::git::{NotesTree, Repository};
use crate::ledger::entry::line_digest;
use crate::ledger::{Entry, Origin, SignedCheckpoint, Stored, TreeHead};
use crate::model::digest::Digest;
use crate::model::id::{KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::party::Role;

/// Largest note that is read, in bytes.
const MAX_NOTE: u64 = 64 << 20;

/// Every registrar's ref that could be opened, and what was wrong with the others.
#[derive(Debug)]
pub struct Shelves<'r> {
    /// Those that hold a ledger signed by their registrar.
    pub open: Vec<Shelf<'r>>,
    /// Those that do not.
    pub broken: Vec<BrokenShelf>,
}

/// One registrar's ref.
#[derive(Debug)]
pub struct Shelf<'r> {
    /// Its ledger's head, signed.
    pub head: TreeHead,
    /// How many of its entries are its word as a listed registrar; 0 for an unlisted one.
    pub listed: u64,
    /// The ref.
    pub reference: String,
    /// Whose it is.
    pub registrar: KeyId,
    /// The remote it was fetched from; `None` for a ref of this repository.
    pub remote: Option<String>,
    index: LedgerIndex,
    key: PublicKey,
    notes: RefCell<NotesTree<'r>>,
}

/// A registrar's ref that can't be believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenShelf {
    /// Whether its registrar is listed, so that its defect leaves answers open.
    pub listed: bool,
    /// The ref.
    pub reference: String,
    /// The defect.
    pub text: String,
}

/// What the shelves hold about one object.
#[derive(Debug, Default)]
pub struct NoteReading {
    /// Lines with a ledger entry.
    pub lines: Vec<StoredLine>,
    /// Lines without one, hints left out.
    pub unregistered: Vec<UnregisteredLine>,
    /// Entries of listed registrars whose line is nowhere, by ref.
    pub missing: Vec<(String, Entry)>,
    /// Unsigned hints.
    pub hints: Vec<Hint>,
}

/// A line and the entries that hold it.
#[derive(Debug, Clone)]
pub struct StoredLine {
    /// The bytes, without the newline.
    pub line: Vec<u8>,
    /// Where it is registered.
    pub places: Vec<Place>,
}

/// One ledger entry of a line.
#[derive(Debug, Clone)]
pub struct Place {
    /// The entry.
    pub entry: Indexed,
    /// Whether it is a listed registrar's word.
    pub listed: bool,
    /// Whose ledger.
    pub registrar: KeyId,
    /// The registrar's raw key.
    pub registrar_key: PublicKey,
}

/// A line that its registrar never entered.
#[derive(Debug, Clone)]
pub struct UnregisteredLine {
    /// The bytes.
    pub line: Vec<u8>,
    /// In whose ref.
    pub registrar: KeyId,
}

impl<'r> Shelves<'r> {
    /// Opens every registrar's ref of one reading of the refs.
    ///
    /// A registrar's own ref here is the whole of its ledger, so that what was fetched of it is left aside.
    ///
    /// # Errors
    /// When git or the local state can't be read. A ref with a defect is no error; it is listed as broken.
    pub fn open(
        repository: &'r Repository,
        trust: &Trust,
        local: &LocalState,
        refs: &[(String, Oid)],
    ) -> Result<Self, StoreError> {
        let mut shelves = Shelves { open: Vec::new(), broken: Vec::new() };
        let parsed: Vec<(KeyId, Option<&str>, &str, Oid)> = refs
            .iter()
            .filter_map(|(name, oid)| {
                let (registrar, remote) = layout::parse_notes_ref(name)?;
                Some((registrar, remote, name.as_str(), *oid))
            })
            .collect();
        for (registrar, remote, name, tip) in &parsed {
            let own = parsed.iter().any(|(other, remote, ..)| other == registrar && remote.is_none());
            if remote.is_some() && own {
                continue;
            }
            match Shelf::open(repository, trust, local, (registrar, *remote, name, tip)) {
                Ok(shelf) => shelves.open.push(shelf),
                Err(StoreError::Ledger { reference, defect }) => {
                    let listed = trust.party_of(registrar).is_some_and(|party| party.roles.contains(&Role::Registrar));
                    shelves.broken.push(BrokenShelf { listed, reference, text: defect });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(shelves)
    }

    /// All that is noted on one object.
    ///
    /// # Errors
    /// When git can't read a note.
    pub fn read(&self, oid: &Oid) -> Result<NoteReading, StoreError> {
        let mut reading = NoteReading::default();
        let mut lines: BTreeMap<Vec<u8>, Vec<Place>> = BTreeMap::new();
        let mut there: HashSet<Digest> = HashSet::new();
        let mut wanted: Vec<(&Shelf<'r>, Indexed)> = Vec::new();
        for shelf in &self.open {
            let entries = shelf.index.entries(oid)?;
            let mut by_line: HashMap<Digest, Vec<&Indexed>> = HashMap::new();
            for one in &entries {
                by_line.entry(one.entry.line).or_default().push(one);
            }
            for line in shelf.lines(oid)? {
                if let Some(hint) = Hint::parse(&line) {
                    reading.hints.push(hint);
                    continue;
                }
                let digest = line_digest(&line);
                let Some(places) = by_line.get(&digest) else {
                    reading.unregistered.push(UnregisteredLine { line, registrar: shelf.registrar });
                    continue;
                };
                there.insert(digest);
                lines.entry(line).or_default().extend(places.iter().map(|one| shelf.place((*one).clone())));
            }
            wanted.extend(entries.into_iter().map(|entry| (shelf, entry)));
        }
        for (shelf, one) in wanted {
            if !there.contains(&one.entry.line) && one.index < shelf.listed {
                reading.missing.push((shelf.reference.clone(), one.entry));
            }
        }
        reading.lines = lines.into_iter().map(|(line, places)| StoredLine { line, places }).collect();
        Ok(reading)
    }

    /// Every object that any ledger annotates, in order of the first entry.
    ///
    /// # Errors
    /// When a cache is damaged.
    pub fn annotated(&self) -> Result<Vec<Oid>, StoreError> {
        let mut entries = Vec::new();
        for shelf in &self.open {
            entries.extend(shelf.index.all()?.into_iter().map(|one| (one.entry.at, one.index, one.entry.annotated)));
        }
        entries.sort();
        let mut seen = std::collections::BTreeSet::new();
        Ok(entries.into_iter().filter_map(|(.., oid)| oid).filter(|oid| seen.insert(*oid)).collect())
    }
}

impl<'r> Shelf<'r> {
    fn open(
        repository: &'r Repository,
        trust: &Trust,
        local: &LocalState,
        (registrar, remote, name, tip): (&KeyId, Option<&str>, &str, &Oid),
    ) -> Result<Self, StoreError> {
        let broken = |defect: String| StoreError::Ledger { reference: name.to_owned(), defect };
        let mut notes = NotesTree::load(repository, Some(tip))?;
        let key = registrar_key(trust, registrar, &mut notes)?
            .ok_or_else(|| broken("holds no key of its registrar".to_owned()))?;
        let bytes = notes.file(layout::CHECKPOINT)?.ok_or_else(|| broken("holds no checkpoint".to_owned()))?;
        let origin = Origin { repository: trust.repository(), registrar: *registrar };
        let head = SignedCheckpoint::parse(&bytes)
            .and_then(|signed| signed.verify(&origin, &key.0, verify_raw))
            .map_err(|defect| broken(defect.to_string()))?
            .head;
        let notes = RefCell::new(notes);
        let source = |path: &str| notes.borrow_mut().file(&format!("{}{path}", layout::LEDGER));
        not_rolled_back(local, name, &source, head).map_err(broken)?;
        let directory = name.replace('/', ".");
        let index = LedgerIndex::open(local.cache().join(directory), &source, head).map_err(broken)?;
        let listed = listed_size(trust, registrar, &source, head).map_err(broken)?;
        // Nothing is lost when this can't be remembered; the next reading is only as wary as this one was.
        if local.seen_head(name)?.is_none_or(|seen| seen != head) {
            local.remember_head(name, head).ok();
        }
        Ok(Shelf {
            head,
            listed,
            reference: name.to_owned(),
            registrar: *registrar,
            remote: remote.map(str::to_owned),
            index,
            key,
            notes,
        })
    }

    /// The lines of one note, hints and all.
    ///
    /// # Errors
    /// When git can't read it.
    pub fn lines(&self, oid: &Oid) -> Result<Vec<Vec<u8>>, StoreError> {
        let note = self.notes.borrow_mut().get_within(oid, MAX_NOTE)?.unwrap_or_default();
        Ok(note.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
    }

    /// The registrar's raw key.
    pub fn key(&self) -> PublicKey {
        self.key
    }

    fn place(&self, entry: Indexed) -> Place {
        Place { listed: entry.index < self.listed, entry, registrar: self.registrar, registrar_key: self.key }
    }
}

/// Strict Ed25519 over raw parts, as the ledger room asks for it.
pub fn verify_raw(key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
    ed25519::verify(&PublicKey(*key), message, signature)
}

/// From the trust document, or from the ref itself where the key's id is the ref's name.
fn registrar_key(trust: &Trust, registrar: &KeyId, notes: &mut NotesTree<'_>) -> Result<Option<PublicKey>, StoreError> {
    if let Some(key) = trust.resolve(&registrar.to_string()) {
        return Ok(Some(key));
    }
    let text = notes.file(layout::REGISTRAR_KEY)?.unwrap_or_default();
    let key = std::str::from_utf8(&text).ok().and_then(|text| parse_public_key(text.trim_end()).ok());
    Ok(key.filter(|key| ed25519::key_id(key) == *registrar))
}

fn not_rolled_back<S: crate::ledger::TileSource>(
    local: &LocalState,
    name: &str,
    source: &S,
    head: TreeHead,
) -> Result<(), String> {
    let Some(seen) = local.seen_head(name).map_err(|error| error.to_string())? else { return Ok(()) };
    if head.size < seen.size {
        return Err(format!(
            "its ledger has {} entries; {} were seen before, so it was rolled back",
            head.size, seen.size
        ));
    }
    if seen == head {
        return Ok(());
    }
    let root = Stored::new(source, head)
        .map_err(|defect| defect.to_string())?
        .root_at(seen.size)
        .map_err(|error| error.to_string())?;
    if root != seen.root {
        return Err(format!(
            "its ledger does not extend the one seen before: at {} entries the root is {}, seen was {}",
            seen.size,
            crate::model::hex::encode(&root),
            crate::model::hex::encode(&seen.root)
        ));
    }
    Ok(())
}

/// How many entries are a listed registrar's word: all while it is in the role, up to its last honoured checkpoint once it was
/// revoked, none otherwise.
fn listed_size<S: crate::ledger::TileSource>(
    trust: &Trust,
    registrar: &KeyId,
    source: &S,
    head: TreeHead,
) -> Result<u64, String> {
    let Some(party) = trust.party_of(registrar) else { return Ok(0) };
    if !party.roles.contains(&Role::Registrar) {
        return Ok(0);
    }
    let Some(last) = trust.last_checkpoint(registrar) else {
        return Ok(if party.revoked_at.is_some() { 0 } else { head.size });
    };
    if last.size > head.size {
        return Err(format!("its last honoured checkpoint has {} entries, the ledger only {}", last.size, head.size));
    }
    let root = Stored::new(source, head)
        .map_err(|defect| defect.to_string())?
        .root_at(last.size)
        .map_err(|error| error.to_string())?;
    if root == last.root.0 {
        Ok(last.size)
    } else {
        Err(format!("its ledger is not the one of its last honoured checkpoint at {} entries", last.size))
    }
}
