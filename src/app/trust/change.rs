//! Adding and ending keys: each a new version of the trust document.

use serde::Serialize;

use super::commit::{Committed, commit, next, signing_root};
use crate::app::context::Context;
use crate::app::error::AppError;
use crate::crypto::{key_id, to_openssh};
use crate::gather::Session;
use crate::model::digest::Digest;
use crate::model::id::KeyId;
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::time::Timestamp;
use crate::model::trust::{LastCheckpoint, TrustDocument, TrustedKey};

/// What `trust add` is asked to do.
#[derive(Debug, Clone)]
pub struct AddOptions {
    /// A label, key id, key file or literal key.
    pub key: String,
    /// Its roles.
    pub roles: Vec<Role>,
    /// Its domain; its label unless named.
    pub domain: Option<String>,
    /// Make the key first.
    pub new_key: bool,
    /// Its label, where `key` is none.
    pub label: Option<String>,
    /// Foreign names of it.
    pub aliases: Vec<String>,
    /// First moment.
    pub valid_from: Option<Timestamp>,
    /// Last moment.
    pub valid_until: Option<Timestamp>,
}

/// A new version of the trust document.
#[derive(Debug, Serialize)]
pub struct TrustChanged {
    /// The key it is about.
    pub key: KeyId,
    /// Its label.
    pub label: String,
    /// Its domain.
    pub domain: String,
    /// From when it is not to be believed; `null` for a key that was added.
    pub revoked_at: Option<Timestamp>,
    /// The roles it was given now.
    pub roles: Vec<Role>,
    /// The file of a key that was made.
    pub made: Option<String>,
    /// The new version, and what became of it.
    #[serde(flatten)]
    pub committed: Committed,
}

/// Adds a key, or gives one that is there more roles.
///
/// # Errors
/// When the key is not found, or the change can't be signed.
pub fn add(context: &Context, options: &AddOptions) -> Result<TrustChanged, AppError> {
    let mut changed = add_all(context, std::slice::from_ref(options))?;
    Ok(changed.remove(0))
}

/// The same for several keys, in one version.
///
/// # Errors
/// As for [`add`]; then none is added.
pub(super) fn add_all(context: &Context, keys: &[AddOptions]) -> Result<Vec<TrustChanged>, AppError> {
    let repository = context.repository()?;
    let session = context.open_for_trust(&repository)?;
    let owner = signing_root(context, &session)?;
    let mut document = next(&session.trust);
    let put = |options| put_key(context, &session, &mut document, options);
    let added: Vec<Added> = keys.iter().map(put).collect::<Result<_, _>>()?;
    if added.is_empty() {
        return Ok(Vec::new());
    }
    let committed = commit(context, &session, document, &[&*owner])?;
    let changed = |(added, options): (Added, &AddOptions)| TrustChanged {
        key: added.id,
        label: added.label,
        domain: added.domain,
        revoked_at: None,
        roles: options.roles.clone(),
        made: added.made,
        committed: committed.clone(),
    };
    Ok(added.into_iter().zip(keys).map(changed).collect())
}

struct Added {
    domain: String,
    id: KeyId,
    label: String,
    made: Option<String>,
}

fn put_key(
    context: &Context,
    session: &Session<'_>,
    document: &mut TrustDocument,
    options: &AddOptions,
) -> Result<Added, AppError> {
    if options.roles.is_empty() {
        return Err(AppError::usage("a key is trusted for something", "add --role actor, checker, owner, …"));
    }
    let (key, label, made) = key_to_add(context, session, options)?;
    let id = key_id(&key);
    if let Some((other, _)) = document.keys.iter().find(|(other, held)| held.label == label && **other != id) {
        return Err(AppError::usage(format!("the label {label:?} is taken by {other}"), "add --label <another label>"));
    }
    let domain = match (session.trust.party(&key), &options.domain) {
        (Some(party), None) => party.domain.clone(),
        (Some(party), Some(domain)) if *domain != party.domain => {
            return Err(AppError::usage(
                format!("{} is in domain {:?}; a key stays in its domain", party.label, party.domain),
                "add a new key for another domain",
            ));
        }
        (_, Some(domain)) => domain.clone(),
        (None, None) => label.clone(),
    };
    let entry = document.keys.entry(id).or_insert_with(|| TrustedKey {
        aliases: Vec::new(),
        label: label.clone(),
        revoked_at: None,
        roles: Vec::new(),
        ssh: to_openssh(&key, "").trim_end().to_owned(),
        valid_from: None,
        valid_until: None,
    });
    if entry.revoked_at.is_some() {
        return Err(AppError::usage(format!("{label} was revoked; a revoked key stays so"), "make a new key"));
    }
    entry.roles.extend(&options.roles);
    entry.roles.sort_unstable();
    entry.roles.dedup();
    entry.aliases.extend(options.aliases.iter().cloned());
    entry.aliases.sort();
    entry.aliases.dedup();
    entry.valid_from = options.valid_from.or(entry.valid_from);
    entry.valid_until = options.valid_until.or(entry.valid_until);
    // One raw key is one party: a second name for it gets the label that it has.
    let label = entry.label.clone();
    if !document.domains.values().any(|members| members.contains(&id)) {
        let members = document.domains.entry(domain.clone()).or_default();
        members.push(id);
        members.sort_unstable();
    }
    if options.roles.contains(&Role::Root) && !document.roots.keys.contains(&id) {
        document.roots.keys.push(id);
        document.roots.keys.sort_unstable();
    }
    Ok(Added { domain, id, label, made })
}

/// Which key `trust add` means, its label, and the file of a key that it made.
fn key_to_add(
    context: &Context,
    session: &Session<'_>,
    options: &AddOptions,
) -> Result<(PublicKey, String, Option<String>), AppError> {
    if options.new_key {
        let made = context.keyring.new_key(&options.key)?;
        let file = made.path.as_ref().map(|path| path.display().to_string());
        return Ok((made.public, options.label.clone().unwrap_or_else(|| options.key.clone()), file));
    }
    let known = session.trust.parties().find(|party| party.label == options.key || party.id.to_string() == options.key);
    if let Some(party) = known {
        return Ok((party.key, party.label.clone(), None));
    }
    let key = match context.keyring.find_public(&options.key) {
        Ok(key) => key,
        Err(error) => match registrar_in_refs(session, &options.key)? {
            Some(key) => key,
            None => return Err(error.into()),
        },
    };
    let is_label = crate::crypto::Label::new(&options.key).is_ok() && !options.key.starts_with("key_");
    let label = match (&options.label, is_label) {
        (Some(label), _) => label.clone(),
        (None, true) => options.key.clone(),
        (None, false) if options.roles == [Role::Registrar] => {
            format!("registrar-{}", &key_id(&key).to_string()[4..12])
        }
        (None, false) => return Err(AppError::usage("this key needs a label", "add --label <label>")),
    };
    if let Some(party) = session.trust.parties().find(|party| party.label == label && party.key != key) {
        return Err(AppError::usage(
            format!("the label {label:?} is taken by {}", party.id),
            "add --label <another label>",
        ));
    }
    Ok((key, label, None))
}

/// A registrar's key from its own ref, for `trust add key_… --role registrar`.
fn registrar_in_refs(session: &Session<'_>, spec: &str) -> Result<Option<PublicKey>, AppError> {
    let Ok(id) = spec.parse::<KeyId>() else { return Ok(None) };
    Ok(session.shelves.open.iter().find(|shelf| shelf.registrar == id).map(|shelf| shelf.key()))
}

/// Ends a key; of a registrar `last` is the last checkpoint that is honoured.
///
/// # Errors
/// When it is not there, or the change can't be signed.
pub fn revoke(
    context: &Context,
    key: &str,
    at: Option<Timestamp>,
    last: Option<LastCheckpoint>,
) -> Result<TrustChanged, AppError> {
    let repository = context.repository()?;
    let session = context.open_for_trust(&repository)?;
    let id = context.party(&session, key)?;
    let owner = signing_root(context, &session)?;
    let mut document = next(&session.trust);
    let party = session.trust.party_of(&id).expect("the id was found in the document");
    let at = at.unwrap_or(context.now);
    if let Some(since) = party.revoked_at.filter(|since| *since <= at) {
        return Err(AppError::usage(
            format!("{} is revoked already, since {since}", party.label),
            "name an earlier time with --at; a revocation never moves forward",
        ));
    }
    if at > context.now {
        return Err(AppError::usage(format!("{at} is in the future"), "use trust add --valid-until for a planned end"));
    }
    let roots_left = document.roots.keys.iter().filter(|root| **root != id).count() as u64;
    if document.roots.keys.contains(&id) {
        if roots_left < document.roots.threshold {
            return Err(AppError::usage(
                "this is a root key, and without it the threshold can't be reached",
                "git boundary trust add <another key> --role root --key <owner>",
            ));
        }
        document.roots.keys.retain(|root| *root != id);
    }
    if party.roles.contains(&Role::Registrar) {
        document.ledgers.insert(id, last_honoured(&session, &id, last)?);
    } else if last.is_some() {
        return Err(AppError::usage(
            format!("{} is no registrar, so that it has no checkpoint", party.label),
            format!("git boundary trust revoke {id} --key <owner>"),
        ));
    }
    document.keys.get_mut(&id).expect("the id was found in the document").revoked_at = Some(at);
    let committed = commit(context, &session, document, &[&*owner])?;
    Ok(TrustChanged {
        roles: Vec::new(),
        key: id,
        label: party.label.clone(),
        domain: party.domain.clone(),
        revoked_at: Some(at),
        made: None,
        committed,
    })
}

/// The point up to which a revoked registrar's ledger counts: the one that was named, if its ledger here has it; else all that is here,
/// or where its ledgers parted.
fn last_honoured(session: &Session<'_>, id: &KeyId, named: Option<LastCheckpoint>) -> Result<LastCheckpoint, AppError> {
    let here: Vec<_> = session.shelves.open.iter().filter(|shelf| shelf.registrar == *id).collect();
    let at = |size: u64| -> Option<LastCheckpoint> {
        let roots = here.iter().filter(|shelf| shelf.head.size >= size).filter_map(|shelf| shelf.root_at(size).ok());
        roots.map(|root| LastCheckpoint { root: Digest(root), size }).next()
    };
    let empty = LastCheckpoint { root: Digest(crate::ledger::TreeHead::empty().root), size: 0 };
    if let Some(named) = named.filter(|named| *named != empty) {
        let holds = |shelf: &&&crate::store::Shelf<'_>| {
            shelf.head.size >= named.size && shelf.root_at(named.size).is_ok_and(|root| Digest(root) == named.root)
        };
        if here.iter().any(|shelf| holds(&shelf)) {
            return Ok(named);
        }
        return Err(AppError::usage(
            format!(
                "no ledger of {id} that is here had {} entries with root {}; {}",
                named.size,
                named.root,
                at(named.size).map_or_else(
                    || "none had as many".to_owned(),
                    |found| format!("with as many its root was {}", found.root)
                )
            ),
            "git boundary sync",
        ));
    }
    if named.is_some() {
        return Ok(empty);
    }
    Ok(match here.as_slice() {
        [] => empty,
        [one] => LastCheckpoint { root: Digest(one.head.root), size: one.head.size },
        several => at(several.iter().map(|shelf| shelf.listed).min().unwrap_or(0)).unwrap_or(empty),
    })
}
