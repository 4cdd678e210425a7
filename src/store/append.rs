//! APPEND: lines that belong together, their ledger entries and the new checkpoint land in one commit, or none of them does.

use std::collections::BTreeMap;

use super::alone::Alone;
use super::carried::with_lines;
use super::error::StoreError;
use super::layout;
use super::local::LocalState;
use super::shelf::verify_raw;
use super::start::start;
use crate::codec::dsse::Dsse;
use crate::crypto::{Signer, key_id, to_openssh};
use crate::git::{Expected, NewCommit, NotesTree, RefEdit, Repository, Update, retry};
use crate::ledger::{self, Checkpoint, Entry, Origin, SignedCheckpoint, TreeHead};
use crate::model::id::{KeyId, Oid, RepositoryId};
use crate::model::time::Timestamp;

/// Who writes: one registrar, for one repository.
pub struct Registrar<'a> {
    /// The repository that the ledger's origin names.
    pub repository: RepositoryId,
    /// The registrar's key.
    pub signer: &'a dyn Signer,
}

impl Registrar<'_> {
    /// Its id.
    pub fn id(&self) -> KeyId {
        key_id(&self.signer.public_key())
    }
}

/// A line to be recorded.
#[derive(Debug, Clone)]
pub struct NewLine {
    /// The commit in whose note it belongs.
    pub annotated: Oid,
    /// The signed artifact.
    pub artifact: Dsse,
}

/// Something unsigned to be written along.
#[derive(Debug, Clone)]
pub struct NewHint {
    /// The object in whose note it goes.
    pub annotated: Oid,
    /// The line.
    pub line: Vec<u8>,
}

/// What one attempt wants to write.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// Lines, in order.
    pub lines: Vec<NewLine>,
    /// Hints.
    pub hints: Vec<NewHint>,
    /// Files beside the notes, outside the ledger: path and bytes.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Batch {
    /// Whether nothing is to be written.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.hints.is_empty() && self.files.is_empty()
    }
}

/// Records what `build` gives. It is called again with the newer ref when another process wrote meanwhile; it gets the ref's commit,
/// so that it can look at what is there. An empty batch writes nothing.
///
/// Returns the index of each line's entry.
///
/// # Errors
/// [`StoreError`]; nothing is written then.
pub fn append<E: From<StoreError>>(
    repository: &Repository,
    registrar: &Registrar<'_>,
    now: Timestamp,
    message: &str,
    mut build: impl FnMut(Option<&Oid>) -> Result<Batch, E>,
) -> Result<Vec<u64>, E> {
    let reference = layout::registrar_ref(&registrar.id());
    if repository.find_ref(layout::BLOCKING_NOTES).map_err(StoreError::from)?.is_some() {
        return Err(StoreError::Blocked.into());
    }
    let mut failed = None;
    let mut alone = Alone::enter(repository);
    let local = LocalState::of(repository);
    let written = retry(&reference, || {
        let attempt = (|| {
            let seen = local.seen_head(&registrar.id())?;
            let tip = repository.find_ref(&reference).map_err(StoreError::from)?;
            let from = start(repository, registrar, &reference, seen, tip)?;
            let batch = build(from.as_ref())?;
            if batch.is_empty() {
                return Ok(Some(Vec::new()));
            }
            let written = write(repository, registrar, (&reference, tip, from), now, message, &batch)?;
            if written.is_none() {
                alone.refused(&reference)?;
            }
            Ok(written)
        })();
        attempt.or_else(|error: E| {
            failed = Some(error);
            Ok::<_, StoreError>(Some(Vec::new()))
        })
    });
    match (failed, written) {
        (Some(error), _) => Err(error),
        (None, result) => result.map_err(E::from),
    }
}

/// Gives a registrar that wrote nothing yet an empty ledger with a signed checkpoint, so that readers can tell it from one that is lost.
///
/// # Errors
/// [`StoreError`]; nothing is written then.
pub fn open(repository: &Repository, registrar: &Registrar<'_>, now: Timestamp) -> Result<(), StoreError> {
    let reference = layout::registrar_ref(&registrar.id());
    if repository.find_ref(layout::BLOCKING_NOTES)?.is_some() {
        return Err(StoreError::Blocked);
    }
    let seen = LocalState::of(repository).seen_head(&registrar.id())?;
    let tip = repository.find_ref(&reference)?;
    if tip.is_some() || seen.is_some_and(|seen| seen.size > 0) {
        return Ok(());
    }
    // Whoever was faster wrote one as well.
    write(repository, registrar, (&reference, None, None), now, "ledger", &Batch::default())?;
    Ok(())
}

/// What was written of a registrar's ref and is not its value yet: for who may only go on once another repository took it.
#[derive(Debug, Clone)]
pub struct Offer {
    /// The commit that the ref is to get.
    pub commit: Oid,
    head: TreeHead,
    head_after: TreeHead,
    registrar: KeyId,
}

/// Writes what [`append`] writes, and leaves the ref as it is. `None` for an empty batch; of a registrar that wrote nothing yet, an empty
/// ledger with a signed checkpoint, so that readers can tell it from one that is lost.
///
/// # Errors
/// [`StoreError`]
pub fn offer(
    repository: &Repository,
    registrar: &Registrar<'_>,
    now: Timestamp,
    message: &str,
    batch: &Batch,
) -> Result<Option<Offer>, StoreError> {
    let reference = layout::registrar_ref(&registrar.id());
    let seen = LocalState::of(repository).seen_head(&registrar.id())?;
    let tip = repository.find_ref(&reference)?;
    let from = start(repository, registrar, &reference, seen, tip)?;
    if from.is_some() && batch.lines.is_empty() && batch.hints.is_empty() {
        return Ok(None);
    }
    build(repository, registrar, (&reference, from), now, message, batch).map(Some)
}

/// Lets the registrar's ref here, and what was fetched of it from the remote that took the offer, have its value. Whoever wrote meanwhile
/// wins: nothing is lost then, since the remote has it.
///
/// # Errors
/// [`StoreError`]
pub fn settle(repository: &Repository, offer: &Offer, remote: &str, now: Timestamp) -> Result<(), StoreError> {
    let own = layout::registrar_ref(&offer.registrar);
    let fetched = layout::tracking(remote, &own).unwrap_or_else(|| own.clone());
    for name in [own, fetched] {
        let expected = match repository.find_ref(&name)? {
            Some(at) if at == offer.commit => continue,
            Some(at) if repository.is_ancestor(&at, &offer.commit).unwrap_or(false) => Expected::At(at),
            Some(_) => continue,
            None => Expected::Absent,
        };
        match repository.update_refs(&[RefEdit { name, expected, new: Some(offer.commit) }], "boundary", now)? {
            Update::Done | Update::Raced => {}
        }
    }
    remember(repository, &offer.registrar, offer.head, offer.head_after);
    Ok(())
}

fn write(
    repository: &Repository,
    registrar: &Registrar<'_>,
    (reference, tip, from): (&str, Option<Oid>, Option<Oid>),
    now: Timestamp,
    message: &str,
    batch: &Batch,
) -> Result<Option<Vec<u64>>, StoreError> {
    let offer = build(repository, registrar, (reference, from), now, message, batch)?;
    let edit = RefEdit {
        name: reference.to_owned(),
        expected: tip.map_or(Expected::Absent, Expected::At),
        new: Some(offer.commit),
    };
    match repository.update_refs(&[edit], message, now)? {
        Update::Done => {
            remember(repository, &offer.registrar, offer.head, offer.head_after);
            Ok(Some((offer.head.size..offer.head_after.size).collect()))
        }
        Update::Raced => Ok(None),
    }
}

fn build(
    repository: &Repository,
    registrar: &Registrar<'_>,
    (reference, from): (&str, Option<Oid>),
    now: Timestamp,
    message: &str,
    batch: &Batch,
) -> Result<Offer, StoreError> {
    let broken = |defect: String| StoreError::Ledger { reference: reference.to_owned(), defect };
    let mut notes = NotesTree::load(repository, from.as_ref())?;
    let origin = Origin { repository: registrar.repository, registrar: registrar.id() };
    let public = registrar.signer.public_key();
    let head = match notes.file(layout::CHECKPOINT)? {
        None => TreeHead::empty(),
        Some(bytes) => {
            SignedCheckpoint::parse(&bytes)
                .and_then(|signed| signed.verify(&origin, &public.0, verify_raw))
                .map_err(|defect| broken(defect.to_string()))?
                .head
        }
    };
    let (mut entries, mut by_note): (Vec<Entry>, BTreeMap<Oid, Vec<Vec<u8>>>) = (Vec::new(), BTreeMap::new());
    for new in &batch.lines {
        let line = new.artifact.line();
        entries.push(Entry::for_line(new.artifact.digest(), &line, Some(new.annotated), now));
        by_note.entry(new.annotated).or_default().push(line);
    }
    for hint in &batch.hints {
        by_note.entry(hint.annotated).or_default().push(hint.line.clone());
    }
    for (oid, lines) in by_note {
        let note = with_lines(notes.get(&oid)?.unwrap_or_default(), lines);
        notes.set(&oid, &note)?;
    }
    for (path, bytes) in &batch.files {
        notes.set_file(path, bytes)?;
    }
    let head_after = extend_ledger(&mut notes, head, &entries, broken)?;
    let checkpoint = Checkpoint { origin, head: head_after }.sign(&public.0, |bytes| registrar.signer.sign(bytes))?;
    notes.set_file(layout::CHECKPOINT, checkpoint.to_string().as_bytes())?;
    if from.is_none() {
        let line = format!("{}\n", to_openssh(&public, ""));
        notes.set_file(layout::REGISTRAR_KEY, line.as_bytes())?;
    }
    let tree = notes.write()?;
    let parents: Vec<Oid> = from.into_iter().collect();
    let subject = layout::message(repository, message);
    let commit = repository.write_commit(&NewCommit { tree, parents: &parents, time: now, message: &subject })?;
    Ok(Offer { commit, head, head_after, registrar: registrar.id() })
}

/// Remembers what was just written, so that the next process need not find out that it goes on from what was seen. Nothing is lost
/// where that fails.
fn remember(repository: &Repository, registrar: &KeyId, before: TreeHead, after: TreeHead) {
    let local = LocalState::of(repository);
    if local.seen_head(registrar).is_ok_and(|seen| seen == Some(before)) {
        local.remember_head(registrar, after).ok();
    }
}

/// A ledger that can't be gone on with is `broken`; that its files can't be written is no fault of it.
fn extend_ledger(
    notes: &mut NotesTree<'_>,
    head: TreeHead,
    entries: &[Entry],
    broken: impl Fn(String) -> StoreError,
) -> Result<TreeHead, StoreError> {
    let appended = {
        let cell = std::cell::RefCell::new(&mut *notes);
        let source = |path: &str| cell.borrow_mut().file(&format!("{}{path}", layout::LEDGER));
        ledger::append(&source, head, entries).map_err(|error| broken(error.to_string()))?
    };
    for path in &appended.removes {
        notes.remove_file(&format!("{}{path}", layout::LEDGER))?;
    }
    for (path, bytes) in &appended.writes {
        notes.set_file(&format!("{}{path}", layout::LEDGER), bytes)?;
    }
    Ok(appended.head)
}
