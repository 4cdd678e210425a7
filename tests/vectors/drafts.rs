//! Drafts that come back to be signed.

use git_boundary::app::draft::Draft;
use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::verified::verify_line;
use git_boundary::model::envelope::Envelope;
use git_boundary::model::fact::{Fact, Reason};
use git_boundary::model::id::EnvelopeId;

use super::cast::{self, START, Who};
use super::gate::parts::{digest, oid};
use super::gate::world::Part;
use super::lines::good;
use super::vector::{Vector, all_come_to_what_they_expect};

fn draft() -> Vec<u8> {
    good(Part::Proposal).payload
}

fn edited(edit: impl Fn(&mut Statement<Envelope>)) -> Vec<u8> {
    let mut statement = Statement::read(&draft()).expect("the draft reads");
    edit(&mut statement);
    statement.payload()
}

pub fn vectors() -> Vec<Vector> {
    let text = String::from_utf8(draft()).expect("a draft is text");
    let signer = Who::Codex.id();
    let one = |name: &str, expect: &str, about: &str, body: Vec<u8>| {
        Vector::new(format!("drafts/{name}.json"), expect, about, body).given("signer", signer)
    };
    let unknown = |claimed: &str| {
        format!("it claims the context {claimed}, which was never delivered to {signer} for this envelope")
    };
    let not_canonical = "no evidence-envelope statement: not canonical JSON: …";
    vec![
        one("valid", "may be signed", "as it was prepared", draft()),
        one("valid-with-its-newline", "may be signed", "as a shell hands it on", [draft(), b"\n".to_vec()].concat()),
        one("empty", "it is empty", "the command that should have made it failed", Vec::new()),
        one("just-a-newline", "it is empty", "echo of nothing", b"\n".to_vec()),
        one(
            "byte-order-mark",
            "no in-toto statement: starts with a byte order mark",
            "saved by an editor",
            format!("\u{feff}{text}").into_bytes(),
        ),
        one(
            "carriage-return",
            "no evidence-envelope statement: holds a carriage return",
            "line endings were converted",
            format!("{text}\r\n").into_bytes(),
        ),
        one("two-newlines", not_canonical, "a blank line behind it", format!("{text}\n\n").into_bytes()),
        one("pretty-printed", not_canonical, "formatted by an editor", text.replacen(':', ": ", 1).into_bytes()),
        one("cut-short", "no in-toto statement: EOF…", "half of it", draft()[..draft().len() / 2].to_vec()),
        one(
            "unknown-field",
            "no evidence-envelope statement: unknown field `approved`…",
            "a field that nobody reads",
            text.replacen(r#""version":1"#, r#""approved":true,"version":1"#, 1).into_bytes(),
        ),
        one(
            "missing-null-field",
            not_canonical,
            "a null was taken out",
            text.replacen(r#""predecessor":null,"#, "", 1).into_bytes(),
        ),
        one(
            "of-another-kind",
            "it is no proposal but handoff",
            "a handoff, to be signed by the agent itself",
            good(Part::Handoff).payload,
        ),
        one(
            "of-an-unknown-kind",
            "it is no proposal but a statement of an unknown kind",
            "something later than this version",
            text.replace("evidence-envelope:v1", "evidence-envelope:v2").into_bytes(),
        ),
        one(
            "other-actor",
            &format!("it was prepared for {signer}, the key that signs is {}", Who::Claude.id()),
            "prepared for Codex, signed by Claude",
            draft(),
        )
        .given("signer", Who::Claude.id()),
        one(
            "actor-exchanged",
            &unknown(&good(Part::Receipt).digest().to_string())
                .replace(&signer.to_string(), &Who::Claude.id().to_string()),
            "Claude wrote its own name into Codex's draft",
            edited(|it| it.predicate.bindings.actor = Fact::known(Who::Claude.id(), "key", START)),
        )
        .given("signer", Who::Claude.id()),
        one(
            "actor-unknown",
            &format!("it was prepared for nobody, the key that signs is {signer}"),
            "no actor",
            edited(|it| it.predicate.bindings.actor = Fact::Unknown { reason: Reason::NoHandoff }),
        ),
        one(
            "unknown-context",
            &unknown("sha256:0101…"),
            "a context that nobody delivered",
            edited(|it| it.predicate.bindings.context = Fact::known(digest(1), "receipt", START)),
        ),
        one(
            "no-context",
            &unknown("of nothing"),
            "no context at all",
            edited(|it| it.predicate.bindings.context = Fact::Unknown { reason: Reason::NoHandoff }),
        ),
        one(
            "context-of-another-envelope",
            &unknown(&good(Part::Receipt).digest().to_string()),
            "another envelope under the same receipt",
            edited(|it| it.predicate.envelope_id = EnvelopeId([9; 16])),
        ),
        one(
            "action-for-another-commit",
            "subject and predicate of this evidence-envelope name different revisions: …",
            "what is shown is not what is asked for",
            edited(|it| it.predicate.requested_action.as_mut().expect("an action").new = oid(0xbb)),
        ),
        one("two-subjects", "a statement of kind evidence-envelope with 2 subjects", "about two revisions at once", {
            let (head, tail) = text.split_once(r#""subject":["#).expect("a subject");
            let subject = tail.strip_suffix("]}").expect("one subject");
            format!(r#"{head}"subject":[{subject},{subject}]}}"#).into_bytes()
        }),
    ]
}

#[test]
fn every_draft_is_read_as_it_deserves() {
    let trust = cast::trust_of(cast::document());
    let line = good(Part::Receipt).line();
    let recorded = verify_line(&line, &|name| trust.resolve(name)).expect("the receipt was recorded");
    let Artifact::ContextReceipt(receipt) = recorded.value() else { panic!("it is a context receipt") };
    all_come_to_what_they_expect("drafts", |vector| {
        let signer = vector.get("signer").parse().expect("a key id");
        let read = Draft::read(&vector.body, signer).and_then(|draft| {
            let found = (draft.claimed_context() == Some(recorded.digest())).then_some(&receipt.predicate);
            draft.check_context(signer, found)
        });
        read.map_or_else(|defect| defect.to_string(), |()| "may be signed".to_owned())
    });
}
