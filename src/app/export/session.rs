//! A session of the gateway: its seal, its installation, every part of its trace, and what the calls in it commit to, as far as it is here.

use std::collections::BTreeSet;

use super::Chosen;
use crate::app::bundle::form::{About, AboutKind};
use crate::app::error::AppError;
use crate::app::gateway::trace::{Found, find};
use crate::app::subject;
use crate::codec::artifact::Artifact;
use crate::crypto::key_id;
use crate::gate::docket::Docket;
use crate::gate::facts::Recorded;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::model::count;
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::id::Oid;

/// Everything that shows a session. What is not sound is exported all the same, and said: it may be what somebody has to show.
pub(super) fn choose(session: &Session<'_>, noted: &Noted, what: &str) -> Result<Chosen, AppError> {
    let Found { commit, missing, parts, set_aside } = find(session, noted, what)?;
    let installation = parts.seal().installation;
    // Wherever it is noted; that it is not here is a doubt.
    subject::artifact(session, noted, &installation.to_string()).ok();
    let mut doubts: Vec<String> = parts.faults.iter().cloned().chain(missing).collect();
    doubts.extend(parts.installation(&noted.artifacts()).err());
    for doubt in &mut doubts {
        *doubt = format!("this session does not verify here: {doubt}");
    }
    if parts.faults.is_empty() && !parts.ended() {
        doubts.push("the session is not ended, so that more may follow what is exported".to_owned());
    }
    if !set_aside.is_empty() {
        let lines = count::of(set_aside.len() as u64, "line", "lines");
        doubts.push(format!("{lines} of its registrar in its note authorise nothing, and are left out"));
    }
    let mut only: BTreeSet<Digest> = parts.parts.iter().map(|(digest, _)| *digest).collect();
    only.extend([parts.digest(), installation]);
    let named = parts.accesses().flat_map(|access| [Some(access.request), access.result]).flatten();
    only.extend(committed(session, noted, named.collect())?);
    let artifacts = noted.artifacts();
    let homes = only.iter().filter_map(|digest| artifacts.get(digest)).flat_map(|it| &it.entries);
    let mut notes: BTreeSet<Oid> = homes.map(|entry| entry.note).collect();
    notes.insert(commit);
    Ok(Chosen {
        about: About { artifact: Some(parts.digest()), kind: AboutKind::Session, range: None },
        doubts,
        notes: notes.into_iter().collect(),
        pins: Vec::new(),
        commits: Vec::new(),
        only: Some((key_id(parts.signer()), only)),
        proposals: Vec::new(),
    })
}

/// The artifacts here that these digests lead to: those that are named, what a request among them names in turn, and what speaks about any of
/// them, as an approval does of its request. Records of sessions are no part of it: another session may have asked for the same.
fn committed(session: &Session<'_>, noted: &Noted, named: BTreeSet<Digest>) -> Result<BTreeSet<Digest>, AppError> {
    read(session, noted, &named)?;
    let requests = |one: &Recorded| match one.artifact.value() {
        Artifact::EvidenceEnvelope(it) => needs(&it.predicate),
        _ => Vec::new(),
    };
    let mut artifacts = noted.artifacts();
    let next = named.iter().filter_map(|digest| artifacts.get(digest)).flat_map(|one| requests(one)).collect();
    read(session, noted, &next)?;
    artifacts = noted.artifacts();
    let docket = Docket::new(artifacts);
    let mut found = BTreeSet::new();
    let mut waiting: Vec<Digest> = named.into_iter().collect();
    while let Some(digest) = waiting.pop() {
        let Some(one) = docket.get(&digest).filter(|one| is_of_no_session(one)) else { continue };
        if !found.insert(digest) {
            continue;
        }
        waiting.extend(docket.about(&digest).map(|about| about.artifact.digest()));
        if let Artifact::EvidenceEnvelope(it) = one.artifact.value() {
            let id = it.predicate.envelope_id;
            let of = |one: &&Recorded| matches!(one.artifact.value(), Artifact::Event(event) if event.predicate.envelope_id == Some(id));
            waiting.extend(docket.all().filter(of).map(|event| event.artifact.digest()));
            waiting.extend(needs(&it.predicate));
        }
    }
    Ok(found)
}

fn read(session: &Session<'_>, noted: &Noted, wanted: &BTreeSet<Digest>) -> Result<(), AppError> {
    for oid in session.shelves.notes_of(|digest| wanted.contains(digest))? {
        noted.read(session, &oid)?;
    }
    Ok(())
}

/// What a request names.
fn needs(envelope: &Envelope) -> Vec<Digest> {
    let bindings = &envelope.bindings;
    let bound = [bindings.lease.value(), bindings.context.value(), envelope.predecessor.as_ref()];
    bound.into_iter().flatten().chain(envelope.evidence.iter().map(|one| &one.digest)).copied().collect()
}

fn is_of_no_session(recorded: &Recorded) -> bool {
    !matches!(recorded.artifact.value(), Artifact::Access(_) | Artifact::Session(_) | Artifact::Installation(_))
}
