//! The one place where a signature is verified, and how a raw public key gets its id.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest as _, Sha256};

use crate::model::digest::Digest;
use crate::model::id::KeyId;
use crate::model::key::PublicKey;

/// Whether `signature` (64 bytes) over exactly `message` was made by the holder of `key`.
///
/// Strict RFC 8032, section 5.1.7: `S` below the group order, canonical encodings of `A` and `R`, neither of low
/// order, the equation without the cofactor, one signature at a time. Anything malformed is simply `false`.
pub fn verify(key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
    let Ok(signature) = Signature::from_slice(signature) else { return false };
    let asked = asked(key, message, &signature);
    if VERIFIED.with_borrow(|verified| verified.contains(&asked)) {
        return true;
    }
    let Some(point) = decode(key) else { return false };
    let good = point.verify_strict(message, &signature).is_ok();
    if good {
        VERIFIED.with_borrow_mut(|verified| remember(verified, asked));
    }
    good
}

/// What was asked, all of it, in a form that no other question has.
fn asked(key: &PublicKey, message: &[u8], signature: &Signature) -> [u8; 32] {
    let parts = Sha256::new().chain_update(key.0).chain_update(signature.to_bytes());
    parts.chain_update(message).finalize().into()
}

fn remember(verified: &mut HashSet<[u8; 32]>, asked: [u8; 32]) {
    if verified.len() >= MOST_REMEMBERED {
        verified.clear();
    }
    verified.insert(asked);
}

/// Whether `key` can be anyone's key: a canonical encoding of a curve point that is not of low order.
///
/// [`verify`] refuses all others anyway; asking early lets a bad key be refused where it is written down.
pub fn is_sound(key: &PublicKey) -> bool {
    decode(key).is_some_and(|point| !point.is_weak())
}

/// `key_` and the first 32 hex digits of SHA-256(raw public key) (contract, section 1).
pub fn key_id(key: &PublicKey) -> KeyId {
    KeyId::of(&Digest(Sha256::digest(key.0).into()))
}

thread_local! {
    /// Points of keys that were decoded, which takes as long as a third of a verification, and a few keys sign everything. Which
    /// point a key is follows from its bytes alone.
    static DECODED: RefCell<HashMap<[u8; 32], Option<VerifyingKey>>> = RefCell::default();
    /// Questions that this very process answered with yes: a checkpoint is looked at by each who goes on from it, and a command that
    /// reads back what it wrote asks everything twice.
    static VERIFIED: RefCell<HashSet<[u8; 32]>> = RefCell::default();
}

/// Strangers can name as many keys and write as many lines as they like; past this the memory starts anew.
const MOST_REMEMBERED: usize = 4096;

fn decode(key: &PublicKey) -> Option<VerifyingKey> {
    DECODED.with_borrow_mut(|decoded| {
        if decoded.len() >= MOST_REMEMBERED {
            decoded.clear();
        }
        *decoded.entry(key.0).or_insert_with(|| point(key))
    })
}

fn point(key: &PublicKey) -> Option<VerifyingKey> {
    // The library reads y modulo p. RFC 8032, section 5.1.3 refuses y >= p, and so must we: two spellings of one
    // point would be two parties. (x = 0 with the sign bit set is a point of low order, which strict refuses.)
    if !is_below_p(&key.0) {
        return None;
    }
    VerifyingKey::from_bytes(&key.0).ok()
}

/// Little-endian, the top bit being the sign of x: is the rest below p = 2^255 - 19?
fn is_below_p(bytes: &[u8; 32]) -> bool {
    let all_ones_above_the_first = bytes[31] & 0x7f == 0x7f && bytes[1..31].iter().all(|&byte| byte == 0xff);
    !all_ones_above_the_first || bytes[0] < 0xed
}
