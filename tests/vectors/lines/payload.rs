//! Payloads with one defect each, under good signatures: whoever signs nonsense is told so.

use git_boundary::codec::in_toto::PAYLOAD_TYPE;

use super::super::cast::{self, Who};
use super::super::gate::world::Part;
use super::super::vector::Vector;
use super::{good, vector};

const NOT_CANONICAL: &str =
    "no handoff statement: not canonical JSON: a duplicate, unknown or missing field, another order, or trailing bytes";

/// The payload of the admitted case's handoff.
pub(super) fn text() -> String {
    String::from_utf8(good(Part::Handoff).payload).expect("a payload is text")
}

pub(super) fn signed(name: &str, expect: &str, about: &str, payload: impl Into<Vec<u8>>) -> Vector {
    vector(name, expect, about, cast::sign_bytes(PAYLOAD_TYPE, payload.into(), &[Who::Owner]).line())
}

/// One text of the payload replaced by another.
pub(super) fn replaced(name: &str, expect: &str, about: &str, from: &str, to: &str) -> Vector {
    let text = text();
    assert!(text.contains(from), "{name}: {from} is in the payload");
    signed(name, expect, about, text.replacen(from, to, 1))
}

pub fn vectors() -> Vec<Vector> {
    [bytes(), fields(), names()].concat()
}

fn bytes() -> Vec<Vector> {
    let text = text();
    vec![
        signed("payload-empty", "no in-toto statement: EOF…", "an empty payload", *b""),
        signed(
            "payload-byte-order-mark",
            "no in-toto statement: starts with a byte order mark",
            "saved by an editor",
            format!("\u{feff}{text}"),
        ),
        signed(
            "payload-carriage-return",
            "no handoff statement: holds a carriage return",
            "line endings were converted",
            text.replacen(',', ",\r\n", 1),
        ),
        signed(
            "payload-trailing-bytes",
            "no in-toto statement: trailing characters…",
            "something was appended",
            format!("{text}x"),
        ),
        signed("payload-trailing-newline", NOT_CANONICAL, "a newline was appended", format!("{text}\n")),
        signed("payload-pretty-printed", NOT_CANONICAL, "spaces inside", text.replacen(':', ": ", 1)),
        signed(
            "payload-nested-65-deep",
            "no in-toto statement: nested deeper than 64",
            "brackets to exhaust a reader",
            format!("{}{}", "[".repeat(65), "]".repeat(65)),
        ),
        replaced(
            "payload-float",
            "no handoff statement: holds a number that is no integer",
            "a fraction in what people say",
            r#""mend it""#,
            "1.5",
        ),
        replaced(
            "payload-integer-past-2-53",
            "no handoff statement: holds an integer beyond 2^53",
            "2^53 + 1 in what people say",
            r#""mend it""#,
            "9007199254740993",
        ),
        replaced(
            "payload-lone-surrogate",
            "no in-toto statement: holds half of a surrogate pair",
            "half a character",
            "mend it",
            "\\ud800",
        ),
        replaced("payload-escaped-spelling", NOT_CANONICAL, "a letter as an escape", "mend it", "m\\u0065nd it"),
    ]
}

fn fields() -> Vec<Vector> {
    let text = text();
    let reordered = {
        let (statement, rest) = text.split_once(r#","predicate":"#).expect("the type comes first");
        let (predicate, tail) = rest.split_once(r#","predicateType""#).expect("then the predicate");
        format!(r#"{{"predicate":{predicate},{},"predicateType"{tail}"#, &statement[1..])
    };
    vec![
        signed("payload-other-order", NOT_CANONICAL, "the predicate stands first", reordered),
        replaced(
            "payload-duplicate-key",
            "no handoff statement: duplicate field `nonce`…",
            "two nonces",
            r#""nonce":"#,
            r#""nonce":"0","nonce":"#,
        ),
        replaced(
            "payload-duplicate-key-in-what-is-said",
            NOT_CANONICAL,
            "two summaries, of which readers would show one each",
            r#""summary":"#,
            r#""summary":"harmless","summary":"#,
        ),
        replaced(
            "payload-unknown-field",
            "no handoff statement: unknown field `unlimited`…",
            "a field that nobody reads",
            r#""to":"#,
            r#""unlimited":true,"to":"#,
        ),
        replaced(
            "payload-missing-null-field",
            NOT_CANONICAL,
            "a null is left out, which the writer never does",
            r#""renews":null,"#,
            "",
        ),
        replaced(
            "payload-missing-field",
            "no handoff statement: missing field `nonce`…",
            "no nonce",
            &format!(r#""nonce":"{}","#, "1".repeat(32)),
            "",
        ),
        replaced(
            "payload-null-for-a-value",
            "no handoff statement: invalid type: null…",
            "nobody is given it",
            &format!(r#""to":"{}""#, Who::Codex.id()),
            r#""to":null"#,
        ),
        replaced(
            "payload-number-for-a-text",
            "no handoff statement: invalid type: integer…",
            "a nonce that is a number",
            &format!(r#""nonce":"{}""#, "1".repeat(32)),
            r#""nonce":1"#,
        ),
        replaced(
            "payload-unknown-operation",
            "no handoff statement: \"everything\" is no operation…",
            "an operation that there is not",
            r#""modify""#,
            r#""everything""#,
        ),
    ]
}

fn names() -> Vec<Vector> {
    let pin = "a0".repeat(20);
    let owner = Who::Owner.name();
    let from = format!(r#""from":"{owner}""#);
    let time = r#""expires_at":"2026-06-06T08:00:00Z""#;
    let at = |other: &str| format!(r#""expires_at":"{other}""#);
    let no_time = |other: &str| format!("no handoff statement: \"{other}\" is no time…");
    let commit = format!(r#""commit":"{pin}""#);
    vec![
        replaced(
            "payload-short-object-id",
            "no handoff statement: …is no git object id…",
            "39 digits",
            &commit,
            &format!(r#""commit":"{}""#, &pin[1..]),
        ),
        replaced(
            "payload-object-id-in-capitals",
            "no handoff statement: …is no git object id…",
            "a second spelling of one commit",
            &commit,
            &format!(r#""commit":"{}""#, pin.to_uppercase()),
        ),
        replaced(
            "payload-digest-without-algorithm",
            "no handoff statement: …is no digest…",
            "bare hex",
            r#""policy":"sha256:"#,
            r#""policy":"x"#,
        ),
        replaced(
            "payload-foreign-key-id",
            "no handoff statement: \"key_0123456789abcdef\" is no key id…",
            "16 digits, as others write them",
            &from,
            r#""from":"key_0123456789abcdef""#,
        ),
        replaced(
            "payload-time-with-an-offset",
            &no_time("2026-06-06T10:00:00+02:00"),
            "the same moment in another spelling",
            time,
            &at("2026-06-06T10:00:00+02:00"),
        ),
        replaced(
            "payload-time-with-a-fraction",
            &no_time("2026-06-06T08:00:00.000Z"),
            "the same moment in another spelling",
            time,
            &at("2026-06-06T08:00:00.000Z"),
        ),
        replaced(
            "payload-time-in-small-letters",
            &no_time("2026-06-06t08:00:00z"),
            "the same moment in another spelling",
            time,
            &at("2026-06-06t08:00:00z"),
        ),
        replaced(
            "payload-time-that-never-was",
            &no_time("2026-02-30T08:00:00Z"),
            "the 30th of February",
            time,
            &at("2026-02-30T08:00:00Z"),
        ),
        replaced(
            "payload-leap-second",
            &no_time("2016-12-31T23:59:60Z"),
            "a second that not all clocks have",
            time,
            &at("2016-12-31T23:59:60Z"),
        ),
        replaced(
            "payload-time-past-9999",
            &no_time("+010000-01-01T00:00:00Z"),
            "five digits of a year",
            time,
            &at("+010000-01-01T00:00:00Z"),
        ),
    ]
}
