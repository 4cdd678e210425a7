//! `sha256:<64 hex>`: how one artifact, policy or blob of bytes is named for ever.

use std::fmt;
use std::str::FromStr;

use super::hex;
use super::id::text_serde;

/// A SHA-256 digest. Written `sha256:` and 64 lower-case hex digits (contract, section 2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The 64 hex digits without the algorithm.
    pub fn hex(&self) -> String {
        hex::encode(&self.0)
    }
}

/// A text that is no digest; holds the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no digest: expected \"sha256:\" and 64 lower-case hex digits")]
pub struct NotADigest(pub String);

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        text.strip_prefix("sha256:")
            .and_then(hex::decode_exact::<32>)
            .map(Digest)
            .ok_or_else(|| NotADigest(text.to_owned()))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

text_serde!(Digest);
