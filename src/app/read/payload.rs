//! The immutable part: what a proposal binds, and which versions of its envelope there are.

use serde::Serialize;

use super::Around;
use crate::app::described::word;
use crate::app::records::describe;
use crate::gate::facts::Recorded;
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::fact::Fact;
use crate::model::id::{ArtifactId, Oid};
use crate::model::time::Timestamp;

/// One binding, for people.
#[derive(Debug)]
pub struct Binding {
    /// What is bound.
    pub name: &'static str,
    /// `known`, `unknown` or `not applicable`.
    pub state: &'static str,
    /// The value; why there is none, where it is not known.
    pub value: String,
    /// Where it was read.
    pub source: Option<String>,
    /// When.
    pub observed_at: Option<Timestamp>,
}

/// One version of an envelope.
#[derive(Debug, Serialize)]
pub struct Version {
    /// Its number.
    pub version: u64,
    /// The proposal.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// The commit it is noted on.
    pub commit: Oid,
    /// The version before, by its digest.
    pub predecessor: Option<Digest>,
    /// When a ledger took it in first.
    pub at: Option<Timestamp>,
    /// Labels of whose signatures verified.
    pub by: Vec<String>,
    /// Whether the actor that it names signed it.
    pub by_its_actor: bool,
}

/// A version with several payloads: two stories under one name.
#[derive(Debug, Serialize)]
pub struct Equivocation {
    /// The version.
    pub version: u64,
    /// Each payload.
    pub ids: Vec<ArtifactId>,
}

pub(super) fn bindings(around: &Around<'_, '_>, payload: &Envelope) -> Vec<Binding> {
    let trust = &around.session.trust;
    let label = |id: &crate::model::id::KeyId| match trust.party_of(id) {
        Some(party) => format!("{} ({id})", party.label),
        None => id.to_string(),
    };
    let it = &payload.bindings;
    vec![
        binding("actor", &it.actor, label),
        binding("lease", &it.lease, Digest::to_string),
        binding("assignment", &it.assignment, Digest::to_string),
        binding("source expected", &it.source_expected, Oid::to_string),
        binding("source observed", &it.source_observed, Oid::to_string),
        binding("context", &it.context, Digest::to_string),
    ]
}

fn binding<T>(name: &'static str, fact: &Fact<T>, text: impl Fn(&T) -> String) -> Binding {
    match fact {
        Fact::Known { observed_at, source_ref, value } => Binding {
            name,
            state: "known",
            value: text(value),
            source: Some(source_ref.clone()),
            observed_at: Some(*observed_at),
        },
        Fact::Unknown { reason } => {
            Binding { name, state: "unknown", value: word(reason), source: None, observed_at: None }
        }
        Fact::NotApplicable { reason } => {
            Binding { name, state: "not applicable", value: word(reason), source: None, observed_at: None }
        }
    }
}

/// Whether the raw key of the actor that is named signed; anybody may name another.
pub(super) fn by_its_actor(around: &Around<'_, '_>, envelope: &Envelope, recorded: &Recorded) -> bool {
    let actor = envelope.bindings.actor.value();
    let key = actor.and_then(|actor| around.session.trust.resolve(&actor.to_string()));
    key.is_some_and(|key| recorded.artifact.signed_by(&key))
}

pub(super) fn versions(around: &Around<'_, '_>) -> Vec<Version> {
    let version = |(digest, envelope, recorded): &(Digest, &Envelope, &Recorded)| {
        let record = describe(around.session, around.noted, recorded);
        Version {
            version: envelope.version,
            id: record.id,
            digest: *digest,
            commit: recorded.note,
            predecessor: envelope.predecessor,
            at: record.at,
            by_its_actor: by_its_actor(around, envelope, recorded),
            by: record.by,
        }
    };
    around.versions.iter().map(version).collect()
}

pub(super) fn equivocations(around: &Around<'_, '_>) -> Vec<Equivocation> {
    let same =
        |one: &(Digest, &Envelope, &Recorded), other: &(Digest, &Envelope, &Recorded)| one.1.version == other.1.version;
    around
        .versions
        .chunk_by(same)
        .filter(|payloads| payloads.len() > 1)
        .map(|payloads| Equivocation {
            version: payloads.first().map_or(0, |(_, envelope, _)| envelope.version),
            ids: payloads.iter().map(|(digest, ..)| ArtifactId::of(digest)).collect(),
        })
        .collect()
}
