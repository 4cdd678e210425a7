//! Which work receipt evidence is about.

use std::rc::Rc;

use super::super::described::word;
use super::super::error::AppError;
use super::super::subject;
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::Statement;
use crate::crypto::trust::Standing;
use crate::gate::clock;
use crate::gate::facts::Recorded;
use crate::gather::notes::Noted;
use crate::gather::{Session, proposals};
use crate::model::decision::{Disposition, WorkReceipt};
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::party::Role;

/// A result that evidence can be about.
pub struct About {
    /// Who did the work.
    pub actor: PublicKey,
    /// The proposal's commit.
    pub commit: Oid,
    /// The proposal.
    pub proposal: Digest,
    /// The work receipt.
    pub receipt: Digest,
}

/// The work receipt of a complete action of a proposal, signed by the registrar that it names: the one of the proposal on `HEAD`, or on
/// what a revision, an envelope or an artifact id names; or the one that an id itself is of.
///
/// # Errors
/// When there is none, or there are several.
pub fn find(session: &Session<'_>, noted: &Noted, what: Option<&str>) -> Result<About, AppError> {
    let named = match what {
        Some(what) => subject::artifact(session, noted, what)?,
        None => None,
    };
    let Some(named) = named else {
        let (digest, statement) = subject::proposal(session, noted, what, &subject::to_name)?;
        return only(session, noted, digest, &statement);
    };
    let id = named.artifact.id();
    match named.artifact.value() {
        Artifact::WorkReceipt(it) => {
            let envelope = it.predicate.envelope;
            if let Some(defect) = defect(session, &named, &it.predicate) {
                let show = format!("git boundary show {id}");
                return Err(AppError::usage(format!("work receipt {id} {defect}"), show));
            }
            let proposal = proposals::statement(noted, &envelope).ok_or_else(|| {
                let text = format!("the proposal {envelope} that work receipt {id} is about is not recorded here");
                AppError::usage(text, "git fetch")
            })?;
            about(session, envelope, &proposal, named.artifact.digest())
        }
        Artifact::EvidenceEnvelope(it) => only(session, noted, named.artifact.digest(), it),
        _ => Err(AppError::usage(
            format!("{id} is neither a proposal nor a work receipt"),
            format!("git boundary show {id}"),
        )),
    }
}

/// The one good receipt about a proposal.
fn only(
    session: &Session<'_>,
    noted: &Noted,
    digest: Digest,
    proposal: &Statement<Envelope>,
) -> Result<About, AppError> {
    let mut good: Vec<ArtifactId> = Vec::new();
    let mut found = None;
    let mut not = Vec::new();
    for recorded in noted.artifacts().into_values() {
        let Artifact::WorkReceipt(it) = recorded.artifact.value() else { continue };
        if it.predicate.envelope != digest {
            continue;
        }
        match defect(session, &recorded, &it.predicate) {
            None => {
                good.push(recorded.artifact.id());
                found = Some(recorded.artifact.digest());
            }
            Some(defect) => not.push(format!("{} {defect}", recorded.artifact.id())),
        }
    }
    let id = ArtifactId::of(&digest);
    match (good.as_slice(), found) {
        ([_], Some(receipt)) => about(session, digest, proposal, receipt),
        ([], _) | (_, None) => {
            if not.is_empty() {
                let text = format!("proposal {id} has no work receipt of a complete action yet");
                return Err(AppError::usage(text, "git boundary settle"));
            }
            let text = format!("proposal {id} has no work receipt that evidence could be about: {}", not.join("; "));
            let unlisted = recorded_by(noted, &digest).any(|id| session.trust.party_of(&id).is_none());
            let hint = if unlisted { "git boundary doctor" } else { "git boundary settle" };
            Err(AppError::usage(text, hint))
        }
        (several, _) => {
            let ids: Vec<String> = several.iter().map(ToString::to_string).collect();
            Err(AppError::usage(
                format!("proposal {id} has {} work receipts", several.len()),
                format!("name one of them: --for {}", ids.join(", --for ")),
            ))
        }
    }
}

/// The registrars that the work receipts of a proposal name.
fn recorded_by(noted: &Noted, proposal: &Digest) -> impl Iterator<Item = KeyId> {
    let proposal = *proposal;
    noted.artifacts().into_values().filter_map(move |recorded| match recorded.artifact.value() {
        Artifact::WorkReceipt(it) if it.predicate.envelope == proposal => Some(it.predicate.registrar),
        _ => None,
    })
}

/// Why evidence about a receipt could support nothing.
fn defect(session: &Session<'_>, recorded: &Rc<Recorded>, receipt: &WorkReceipt) -> Option<String> {
    if receipt.disposition != Disposition::Complete {
        return Some(format!("says that the action is {}, and not that it is complete", word(receipt.disposition)));
    }
    let Some(party) = session.trust.party_of(&receipt.registrar) else {
        return Some(format!(
            "is the word of {}, a registrar that the trust document does not list",
            receipt.registrar
        ));
    };
    let party = Some(party).filter(|party| recorded.artifact.signed_by(&party.key));
    let Some(party) = party else {
        return Some(format!("is not signed by {}, the registrar that it names", receipt.registrar));
    };
    let as_of = clock::as_of(&session.trust, session.now, recorded, Some(party));
    let standing = session.trust.standing(&party.key, Role::Registrar, as_of.at);
    (standing != Standing::Good)
        .then(|| format!("is signed by {}, which is no registrar in good standing", party.label))
}

fn about(
    session: &Session<'_>,
    digest: Digest,
    proposal: &Statement<Envelope>,
    receipt: Digest,
) -> Result<About, AppError> {
    let actor = proposal.predicate.bindings.actor.value().and_then(|id| session.trust.party_of(id));
    let commit = proposal.subject.as_ref().map(|about| about.commit);
    let (Some(actor), Some(commit)) = (actor, commit) else {
        let id = ArtifactId::of(&digest);
        let text = format!("proposal {id} is by nobody whom the trust document knows, or about no commit");
        return Err(AppError::usage(text, format!("git boundary show {id}")));
    };
    Ok(About { actor: actor.key, commit, proposal: digest, receipt })
}
