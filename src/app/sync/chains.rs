//! Trust and policy: what was fetched is taken over where it verifies, and the own refs go forward to it, never back.

use super::{Moved, Problem, Synced};
use crate::app::context::Context;
use crate::app::error::AppError;
use crate::crypto::trust::Trust;
use crate::gather::GatherError;
use crate::gather::session::{boundary_refs, pin};
use crate::git::{Expected, RefEdit, Repository, Update, retry};
use crate::model::id::Oid;
use crate::store::chains::{Highest, highest_policy, highest_trust, verify_policy_at, verify_trust};
use crate::store::{LocalState, StoreError, layout};

/// The chains as they are in force now.
pub(super) struct Taken {
    /// The trust document.
    pub trust: Trust,
    /// The chains that the remote lacks: the own ref, and the commit to be published.
    pub unpublished: Vec<(String, Oid)>,
}

/// One chain, however it is verified.
struct Chain<'a> {
    /// Its own ref.
    name: &'a str,
    /// Where it goes furthest, and how far; `None` where there is none.
    best: Option<(u64, Oid)>,
    /// The version that a commit holds.
    version: &'a dyn Fn(&str, &Oid) -> Result<u64, StoreError>,
}

/// Takes both over.
///
/// # Errors
/// When the trust chain goes back or forks, or there is none. A policy that does so is a problem, since only work waits for it.
pub(super) fn take(context: &Context, repository: &Repository, answer: &mut Synced) -> Result<Taken, AppError> {
    let local = LocalState::of(repository);
    let (root, _) = pin(repository, &context.session)?;
    let before = boundary_refs(repository)?;
    let with_incoming = |name: &str| -> Result<Vec<(String, Oid)>, AppError> {
        let mut refs = before.clone();
        let incoming = layout::incoming(&answer.remote, name).expect("a chain is a boundary ref");
        let tracking = layout::tracking(&answer.remote, name).expect("a chain is a boundary ref");
        refs.extend(repository.find_ref(&incoming)?.map(|oid| (tracking, oid)));
        Ok(refs)
    };

    let was = highest_trust(repository, &local, &before, root).ok().flatten();
    let best = highest_trust(repository, &local, &with_incoming(layout::TRUST)?, root)?;
    let best = best.ok_or(GatherError::NoTrust(root))?;
    let trust = best.chain;
    let moved = Moved { version_before: was.map(|found| found.chain.version()), version_after: Some(trust.version()) };
    let version = |name: &str, oid: &Oid| verify_trust(repository, name, oid, root).map(|trust| trust.version());
    let chain = Chain { name: layout::TRUST, best: Some((trust.version(), best.commit)), version: &version };
    let mut unpublished = Vec::new();
    let refs = with_incoming(layout::POLICY)?;
    unpublished.extend(settle(context, repository, answer, &chain)?);
    answer.trust = first(answer.trust, moved);

    let length = |found: Highest<crate::store::chains::PolicyChain>| (found.chain.versions.len() as u64, found.commit);
    let was = highest_policy(repository, &local, &before, &trust, context.now).ok().flatten().map(length);
    let best = match highest_policy(repository, &local, &refs, &trust, context.now) {
        Ok(best) => best.map(length),
        Err(error @ StoreError::Chain { .. }) => {
            answer.problems.push(problem(layout::POLICY, error.to_string()));
            return Ok(Taken { trust, unpublished });
        }
        Err(error) => return Err(error.into()),
    };
    let version = |name: &str, oid: &Oid| {
        verify_policy_at(repository, name, oid, &trust, context.now).map(|chain| chain.versions.len() as u64)
    };
    let chain = Chain { name: layout::POLICY, best, version: &version };
    unpublished.extend(settle(context, repository, answer, &chain)?);
    let moved =
        Moved { version_before: was.map(|(version, _)| version), version_after: best.map(|(version, _)| version) };
    answer.policy = first(answer.policy, moved);
    Ok(Taken { trust, unpublished })
}

/// What was here before the first attempt, and what is here now.
fn first(before: Moved, now: Moved) -> Moved {
    match before.version_after {
        Some(_) => Moved { version_before: before.version_before, ..now },
        None => now,
    }
}

/// Moves the refs of one chain to where it stands, and gives what the remote lacks of it.
fn settle(
    context: &Context,
    repository: &Repository,
    answer: &mut Synced,
    chain: &Chain<'_>,
) -> Result<Option<(String, Oid)>, AppError> {
    let incoming = layout::incoming(&answer.remote, chain.name).expect("a chain is a boundary ref");
    let tracking = layout::tracking(&answer.remote, chain.name).expect("a chain is a boundary ref");
    let there = repository.find_ref(&incoming)?;
    // What was fetched before stays where the remote went back; whatever stands there that is no chain is no loss.
    let mut went_back = None;
    let at_remote = match &there {
        Some(oid) => match (chain.version)(&tracking, oid) {
            Ok(version) => {
                let newer = |here: &Oid| (chain.version)(&tracking, here).ok().filter(|here| *here > version);
                went_back = repository.find_ref(&tracking)?.and_then(|here| newer(&here)).map(|here| (here, version));
                put(context, repository, &tracking, *oid, |here| Ok(newer(here).is_none()))?;
                Some(version)
            }
            Err(error @ StoreError::Chain { .. }) => {
                answer.problems.push(problem(chain.name, format!("not taken over from {}: {error}", answer.remote)));
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        },
        None => None,
    };
    if let Some((here, there)) = went_back {
        let text = format!(
            "went back at {}: version {here} was fetched before, version {there} is there now; what was fetched before stays here",
            answer.remote
        );
        answer.problems.push(problem(chain.name, text));
    }
    let Some((best, commit)) = chain.best else { return Ok(None) };
    let Some(own) = repository.find_ref(chain.name)? else { return Ok(None) };
    let behind = |oid: &Oid| match (chain.version)(chain.name, oid) {
        Ok(version) => Ok(version < best),
        Err(error) => Err(error),
    };
    match behind(&own) {
        Ok(false) => {}
        Ok(true) => put(context, repository, chain.name, commit, behind)?,
        Err(error @ StoreError::Chain { .. }) => {
            answer.problems.push(problem(chain.name, error.to_string()));
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    }
    let own = repository.find_ref(chain.name)?.unwrap_or(own);
    // Whoever is at the same version has the same chain: another one would be a fork.
    let lacks = at_remote.is_none_or(|version| version < best);
    let forward = there.is_none_or(|there| super::leads_to(repository, &there, &own).unwrap_or(false));
    let sends = lacks && forward;
    if let (true, Some(_), Some(one)) = (sends && context.publish, went_back, answer.problems.last_mut()) {
        // It is about to have it again.
        one.listed = false;
    }
    Ok(sends.then(|| (chain.name.to_owned(), own)))
}

/// Moves a ref, if what it is at then may still be left.
fn put(
    context: &Context,
    repository: &Repository,
    name: &str,
    to: Oid,
    may: impl Fn(&Oid) -> Result<bool, StoreError>,
) -> Result<(), AppError> {
    retry(name, || {
        let from = repository.find_ref(name)?;
        if from == Some(to) || from.map_or(Ok(false), |from| may(&from).map(|may| !may))? {
            return Ok(Some(()));
        }
        let edit =
            RefEdit { name: name.to_owned(), expected: from.map_or(Expected::Absent, Expected::At), new: Some(to) };
        match repository.update_refs(&[edit], "boundary: take over what was fetched", context.now)? {
            Update::Done => Ok::<_, AppError>(Some(())),
            Update::Raced => Ok(None),
        }
    })
}

fn problem(reference: &str, text: String) -> Problem {
    Problem { command: None, listed: true, reference: reference.to_owned(), registrar: None, text }
}
