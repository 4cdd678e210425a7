//! A key that is named for a clone that joins trust which is there already.

use serde::Serialize;

use crate::app::context::Context;
use crate::app::error::AppError;
use crate::crypto::trust::Standing;
use crate::gather::Session;
use crate::git::Repository;
use crate::model::party::Role;

/// A key that was named where trust is there already.
#[derive(Debug, Serialize)]
pub struct NamedKey {
    /// As it was named.
    pub name: String,
    /// Whether `boundary.ownerKey` is set to it: where it is an owner's.
    pub signs_as_owner: bool,
}

/// The key that was named for a clone that has trust, and whether owner commands shall sign with it here.
///
/// # Errors
/// When there is no such key here.
pub(super) fn named_key(context: &Context, session: &Session<'_>) -> Result<Option<NamedKey>, AppError> {
    let Some(name) = &context.key else { return Ok(None) };
    let key = context.keyring.find(name)?.public_key();
    let signs_as_owner = session.trust.standing(&key, Role::Owner, session.now) == Standing::Good;
    Ok(Some(NamedKey { name: name.clone(), signs_as_owner }))
}

/// Has owner commands sign with a named key, where it is an owner's.
///
/// # Errors
/// When git's configuration can't be written.
pub(super) fn sign_as(repository: &Repository, named: Option<&NamedKey>) -> Result<(), AppError> {
    if let Some(named) = named.filter(|named| named.signs_as_owner) {
        repository.set_config_local("boundary.ownerKey", &named.name)?;
    }
    Ok(())
}
