//! Envelopes that are none: the reader refuses them before it looks at any signature.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::gate::world::Part;
use super::super::vector::Vector;
use super::{good, vector};

const NOT_CANONICAL: &str =
    "no DSSE envelope: not canonical JSON: a duplicate, unknown or missing field, another order, or trailing bytes";

pub fn vectors() -> Vec<Vector> {
    [bytes(), shape(), base64()].concat()
}

fn text() -> String {
    String::from_utf8(good(Part::Handoff).line()).expect("a line is text")
}

/// What stands around the JSON, and how it is spelled.
fn bytes() -> Vec<Vector> {
    let text = text();
    let (keyid, rest) = text.split_once(r#""keyid":"#).expect("a line has a key id");
    vec![
        vector("empty", "no DSSE envelope: EOF while parsing a value…", "nothing at all", *b""),
        vector("not-json", "no DSSE envelope: expected value…", "a sentence", *b"Reviewed-by: everybody"),
        vector(
            "byte-order-mark",
            "no DSSE envelope: starts with a byte order mark",
            "saved by an editor",
            format!("\u{feff}{text}"),
        ),
        vector(
            "carriage-return",
            "no DSSE envelope: holds a carriage return",
            "line endings were converted",
            format!("{text}\r"),
        ),
        vector("newline-inside", NOT_CANONICAL, "pretty-printed", text.replacen(',', ",\n", 1)),
        vector(
            "trailing-bytes",
            "no DSSE envelope: trailing characters…",
            "something was appended",
            format!("{text}x"),
        ),
        vector("trailing-space", NOT_CANONICAL, "a space was appended", format!("{text} ")),
        vector("leading-space", NOT_CANONICAL, "a space was put in front", format!(" {text}")),
        vector("two-envelopes", "no DSSE envelope: trailing characters…", "two lines in one", format!("{text}{text}")),
        vector("not-utf-8", "no DSSE envelope: invalid unicode code point…", "a byte that is no text", {
            let mut bytes = format!("{keyid}\"keyid\":\"").into_bytes();
            bytes.push(0xff);
            bytes.extend_from_slice(&rest.as_bytes()[1..]);
            bytes
        }),
        vector("nul", "no DSSE envelope: control character…", "a NUL inside a text", text.replacen("key_", "key\0", 1)),
        vector("too-long", "no DSSE envelope: longer than 1 MiB", "one byte over the limit", text.clone())
            .given("filled-with-spaces-to", (1 << 20) + 1),
        vector("as-long-as-may-be", NOT_CANONICAL, "at the limit, and only filled up with spaces", text.clone())
            .given("filled-with-spaces-to", 1 << 20),
        vector(
            "nested-65-deep",
            "no DSSE envelope: nested deeper than 64",
            "brackets to exhaust a reader",
            "[".repeat(65) + &"]".repeat(65),
        ),
        vector(
            "nested-64-deep",
            "no DSSE envelope: invalid type: sequence…",
            "as deep as is looked at",
            "[".repeat(64) + &"]".repeat(64),
        ),
        vector(
            "escaped-spelling",
            NOT_CANONICAL,
            "a letter is written as an escape",
            text.replacen("\"payload\"", "\"\\u0070ayload\"", 1),
        ),
        vector(
            "lone-surrogate",
            "no DSSE envelope: holds half of a surrogate pair",
            "half a character",
            text.replacen("key_", "\\ud800", 1),
        ),
        vector("other-order", NOT_CANONICAL, "the type stands in front of the payload", {
            let (payload, rest) = text.split_once(r#","payloadType""#).expect("the payload is first");
            let (kind, tail) = rest.split_once(r#","signatures""#).expect("then its type");
            format!(r#"{{"payloadType"{kind},{},"signatures"{tail}"#, &payload[1..])
        }),
    ]
}

/// What the JSON holds.
fn shape() -> Vec<Vector> {
    let text = text();
    let with = |field: &str| text.replacen('{', &format!("{{{field},"), 1);
    let (head, _) = text.split_once(r#","signatures":"#).expect("signatures come last");
    let mut many = good(Part::Handoff);
    many.signatures = vec![many.signatures[0].clone(); 65];
    vec![
        vector("array", "no DSSE envelope: invalid type…", "a list of what should be an object", format!("[{text}]")),
        vector(
            "duplicate-key",
            "no DSSE envelope: duplicate field `payload`…",
            "two payloads, of which readers would take one each",
            with(r#""payload":"e30=""#),
        ),
        vector(
            "unknown-field",
            "no DSSE envelope: unknown field `note`…",
            "a field that nobody signs",
            with(r#""note":"trust me""#),
        ),
        vector(
            "float",
            "no DSSE envelope: holds a number that is no integer",
            "a fraction where no number belongs",
            with(r#""a":1.5"#),
        ),
        vector("exponent", "no DSSE envelope: holds a number that is no integer", "an exponent", with(r#""a":1e3"#)),
        vector(
            "integer-past-2-53",
            "no DSSE envelope: holds an integer beyond 2^53",
            "2^53 + 1, which some readers round",
            with(r#""a":9007199254740993"#),
        ),
        vector("no-payload", "no DSSE envelope: missing field `payload`…", "no payload", {
            let (_, rest) = text.split_once(r#""payloadType""#).expect("the payload is first");
            format!(r#"{{"payloadType"{rest}"#)
        }),
        vector(
            "no-payload-type",
            "no DSSE envelope: missing field `payloadType`…",
            "no type",
            text.replacen(r#""payloadType":"application/vnd.in-toto+json","#, "", 1),
        ),
        vector(
            "no-signatures-field",
            "no DSSE envelope: missing field `signatures`…",
            "the field is not there",
            format!("{head}}}"),
        ),
        vector(
            "null-signatures",
            "no DSSE envelope: invalid type: null…",
            "nothing where a list belongs",
            format!(r#"{head},"signatures":null}}"#),
        ),
        vector(
            "no-signature",
            "a DSSE envelope with 0 signatures; 1 to 64 are read",
            "an empty list",
            format!(r#"{head},"signatures":[]}}"#),
        ),
        vector(
            "65-signatures",
            "a DSSE envelope with 65 signatures; 1 to 64 are read",
            "one more than is read",
            many.line(),
        ),
        vector(
            "signature-without-key-id",
            "no DSSE envelope: missing field `keyid`…",
            "whose it should be is left open",
            format!(r#"{head},"signatures":[{{"sig":"AA=="}}]}}"#),
        ),
        vector(
            "signature-with-more",
            "no DSSE envelope: unknown field `cert`…",
            "a certificate that nobody reads",
            format!(r#"{head},"signatures":[{{"cert":"","keyid":"","sig":"AA=="}}]}}"#),
        ),
    ]
}

fn base64() -> Vec<Vector> {
    let (text, good) = (text(), good(Part::Handoff));
    let sig = STANDARD.encode(&good.signatures[0].sig);
    let payload = STANDARD.encode(&good.payload);
    let sig_as = |other: &str| text.replace(&sig, other);
    let loose = format!("{}B==", &sig[..sig.len() - 3]);
    let of_payload = "field payload of the DSSE envelope is no base64";
    let of_sig = "field sig of the DSSE envelope is no base64";
    vec![
        vector("bad-base64-payload", of_payload, "a character of no alphabet", text.replace(&payload, "e30*")),
        vector("bad-base64-signature", of_sig, "a character of no alphabet", sig_as("AAA*")),
        vector("base64-of-two-alphabets", of_sig, "both + and _", sig_as("+_8=")),
        vector(
            "base64-with-stray-bits",
            of_sig,
            "bits behind the end, so that one signature has several spellings",
            sig_as(&loose),
        ),
        vector("base64-padded-twice", of_sig, "too much padding", sig_as(&format!("{sig}="))),
        vector("base64-with-a-space", of_sig, "a space inside", sig_as(&format!("{} {}", &sig[..8], &sig[8..]))),
    ]
}
