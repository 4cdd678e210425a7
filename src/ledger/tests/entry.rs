//! Entries: the one spelling that is read.

use proptest::prelude::*;

use crate::ledger::entry::{Entry, EntryError, line_digest};
use crate::ledger::hash;
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::time::Timestamp;

const A: &str = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const B: &str = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
const OID: &str = "0123456789012345678901234567890123456789";

#[test]
fn the_text_of_an_entry_is_four_fields_and_a_newline() {
    let entry = Entry { artifact: A.parse().unwrap(), line: B.parse().unwrap(), annotated: None, at: Timestamp(0) };
    assert_eq!(entry.to_string(), format!("{A} {B} - 0\n"));
    let entry = Entry { annotated: Some(OID.parse().unwrap()), at: Timestamp(1_780_000_000), ..entry };
    assert_eq!(entry.to_string(), format!("{A} {B} {OID} 1780000000\n"));
    assert_eq!(entry.leaf_hash(), hash::sha256(&[b"\0", entry.to_string().as_bytes()]));
}

#[test]
fn a_line_has_one_digest_with_and_without_its_newline() {
    let sha256_of_abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(line_digest(b"abc").to_string(), sha256_of_abc);
    assert_eq!(line_digest(b"abc\n"), line_digest(b"abc"));
    assert_ne!(line_digest(b"abc\n\n"), line_digest(b"abc"), "one newline ends a line, the other is content");
    let entry = Entry::for_line(Digest([1; 32]), b"abc\n", None, Timestamp(1));
    assert_eq!(entry.line, line_digest(b"abc"));
}

#[test]
fn hostile_entries_are_refused_by_field() {
    let upper = A.to_uppercase().replace("SHA256", "sha256");
    let zero = "0".repeat(40);
    let late = (Timestamp::MAX.0 + 1).to_string();
    type Expected = fn(&EntryError) -> bool;
    let cases: Vec<(&str, String, Expected)> = vec![
        ("empty", String::new(), |e| matches!(e, EntryError::NoNewline)),
        ("no newline", format!("{A} {B} - 1"), |e| matches!(e, EntryError::NoNewline)),
        ("three fields", format!("{A} {B} -\n"), |e| matches!(e, EntryError::Fields { found: 3 })),
        ("five fields", format!("{A} {B} - 1 1\n"), |e| matches!(e, EntryError::Fields { found: 5 })),
        ("two spaces", format!("{A}  {B} - 1\n"), |e| matches!(e, EntryError::Fields { found: 5 })),
        ("leading space", format!(" {A} {B} - 1\n"), |e| matches!(e, EntryError::Fields { found: 5 })),
        ("trailing space", format!("{A} {B} - 1 \n"), |e| matches!(e, EntryError::Fields { found: 5 })),
        ("tab", format!("{A}\t{B} - 1\n"), |e| matches!(e, EntryError::Fields { found: 3 })),
        ("two newlines", format!("{A} {B} - 1\n\n"), |e| matches!(e, EntryError::Time(_))),
        ("two entries in one", format!("{A} {B} - 1\n{A} {B} - 1\n"), |e| matches!(e, EntryError::Fields { .. })),
        ("carriage return", format!("{A} {B} - 1\r\n"), |e| matches!(e, EntryError::Time(_))),
        ("bare artifact digest", format!("{} {B} - 1\n", &A[7..]), |e| matches!(e, EntryError::Artifact(_))),
        ("upper-case digest", format!("{upper} {B} - 1\n"), |e| matches!(e, EntryError::Artifact(_))),
        ("short artifact digest", format!("{} {B} - 1\n", &A[..70]), |e| matches!(e, EntryError::Artifact(_))),
        ("bare line digest", format!("{A} {} - 1\n", &B[7..]), |e| matches!(e, EntryError::Line(_))),
        ("short object id", format!("{A} {B} {} 1\n", &OID[1..]), |e| matches!(e, EntryError::Annotated(_))),
        ("empty object id", format!("{A} {B}  1\n"), |e| matches!(e, EntryError::Annotated(_))),
        ("zero object id", format!("{A} {B} {zero} 1\n"), |e| matches!(e, EntryError::ZeroOid)),
        ("zero SHA-256 id", format!("{A} {B} {zero}{} 1\n", &zero[..24]), |e| matches!(e, EntryError::ZeroOid)),
        ("no time", format!("{A} {B} - \n"), |e| matches!(e, EntryError::Time(_))),
        ("leading zero", format!("{A} {B} - 01\n"), |e| matches!(e, EntryError::Time(_))),
        ("plus sign", format!("{A} {B} - +1\n"), |e| matches!(e, EntryError::Time(_))),
        ("before 1970", format!("{A} {B} - -1\n"), |e| matches!(e, EntryError::Time(_))),
        ("fraction", format!("{A} {B} - 1.0\n"), |e| matches!(e, EntryError::Time(_))),
        ("past the year 9999", format!("{A} {B} - {late}\n"), |e| matches!(e, EntryError::Time(_))),
        ("past 64 bits", format!("{A} {B} - 99999999999999999999\n"), |e| matches!(e, EntryError::Time(_))),
        ("other digits", format!("{A} {B} - \u{0661}\n"), |e| matches!(e, EntryError::Time(_))),
    ];
    for (attack, text, expected) in cases {
        let error = Entry::parse(text.as_bytes()).expect_err(attack);
        assert!(expected(&error), "{attack}: {error:?}");
    }
    assert_eq!(Entry::parse(b"\xff\n"), Err(EntryError::NotUtf8));
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        artifact: [u8; 32], line: [u8; 32], sha1: Option<[u8; 20]>, sha256: Option<[u8; 32]>, at in 0..=Timestamp::MAX.0
    ) {
        let raw = sha256.map(Vec::from).or(sha1.map(Vec::from));
        let annotated = raw.and_then(|raw| Oid::from_bytes(&raw)).filter(|oid| !oid.is_zero());
        let entry = Entry { artifact: Digest(artifact), line: Digest(line), annotated, at: Timestamp(at) };
        let text = entry.to_string();
        prop_assert!(text.len() <= 222, "a bundle counts the bytes of an entry with 16 bits");
        prop_assert_eq!(Entry::parse(text.as_bytes()), Ok(entry));
    }

    #[test]
    fn an_entry_has_one_spelling(at in 0usize..190, to: u8) {
        let text = format!("{A} {B} {OID} 1780000000\n");
        let mut bytes = text.into_bytes();
        let at = at % bytes.len();
        bytes[at] = to;
        if let Ok(entry) = Entry::parse(&bytes) {
            prop_assert_eq!(entry.to_string().into_bytes(), bytes);
        }
    }
}
