//! Strangers' text before it reaches a terminal.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use super::{UNSEEN, escape, escape_bytes, escape_os, is_plain, takes_colour};

#[test]
fn plain_text_of_any_script_is_unchanged() {
    for text in ["", "src/main.rs", "Grüße, 世界 — “quoted” \\n", "Привет", "עברית", "👩🎉", "a\u{a0}b", "e\u{301}"]
    {
        assert_eq!(escape(text), text);
        assert_eq!(escape_bytes(text.as_bytes()), text);
    }
}

#[test]
fn no_escape_sequence_reaches_the_terminal() {
    assert_eq!(escape("\x1b[2Jgone"), "\\x1b[2Jgone", "clear screen");
    assert_eq!(escape("\x1b]0;title\x07"), "\\x1b]0;title\\x07", "window title");
    assert_eq!(escape("\x1b]52;c;cm0gLXJm\x1b\\"), "\\x1b]52;c;cm0gLXJm\\x1b\\", "clipboard");
    assert_eq!(escape("a\u{9b}31mb"), "a\\u{9b}31mb", "the one-character CSI of C1");
    assert_eq!(escape("x\x08\x7fy"), "x\\x08\\x7fy", "backspace and delete");
    assert_eq!(escape("\0"), "\\x00");
}

#[test]
fn no_line_can_be_forged() {
    assert_eq!(escape("fix\nverified\r\n\tok"), "fix\\nverified\\r\\n\\tok");
    assert_eq!(escape("a\u{85}b\u{2028}c\u{2029}d"), "a\\u{85}b\\u{2028}c\\u{2029}d");
}

#[test]
fn no_text_can_be_turned_round_or_hidden() {
    assert_eq!(escape("safe\u{202e}sr.niam"), "safe\\u{202e}sr.niam", "override");
    assert_eq!(
        escape("\u{2066}a\u{2069}\u{200f}\u{61c}"),
        "\\u{2066}a\\u{2069}\\u{200f}\\u{61c}",
        "isolates and marks"
    );
    assert_eq!(escape("ma\u{200b}in\u{feff}\u{ad}"), "ma\\u{200b}in\\u{feff}\\u{ad}", "zero width");
    assert_eq!(escape("a\u{fe0f}\u{e0061}\u{e0100}"), "a\\u{fe0f}\\u{e0061}\\u{e0100}", "selectors and tags");
}

#[test]
fn what_is_no_utf8_is_written_out_byte_by_byte() {
    assert_eq!(escape_bytes(b"a\xff\xc3(\xe2\x80"), "a\\xff\\xc3(\\xe2\\x80");
    assert_eq!(escape_bytes(b"\xed\xa0\x80"), "\\xed\\xa0\\x80", "a surrogate");
    assert_eq!(escape_os(OsStr::from_bytes(b"p\x80\x1b")), "p\\x80\\x1b");
}

#[test]
fn the_table_is_ascending_and_covers_every_control_character() {
    assert!(UNSEEN.iter().all(|(first, last)| first <= last));
    assert!(UNSEEN.windows(2).all(|pair| pair[0].1 < pair[1].0));
    for character in (0..=0x10ffff).filter_map(char::from_u32) {
        assert!(!(character.is_control() && is_plain(character)), "{:x}", u32::from(character));
    }
    let escaped = escape(&(0..=0x10ffff).filter_map(char::from_u32).collect::<String>());
    assert!(escaped.chars().all(is_plain), "nothing unseen is left in any text");
}

fn colour(terminal: bool, variables: &[(&str, &str)]) -> bool {
    takes_colour(terminal, &|name| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
    })
}

#[test]
fn colour_goes_to_terminals_and_to_gits_pager_only() {
    assert!(colour(true, &[("TERM", "xterm")]));
    assert!(!colour(false, &[("TERM", "xterm")]), "a pipe");
    assert!(colour(false, &[("TERM", "xterm"), ("GIT_PAGER_IN_USE", "true")]));
    assert!(!colour(true, &[("TERM", "dumb")]));
    assert!(!colour(true, &[]), "no TERM, nothing known of the terminal");
}

#[test]
fn the_users_wish_about_colour_goes_first() {
    assert!(!colour(true, &[("TERM", "xterm"), ("NO_COLOR", "1")]));
    assert!(colour(true, &[("TERM", "xterm"), ("NO_COLOR", "")]), "an empty NO_COLOR is none");
    assert!(!colour(true, &[("TERM", "xterm"), ("CLICOLOR", "0")]));
    assert!(colour(false, &[("CLICOLOR_FORCE", "1")]));
    assert!(!colour(false, &[("TERM", "xterm"), ("CLICOLOR_FORCE", "0")]));
    assert!(!colour(true, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), "off wins over on");
}
