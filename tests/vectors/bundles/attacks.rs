//! The files in `fixtures/bundles/`.

use git_boundary::app::bundle::form::{AboutKind, Bundle};
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::to_openssh;
use git_boundary::model::boundary_proof::CheckDecision;
use git_boundary::model::digest::Digest;
use git_boundary::model::handoff::Revocation;
use git_boundary::model::id::RepositoryId;
use git_boundary::model::trust::{LastCheckpoint, TrustDocument};

use super::make::{self, Made, commits, world};
use crate::vectors::cast::{self, START, Who};
use crate::vectors::gate::parts;
use crate::vectors::gate::world::{Extra, Links, Part, anchor, entry, receipt_of};
use crate::vectors::vector::Vector;

pub(super) const GOOD: &str = "verified_as_bundled";

pub(super) fn vector(made: &Made, name: &str, expect: &str, about: &str, body: Vec<u8>) -> Vector {
    let vector = Vector::new(format!("bundles/{name}.bundle"), expect, about, body);
    vector.given("now", START.plus(10_800)).given("root", made.root())
}

pub fn vectors() -> Vec<Vector> {
    [valid(), form(), chains(), ledgers(), artifacts(), judged(), super::sessions::vectors()].concat()
}

fn plain() -> Made {
    Made::of(&world(), |_| {})
}

/// The proof's bundle with one thing changed.
fn changed(name: &str, expect: &str, about: &str, edit: impl FnOnce(&mut Bundle)) -> Vector {
    let made = plain();
    let mut bundle = made.bundle(AboutKind::Proof);
    edit(&mut bundle);
    vector(&made, name, expect, about, bundle.bytes())
}

/// The same with its text changed.
fn spelled(name: &str, expect: &str, about: &str, edit: impl FnOnce(String) -> String) -> Vector {
    let made = plain();
    let text = String::from_utf8(made.bundle(AboutKind::Proof).bytes()).expect("it is text");
    vector(&made, name, expect, about, edit(text).into_bytes())
}

fn valid() -> Vec<Vector> {
    let made = plain();
    let of = |name: &str, kind| vector(&made, name, GOOD, "nothing", made.bundle(kind).bytes());
    vec![
        of("valid-envelope", AboutKind::Envelope),
        of("valid-proof", AboutKind::Proof),
        of("valid-range", AboutKind::Range),
        spelled("valid-without-a-newline", GOOD, "cut the newline off", |text| text.trim_end().to_owned()),
    ]
}

fn form() -> Vec<Vector> {
    let none = "refused: the file: is no bundle: ";
    let deep = |text: String| {
        text.replacen("\"artifact\":", &format!("\"a\":{}{},\"artifact\":", "[".repeat(65), "]".repeat(65)), 1)
    };
    vec![
        spelled("cut-short", &format!("{none}…"), "cut the end off", |text| text[..text.len() / 2].to_owned()),
        spelled("duplicate-key", &format!("{none}…"), "named its form twice", |text| {
            text.replacen("\"bundle\":", "\"bundle\":\"urn:git-boundary:bundle:v2\",\"bundle\":", 1)
        }),
        spelled("nested-deep", &format!("{none}nested deeper than 64"), "nested lists", deep),
        spelled("not-json", &format!("{none}…"), "sent something else", |_| "-----BEGIN\n".to_owned()),
        spelled("other-order", &format!("{none}not canonical JSON…"), "wrote a space", |text| {
            text.replacen(':', ": ", 1)
        }),
        changed("of-a-later-form", "refused: the file: is a bundle of form …v2…", "named a later form", |bundle| {
            bundle.bundle = "urn:git-boundary:bundle:v2".to_owned();
        }),
        spelled("unknown-field", &format!("{none}unknown field…"), "added a field", |text| {
            text.replacen("\"bundle\":", "\"also\":true,\"bundle\":", 1)
        }),
        changed(
            "about-nothing",
            "refused: the file: says of what it is about more than one thing, or nothing",
            "took out what it is about",
            |bundle| {
                bundle.about.artifact = None;
            },
        ),
        changed(
            "about-what-is-not-there",
            "refused: art_…: is what the bundle is about, and is not here",
            "named another artifact",
            |bundle| {
                bundle.about.artifact = Some(Digest([7; 32]));
            },
        ),
    ]
}

fn chains() -> Vec<Vector> {
    let expired = Made::of(&world(), |document: &mut TrustDocument| document.expires_at = Some(START));
    let made = plain();
    let other = Made::of(&world().trust(|document| document.roots.keys.push(Who::Owner.id())), |_| {});
    vec![
        changed(
            "of-another-root",
            "refused: the trust chain: the trust root is …",
            "made a trust chain of its own",
            |bundle| {
                bundle.trust = other.bundle(AboutKind::Proof).trust;
            },
        ),
        changed("first-trust-version-dropped", "refused: the trust chain: …", "began with version 2", |bundle| {
            bundle.trust.remove(0);
        }),
        changed(
            "last-trust-version-dropped",
            "undecided: the trust chain is at version 1, at least 2 was asked for",
            "showed an old one",
            |bundle| {
                bundle.trust.pop();
            },
        )
        .given("least", 2),
        changed(
            "trust-version-twice",
            "refused: the trust chain: trust version 3: …",
            "repeated a version",
            |bundle| {
                bundle.trust.push(bundle.trust[1].clone());
            },
        ),
        vector(
            &expired,
            "trust-expired",
            "undecided: trust version 2 expired at …",
            "let it lie",
            expired.bundle(AboutKind::Proof).bytes(),
        ),
        changed(
            "no-policy",
            "undecided: no rule of the bundle's policy governs refs/heads/main",
            "left the policy out",
            |bundle| {
                bundle.policy.clear();
            },
        ),
        changed("policy-by-a-stranger", "refused: the policy chain: …", "signed a policy", |bundle| {
            let mut line = made.policy[0].clone();
            line.signatures = cast::sign_bytes(&line.payload_type, line.payload.clone(), &[Who::Codex]).signatures;
            bundle.policy = vec![String::from_utf8(line.line()).expect("it is text")];
        }),
        changed(
            "named-for-another-repository",
            "refused: the file: is about repo_…, its trust chain is that of repo_…",
            "named another repository",
            |bundle| {
                bundle.repository = RepositoryId([9; 16]);
            },
        ),
    ]
}

fn ledgers() -> Vec<Vector> {
    let made = plain();
    let last = |size: usize| {
        let head = made.head(size);
        LastCheckpoint { root: Digest(head.root), size: head.size }
    };
    let ended = |size: usize| {
        let last = last(size);
        Made::of(&world(), move |document: &mut TrustDocument| {
            document.keys.get_mut(&Who::Ci.id()).expect("listed").revoked_at = Some(START.plus(9_000));
            document.ledgers.insert(Who::Ci.id(), last);
        })
    };
    let revoked = ended(4);
    let revoked_with = |older: Option<u64>| {
        let mut bundle = revoked.bundle(AboutKind::Proof);
        bundle.ledgers = vec![revoked.carried(Who::Ci, older)];
        bundle.bytes()
    };
    let ci = "refused: the ledger of ci (key_…): ";
    let entry = |index: u64, text: &str| format!("refused: entry {index} of the ledger of ci (key_…): {text}");
    vec![
        changed(
            "checkpoint-edited",
            &format!("{ci}the registrar's signature on the checkpoint of …"),
            "changed its size",
            |bundle| {
                bundle.ledgers[0].checkpoint = bundle.ledgers[0].checkpoint.replacen("\n5\n", "\n4\n", 1);
            },
        ),
        changed(
            "checkpoint-of-another-ledger",
            &format!("{ci}the checkpoint is of …, not of …"),
            "put in another registrar's",
            |bundle| {
                bundle.ledgers[0].checkpoint = made.carried(Who::Watcher, None).checkpoint;
            },
        ),
        changed(
            "entries-reordered",
            &entry(0, "is out of order, or stands twice"),
            "exchanged two entries",
            |bundle| {
                bundle.ledgers[0].entries.swap(0, 1);
            },
        ),
        changed(
            "entry-edited",
            &entry(3, "the inclusion proof leads to the root …"),
            "made an entry older",
            |bundle| {
                let entry = &mut bundle.ledgers[0].entries[3].entry;
                *entry = entry.replace(&START.plus(7_200).0.to_string(), &START.plus(7_201).0.to_string());
            },
        ),
        changed(
            "inclusion-proofs-exchanged",
            &entry(0, "the inclusion proof leads to the root …"),
            "exchanged two proofs",
            |bundle| {
                let (one, rest) = bundle.ledgers[0].entries.split_at_mut(1);
                std::mem::swap(&mut one[0].proof.path, &mut rest[0].proof.path);
            },
        ),
        changed(
            "inclusion-proof-under-another-size",
            &entry(2, "the inclusion proof is for 4 entries, the head for 5"),
            "took a proof from an older tree",
            |bundle| {
                bundle.ledgers[0].entries[2].proof.size = 4;
            },
        ),
        changed(
            "key-of-another-registrar",
            &format!("{ci}brings a key, though the trust document holds its registrar's"),
            "brought a key",
            |bundle| {
                bundle.ledgers[0].key = Some(to_openssh(&Who::Stranger.key(), ""));
            },
        ),
        changed(
            "ledger-twice",
            "refused: the ledger of ci (key_…): is out of order, or stands twice",
            "repeated a ledger",
            |bundle| {
                bundle.ledgers.push(bundle.ledgers[0].clone());
            },
        ),
        changed(
            "registrar-without-a-key",
            "refused: the ledger of key_…: is of a registrar whose key neither the trust document nor the bundle holds",
            "showed a stranger's ledger",
            |bundle| {
                bundle.ledgers = vec![made.carried(Who::StrangerClone, None)];
            },
        ),
        vector(
            &revoked,
            "registrar-revoked-without-a-consistency-proof",
            &format!("{ci}nothing shows that its checkpoint goes on from the last honoured one, 4 entries with root …"),
            "left the proof out",
            revoked_with(None),
        ),
        vector(
            &revoked,
            "registrar-revoked-going-on-from-elsewhere",
            &format!(
                "{ci}goes on from 3 entries with root …, and its last honoured checkpoint is 4 entries with root …"
            ),
            "proved something else",
            revoked_with(Some(3)),
        ),
        vector(
            &revoked,
            "valid-registrar-revoked",
            GOOD,
            "nothing; the registrar was revoked later",
            revoked_with(Some(4)),
        ),
    ]
}

fn artifacts() -> Vec<Vector> {
    let made = plain();
    let place = |bundle: &Bundle, index: usize| {
        let line = String::from_utf8(made.lines[index].0.line()).expect("it is text");
        bundle.artifacts.iter().position(|one| *one == line).expect("it is carried")
    };
    let drop_all = |bundle: &mut Bundle, index: usize| {
        bundle.artifacts.remove(place(bundle, index));
        bundle.ledgers[0].entries.remove(index);
    };
    let tip = commits()[1].0;
    vec![
        changed(
            "artifact-dropped",
            "refused: art_…: stands in the ledger of ci (key_…) as entry 3, and its line is not here",
            "took the commitment out",
            |bundle| {
                bundle.artifacts.remove(place(bundle, 3));
            },
        ),
        changed(
            "artifact-dropped-with-its-entry",
            "refused evidence.boundary_invalid",
            "took the commitment and its entry out",
            |bundle| drop_all(bundle, 3),
        ),
        changed(
            "artifact-edited",
            "refused: art_…: stands in no ledger that the bundle shows",
            "changed a letter of the handoff",
            |bundle| {
                let at = place(bundle, 0);
                let mut line = made.lines[0].0.clone();
                line.signatures[0].sig[5] ^= 1;
                bundle.artifacts[at] = String::from_utf8(line.line()).expect("it is text");
            },
        ),
        changed(
            "artifact-without-an-entry",
            "refused: art_…: stands in no ledger that the bundle shows",
            "took its entry out",
            |bundle| {
                bundle.ledgers[0].entries.remove(1);
            },
        ),
        changed(
            "artifacts-reordered",
            "refused: art_…: is out of order, or stands twice",
            "exchanged two artifacts",
            |bundle| bundle.artifacts.swap(0, 1),
        ),
        changed(
            "handoff-dropped",
            "refused evidence.reference_unresolved",
            "took the handoff and its entry out",
            |bundle| drop_all(bundle, 0),
        ),
        changed(
            "proposal-dropped",
            "refused: the file: does not hold the proposal that its proof is about",
            "took the proposal and its entry out",
            |bundle| drop_all(bundle, 2),
        ),
        changed(
            "line-that-is-none",
            "refused: artifact number 1: no DSSE envelope: …",
            "put something else in",
            |bundle| {
                bundle.artifacts.insert(0, "{}".to_owned());
            },
        ),
        changed("commit-edited", &format!("refused: commit {tip}: …"), "changed the message", |bundle| {
            let commit = bundle.commits.iter_mut().find(|commit| commit.oid == tip).expect("it is carried");
            commit.raw = commit.raw.replacen('A', "B", 1);
        }),
        changed("commit-dropped", "refused evidence.boundary_invalid", "took the tip's bytes out", |bundle| {
            bundle.commits.retain(|commit| commit.oid != tip);
        }),
        {
            let mut made = plain();
            let mut bundle = made.bundle(AboutKind::Range);
            bundle.commits.retain(|commit| commit.oid != tip);
            made.lines.clear();
            let expect = format!("refused: commit {tip}: is in the range, and its bytes are not here");
            vector(&plain(), "commit-of-the-range-dropped", &expect, "took its bytes out", bundle.bytes())
        },
        {
            let mut made = plain();
            let mut subject = Statement::<Revocation> {
                predicate: Revocation { reason: String::new(), target: made.digest(0) },
                subject: None,
            };
            let repository = RepositoryId([9; 16]);
            let tree = parts::tree(parts::pin());
            let pin = commits()[0].0;
            subject.subject = Some(git_boundary::codec::in_toto::Subject { commit: pin, repository, tree });
            made.lines.push((cast::sign(&subject, &[Who::Owner]), pin, START.plus(8_000)));
            let expect = "refused: art_…: is of repo_…, this bundle is of repo_…";
            let body = made.bundle(AboutKind::Proof).bytes();
            vector(&made, "artifact-of-another-repository", expect, "brought one from elsewhere", body)
        },
    ]
}

/// A denial by a second checker, frozen and decided as it should be.
fn denial(links: &Links) -> Vec<Extra> {
    let at = START.plus(7_300);
    let mut frozen = parts::commitment(links, Who::Auditor, links.proposal());
    make::over_real_commits(&mut frozen);
    let mut proven =
        parts::proven(links, Who::Auditor, links.proposal(), CheckDecision::Deny, anchor(&links.trust, Who::Ci, 5));
    proven.diet = frozen.predicate.diet.clone();
    proven.diet_root = frozen.predicate.diet_root;
    let stored = |artifact, index| Extra { artifact, entries: vec![entry(Who::Ci, index, at)], note: parts::tip() };
    vec![stored(cast::sign(&frozen, &[Who::Auditor]), 5), stored(receipt_of(proven, &[Who::Auditor]), 6)]
}

fn judged() -> Vec<Vector> {
    let denied = Made::of(&world().more(denial), |_| {});
    let unproven = Made::of(&world().without(Part::Proof), |_| {});
    vec![
        vector(
            &unproven,
            "no-proof",
            "refused evidence.boundary_missing",
            "checked nothing",
            unproven.bundle(AboutKind::Envelope).bytes(),
        ),
        vector(
            &denied,
            "denied-by-another",
            "refused policy.decision_denied",
            "denied it",
            denied.bundle(AboutKind::Range).bytes(),
        ),
    ]
}
