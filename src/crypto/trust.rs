//! The chain of trust documents, and what it says of a key (contract, section 4).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::ed25519::key_id;
use super::key::parse_public_key;
use super::verified::{BadLine, verify_statement};
use crate::model::digest::Digest;
use crate::model::id::{KeyId, RepositoryId};
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::time::Timestamp;
use crate::model::trust::{LastCheckpoint, TrustDocument};

/// A verified chain, as of its last version.
#[derive(Debug, Clone)]
pub struct Trust {
    digests: Vec<Digest>,
    document: TrustDocument,
    names: HashMap<String, PublicKey>,
    parties: BTreeMap<PublicKey, Party>,
    repository: RepositoryId,
}

/// One raw key and what is said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// Who answers for it.
    pub domain: String,
    /// Its name for machines.
    pub id: KeyId,
    /// The raw key.
    pub key: PublicKey,
    /// Its name for people.
    pub label: String,
    /// From when it must not be believed.
    pub revoked_at: Option<Timestamp>,
    /// What it may sign.
    pub roles: BTreeSet<Role>,
    /// First moment of validity.
    pub valid_from: Option<Timestamp>,
    /// Last moment of validity.
    pub valid_until: Option<Timestamp>,
}

/// Whether a key may speak in a role at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It may.
    Good,
    /// The trust document does not know the key.
    Unknown,
    /// It knows the key, not in this role.
    NotInRole,
    /// Revoked at this earlier or equal moment.
    Revoked(Timestamp),
    /// Valid only from this later moment.
    NotYetValid(Timestamp),
    /// Valid only until this earlier moment.
    Expired(Timestamp),
}

/// What is wrong with a chain of trust documents.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// No version at all.
    #[error("the trust chain is empty")]
    Empty,
    /// Another root than the pinned one.
    #[error("the trust root is {found}, pinned is {pinned}")]
    OtherRoot {
        /// Digest of version 1.
        found: Digest,
        /// The pin.
        pinned: Digest,
    },
    /// A line that is no trust document, or not signed by its keys.
    #[error("trust version {version}: {defect}")]
    Line {
        /// Place in the chain, from 1.
        version: u64,
        /// The defect.
        defect: BadLine,
    },
    /// A document at odds with itself or the one before it.
    #[error("trust version {version}: {defect}")]
    Document {
        /// Place in the chain, from 1.
        version: u64,
        /// The defect.
        defect: DocumentDefect,
    },
}

/// A trust document's defect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentDefect {
    /// Not the next number.
    #[error("says it is version {0}")]
    Version(u64),
    /// Another predecessor.
    #[error("follows {found:?}, the version before it is {expected:?}")]
    Previous {
        /// What it names.
        found: Option<Digest>,
        /// What stands before it.
        expected: Option<Digest>,
    },
    /// Another repository.
    #[error("is for repository {found:?}, this chain is for {expected:?}")]
    Repository {
        /// What it names.
        found: Option<RepositoryId>,
        /// What the chain defines.
        expected: Option<RepositoryId>,
    },
    /// Too few signatures by roots.
    #[error("has {found} good root signatures of the {threshold} that version {by} asks for")]
    Threshold {
        /// Distinct raw root keys that signed.
        found: u64,
        /// How many it takes.
        threshold: u64,
        /// Whose threshold.
        by: u64,
    },
    /// A threshold that nobody or anybody can reach.
    #[error("asks for {threshold} of {keys} distinct root keys")]
    Roots {
        /// The threshold.
        threshold: u64,
        /// Distinct raw root keys.
        keys: u64,
    },
    /// A key that is not what its id says, or no Ed25519 key.
    #[error("key {0} is not the key that it holds")]
    Key(KeyId),
    /// A key in no domain or in several.
    #[error("key {id} is in {count} domains; each key is in exactly one")]
    Domain {
        /// The key.
        id: KeyId,
        /// How many domains list it.
        count: usize,
    },
    /// A domain or ledger names a key that is not there.
    #[error("names key {0}, which it does not hold")]
    Dangling(KeyId),
    /// One name for two keys.
    #[error("the name {0:?} stands for two keys")]
    Alias(String),
    /// A key of the version before is gone or was exchanged.
    #[error("key {0} of the version before is gone or changed; keys are ended, never deleted")]
    Deleted(KeyId),
}

impl Trust {
    /// Verifies a chain, version 1 first, from a pinned root.
    ///
    /// # Errors
    /// [`TrustError`], naming the version and the defect.
    pub fn verify(lines: &[Vec<u8>], pin: Digest) -> Result<Trust, TrustError> {
        let mut chain: Option<Trust> = None;
        for (place, line) in lines.iter().enumerate() {
            let version = place as u64 + 1;
            chain = Some(Trust::next(chain, line, version, pin)?);
        }
        chain.ok_or(TrustError::Empty)
    }

    /// Adds one version to the chain before it, which is none for version 1.
    ///
    /// # Errors
    /// As for [`Trust::verify`].
    pub fn next(before: Option<Trust>, line: &[u8], version: u64, pin: Digest) -> Result<Trust, TrustError> {
        // Whose signatures to look for is in the document itself, so it is read twice: once unverified to learn its keys, then as
        // verified bytes. Nothing of the first reading is kept.
        let peeked = peek(line).map_err(|defect| TrustError::Line { version, defect })?;
        let defect = |defect| TrustError::Document { version, defect };
        let names = names(&peeked).map_err(defect)?;
        let resolve = |name: &str| {
            names.get(name).copied().or_else(|| before.as_ref().and_then(|trust| trust.names.get(name).copied()))
        };
        let verified =
            verify_statement::<TrustDocument>(line, &resolve).map_err(|defect| TrustError::Line { version, defect })?;
        let document = verified.value().predicate.clone();
        if before.is_none() && verified.digest() != pin {
            return Err(TrustError::OtherRoot { found: verified.digest(), pinned: pin });
        }
        check_link(before.as_ref(), &document, version, verified.signers()).map_err(defect)?;
        let parties = parties(&document).map_err(defect)?;
        let (mut digests, repository) = match before {
            Some(trust) => (trust.digests, trust.repository),
            None => (Vec::new(), RepositoryId::of(&verified.digest())),
        };
        digests.push(verified.digest());
        Ok(Trust { digests, document, names, parties, repository })
    }

    /// The artifact digest of the last version.
    pub fn digest(&self) -> Digest {
        *self.digests.last().expect("a chain has a first version")
    }

    /// The artifact digest of each version, version 1 first.
    pub fn digests(&self) -> &[Digest] {
        &self.digests
    }

    /// The artifact digest of version 1: what is pinned.
    pub fn root(&self) -> Digest {
        self.digests[0]
    }

    /// The last version's number.
    pub fn version(&self) -> u64 {
        self.document.version
    }

    /// Which repository this is.
    pub fn repository(&self) -> RepositoryId {
        self.repository
    }

    /// The last version.
    pub fn document(&self) -> &TrustDocument {
        &self.document
    }

    /// Whether the last version has expired at `now`.
    pub fn expired_at(&self, now: Timestamp) -> Option<Timestamp> {
        self.document.expires_at.filter(|end| *end < now)
    }

    /// The raw key behind a key id or alias.
    pub fn resolve(&self, name: &str) -> Option<PublicKey> {
        self.names.get(name).copied()
    }

    /// What is said of a raw key.
    pub fn party(&self, key: &PublicKey) -> Option<&Party> {
        self.parties.get(key)
    }

    /// What is said of the key behind an id.
    pub fn party_of(&self, id: &KeyId) -> Option<&Party> {
        self.party(&self.resolve(&id.to_string())?)
    }

    /// Every party.
    pub fn parties(&self) -> impl Iterator<Item = &Party> {
        self.parties.values()
    }

    /// The raw keys of the roots that have not ended.
    pub fn roots(&self) -> BTreeSet<PublicKey> {
        let roots = self.document.roots.keys.iter().filter_map(|id| self.party_of(id));
        roots.filter(|party| party.revoked_at.is_none()).map(|party| party.key).collect()
    }

    /// The last honoured checkpoint of a revoked registrar.
    pub fn last_checkpoint(&self, registrar: &KeyId) -> Option<LastCheckpoint> {
        self.document.ledgers.get(registrar).copied()
    }

    /// Whether a key may speak in a role at a moment.
    pub fn standing(&self, key: &PublicKey, role: Role, at: Timestamp) -> Standing {
        let Some(party) = self.parties.get(key) else { return Standing::Unknown };
        if !party.roles.contains(&role) {
            return Standing::NotInRole;
        }
        if let Some(moment) = party.revoked_at.filter(|moment| *moment <= at) {
            return Standing::Revoked(moment);
        }
        if let Some(moment) = party.valid_from.filter(|moment| *moment > at) {
            return Standing::NotYetValid(moment);
        }
        if let Some(moment) = party.valid_until.filter(|moment| *moment < at) {
            return Standing::Expired(moment);
        }
        Standing::Good
    }
}

fn peek(line: &[u8]) -> Result<TrustDocument, BadLine> {
    use crate::codec::artifact::PayloadError;
    use crate::codec::dsse::Dsse;
    use crate::codec::in_toto::Statement;

    let envelope = Dsse::parse(line)?;
    Statement::<TrustDocument>::read(&envelope.payload)
        .map(|statement| statement.predicate)
        .map_err(|defect| BadLine::Payload { claims: None, defect: PayloadError::Statement(defect) })
}

/// Every name in a document, key ids and aliases, with the raw key.
fn names(document: &TrustDocument) -> Result<HashMap<String, PublicKey>, DocumentDefect> {
    let mut names = HashMap::new();
    for (id, trusted) in &document.keys {
        let key = parse_public_key(&trusted.ssh).map_err(|_| DocumentDefect::Key(*id))?;
        if key_id(&key) != *id {
            return Err(DocumentDefect::Key(*id));
        }
        for name in trusted.aliases.iter().cloned().chain([id.to_string()]) {
            if names.insert(name.clone(), key).is_some_and(|other| other != key) {
                return Err(DocumentDefect::Alias(name));
            }
        }
    }
    Ok(names)
}

fn parties(document: &TrustDocument) -> Result<BTreeMap<PublicKey, Party>, DocumentDefect> {
    let mut domains: BTreeMap<KeyId, Vec<&String>> = BTreeMap::new();
    for (domain, ids) in &document.domains {
        for id in ids {
            if !document.keys.contains_key(id) {
                return Err(DocumentDefect::Dangling(*id));
            }
            domains.entry(*id).or_default().push(domain);
        }
    }
    if let Some(id) = document.ledgers.keys().find(|id| !document.keys.contains_key(id)) {
        return Err(DocumentDefect::Dangling(*id));
    }
    let mut parties = BTreeMap::new();
    for (id, trusted) in &document.keys {
        let key = parse_public_key(&trusted.ssh).map_err(|_| DocumentDefect::Key(*id))?;
        let domain = match domains.get(id).map(Vec::as_slice) {
            Some([domain]) => (*domain).clone(),
            other => return Err(DocumentDefect::Domain { id: *id, count: other.map_or(0, <[_]>::len) }),
        };
        let party = Party {
            domain,
            id: *id,
            key,
            label: trusted.label.clone(),
            revoked_at: trusted.revoked_at,
            roles: trusted.roles.iter().copied().collect(),
            valid_from: trusted.valid_from,
            valid_until: trusted.valid_until,
        };
        parties.insert(key, party);
    }
    Ok(parties)
}

fn check_link(
    before: Option<&Trust>,
    document: &TrustDocument,
    version: u64,
    signers: &BTreeSet<PublicKey>,
) -> Result<(), DocumentDefect> {
    if document.version != version {
        return Err(DocumentDefect::Version(document.version));
    }
    let expected = before.map(Trust::digest);
    if document.previous != expected {
        return Err(DocumentDefect::Previous { found: document.previous, expected });
    }
    let expected = before.map(Trust::repository);
    if document.repository != expected {
        return Err(DocumentDefect::Repository { found: document.repository, expected });
    }
    if let Some(before) = before {
        check_threshold(&before.document, signers)?;
        for (id, old) in &before.document.keys {
            if document.keys.get(id).is_none_or(|new| new.ssh != old.ssh) {
                return Err(DocumentDefect::Deleted(*id));
            }
        }
    }
    check_threshold(document, signers)
}

/// Thresholds count distinct raw keys that the document holds as roots and has not ended: a root whose key was stolen must not be able
/// to undo its own revocation.
fn check_threshold(document: &TrustDocument, signers: &BTreeSet<PublicKey>) -> Result<(), DocumentDefect> {
    let mut roots = BTreeSet::new();
    for id in &document.roots.keys {
        let trusted = document.keys.get(id).ok_or(DocumentDefect::Dangling(*id))?;
        let key = parse_public_key(&trusted.ssh).map_err(|_| DocumentDefect::Key(*id))?;
        if trusted.revoked_at.is_none() {
            roots.insert(key);
        }
    }
    let threshold = document.roots.threshold;
    if threshold == 0 || threshold > roots.len() as u64 {
        return Err(DocumentDefect::Roots { threshold, keys: roots.len() as u64 });
    }
    let found = roots.intersection(signers).count() as u64;
    if found < threshold {
        return Err(DocumentDefect::Threshold { found, threshold, by: document.version });
    }
    Ok(())
}
