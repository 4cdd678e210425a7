//! TRACE: what the ledger holds of one session, and whether it hangs together. Anybody with the notes can ask; no file of the machine
//! that the agent ran on is looked at.

use serde::Serialize;

use super::super::context::Context;
use super::super::error::{AppError, Failure};
use super::super::subject;
use super::parts::Parts;
use crate::codec::artifact::Artifact;
use crate::crypto::key_id;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::model::digest::Digest;
use crate::model::gateway::{Access, Installation, SessionSeal};
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::time::Timestamp;
use crate::store::layout;

/// How a trace ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceEnd {
    /// The session was closed: nothing follows.
    Closed,
    /// Nothing says so: it may be running, or have been killed, and more may have happened than is here.
    Open,
}

/// A session, complete or with what is wrong with it.
#[derive(Debug, Serialize)]
pub struct Trace {
    /// The session.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// What it was sealed with.
    pub seal: SessionSeal,
    /// What was installed; none where the record is not here.
    pub installation: Option<Installation>,
    /// The commit it is noted on.
    pub commit: Oid,
    /// When its ledger shows it.
    pub began_at: Option<Timestamp>,
    /// Who signed it: the registrar's label, or its id where it is not listed.
    pub registrar: String,
    /// Whether the trust document lists that registrar, and session and parts are all its word in good standing.
    pub listed: bool,
    /// Whose word it is: the registrar's own, that of one in another domain, or a witnessed one.
    pub strength: &'static str,
    /// In order.
    pub accesses: Vec<Access>,
    /// RFC 9162 root over them, recomputed.
    pub root: Digest,
    /// How it ends.
    pub end: TraceEnd,
    /// Why it does not hang together; empty for a sound one.
    pub faults: Vec<String>,
    /// Lines of its registrar in the same note that authorise nothing, and take nothing away.
    pub set_aside: Vec<String>,
}

/// A session found in the notes.
pub(in crate::app) struct Found {
    /// The commit that all of it is noted on.
    pub commit: Oid,
    /// What is missing from what was read.
    pub missing: Vec<String>,
    /// The session and its parts.
    pub parts: Parts,
    /// Lines of its registrar that authorise nothing.
    pub set_aside: Vec<String>,
}

/// Reads the trace of a session, named by its id or digest.
///
/// # Errors
/// When there is no such session here.
pub fn trace(context: &Context, what: &str) -> Result<Trace, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let Found { commit, missing, parts, set_aside } = find(&session, &noted, what)?;
    let seal = parts.seal().clone();
    // Wherever it is noted; that it is not here is found out below.
    subject::artifact(&session, &noted, &seal.installation.to_string()).ok();
    let installation = parts.installation(&noted.artifacts()).cloned();
    let party = session.trust.party(parts.signer());
    let end = if parts.ended() { TraceEnd::Closed } else { TraceEnd::Open };
    let mut faults = parts.faults.clone();
    faults.extend(missing);
    faults.extend(installation.as_ref().err().cloned());
    Ok(Trace {
        id: parts.id(),
        digest: parts.digest(),
        installation: installation.ok(),
        commit,
        began_at: parts.began_at(),
        registrar: party.map_or_else(|| key_id(parts.signer()).to_string(), |party| party.label.clone()),
        listed: parts.listed(),
        strength: parts.strength(&session.trust).name(),
        root: parts.root,
        accesses: parts.accesses().cloned().collect(),
        end,
        faults,
        set_aside,
        seal,
    })
}

/// What was seen before of registrars' ledgers and is here no more, each in a sentence: sessions may be among it.
///
/// # Errors
/// When the repository can't be read.
pub fn lost(context: &Context) -> Result<Vec<String>, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    Ok(gone(&session, None))
}

/// The session's commit and parts, for who goes on with it.
pub(super) fn resumed(context: &Context, session: &Digest) -> Result<(Oid, Parts), AppError> {
    let repository = context.repository()?;
    let found = find(&context.open(&repository)?, &Noted::default(), &session.to_string())?;
    Ok((found.commit, found.parts))
}

/// Finds a session, by its id or digest, with all of its note.
pub(in crate::app) fn find(session: &Session<'_>, noted: &Noted, what: &str) -> Result<Found, AppError> {
    let found = subject::artifact(session, noted, what).map_err(|error| match gone(session, None).first() {
        // It may be what is no longer here.
        Some(gone) => AppError::Told {
            failure: Failure::Undecided,
            hint: Some("git boundary doctor".to_owned()),
            text: format!("{error}; {gone}"),
        },
        None => error,
    })?;
    let found = found
        .filter(|one| matches!(one.artifact.value(), Artifact::Session(_)))
        .ok_or_else(|| AppError::usage(format!("{what} is no session of a gateway"), "git boundary gateway trace"))?;
    let commit = found.artifact.value().noted_on().unwrap_or(found.note);
    noted.read(session, &commit)?;
    let id = found.artifact.id();
    let parts = Parts::of(found, &noted.artifacts())
        .map_err(|why| AppError::fatal(format!("{id} {why}"), "git boundary gateway trace"))?;
    let registrar = key_id(parts.signer());
    let bad = noted.bad_lines(&[commit].into());
    let told = |bad: &crate::gate::facts::BadLineSeen| {
        format!("a line of its registrar in the note of {} authorises nothing: {}", commit.short(), bad.text)
    };
    let set_aside = bad.iter().filter(|bad| bad.registrar == registrar).map(told).collect();
    let mut missing: Vec<String> = noted.gaps(&[commit].into()).into_iter().map(|gap| gap.text).collect();
    missing.extend(gone(session, Some(&registrar)));
    Ok(Found { commit, missing, parts, set_aside })
}

/// What was seen of a registrar's ledger, or of any, and is not here.
fn gone(session: &Session<'_>, registrar: Option<&KeyId>) -> Vec<String> {
    let of = |reference: &str| layout::parse_notes_ref(reference).map(|(registrar, _)| registrar);
    let lost = session.shelves.broken.iter().filter(|broken| broken.lost);
    lost.filter(|broken| registrar.is_none_or(|registrar| of(&broken.reference) == Some(*registrar)))
        .map(|broken| format!("{}: {}", broken.reference, broken.text))
        .collect()
}
