//! `contradict`: a party whose word counts says that an artifact is wrong, or that what was said against it is cleared up.

use std::rc::Rc;

use serde::Serialize;

use super::context::{Context, nonce};
use super::described;
use super::error::AppError;
use super::record::{Writing, record};
use super::remote::Published;
use super::subject;
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::Statement;
use crate::crypto::Signer;
use crate::crypto::trust::Standing;
use crate::crypto::verified::sign_statement;
use crate::gate::checks::evidence::open_contradictions;
use crate::gate::docket::Docket;
use crate::gate::facts::Recorded;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::model::asserted::Asserted;
use crate::model::decision::{Contradiction, ContradictionState};
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, Oid};
use crate::model::party::Role;

/// What is said of the artifact.
#[derive(Debug, Clone, Default)]
pub struct Objection {
    /// It matters to no decision.
    pub immaterial: bool,
    /// In words.
    pub reason: String,
    /// What was said before is cleared up.
    pub resolve: bool,
}

/// A contradiction or its resolution, as recorded.
#[derive(Debug, Serialize)]
pub struct Contradicted {
    /// Its artifact id.
    pub id: ArtifactId,
    /// Who signed.
    pub by: String,
    /// The commit it is noted on.
    pub commit: Oid,
    /// What kind of artifact it is about.
    pub kind: String,
    /// Whether it matters to a decision.
    pub material: bool,
    /// `open` or `resolved`.
    pub state: ContradictionState,
    /// Contradictions of the same artifact that stand now.
    pub open: Vec<ArtifactId>,
    /// What it is about.
    pub target: Digest,
    /// Whether it is at the remote.
    pub published: Published,
}

/// Contradicts an artifact, named by id, digest, or as the one proposal on a revision; or resolves what is open against it.
///
/// # Errors
/// When there is no such artifact, the key's word does not count, or nothing is open that this key could resolve.
pub fn contradict(context: &Context, what: &str, said: &Objection) -> Result<Contradicted, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let about = target(&session, &noted, what)?;
    let target = about.artifact.digest();
    let id = ArtifactId::of(&target);
    if let Artifact::Contradiction(it) = about.artifact.value() {
        let first = ArtifactId::of(&it.predicate.target);
        return Err(AppError::usage(
            format!("{id} is a contradiction itself, of {first}: it is resolved, and not contradicted"),
            format!("git boundary contradict {first} --resolve --key <owner>"),
        ));
    }
    let signer = signer(context, &session, &id)?;
    let material = if said.resolve { resolvable(&session, &noted, &about, &*signer)? } else { !said.immaterial };
    let state = if said.resolve { ContradictionState::Resolved } else { ContradictionState::Open };
    // The same words said twice are two contradictions: without, the second would be as old as the first, and resolved with it.
    let asserted = Asserted::one("nonce", &nonce()?);
    let asserted = if said.reason.is_empty() { asserted } else { asserted.and("reason", &said.reason) };
    let commit = subject::home(&noted, &about);
    let predicate = Contradiction { asserted, material, state, target };
    let on = subject::subject(&session, commit)?;
    let line = sign_statement(&Statement { predicate, subject: Some(on) }, &*signer)?;
    let contradiction = ArtifactId::of(&line.digest());
    let recorded =
        record(context, &session, "contradiction", Writing { lines: vec![(commit, line)], hints: Vec::new() })?;
    // Read anew, so that what is told is what the gate will see.
    let again = context.open(&repository)?;
    let noted = Noted::default();
    noted.read(&again, &commit)?;
    let docket = Docket::new(noted.artifacts());
    let open = open_contradictions(&docket, &again.trust, context.now, &target);
    Ok(Contradicted {
        id: contradiction,
        by: Context::label(&session, &*signer),
        commit,
        kind: described::parts(&session, about.artifact.value()).0,
        material,
        state,
        open: open.iter().map(|(recorded, _)| recorded.artifact.id()).collect(),
        target,
        published: recorded.published,
    })
}

fn target(session: &Session<'_>, noted: &Noted, what: &str) -> Result<Rc<Recorded>, AppError> {
    if let Some(found) = subject::artifact(session, noted, what)? {
        return Ok(found);
    }
    let (digest, _) = subject::proposal(session, noted, Some(what), &subject::to_name)?;
    noted.artifact(&digest).ok_or_else(|| AppError::usage(format!("{what} is not recorded here"), "git fetch"))
}

/// The key, where its word against an artifact counts.
fn signer(context: &Context, session: &Session<'_>, id: &ArtifactId) -> Result<Box<dyn Signer>, AppError> {
    let command = format!("git boundary contradict {id} --key <owner>");
    let signer = context.named_key(session.repository, "boundary.evidenceKey", &command)?;
    let speaks = |role| session.trust.standing(&signer.public_key(), role, context.now) == Standing::Good;
    if speaks(Role::Evidence) || speaks(Role::Owner) {
        return Ok(signer);
    }
    let label = Context::label(session, &*signer);
    Err(AppError::usage(
        format!("{label} is trusted neither for evidence nor as owner, and only their word against an artifact counts"),
        command,
    ))
}

/// Whether what this key can resolve is material; an error where nothing is open, or only what others have to resolve.
fn resolvable(session: &Session<'_>, noted: &Noted, about: &Recorded, signer: &dyn Signer) -> Result<bool, AppError> {
    let (docket, target) = (Docket::new(noted.artifacts()), about.artifact.digest());
    let id = ArtifactId::of(&target);
    let open = open_contradictions(&docket, &session.trust, session.now, &target);
    if open.is_empty() {
        return Err(AppError::usage(
            format!("nothing that is open contradicts {id}"),
            format!("git boundary show {id}"),
        ));
    }
    let key = signer.public_key();
    let owner = session.trust.standing(&key, Role::Owner, session.now) == Standing::Good;
    let mut own = open.iter().filter(|(recorded, _)| owner || recorded.artifact.signed_by(&key)).peekable();
    if own.peek().is_none() {
        let by = |(recorded, _): &(&Recorded, _)| {
            let keys = recorded.artifact.signers().iter();
            let name = |key| session.trust.party(key).map_or_else(|| "another key".to_owned(), |it| it.label.clone());
            format!("{} by {}", recorded.artifact.id(), keys.map(name).collect::<Vec<_>>().join(", "))
        };
        let open: Vec<String> = open.iter().map(by).collect();
        return Err(AppError::usage(
            format!(
                "{} can't resolve what is open against {id}, {}: only an owner can, or who contradicted",
                Context::label(session, signer),
                open.join("; ")
            ),
            format!("git boundary contradict {id} --resolve --key <owner>"),
        ));
    }
    Ok(own.any(|(_, contradiction)| contradiction.material))
}
