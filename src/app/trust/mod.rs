//! `trust`: who is trusted for what.

mod allowed_signers;
mod chain;
mod change;
mod commit;
mod cosign;
mod first;
mod rotate;

use serde::Serialize;

pub use self::allowed_signers::{
    LineLeft, SignersImported, export as export_allowed_signers, import as import_allowed_signers,
};
pub use self::chain::{Next, add_published, add_version, chain_tip};
pub use self::change::{AddOptions, TrustChanged, add, revoke};
pub(super) use self::commit::complete;
pub use self::commit::{Committed, Waits};
pub use self::cosign::{PendingShown, cosign, look};
pub use self::first::first;
pub use self::rotate::{End, Exchanged, RotateOptions, Rotated, rotate};
use super::context::Context;
use super::error::AppError;
use crate::model::digest::Digest;
use crate::model::id::{KeyId, RepositoryId};
use crate::model::party::Role;
use crate::model::time::Timestamp;
use crate::store::LocalState;

/// The trust document as this clone has verified it.
#[derive(Debug, Serialize)]
pub struct TrustShown {
    /// The pin.
    pub root: Digest,
    /// Where the pin came from.
    pub pinned_by: &'static str,
    /// The repository.
    pub repository: RepositoryId,
    /// Version in force.
    pub version: u64,
    /// Its digest.
    pub digest: Digest,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// Signatures it takes to change it.
    pub threshold: u64,
    /// Keys.
    pub keys: Vec<KeyShown>,
    /// Versions that wait for root signatures.
    pub pending: Vec<PendingShown>,
}

/// One key.
#[derive(Debug, Serialize)]
pub struct KeyShown {
    /// Its label.
    pub label: String,
    /// Its id.
    pub id: KeyId,
    /// Its domain.
    pub domain: String,
    /// Its roles.
    pub roles: Vec<Role>,
    /// Its other names.
    pub aliases: Vec<String>,
    /// From when it is not to be believed.
    pub revoked_at: Option<Timestamp>,
    /// First moment.
    pub valid_from: Option<Timestamp>,
    /// Last moment.
    pub valid_until: Option<Timestamp>,
    /// The key itself.
    pub ssh: String,
}

/// Shows the trust document.
///
/// # Errors
/// When it can't be read or verified.
pub fn show(context: &Context) -> Result<TrustShown, AppError> {
    let repository = context.repository()?;
    let session = context.open_for_trust(&repository)?;
    let document = session.trust.document();
    let mut keys: Vec<KeyShown> = session
        .trust
        .parties()
        .map(|party| {
            let held = &document.keys[&party.id];
            KeyShown {
                label: party.label.clone(),
                id: party.id,
                domain: party.domain.clone(),
                roles: party.roles.iter().copied().collect(),
                aliases: held.aliases.clone(),
                revoked_at: party.revoked_at,
                valid_from: party.valid_from,
                valid_until: party.valid_until,
                ssh: held.ssh.clone(),
            }
        })
        .collect();
    // By name, since the order of raw keys tells nobody anything.
    keys.sort_by(|one, other| (&one.label, one.id).cmp(&(&other.label, other.id)));
    Ok(TrustShown {
        root: session.trust.root(),
        pinned_by: session.pin_source.name(),
        repository: session.trust.repository(),
        version: session.trust.version(),
        digest: session.trust.digest(),
        expires_at: document.expires_at,
        threshold: document.roots.threshold,
        keys,
        pending: cosign::shown(&session)?,
    })
}

/// Versions that wait for root signatures, as far as they can be read.
pub(super) fn waiting_shown(session: &crate::gather::Session<'_>) -> Vec<PendingShown> {
    cosign::shown(session).unwrap_or_default()
}

/// A pin was set.
#[derive(Debug, Serialize)]
pub struct Pinned {
    /// The root.
    pub root: Digest,
    /// Whether it was pinned before.
    pub already: bool,
}

/// Pins a trust root for this clone. One that is pinned already is not exchanged.
///
/// # Errors
/// When another one is pinned.
pub fn pin(context: &Context, root: Digest) -> Result<Pinned, AppError> {
    let repository = context.repository()?;
    let already = repository.config_string("boundary.trustRoot");
    if let Some(other) = already.as_ref().filter(|other| **other != root.to_string()) {
        return Err(AppError::fatal(
            format!("this clone pins {other} already"),
            "git config --unset boundary.trustRoot, if you mean to trust another root",
        ));
    }
    LocalState::of(&repository).pin_root(root)?;
    repository.set_config_local("boundary.trustRoot", &root.to_string())?;
    Ok(Pinned { root, already: already.is_some() })
}
