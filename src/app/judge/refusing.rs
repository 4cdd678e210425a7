//! The receipts of refusals (contract, section 7).

use super::{Judged, reasons, snapshot};
use crate::app::error::AppError;
use crate::app::events::{self, Events};
use crate::app::subject;
use crate::codec::artifact::Artifact;
use crate::codec::canonical;
use crate::codec::dsse::Dsse;
use crate::codec::in_toto::Statement;
use crate::crypto::Signer;
use crate::crypto::verified::sign_statement;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::model::decision::{Effects, NextAction, RefusalReceipt};
use crate::model::digest::Digest;
use crate::model::event::EventKind;
use crate::model::id::Oid;

/// The receipt of a refusal, and, where a proposal was refused, the event in the chain of its envelope that names the receipt. Gives the
/// receipt, also where it is there already; then nothing is written.
pub(in crate::app) fn refuse(
    events: &mut Events<'_, '_>,
    session: &Session<'_>,
    noted: &Noted,
    signer: &dyn Signer,
    judged: &Judged,
) -> Result<Option<Digest>, AppError> {
    let Refusal { digest, line } = refusal(session, noted, signer, judged)?;
    let Some((note, line)) = line else { return Ok(digest) };
    let receipt = line.digest();
    events.line(note, line);
    let proposal = judged.verdict.proposal.and_then(|digest| {
        Some((judged.facts.artifacts.get(&digest)?.note, &judged.facts.envelope(&digest)?.predicate))
    });
    if let Some((note, envelope)) = proposal {
        events.add(note, Some(envelope), EventKind::Refused { receipt })?;
    }
    Ok(digest)
}

/// The receipt of a refusal: one that is there already, or a new line for a note.
struct Refusal {
    digest: Option<Digest>,
    line: Option<(Oid, Dsse)>,
}

fn refusal(session: &Session<'_>, noted: &Noted, signer: &dyn Signer, judged: &Judged) -> Result<Refusal, AppError> {
    let Some((note, receipt)) = receipt_of(session, judged) else {
        return Ok(Refusal { digest: None, line: None });
    };
    noted.read(session, &note)?;
    let known = events::said(noted, note, signer, |artifact| {
        matches!(artifact, Artifact::Refusal(it) if it.predicate.candidate_digest == receipt.candidate_digest
            && it.predicate.codes == receipt.codes
            && it.predicate.reasons == receipt.reasons)
    });
    if known.is_some() {
        return Ok(Refusal { digest: known, line: None });
    }
    let subject = subject::subject(session, note)?;
    let line = sign_statement(&Statement { predicate: receipt, subject: Some(subject) }, signer)?;
    Ok(Refusal { digest: Some(line.digest()), line: Some((note, line)) })
}

/// What a refusal says, and the commit it is about. Without a commit, or a policy to have judged by, there is nothing that a receipt
/// could bind.
pub(in crate::app) fn receipt_of(session: &Session<'_>, judged: &Judged) -> Option<(Oid, RefusalReceipt)> {
    let note = judged.facts.update.tip?;
    let snapshot = snapshot(session, judged)?;
    let primary = judged.verdict.primary()?;
    let candidate = judged.candidate(judged.verdict.proposal);
    let receipt = RefusalReceipt {
        at: session.now,
        candidate_digest: canonical::separated_digest("candidate", &candidate),
        candidate,
        checks: judged.verdict.checks.clone(),
        codes: judged.verdict.codes(),
        effects: Effects { admitted_envelope_created: false, requested_action_committed: false },
        primary_code: primary,
        reasons: reasons(&judged.verdict),
        safe_next_action: judged
            .next_action()
            .unwrap_or(NextAction { command: None, sentence: primary.safe_next_action().to_owned() }),
        snapshot,
    };
    Some((note, receipt))
}
