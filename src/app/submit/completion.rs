//! A claim that work is done: it is judged under the rule of the ref that the work went to, as the receipts it names say.

use crate::app::error::AppError;
use crate::app::judge::{Judged, judge_with};
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::Statement;
use crate::gate::clock;
use crate::gate::facts::Purpose;
use crate::gate::judge::judge_claim;
use crate::gather::base::{Side, default_branch};
use crate::gather::notes::Noted;
use crate::gather::update::rule_of;
use crate::gather::{Session, UpdateRequest};
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::id::Oid;
use crate::model::party::Role;

/// Judges a claim.
///
/// # Errors
/// When facts can't be gathered at all.
pub(super) fn judge(
    session: &Session<'_>,
    noted: &Noted,
    side: &Side,
    digest: Digest,
    (commit, statement): (Oid, &Statement<Envelope>),
) -> Result<Judged, AppError> {
    let reference = match landed(session, noted, &statement.predicate) {
        Some(reference) => reference,
        None => default_branch(session.repository, side.remote.as_deref())?,
    };
    // One commit is enough to look at: a claim is about receipts, not about a range.
    let old = session.repository.commit(&commit)?.parents.first().copied();
    let request = UpdateRequest {
        exact: false,
        new: commit,
        old: old.unwrap_or(session.repository.object_format().zero_oid()),
        purpose: Purpose::Push,
        reference,
        side: side.clone(),
    };
    judge_with(session, noted, request, |facts| judge_claim(facts, &digest))
}

/// The first ref with a rule among those of the receipts that a claim names. Only registrars whose word counts say where work went, and
/// no receipt takes a claim to where nothing is judged.
fn landed(session: &Session<'_>, noted: &Noted, claim: &Envelope) -> Option<String> {
    claim.evidence.iter().find_map(|named| {
        let recorded = noted.artifact(&named.digest)?;
        let Artifact::WorkReceipt(receipt) = recorded.artifact.value() else { return None };
        let reference = &receipt.predicate.observed.reference;
        let counts = clock::speaks(&session.trust, session.now, &recorded, Role::Registrar);
        (counts && rule_of(session, reference).is_some()).then(|| reference.clone())
    })
}
