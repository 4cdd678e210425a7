//! The raw Ed25519 public key: what a party *is*, whatever names it goes by.

use std::fmt;

use super::hex;

/// 32 raw bytes as RFC 8032, section 5.1.5 encodes them. Holding one says nothing about its quality;
/// `crypto::ed25519` decides that. Equality of these bytes is equality of parties (contract, section 1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey(pub [u8; 32]);

impl PublicKey {
    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", hex::encode(&self.0))
    }
}
