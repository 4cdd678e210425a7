//! Who signed, and where a line is stored.

use git_boundary::codec::dsse::{Dsse, Signature};
use serde_json::Value;

use super::super::file::File;
use super::super::make::file;
use super::super::worlds;
use super::{Found, is_admitted, only_these};
use crate::vectors::cast::{self, START, Who};

const RECEIPT: &str = "the word of whichever clone the actor works in, where the rule asks for no more";
const CARRIER: &str = "a good signature stands in whoever's ledger, while its key is good now";
const CLOCK: &str = "a ledger's clock counts only for a key that ended, and for what was decided before";

/// Everybody who might sign.
pub(super) const EVERYBODY: [Who; 9] = [
    Who::Owner,
    Who::Codex,
    Who::Reviewer,
    Who::Ci,
    Who::Auditor,
    Who::Hotfixer,
    Who::Root,
    Who::Stranger,
    Who::Claude,
];

/// A stored line apart: its place, and what is signed.
pub(super) fn apart(line: &[u8]) -> (Vec<u8>, Dsse) {
    let start = line.iter().position(|byte| *byte == b'{').expect("a line of JSON");
    (line[..start].to_vec(), Dsse::parse(&line[start..]).expect("a line"))
}

pub(super) fn with_line(whole: &File, place: usize, before: &[u8], artifact: &Dsse) -> File {
    let mut changed = whole.clone();
    changed.lines[place] = [before, &artifact.line()[..]].concat();
    changed
}

/// What a line is, in a word.
pub(super) fn kind(artifact: &Dsse) -> String {
    let payload: Value = serde_json::from_slice(&artifact.payload).expect("JSON");
    let name = payload.get("predicateType").or_else(|| payload.get("kind")).and_then(Value::as_str).expect("a type");
    name.trim_start_matches("urn:git-boundary:").trim_end_matches(":v1").to_owned()
}

fn resigned(artifact: &Dsse, by: Who) -> Dsse {
    cast::sign_bytes(&artifact.payload_type, artifact.payload.clone(), &[by])
}

#[test]
fn every_signature_is_needed_and_is_its_signers() {
    let mut found = Found::default();
    for (name, world) in worlds::all() {
        let whole = file(&world);
        for place in 0..whole.lines.len() {
            let (before, artifact) = apart(&whole.lines[place]);
            let mut tries: Vec<(String, Dsse)> = Vec::new();
            let none = Dsse { signatures: Vec::new(), ..artifact.clone() };
            tries.push(("by nobody".to_owned(), none));
            let mut broken = artifact.clone();
            broken.signatures[0].sig[0] ^= 1;
            tries.push(("broken".to_owned(), broken));
            for who in EVERYBODY.into_iter().filter(|who| who.name() != artifact.signatures[0].keyid) {
                tries.push((format!("by {who:?}"), resigned(&artifact, who)));
                // Another's signature in the signer's name.
                let sig = resigned(&artifact, who).signatures[0].sig.clone();
                let keyid = artifact.signatures[0].keyid.clone();
                let signatures = vec![Signature { keyid, sig }];
                tries.push((format!("in another's name by {who:?}"), Dsse { signatures, ..artifact.clone() }));
            }
            for (how, changed) in tries {
                if is_admitted(&with_line(&whole, place, &before, &changed).answer()) {
                    found.note(name, format!("{} {how}", kind(&artifact)));
                }
            }
        }
    }
    only_these(
        found,
        &[
            ("context-receipt by Auditor: twice", RECEIPT),
            ("context-receipt by Codex: approved checked twice", RECEIPT),
            ("context-receipt by Hotfixer: person", RECEIPT),
            ("context-receipt by Owner: approved checked twice", RECEIPT),
            ("context-receipt by Reviewer: approved checked twice", RECEIPT),
            ("context-receipt by Root", RECEIPT),
        ],
    );
}

#[test]
fn every_ledger_entry_says_what_it_says() {
    let mut found = Found::default();
    for (name, world) in worlds::all() {
        let whole = file(&world);
        for place in 0..whole.lines.len() {
            let (before, artifact) = apart(&whole.lines[place]);
            let text = String::from_utf8(before).expect("text");
            let fields: Vec<&str> = text.trim_end().split(' ').collect();
            let stranger = Who::Stranger.name();
            let late = START.plus(90_000).0.to_string();
            let ways = [
                ("on another note", 0, "b7".repeat(20)),
                ("in a stranger's ledger", 1, stranger),
                ("in the actor's own ledger", 1, Who::Codex.name()),
                ("at index 99", 2, "99".to_owned()),
                ("at index 0", 2, "0".to_owned()),
                ("later", 3, late),
                ("at the start", 3, START.0.to_string()),
            ];
            for (how, field, value) in ways {
                let mut changed: Vec<&str> = fields.clone();
                if changed[field] == value {
                    continue;
                }
                changed[field] = &value;
                let before = format!("{} ", changed.join(" "));
                if is_admitted(&with_line(&whole, place, before.as_bytes(), &artifact).answer()) {
                    found.note(name, format!("{} {how}", kind(&artifact)));
                }
            }
        }
    }
    only_these(
        found,
        &[
            ("approval at index 0: approved", "only commitment and proof are ordered by their places"),
            ("approval at index 99: approved", "only commitment and proof are ordered by their places"),
            ("approval at the start: approved", CLOCK),
            ("approval in a stranger's ledger: approved", CARRIER),
            ("approval in the actor's own ledger: approved", CARRIER),
            ("approval later: approved", CLOCK),
            ("boundary.v1 at index 99: approved checked twice", "it may stand anywhere behind its commitment"),
            ("boundary.v1 at the start: approved checked twice", CLOCK),
            ("boundary.v1 later: approved checked twice", CLOCK),
            (
                "boundary.v1 on another note: approved checked twice",
                "it names its proposal itself, so that it may be copied anywhere",
            ),
            ("context-receipt at index 0", "only commitment and proof are ordered by their places"),
            ("context-receipt at index 99", "only commitment and proof are ordered by their places"),
            ("context-receipt at the start", CLOCK),
            ("context-receipt in a stranger's ledger", CARRIER),
            ("context-receipt in the actor's own ledger", CARRIER),
            ("context-receipt later", CLOCK),
            ("diet-commitment at the start: approved checked twice", CLOCK),
            ("diet-commitment later: approved checked twice", CLOCK),
            ("evidence-envelope at index 0", "only commitment and proof are ordered by their places"),
            ("evidence-envelope at index 99", "only commitment and proof are ordered by their places"),
            ("evidence-envelope at the start", CLOCK),
            ("evidence-envelope in a stranger's ledger", CARRIER),
            ("evidence-envelope in the actor's own ledger", CARRIER),
            ("evidence-envelope later", CLOCK),
            ("handoff at index 99: approved checked twice", "only commitment and proof are ordered by their places"),
            ("handoff in a stranger's ledger: approved checked twice", CARRIER),
            ("handoff in the actor's own ledger: approved checked twice", CARRIER),
            ("handoff later: approved checked twice", CLOCK),
        ],
    );
}
