//! Chains of trust documents: what stands, and what each forgery of one is told.

mod keys;
mod links;
mod signatures;

use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::trust::Trust;
use git_boundary::model::id::RepositoryId;
use git_boundary::model::party::Role;
use git_boundary::model::trust::{Roots, TrustDocument};

use super::cast::{self, START, Who};
use super::vector::{Vector, all_come_to_what_they_expect};

/// Version 1 with two roots of three, so that thresholds show.
fn first() -> TrustDocument {
    let mut document = cast::document();
    for who in [Who::Owner, Who::Deputy] {
        document.keys.get_mut(&who.id()).expect("listed").roles.push(Role::Root);
    }
    let mut keys = vec![Who::Root.id(), Who::Owner.id(), Who::Deputy.id()];
    keys.sort_unstable();
    document.roots = Roots { keys, threshold: 2 };
    document
}

fn signed(document: &TrustDocument, by: &[Who]) -> Dsse {
    cast::sign(&Statement { predicate: document.clone(), subject: None }, by)
}

/// The document that follows one.
fn after(before: &TrustDocument, line: &Dsse, repository: RepositoryId) -> TrustDocument {
    TrustDocument {
        previous: Some(line.digest()),
        repository: Some(repository),
        version: before.version + 1,
        ..before.clone()
    }
}

/// A chain under construction.
struct Chain {
    documents: Vec<TrustDocument>,
    lines: Vec<Dsse>,
}

const BOTH: [Who; 2] = [Who::Root, Who::Owner];

impl Chain {
    fn from(document: TrustDocument, by: &[Who]) -> Chain {
        Chain { lines: vec![signed(&document, by)], documents: vec![document] }
    }

    /// Version 1 as it should be.
    fn new() -> Chain {
        Chain::from(first(), &BOTH)
    }

    fn repository(&self) -> RepositoryId {
        RepositoryId::of(&self.lines[0].digest())
    }

    /// One version more, changed before it is signed.
    fn then(mut self, edit: impl FnOnce(&mut TrustDocument), by: &[Who]) -> Chain {
        let (before, line) = (&self.documents[self.documents.len() - 1], &self.lines[self.lines.len() - 1]);
        let mut document = after(before, line, self.repository());
        edit(&mut document);
        self.lines.push(signed(&document, by));
        self.documents.push(document);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| [line.line(), b"\n".to_vec()].concat()).collect()
    }

    fn vector(&self, name: &str, expect: &str, about: &str) -> Vector {
        Vector::new(format!("trust/{name}.chain"), expect, about, self.bytes()).given("pin", self.lines[0].digest())
    }
}

fn nothing(_: &mut TrustDocument) {}

pub fn vectors() -> Vec<Vector> {
    [valid(), links::vectors(), signatures::vectors(), keys::vectors()].concat()
}

fn valid() -> Vec<Vector> {
    let three = Chain::new().then(nothing, &BOTH).then(nothing, &[Who::Owner, Who::Deputy]);
    let mut with_alias = first();
    with_alias.keys.get_mut(&Who::Codex.id()).expect("listed").aliases = vec!["key_0123456789abcdef".to_owned()];
    let handed_over = Chain::new().then(
        |it| {
            // The old roots hand over to new ones: both thresholds are met.
            it.keys.insert(Who::Stranger.id(), Who::Stranger.trusted("successor", &[Role::Root]));
            it.domains.insert("successors".to_owned(), vec![Who::Stranger.id()]);
            it.roots = Roots { keys: vec![Who::Stranger.id()], threshold: 1 };
        },
        &[Who::Root, Who::Owner, Who::Stranger],
    );
    let retired = Chain::new().then(
        |it| {
            it.keys.get_mut(&Who::Root.id()).expect("listed").revoked_at = Some(START);
            it.roots.keys.retain(|id| *id != Who::Root.id());
        },
        &[Who::Root, Who::Owner, Who::Deputy],
    );
    vec![
        Chain::new().vector("valid-one-version", "version 1 with 15 keys", "nothing is wrong with it"),
        three.vector("valid-three-versions", "version 3 with 15 keys", "each signed by two roots of three"),
        Chain::from(with_alias, &BOTH).vector("valid-alias", "version 1 with 15 keys", "a foreign name for a key"),
        handed_over.vector("valid-roots-handed-over", "version 2 with 16 keys", "signed by the old and the new roots"),
        retired.vector("valid-root-retired", "version 2 with 15 keys", "a root ends itself, and is none from then on"),
        Chain::from(first(), &[Who::Root, Who::Owner, Who::Stranger]).vector(
            "valid-a-stranger-signed-too",
            "version 1 with 15 keys",
            "a signature that counts for nothing",
        ),
    ]
}

#[test]
fn every_trust_chain_is_read_as_it_deserves() {
    all_come_to_what_they_expect("trust", |vector| {
        let lines: Vec<Vec<u8>> =
            vector.body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect();
        match Trust::verify(&lines, vector.get("pin").parse().expect("a digest")) {
            Ok(trust) => format!("version {} with {} keys", trust.version(), trust.parties().count()),
            Err(error) => error.to_string(),
        }
    });
}
