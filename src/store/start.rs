//! START: where a registrar goes on writing. A ledger that goes on from less than was seen of it has forked, for good.

use super::append::Registrar;
use super::error::StoreError;
use super::layout;
use super::shelf::Signed;
use crate::git::{NotesTree, Repository};
use crate::ledger::{Origin, TreeHead};
use crate::model::id::Oid;

/// The notes commit that the next entries go onto: the registrar's own ref, or, where somebody put that back, what was fetched of it.
///
/// `seen` has to be read before `tip`: a ledger may grow in between, and never shrinks.
///
/// # Errors
/// [`StoreError::Ledger`] when the ref was put back and nothing here has the rest.
pub(super) fn start(
    repository: &Repository,
    registrar: &Registrar<'_>,
    reference: &str,
    seen: Option<TreeHead>,
    tip: Option<Oid>,
) -> Result<Option<Oid>, StoreError> {
    // A key that comes from elsewhere has written already, though nobody here has seen it.
    let seen = match (seen, tip) {
        (Some(seen), _) => seen,
        (None, Some(_)) => return Ok(tip),
        (None, None) => TreeHead::empty(),
    };
    let broken = |defect: String| StoreError::Ledger { reference: reference.to_owned(), defect };
    let own = match tip {
        Some(tip) => signed(repository, registrar, reference, &tip)?.map_err(broken)?.head,
        None => TreeHead::empty(),
    };
    if tip.is_some() && own.size >= seen.size {
        return Ok(tip);
    }
    let (mut forked, mut longest) = (false, None::<(u64, Oid)>);
    for (name, commit) in repository.refs_under(layout::REMOTE)? {
        if layout::parse_notes_ref(&name).is_none_or(|(id, _)| id != registrar.id()) {
            continue;
        }
        let Ok(other) = signed(repository, registrar, &name, &commit)? else { continue };
        if other.head.size < seen.size {
            continue;
        }
        if own.size == 0 || other.extends(own).unwrap_or(false) {
            // Anybody can push an older one under a name that comes first.
            if longest.is_none_or(|(size, _)| other.head.size > size) {
                longest = Some((other.head.size, commit));
            }
        } else {
            forked = true;
        }
    }
    if let Some((_, commit)) = longest {
        return Ok(Some(commit));
    }
    // A registrar that was used in two places has two ledgers already; readers say so, and this one goes on with its own.
    if forked {
        return Ok(tip);
    }
    if own.size >= seen.size {
        return Ok(tip);
    }
    let (found, seen) = (own.size, seen.size);
    let found = crate::model::count::of(found, "entry", "entries");
    Err(broken(format!("its ledger has {found}; {seen} were seen before, so it was rolled back")))
}

fn signed<'r>(
    repository: &'r Repository,
    registrar: &Registrar<'_>,
    reference: &str,
    tip: &Oid,
) -> Result<Result<Signed<'r>, String>, StoreError> {
    let origin = Origin { repository: registrar.repository, registrar: registrar.id() };
    let notes = NotesTree::load(repository, Some(tip))?;
    Ok(Signed::of(notes, origin, registrar.signer.public_key(), reference))
}
