//! A claim that work is done: what it is about, and the evidence there is. Both are looked up here; the actor only says that it is done.

use crate::app::error::AppError;
use crate::codec::artifact::Artifact;
use crate::gate::clock;
use crate::gather::notes::Noted;
use crate::gather::{Session, proposals};
use crate::model::decision::Disposition;
use crate::model::digest::Digest;
use crate::model::envelope::{Action, ClaimKind, Envelope, EvidenceRef};
use crate::model::event::EventKind;
use crate::model::id::{KeyId, Oid};
use crate::model::party::Role;

/// What a claim is about.
pub struct About {
    /// The action whose result is claimed.
    pub action: Action,
    /// The proposal of the work.
    pub proposal: Envelope,
    /// What is recorded about its result.
    pub evidence: Vec<EvidenceRef>,
}

/// The actor's last proposal on a commit, and the receipts and evidence noted there. The note has to have been read.
///
/// # Errors
/// When the actor proposed nothing there.
pub fn of(session: &Session<'_>, noted: &Noted, actor: KeyId, tip: Oid) -> Result<About, AppError> {
    let mine = |artifact: &Artifact| {
        matches!(artifact, Artifact::EvidenceEnvelope(it)
            if it.predicate.claim.kind == ClaimKind::Change && it.predicate.bindings.actor.value() == Some(&actor))
    };
    let mut found: Vec<(Digest, Envelope)> = noted
        .on(&tip, mine)
        .into_iter()
        .filter_map(|digest| Some((digest, proposals::statement(noted, &digest)?.predicate)))
        .filter(|(digest, envelope)| proposals::signed_by_its_actor(session, noted, digest, envelope).is_some())
        .collect();
    // What was done says more than what was proposed after it.
    found.sort_by_key(|(digest, envelope)| (receipts(session, noted, tip, digest).len(), envelope.version));
    let chosen =
        found.pop().and_then(|(digest, proposal)| Some((digest, proposal.requested_action.clone()?, proposal)));
    let Some((digest, action, proposal)) = chosen else {
        return Err(AppError::usage(
            format!("{actor} proposed nothing at {}, so that there is nothing to be done with", tip.short()),
            "name the commit that was pushed: git boundary propose --completion --at <rev> --key <key>",
        ));
    };
    let receipts = receipts(session, noted, tip, &digest);
    let mut evidence: Vec<EvidenceRef> = receipts.iter().map(|it| reference("work_receipt", *it)).collect();
    let is_about = |subjects: &[Digest]| subjects.iter().any(|subject| receipts.contains(subject));
    for (kind, found) in [
        ("test_result", noted.on(&tip, |it| matches!(it, Artifact::TestResult(it) if is_about(&it.subjects)))),
        (
            "observation",
            noted.on(&tip, |it| matches!(it, Artifact::Observation(it) if is_about(&[it.predicate.subject]))),
        ),
        ("agent_assertion", noted.on(&tip, |it| is_assertion(it, &proposal))),
    ] {
        evidence.extend(found.into_iter().map(|digest| reference(kind, digest)));
    }
    Ok(About { action, proposal, evidence })
}

/// Work receipts about a proposal by registrars whose word counts: the complete ones, or all where none is.
fn receipts(session: &Session<'_>, noted: &Noted, tip: Oid, proposal: &Digest) -> Vec<Digest> {
    let about = |wanted: Option<Disposition>| {
        let mut found = noted.on(&tip, |artifact| {
            matches!(artifact, Artifact::WorkReceipt(it) if it.predicate.envelope == *proposal
                && wanted.is_none_or(|wanted| it.predicate.disposition == wanted))
        });
        found.retain(|digest| {
            let recorded = noted.artifact(digest);
            recorded.is_some_and(|it| clock::speaks(&session.trust, session.now, &it, Role::Registrar))
        });
        found
    };
    let complete = about(Some(Disposition::Complete));
    if complete.is_empty() { about(None) } else { complete }
}

fn is_assertion(artifact: &Artifact, proposal: &Envelope) -> bool {
    matches!(artifact, Artifact::Event(it) if it.predicate.envelope_id == Some(proposal.envelope_id)
        && matches!(it.predicate.kind, EventKind::AgentAssertion { .. }))
}

fn reference(kind: &str, digest: Digest) -> EvidenceRef {
    EvidenceRef { digest, kind: kind.to_owned() }
}
