//! Boundary proofs with one defect each, under good signatures.

use git_boundary::codec::treeship::RECEIPT_PAYLOAD_TYPE;

use super::super::cast::{self, Who};
use super::super::gate::world::Part;
use super::super::vector::Vector;
use super::{good, vector};

fn replaced(name: &str, expect: &str, about: &str, from: &str, to: &str) -> Vector {
    let text = String::from_utf8(good(Part::Proof).payload).expect("a payload is text");
    assert!(text.contains(from), "{name}: {from} is in the payload");
    let payload = text.replacen(from, to, 1).into_bytes();
    vector(name, expect, about, cast::sign_bytes(RECEIPT_PAYLOAD_TYPE, payload, &[Who::Reviewer]).line())
}

pub fn vectors() -> Vec<Vector> {
    let text = String::from_utf8(good(Part::Proof).payload).expect("a payload is text");
    let (_, diet) = text.split_once(r#""diet":["#).expect("it has a diet");
    let (diet, _) = diet.split_once("],").expect("it ends");
    let (_, subject) = text.split_once(r#""artifactId":""#).expect("it has a subject");
    let subject = &subject[..36];
    let (_, anchor) = text.split_once(r#""anchor":""#).expect("it has an anchor");
    let (anchor, _) = anchor.split_once('"').expect("it ends");
    let allow = r#""decision":"allow""#;
    vec![
        replaced("proof-over-nothing", "the diet is empty", "a decision that looked at nothing", diet, ""),
        replaced(
            "proof-about-two-things",
            "the receipt is about \"art_00000000000000000000000000000000\", its payload about …",
            "subject and payload disagree",
            &format!(r#""artifactId":"{subject}""#),
            r#""artifactId":"art_00000000000000000000000000000000""#,
        ),
        about_nothing(&text),
        replaced(
            "proof-by-nobody",
            "checker.keyid is \"\": expected something",
            "no checker",
            &format!(r#""checker":{{"keyid":"{}""#, Who::Reviewer.name()),
            r#""checker":{"keyid":"""#,
        ),
        replaced(
            "proof-without-an-anchor",
            "committed_at.anchor is \"\": expected something",
            "nothing says that its inputs were frozen",
            anchor,
            "",
        ),
        replaced(
            "proof-of-an-unknown-decision",
            "no Treeship receipt: unknown variant `maybe`…",
            "neither of the four",
            allow,
            r#""decision":"maybe""#,
        ),
        replaced(
            "proof-with-two-decisions",
            "no Treeship receipt: duplicate field `decision`…",
            "allow and deny in one",
            allow,
            r#""decision":"deny","decision":"allow""#,
        ),
        replaced(
            "proof-without-a-decision",
            "no Treeship receipt: missing field `decision`…",
            "none of the four",
            &format!("{allow},"),
            "",
        ),
        replaced(
            "proof-with-a-promise",
            "no Treeship receipt: unknown field `verifier_excluded_inputs`…",
            "what was not read is derived, never promised",
            allow,
            &format!(r#"{allow},"verifier_excluded_inputs":["scratchpad"]"#),
        ),
        replaced(
            "proof-of-another-schema",
            "a Treeship payload of type \"treeship.boundary.v2\"",
            "a later schema",
            "treeship.boundary.v1",
            "treeship.boundary.v2",
        ),
        replaced(
            "receipt-of-another-type",
            "a Treeship payload of type \"treeship/receipt/v2\"",
            "a later receipt",
            "treeship/receipt/v1",
            "treeship/receipt/v2",
        ),
        replaced(
            "receipt-of-another-kind",
            "verified foreign boundary.v2 by reviewer",
            "a kind that counts for nothing",
            r#""kind":"boundary.v1""#,
            r#""kind":"boundary.v2""#,
        ),
        replaced(
            "receipt-of-two-kinds",
            "no Treeship receipt: duplicate field `kind`…",
            "shown as one kind, counted as another",
            r#""kind":"boundary.v1""#,
            r#""kind":"memory.proof","kind":"boundary.v1""#,
        ),
        replaced(
            "receipt-with-more",
            "no Treeship receipt: unknown field `more`…",
            "a field that the form does not have",
            r#""kind":"#,
            r#""more":1,"kind":"#,
        ),
        replaced(
            "proof-with-a-digest-in-capitals",
            "no Treeship receipt: …is no digest…",
            "a second spelling",
            r#""diet_root":"sha256:"#,
            r#""diet_root":"SHA256:"#,
        ),
        replaced(
            "proof-nested-65-deep",
            "no Treeship payload: nested deeper than 64",
            "brackets to exhaust a reader",
            allow,
            &format!(r#"{allow},"asserted":{{"a":{}{}}}"#, "[".repeat(65), "]".repeat(65)),
        ),
        replaced(
            "valid-proof-with-an-open-outcome",
            "verified boundary-proof (allow) by reviewer",
            "outcome and asserted are open, fractions and all",
            allow,
            &format!(r#"{allow},"outcome":{{"score":0.5}},"asserted":{{"any":[null,{{"x":1e9}}]}}"#),
        ),
    ]
}

fn about_nothing(text: &str) -> Vector {
    let (_, subject) = text.split_once(r#""artifactId":""#).expect("it has a subject");
    let payload = text.replace(&subject[..36], "art_0123").into_bytes();
    let line = cast::sign_bytes(RECEIPT_PAYLOAD_TYPE, payload, &[Who::Reviewer]).line();
    let expect = "subject_ref is \"art_0123\": expected art_ and at least 16 lower-case hex digits";
    vector("proof-about-a-short-id", expect, "an id that many artifacts begin with", line)
}
