//! Any bytes at all: an answer, never a panic, and never a yes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

use super::Home;
use crate::crypto::{PrivateKey, PrivateKeyFile, Signer as _, parse_public_key, to_openssh, verify, verify_sshsig};
use crate::model::key::PublicKey;

proptest! {
    #[test]
    fn random_signatures_verify_nothing(key: [u8; 32], message: Vec<u8>, signature in prop::collection::vec(any::<u8>(), 0..80)) {
        prop_assert!(!verify(&PublicKey(key), &message, &signature));
        prop_assert!(!verify(&PrivateKey::from_seed(&key).public_key(), &message, &signature));
    }

    #[test]
    fn random_contents_are_no_ssh_signature(contents: Vec<u8>) {
        for body in [contents.clone(), [&b"SSHSIG\0\0\0\x01"[..], &contents].concat()] {
            let armored = format!("-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----\n", STANDARD.encode(body));
            prop_assert!(verify_sshsig(armored.as_bytes(), b"payload").is_err());
        }
        prop_assert!(verify_sshsig(&contents, b"payload").is_err());
    }

    #[test]
    fn random_text_is_no_public_key(text: String) {
        prop_assert!(parse_public_key(&text).is_err());
    }

    #[test]
    fn every_key_and_comment_makes_one_line_that_reads_back(seed: [u8; 32], comment: String) {
        let key = PrivateKey::from_seed(&seed).public_key();
        prop_assert_eq!(parse_public_key(&to_openssh(&key, &comment)), Ok(key));
    }

    #[test]
    fn random_contents_are_no_private_key(contents: Vec<u8>) {
        let body = STANDARD.encode([&b"openssh-key-v1\0"[..], &contents].concat());
        let text = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n-----END OPENSSH PRIVATE KEY-----\n");
        let home = Home::new();
        prop_assert!(PrivateKeyFile::open(&home.write("a", text, 0o600)).is_err());
        prop_assert!(PrivateKeyFile::open(&home.write("b", &contents, 0o600)).is_err());
    }
}
