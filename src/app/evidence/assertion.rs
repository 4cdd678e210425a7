//! What an agent says of its own work: one more event of the envelope's life, which no rule reads.

use serde::Serialize;

use super::super::context::Context;
use super::super::error::AppError;
use super::super::judge::next_link;
use super::super::record::{Writing, record};
use super::super::remote::Published;
use super::super::subject;
use crate::codec::in_toto::Statement;
use crate::crypto::verified::sign_statement;
use crate::gather::notes::Noted;
use crate::model::asserted::Asserted;
use crate::model::event::{Event, EventKind};
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
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let (digest, statement) = subject::proposal(context, &session, &noted, what)?;
    let envelope = &statement.predicate;
    let note = noted.artifact(&digest).map(|recorded| recorded.note).ok_or_else(|| {
        AppError::usage(format!("{} is not recorded here", ArtifactId::of(&digest)), "git boundary log")
    })?;
    let signer = session.local.registrar_or_new()?;
    let start = envelope.bindings.context.value().copied();
    let (seq, prev) = next_link(&noted, note, Some(envelope.envelope_id), start, &*signer);
    let event = Event {
        at: session.now,
        envelope_id: Some(envelope.envelope_id),
        kind: EventKind::AgentAssertion { asserted: Asserted::one("said", words) },
        prev,
        seq,
        version: Some(envelope.version),
    };
    let on = subject::subject(&session, note)?;
    let line = sign_statement(&Statement { predicate: event, subject: Some(on) }, &*signer)?;
    let id = ArtifactId::of(&line.digest());
    let recorded = record(context, &session, "assertion", Writing { lines: vec![(note, line)], hints: Vec::new() })?;
    Ok(Assertion {
        id,
        asserted: words.to_owned(),
        commit: note,
        envelope_id: envelope.envelope_id,
        proposal: ArtifactId::of(&digest),
        seq,
        published: recorded.published,
    })
}
