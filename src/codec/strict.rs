//! The one reader of own payloads (contract, section 2).
//!
//! What is read must be, byte for byte, what the writer would have written of the value it gives. That one comparison refuses
//! duplicate and unknown fields, missing nulls, other orders and spellings of the same value. Numbers and nesting are looked at
//! first, because a general JSON reader rounds the one and recurses into the other.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::canonical;

/// Longest line that is read, in bytes.
pub const MAX_LINE: usize = 1 << 20;
/// Deepest nesting of arrays and objects.
pub const MAX_DEPTH: usize = 64;
/// Largest integer that every JSON reader keeps exactly.
const MAX_INTEGER: u64 = 1 << 53;

/// What is wrong with a text that should be strict canonical JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Defect {
    /// More than [`MAX_LINE`] bytes.
    #[error("longer than 1 MiB")]
    TooLong,
    /// A byte order mark at the start.
    #[error("starts with a byte order mark")]
    ByteOrderMark,
    /// A carriage return anywhere.
    #[error("holds a carriage return")]
    CarriageReturn,
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("nested deeper than 64")]
    TooDeep,
    /// A number with a fraction or an exponent.
    #[error("holds a number that is no integer")]
    NotAnInteger,
    /// A number beyond 2^53.
    #[error("holds an integer beyond 2^53")]
    IntegerTooLarge,
    /// An escape that is half a character.
    #[error("holds half of a surrogate pair")]
    LoneSurrogate,
    /// Not the JSON that was expected.
    #[error("{0}")]
    Json(String),
    /// The right value in another spelling than the canonical one.
    #[error("not canonical JSON: a duplicate, unknown or missing field, another order, or trailing bytes")]
    NotCanonical,
}

/// Reads one own payload.
///
/// # Errors
/// The first [`Defect`] found.
pub fn read<T: DeserializeOwned + Serialize>(bytes: &[u8]) -> Result<T, Defect> {
    if bytes.len() > MAX_LINE {
        return Err(Defect::TooLong);
    }
    read_whole(bytes)
}

/// Reads a payload that [`read`] has read before, in this process or another, without looking at its spelling again.
///
/// # Errors
/// A [`Defect`] only where that is not so.
pub fn read_again<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Defect> {
    if bytes.len() > MAX_LINE {
        return Err(Defect::TooLong);
    }
    serde_json::from_slice(bytes).map_err(|error| Defect::Json(error.to_string()))
}

/// [`read`] for a whole file, whose length its reader has bounded.
///
/// # Errors
/// The first [`Defect`] found, which is never [`Defect::TooLong`].
pub fn read_whole<T: DeserializeOwned + Serialize>(bytes: &[u8]) -> Result<T, Defect> {
    scan(bytes)?;
    let value: T = serde_json::from_slice(bytes).map_err(|error| Defect::Json(error.to_string()))?;
    if canonical::to_vec(&value) == bytes { Ok(value) } else { Err(Defect::NotCanonical) }
}

/// Bounds that hold for foreign payloads as well: length, nesting, byte order mark.
///
/// # Errors
/// The first [`Defect`] found.
pub fn bounds(bytes: &[u8]) -> Result<(), Defect> {
    if bytes.len() > MAX_LINE {
        return Err(Defect::TooLong);
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(Defect::ByteOrderMark);
    }
    walk(bytes, |_| Ok(()))
}

fn scan(bytes: &[u8]) -> Result<(), Defect> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(Defect::ByteOrderMark);
    }
    if bytes.contains(&b'\r') {
        return Err(Defect::CarriageReturn);
    }
    walk(bytes, integer)
}

fn integer(number: &[u8]) -> Result<(), Defect> {
    if number.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        return Err(Defect::NotAnInteger);
    }
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        // No number at all, which is for the parser to say.
        return Ok(());
    }
    let small =
        std::str::from_utf8(digits).ok().and_then(|text| text.parse::<u64>().ok()).is_some_and(|n| n <= MAX_INTEGER);
    if small { Ok(()) } else { Err(Defect::IntegerTooLarge) }
}

/// The code unit of a `\uXXXX` escape that begins here.
fn code_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// How many bytes the escape takes that begins here.
fn escape(bytes: &[u8]) -> Result<usize, Defect> {
    match code_unit(bytes) {
        Some(0xd800..=0xdbff) => match code_unit(&bytes[6..]) {
            Some(0xdc00..=0xdfff) => Ok(12),
            _ => Err(Defect::LoneSurrogate),
        },
        Some(0xdc00..=0xdfff) => Err(Defect::LoneSurrogate),
        _ => Ok(2),
    }
}

/// Follows strings and brackets only; grammar is the parser's business.
fn walk(bytes: &[u8], mut on_number: impl FnMut(&[u8]) -> Result<(), Defect>) -> Result<(), Defect> {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { escape(&bytes[at..])? } else { 1 };
                }
            }
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(Defect::TooDeep);
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'-' | b'0'..=b'9' => {
                let start = at;
                while at + 1 < bytes.len() && matches!(bytes[at + 1], b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9') {
                    at += 1;
                }
                on_number(&bytes[start..=at])?;
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::handoff::Lease;

    const LEASE: &str = r#"{"expires_at":"2026-06-06T08:00:00Z","not_before":"2026-06-06T00:00:00Z"}"#;

    fn lease(text: &str) -> Result<Lease, Defect> {
        read(text.as_bytes())
    }

    #[test]
    fn reads_what_the_writer_wrote() {
        let value = lease(LEASE).expect("a valid lease");
        assert_eq!(canonical::to_vec(&value), LEASE.as_bytes());
    }

    #[test]
    fn refuses_every_other_spelling() {
        let swapped = r#"{"not_before":"2026-06-06T00:00:00Z","expires_at":"2026-06-06T08:00:00Z"}"#;
        assert_eq!(lease(swapped), Err(Defect::NotCanonical));
        let duplicate = LEASE.replace('{', r#"{"expires_at":"2026-06-06T08:00:00Z","#);
        assert!(lease(&duplicate).is_err(), "a duplicate key");
        let unknown = LEASE.replace('}', r#","zeal":1}"#);
        assert!(lease(&unknown).is_err(), "an unknown field");
        for text in [format!("{LEASE} "), format!(" {LEASE}"), format!("{LEASE}{{}}"), LEASE.replace(':', ": ")] {
            assert!(lease(&text).is_err(), "{text:?}");
        }
        assert_eq!(lease(&format!("\u{feff}{LEASE}")), Err(Defect::ByteOrderMark));
        assert_eq!(lease(&LEASE.replace(',', ",\r")), Err(Defect::CarriageReturn));
    }

    #[test]
    fn refuses_numbers_that_readers_disagree_on() {
        for (text, defect) in [
            ("[1.5]", Defect::NotAnInteger),
            ("[1e3]", Defect::NotAnInteger),
            ("[9007199254740993]", Defect::IntegerTooLarge),
            ("[-9007199254740993]", Defect::IntegerTooLarge),
            ("[99999999999999999999999]", Defect::IntegerTooLarge),
        ] {
            assert_eq!(read::<serde_json::Value>(text.as_bytes()), Err(defect), "{text}");
        }
        assert!(read::<serde_json::Value>(b"[9007199254740992]").is_ok());
    }

    #[test]
    fn refuses_deep_nesting_before_the_parser_sees_it() {
        let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
        assert_eq!(read::<serde_json::Value>(deep.as_bytes()), Err(Defect::TooDeep));
        let brackets_in_text = format!("[\"{}\"]", "[".repeat(200));
        assert!(read::<serde_json::Value>(brackets_in_text.as_bytes()).is_ok());
    }

    #[test]
    fn refuses_lone_surrogates() {
        for text in [r#"["\ud800"]"#, r#"["\udc00"]"#, r#"["\ud800\ud800"]"#, r#"["\ud800x"]"#, r#"["\uDBFF"#] {
            assert_eq!(read::<serde_json::Value>(text.as_bytes()), Err(Defect::LoneSurrogate), "{text}");
        }
        assert_eq!(bounds(br#"["\ud83d\ude00"]"#), Ok(()), "a whole pair is a character");
        assert_ne!(read::<serde_json::Value>(br#"["\\ud800"]"#), Err(Defect::LoneSurrogate), "an escaped backslash");
    }

    #[test]
    fn what_is_no_number_is_not_said_to_be_a_large_one() {
        for text in ["[-]", "a-b", "[--1]"] {
            assert!(matches!(read::<serde_json::Value>(text.as_bytes()), Err(Defect::Json(_))), "{text}");
        }
    }
}
