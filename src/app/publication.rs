//! What of this clone's own refs its remote was not yet seen to have, and whether the remote has another repository's trust.

use super::error::AppError;
use super::remote;
use crate::codec::dsse::Dsse;
use crate::gather::{GatherError, Session};
use crate::model::digest::Digest;
use crate::model::typed::typed_remote;
use crate::store::{chains, layout};

/// Own refs: this clone's receipts, and trust and policy where they were written here, that the remote was not seen to have whole.
///
/// # Errors
/// When refs or history can't be read.
pub fn unpublished(session: &Session<'_>, remote: &str) -> Result<Vec<String>, AppError> {
    let Some(registrar) = session.local.registrar_id()? else { return Ok(Vec::new()) };
    let repository = session.repository;
    let mut missing = Vec::new();
    for name in remote::own_refs(repository, &registrar) {
        let Some(own) = repository.find_ref(&name)? else { continue };
        let there = match layout::tracking(remote, &name) {
            Some(tracking) => repository.find_ref(&tracking)?,
            None => None,
        };
        let has_it = match there {
            Some(seen) => seen == own || repository.is_ancestor(&own, &seen).map_err(GatherError::from)?,
            None => false,
        };
        if !has_it {
            missing.push(name);
        }
    }
    Ok(missing)
}

/// The command that publishes what is only here, after it took in what is ahead there.
pub fn command(remote: &str) -> String {
    format!("git boundary sync {}", typed_remote(remote))
}

/// The root of the trust chain that was fetched from a remote, where that is not the pinned one.
pub fn other_root(session: &Session<'_>, remote: &str) -> Option<Digest> {
    let name = layout::tracking(remote, layout::TRUST)?;
    let (_, commit) = session.refs.iter().find(|(reference, _)| *reference == name)?;
    let lines = chains::read_lines(session.repository, &name, commit).ok()?;
    let root = Dsse::parse(lines.first()?).ok()?.digest();
    (root != session.trust.root()).then_some(root)
}
