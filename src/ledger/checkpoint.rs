//! C2SP checkpoints: the tree head of a ledger, signed by its registrar.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::hash;
use super::note::{self, Note, NoteError, NoteSignature};
use super::tree::{SIZE_LIMIT, TreeHead};
use crate::model::digest::Digest;
use crate::model::id::{KeyId, RepositoryId};

/// Which ledger: `git-boundary/<repository id>/<registrar's key id>` (contract, section 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The repository.
    pub repository: RepositoryId,
    /// The registrar, who alone writes this ledger.
    pub registrar: KeyId,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "git-boundary/{}/{}", self.repository, self.registrar)
    }
}

impl FromStr for Origin {
    type Err = CheckpointError;

    fn from_str(text: &str) -> Result<Self, CheckpointError> {
        let parts = text.strip_prefix("git-boundary/").and_then(|rest| rest.split_once('/'));
        let origin = parts.and_then(|(repository, registrar)| {
            Some(Origin { repository: repository.parse().ok()?, registrar: registrar.parse().ok()? })
        });
        origin.ok_or_else(|| CheckpointError::Origin(text.to_owned()))
    }
}

/// What a registrar says of its ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// The ledger.
    pub origin: Origin,
    /// Its size and root.
    pub head: TreeHead,
}

impl Checkpoint {
    /// Signs the checkpoint: `sign` makes an Ed25519 signature over the bytes it is given, with the registrar's key.
    /// The key's name in the note is the origin.
    ///
    /// # Errors
    /// Whatever `sign` returns.
    pub fn sign<E>(
        &self,
        public_key: &[u8; 32],
        sign: impl FnOnce(&[u8]) -> Result<[u8; 64], E>,
    ) -> Result<SignedCheckpoint, E> {
        let text = self.to_string();
        let signature = sign(text.as_bytes())?.to_vec();
        let name = self.origin.to_string();
        let key_id = note::key_id(&name, note::ED25519, public_key);
        let note = Note { text, signatures: vec![NoteSignature { name, key_id, signature }] };
        Ok(SignedCheckpoint { note, claimed: *self })
    }

    /// Reads the text that is signed: exactly origin, size and root. C2SP allows further lines and advises against
    /// them; no registrar writes any, so they are refused.
    ///
    /// # Errors
    /// Names the line at fault.
    pub fn parse(text: &str) -> Result<Self, CheckpointError> {
        let lines: Vec<&str> = text.split('\n').collect();
        let [origin, size, root, ""] = lines[..] else {
            return Err(CheckpointError::Lines { found: lines.len() - 1 });
        };
        let origin = origin.parse()?;
        let size = parse_size(size).ok_or_else(|| CheckpointError::Size(size.to_owned()))?;
        // The decoder refuses missing padding and stray bits, so a root has one spelling.
        let decoded = BASE64_STANDARD.decode(root).ok().and_then(|bytes| bytes.try_into().ok());
        let root = decoded.ok_or_else(|| CheckpointError::Root(root.to_owned()))?;
        if size == 0 && root != hash::empty() {
            return Err(CheckpointError::RootOfNothing(Digest(root)));
        }
        Ok(Checkpoint { origin, head: TreeHead { size, root } })
    }
}

/// The text that is signed.
impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}\n{}", self.origin, self.head.size, BASE64_STANDARD.encode(self.head.root))
    }
}

/// A checkpoint with its signatures, as stored at `ledger/checkpoint`. [`fmt::Display`] gives the bytes to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedCheckpoint {
    pub(super) note: Note,
    claimed: Checkpoint,
}

impl SignedCheckpoint {
    /// Takes a stored checkpoint apart; no signature is looked at.
    ///
    /// # Errors
    /// When it is no note, or the note's text is no checkpoint.
    pub fn parse(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let note = Note::parse(bytes)?;
        let claimed = Checkpoint::parse(&note.text)?;
        Ok(SignedCheckpoint { note, claimed })
    }

    /// What it says, whoever wrote it: for finding the key to verify with and for messages, not to build on.
    pub fn claimed(&self) -> &Checkpoint {
        &self.claimed
    }

    /// All signature lines, verified or not.
    pub fn signatures(&self) -> &[NoteSignature] {
        &self.note.signatures
    }

    /// Confirms that the registrar of `origin` signed this, with `public_key`.
    ///
    /// `verify` is strict Ed25519 over (public key, message, signature). Signatures by other keys are ignored.
    ///
    /// # Errors
    /// When it is another ledger's, the key is not the one that the origin names, or its signature is absent or wrong.
    pub fn verify(
        &self,
        origin: &Origin,
        public_key: &[u8; 32],
        verify: impl Fn(&[u8; 32], &[u8], &[u8; 64]) -> bool,
    ) -> Result<Checkpoint, CheckpointError> {
        if self.claimed.origin != *origin {
            return Err(CheckpointError::OtherOrigin { expected: *origin, found: self.claimed.origin });
        }
        let key = KeyId::of(&Digest(hash::sha256(&[public_key])));
        if key != origin.registrar {
            return Err(CheckpointError::OtherKey { origin: *origin, key });
        }
        let name = origin.to_string();
        let key_id = note::key_id(&name, note::ED25519, public_key);
        let signature = self.note.signature_by(&name, key_id).ok_or(CheckpointError::NotSigned { origin: *origin })?;
        match signature.try_into() {
            Ok(signature) if verify(public_key, self.note.text.as_bytes(), signature) => Ok(self.claimed),
            _ => Err(CheckpointError::BadSignature { origin: *origin }),
        }
    }
}

impl fmt::Display for SignedCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.note.fmt(f)
    }
}

/// Why something is no checkpoint, or not the one that was wanted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// It is no signed note.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// The text is not three lines.
    #[error("the checkpoint has {found} lines of text instead of 3")]
    Lines {
        /// How many there are.
        found: usize,
    },
    /// The first line names no ledger.
    #[error("{0:?} names no ledger: expected \"git-boundary/<repository id>/<registrar's key id>\"")]
    Origin(String),
    /// The second line is no size.
    #[error("{0:?} is no ledger size: expected a canonical decimal number below 2^53")]
    Size(String),
    /// The third line is no root.
    #[error("{0:?} is no root: expected 32 bytes in canonical base64")]
    Root(String),
    /// An empty ledger with the root of another.
    #[error("{0} is not the root of an empty ledger")]
    RootOfNothing(Digest),
    /// It is about another ledger.
    #[error("the checkpoint is of {found}, not of {expected}")]
    OtherOrigin {
        /// The ledger wanted.
        expected: Origin,
        /// The ledger it is of.
        found: Origin,
    },
    /// The key to verify with is not the registrar's.
    #[error("{key} is not the registrar of {origin}")]
    OtherKey {
        /// The ledger.
        origin: Origin,
        /// The key that was given.
        key: KeyId,
    },
    /// The registrar did not sign it.
    #[error("the checkpoint of {origin} is not signed by its registrar")]
    NotSigned {
        /// The ledger.
        origin: Origin,
    },
    /// The registrar's signature is wrong.
    #[error("the registrar's signature on the checkpoint of {origin} is wrong")]
    BadSignature {
        /// The ledger.
        origin: Origin,
    },
}

/// Decimal digits without leading zeros, below 2^53.
fn parse_size(text: &str) -> Option<u64> {
    let size = text.parse::<u64>().ok().filter(|size| *size < SIZE_LIMIT)?;
    (size.to_string() == text).then_some(size)
}
