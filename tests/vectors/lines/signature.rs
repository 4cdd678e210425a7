//! Signatures that are wrong, of others, or good only for a lax verifier.

use git_boundary::codec::dsse::{Dsse, Signature, pae};
use git_boundary::codec::in_toto::PAYLOAD_TYPE;
use git_boundary::model::hex;

use super::super::cast::{self, Who};
use super::super::gate::world::Part;
use super::super::vector::Vector;
use super::{good, vector};

/// The order of the base point, little-endian (RFC 8032, section 5.1).
const L: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];
/// The neutral element: a point of order 1.
const NEUTRAL: [u8; 32] = {
    let mut bytes = [0; 32];
    bytes[0] = 1;
    bytes
};

fn changed(edit: impl Fn(&mut Dsse)) -> Vec<u8> {
    let mut artifact = good(Part::Handoff);
    edit(&mut artifact);
    artifact.line()
}

/// The same signature with the group order added to its second half, which a lax verifier takes for good.
fn plus_order(signature: &[u8]) -> Vec<u8> {
    let mut out = signature.to_vec();
    let mut carry = 0_u16;
    for (byte, order) in out[32..].iter_mut().zip(L) {
        carry += u16::from(*byte) + u16::from(order);
        *byte = carry.to_le_bytes()[0];
        carry >>= 8;
    }
    assert_eq!(carry, 0, "the sum still fits");
    out
}

pub fn vectors() -> Vec<Vector> {
    let owner = Who::Owner.name();
    let wrong = format!("the signature by {owner} does not verify");
    let unknown = |name: &str| format!("signed by {name}, which the trust document does not know");
    let other = good(Part::Receipt);
    let weak = "key_00000000000000000000000000000001";
    vec![
        vector(
            "one-byte-changed-in-the-payload",
            &wrong,
            "the scope reads srd/** now",
            changed(|it| {
                let at = it.payload.windows(6).position(|bytes| bytes == b"src/**").expect("the path is in it");
                it.payload[at + 2] = b'd';
            }),
        ),
        vector("one-byte-changed-in-the-signature", &wrong, "one bit", changed(|it| it.signatures[0].sig[63] ^= 1)),
        vector(
            "one-byte-changed-in-the-type",
            &wrong,
            "the media type is signed as well",
            changed(|it| {
                it.payload_type = "application/vnd.in-toto+jsom".to_owned();
            }),
        ),
        vector(
            "one-byte-changed-in-the-key-id",
            &unknown(&owner.replace("key_", "keY_")),
            "a name that nobody has",
            changed(|it| {
                it.signatures[0].keyid = it.signatures[0].keyid.replace("key_", "keY_");
            }),
        ),
        vector("signature-of-another-artifact", &wrong, "a good signature by the owner, over something else", {
            let signatures = cast::sign_bytes(PAYLOAD_TYPE, other.payload.clone(), &[Who::Owner]).signatures;
            changed(move |it| it.signatures.clone_from(&signatures))
        }),
        vector(
            "signature-over-the-bare-payload",
            &wrong,
            "signed without the encoding that separates the fields",
            changed(|it| {
                it.signatures[0].sig = Who::Owner.sign(&it.payload).to_vec();
            }),
        ),
        vector(
            "signature-over-a-shifted-encoding",
            &wrong,
            "a space moved from the type to the payload",
            changed(|it| {
                it.signatures[0].sig = Who::Owner.sign(&pae(PAYLOAD_TYPE, &[b" ", &it.payload[..]].concat())).to_vec();
            }),
        ),
        vector(
            "signature-by-an-unknown-key",
            &unknown(&Who::Stranger.name()),
            "good, by a stranger",
            changed(|it| {
                it.signatures = cast::sign_bytes(PAYLOAD_TYPE, it.payload.clone(), &[Who::Stranger]).signatures;
            }),
        ),
        vector(
            "signature-by-an-unknown-key-in-the-owners-name",
            &wrong,
            "good, by a stranger who calls itself the owner",
            changed(|it| {
                it.signatures[0].sig =
                    cast::sign_bytes(PAYLOAD_TYPE, it.payload.clone(), &[Who::Stranger]).signatures.remove(0).sig;
            }),
        ),
        vector(
            "signature-without-a-name",
            &unknown(""),
            "nobody is named",
            changed(|it| it.signatures[0].keyid.clear()),
        ),
        vector(
            "signature-plus-the-group-order",
            &wrong,
            "the same signature once more, for a lax verifier",
            changed(|it| {
                it.signatures[0].sig = plus_order(&it.signatures[0].sig);
            }),
        ),
        vector("signature-of-63-bytes", &wrong, "cut short", changed(|it| it.signatures[0].sig.truncate(63))),
        vector("signature-of-65-bytes", &wrong, "one byte too long", changed(|it| it.signatures[0].sig.push(0))),
        vector("signature-of-nothing", &wrong, "no bytes at all", changed(|it| it.signatures[0].sig.clear())),
        vector("signature-of-zeros", &wrong, "64 zero bytes", changed(|it| it.signatures[0].sig = vec![0; 64])),
        vector(
            "signature-by-a-small-order-key",
            &format!("the signature by {weak} does not verify"),
            "a key under which one signature is good for every message",
            changed(|it| {
                let sig = [NEUTRAL, [0; 32]].concat();
                it.signatures = vec![Signature { keyid: weak.to_owned(), sig }];
            }),
        )
        .given("weak-key", format!("{weak} {}", hex::encode(&NEUTRAL))),
        vector("signature-in-hex", "field sig of the DSSE envelope is no base64", "another encoding", {
            let text = String::from_utf8(changed(|_| {})).expect("a line is text");
            let (head, _) = text.split_once(r#""sig":""#).expect("it has a signature");
            format!(r#"{head}"sig":"{}:"}}]}}"#, hex::encode(&[7; 64]))
        }),
    ]
}

#[test]
fn a_lax_verifier_would_take_what_these_vectors_hold() {
    use ed25519_dalek::{Signature as Raw, Verifier as _, VerifyingKey};
    let good = good(Part::Handoff);
    let key = VerifyingKey::from_bytes(&NEUTRAL).expect("a point");
    let sig = Raw::from_slice(&[NEUTRAL, [0; 32]].concat()).expect("64 bytes");
    assert!(
        key.verify(&good.pae(), &sig).is_ok(),
        "the small-order vector shows something only if laxity would take it"
    );
    let shifted = plus_order(&good.signatures[0].sig);
    assert_ne!(shifted, good.signatures[0].sig, "the same signature in other bytes");
    assert_eq!(shifted[..32], good.signatures[0].sig[..32], "with the same first half");
}
