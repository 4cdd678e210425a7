//! C2SP cosignatures: a witness saying that, at that time, this was the largest consistent head it had seen.

use super::checkpoint::SignedCheckpoint;
use super::note::{self, NoteError, NoteSignature};
use crate::model::id::KeyId;
use crate::model::time::Timestamp;

/// The name a witness that is a key of this project's trust document signs under: `git-boundary/witness/<key id>`.
pub fn witness_name(key: &KeyId) -> String {
    format!("git-boundary/witness/{key}")
}

/// A witness: its name and key. C2SP wants one key to serve one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cosigner {
    name: String,
    public_key: [u8; 32],
    key_id: [u8; 4],
}

impl Cosigner {
    /// A witness by name and raw Ed25519 public key.
    ///
    /// # Errors
    /// [`NoteError::KeyName`] when it cannot be called that.
    pub fn new(name: &str, public_key: [u8; 32]) -> Result<Self, NoteError> {
        if !note::is_key_name(name) {
            return Err(NoteError::KeyName { name: name.to_owned() });
        }
        let key_id = note::key_id(name, note::COSIGNATURE_V1, &public_key);
        Ok(Cosigner { name: name.to_owned(), public_key, key_id })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl SignedCheckpoint {
    /// Adds the witness's cosignature, in the place of an earlier one. Whoever calls this has verified the checkpoint
    /// and its consistency with the last one the witness saw: that is what a cosignature says.
    ///
    /// # Errors
    /// When `at` is before 1970, or `sign` fails.
    pub fn cosign<E: std::error::Error + 'static>(
        &mut self,
        cosigner: &Cosigner,
        at: Timestamp,
        sign: impl FnOnce(&[u8]) -> Result<[u8; 64], E>,
    ) -> Result<(), CosignError<E>> {
        let seconds = u64::try_from(at.0).map_err(|_| CosignError::Time(at))?;
        let signature = sign(&self.cosigned_message(seconds)).map_err(CosignError::Sign)?;
        self.note.put(NoteSignature {
            name: cosigner.name.clone(),
            key_id: cosigner.key_id,
            signature: [&seconds.to_be_bytes()[..], &signature].concat(),
        });
        Ok(())
    }

    /// When the witness cosigned this checkpoint; `None` when it did not.
    ///
    /// `verify` is strict Ed25519 over (public key, message, signature). Whether a time in the future counts is for
    /// the caller, who knows what time it is.
    ///
    /// # Errors
    /// When there is a line by this name and key that does not verify.
    pub fn cosigned_at(
        &self,
        cosigner: &Cosigner,
        verify: impl Fn(&[u8; 32], &[u8], &[u8; 64]) -> bool,
    ) -> Result<Option<Timestamp>, CosignatureError> {
        let Some(line) = self.note.signature_by(&cosigner.name, cosigner.key_id) else {
            return Ok(None);
        };
        let name = || cosigner.name.clone();
        let (seconds, signature) = line.split_first_chunk().ok_or_else(|| CosignatureError::Length { name: name() })?;
        let signature: &[u8; 64] = signature.try_into().map_err(|_| CosignatureError::Length { name: name() })?;
        let seconds = u64::from_be_bytes(*seconds);
        let at = i64::try_from(seconds).ok().map(Timestamp).filter(|at| *at <= Timestamp::MAX);
        let at = at.ok_or_else(|| CosignatureError::Time { name: name(), seconds })?;
        if !verify(&cosigner.public_key, &self.cosigned_message(seconds), signature) {
            return Err(CosignatureError::BadSignature { name: name() });
        }
        Ok(Some(at))
    }

    /// What an Ed25519 cosignature signs (C2SP tlog-cosignature, "Ed25519 signed message").
    fn cosigned_message(&self, seconds: u64) -> Vec<u8> {
        format!("cosignature/v1\ntime {seconds}\n{}", self.note.text).into_bytes()
    }
}

/// Why a cosignature could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CosignError<E: std::error::Error + 'static> {
    /// Cosignatures count seconds from 1970 on.
    #[error("{0} is before 1970 and cannot date a cosignature")]
    Time(Timestamp),
    /// The key did not sign.
    #[error(transparent)]
    Sign(E),
}

/// Why a line that claims to be a witness's cosignature is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CosignatureError {
    /// Not a time and 64 bytes.
    #[error("the cosignature of {name:?} is not 72 bytes long")]
    Length {
        /// The witness.
        name: String,
    },
    /// A time past what can be written.
    #[error("the cosignature of {name:?} is dated {seconds} seconds after 1970, past the year 9999")]
    Time {
        /// The witness.
        name: String,
        /// What it says.
        seconds: u64,
    },
    /// It does not verify.
    #[error("the cosignature of {name:?} is wrong")]
    BadSignature {
        /// The witness.
        name: String,
    },
}
