//! Who can sign: a private key in memory, or an agent that holds one.

use std::fmt;

use ed25519_dalek::{Signer as _, SigningKey};
use zeroize::Zeroizing;

use super::ed25519::key_id;
use super::error::KeyError;
use crate::model::key::PublicKey;

/// Something that signs as one Ed25519 key. Two kinds: [`PrivateKey`] and [`super::AgentKey`].
pub trait Signer: fmt::Debug {
    /// The public half.
    fn public_key(&self) -> PublicKey;

    /// The plain 64-byte RFC 8032 signature over exactly `message`.
    ///
    /// # Errors
    /// Only of an agent: it went away, refused, or answered with something that does not verify.
    fn sign(&self, message: &[u8]) -> Result<[u8; 64], KeyError>;
}

/// A private key in this process. Its memory is wiped when it is dropped.
pub struct PrivateKey(SigningKey);

impl PrivateKey {
    /// From the 32-byte seed (RFC 8032, section 5.1.5).
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        PrivateKey(SigningKey::from_bytes(seed))
    }

    /// A new one from the operating system's randomness.
    ///
    /// # Errors
    /// [`KeyError::NoRandomness`].
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(seed.as_mut_slice()).map_err(|_| KeyError::NoRandomness)?;
        Ok(Self::from_seed(&seed))
    }

    pub(super) fn seed(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.0.to_bytes())
    }
}

impl Signer for PrivateKey {
    fn public_key(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    fn sign(&self, message: &[u8]) -> Result<[u8; 64], KeyError> {
        Ok(self.0.sign(message).to_bytes())
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the seed: this ends in logs and in test output.
        write!(f, "PrivateKey({})", key_id(&self.public_key()))
    }
}
