//! Writing the next version of a chain, trust or policy.

use crate::app::error::AppError;
use crate::gather::Session;
use crate::git::{Repository, Update};
use crate::model::id::Oid;
use crate::model::time::Timestamp;
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

/// Adds a version, or says that somebody else did meanwhile.
pub fn add_version(
    repository: &Repository,
    reference: &str,
    tip: Option<Oid>,
    version: u64,
    line: &[u8],
    now: Timestamp,
) -> Result<(), AppError> {
    match chains::add_version(repository, reference, tip, version, line, now)? {
        Update::Done => Ok(()),
        Update::Raced => Err(raced(reference)),
    }
}

fn raced(reference: &str) -> AppError {
    AppError::fatal(format!("{reference} was changed by somebody else meanwhile"), "run the command again")
}
