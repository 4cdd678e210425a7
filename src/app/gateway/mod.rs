//! The gateway's records: an installation, the seal of each session, and what was looked at in it, signed by this clone's registrar and
//! kept in its ledger (issue "the gateway"; seed "execution gateway"). What is measured is measured elsewhere; here it is written and read.

mod log;
pub(super) mod parts;
mod rules;
pub(super) mod trace;

use std::path::PathBuf;

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::record::{Writing, record, record_quietly};
use super::remote::Published;
use super::subject;
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::{Predicate, Statement};
use crate::crypto::key_id;
use crate::crypto::trust::{Party, Standing};
use crate::crypto::verified::sign_statement;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::git::Head;
use crate::model::digest::Digest;
use crate::model::gateway::{Installation, SessionSeal};
use crate::model::id::{ArtifactId, KeyId, Oid, RepositoryId};
use crate::model::party::Role;

pub use self::log::{Log, Resumed};
pub use self::rules::{Rules, STARTER, Write};
pub use self::trace::{Trace, TraceEnd, lost, trace};

/// Where an agent is to work: the repository as it is now.
#[derive(Debug, Clone)]
pub struct Ground {
    /// The commit that `HEAD` is at: everything about the gateway is noted there.
    pub commit: Oid,
    /// The branch, if `HEAD` is on one.
    pub branch: Option<String>,
    /// The repository.
    pub repository: RepositoryId,
    /// The top of the worktree, as git has it.
    pub top: PathBuf,
    /// The directories in which git keeps its own: of the worktree, and of the repository.
    pub git: [PathBuf; 2],
}

/// A record as written.
#[derive(Debug, Clone, Serialize)]
pub struct Kept {
    /// Its id.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// The commit it is noted on.
    pub commit: Oid,
    /// Whether it is at the remote.
    pub published: Published,
}

/// Looks at the repository of the current directory.
///
/// # Errors
/// When there is none, it has no worktree or no commit, or no trust is pinned.
pub fn ground(context: &Context) -> Result<Ground, AppError> {
    let repository = context.repository()?;
    let top = repository.work_tree().map(ToOwned::to_owned).ok_or_else(|| {
        AppError::fatal("a bare repository has no worktree that an agent could work in", "git worktree add <directory>")
    })?;
    let session = context.open(&repository)?;
    let branch = match repository.head()? {
        Head::Branch { name, .. } => Some(name),
        Head::Detached(_) => None,
    };
    let git = [repository.git_dir().to_owned(), repository.common_dir().to_owned()];
    Ok(Ground { commit: subject::commit(&repository, None)?, branch, git, repository: session.trust.repository(), top })
}

/// Signs a record of the gateway with this clone's registrar and publishes it.
///
/// # Errors
/// When it can't be signed or written; that it can't be published is told, not failed for.
pub fn keep<P: Predicate>(context: &Context, commit: Oid, predicate: P) -> Result<Kept, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let (digest, writing) = signed(&session, commit, predicate)?;
    let published = record(context, &session, P::KIND.name(), writing)?.published;
    Ok(Kept { id: ArtifactId::of(&digest), digest, commit, published })
}

/// The same without publishing: while an agent works, nothing waits for a network.
///
/// # Errors
/// When it can't be signed or written.
fn keep_quietly<P: Predicate>(
    context: &Context,
    commit: Oid,
    registrar: KeyId,
    predicate: P,
) -> Result<Digest, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    if session.local.registrar_id()? != Some(registrar) {
        return Err(AppError::fatal(
            format!("this clone's registrar is no longer {registrar}, in whose ledger the session is"),
            "git boundary doctor",
        ));
    }
    let (digest, writing) = signed(&session, commit, predicate)?;
    record_quietly(&session, P::KIND.name(), writing)?;
    Ok(digest)
}

/// The registrar of this clone, made where there is none.
///
/// # Errors
/// When it can't be read or made.
pub fn registrar(context: &Context) -> Result<KeyId, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    Ok(key_id(&session.local.registrar_or_new()?.public_key()))
}

/// Who signs what an agent asks for: the key that is named, or that `boundary.actorKey` names; none where neither is, so that the agent may
/// only look.
///
/// # Errors
/// When the key is not here without a passphrase, or is not trusted as an actor, or is an owner's too, who would ask himself.
pub fn actor(context: &Context) -> Result<Option<KeyId>, AppError> {
    let repository = context.repository()?;
    let config = "boundary.actorKey";
    if context.key.is_none() && repository.config_string(config).is_none() {
        return Ok(None);
    }
    let session = context.open(&repository)?;
    let silent = Context { keyring: context.keyring.clone().without_prompts(), ..context.clone() };
    let signer = silent.named_key(&repository, config, "git boundary key list")?;
    let key = signer.public_key();
    let id = key_id(&key);
    let label = Context::label(&session, &*signer);
    if session.trust.standing(&key, Role::Actor, context.now) != Standing::Good {
        return Err(AppError::usage(
            format!("{label} is not trusted as an actor, who signs what an agent asks for"),
            "git boundary trust add <key> --role actor --key <owner>",
        ));
    }
    let asks_himself = |party: &Party| party.roles.contains(&Role::Owner) || party.roles.contains(&Role::Root);
    if session.trust.party(&key).is_some_and(asks_himself) {
        return Err(AppError::usage(
            format!("{label} is an owner's key, and what an agent asks for has to be approved by somebody else"),
            "git boundary key new <label>",
        ));
    }
    Ok(Some(id))
}

/// The installation that this clone's registrar signed under a digest.
///
/// # Errors
/// When the notes hold none, or somebody else signed it.
pub fn installation(context: &Context, digest: &Digest) -> Result<Installation, AppError> {
    own(context, digest, "installation", |artifact| match artifact {
        Artifact::Installation(it) => Some(it.predicate.clone()),
        _ => None,
    })
}

/// The session that this clone's registrar sealed under a digest.
///
/// # Errors
/// When the notes hold none, or somebody else signed it.
pub fn sealed(context: &Context, digest: &Digest) -> Result<SessionSeal, AppError> {
    own(context, digest, "session", |artifact| match artifact {
        Artifact::Session(it) => Some(it.predicate.clone()),
        _ => None,
    })
}

fn own<T>(
    context: &Context,
    digest: &Digest,
    what: &str,
    is_it: impl Fn(&Artifact) -> Option<T>,
) -> Result<T, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let told =
        |why: String| AppError::fatal(format!("{}: {why}", ArtifactId::of(digest)), "git boundary gateway setup");
    let found = subject::artifact(&session, &Noted::default(), &digest.to_string())?;
    let found = found.ok_or_else(|| told("it is not recorded here".to_owned()))?;
    if !found.artifact.signed_by(&session.local.registrar()?.public_key()) {
        return Err(told("another registrar signed it".to_owned()));
    }
    is_it(found.artifact.value()).ok_or_else(|| told(format!("it is no {what}")))
}

fn signed<P: Predicate>(session: &Session<'_>, commit: Oid, predicate: P) -> Result<(Digest, Writing), AppError> {
    let registrar = session.local.registrar_or_new()?;
    let about = subject::subject(session, commit)?;
    let artifact = sign_statement(&Statement { predicate, subject: Some(about) }, &*registrar)?;
    Ok((artifact.digest(), Writing { lines: vec![(commit, artifact)], hints: Vec::new() }))
}
