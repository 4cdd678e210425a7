//! REFUSED: the receipts that this server keeps outside the repository, read as everything else is: verified, then parsed.

use super::error::AppError;
use crate::codec::artifact::Artifact;
use crate::crypto::verified::verify_line;
use crate::gate::facts::Recorded;
use crate::gather::Session;
use crate::model::time::Timestamp;

/// The refusals that this repository's registrar signed and kept, oldest first, each with its moment. Empty in a clone.
///
/// # Errors
/// When the local state can't be read.
pub fn kept(session: &Session<'_>) -> Result<Vec<(Timestamp, Recorded)>, AppError> {
    let lines = session.local.all_refused()?;
    if lines.is_empty() || !session.local.has_registrar() {
        return Ok(Vec::new());
    }
    let own = session.local.registrar()?.public_key();
    let id = crate::crypto::key_id(&own).to_string();
    let resolve = |name: &str| if name == id { Some(own) } else { session.trust.resolve(name) };
    let read = |line: crate::codec::dsse::Dsse| {
        let artifact = verify_line(&line.line(), &resolve).ok().filter(|artifact| artifact.signed_by(&own))?;
        let Artifact::Refusal(refusal) = artifact.value() else { return None };
        let (at, note) = (refusal.predicate.at, refusal.subject.as_ref()?.commit);
        Some((at, Recorded { artifact, entries: Vec::new(), note }))
    };
    Ok(lines.into_iter().filter_map(read).collect())
}
