//! The proposal that a checker means, and what else waits for a check where it is none: whoever checks does not propose.

use crate::app::error::AppError;
use crate::app::remote;
use crate::app::subject;
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::Statement;
use crate::gather::Session;
use crate::gather::base::{default_branch, known_commit};
use crate::gather::notes::Noted;
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::id::ArtifactId;

/// So many of the newest annotated commits are looked at for a hint.
const MOST_LOOKED_AT: usize = 200;
/// Most proposals that a hint names.
const MOST_NAMED: usize = 3;

/// The proposal that a checker means.
///
/// # Errors
/// When there is none, or there are several.
pub(super) fn to_check(
    session: &Session<'_>,
    noted: &Noted,
    what: Option<&str>,
) -> Result<(Digest, Statement<Envelope>), AppError> {
    subject::proposal(session, noted, what, &|| {
        let waiting = waiting(session).unwrap_or_default();
        if waiting.is_empty() {
            return "nothing here waits for a check; if it was proposed elsewhere: git boundary sync".to_owned();
        }
        format!("these wait for a check: {}; if it was proposed elsewhere: git boundary sync", waiting.join(", "))
    })
}

/// Work of actors that has not landed, and that nobody has decided on, the newest first.
fn waiting(session: &Session<'_>) -> Result<Vec<String>, AppError> {
    let (repository, noted) = (session.repository, Noted::default());
    let side = remote::side(repository)?;
    let base = known_commit(&side.observe(repository, &default_branch(repository, side.remote.as_deref())?)?);
    let mut found = Vec::new();
    for oid in session.shelves.annotated()?.iter().rev().take(MOST_LOOKED_AT) {
        if !repository.contains(oid) || base.is_some_and(|base| repository.is_ancestor(oid, &base).unwrap_or(false)) {
            continue;
        }
        let Ok(proposals) = subject::proposals(session, &noted, &oid.to_string(), &String::new) else { continue };
        for (digest, statement) in proposals {
            let id = ArtifactId::of(&digest);
            let about = |artifact: &Artifact| matches!(artifact, Artifact::BoundaryProof(proof) if proof.proven.subject_ref == id.to_string());
            let Some(action) = &statement.predicate.requested_action else { continue };
            let is_work = statement.predicate.bindings.lease.value().is_some() && !action.new.is_zero();
            if is_work && noted.on(oid, about).is_empty() {
                found.push(format!("{id} ({} at {})", action.reference, action.new.short()));
            }
            if found.len() == MOST_NAMED {
                return Ok(found);
            }
        }
    }
    Ok(found)
}
