//! The one writer of canonical JSON (RFC 8785).

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::model::digest::Digest;

/// The canonical JSON of an own type, without a newline.
///
/// Own types hold no floats and no maps with keys that are no text, so that writing can't fail.
pub fn to_vec<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value).expect("own types serialise: text keys, no floats")
}

/// SHA-256 of plain bytes.
pub fn sha256(bytes: &[u8]) -> Digest {
    Digest(Sha256::digest(bytes).into())
}

/// SHA-256 of the canonical JSON of `value`.
pub fn digest_of<T: Serialize>(value: &T) -> Digest {
    sha256(&to_vec(value))
}

/// SHA-256 of `git-boundary:<domain>:v1`, a zero byte and the canonical JSON of `value`: so that no digest made for one purpose can
/// stand for another (contract, section 5).
pub fn separated_digest<T: Serialize>(domain: &str, value: &T) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update(b"git-boundary:");
    hasher.update(domain.as_bytes());
    hasher.update(b":v1\0");
    hasher.update(to_vec(value));
    Digest(hasher.finalize().into())
}
