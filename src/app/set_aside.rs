//! `override`: an owner sets aside one checker's denial or abstention. It stays on record, and stands against nothing any more.

use std::rc::Rc;

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::record::{Writing, record};
use super::records::{self, Record};
use super::remote::Published;
use super::subject;
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::Statement;
use crate::crypto::verified::sign_statement;
use crate::gate::facts::Recorded;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::model::asserted::Asserted;
use crate::model::boundary_proof::{BoundaryProof, CheckDecision};
use crate::model::decision::Override;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, Oid};

/// A denial or abstention that could be set aside.
#[derive(Debug, Clone, Serialize)]
pub struct Denial {
    /// The proof.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// The checker's label.
    pub checker: String,
    /// The commit that it is about.
    pub commit: Oid,
    /// `deny` or `abstain`.
    pub decision: CheckDecision,
    /// The whole record.
    pub record: Record,
}

/// A denial that was set aside.
#[derive(Debug, Serialize)]
pub struct SetAside {
    /// The override's artifact id.
    pub id: ArtifactId,
    /// Who signed.
    pub owner: String,
    /// What no longer stands.
    pub proof: Denial,
    /// Whether it is at the remote.
    pub published: Published,
}

/// The denial or abstention that an owner means, by id or digest of the proof. Nothing is signed.
///
/// # Errors
/// When there is no such proof, it is another artifact, it allows, or it stands against nothing.
pub fn look(context: &Context, what: &str) -> Result<Denial, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let show = format!("git boundary show {what}");
    let recorded: Rc<Recorded> = subject::artifact(&session, &noted, what)?.ok_or_else(|| {
        AppError::usage(format!("{what:?} is no id or digest of a proof"), "git boundary log --decision deny")
    })?;
    let record = records::describe(&session, &noted, &recorded);
    let Artifact::BoundaryProof(proof) = recorded.artifact.value() else {
        return Err(AppError::usage(format!("{what} is a {}, and no boundary proof", record.kind), show));
    };
    let decision = proof.proven.decision;
    if !matches!(decision, CheckDecision::Deny | CheckDecision::Abstain) {
        let text = format!("proof {what} decides {decision}; only a denial or an abstention is overridden");
        return Err(AppError::usage(text, show));
    }
    let checker = checker(&session, &recorded, proof).ok_or_else(|| {
        let text = format!("proof {what} is not signed by the checker it names, so that it stands against nothing");
        AppError::usage(text, &show)
    })?;
    if let Some(by) = record.overridden {
        return Err(AppError::usage(format!("proof {what} is overridden already, by {by}"), show));
    }
    Ok(Denial {
        id: recorded.artifact.id(),
        digest: recorded.artifact.digest(),
        checker,
        commit: subject::home(&noted, &recorded),
        decision,
        record,
    })
}

fn checker(session: &Session<'_>, recorded: &Recorded, proof: &BoundaryProof) -> Option<String> {
    let key = session.trust.resolve(&proof.proven.checker).filter(|key| recorded.artifact.signed_by(key))?;
    session.trust.party(&key).map(|party| party.label.clone())
}

/// Signs that what was looked at no longer stands.
///
/// # Errors
/// When no owner signs, or it can't be written.
pub fn set_aside(context: &Context, proof: Denial, reason: &str) -> Result<SetAside, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let owner = context.good_owner(&session, "override a checker")?;
    let predicate = Override { asserted: Asserted::one("reason", reason), target: proof.digest };
    let on = subject::subject(&session, proof.commit)?;
    let line = sign_statement(&Statement { predicate, subject: Some(on) }, &*owner)?;
    let id = ArtifactId::of(&line.digest());
    let writing = Writing { lines: vec![(proof.commit, line)], hints: Vec::new() };
    let recorded = record(context, &session, "override", writing)?;
    Ok(SetAside { id, owner: Context::label(&session, &*owner), proof, published: recorded.published })
}
