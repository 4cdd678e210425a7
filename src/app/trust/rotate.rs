//! Rotating: a new key in the place of an old one, another threshold, another end.

use serde::Serialize;

use super::commit::{Committed, commit, next, signing_root};
use crate::app::context::Context;
use crate::app::error::AppError;
use crate::crypto::{Signer, key_id, to_openssh};
use crate::gather::Session;
use crate::model::count;
use crate::model::id::KeyId;
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::time::Timestamp;
use crate::model::trust::{TrustDocument, TrustedKey};

/// What `trust rotate` is asked to do.
#[derive(Debug, Clone, Default)]
pub struct RotateOptions {
    /// The key that ends, by label or id.
    pub key: Option<String>,
    /// The key that takes its place: an id, a path or a public key line.
    pub to: Option<String>,
    /// The label of the new key; it is made under that label unless `to` names one.
    pub label: Option<String>,
    /// How many roots it takes from now on.
    pub threshold: Option<u64>,
    /// When the document expires from now on.
    pub expires: Option<End>,
}

/// When a document expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Never.
    Never,
    /// After this moment.
    At(Timestamp),
}

/// What was rotated.
#[derive(Debug, Serialize)]
pub struct Rotated {
    /// The key that ended and the one in its place.
    pub keys: Option<Exchanged>,
    /// The label that `boundary.ownerKey` of this clone was set to, where it named the old key.
    pub owner_key: Option<String>,
    /// How many root signatures it takes.
    pub threshold: u64,
    /// When the document expires.
    pub expires_at: Option<Timestamp>,
    /// What became of the version.
    #[serde(flatten)]
    pub committed: Committed,
}

/// One key for another.
#[derive(Debug, Serialize)]
pub struct Exchanged {
    /// The key that ended.
    pub old: KeyId,
    /// Its label.
    pub old_label: String,
    /// The key in its place.
    pub new: KeyId,
    /// Its label.
    pub new_label: String,
    /// The file of a key that was made.
    pub made: Option<String>,
    /// What both may sign.
    pub roles: Vec<Role>,
    /// The last moment at which the old one counts.
    pub until: Timestamp,
}

/// Makes the next version. What the old key signed before stays what it was, by a clock that it does not set; what it signs from now on
/// does not count.
///
/// # Errors
/// When nothing is to be changed, the key is not there, or no root signs.
pub fn rotate(context: &Context, options: &RotateOptions) -> Result<Rotated, AppError> {
    let repository = context.repository()?;
    let session = context.open_for_trust(&repository)?;
    if options.key.is_none() && options.threshold.is_none() && options.expires.is_none() {
        return Err(AppError::usage(
            "nothing is named that should change",
            "git boundary trust rotate <key>, or --threshold <n>, or --expires <time>",
        ));
    }
    let signer = signing_root(context, &session)?;
    let mut document = next(&session.trust);
    let keys = match &options.key {
        Some(key) => Some(exchange(context, &session, &mut document, key, options)?),
        None => None,
    };
    document.roots.threshold = options.threshold.unwrap_or(document.roots.threshold);
    match options.expires {
        Some(End::At(at)) if at <= context.now => {
            return Err(AppError::usage(format!("{at} is over"), "--expires <a time to come>"));
        }
        Some(End::At(at)) => document.expires_at = Some(at),
        Some(End::Never) => document.expires_at = None,
        None => {}
    }
    let roots = document.roots.keys.len() as u64;
    if document.roots.threshold == 0 || document.roots.threshold > roots {
        let wanted = count::of(document.roots.threshold, "root signature", "root signatures");
        let text = format!("{wanted} can't be reached with {}", count::of(roots, "root", "roots"));
        return Err(AppError::usage(text, "git boundary trust add <key> --role root --key <root>"));
    }
    let (threshold, expires_at) = (document.roots.threshold, document.expires_at);
    // The version with a new root takes that root's signature as well; where its private half is here, it signs at once.
    let new_root = keys.as_ref().filter(|keys| document.roots.keys.contains(&keys.new));
    let new_signer = new_root.and_then(|keys| {
        let spec = if keys.made.is_some() { keys.new_label.clone() } else { options.to.clone()? };
        context.keyring.find(&spec).ok()
    });
    let signers: Vec<&dyn Signer> = std::iter::once(&*signer).chain(new_signer.as_deref()).collect();
    let committed = commit(context, &session, document, &signers)?;
    let owner_key = match &keys {
        Some(keys) if committed.waits.is_none() => follow(context, &session, keys)?,
        _ => None,
    };
    Ok(Rotated { keys, owner_key, threshold, expires_at, committed })
}

/// Has this clone sign as owner with the new key where it did with the old one, and the new private half is here.
fn follow(context: &Context, session: &Session<'_>, keys: &Exchanged) -> Result<Option<String>, AppError> {
    let named = session.repository.config_string("boundary.ownerKey");
    let is_old = |spec: String| {
        spec == keys.old_label || context.keyring.find_public(&spec).is_ok_and(|public| key_id(&public) == keys.old)
    };
    let is_here = keys.made.is_some() || context.keyring.find(&keys.new_label).is_ok();
    if !keys.roles.contains(&Role::Owner) || !is_here || !named.is_some_and(is_old) {
        return Ok(None);
    }
    session.repository.set_config_local("boundary.ownerKey", &keys.new_label)?;
    Ok(Some(keys.new_label.clone()))
}

fn exchange(
    context: &Context,
    session: &Session<'_>,
    document: &mut TrustDocument,
    key: &str,
    options: &RotateOptions,
) -> Result<Exchanged, AppError> {
    let old = context.party(session, key)?;
    let party = session.trust.party_of(&old).expect("the id was found in the document").clone();
    if party.roles.contains(&Role::Registrar) {
        return Err(AppError::usage(
            format!("{} is a registrar's key, which belongs to its clone and its ledger", party.label),
            format!("git boundary trust revoke {}, and list the registrar of a new clone", party.label),
        ));
    }
    if let Some(since) = party.revoked_at {
        return Err(AppError::usage(
            format!("{} is revoked since {since}", party.label),
            "git boundary trust add <label> --new-key --role <role>",
        ));
    }
    let label = options.label.clone().unwrap_or_else(|| free_label(session, &party.label));
    if session.trust.parties().any(|other| other.label == label) {
        return Err(AppError::usage(format!("the label {label:?} is taken"), "add --label <another label>"));
    }
    let (new_key, made) = match &options.to {
        Some(spec) => (context.keyring.find_public(spec)?, None),
        None => {
            let made = context.keyring.new_key(&label)?;
            (made.public, made.path.map(|path| path.display().to_string()))
        }
    };
    let new = put_in_place(session, document, (old, &party.domain), &new_key, &label)?;
    let until = context.now;
    let ended = document.keys.get_mut(&old).expect("keys are never deleted");
    let until = ended.valid_until.map_or(until, |end| end.min(until));
    ended.valid_until = Some(until);
    let roles = ended.roles.clone();
    Ok(Exchanged { old, old_label: party.label, new, new_label: label, made, roles, until })
}

/// Gives the new key what the old one had: roles, domain, and its place among the roots.
fn put_in_place(
    session: &Session<'_>,
    document: &mut TrustDocument,
    (old, domain): (KeyId, &str),
    key: &PublicKey,
    label: &str,
) -> Result<KeyId, AppError> {
    let id = key_id(key);
    if let Some(known) = session.trust.party(key) {
        return Err(AppError::usage(
            format!("{} is in the trust document already", known.label),
            "name a key that is in it under no name",
        ));
    }
    let roles = document.keys[&old].roles.clone();
    let trusted = TrustedKey {
        aliases: Vec::new(),
        label: label.to_owned(),
        revoked_at: None,
        roles,
        ssh: to_openssh(key, "").trim_end().to_owned(),
        valid_from: None,
        valid_until: None,
    };
    document.keys.insert(id, trusted);
    let members = document.domains.entry(domain.to_owned()).or_default();
    members.push(id);
    members.sort_unstable();
    if document.roots.keys.contains(&old) {
        document.roots.keys.retain(|root| *root != old);
        document.roots.keys.push(id);
        document.roots.keys.sort_unstable();
    }
    Ok(id)
}

/// `codex` becomes `codex-2`, and that `codex-3`.
fn free_label(session: &Session<'_>, label: &str) -> String {
    let (stem, number) = match label.rsplit_once('-') {
        Some((stem, number)) => match number.parse::<u32>() {
            Ok(number) if number > 1 => (stem, number),
            _ => (label, 1),
        },
        None => (label, 1),
    };
    let taken = |name: &String| session.trust.parties().any(|party| party.label == *name);
    (number.saturating_add(1)..).map(|number| format!("{stem}-{number}")).find(|name| !taken(name)).unwrap_or_default()
}
