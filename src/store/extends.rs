//! EXTENDS: whether what somebody wants a boundary ref to become only adds to what it is (contract, section 11). For servers, which
//! anybody may push to.

use std::collections::{BTreeMap, BTreeSet};

use super::carried::Registered;
use super::chains;
use super::cosigned;
use super::error::{ChainDefect, StoreError};
use super::hints::Hint;
use super::layout;
use super::local::LocalState;
use super::shelf::{MAX_NOTE, Shelf, Signed};
use crate::codec::dsse::Dsse;
use crate::crypto::pending::Pending;
use crate::crypto::trust::Trust;
use crate::git::{Mode, NotesTree, Repository};
use crate::ledger::Entry;
use crate::ledger::entry::line_digest;
use crate::model::count;
use crate::model::digest::Digest;
use crate::model::hex;
use crate::model::id::{KeyId, Oid, RepositoryId};
use crate::model::key::PublicKey;
use crate::model::time::Timestamp;

/// Why a boundary ref can't become what was pushed. A value: it is the pusher's fault, or nobody's who looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inadmissible {
    /// A signature that must be there is not, or is wrong.
    Unsigned(String),
    /// It takes away or changes something, or is nothing that belongs there.
    Takes(String),
}

type Checked<T = ()> = Result<Result<T, Inadmissible>, StoreError>;

/// What refuses the push and is no failure of this machine's.
fn takes<T>(text: impl Into<String>) -> Checked<T> {
    Ok(Err(Inadmissible::Takes(text.into())))
}

/// A trust chain that begins with all of the old one, and verifies from the pin.
///
/// # Errors
/// When objects can't be read.
pub fn trust(repository: &Repository, old: Option<Oid>, new: &Oid, pin: Digest) -> Checked {
    if let Err(no) = begins_with(repository, layout::TRUST, old, new)? {
        return Ok(Err(no));
    }
    told(chains::verify_trust(repository, layout::TRUST, new, pin).map(|_| ()))
}

/// A next trust version that a root has begun to sign. Another one that it takes the place of was never in force; of the same one no
/// signature is lost, since whoever saw it with fewer could put that back for ever.
///
/// # Errors
/// When objects can't be read.
pub fn pending(repository: &Repository, old: Option<Oid>, new: &Oid, trust: &Trust) -> Checked {
    let read = |commit: &Oid| told(super::pending::read(repository, layout::TRUST_PENDING, commit));
    let line = match read(new)? {
        Ok(line) => line,
        Err(no) => return Ok(Err(no)),
    };
    let new = match Pending::read(trust, &line) {
        Ok(new) => new,
        Err(defect) => return Ok(Err(Inadmissible::Unsigned(defect.to_string()))),
    };
    let Some(old) = old else { return Ok(Ok(())) };
    let old = read(&old)?.ok().and_then(|line| Pending::read(trust, &line).ok());
    match old.filter(|old| old.digest() == new.digest() && !old.signers().is_subset(new.signers())) {
        Some(old) => takes(format!("it lacks signatures that {} has here", old.digest())),
        None => Ok(Ok(())),
    }
}

/// A policy chain that begins with all of the old one, verifies, and ends with an owner in good standing.
///
/// # Errors
/// When objects can't be read.
pub fn policy(repository: &Repository, old: Option<Oid>, new: &Oid, trust: &Trust, now: Timestamp) -> Checked {
    if let Err(no) = begins_with(repository, layout::POLICY, old, new)? {
        return Ok(Err(no));
    }
    let lines = match told(chains::read_lines(repository, layout::POLICY, new))? {
        Ok(lines) => lines,
        Err(no) => return Ok(Err(no)),
    };
    let chain = match told(chains::verify_policy(layout::POLICY, &lines, trust, now))? {
        Ok(chain) => chain,
        Err(no) => return Ok(Err(no)),
    };
    Ok(chain.defect.map_or(Ok(()), |defect| Err(Inadmissible::Unsigned(defect))))
}

/// A chain's defect is the pusher's; that something can't be read is not.
fn told<T>(result: Result<T, StoreError>) -> Checked<T> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(StoreError::Chain { defect: ChainDefect::Layout(text), .. }) => takes(text),
        Err(StoreError::Chain { defect, .. }) => Ok(Err(Inadmissible::Unsigned(defect.to_string()))),
        Err(error) => Err(error),
    }
}

fn begins_with(repository: &Repository, reference: &str, old: Option<Oid>, new: &Oid) -> Checked {
    let Some(old) = old else { return Ok(Ok(())) };
    let read = |commit: &Oid| told(chains::read_lines(repository, reference, commit));
    let (old, new) = match (read(&old)?, read(new)?) {
        (Ok(old), Ok(new)) => (old, new),
        // What stands here already may be replaced by something better.
        (Err(_), Ok(_)) => return Ok(Ok(())),
        (_, Err(no)) => return Ok(Err(no)),
    };
    if new.len() < old.len() {
        return takes(format!(
            "it has {}, and {} here",
            count::of(new.len(), "version", "versions"),
            count::of(old.len(), "is", "are")
        ));
    }
    let digest = |line: &Vec<u8>| Dsse::parse(line).map(|line| line.digest()).ok();
    match (1..).zip(old.iter().zip(&new)).find(|(_, (old, new))| digest(old) != digest(new)) {
        Some((version, _)) => takes(format!("version {version} is another than the one that is here")),
        None => Ok(Ok(())),
    }
}

/// A registrar's notes: its checkpoint is signed and goes on from the old one, every line that was there is there, each new line is in
/// the ledger, and each new entry has its line.
///
/// # Errors
/// When objects can't be read.
pub fn notes(
    repository: &Repository,
    (trust, local): (&Trust, &LocalState),
    registrar: &KeyId,
    old: Option<Oid>,
    new: &Oid,
) -> Checked {
    let reference = layout::registrar_ref(registrar);
    let open = |tip: &Oid| Signed::open(repository, trust, registrar, &reference, tip);
    let signed = match open(new) {
        Ok(signed) => signed,
        Err(defect) => return Ok(Err(Inadmissible::Unsigned(defect))),
    };
    let before = match old.as_ref().map(open) {
        None => None,
        Some(Ok(before)) => Some(before),
        // A ledger that is broken may be replaced by one that is not.
        Some(Err(_)) => None,
    };
    if let Some(before) = &before {
        match signed.extends(before.head) {
            Ok(true) => {}
            Ok(false) => {
                return takes(format!(
                    "its ledger of {} entries does not go on from the {} that are here",
                    signed.head.size, before.head.size
                ));
            }
            Err(defect) => return takes(defect),
        }
    }
    let first_new = before.as_ref().map_or(0, |before| before.head.size);
    let grows = before.as_ref().is_none_or(|before| before.head.size < signed.head.size);
    // All of it, and not what a cache knows: other tiles beside an old checkpoint would be a ledger for nobody else.
    let registered = match signed.entries() {
        Ok(entries) => Registered::of(&entries),
        Err(defect) => return takes(defect),
    };
    let witness = (registrar, &signed.key.clone());
    let shelf = match signed.read(trust, local) {
        Ok(shelf) => shelf,
        Err(defect) => return takes(defect),
    };
    let touched = match touched(repository, (old, new), trust.repository(), witness)? {
        Ok(touched) => touched,
        Err(no) => return Ok(Err(no)),
    };
    let mut lines: BTreeMap<Oid, BTreeSet<Digest>> = BTreeMap::new();
    let mut before = NotesTree::load(repository, old.as_ref())?;
    let hints = HintRule { grows, led: registered.led(&mut before)? };
    for note in touched {
        match only_adds(&mut before, &shelf, &note, &hints)? {
            Ok(found) => lines.insert(note, found),
            Err(no) => return Ok(Err(no)),
        };
    }
    for (index, entry) in since(&shelf, first_new)? {
        // What it is about has its line already where nothing of the note changed.
        let Some(note) = entry.annotated else { continue };
        if let std::collections::btree_map::Entry::Vacant(place) = lines.entry(note) {
            place.insert(shelf.lines(&note)?.iter().map(|line| line_digest(line)).collect());
        }
        if !lines[&note].contains(&entry.line) {
            return takes(format!("the line of entry {index} of its ledger is not in the note of {note}"));
        }
    }
    Ok(Ok(()))
}

/// So few new entries are each looked up; for more all are read.
const FEW: u64 = 1_000;

/// The entries of a ledger from one on.
fn since(shelf: &Shelf<'_>, first: u64) -> Result<Vec<(u64, Entry)>, StoreError> {
    if shelf.head.size.saturating_sub(first) <= FEW {
        let indices: BTreeSet<u64> = (first..shelf.head.size).collect();
        let shown = shelf.prove(&indices, None)?;
        return Ok(indices.into_iter().zip(shown.entries.into_iter().map(|(entry, _)| entry)).collect());
    }
    let all = shelf.all()?.into_iter().filter(|one| one.index >= first);
    Ok(all.map(|one| (one.index, one.entry)).collect())
}

/// The objects whose notes differ; refuses what is neither a note nor a file of a ledger.
fn touched(
    repository: &Repository,
    (old, new): (Option<Oid>, &Oid),
    id: RepositoryId,
    witness: (&KeyId, &PublicKey),
) -> Checked<BTreeSet<Oid>> {
    let tree = |commit: &Oid| repository.commit(commit).map(|commit| commit.tree);
    let old = old.as_ref().map_or(Ok(repository.object_format().empty_tree()), tree)?;
    let changes = match repository.change_list(&old, &tree(new)?) {
        Ok(changes) => changes,
        Err(error) if error.is_incomplete() => return Err(crate::git::GitError::from(error).into()),
        Err(error) => return takes(error.to_string()),
    };
    let mut notes = BTreeSet::new();
    for change in changes {
        let name = String::from_utf8_lossy(&change.path).into_owned();
        if change.new.is_some_and(|(mode, _)| mode != Mode::File) {
            return takes(format!("{name:?} is no ordinary file"));
        }
        if let Some(file) = name.strip_prefix(layout::LEDGER) {
            let known = ["checkpoint", "registrar.pub"].contains(&file) || file.starts_with("tile/");
            if known {
                continue;
            }
            return takes(format!("{name:?} is no file of a ledger"));
        }
        if let Some(file) = name.strip_prefix(layout::COSIGNED) {
            let is_by = |oid: Oid| {
                let bytes = repository.blob_within(&oid, cosigned::MAX_COSIGNED);
                bytes.is_ok_and(|bytes| cosigned::is_by(&bytes, file, id, witness))
            };
            if change.old.is_some_and(|(_, oid)| is_by(oid)) {
                return takes(format!("{name:?} is a cosignature that is here already"));
            }
            if change.new.is_some_and(|(_, oid)| !is_by(oid)) {
                return takes(format!("{name:?} is no checkpoint that {} cosigned", witness.0));
            }
            continue;
        }
        let digits: String = name.split('/').collect();
        let note = hex::decode(&digits.to_ascii_lowercase()).and_then(|raw| Oid::from_bytes(&raw));
        match note.filter(|note| repository.object_format().fits(note)) {
            Some(note) => notes.insert(note),
            None => return takes(format!("{name:?} is neither a note nor a file of a ledger")),
        };
    }
    Ok(Ok(notes))
}

/// Which hints may come and go. No signature covers them, so that anybody could add as many as nobody can carry, or take one away.
struct HintRule {
    /// Whether the ledger got entries, which only its registrar can give it.
    grows: bool,
    /// What hints lead to that must not be lost.
    led: BTreeSet<Oid>,
}

/// The digests of a note's lines, if it has all that its ledger holds and had, and besides that hints.
fn only_adds(before: &mut NotesTree<'_>, shelf: &Shelf<'_>, note: &Oid, hints: &HintRule) -> Checked<BTreeSet<Digest>> {
    let old = before.get_within(note, MAX_NOTE)?.unwrap_or_default();
    let old: BTreeSet<&[u8]> = old.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let new = match shelf.lines(note) {
        Ok(lines) => lines,
        Err(error) if error.missing().is_some() => return Err(error),
        Err(error) => return takes(error.to_string()),
    };
    let new: BTreeSet<&[u8]> = new.iter().map(Vec::as_slice).collect();
    let entries: BTreeSet<Digest> = shelf.entries(note)?.into_iter().map(|one| one.entry.line).collect();
    let is_lost = |line: &&&[u8]| match Hint::parse(line) {
        Some(hint) => hints.led.contains(&hint.hint),
        None => entries.contains(&line_digest(line)),
    };
    if let Some(gone) = old.difference(&new).find(is_lost) {
        return takes(format!("a line of the note of {note} is gone, {}", line_digest(gone)));
    }
    for line in new.difference(&old) {
        if Hint::parse(line).is_some() {
            if !hints.grows {
                return takes(format!("a hint in the note of {note} comes without an entry of the ledger"));
            }
        } else if !entries.contains(&line_digest(line)) {
            return takes(format!("a line of the note of {note} is not in its ledger"));
        }
    }
    Ok(Ok(new.into_iter().map(line_digest).collect()))
}
