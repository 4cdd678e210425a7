//! The first trust document.

use std::collections::BTreeMap;

use crate::crypto::{key_id, to_openssh};
use crate::model::id::KeyId;
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::trust::{Roots, TrustDocument, TrustedKey};

/// The first trust document of a repository: its owner, and the registrar of the clone it is made in.
pub fn first(owner: (&PublicKey, &str), registrar: &PublicKey) -> TrustDocument {
    let mut keys = BTreeMap::new();
    let mut domains: BTreeMap<String, Vec<KeyId>> = BTreeMap::new();
    let registrar_id = key_id(registrar);
    let registrar_label = format!("registrar-{}", &registrar_id.to_string()[4..12]);
    let parties = [
        (owner.0, owner.1.to_owned(), vec![Role::Root, Role::Owner, Role::Person]),
        (registrar, registrar_label, vec![Role::Registrar]),
    ];
    for (key, label, roles) in parties {
        let id = key_id(key);
        domains.entry(label.clone()).or_default().push(id);
        keys.insert(
            id,
            TrustedKey {
                aliases: Vec::new(),
                label,
                revoked_at: None,
                roles,
                ssh: to_openssh(key, "").trim_end().to_owned(),
                valid_from: None,
                valid_until: None,
            },
        );
    }
    TrustDocument {
        domains,
        expires_at: None,
        keys,
        ledgers: BTreeMap::new(),
        previous: None,
        repository: None,
        roots: Roots { keys: vec![key_id(owner.0)], threshold: 1 },
        version: 1,
    }
}
