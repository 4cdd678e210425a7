//! Checkpoints as they are written and read.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use signed_note::{StandardVerifier, VerifierList};

use crate::ledger::checkpoint::{Checkpoint, CheckpointError, Origin, SignedCheckpoint};
use crate::ledger::note::NoteError;
use crate::ledger::tests::{Fell, checkpoint, origin, public_key, sign, signed, strict};
use crate::ledger::tree::TreeHead;
use crate::model::digest::Digest;
use crate::model::id::KeyId;

const REPO: &str = "repo_abababababababababababababababab";

/// How another implementation is told about a registrar's key.
fn verifier_key(seed: u8) -> String {
    let typed = [&[1][..], &public_key(seed)].concat();
    let name = origin(seed).to_string();
    format!("{name}+{:08x}+{}", signed_note::key_id(&name, &typed), BASE64_STANDARD.encode(&typed))
}

#[test]
fn what_we_sign_the_oracles_verify() {
    let bytes = signed(1, 5).to_string();
    let note = signed_note::Note::from_bytes(bytes.as_bytes()).unwrap();
    let verifier = StandardVerifier::new(&verifier_key(1)).unwrap();
    let (verified, _) = note.verify(&VerifierList::new(vec![Box::new(verifier)])).unwrap();
    assert_eq!(verified[0].name(), origin(1).to_string());
    let read = tlog_tiles::checkpoint::Checkpoint::from_bytes(note.text()).unwrap();
    let expected = checkpoint(1, 5);
    assert_eq!(read.origin(), expected.origin.to_string());
    assert_eq!((read.size(), read.hash().0), (5, expected.head.root));
}

#[test]
fn what_the_oracle_signs_we_verify() {
    let name = origin(1).to_string();
    let private = [&[1][..], &[1; 32]].concat();
    let id = signed_note::key_id(&name, &[&[1][..], &public_key(1)].concat());
    let key = format!("PRIVATE+KEY+{name}+{id:08x}+{}", BASE64_STANDARD.encode(private));
    let signer = signed_note::StandardSigner::new(&key).unwrap();
    let mut note = signed_note::Note::new(checkpoint(1, 5).to_string().as_bytes(), &[]).unwrap();
    note.add_sigs(&[&signer]).unwrap();
    let read = SignedCheckpoint::parse(&note.to_bytes()).unwrap();
    assert_eq!(read.verify(&origin(1), &public_key(1), strict), Ok(checkpoint(1, 5)));
    assert_eq!(read, signed(1, 5), "to the last byte what we would have signed");
}

#[test]
fn an_origin_names_repository_and_registrar() {
    let key = origin(1).registrar;
    let text = format!("git-boundary/{REPO}/{key}");
    assert_eq!(origin(1).to_string(), text);
    assert_eq!(text.parse::<Origin>().unwrap(), origin(1));
    let hostile = [
        String::new(),
        "git-boundary".into(),
        format!("git-boundary/{REPO}"),
        format!("git-boundary/{REPO}/"),
        format!("git-boundary/{key}/{REPO}"),
        format!("git-boundary/{REPO}/{key}/"),
        format!("git-boundary/{REPO}/{key} "),
        format!("/git-boundary/{REPO}/{key}"),
        format!("Git-boundary/{REPO}/{key}"),
        format!("git-boundary//{REPO}/{key}"),
        format!("git-boundary/{}/{key}", REPO.to_uppercase()),
    ];
    for text in hostile {
        assert_eq!(text.parse::<Origin>(), Err(CheckpointError::Origin(text.clone())));
    }
}

#[test]
fn hostile_checkpoint_texts_are_refused() {
    let origin = origin(1).to_string();
    let root = BASE64_STANDARD.encode([1; 32]);
    let empty = BASE64_STANDARD.encode(TreeHead::empty().root);
    assert!(Checkpoint::parse(&format!("{origin}\n7\n{root}\n")).is_ok());
    assert!(Checkpoint::parse(&format!("{origin}\n0\n{empty}\n")).is_ok());
    assert!(Checkpoint::parse(&format!("{origin}\n9007199254740991\n{root}\n")).is_ok());

    let lines = |text: String| match Checkpoint::parse(&text) {
        Err(CheckpointError::Lines { found }) => found,
        other => panic!("{text:?}: {other:?}"),
    };
    assert_eq!(lines(String::new()), 0);
    assert_eq!(lines(format!("{origin}\n7\n")), 2);
    assert_eq!(lines(format!("{origin}\n7\n{root}\nextension\n")), 4);
    assert_eq!(lines(format!("{origin}\n7\n{root}\n\n")), 4);
    assert_eq!(lines(format!("{origin}\n7\n{root}")), 2);

    for size in
        ["", "07", "00", "+7", "-1", " 7", "7 ", "7.0", "0x7", "1e3", "9007199254740992", "18446744073709551623"]
    {
        let text = format!("{origin}\n{size}\n{root}\n");
        assert_eq!(Checkpoint::parse(&text), Err(CheckpointError::Size(size.into())));
    }
    let roots = [
        String::new(),
        root.trim_end_matches('=').to_owned(),
        format!("{root}="),
        format!(" {root}"),
        root.replace("E=", "F="),
        BASE64_STANDARD.encode([0xff; 32]).replace('/', "_"),
        BASE64_STANDARD.encode([1; 31]),
        BASE64_STANDARD.encode([1; 33]),
    ];
    for root in roots {
        let text = format!("{origin}\n7\n{root}\n");
        assert_eq!(Checkpoint::parse(&text), Err(CheckpointError::Root(root)));
    }
    let forged = Checkpoint::parse(&format!("{origin}\n0\n{root}\n"));
    assert_eq!(forged, Err(CheckpointError::RootOfNothing(Digest([1; 32]))));
    let unsigned = SignedCheckpoint::parse(checkpoint(1, 5).to_string().as_bytes());
    assert_eq!(unsigned, Err(CheckpointError::Note(NoteError::NoSignatures)));
}

#[test]
fn only_the_origins_own_key_counts() {
    let note = signed(1, 5);
    assert_eq!(note.verify(&origin(1), &public_key(1), strict), Ok(checkpoint(1, 5)));

    let expected = CheckpointError::OtherOrigin { expected: origin(2), found: origin(1) };
    assert_eq!(note.verify(&origin(2), &public_key(2), strict), Err(expected), "another registrar's ledger");

    let key = origin(2).registrar;
    let expected = CheckpointError::OtherKey { origin: origin(1), key };
    assert_eq!(note.verify(&origin(1), &public_key(2), strict), Err(expected), "another key for this ledger");

    let usurped = checkpoint(1, 5).sign(&public_key(2), sign(2)).unwrap();
    let expected = CheckpointError::NotSigned { origin: origin(1) };
    assert_eq!(usurped.verify(&origin(1), &public_key(1), strict), Err(expected), "signed by another key alone");

    let forged = checkpoint(1, 5).sign(&public_key(1), sign(2)).unwrap();
    let expected = CheckpointError::BadSignature { origin: origin(1) };
    assert_eq!(forged.verify(&origin(1), &public_key(1), strict), Err(expected), "under the right key id");
}

#[test]
fn any_byte_changed_in_a_signed_checkpoint_is_noticed() {
    let bytes = signed(1, 5).to_string().into_bytes();
    for at in 0..bytes.len() {
        for flip in [1, 2, 4, 0x20] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            let verified =
                SignedCheckpoint::parse(&changed).and_then(|note| note.verify(&origin(1), &public_key(1), strict));
            assert!(verified.is_err(), "byte {at} with {flip:#x}");
        }
    }
    for end in 0..bytes.len() {
        assert!(SignedCheckpoint::parse(&bytes[..end]).is_err(), "cut after {end} bytes");
    }
}

#[test]
fn a_signature_of_another_length_is_no_signature() {
    let text = checkpoint(1, 5).to_string();
    let id = signed_note::key_id(&origin(1).to_string(), &[&[1][..], &public_key(1)].concat());
    for length in [1, 63, 65, 128] {
        let bytes = [&id.to_be_bytes()[..], &vec![0; length]].concat();
        let note = format!("{text}\n\u{2014} {} {}\n", origin(1), BASE64_STANDARD.encode(bytes));
        let read = SignedCheckpoint::parse(note.as_bytes()).unwrap();
        let expected = CheckpointError::BadSignature { origin: origin(1) };
        let verified = read.verify(&origin(1), &public_key(1), |_, _, _| true);
        assert_eq!(verified, Err(expected), "{length} bytes");
    }
}

#[test]
fn unknown_signatures_are_ignored_and_kept() {
    let unknown = format!("\u{2014} witness.example/w {}\n", BASE64_STANDARD.encode([7; 2424]));
    let text = format!("{}{unknown}", signed(1, 5));
    let read = SignedCheckpoint::parse(text.as_bytes()).unwrap();
    assert_eq!(read.verify(&origin(1), &public_key(1), strict), Ok(checkpoint(1, 5)));
    assert_eq!(read.signatures().len(), 2);
    assert_eq!(read.to_string(), text);
}

#[test]
fn a_key_that_does_not_sign_leaves_no_checkpoint() {
    assert_eq!(checkpoint(1, 5).sign(&public_key(1), |_| Err(Fell)), Err(Fell));
}

#[test]
fn claimed_is_what_the_text_says() {
    assert_eq!(*signed(1, 5).claimed(), checkpoint(1, 5));
    assert_eq!(origin(1).registrar, KeyId::of(&Digest(crate::ledger::hash::sha256(&[&public_key(1)]))));
}
