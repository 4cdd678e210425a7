//! The strictness of the one verification.

use ed25519_dalek::{Signature, Verifier as _, VerifyingKey};

use crate::crypto::{PrivateKey, Signer as _, is_sound, key_id, verify};
use crate::model::hex;
use crate::model::key::PublicKey;

const MESSAGE: &[u8] = b"wire transfer";
/// The key of the seed 07 07 … 07, under which the crafted signatures below were computed with plain integers.
const HONEST: &str = "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c";

/// Every point of order 1, 2, 4 and 8.
const LOW_ORDER: [&str; 8] = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
];

fn key(digits: &str) -> PublicKey {
    PublicKey(hex::decode_exact(digits).expect("the vector is hex"))
}

/// What a verifier without strictness says.
fn loosely(key: &PublicKey, signature: &[u8]) -> bool {
    let point = VerifyingKey::from_bytes(&key.0).expect("the vector is a point");
    point.verify(MESSAGE, &Signature::from_slice(signature).expect("64 bytes")).is_ok()
}

#[test]
fn the_vectors_of_rfc_8032_verify_and_are_reproduced() {
    for (seed, public, message, signature) in [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ] {
        let signer = PrivateKey::from_seed(&hex::decode_exact(seed).expect("hex"));
        let message = hex::decode(message).expect("hex");
        assert_eq!(signer.public_key(), key(public));
        let made = signer.sign(&message).expect("a key in memory signs");
        assert_eq!(hex::encode(&made), signature);
        assert!(verify(&key(public), &message, &made));
    }
}

#[test]
fn another_message_key_or_length_does_not_verify() {
    let signer = PrivateKey::from_seed(&[7; 32]);
    let good = signer.sign(MESSAGE).expect("a key in memory signs");
    let public = signer.public_key();
    assert!(verify(&public, MESSAGE, &good));
    assert!(!verify(&public, b"wire transfer!", &good));
    assert!(!verify(&PrivateKey::from_seed(&[8; 32]).public_key(), MESSAGE, &good));
    assert!(!verify(&public, MESSAGE, &good[..63]));
    assert!(!verify(&public, MESSAGE, &[&good[..], &[0]].concat()));
    assert!(!verify(&public, MESSAGE, b""));
    for bit in 0..512 {
        let mut flipped = good;
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(!verify(&public, MESSAGE, &flipped), "bit {bit} is covered");
    }
}

#[test]
fn a_signature_with_s_plus_the_group_order_is_refused() {
    const L: &str = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    let signer = PrivateKey::from_seed(&[7; 32]);
    let mut malleated = signer.sign(MESSAGE).expect("a key in memory signs");
    let order: [u8; 32] = hex::decode_exact(L).expect("hex");
    let mut carry = 0;
    for (byte, add) in malleated[32..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        *byte = (sum & 0xff) as u8;
        carry = sum >> 8;
    }
    assert_eq!(carry, 0, "the sum fits, so it is the same number modulo the order");
    assert!(!verify(&signer.public_key(), MESSAGE, &malleated));
}

#[test]
fn low_order_keys_sign_everything_and_so_nothing() {
    for digits in LOW_ORDER {
        let public = key(digits);
        assert!(!is_sound(&public), "{digits} is no key");
        for r in LOW_ORDER {
            let forged = [hex::decode(r).expect("hex"), vec![0; 32]].concat();
            assert!(!verify(&public, MESSAGE, &forged), "key {digits}, R {r}");
        }
    }
    let forged = [key(LOW_ORDER[0]).0, [0; 32]].concat();
    let mut forged_r = forged.clone();
    forged_r[0] = 1;
    assert!(loosely(&key(LOW_ORDER[0]), &forged_r), "the vector shows what strictness is for");
}

#[test]
fn a_low_order_r_is_refused_even_of_the_key_holder() {
    let crafted = "0100000000000000000000000000000000000000000000000000000000000000f4a5656b3c924b40e09c203f235e8d5df4a349a1c5f11a201d6958b6de3da500";
    let crafted = hex::decode(crafted).expect("hex");
    assert!(loosely(&key(HONEST), &crafted), "the vector shows what strictness is for");
    assert!(!verify(&key(HONEST), MESSAGE, &crafted));
}

#[test]
fn signatures_that_only_batch_verification_accepts_are_refused() {
    // R, or the key, moved by a point of order 8: right only when multiplied by the cofactor.
    let by_r = "6a84d583f06569edb3f5ed77df65544b27d6948b4f0b2cb76f33dd8413b20719c44bef52133284c9384327cb441b223604a9adb541c3d32778c654ad4852f306";
    assert!(!verify(&key(HONEST), MESSAGE, &hex::decode(by_r).expect("hex")));
    let moved = key("1f4f580e73ac208f06760190e9edc6f5916775dabd9c1cdca393175c2d6d1083");
    let by_key = "58666666666666666666666666666666666666666666666666666666666666666951626a5da8d41a846154106b5e497c2afcea8b53ec8bc8eae398f149908406";
    assert!(!verify(&moved, MESSAGE, &hex::decode(by_key).expect("hex")));
}

#[test]
fn a_second_spelling_of_a_point_is_no_key() {
    let mut told_apart = 0;
    for y in 2..19u8 {
        let mut plain = [0; 32];
        plain[0] = y;
        let mut plus_p = [0xff; 32];
        plus_p[0] = 0xed + y;
        plus_p[31] = 0x7f;
        assert!(!is_sound(&PublicKey(plus_p)), "p + {y} is not canonical");
        plus_p[31] = 0xff;
        assert!(!is_sound(&PublicKey(plus_p)), "p + {y} with the sign bit is not canonical");
        told_apart += usize::from(is_sound(&PublicKey(plain)));
    }
    assert_eq!(told_apart, 10, "the same points in their one spelling are sound");
    let mut below_p = [0xff; 32];
    (below_p[0], below_p[31]) = (0xeb, 0x7f);
    // p - 2 is canonical; whether it is on the curve is for the curve to say, as for 2.
    assert_eq!(is_sound(&PublicKey(below_p)), VerifyingKey::from_bytes(&below_p).is_ok());
}

#[test]
fn a_text_off_the_curve_is_no_key_and_verifies_nothing() {
    let mut off_curve = [0; 32];
    off_curve[0] = 2;
    assert!(!is_sound(&PublicKey(off_curve)));
    assert!(!verify(&PublicKey(off_curve), MESSAGE, &[0; 64]));
}

#[test]
fn a_key_id_is_the_front_of_the_hash_of_the_raw_key() {
    let public = key("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
    assert_eq!(key_id(&public).to_string(), "key_21fe31dfa154a261626bf854046fd227");
}
