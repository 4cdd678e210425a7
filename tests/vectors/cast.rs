//! The parties of these tests. The private key of each is the seed `[n; 32]`, so that everything they sign is the same for ever.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use git_boundary::codec::dsse::{Dsse, Signature, pae};
use git_boundary::codec::in_toto::{PAYLOAD_TYPE, Predicate, Statement};
use git_boundary::crypto::trust::Trust;
use git_boundary::crypto::{PrivateKey, Signer as _, key_id, to_openssh};
use git_boundary::model::id::KeyId;
use git_boundary::model::key::PublicKey;
use git_boundary::model::party::Role;
use git_boundary::model::time::Timestamp;
use git_boundary::model::trust::{Roots, TrustDocument, TrustedKey};

/// When everything begins: 2026-06-06T00:00:00Z.
pub const START: Timestamp = Timestamp(1_780_704_000);

/// A party, named for what it is to the case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// Owner and listed person.
    Owner = 1,
    /// The agent that holds the handoff.
    Codex = 2,
    /// The independent checker.
    Reviewer = 3,
    /// A listed registrar in a domain of its own.
    Ci = 4,
    /// A checker in another domain than the first.
    Auditor = 5,
    /// A checker in the agent's own domain.
    CodexTwin = 6,
    /// A listed registrar in the agent's own domain.
    CodexClone = 7,
    /// Signs evidence.
    Tester = 8,
    /// A second listed person, and nothing else.
    Hotfixer = 9,
    /// A second listed registrar in a domain of its own.
    Watcher = 10,
    /// A second checker in the first one's domain.
    Colleague = 11,
    /// Another agent, in another domain.
    Claude = 12,
    /// A listed registrar in the checker's domain.
    ReviewerClone = 13,
    /// A second owner, who is listed by no rule.
    Deputy = 14,
    /// Signs the trust document, and nothing else.
    Root = 15,
    /// In no trust document.
    Stranger = 20,
    /// A registrar in no trust document.
    StrangerClone = 21,
}

/// Everybody in the trust document: label, domain and roles.
const LISTED: &[(Who, &str, &str, &[Role])] = &[
    (Who::Owner, "owner", "team", &[Role::Owner, Role::Person]),
    (Who::Codex, "codex", "codex", &[Role::Actor]),
    (Who::Reviewer, "reviewer", "reviewers", &[Role::Checker]),
    (Who::Ci, "ci", "ci", &[Role::Registrar]),
    (Who::Auditor, "auditor", "audit", &[Role::Checker]),
    (Who::CodexTwin, "codex-twin", "codex", &[Role::Checker]),
    (Who::CodexClone, "codex-clone", "codex", &[Role::Registrar]),
    (Who::Tester, "tester", "tests", &[Role::Evidence]),
    (Who::Hotfixer, "hotfixer", "team", &[Role::Person]),
    (Who::Watcher, "watcher", "watch", &[Role::Registrar]),
    (Who::Colleague, "colleague", "reviewers", &[Role::Checker]),
    (Who::Claude, "claude", "claude", &[Role::Actor]),
    (Who::ReviewerClone, "reviewer-clone", "reviewers", &[Role::Registrar]),
    (Who::Deputy, "deputy", "team", &[Role::Owner]),
    (Who::Root, "root", "vault", &[Role::Root]),
];

impl Who {
    /// The private key.
    pub fn private(self) -> PrivateKey {
        PrivateKey::from_seed(&[self as u8; 32])
    }

    /// The raw public key.
    pub fn key(self) -> PublicKey {
        self.private().public_key()
    }

    /// Its key id.
    pub fn id(self) -> KeyId {
        key_id(&self.key())
    }

    /// Its name in the signature of a line.
    pub fn name(self) -> String {
        self.id().to_string()
    }

    /// A plain signature.
    pub fn sign(self, message: &[u8]) -> [u8; 64] {
        self.private().sign(message).expect("a key in memory signs")
    }

    /// As the trust document lists it, with these roles.
    pub fn trusted(self, label: &str, roles: &[Role]) -> TrustedKey {
        TrustedKey {
            aliases: Vec::new(),
            label: label.to_owned(),
            revoked_at: None,
            roles: roles.to_vec(),
            ssh: to_openssh(&self.key(), ""),
            valid_from: None,
            valid_until: None,
        }
    }
}

/// Version 1 of the trust document, with everybody in it.
pub fn document() -> TrustDocument {
    let mut document = TrustDocument {
        domains: BTreeMap::new(),
        expires_at: None,
        keys: BTreeMap::new(),
        ledgers: BTreeMap::new(),
        previous: None,
        repository: None,
        roots: Roots { keys: vec![Who::Root.id()], threshold: 1 },
        version: 1,
    };
    for (who, label, domain, roles) in LISTED {
        document.keys.insert(who.id(), who.trusted(label, roles));
        document.domains.entry((*domain).to_owned()).or_default().push(who.id());
    }
    document
}

/// A chain of one version, signed by the root and pinned.
pub fn trust_of(document: TrustDocument) -> Rc<Trust> {
    // Thousands of cases share one document, and verifying it costs more than judging them.
    thread_local!(static LAST: RefCell<Option<(TrustDocument, Rc<Trust>)>> = const { RefCell::new(None) });
    let known = LAST.with_borrow(|last| last.as_ref().filter(|(it, _)| *it == document).map(|(_, it)| Rc::clone(it)));
    known.unwrap_or_else(|| {
        let artifact = sign(&Statement { predicate: document.clone(), subject: None }, &[Who::Root]);
        let verified = Trust::verify(&[artifact.line()], artifact.digest());
        let trust = Rc::new(verified.expect("the test's own trust document verifies"));
        LAST.set(Some((document, Rc::clone(&trust))));
        trust
    })
}

/// Whether a document can stand as version 1.
pub fn verifies(document: &TrustDocument) -> bool {
    let artifact = sign(&Statement { predicate: document.clone(), subject: None }, &[Who::Root]);
    Trust::verify(&[artifact.line()], artifact.digest()).is_ok()
}

/// An own statement with a signature by each of these.
pub fn sign<P: Predicate>(statement: &Statement<P>, by: &[Who]) -> Dsse {
    sign_bytes(PAYLOAD_TYPE, statement.payload(), by)
}

/// Any payload with a signature by each of these.
pub fn sign_bytes(payload_type: &str, payload: Vec<u8>, by: &[Who]) -> Dsse {
    let message = pae(payload_type, &payload);
    let signatures = by.iter().map(|who| Signature { keyid: who.name(), sig: who.sign(&message).to_vec() }).collect();
    Dsse { payload_type: payload_type.to_owned(), payload, signatures }
}

/// The raw key behind a name, for everybody listed and for the registrar of an unlisted ledger.
pub fn resolve(trust: &Trust, name: &str) -> Option<PublicKey> {
    trust.resolve(name).or_else(|| (name == Who::StrangerClone.name()).then(|| Who::StrangerClone.key()))
}
