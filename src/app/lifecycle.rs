//! `correct` and `supersede`: this clone's registrar notes that something else takes a decided envelope's place. Nothing is erased, and
//! the gate reads none of it (contract, section 9).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::events::Events;
use super::record::publish;
use super::remote::Published;
use super::subject;
use super::transact::{Decided, transact};
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::Statement;
use crate::crypto::Signer;
use crate::gate::facts::Recorded;
use crate::gather::notes::Noted;
use crate::gather::{Session, proposals};
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::event::EventKind;
use crate::model::id::{ArtifactId, EnvelopeId, KeyId};
use crate::model::key::PublicKey;

/// What takes the place of a decided envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// A later version of itself.
    Corrected,
    /// Another envelope.
    Superseded,
}

/// What was noted.
#[derive(Debug, Serialize)]
pub struct Marked {
    /// `corrected` or `superseded`.
    pub change: Change,
    /// The event.
    pub id: ArtifactId,
    /// Whether it was recorded just now; this registrar had said so already where not.
    pub anew: bool,
    /// The proposal whose place is taken.
    pub proposal: ArtifactId,
    /// Its envelope.
    pub envelope_id: EnvelopeId,
    /// Its version.
    pub version: u64,
    /// The proposal that takes it.
    pub by: ArtifactId,
    /// Its envelope.
    pub by_envelope_id: EnvelopeId,
    /// Its version.
    pub by_version: u64,
    /// This clone's registrar.
    pub registrar: KeyId,
    /// Whether it is listed, so that others hear it.
    pub listed: bool,
    /// Whether it is at the remote; `null` where nothing was recorded.
    pub published: Option<Published>,
}

type Proposal = (Digest, Statement<Envelope>);

/// Notes that `by` corrects or supersedes a decided proposal, the one on `HEAD` unless named.
///
/// # Errors
/// When there is no such proposal, it was never decided on, `by` can't take its place, or it can't be written.
pub fn mark(context: &Context, change: Change, what: Option<&str>, by: &str) -> Result<Marked, AppError> {
    let repository = context.repository()?;
    let mut marked = transact(context, &repository, "lifecycle", |session, noted, signer| {
        decide((session, noted, signer), change, what, by)
    })?;
    if marked.anew {
        marked.published = Some(publish(context)?);
    }
    Ok(marked)
}

fn decide(
    (session, noted, signer): (&Session<'_>, &Noted, &dyn Signer),
    change: Change,
    what: Option<&str>,
    by: &str,
) -> Result<Decided<Marked>, AppError> {
    // A version, a decision or a supersession may stand on any note.
    for oid in session.shelves.annotated()? {
        noted.read(session, &oid)?;
    }
    let target = subject::proposal(session, noted, what, &subject::to_name)?;
    let by = subject::proposal(session, noted, Some(by), &subject::to_name)?;
    let heard = Heard { noted, session };
    for one in [&target, &by] {
        heard.signed_by_its_actor(one)?;
    }
    if !heard.is_decided(&target) {
        return Err(AppError::usage(
            format!("nothing was decided about {} yet, so that nothing can take its place", id(&target)),
            format!("git boundary submit {}", id(&target)),
        ));
    }
    match change {
        Change::Corrected => heard.corrects(&target, &by)?,
        Change::Superseded => heard.supersedes(&target, &by)?,
    }
    let kind = match change {
        Change::Corrected => EventKind::Corrected { by: by.0 },
        Change::Superseded => EventKind::Superseded { by: by.0 },
    };
    let registrar = crate::crypto::key_id(&signer.public_key());
    let note =
        noted.artifact(&target.0).map_or_else(|| subject::commit(session.repository, what), |found| Ok(found.note))?;
    let envelope = &target.1.predicate;
    let marked = |id, anew| Marked {
        change,
        id,
        anew,
        proposal: self::id(&target),
        envelope_id: envelope.envelope_id,
        version: envelope.version,
        by: self::id(&by),
        by_envelope_id: by.1.predicate.envelope_id,
        by_version: by.1.predicate.version,
        registrar,
        listed: session.shelves.open.iter().any(|shelf| shelf.registrar == registrar && shelf.listed > 0),
        published: None,
    };
    if let Some(known) = heard.said(&target, &kind, &signer.public_key()) {
        return Ok(Decided::nothing(marked(known, false)));
    }
    let mut events = Events::new(session, noted, signer);
    let link = events.add(note, Some(envelope), kind)?;
    let value = marked(ArtifactId::of(&link.digest), true);
    Ok(Decided { seen: Vec::new(), value, writing: events.writing() })
}

fn id(proposal: &Proposal) -> ArtifactId {
    ArtifactId::of(&proposal.0)
}

/// What was recorded, as far as this clone goes by it.
struct Heard<'a, 'r> {
    noted: &'a Noted,
    session: &'a Session<'r>,
}

impl Heard<'_, '_> {
    fn signed_by_its_actor(&self, proposal: &Proposal) -> Result<(), AppError> {
        let actor = proposal.1.predicate.bindings.actor.value();
        let key = actor.and_then(|actor| self.session.trust.resolve(&actor.to_string()));
        let signed = key.zip(self.noted.artifact(&proposal.0)).is_some_and(|(key, one)| one.artifact.signed_by(&key));
        if signed {
            return Ok(());
        }
        let id = id(proposal);
        Err(AppError::usage(
            format!("{id} is not signed by the actor that it names"),
            format!("git boundary show {id}"),
        ))
    }

    /// Whether a registrar that is heard here admitted or refused it.
    fn is_decided(&self, proposal: &Proposal) -> bool {
        let envelope = &proposal.1.predicate;
        self.noted.artifacts().values().any(|recorded| {
            let about = match recorded.artifact.value() {
                Artifact::Refusal(it) => it.predicate.candidate.envelope == Some(proposal.0),
                Artifact::Event(it) if it.predicate.envelope_id == Some(envelope.envelope_id) => {
                    match &it.predicate.kind {
                        EventKind::Admitted { candidate, .. } => candidate.envelope == Some(proposal.0),
                        EventKind::Refused { .. } => it.predicate.version == Some(envelope.version),
                        _ => false,
                    }
                }
                _ => false,
            };
            about && self.is_heard(recorded)
        })
    }

    /// Whether something is the word of a listed registrar, or of this clone's own: anybody else's neither allows nor stops anything.
    fn is_heard(&self, recorded: &Recorded) -> bool {
        recorded.entries.iter().any(|entry| {
            self.session.shelves.open.iter().any(|shelf| {
                shelf.registrar == entry.registrar
                    && (entry.listed || shelf.known && shelf.listed == 0)
                    && recorded.artifact.signed_by(&shelf.key())
            })
        })
    }

    /// The event in which a registrar said the same before.
    fn said(&self, target: &Proposal, kind: &EventKind, registrar: &PublicKey) -> Option<ArtifactId> {
        let (envelope_id, version) = (target.1.predicate.envelope_id, target.1.predicate.version);
        let artifacts = self.noted.artifacts();
        let same = artifacts.values().find(|recorded| {
            matches!(recorded.artifact.value(), Artifact::Event(it) if it.predicate.envelope_id == Some(envelope_id)
                && it.predicate.version == Some(version)
                && it.predicate.kind == *kind)
                && recorded.artifact.signed_by(registrar)
        });
        same.map(|recorded| recorded.artifact.id())
    }

    /// A correction is a later version of the same envelope, by the same actor, that leads back to the one it corrects.
    fn corrects(&self, target: &Proposal, by: &Proposal) -> Result<(), AppError> {
        let (old, new) = (&target.1.predicate, &by.1.predicate);
        let (target_id, by_id) = (id(target), id(by));
        if old.envelope_id != new.envelope_id {
            return Err(AppError::usage(
                format!("{by_id} is no version of {}, which {target_id} is of", old.envelope_id),
                format!("git boundary supersede {target_id} --by {by_id}"),
            ));
        }
        let same_actor = old.bindings.actor.value() == new.bindings.actor.value();
        let mut before = new.predecessor;
        // Versions go down with each step, so that this ends whatever they name.
        let mut version = new.version;
        while let Some(digest) = before.filter(|digest| *digest != target.0) {
            let one = proposals::statement(self.noted, &digest).filter(|one| one.predicate.version < version);
            version = one.as_ref().map_or(0, |one| one.predicate.version);
            before = one.and_then(|one| one.predicate.predecessor);
        }
        if same_actor && new.version > old.version && before == Some(target.0) {
            return Ok(());
        }
        Err(AppError::usage(
            format!(
                "{by_id}, version {} of {}, is no later version that leads back to {target_id}, version {}",
                new.version, new.envelope_id, old.version
            ),
            format!("git boundary read {target_id}"),
        ))
    }

    /// Another envelope supersedes, and none that is superseded by it in turn, however far round.
    fn supersedes(&self, target: &Proposal, by: &Proposal) -> Result<(), AppError> {
        let (old, new) = (target.1.predicate.envelope_id, by.1.predicate.envelope_id);
        let (target_id, by_id) = (id(target), id(by));
        if old == new {
            return Err(AppError::usage(
                format!("{by_id} is of the same envelope as {target_id}, and none supersedes itself"),
                format!("git boundary correct {target_id} --by {by_id}"),
            ));
        }
        let mut edges: BTreeMap<EnvelopeId, BTreeSet<EnvelopeId>> = BTreeMap::new();
        for recorded in self.noted.artifacts().values().filter(|recorded| self.is_heard(recorded)) {
            let Artifact::Event(event) = recorded.artifact.value() else { continue };
            if let (EventKind::Superseded { by }, Some(from)) = (&event.predicate.kind, event.predicate.envelope_id)
                && let Some(to) = proposals::statement(self.noted, by)
            {
                edges.entry(from).or_default().insert(to.predicate.envelope_id);
            }
        }
        let mut reached = BTreeSet::new();
        let mut left = vec![new];
        while let Some(one) = left.pop() {
            if one == old {
                return Err(AppError::usage(
                    format!("{by_id} is superseded by {target_id} already, and none supersedes itself"),
                    format!("git boundary read {by_id}"),
                ));
            }
            if reached.insert(one) {
                left.extend(edges.get(&one).into_iter().flatten());
            }
        }
        Ok(())
    }
}
