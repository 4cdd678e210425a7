//! Bytes at random, and good lines changed at random: nothing panics, and nothing that was not signed is believed.

use std::sync::OnceLock;

use git_boundary::app::draft::Draft;
use git_boundary::app::policy_file::compile;
use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::PAYLOAD_TYPE;
use git_boundary::codec::treeship::{ACTION_PAYLOAD_TYPE, RECEIPT_PAYLOAD_TYPE};
use git_boundary::crypto::trust::Trust;
use git_boundary::crypto::verified::verify_line;
use git_boundary::crypto::{parse_public_key, verify};
use git_boundary::hook::read_push_lines;
use git_boundary::ledger::note::Note;
use git_boundary::ledger::tiles::Tile;
use git_boundary::ledger::{Entry, SignedCheckpoint};
use git_boundary::model::digest::Digest;
use git_boundary::model::key::PublicKey;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::cast::{self, Who};
use super::gate::world::Part;
use super::lines::good;
use super::vector::{Vector, read_all};

/// Good lines and hostile ones: the nearer to something real, the further a reader gets with it.
fn lines() -> &'static [Vector] {
    static LINES: OnceLock<Vec<Vector>> = OnceLock::new();
    LINES.get_or_init(|| read_all("lines"))
}

/// One edit of some bytes.
#[derive(Debug, Clone)]
enum Edit {
    Flip(Index, u8),
    Set(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Repeat(Index, usize),
}

impl Edit {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let length = bytes.len();
        let end = |at: usize, count: usize| (at + count).min(length);
        match self {
            Edit::Flip(at, bit) => bytes[at.index(length)] ^= 1 << (bit % 8),
            Edit::Set(at, byte) => bytes[at.index(length)] = *byte,
            Edit::Insert(at, more) => {
                let at = at.index(length);
                bytes.splice(at..at, more.iter().copied());
            }
            Edit::Remove(at, count) => {
                let at = at.index(length);
                bytes.drain(at..end(at, *count));
            }
            Edit::Repeat(at, count) => {
                let at = at.index(length);
                let part = bytes[at..end(at, *count)].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
}

fn edit() -> impl Strategy<Value = Edit> {
    // What JSON, base64 and these formats are made of is worth trying more often than other bytes.
    let byte = || prop_oneof![any::<u8>(), prop::sample::select(&b"{}[]\",:\\ \n\r\0-+/=_0aA~*"[..])];
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, bit)| Edit::Flip(at, bit)),
        (any::<Index>(), byte()).prop_map(|(at, byte)| Edit::Set(at, byte)),
        (any::<Index>(), vec(byte(), 1..6)).prop_map(|(at, more)| Edit::Insert(at, more)),
        (any::<Index>(), 1..80_usize).prop_map(|(at, count)| Edit::Remove(at, count)),
        (any::<Index>(), 1..80_usize).prop_map(|(at, count)| Edit::Repeat(at, count)),
    ]
}

fn edited(mut bytes: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    edits.iter().for_each(|edit| edit.apply(&mut bytes));
    bytes
}

/// Every reader of bytes from outside, one after the other. What they say of noise is "no".
fn read_everything(bytes: &[u8]) {
    let trust = cast::trust_of(cast::document());
    let resolve = |name: &str| cast::resolve(&trust, name);
    let _ = Dsse::parse(bytes);
    let _ = verify_line(bytes, &resolve);
    for payload_type in [PAYLOAD_TYPE, RECEIPT_PAYLOAD_TYPE, ACTION_PAYLOAD_TYPE, "text/plain"] {
        let _ = Artifact::read(payload_type, bytes);
        let _ = Artifact::claimed_kind(payload_type, bytes);
    }
    let _ = Trust::verify(&[bytes.to_vec()], Digest([0; 32]));
    let _ = Entry::parse(bytes);
    let _ = Note::parse(bytes);
    let _ = SignedCheckpoint::parse(bytes);
    let _ = git_boundary::ledger::bundle::split(bytes, 3);
    let _ = read_push_lines(bytes);
    let _ = Draft::read(bytes, Who::Codex.id());
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = compile("boundary.toml", text, &|_| Some(Who::Owner.id()));
        let _ = parse_public_key(text);
        let _ = text.parse::<Tile>();
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in vec(any::<u8>(), 0..400)) {
        read_everything(&bytes);
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "\\PC{0,200}") {
        read_everything(text.as_bytes());
    }

    #[test]
    fn no_spoiled_line_makes_a_reader_panic(which in any::<Index>(), edits in vec(edit(), 1..6)) {
        let vector = which.get(lines());
        read_everything(&edited(vector.body.clone(), &edits));
    }

    #[test]
    fn no_spoiled_payload_makes_a_reader_panic(part in prop::sample::select(&Part::ALL[..]), edits in vec(edit(), 1..6)) {
        read_everything(&edited(good(part).payload, &edits));
    }

    #[test]
    fn what_verifies_of_a_changed_line_is_what_was_signed(which in any::<Index>(), edits in vec(edit(), 1..4)) {
        let vector = which.get(lines());
        let trust = cast::trust_of(cast::document());
        let resolve = |name: &str| cast::resolve(&trust, name);
        let changed = edited(vector.body.clone(), &edits);
        if let Ok(verified) = verify_line(&changed, &resolve) {
            // Another spelling of base64, one of two signatures gone: still the same artifact, by no more keys.
            let before = verify_line(&vector.body, &resolve);
            prop_assert!(before.is_ok(), "a line that authorised nothing authorises nothing once it is changed");
            let before = before.expect("it was just looked at");
            prop_assert_eq!(verified.digest(), before.digest(), "the signed bytes are the same");
            prop_assert_eq!(verified.value(), before.value(), "and say the same");
            prop_assert!(verified.signers().is_subset(before.signers()), "by nobody who had not signed");
        }
    }

    #[test]
    fn a_changed_payload_under_the_old_signature_verifies_never(
        part in prop::sample::select(&Part::ALL[..]),
        edits in vec(edit(), 1..4),
    ) {
        let mut artifact = good(part);
        let before = artifact.payload.clone();
        artifact.payload = edited(before.clone(), &edits);
        let trust = cast::trust_of(cast::document());
        let read = verify_line(&artifact.line(), &|name| cast::resolve(&trust, name));
        prop_assert_eq!(read.is_ok(), artifact.payload == before, "only the signed bytes verify");
    }

    #[test]
    fn a_changed_signature_verifies_never(edits in vec(edit(), 1..4)) {
        let artifact = good(Part::Handoff);
        let signature = &artifact.signatures[0].sig;
        let changed = edited(signature.clone(), &edits);
        let good = verify(&Who::Owner.key(), &artifact.pae(), &changed);
        prop_assert_eq!(good, changed == *signature, "one message and key have the one signature that was made");
    }

    #[test]
    fn a_changed_key_verifies_never(edits in vec(edit(), 1..4)) {
        let artifact = good(Part::Handoff);
        let owner = Who::Owner.key();
        let Ok(changed) = <[u8; 32]>::try_from(edited(owner.0.to_vec(), &edits)) else { return Ok(()) };
        let good = verify(&PublicKey(changed), &artifact.pae(), &artifact.signatures[0].sig);
        prop_assert_eq!(good, changed == owner.0, "a signature is by one key");
    }

    #[test]
    fn a_read_entry_is_spelled_in_one_way(text in "(sha256:[0-9a-f]{64} ?|[0-9a-f]{40} |- |[0-9]{1,12}\n?){1,6}") {
        if let Ok(entry) = Entry::parse(text.as_bytes()) {
            prop_assert_eq!(entry.to_string(), text, "what is read is written back byte for byte");
        }
    }

    #[test]
    fn every_push_line_is_read_or_none_is(lines in vec("[ -~]{0,120}", 0..6)) {
        let input = lines.join("\n");
        if let Ok(read) = read_push_lines(input.as_bytes()) {
            let wanted = input.lines().count();
            prop_assert_eq!(read.len(), wanted, "a hook judges every line or refuses them all");
        }
    }
}

proptest! {
    // A chain of three versions verifies some fifty keys.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_changed_trust_chain_stands_only_as_what_was_signed(which in any::<Index>(), edits in vec(edit(), 1..4)) {
        static CHAINS: OnceLock<Vec<Vector>> = OnceLock::new();
        let vector = which.get(CHAINS.get_or_init(|| read_all("trust")));
        let split = |bytes: &[u8]| -> Vec<Vec<u8>> {
            bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
        };
        let pin = vector.get("pin").parse().expect("a digest");
        let before = Trust::verify(&split(&vector.body), pin);
        if let Ok(trust) = Trust::verify(&split(&edited(vector.body.clone(), &edits)), pin) {
            match before {
                // A version can be cut off at the end, which only who saw it before can know.
                Ok(before) => prop_assert!(before.digests().starts_with(trust.digests()), "it is a beginning of what was signed"),
                Err(_) => prop_assert!(trust.version() < 3, "what stands of a forged chain is the good part in front"),
            }
        }
    }
}

#[test]
fn a_stream_that_breaks_is_no_empty_one() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
    }
    assert!(read_push_lines(Broken).is_err(), "nothing read is not nothing pushed");
}
