//! Verify the stored bytes, then parse: the only maker of [`Verified`].

use std::cell::RefCell;
use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::ed25519;
use super::error::KeyError;
use super::signer::Signer;
use crate::codec::artifact::{Artifact, ClaimedKind, PayloadError};
use crate::codec::dsse::{self, Dsse, DsseError, Signature};
use crate::codec::in_toto::{PAYLOAD_TYPE, Predicate, Statement};
use crate::model::digest::Digest;
use crate::model::id::ArtifactId;
use crate::model::key::PublicKey;

/// A value whose bytes carried at least one good signature by a key that was known by name.
///
/// It says who signed, and nothing about whether that key was the right one: that is judged by the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified<T> {
    digest: Digest,
    signers: BTreeSet<PublicKey>,
    value: T,
}

impl<T> Verified<T> {
    /// SHA-256 of the signed bytes: the artifact's name.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The short name for people.
    pub fn id(&self) -> ArtifactId {
        ArtifactId::of(&self.digest)
    }

    /// Whose signatures verified.
    pub fn signers(&self) -> &BTreeSet<PublicKey> {
        &self.signers
    }

    /// Whether this raw key signed.
    pub fn signed_by(&self, key: &PublicKey) -> bool {
        self.signers.contains(key)
    }

    /// What was signed.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The same artifact found in another line: its signatures count together (contract, section 2).
    ///
    /// Does nothing for another artifact.
    pub fn absorb(&mut self, other: &Verified<T>) {
        if other.digest == self.digest {
            self.signers.extend(other.signers.iter().copied());
        }
    }
}

/// A line that authorises nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadLine {
    /// No envelope.
    #[error(transparent)]
    Envelope(#[from] DsseError),
    /// Every signature by a known key is wrong.
    #[error("the signature by {} does not verify", keyids.join(", "))]
    Signature {
        /// Whose place the line claims.
        claims: Option<ClaimedKind>,
        /// Who is said to have signed.
        keyids: Vec<String>,
    },
    /// No signature is by a key that the trust document knows.
    #[error("signed by {}, which the trust document does not know", keyids.join(", "))]
    UnknownKey {
        /// Whose place the line claims.
        claims: Option<ClaimedKind>,
        /// Who is said to have signed.
        keyids: Vec<String>,
    },
    /// A good signature over a payload with a defect.
    #[error("{defect}")]
    Payload {
        /// Whose place the line claims.
        claims: Option<ClaimedKind>,
        /// The defect.
        defect: PayloadError,
    },
}

impl BadLine {
    /// Whose place the line claims, as far as it can be told.
    pub fn claims(&self) -> Option<ClaimedKind> {
        match self {
            BadLine::Envelope(_) => None,
            BadLine::Signature { claims, .. }
            | BadLine::UnknownKey { claims, .. }
            | BadLine::Payload { claims, .. } => *claims,
        }
    }
}

/// Verifies one stored line, then parses it. `resolve` gives the raw key behind a key id or alias.
///
/// # Errors
/// [`BadLine`], saying why the line authorises nothing.
pub fn verify_line(line: &[u8], resolve: &dyn Fn(&str) -> Option<PublicKey>) -> Result<Verified<Artifact>, BadLine> {
    verify_envelope(&Dsse::parse(line)?, resolve)
}

/// The same, unless the line claims to be of a kind that the caller has no use for: no signature could make anything else of it.
///
/// # Errors
/// [`BadLine`], saying why the line authorises nothing.
pub fn verify_line_of(
    line: &[u8],
    wanted: impl Fn(ClaimedKind) -> bool,
    resolve: &dyn Fn(&str) -> Option<PublicKey>,
) -> Result<Option<Verified<Artifact>>, BadLine> {
    let envelope = Dsse::parse(line)?;
    match Artifact::claimed_kind(&envelope.payload_type, &envelope.payload) {
        Some(claimed) if !wanted(claimed) => Ok(None),
        _ => verify_envelope(&envelope, resolve).map(Some),
    }
}

/// A line and whose keys its signatures were held against, in a form that no other question has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Question(pub [u8; 32]);

impl Question {
    /// SHA-256 of the raw key for each signature in order, or that there is none, and of the line. Whether the line is good with these
    /// keys follows from these bytes alone, whatever else the keys may do.
    fn of(line: &[u8], envelope: &Dsse, resolve: &dyn Fn(&str) -> Option<PublicKey>) -> Self {
        let mut hasher = Sha256::new_with_prefix(b"git-boundary:verified-line:v1\0");
        hasher.update((envelope.signatures.len() as u64).to_be_bytes());
        for signature in &envelope.signatures {
            match resolve(&signature.keyid) {
                Some(key) => hasher.update([&[1][..], &key.0].concat()),
                None => hasher.update([0]),
            }
        }
        Question(hasher.chain_update(line).finalize().into())
    }
}

/// Which lines were found good in an earlier process by this program: strict in form, every signature by a known key verified, the
/// payload without a defect.
pub struct Memory<'m> {
    known: &'m dyn Fn(&Question) -> bool,
    found: RefCell<Vec<Question>>,
}

impl<'m> Memory<'m> {
    /// `known` is believed.
    pub fn new(known: &'m dyn Fn(&Question) -> bool) -> Self {
        Memory { known, found: RefCell::default() }
    }

    /// What was not known and was found good now. A line with a wrong signature, or any other defect, never is.
    pub fn into_found(self) -> Vec<Question> {
        self.found.into_inner()
    }
}

/// [`verify_line`], for who remembers from one process to the next what was found good: such a line is only read.
///
/// # Errors
/// [`BadLine`], saying why the line authorises nothing.
pub fn verify_line_remembering(
    line: &[u8],
    resolve: &dyn Fn(&str) -> Option<PublicKey>,
    memory: &Memory<'_>,
) -> Result<Verified<Artifact>, BadLine> {
    let again = Dsse::parse_again(line);
    let question = again.as_ref().map(|envelope| Question::of(line, envelope, resolve));
    if let (Some(envelope), Some(question)) = (&again, &question)
        && (memory.known)(question)
        && let Ok(value) = Artifact::read_again(&envelope.payload_type, &envelope.payload)
    {
        let signers = envelope.signatures.iter().filter_map(|one| resolve(&one.keyid)).collect();
        return Ok(Verified { digest: envelope.digest(), signers, value });
    }
    let envelope = match again {
        Some(envelope) if envelope.is_whole_of(line) => envelope,
        _ => Dsse::parse(line)?,
    };
    let verified = verify_envelope(&envelope, resolve)?;
    let named: BTreeSet<PublicKey> = envelope.signatures.iter().filter_map(|one| resolve(&one.keyid)).collect();
    if let Some(question) = question.filter(|_| named == verified.signers) {
        memory.found.borrow_mut().push(question);
    }
    Ok(verified)
}

/// Whose place a line claims that nobody has verified.
pub fn claimed_kind(line: &[u8]) -> Option<ClaimedKind> {
    let envelope = Dsse::parse(line).ok()?;
    Artifact::claimed_kind(&envelope.payload_type, &envelope.payload)
}

fn verify_envelope(
    envelope: &Dsse,
    resolve: &dyn Fn(&str) -> Option<PublicKey>,
) -> Result<Verified<Artifact>, BadLine> {
    let signers = signers_of(envelope, resolve).map_err(|unknown| {
        let claims = Artifact::claimed_kind(&envelope.payload_type, &envelope.payload);
        let keyids = envelope.signatures.iter().map(|one| one.keyid.clone()).collect();
        if unknown { BadLine::UnknownKey { claims, keyids } } else { BadLine::Signature { claims, keyids } }
    })?;
    let value = Artifact::read(&envelope.payload_type, &envelope.payload).map_err(|defect| BadLine::Payload {
        claims: Artifact::claimed_kind(&envelope.payload_type, &envelope.payload),
        defect,
    })?;
    Ok(Verified { digest: envelope.digest(), signers, value })
}

/// Verifies one statement of a fixed kind, for the chains of trust and policy.
///
/// # Errors
/// [`BadLine`], saying why the line authorises nothing.
pub fn verify_statement<P: Predicate>(
    line: &[u8],
    resolve: &dyn Fn(&str) -> Option<PublicKey>,
) -> Result<Verified<Statement<P>>, BadLine> {
    let envelope = Dsse::parse(line)?;
    let claims = Artifact::claimed_kind(&envelope.payload_type, &envelope.payload);
    let signers = signers_of(&envelope, resolve).map_err(|unknown| {
        let keyids = envelope.signatures.iter().map(|one| one.keyid.clone()).collect();
        if unknown { BadLine::UnknownKey { claims, keyids } } else { BadLine::Signature { claims, keyids } }
    })?;
    if envelope.payload_type != PAYLOAD_TYPE {
        return Err(BadLine::Payload { claims, defect: PayloadError::PayloadType(envelope.payload_type) });
    }
    let value = Statement::<P>::read(&envelope.payload)
        .map_err(|defect| BadLine::Payload { claims, defect: PayloadError::Statement(defect) })?;
    Ok(Verified { digest: dsse::artifact_digest(&envelope.payload_type, &envelope.payload), signers, value })
}

/// After so many wrong signatures by known keys a line is looked at no further: anybody can write them, and each costs a verification.
const MOST_WRONG: usize = 4;

/// The raw keys whose signatures verify; `Err(true)` when no named key is known, `Err(false)` when known ones fail.
///
/// Of several signatures by one key the first one counts, whatever names they give it.
fn signers_of(envelope: &Dsse, resolve: &dyn Fn(&str) -> Option<PublicKey>) -> Result<BTreeSet<PublicKey>, bool> {
    let pae = envelope.pae();
    let mut unknown = true;
    let mut good = BTreeSet::new();
    let mut wrong = BTreeSet::new();
    for signature in &envelope.signatures {
        let Some(key) = resolve(&signature.keyid) else { continue };
        unknown = false;
        if good.contains(&key) || wrong.contains(&key) {
            continue;
        }
        if ed25519::verify(&key, &pae, &signature.sig) {
            good.insert(key);
        } else if wrong.insert(key) && wrong.len() >= MOST_WRONG {
            break;
        }
    }
    if good.is_empty() { Err(unknown) } else { Ok(good) }
}

/// Signs a payload with one key.
///
/// # Errors
/// What the key has to say, for instance that an agent refused.
pub fn sign(payload_type: &str, payload: Vec<u8>, signer: &dyn Signer) -> Result<Dsse, KeyError> {
    let sig = signer.sign(&dsse::pae(payload_type, &payload))?.to_vec();
    let keyid = ed25519::key_id(&signer.public_key()).to_string();
    Ok(Dsse { payload_type: payload_type.to_owned(), payload, signatures: vec![Signature { keyid, sig }] })
}

/// Signs an own statement with one key.
///
/// # Errors
/// What the key has to say.
pub fn sign_statement<P: Predicate>(statement: &Statement<P>, signer: &dyn Signer) -> Result<Dsse, KeyError> {
    sign(PAYLOAD_TYPE, statement.payload(), signer)
}
