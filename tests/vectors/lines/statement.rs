//! Statements of the wrong type or kind, or about the wrong revision.

use git_boundary::codec::in_toto::PAYLOAD_TYPE;

use super::super::cast::{self, Who};
use super::super::vector::Vector;
use super::vector;

use super::payload::{replaced, signed, text};

pub fn vectors() -> Vec<Vector> {
    let text = text();
    let handoff = r#""predicateType":"urn:git-boundary:handoff:v1""#;
    let (head, tail) = text.split_once(r#""subject":["#).expect("the subject comes last");
    let one = tail.strip_suffix("]}").expect("one subject");
    let other_commit = one.replacen(&"a0".repeat(20), &"a1".repeat(20), 1);
    let other_tree = one.replacen(&"af".repeat(20), &"ae".repeat(20), 1);
    let retyped = |name: &str, expect: &str, about: &str, payload_type: &str| {
        vector(name, expect, about, cast::sign_bytes(payload_type, text.clone().into_bytes(), &[Who::Owner]).line())
    };
    let disagree = "subject and predicate of this handoff name different revisions: …";
    vec![
        retyped(
            "wrong-payload-type",
            "payload type \"application/json\" is none that is read here",
            "a statement under a plain type",
            "application/json",
        ),
        retyped(
            "payload-type-of-another-kind",
            "a Treeship payload of type \"\"",
            "a statement under a receipt's type",
            "application/vnd.treeship.receipt.v1+json",
        ),
        retyped(
            "payload-type-in-capitals",
            "payload type \"application/vnd.In-Toto+json\" is none that is read here",
            "types are compared byte for byte",
            "application/vnd.In-Toto+json",
        ),
        replaced(
            "predicate-of-another-kind",
            "no revocation statement: …",
            "a handoff that calls itself a revocation",
            handoff,
            r#""predicateType":"urn:git-boundary:revocation:v1""#,
        ),
        replaced(
            "predicate-of-a-later-version",
            "verified unknown urn:git-boundary:handoff:v2 by owner",
            "a kind that this version does not know counts for nothing",
            handoff,
            r#""predicateType":"urn:git-boundary:handoff:v2""#,
        ),
        replaced(
            "statement-of-an-older-version",
            "no in-toto statement: of type \"https://in-toto.io/Statement/v0.1\"",
            "an older in-toto",
            "in-toto.io/Statement/v1",
            "in-toto.io/Statement/v0.1",
        ),
        signed(
            "two-subjects",
            "a statement of kind handoff with 2 subjects",
            "about two revisions at once",
            format!(r#"{head}"subject":[{one},{one}]}}"#),
        ),
        signed(
            "no-subject",
            "a statement of kind handoff with 0 subjects",
            "about nothing",
            format!(r#"{head}"subject":[]}}"#),
        ),
        signed(
            "subject-and-predicate-disagree-on-the-commit",
            disagree,
            "noted on one commit, pinned to another",
            format!(r#"{head}"subject":[{other_commit}]}}"#),
        ),
        signed(
            "subject-and-predicate-disagree-on-the-tree",
            disagree,
            "one commit with two trees",
            format!(r#"{head}"subject":[{other_tree}]}}"#),
        ),
        signed(
            "subject-without-a-tree",
            "no handoff statement: missing field `gitTree`…",
            "only half of a revision",
            format!(r#"{head}"subject":[{}]}}"#, one.replacen(&format!(r#","gitTree":"{}""#, "af".repeat(20)), "", 1)),
        ),
        trust_with_a_subject(one),
    ]
}

fn trust_with_a_subject(one: &str) -> Vector {
    use git_boundary::codec::in_toto::Statement;
    let payload = Statement { predicate: cast::document(), subject: None }.payload();
    let text = String::from_utf8(payload).expect("a payload is text");
    let with = text.replacen(r#""subject":[]"#, &format!(r#""subject":[{one}]"#), 1);
    let line = cast::sign_bytes(PAYLOAD_TYPE, with.into_bytes(), &[Who::Root]).line();
    vector("trust-with-a-subject", "a statement of kind trust with 1 subjects", "trust is about no revision", line)
}
