//! A raw Ed25519 public key: what "the same party" is decided by.

use std::fmt;

use super::hex;

/// Thirty-two raw bytes. One raw key is one party however many names it has (contract, section 1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey(pub [u8; 32]);

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ed25519:{}", hex::encode(&self.0))
    }
}
