//! Treeship's library verifies a boundary proof of ours, and we verify a receipt of its making.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde_json::Value;
use treeship_core::attestation::{Ed25519Signer, Envelope, Verifier, sign};
use treeship_core::statements::ReceiptStatement;

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::canonical;
use git_boundary::codec::treeship::RECEIPT_PAYLOAD_TYPE;
use git_boundary::crypto::verified::verify_line;
use git_boundary::crypto::{PrivateKey, Signer as _};

use crate::support::World;

/// In the one spelling of base64 that the library reads. The signed bytes are the same.
fn respelled(line: &str) -> Vec<u8> {
    let mut envelope: Value = serde_json::from_str(line).expect("it is an envelope");
    let respell = |text: &mut Value| {
        let bytes = BASE64_STANDARD.decode(text.as_str().expect("it is text")).expect("we write the standard alphabet");
        *text = Value::String(BASE64_URL_SAFE_NO_PAD.encode(bytes));
    };
    respell(&mut envelope["payload"]);
    envelope["signatures"].as_array_mut().expect("a list").iter_mut().for_each(|one| respell(&mut one["sig"]));
    serde_json::to_vec(&envelope).expect("it is JSON")
}

#[test]
fn the_library_verifies_a_boundary_proof_that_the_program_made() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let lines = work.boundary("export HEAD --format in-toto").ok().stdout;
    let proof = lines.lines().find(|line| line.contains(RECEIPT_PAYLOAD_TYPE)).expect("the proof goes along");
    let envelope = Envelope::from_json(&respelled(proof)).expect("the library reads it");

    let text = std::fs::read_to_string(work.home.key_path("reviewer-bot")).expect("the key is there");
    let key = ssh_key::PrivateKey::from_openssh(text).expect("it is an OpenSSH key");
    let seed = key.key_data().ed25519().expect("it is an Ed25519 key").private.to_bytes();
    let name = envelope.signatures[0].keyid.clone();
    let known =
        |seed: &[u8; 32]| Verifier::from_signer(&Ed25519Signer::from_bytes(name.clone(), seed).expect("it is a seed"));
    let verified = known(&seed).verify(&envelope).expect("the library verifies the checker's signature");
    assert!(known(&[7; 32]).verify(&envelope).is_err(), "another key did not sign it");

    let log = work.boundary("log HEAD --json").ok().json_lines();
    let ours = log.iter().find(|one| one["kind"] == "boundary proof").expect("there is a proof");
    assert_eq!(verified.artifact_id.to_string(), ours["id"].as_str().unwrap_or_default(), "both call it by one id");
    assert_eq!(verified.digest, ours["digest"].as_str().unwrap_or_default(), "both take one digest");
    let statement: ReceiptStatement = envelope.unmarshal_statement().expect("it is a receipt to the library");
    assert_eq!(statement.kind, "boundary.v1", "it is the kind that the format names");
}

#[test]
fn a_receipt_of_the_librarys_making_is_verified_and_read() {
    let seed = [42; 32];
    let signer = Ed25519Signer::from_bytes("0123456789abcdef", &seed).expect("it is a seed");
    let mut statement = ReceiptStatement::new("system://notes", "memory.proof");
    statement.payload = Some(serde_json::json!({"note": "read"}));
    let made = sign(RECEIPT_PAYLOAD_TYPE, &statement, &signer).expect("it signs");
    let value: Value = serde_json::from_slice(&made.envelope.to_json().expect("it is JSON")).expect("it is JSON");
    let line = canonical::to_vec(&value);
    let key = PrivateKey::from_seed(&seed).public_key();
    let named = |name: &str| (name == "0123456789abcdef").then_some(key);
    let verified = verify_line(&line, &named).expect("its signature holds");
    assert_eq!(verified.id().to_string(), made.artifact_id.to_string(), "both call it by one id");
    let Artifact::Foreign(receipt) = verified.value() else { panic!("it is another producer's receipt") };
    assert_eq!(receipt.kind, "memory.proof", "its kind is read");
    let stranger = PrivateKey::from_seed(&[43; 32]).public_key();
    assert!(verify_line(&line, &|_| Some(stranger)).is_err(), "under another key it does not hold");
}
