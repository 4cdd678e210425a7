//! SHELVES: the registrars' refs, own and fetched, opened together and read as one.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use sha2::{Digest as _, Sha256};

use super::cosigned::Cosigned;
use super::error::StoreError;
use super::hints::Hint;
use super::index::Indexed;
use super::layout;
use super::local::LocalState;
use super::shelf::{Shelf, Signed, is_honoured};
use super::waste::{self, Waste};
use crate::crypto::trust::Trust;
use crate::git::Repository;
use crate::ledger::entry::line_digest;
use crate::ledger::{Entry, TreeHead};
use crate::model::count;
use crate::model::digest::Digest;
use crate::model::id::{KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::party::Role;

/// Most lines in one note of a listed registrar that are looked at.
const MAX_LINES: usize = 100_000;
/// And of one that is not: anybody can write those.
const MAX_UNLISTED_LINES: usize = 2_000;

/// Every registrar's ref that could be opened, and what was wrong with the others.
#[derive(Debug)]
pub struct Shelves<'r> {
    /// Those that hold a ledger signed by their registrar.
    pub open: Vec<Shelf<'r>>,
    /// Those that do not, or not all that was seen of it.
    pub broken: Vec<BrokenShelf>,
    /// Listed registrars in good standing of whose ledger nothing is here or was ever seen here. They may not have written yet.
    pub absent: Vec<KeyId>,
    waste: Waste,
    pub(super) witnessed: RefCell<BTreeMap<KeyId, Rc<[Cosigned]>>>,
}

/// A registrar's ref that can't be believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenShelf {
    /// The command that may bring what is absent.
    pub fetch: Option<&'static str>,
    /// Whether a listed registrar's word is lost with it, so that answers are left open.
    pub listed: bool,
    /// Whether something that was seen of its registrar, listed or not, is lost with it.
    pub lost: bool,
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
    /// Unsigned hints of listed registrars and this clone's own.
    pub hints: Vec<Hint>,
    /// And of anybody else.
    pub other_hints: Vec<(KeyId, Hint)>,
    /// Notes that can't be read, or hold more than is looked at.
    pub unread: Vec<UnreadNote>,
}

/// A note in one registrar's ref that was not looked at.
#[derive(Debug, Clone)]
pub struct UnreadNote {
    /// The defect.
    pub defect: String,
    /// Whether the registrar is listed, so that answers are left open.
    pub listed: bool,
    /// The command that brings what is absent, where only objects are.
    pub fetch: Option<&'static str>,
    /// The ref.
    pub reference: String,
    /// Whose it is.
    pub registrar: KeyId,
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
    /// Whether its registrar is listed or this clone's own.
    pub known: bool,
    /// The bytes.
    pub line: Vec<u8>,
    /// In whose ref.
    pub registrar: KeyId,
}

impl NoteReading {
    /// Every hint, with its registrar where that is nobody known; those that come first were not made to waste time.
    pub fn leads(&self) -> impl Iterator<Item = (Option<KeyId>, Hint)> {
        let known = self.hints.iter().map(|hint| (None, hint.clone()));
        known.chain(self.other_hints.iter().map(|(registrar, hint)| (Some(*registrar), hint.clone())))
    }
}

impl<'r> Shelves<'r> {
    /// Opens every registrar's ref of one reading of the refs.
    ///
    /// Of several refs of one registrar, its own here and those fetched, the one that the others lead up to is enough. Where two
    /// parted, both are read, and the registrar's word as a listed one ends where they did.
    ///
    /// # Errors
    /// When the local state can't be read. A ref with a defect, whatever it is, is no error: anybody may have made it.
    pub fn open(
        repository: &'r Repository,
        trust: &Trust,
        local: &LocalState,
        refs: &[(String, Oid)],
    ) -> Result<Self, StoreError> {
        let mut shelves = Shelves {
            open: Vec::new(),
            broken: Vec::new(),
            absent: Vec::new(),
            waste: Waste::default(),
            witnessed: RefCell::default(),
        };
        let mut by_registrar: BTreeMap<KeyId, Vec<(&str, Oid)>> = BTreeMap::new();
        for (name, oid) in refs {
            if let Some((registrar, _)) = layout::parse_notes_ref(name) {
                by_registrar.entry(registrar).or_default().push((name, *oid));
            }
        }
        for (registrar, mut places) in by_registrar.clone() {
            places.sort_by_key(|(name, _)| !name.starts_with(layout::NOTES));
            shelves.open_one(repository, trust, local, &registrar, &places)?;
        }
        if shelves.open.iter().any(|shelf| !shelf.known) {
            // A key that can't be read is told to whoever writes with it.
            let own = local.registrar_id().ok().flatten();
            shelves.open.iter_mut().for_each(|shelf| shelf.known |= own == Some(shelf.registrar));
        }
        shelves.look_for_absent(trust, local, &|registrar| by_registrar.contains_key(registrar))?;
        Ok(shelves)
    }

    /// Registrars without a ref. That one wrote is known where this clone saw it, or the trust document says how far it got; of any other
    /// listed one it can only be said that nothing is here.
    fn look_for_absent(
        &mut self,
        trust: &Trust,
        local: &LocalState,
        is_here: &dyn Fn(&KeyId) -> bool,
    ) -> Result<(), StoreError> {
        let gone = |size: u64, how: &str| format!("its ledger had {} {how}, and is gone", entries(size));
        let listed = trust.parties().filter(|party| party.roles.contains(&Role::Registrar)).map(|party| party.id);
        let mut looked_for: BTreeMap<KeyId, Option<String>> = BTreeMap::new();
        for id in listed {
            let last = trust.last_checkpoint(&id);
            looked_for.insert(id, last.map(|last| gone(last.size, "at its last honoured checkpoint")));
        }
        for (id, seen) in local.seen_heads()?.into_iter().filter(|(_, seen)| seen.size > 0) {
            looked_for.insert(id, Some(gone(seen.size, "when it was last seen")));
        }
        for (registrar, known) in looked_for {
            if is_here(&registrar) || !is_honoured(trust, &registrar) {
                continue;
            }
            match known {
                Some(text) => {
                    let reference = layout::registrar_ref(&registrar);
                    let broken = BrokenShelf { fetch: Some("git fetch"), listed: true, lost: true, reference, text };
                    self.broken.push(broken);
                }
                None => self.absent.push(registrar),
            }
        }
        // What this clone itself has not written is nowhere else either.
        if !self.absent.is_empty()
            && let Some(own) = local.registrar_id()?
        {
            self.absent.retain(|registrar| *registrar != own);
        }
        Ok(())
    }

    fn open_one(
        &mut self,
        repository: &'r Repository,
        trust: &Trust,
        local: &LocalState,
        registrar: &KeyId,
        places: &[(&str, Oid)],
    ) -> Result<(), StoreError> {
        let mut broken: Vec<(String, String)> = Vec::new();
        let mut signed: Vec<Signed<'r>> = Vec::new();
        let mut tips = BTreeSet::new();
        for (name, tip) in places.iter().filter(|(_, tip)| tips.insert(*tip)) {
            match Signed::open(repository, trust, registrar, name, tip) {
                Ok(one) => signed.push(one),
                Err(defect) => broken.push(((*name).to_owned(), defect)),
            }
        }
        // The longest first; of equally long ones the one of this repository.
        signed.sort_by_key(|one| std::cmp::Reverse(one.head.size));
        let seen = local.seen_head(registrar)?;
        let (mut kept, mut unread) = (Vec::<Shelf<'r>>::new(), Vec::new());
        let mut shared = u64::MAX;
        for one in signed {
            let Some(one) = kept.iter_mut().try_fold(one, |one, longer| longer.beside(one)) else { continue };
            let (head, reference) = (one.head, one.reference.clone());
            match one.read(trust, local) {
                Ok(shelf) => {
                    for other in &kept {
                        match other.shared_with(&shelf) {
                            Ok(size) => {
                                shared = shared.min(size);
                                let text = format!(
                                    "its ledger parts from that in {} after {}",
                                    other.reference,
                                    entries(size)
                                );
                                broken.push((reference.clone(), text));
                            }
                            // Whoever can push can spoil tiles that were read before; that shows no second history.
                            Err(defect) => broken.push((other.reference.clone(), defect)),
                        }
                    }
                    kept.push(shelf);
                }
                Err(defect) => {
                    unread.push(head);
                    broken.push((reference, defect));
                }
            }
        }
        let goes_on = seen.is_none_or(|seen| {
            let here = || kept.iter().any(|one| one.extends(seen).unwrap_or(false));
            // Another process may have written and seen more since the refs were read.
            let now = |(name, tip): &(&str, Oid)| {
                let now = repository.find_ref(name).ok().flatten().filter(|now| now != tip)?;
                Signed::open(repository, trust, registrar, name, &now).ok()
            };
            let goes_on = |one: Signed<'_>, head: TreeHead| one.extends(head).unwrap_or(false);
            let since = |first: TreeHead| {
                let mut later = places.iter().filter_map(now);
                later.any(|one| one.extends(seen).unwrap_or(false) && goes_on(one, first))
            };
            here() || kept.first().is_some_and(|first| since(first.head))
        });
        if let (Some(seen), false, Some(first)) = (seen, goes_on, kept.first()) {
            let found = first.head.size;
            let text = if found < seen.size {
                format!("its ledger has {}; {} were seen before, so it was rolled back", entries(found), seen.size)
            } else {
                format!("its ledger of {} does not extend the {} that were seen before", entries(found), seen.size)
            };
            broken.push((first.reference.clone(), text));
        }
        // One that can't be read shows how far its registrar got all the same: the checkpoint is signed.
        let reached = |head: &TreeHead| kept.iter().any(|one| one.extends(*head).unwrap_or(false));
        let whole = goes_on && !kept.is_empty() && unread.iter().all(reached);
        for mut shelf in kept {
            shelf.listed = shelf.listed.min(shared);
            // Nothing is lost when this can't be remembered; the next reading is only as wary as this one was.
            if goes_on && seen.is_none_or(|seen| shelf.head.size > seen.size) {
                local.remember_head(registrar, shelf.head).ok();
            }
            self.open.push(shelf);
        }
        // A ref that somebody spoilt hides nothing while another one goes as far as was ever seen.
        let listed = !whole && is_honoured(trust, registrar);
        // What a partial clone left behind is the first thing to look for there.
        let fetch = repository.is_partial().then_some("git boundary sync");
        let told = |(reference, text)| BrokenShelf { fetch, listed, lost: !whole, reference, text };
        self.broken.extend(broken.into_iter().map(told));
        Ok(())
    }

    /// All that is noted on one object.
    ///
    /// # Errors
    /// When the index is damaged. A note that can't be read is no error: anybody may have made it.
    pub fn read(&self, oid: &Oid) -> Result<NoteReading, StoreError> {
        let mut reading = NoteReading::default();
        let mut lines: BTreeMap<Vec<u8>, Vec<Place>> = BTreeMap::new();
        let mut wanted: Vec<(&Shelf<'r>, Indexed)> = Vec::new();
        for shelf in &self.open {
            if self.is_spent(&shelf.registrar) {
                if shelf.has(oid) {
                    let (reference, registrar) = (shelf.reference.clone(), shelf.registrar);
                    let defect = waste::SPENT.to_owned();
                    reading.unread.push(UnreadNote { defect, fetch: None, listed: false, reference, registrar });
                }
                continue;
            }
            let stored = match within_budget(shelf, oid) {
                Ok(stored) => stored,
                Err((defect, fetch)) => {
                    let (listed, reference, registrar) = (shelf.listed > 0, shelf.reference.clone(), shelf.registrar);
                    reading.unread.push(UnreadNote { defect, fetch, listed, reference, registrar });
                    continue;
                }
            };
            let entries = shelf.entries(oid)?;
            let mut by_line: BTreeMap<_, Vec<&Indexed>> = BTreeMap::new();
            for one in &entries {
                by_line.entry(one.entry.line).or_default().push(one);
            }
            for line in stored {
                if let Some(hint) = Hint::parse(&line) {
                    if shelf.known {
                        reading.hints.push(hint);
                    } else {
                        reading.other_hints.push((shelf.registrar, hint));
                    }
                    continue;
                }
                match by_line.get(&line_digest(&line)) {
                    Some(entries) => {
                        let places = entries.iter().map(|one| shelf.place((*one).clone()));
                        lines.entry(line).or_default().extend(places);
                    }
                    None => {
                        self.charge(&shelf.registrar);
                        reading.unregistered.push(UnregisteredLine {
                            known: shelf.known,
                            line,
                            registrar: shelf.registrar,
                        });
                    }
                }
            }
            wanted.extend(entries.into_iter().map(|entry| (shelf, entry)));
        }
        let found: BTreeSet<Digest> = lines.values().flatten().map(|place| place.entry.entry.line).collect();
        for (shelf, one) in wanted {
            if !found.contains(&one.entry.line) && one.index < shelf.listed {
                reading.missing.push((shelf.reference.clone(), one.entry));
            }
        }
        reading.lines = lines.into_iter().map(|(line, places)| StoredLine { line, places }).collect();
        Ok(reading)
    }

    /// The name of all that [`Shelves::read`] reads for an object: each ref's blobs, whose ids name their content, its key, its ledger
    /// entries about the object and which of them count as a listed registrar's. The same name, and the same is read.
    ///
    /// `None` where there is no such name: some of it is not here or can't be read, or anybody may have written it, so that how much is
    /// looked at depends on what came before.
    pub fn basis(&self, oid: &Oid) -> Option<Digest> {
        if self.is_open_to_anybody(oid) {
            return None;
        }
        let mut hasher = Sha256::new_with_prefix(b"git-boundary:note-basis:v1\0");
        hasher.update([oid.as_bytes().len() as u8]);
        hasher.update(oid.as_bytes());
        for shelf in self.open.iter().filter(|shelf| shelf.known) {
            shelf.write_basis(oid, &mut hasher)?;
        }
        Some(Digest(hasher.finalize().into()))
    }

    /// Counts one line or hint of a registrar that was looked at in vain.
    pub fn charge(&self, registrar: &KeyId) {
        if !self.open.iter().any(|shelf| shelf.known && shelf.registrar == *registrar) {
            self.waste.charge(registrar);
        }
    }

    /// Whether there is, or may be, a note about an object in the ref of a registrar that is neither listed nor this clone's own.
    pub fn is_open_to_anybody(&self, oid: &Oid) -> bool {
        self.open.iter().any(|shelf| !shelf.known && !shelf.lacks(oid))
    }

    /// Whether no more of a registrar's ref is looked at.
    pub fn is_spent(&self, registrar: &KeyId) -> bool {
        self.waste.is_spent(registrar)
    }

    /// The registrars of whose refs no more is looked at.
    pub fn spent(&self) -> Vec<KeyId> {
        self.waste.spent()
    }

    /// Every object that any ledger annotates, in order of the first entry.
    ///
    /// # Errors
    /// When a cache is damaged.
    pub fn annotated(&self) -> Result<Vec<Oid>, StoreError> {
        self.notes_of(|_| true)
    }

    /// Every object in whose note some ledger has one of the artifacts that are wanted, oldest entry first.
    ///
    /// # Errors
    /// When a cache is damaged.
    pub fn notes_of(&self, wanted: impl Fn(&Digest) -> bool) -> Result<Vec<Oid>, StoreError> {
        let mut entries = Vec::new();
        for shelf in &self.open {
            let these = shelf.all()?.into_iter().filter(|one| wanted(&one.entry.artifact));
            entries.extend(these.map(|one| (one.entry.at, one.index, one.entry.annotated)));
        }
        entries.sort();
        let mut seen = std::collections::BTreeSet::new();
        Ok(entries.into_iter().filter_map(|(.., oid)| oid).filter(|oid| seen.insert(*oid)).collect())
    }
}

/// The lines of one note, if they are no more than are looked at; else why not, and the command where only objects are missing.
fn within_budget(shelf: &Shelf<'_>, oid: &Oid) -> Result<Vec<Vec<u8>>, (String, Option<&'static str>)> {
    let lines = shelf.lines(oid).map_err(|error| (error.to_string(), error.fetch_command()))?;
    let most = if shelf.known { MAX_LINES } else { MAX_UNLISTED_LINES };
    if lines.len() > most {
        return Err((format!("has {} lines, more than the {most} that are looked at", lines.len()), None));
    }
    Ok(lines)
}

fn entries(size: u64) -> String {
    count::of(size, "entry", "entries")
}
