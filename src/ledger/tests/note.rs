//! Signed notes, against another implementation.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use proptest::prelude::*;

use crate::ledger::note::{ED25519, MAX_BYTES, Note, NoteError, key_id};
use crate::ledger::tests::{public_key, signed};

fn line(name: &str, bytes: &[u8]) -> String {
    format!("\u{2014} {name} {}\n", BASE64_STANDARD.encode(bytes))
}

#[test]
fn a_note_survives_being_taken_apart() {
    let text = signed(1, 5).to_string();
    assert_eq!(Note::parse(text.as_bytes()).unwrap().to_string(), text);
    let many = format!("some text\n\nmore text\n\n{}{}", line("a", &[1; 9]), line("b", &[1; 2000]));
    let note = Note::parse(many.as_bytes()).unwrap();
    assert_eq!(note.text, "some text\n\nmore text\n", "the last empty line separates text and signatures");
    assert_eq!(note.signatures.len(), 2);
    assert_eq!(note.to_string(), many);
}

#[test]
fn key_ids_are_those_of_the_oracle() {
    let typed = [&[ED25519][..], &public_key(1)].concat();
    let expected = signed_note::key_id("example.com/log", &typed).to_be_bytes();
    assert_eq!(key_id("example.com/log", ED25519, &public_key(1)), expected);
}

#[test]
fn hostile_notes_are_refused() {
    let good = line("a", &[1; 68]);
    let encoded = BASE64_STANDARD.encode([1; 68]);
    assert!(Note::parse(format!("t\n\n{good}").as_bytes()).is_ok());
    let bad_line = |line: String| (format!("t\n\n{line}"), NoteError::SignatureLine { position: 0 });
    let cases = vec![
        ("empty", String::new(), NoteError::NoNewline),
        ("no signatures", "t\n".into(), NoteError::NoSignatures),
        ("an empty line and nothing after it", "t\n\n".into(), NoteError::NoSignatures),
        ("no empty line", format!("t\n{good}"), NoteError::NoSignatures),
        ("no newline", format!("t\n\n{}", good.trim_end()), NoteError::NoNewline),
        ("carriage return", format!("t\r\n\n{good}"), NoteError::ControlCharacter { byte: b'\r' }),
        ("NUL", format!("t\0\n\n{good}"), NoteError::ControlCharacter { byte: 0 }),
        ("one key twice", format!("t\n\n{good}{good}"), NoteError::SignedTwice { name: "a".into() }),
    ];
    let lines = [
        format!("- a {encoded}\n"),
        format!("\u{2014}a {encoded}\n"),
        "\u{2014} a\n".to_owned(),
        format!("\u{2014}  {encoded}\n"),
        format!("\u{2014} a b {encoded}\n"),
        format!("\u{2014} a\u{a0}b {encoded}\n"),
        format!("\u{2014} a+b {encoded}\n"),
        format!("\u{2014} a\u{7f} {encoded}\n"),
        format!("\u{2014} a {encoded} \n"),
        format!("\u{2014} a {}\n", encoded.trim_end_matches('=')),
        format!("\u{2014} a {}\n", encoded.replace("QE=", "QF=")),
        format!("\u{2014} a {}\n", encoded.replacen('A', "-", 1)),
        line("a", &[1; 4]),
        line("a", &[1; 3]),
        "\u{2014} a \n".into(),
    ];
    let lines = lines.into_iter().map(bad_line).map(|(text, error)| ("signature line", text, error));
    for (attack, text, expected) in cases.into_iter().chain(lines) {
        assert_eq!(Note::parse(text.as_bytes()), Err(expected), "{attack}: {text:?}");
    }
    assert_eq!(Note::parse(b"\xff\n\n"), Err(NoteError::NotUtf8));
}

#[test]
fn notes_over_the_bounds_are_refused() {
    let with = |count: u32| {
        let lines: String = (0..count).map(|i| line(&format!("w{i}"), &[1; 68])).collect();
        Note::parse(format!("t\n\n{lines}").as_bytes())
    };
    assert_eq!(with(64).unwrap().signatures.len(), 64);
    assert_eq!(with(65), Err(NoteError::TooManySignatures));
    let long = "a".repeat(MAX_BYTES + 1);
    assert_eq!(Note::parse(long.as_bytes()), Err(NoteError::TooLong { bytes: MAX_BYTES + 1 }));
}

proptest! {
    #[test]
    fn a_note_has_one_spelling(place: prop::sample::Index, to: u8) {
        let mut bytes = signed(1, 5).to_string().into_bytes();
        let at = place.index(bytes.len());
        bytes[at] = to;
        if let Ok(note) = Note::parse(&bytes) {
            prop_assert_eq!(note.to_string().into_bytes(), bytes);
        }
    }
}
