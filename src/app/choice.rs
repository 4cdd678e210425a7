//! Which handoff a proposal works under.

use super::error::AppError;
use super::handoff::{self, Shown, State};
use crate::gate::scope::pathspec::PathScope;
use crate::gate::scope::ref_glob::RefGlob;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::model::id::{KeyId, Oid};

/// The handoff that fits best: held by this key, live, with the ref in scope, not renewed by another, pinned in the tip's history,
/// newest. A worse one is still named, so that the refusal says what is wrong with it. One that was renewed never comes before its
/// renewal, wherever the tip was built: an owner has moved the work on, and the refusal says how to follow.
///
/// # Errors
/// When no handoff is for the work that is named, or the shelves can't be read.
pub fn choose(
    session: &Session<'_>,
    noted: &Noted,
    actor: KeyId,
    reference: &str,
    tip: Oid,
    work: Option<&str>,
) -> Result<Option<Shown>, AppError> {
    let key = session.trust.resolve(&actor.to_string());
    let held = |one: &Shown| session.trust.resolve(&one.handoff.to.to_string()) == key && key.is_some();
    // Another's handoff gives this key nothing. Bound to a proposal, it would make the refusal speak of a key that is not the proposer's.
    let mine = handoff::latest(session, noted, held)?.into_iter().filter(held);
    let tree = session.repository.commit(&tip)?.tree;
    let fit = |one: &Shown| {
        let in_scope =
            one.handoff.scope.refs.iter().any(|glob| RefGlob::parse(glob).is_ok_and(|glob| glob.matches(reference)));
        let descends = session.repository.is_ancestor(&one.handoff.pin.commit, &tip).unwrap_or(false);
        let lasts = one.state != State::Renewed;
        let meant = work.is_none_or(|work| one.handoff.assignment.work_id == work);
        (meant, one.state.runs(), in_scope, lasts, descends)
    };
    let since = |one: &Shown| {
        let kept = one.state != State::Revoked;
        (kept, one.handoff.lease.map(|lease| lease.not_before), one.entered)
    };
    let mut fitting: Vec<_> = mine.map(|one| (fit(&one), one)).collect();
    let best = fitting.iter().map(|(fit, _)| *fit).max();
    fitting.retain(|(fit, _)| Some(*fit) == best);
    // The newest first. Which of them covers the change is asked last, since that costs a comparison of trees each.
    fitting.reverse();
    fitting.sort_by_key(|(_, one)| std::cmp::Reverse(since(one)));
    let place = fitting.iter().position(|(_, one)| covers(session, one, &tree)).unwrap_or(0);
    let chosen = (!fitting.is_empty()).then(|| fitting.swap_remove(place).1);
    if let (Some(work), Some(one)) = (work, &chosen)
        && one.handoff.assignment.work_id != work
    {
        return Err(AppError::usage(
            format!("no handoff of this key is for work {work:?}"),
            "git boundary handoff list",
        ));
    }
    Ok(chosen)
}

/// Whether a handoff's paths hold all that differs between its pin and a tree. A hint for choosing; the gate judges commit by commit.
fn covers(session: &Session<'_>, one: &Shown, tree: &Oid) -> bool {
    let (Ok(scope), Ok(changes)) =
        (PathScope::parse(&one.handoff.scope.paths), session.repository.change_list(&one.handoff.pin.tree, tree))
    else {
        return false;
    };
    changes.iter().all(|change| scope.grants(&change.path))
}
