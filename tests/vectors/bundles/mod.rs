//! Bundles: whole ones, and one for each thing that somebody could do to a file on its way.

mod attacks;
mod make;
mod sessions;

use git_boundary::app::bundle::form::{AboutKind, MAX_ARTIFACTS};
use git_boundary::app::bundle::{BundleAnswer, Verifier, verify};

use git_boundary::model::digest::Digest;

use super::cast::START;
use super::vector::{Vector, all_come_to_what_they_expect};

pub use attacks::vectors;

fn read(vector: &Vector) -> BundleAnswer {
    let verifier = Verifier {
        now: vector.get("now").parse().expect("a time"),
        pinned_by: "--trust-root",
        reference: None,
        root: vector.get("root").parse().expect("a digest"),
        min_trust_version: vector.given.get("least").map(|text| text.parse().expect("a number")),
    };
    verify(&vector.body, &verifier)
}

#[test]
fn every_bundle_is_answered_as_it_deserves() {
    all_come_to_what_they_expect("bundles", |vector| {
        let answer = read(vector);
        let codes: Vec<&str> = answer.codes.iter().map(|code| code.name()).collect();
        match (answer.defects.first(), answer.verdict) {
            (Some(defect), verdict) => format!("{verdict}: {}: {}", defect.what, defect.text),
            (None, "undecided") => format!("undecided: {}", answer.gaps.first().map_or("", |gap| gap.as_str())),
            (None, verdict) => [&[verdict], codes.as_slice()].concat().join(" "),
        }
    });
}

#[test]
fn what_verifies_says_what_it_leaves_open() {
    for vector in super::vector::read_all("bundles").iter().filter(|vector| vector.name().starts_with("valid")) {
        let answer = read(vector);
        assert!(!answer.not_made.is_empty(), "{}: a bundle leaves something open", vector.path);
        assert!(!answer.checks.is_empty(), "{}: the checks that were made are named", vector.path);
    }
}

/// No byte of a bundle can be changed to another letter without an answer of another kind, but for the free words of a commit message.
#[test]
fn a_changed_byte_never_verifies() {
    let made = make::Made::of(&make::world(), |_| {});
    never_verifies_changed(&made.bundle(AboutKind::Proof).bytes(), made.root());
    let (session, root) = sessions::whole();
    never_verifies_changed(&session, root);
}

fn never_verifies_changed(good: &[u8], root: Digest) {
    let verifier =
        Verifier { now: START.plus(10_800), pinned_by: "--trust-root", reference: None, root, min_trust_version: None };
    assert_eq!(verify(good, &verifier).verdict, "verified_as_bundled", "the unchanged one verifies");
    for at in (0..good.len() - 1).step_by(97) {
        let mut bad = good.to_vec();
        bad[at] = if bad[at] == b'b' { b'c' } else { b'b' };
        let answer = verify(&bad, &verifier);
        assert_ne!(answer.verdict, "verified_as_bundled", "byte {at} was changed");
    }
}

#[test]
fn more_artifacts_than_anybody_verifies_are_refused_unread() {
    let made = make::Made::of(&make::world(), |_| {});
    let mut bundle = made.bundle(AboutKind::Proof);
    bundle.artifacts = vec!["{}".to_owned(); MAX_ARTIFACTS + 1];
    let verifier =
        Verifier { now: START, pinned_by: "--trust-root", reference: None, root: made.root(), min_trust_version: None };
    let answer = verify(&bundle.bytes(), &verifier);
    assert!(answer.defects[0].text.contains("artifacts"), "what there is too much of is named: {:?}", answer.defects);
    assert!(answer.ledgers.is_empty(), "nothing of it was looked at");
}
