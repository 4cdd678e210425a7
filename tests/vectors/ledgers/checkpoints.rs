//! Checkpoints: what a registrar signs of its ledger.

use std::convert::Infallible;

use git_boundary::ledger::{Checkpoint, Origin, SignedCheckpoint, TreeHead};
use git_boundary::model::id::RepositoryId;
use git_boundary::model::key::PublicKey;

use super::super::cast::Who;
use super::super::vector::{Vector, all_come_to_what_they_expect};

fn origin() -> Origin {
    Origin { repository: RepositoryId([0xab; 16]), registrar: Who::Ci.id() }
}

fn checkpoint(origin: Origin, head: TreeHead, by: Who) -> SignedCheckpoint {
    let sign = |message: &[u8]| Ok::<_, Infallible>(by.sign(message));
    let Ok(signed) = Checkpoint { origin, head }.sign(&by.key().0, sign);
    signed
}

fn head(size: u64) -> TreeHead {
    TreeHead { size, root: [7; 32] }
}

pub fn vectors() -> Vec<Vector> {
    let good = checkpoint(origin(), head(3), Who::Ci).to_string();
    let one = |name: &str, expect: &str, about: &str, body: String| {
        Vector::new(format!("checkpoints/{name}.checkpoint"), expect, about, body)
    };
    let replaced = |name: &str, expect: &str, about: &str, from: &str, to: &str| {
        assert!(good.contains(from), "{name}: {from:?} is in the checkpoint");
        one(name, expect, about, good.replacen(from, to, 1))
    };
    let (text, signatures) = good.split_once("\n\n").expect("a note");
    let elsewhere = Origin { repository: RepositoryId([0xac; 16]), ..origin() };
    let watcher = Origin { registrar: Who::Watcher.id(), ..origin() };
    let stranger = checkpoint(origin(), head(3), Who::Stranger).to_string();
    let (_, strange_signature) = stranger.split_once("\n\n").expect("a note");
    let mut signature = signatures.trim_end().to_owned();
    let place = signature.len() - 10;
    let other = if signature.as_bytes()[place] == b'A' { "B" } else { "A" };
    signature.replace_range(place..=place, other);
    vec![
        one("valid", "3 entries", "nothing is wrong with it", good.clone()),
        one(
            "valid-empty",
            "0 entries",
            "a ledger that holds nothing yet",
            checkpoint(origin(), TreeHead::empty(), Who::Ci).to_string(),
        ),
        one(
            "valid-with-a-cosignature",
            "3 entries",
            "somebody else signed as well",
            format!("{good}{strange_signature}"),
        ),
        one("empty", "the note does not end with a newline", "nothing", String::new()),
        one("no-signature", "the note has no signatures", "a text that nobody signed", format!("{text}\n")),
        one(
            "byte-order-mark",
            "\"\\u{feff}git-boundary/…\" names no ledger…",
            "saved by an editor",
            format!("\u{feff}{good}"),
        ),
        replaced(
            "carriage-return",
            "the note contains the control character 0x0d",
            "line endings were converted",
            "\n",
            "\r\n",
        ),
        one("no-newline", "the note does not end with a newline", "cut short", good.trim_end().to_owned()),
        one(
            "signed-twice",
            "the note has two signatures by the same key, named \"git-boundary/…\"",
            "which of the two?",
            format!("{good}{signatures}"),
        ),
        one("65-signatures", "the note has more than 64 signatures", "to exhaust a reader", {
            let more: String = (0..64).map(|n| format!("\u{2014} w{n} AAAAAAAA\n")).collect();
            format!("{good}{more}")
        }),
        one(
            "wrong-signature",
            "the registrar's signature on the checkpoint of … is wrong",
            "one character",
            format!("{text}\n\n{signature}\n"),
        ),
        replaced(
            "one-digit-changed-in-the-size",
            "the registrar's signature on the checkpoint of … is wrong",
            "a ledger that grew by itself",
            "\n3\n",
            "\n4\n",
        ),
        one(
            "signed-by-a-stranger",
            "the checkpoint of … is not signed by its registrar",
            "another key under the same name",
            stranger.clone(),
        ),
        one(
            "of-another-repository",
            "the checkpoint is of git-boundary/repo_ac…, not of git-boundary/repo_ab…",
            "a fork's ledger",
            checkpoint(elsewhere, head(3), Who::Ci).to_string(),
        ),
        one(
            "of-another-registrar",
            "the checkpoint is of …, not of …",
            "another registrar's ledger",
            checkpoint(watcher, head(3), Who::Watcher).to_string(),
        ),
        one(
            "with-an-extension-line",
            "the checkpoint has 4 lines of text instead of 3",
            "a line that nobody reads",
            checkpoint_with("extension\n"),
        ),
        replaced("size-with-a-leading-zero", "\"03\" is no ledger size…", "a second spelling", "\n3\n", "\n03\n"),
        replaced(
            "size-of-2-53",
            "\"9007199254740992\" is no ledger size…",
            "one more than every reader keeps",
            "\n3\n",
            "\n9007199254740992\n",
        ),
        replaced("negative-size", "\"-1\" is no ledger size…", "below nothing", "\n3\n", "\n-1\n"),
        replaced("root-unpadded", "\"BwcH…\" is no root…", "a second spelling", "=\n", "\n"),
        replaced(
            "empty-with-a-root",
            "sha256:0707… is not the root of an empty ledger",
            "nothing, with something's root",
            "\n3\n",
            "\n0\n",
        ),
        replaced(
            "origin-of-another-tool",
            "\"example.com/log\" names no ledger…",
            "another log",
            &origin().to_string(),
            "example.com/log",
        ),
        one("too-long", "the note has … bytes, past the limit of 262144", "to exhaust a reader", good.clone())
            .given("filled-with-newlines-by", 262_144),
    ]
}

/// A checkpoint with a line more than it should have, properly signed.
fn checkpoint_with(line: &str) -> String {
    let text = format!("{}{line}", Checkpoint { origin: origin(), head: head(3) });
    let good = checkpoint(origin(), head(3), Who::Ci);
    let signature = good.signatures()[0].clone();
    let bytes = [&signature.key_id[..], &Who::Ci.sign(text.as_bytes())].concat();
    use base64::Engine as _;
    let encoded = base64::engine::general_purpose::STANDARD.encode(bytes);
    format!("{text}\n\u{2014} {} {encoded}\n", signature.name)
}

#[test]
fn every_checkpoint_is_read_as_it_deserves() {
    let verify = |key: &[u8; 32], message: &[u8], signature: &[u8; 64]| {
        git_boundary::crypto::verify(&PublicKey(*key), message, signature)
    };
    all_come_to_what_they_expect("checkpoints", |vector| {
        let mut body = vector.body.clone();
        if let Some(count) = vector.given.get("filled-with-newlines-by") {
            body.resize(body.len() + count.parse::<usize>().expect("a count"), b'\n');
        }
        let read = SignedCheckpoint::parse(&body).and_then(|signed| signed.verify(&origin(), &Who::Ci.key().0, verify));
        read.map_or_else(|error| error.to_string(), |checkpoint| format!("{} entries", checkpoint.head.size))
    });
}
