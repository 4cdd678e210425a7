//! Writing the next version of a chain, trust or policy.

use crate::app::context::Context;
use crate::app::error::{AppError, Failure};
use crate::app::remote::{self, Offered, Published};
use crate::gather::Session;
use crate::git::{Repository, Update};
use crate::model::id::Oid;
use crate::model::time::Timestamp;
use crate::model::typed::typed_remote;
use crate::store::{chains, layout};

/// The commit of this repository's chain, brought up to the fetched one first where that is ahead.
pub fn chain_tip(session: &Session<'_>, reference: &str, version: u64) -> Result<Option<Oid>, AppError> {
    let mut best = None;
    for (name, commit) in chains::candidates(session.repository, reference, &session.refs) {
        if holds(session, reference, name, commit, version) && (best.is_none() || name == reference) {
            best = Some(*commit);
        }
    }
    let own = session.repository.find_ref(reference)?;
    if let (Some(best), true) = (best, own != best) {
        let edit = crate::git::RefEdit {
            name: reference.to_owned(),
            expected: own.map_or(crate::git::Expected::Absent, crate::git::Expected::At),
            new: Some(best),
        };
        match session.repository.update_refs(&[edit], "boundary: take over what was fetched", session.now)? {
            Update::Done => {}
            Update::Raced => return Err(raced(reference)),
        }
    }
    Ok(best)
}

/// Whether a commit holds the very chain that is in force, whole and verified: whoever can push can make one as long.
fn holds(session: &Session<'_>, chain: &str, name: &str, commit: &Oid, version: u64) -> bool {
    let found = if chain == layout::TRUST {
        let found = chains::verify_trust(session.repository, name, commit, session.trust.root());
        found.ok().filter(|trust| trust.digests() == session.trust.digests()).map(|trust| trust.version())
    } else {
        let found = chains::verify_policy_at(session.repository, name, commit, &session.trust, session.now);
        let same = found.ok().filter(|chain| chain.digests() == session.policy_chain.digests());
        same.map(|chain| chain.versions.len() as u64)
    };
    found == Some(version)
}

/// What a version is added to.
pub struct Next<'a> {
    /// The chain's ref.
    pub reference: &'a str,
    /// Where it is.
    pub tip: Option<Oid>,
    /// The number of the version that is added.
    pub version: u64,
}

/// Adds a version here, or says that somebody else did meanwhile.
///
/// # Errors
/// When it can't be written.
pub fn add_version(repository: &Repository, next: &Next<'_>, line: &[u8], now: Timestamp) -> Result<(), AppError> {
    let commit = made(repository, next, line, now)?;
    advance(repository, next, commit, now)
}

/// Adds a version at the remote first, and here once that took it: two who add one at the same moment must not make two histories of it.
/// A remote that doesn't answer gets it later.
///
/// # Errors
/// When somebody else added one there, or it can't be written; nothing is changed then.
pub fn add_published(
    context: &Context,
    repository: &Repository,
    next: &Next<'_>,
    line: &[u8],
) -> Result<Published, AppError> {
    let commit = made(repository, next, line, context.now)?;
    let published = match remote::offer(context, repository, next.reference, commit)? {
        Offered::Told(published) => published,
        Offered::Overtaken(remote) => {
            return Err(AppError::Told {
                failure: Failure::Undecided,
                hint: Some(format!("git boundary sync {}", typed_remote(&remote))),
                text: format!(
                    "{} is ahead at {remote}: somebody else has changed it, and nothing was changed here; fetch that first",
                    next.reference
                ),
            });
        }
    };
    advance(repository, next, commit, context.now)?;
    Ok(published)
}

fn made(repository: &Repository, next: &Next<'_>, line: &[u8], now: Timestamp) -> Result<Oid, AppError> {
    let also = chains::beginnings(repository, next.reference, next.tip)?;
    Ok(chains::next_commit(repository, next.reference, (next.tip, &also), next.version, line, now)?)
}

fn advance(repository: &Repository, next: &Next<'_>, commit: Oid, now: Timestamp) -> Result<(), AppError> {
    match chains::advance(repository, next.reference, next.tip, commit, now)? {
        Update::Done => Ok(()),
        Update::Raced => Err(raced(next.reference)),
    }
}

fn raced(reference: &str) -> AppError {
    AppError::fatal(format!("{reference} was changed by somebody else meanwhile"), "run the command again")
}
