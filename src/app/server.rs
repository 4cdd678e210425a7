//! SERVER: what a repository needs that judges whatever is pushed to it: a pinned root and a registrar of its own.

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::trust;
use crate::crypto::to_openssh;
use crate::gather::session::pin;
use crate::gather::{GatherError, Session, SessionOptions};
use crate::git::Repository;
use crate::model::digest::Digest;
use crate::model::id::KeyId;
use crate::store::{LocalState, Registrar, append};

/// A server that can judge.
#[derive(Debug, Serialize)]
pub struct Server {
    /// The pinned root.
    pub trust_root: Digest,
    /// The trust version that is here; none before the owner has pushed it.
    pub trust_version: Option<u64>,
    /// This server's registrar.
    pub registrar: KeyId,
    /// Its public key, as OpenSSH writes it.
    pub registrar_key: String,
    /// Whether the trust document lists it.
    pub registrar_listed: bool,
}

/// Pins the root, unless that is done, and makes the registrar. Nothing that is pushed later can change either.
///
/// # Errors
/// When no root is named and none is pinned, another is, or nothing can be written.
pub fn prepare(context: &Context) -> Result<Server, AppError> {
    require_no_namespace(context)?;
    if let Some(root) = context.session.trust_root {
        trust::pin(context, root)?;
    }
    // Opened after that, with the pin in its configuration.
    let repository = context.repository()?;
    let trust_root = match pin(&repository, &SessionOptions::default()) {
        Ok((root, _)) => root,
        Err(GatherError::NotPinned) => {
            return Err(AppError::usage(
                "a server judges by a trust root that its keeper names, and none is pinned here",
                "git boundary hook install --server --trust-root <root>",
            ));
        }
        Err(error) => return Err(error.into()),
    };
    let registrar = LocalState::of(&repository).registrar_or_new()?;
    let key = registrar.public_key();
    let mut server = Server {
        trust_root,
        trust_version: None,
        registrar: crate::crypto::key_id(&key),
        registrar_key: to_openssh(&key, "").trim_end().to_owned(),
        registrar_listed: false,
    };
    match context.open_for_trust(&repository) {
        Ok(session) => {
            server.trust_version = Some(session.trust.version());
            let party = session.trust.party(&key);
            server.registrar_listed =
                party.is_some_and(|party| party.roles.contains(&crate::model::party::Role::Registrar));
            open_ledger(&session)?;
        }
        // It comes with the owner's first push.
        Err(AppError::Gather(GatherError::NoTrust(_))) => {}
        Err(error) => return Err(error),
    }
    Ok(server)
}

/// Refuses to judge for a namespace of git: what is pushed goes to refs below `refs/namespaces/`, and trust, receipts and branches of the
/// same names outside of it are other ones.
pub(super) fn require_no_namespace(context: &Context) -> Result<(), AppError> {
    match context.environment.var("GIT_NAMESPACE").filter(|name| !name.is_empty()) {
        None => Ok(()),
        Some(name) => Err(AppError::fatal(
            format!(
                "GIT_NAMESPACE is {:?} here, and trust and receipts are kept for whole repositories",
                name.to_string_lossy()
            ),
            "let the server keep each namespace as a repository of its own, and unset GIT_NAMESPACE",
        )),
    }
}

/// Begins this server's ledger, as soon as there is trust to begin it under: once it is listed, who finds nothing of it could not tell
/// whether it never wrote.
pub(super) fn open_ledger(session: &Session<'_>) -> Result<(), AppError> {
    let signer = session.local.registrar_or_new()?;
    let registrar = Registrar { repository: session.trust.repository(), signer: &*signer };
    Ok(append::open(session.repository, &registrar, session.now)?)
}

/// Whether this repository is one that others push to, with nowhere of its own to push to: what it received is settled by looking at its
/// own refs.
///
/// # Errors
/// When the repository can't be opened.
pub fn settles_itself(context: &Context) -> Result<bool, AppError> {
    let repository = context.repository()?;
    Ok(is_server(&repository) && super::remote::default_remote(&repository)?.is_none())
}

/// Whether this repository keeps what a server keeps: it was asked to run a server's hooks.
fn is_server(repository: &Repository) -> bool {
    repository.config_strings("boundary.hook").iter().any(|name| name == "pre-receive" || name == "post-receive")
}
