//! FORK: one registrar key that signed two ledgers, and the lines that only stand after the point where they parted.

use std::collections::{BTreeMap, BTreeSet};

use super::append::{Batch, NewHint, NewLine};
use super::carried::{MOST_HINTS, lines};
use super::error::StoreError;
use super::hints::Hint;
use super::layout;
use super::shelf::Signed;
use super::unite::Own;
use crate::codec::dsse::Dsse;
use crate::git::{NotesTree, Repository};
use crate::ledger::TreeHead;
use crate::ledger::entry::line_digest;
use crate::model::id::Oid;

/// Two or more ledgers of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forked {
    /// The refs, and what each ledger's head is.
    pub heads: Vec<(String, Oid, TreeHead)>,
    /// The last head that all of them have.
    pub shared: TreeHead,
}

/// Whether the ledgers of one registrar that are here parted.
///
/// # Errors
/// When an object is not here. A ref that holds no ledger of this registrar is none of its ledgers.
pub fn find(repository: &Repository, own: Own, refs: &[(String, Oid)]) -> Result<Option<Forked>, StoreError> {
    let mut signed = Vec::new();
    for (name, tip) in refs {
        if layout::parse_notes_ref(name).is_none_or(|(id, _)| id != own.origin.registrar) {
            continue;
        }
        let Ok(notes) = NotesTree::load(repository, Some(tip)) else { continue };
        if let Ok(one) = Signed::of(notes, own.origin, own.key, name) {
            signed.push((one, *tip));
        }
    }
    signed.sort_by_key(|(one, _)| std::cmp::Reverse(one.head.size));
    let mut kept: Vec<(Signed<'_>, Oid)> = Vec::new();
    let mut shared: Option<TreeHead> = None;
    for (one, tip) in signed {
        if kept.iter().any(|(longer, _)| longer.extends(one.head).unwrap_or(false)) {
            continue;
        }
        for (other, _) in &kept {
            // What can't be compared is damaged, and says nothing about its registrar.
            let Ok(size) = other.shared_with(&one) else { continue };
            let Ok(root) = one.root_at(size) else { continue };
            if shared.is_none_or(|shared| size < shared.size) {
                shared = Some(TreeHead { root, size });
            }
        }
        kept.push((one, tip));
    }
    let heads = kept.into_iter().map(|(one, tip)| (one.reference.clone(), tip, one.head)).collect();
    Ok(shared.map(|shared| Forked { heads, shared }))
}

/// Every line that was entered after the ledgers parted, oldest first, and every hint, so that another registrar can enter them.
///
/// # Errors
/// When an object is not here, or a ledger is damaged.
pub fn lines_after(repository: &Repository, own: Own, forked: &Forked) -> Result<Batch, StoreError> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut batch = Batch::default();
    let mut hints = BTreeSet::new();
    for (name, tip, _) in &forked.heads {
        let broken = |defect: String| StoreError::Ledger { reference: name.clone(), defect };
        let mut notes = NotesTree::load(repository, Some(tip))?;
        let signed = Signed::of(NotesTree::load(repository, Some(tip))?, own.origin, own.key, name).map_err(broken)?;
        let entries = signed.entries().map_err(broken)?;
        for entry in entries.iter().skip(usize::try_from(forked.shared.size).unwrap_or(usize::MAX)) {
            let Some(oid) = entry.annotated else { continue };
            if !seen.insert((oid, entry.line)) {
                continue;
            }
            let note = notes.get(&oid)?.unwrap_or_default();
            let line = lines(&note).find(|line| line_digest(line) == entry.line);
            if let Some(artifact) = line.and_then(|line| Dsse::parse(line).ok()) {
                found.push((entry.at, NewLine { annotated: oid, artifact }));
            }
        }
        let annotated: BTreeSet<Oid> = notes.iter()?.into_iter().map(|(oid, _)| oid).collect();
        for oid in annotated {
            let note = notes.get(&oid)?.unwrap_or_default();
            for line in lines(&note).filter(|line| Hint::parse(line).is_some()) {
                if hints.len() < MOST_HINTS && hints.insert((oid, line.to_vec())) {
                    batch.hints.push(NewHint { annotated: oid, line: line.to_vec() });
                }
            }
        }
    }
    found.sort_by_key(|(at, _)| *at);
    batch.lines = found.into_iter().map(|(_, line)| line).collect();
    Ok(batch)
}

/// What of a batch is not in a notes commit yet.
///
/// # Errors
/// When an object is not here.
pub fn not_in(repository: &Repository, tip: Option<&Oid>, batch: &Batch) -> Result<Batch, StoreError> {
    let mut notes = NotesTree::load(repository, tip)?;
    let mut there: BTreeMap<Oid, BTreeSet<Vec<u8>>> = BTreeMap::new();
    let mut has = |oid: &Oid, line: &[u8]| -> Result<bool, StoreError> {
        if !there.contains_key(oid) {
            let note = notes.get(oid)?.unwrap_or_default();
            there.insert(*oid, lines(&note).map(<[u8]>::to_vec).collect());
        }
        Ok(there[oid].contains(line))
    };
    let mut left = Batch::default();
    for line in &batch.lines {
        if !has(&line.annotated, &line.artifact.line())? {
            left.lines.push(line.clone());
        }
    }
    for hint in &batch.hints {
        if !has(&hint.annotated, &hint.line)? {
            left.hints.push(hint.clone());
        }
    }
    Ok(left)
}
