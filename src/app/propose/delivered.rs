//! Whether anybody but this clone can tell what the actor of a proposal was shown.

use crate::app::error::AppError;
use crate::codec::artifact::Artifact;
use crate::gate::clock;
use crate::gather::notes::Noted;
use crate::gather::{Session, proposals};
use crate::model::digest::Digest;
use crate::model::party::Role;

/// Whether the context receipt that a proposal names is here, by a registrar that goes on. A key that this clone retired is known to
/// nobody else, unless the trust document lists it: what it said was shown has to be shown again.
///
/// # Errors
/// When the local state can't be read.
pub(in crate::app) fn is_vouched_for(
    session: &Session<'_>,
    noted: &Noted,
    proposal: &Digest,
) -> Result<bool, AppError> {
    let Some(statement) = proposals::statement(noted, proposal) else { return Ok(false) };
    let named = statement.predicate.bindings.context.value().copied();
    let Some(receipt) = named.and_then(|digest| noted.artifact(&digest)) else { return Ok(false) };
    if !matches!(receipt.artifact.value(), Artifact::ContextReceipt(_)) {
        return Ok(false);
    }
    let retired = session.local.retired()?;
    let is_retired = |key| retired.iter().any(|(_, known)| known == key);
    let goes_on = receipt.artifact.signers().iter().any(|key| !is_retired(key));
    Ok(goes_on || clock::speaks(&session.trust, session.now, &receipt, Role::Registrar))
}
