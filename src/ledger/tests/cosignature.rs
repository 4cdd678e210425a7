//! Cosignatures by witnesses.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::Signer as _;

use crate::ledger::checkpoint::SignedCheckpoint;
use crate::ledger::cosignature::{CosignError, CosignatureError, Cosigner, witness_name};
use crate::ledger::note::NoteError;
use crate::ledger::tests::{Fell, checkpoint, origin, public_key, sign, signed, signing_key, strict};
use crate::model::time::Timestamp;

const AT: Timestamp = Timestamp(1_780_000_000);

fn witness(seed: u8) -> Cosigner {
    Cosigner::new("witness.example/w", public_key(seed)).unwrap()
}

fn cosigned(seed: u8, at: Timestamp) -> SignedCheckpoint {
    let mut note = signed(1, 5);
    note.cosign(&witness(seed), at, sign(seed)).unwrap();
    note
}

#[test]
fn a_cosignature_is_made_byte_for_byte_as_the_specification_says() {
    // Put together by hand: header, time, the note's text; then key id, big-endian time, signature.
    let message = format!("cosignature/v1\ntime 1780000000\n{}", checkpoint(1, 5));
    let typed = [&[4][..], &public_key(9)].concat();
    let id = signed_note::key_id("witness.example/w", &typed).to_be_bytes();
    let signature = signing_key(9).sign(message.as_bytes()).to_bytes();
    let bytes = [&id[..], &1_780_000_000u64.to_be_bytes(), &signature].concat();
    let expected = format!("{}\u{2014} witness.example/w {}\n", signed(1, 5), BASE64_STANDARD.encode(bytes));
    assert_eq!(cosigned(9, AT).to_string(), expected);
}

#[test]
fn a_cosignature_is_read_back_and_spoils_nothing() {
    let text = cosigned(9, AT).to_string();
    let read = SignedCheckpoint::parse(text.as_bytes()).unwrap();
    assert_eq!(read.cosigned_at(&witness(9), strict), Ok(Some(AT)));
    assert_eq!(read.verify(&origin(1), &public_key(1), strict), Ok(checkpoint(1, 5)));
    assert_eq!(read.to_string(), text);
    assert!(signed_note::Note::from_bytes(text.as_bytes()).is_ok(), "the oracle reads it too");
}

#[test]
fn a_witness_that_did_not_cosign_is_absent_not_wrong() {
    assert_eq!(signed(1, 5).cosigned_at(&witness(9), strict), Ok(None));
    assert_eq!(cosigned(9, AT).cosigned_at(&witness(8), strict), Ok(None), "same name, another key");
    let renamed = Cosigner::new("witness.example/v", public_key(9)).unwrap();
    assert_eq!(cosigned(9, AT).cosigned_at(&renamed, strict), Ok(None), "same key, another name");
}

#[test]
fn the_registrars_signature_does_not_pass_for_a_cosignature() {
    let registrar = Cosigner::new(&origin(1).to_string(), public_key(1)).unwrap();
    assert_eq!(signed(1, 5).cosigned_at(&registrar, strict), Ok(None));
}

#[test]
fn a_cosignature_moved_to_another_checkpoint_is_wrong() {
    let line = cosigned(9, AT).to_string().lines().last().unwrap().to_owned();
    let moved = format!("{}{line}\n", signed(1, 6));
    let read = SignedCheckpoint::parse(moved.as_bytes()).unwrap();
    let expected = CosignatureError::BadSignature { name: "witness.example/w".into() };
    assert_eq!(read.cosigned_at(&witness(9), strict), Err(expected));
}

#[test]
fn any_byte_changed_in_a_cosignature_is_noticed() {
    let mut note = cosigned(9, AT);
    for at in 0..72 {
        note.note.signatures[1].signature[at] ^= 1;
        assert!(note.cosigned_at(&witness(9), strict).is_err(), "byte {at}");
        note.note.signatures[1].signature[at] ^= 1;
    }
    assert_eq!(note.cosigned_at(&witness(9), strict), Ok(Some(AT)));
    for length in [1, 8, 64, 71, 73] {
        note.note.signatures[1].signature.resize(length, 0);
        let expected = CosignatureError::Length { name: "witness.example/w".into() };
        assert_eq!(note.cosigned_at(&witness(9), |_, _, _| true), Err(expected), "{length} bytes");
    }
}

#[test]
fn times_that_cannot_be_written_are_refused() {
    let mut note = signed(1, 5);
    let error = note.cosign(&witness(9), Timestamp(-1), sign(9)).unwrap_err();
    assert_eq!(error, CosignError::Time(Timestamp(-1)));
    assert_eq!(note, signed(1, 5), "nothing was added");

    let mut note = cosigned(9, AT);
    for seconds in [u64::MAX, 1 << 63, Timestamp::MAX.0 as u64 + 1] {
        note.note.signatures[1].signature[..8].copy_from_slice(&seconds.to_be_bytes());
        let expected = CosignatureError::Time { name: "witness.example/w".into(), seconds };
        assert_eq!(note.cosigned_at(&witness(9), |_, _, _| true), Err(expected));
    }
}

#[test]
fn cosigning_again_takes_the_earlier_ones_place() {
    let mut note = cosigned(9, AT);
    let later = Timestamp(AT.0 + 60);
    note.cosign(&witness(9), later, sign(9)).unwrap();
    assert_eq!(note.signatures().len(), 2);
    assert_eq!(note.cosigned_at(&witness(9), strict), Ok(Some(later)));
    assert_eq!(note.cosign(&witness(9), AT, |_| Err(Fell)), Err(CosignError::Sign(Fell)));
    assert_eq!(note.cosigned_at(&witness(9), strict), Ok(Some(later)), "a failed attempt takes nothing away");
}

#[test]
fn names_that_would_break_the_line_are_refused() {
    for name in ["", "a b", "a\u{2003}b", "a+b", "a\nb", "a\tb"] {
        let expected = NoteError::KeyName { name: name.into() };
        assert_eq!(Cosigner::new(name, public_key(9)), Err(expected));
    }
    let name = witness_name(&origin(9).registrar);
    assert_eq!(Cosigner::new(&name, public_key(9)).unwrap().name(), name);
}
