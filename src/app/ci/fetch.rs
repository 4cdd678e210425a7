//! FETCH: what a job's own checkout lacks: receipts, the branches that history is held against, and history below a cut.

use std::collections::BTreeSet;

use crate::app::context::Context;
use crate::app::error::{AppError, Failure};
use crate::git::{Prompt, RemoteError, Repository, is_full_ref_name};
use crate::model::id::Oid;
use crate::model::typed::{typed, typed_remote};
use crate::store::layout;

/// How many commits more are fetched below the cut of a shallow clone, step by step; then all.
pub(super) const STEPS: [Option<u32>; 4] = [Some(50), Some(500), Some(5000), None];

/// So many objects are asked for by their ids at once, and so many times.
const MOST_NAMED: usize = 16;
const MOST_ROUNDS: usize = 8;

/// Fetches trust, policy and receipts into their tracking places. Overwrites nothing of this clone's own.
///
/// # Errors
/// Undecided, where the remote gives none.
pub(super) fn receipts(repository: &Repository, remote: &str) -> Result<(), AppError> {
    let refspecs = layout::fetch_refspecs(remote);
    repository.fetch(remote, &refspecs, Prompt::Never).map_err(|error| unreached(remote, &error))
}

/// The command that fetches them, for who does that alone.
pub(super) fn command(remote: &str) -> String {
    let refspecs: Vec<String> =
        layout::fetch_refspecs(remote).iter().map(|spec| typed(spec, "<refspec>").into_owned()).collect();
    format!("git fetch {} {}", typed_remote(remote), refspecs.join(" "))
}

/// Fetches the remote's default branch, and tells this clone which one that is, where it does not know. Gives its full name.
///
/// # Errors
/// Undecided, where the remote doesn't answer.
pub(super) fn default_branch(repository: &Repository, remote: &str) -> Result<Option<String>, AppError> {
    let answer = repository.ls_remote(remote, &["HEAD"], Prompt::Never).map_err(|error| unreached(remote, &error))?;
    let Some(branch) = answer.head.filter(|name| name.starts_with("refs/heads/") && is_full_ref_name(name)) else {
        return Ok(None);
    };
    branches(repository, remote, &[&branch])?;
    repository.set_remote_head(remote, &branch);
    Ok(Some(branch))
}

/// Fetches branches into the places where this clone follows them.
///
/// # Errors
/// Undecided, where the remote doesn't give them; that one is no branch there is no error.
pub(super) fn branches(repository: &Repository, remote: &str, branches: &[&str]) -> Result<(), AppError> {
    for branch in branches {
        let Some(place) = crate::gather::base::tracking_ref(remote, branch) else { continue };
        match repository.fetch(remote, &[format!("+{branch}:{place}")], Prompt::Never) {
            Ok(()) | Err(RemoteError::AbsentRef { .. }) => {}
            Err(error) => return Err(unreached(remote, &error)),
        }
    }
    Ok(())
}

/// Fetches those of some objects that are not here; that the remote gives one no more is no error.
pub(super) fn objects(repository: &Repository, remote: &str, wanted: &[Oid]) {
    for oid in wanted.iter().filter(|oid| !oid.is_zero() && !repository.contains(oid)) {
        // Whoever needs it says that it is not here.
        repository.fetch(remote, &[oid.hex()], Prompt::Never).ok();
    }
}

/// Fetches what gaps name by its id: a commit that was squashed or rebased lies on no branch that a job's checkout follows. Each is asked
/// for once; whether one came.
pub(super) fn named(repository: &Repository, remote: &str, gaps: &[String], asked_for: &mut BTreeSet<Oid>) -> bool {
    let words = gaps.iter().flat_map(|gap| gap.split(|it: char| !it.is_ascii_alphanumeric()));
    let fits = |oid: &Oid| repository.object_format().fits(oid) && !oid.is_zero() && !repository.contains(oid);
    let wanted: BTreeSet<Oid> = words.filter_map(|word| word.parse().ok()).filter(fits).collect();
    let wanted: Vec<Oid> = wanted.difference(asked_for).copied().take(MOST_NAMED).collect();
    asked_for.extend(wanted.iter().copied());
    if asked_for.len() > MOST_ROUNDS * MOST_NAMED {
        return false;
    }
    let came: Vec<bool> =
        wanted.iter().map(|oid| repository.fetch(remote, &[oid.hex()], Prompt::Never).is_ok()).collect();
    came.contains(&true)
}

/// Gets more of the history below some commits, and below the branches that are followed here.
///
/// # Errors
/// Undecided, where the remote gives no more.
pub(super) fn deeper(
    context: &Context,
    remote: &str,
    (tips, branches): (&[Oid], &[String]),
    more: Option<u32>,
) -> Result<(), AppError> {
    let repository = context.repository()?;
    let followed = branches.iter().filter_map(|branch| {
        let place = crate::gather::base::tracking_ref(remote, branch)?;
        let here = repository.find_ref(&place).is_ok_and(|found| found.is_some());
        here.then(|| format!("+{branch}:{place}"))
    });
    let tips = tips.iter().filter(|oid| !oid.is_zero() && repository.contains(oid)).map(Oid::hex);
    let wanted: Vec<String> = tips.chain(followed).collect();
    repository.deepen(remote, &wanted, more).map_err(|error| AppError::Told {
        failure: Failure::Undecided,
        hint: Some(format!("git fetch --unshallow {}", typed_remote(remote))),
        text: format!("this clone is shallow, and {remote} gave no more of its history: {error}"),
    })
}

fn unreached(remote: &str, error: &RemoteError) -> AppError {
    if let RemoteError::Absent { .. } = error {
        return AppError::usage(error.to_string(), "git remote -v");
    }
    AppError::Told {
        failure: Failure::Undecided,
        hint: Some(command(remote)),
        text: format!("what {remote} holds could not be fetched: {error}"),
    }
}
