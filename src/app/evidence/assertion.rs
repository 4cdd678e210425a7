//! What an agent says of its own work: one more event of the envelope's life, which no rule reads.

use serde::Serialize;

use super::super::context::Context;
use super::super::error::AppError;
use super::super::events::Events;
use super::super::record::publish;
use super::super::remote::Published;
use super::super::subject;
use super::super::transact::{Decided, transact};
use crate::model::asserted::Asserted;
use crate::model::event::EventKind;
use crate::model::id::{ArtifactId, EnvelopeId, Oid};

/// An assertion as recorded.
#[derive(Debug, Serialize)]
pub struct Assertion {
    /// The event's artifact id.
    pub id: ArtifactId,
    /// The words.
    pub asserted: String,
    /// The commit it is noted on.
    pub commit: Oid,
    /// The envelope whose life it is part of.
    pub envelope_id: EnvelopeId,
    /// The proposal.
    pub proposal: ArtifactId,
    /// Its place in this registrar's chain of events.
    pub seq: u64,
    /// Whether it is at the remote.
    pub published: Published,
}

/// Records words as an event of a proposal's envelope, by this clone's registrar.
///
/// # Errors
/// When there is no such proposal, or it can't be written.
pub fn assert(context: &Context, words: &str, what: Option<&str>) -> Result<Assertion, AppError> {
    let repository = context.repository()?;
    let (link, digest, envelope_id, note) = transact(context, &repository, "assertion", |session, noted, signer| {
        let (digest, statement) = subject::proposal(session, noted, what, &subject::to_propose)?;
        let envelope = &statement.predicate;
        let note = noted.artifact(&digest).map(|recorded| recorded.note).ok_or_else(|| {
            AppError::usage(format!("{} is not recorded here", ArtifactId::of(&digest)), "git boundary log")
        })?;
        let mut events = Events::new(session, noted, signer);
        let kind = EventKind::AgentAssertion { asserted: Asserted::one("said", words) };
        let link = events.add(note, Some(envelope), kind)?;
        let value = (link, digest, envelope.envelope_id, note);
        Ok(Decided { seen: Vec::new(), value, writing: events.writing() })
    })?;
    let published = publish(context)?;
    Ok(Assertion {
        id: ArtifactId::of(&link.digest),
        asserted: words.to_owned(),
        commit: note,
        envelope_id,
        proposal: ArtifactId::of(&digest),
        seq: link.seq,
        published,
    })
}
