//! Stored lines: what an envelope, a signature and a payload may look like, and what the one reader says of each that may not.

mod envelope;
mod payload;
mod receipts;
mod signature;
mod statement;
mod valid;

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::dsse::Dsse;
use git_boundary::crypto::trust::Trust;
use git_boundary::crypto::verified::{Verified, verify_line};
use git_boundary::model::hex;
use git_boundary::model::key::PublicKey;

use super::cast;
use super::gate::world::{Part, World};
use super::vector::{Vector, all_come_to_what_they_expect};

/// Every line there should be.
pub fn vectors() -> Vec<Vector> {
    [
        valid::vectors(),
        envelope::vectors(),
        signature::vectors(),
        payload::vectors(),
        statement::vectors(),
        receipts::vectors(),
    ]
    .concat()
}

/// The signed parts of the admitted case, to be spoiled.
pub fn good(part: Part) -> Dsse {
    World::admitted().artifact(part)
}

fn vector(name: &str, expect: &str, about: &str, line: impl Into<Vec<u8>>) -> Vector {
    Vector::new(format!("lines/{name}.line"), expect, about, line)
}

/// The bytes that a vector stands for: some are filled up to a length that nobody wants to commit.
fn line_of(vector: &Vector) -> Vec<u8> {
    let mut line = vector.body.clone();
    if let Some(length) = vector.given.get("filled-with-spaces-to") {
        line.resize(length.parse().expect("a length"), b' ');
    }
    line
}

/// What a reader says of a line.
fn reading(trust: &Trust, vector: &Vector) -> String {
    let weak = vector.given.get("weak-key").map(|text| text.split_once(' ').expect("a name and a key"));
    let resolve = |name: &str| match weak {
        Some((weak, digits)) if weak == name => Some(PublicKey(hex::decode_exact(digits).expect("32 bytes"))),
        _ => cast::resolve(trust, name),
    };
    match verify_line(&line_of(vector), &resolve) {
        Ok(verified) => format!("verified {} by {}", kind(&verified), signers(trust, &verified)),
        Err(bad) => bad.to_string(),
    }
}

fn kind(verified: &Verified<Artifact>) -> String {
    match verified.value() {
        Artifact::BoundaryProof(proof) => format!("boundary-proof ({})", proof.proven.decision),
        Artifact::Foreign(foreign) => format!("foreign {}", foreign.kind),
        Artifact::Unknown { predicate_type, .. } => format!("unknown {predicate_type}"),
        own => own.kind().map_or_else(String::new, |kind| kind.to_string()),
    }
}

fn signers(trust: &Trust, verified: &Verified<Artifact>) -> String {
    let mut labels: Vec<&str> =
        verified.signers().iter().map(|key| trust.party(key).map_or("nobody listed", |party| &party.label)).collect();
    labels.sort_unstable();
    labels.join(", ")
}

#[test]
fn every_line_is_read_as_it_deserves() {
    let trust = cast::trust_of(cast::document());
    all_come_to_what_they_expect("lines", |vector| reading(&trust, vector));
}

#[test]
fn a_line_that_authorises_nothing_says_whose_place_it_claims_as_far_as_it_can_be_read() {
    let trust = cast::trust_of(cast::document());
    let good = good(Part::Handoff);
    let claims = |line: &[u8]| verify_line(line, &|name| trust.resolve(name)).err().and_then(|bad| bad.claims());
    let handoff = git_boundary::codec::artifact::ClaimedKind::Own(git_boundary::codec::in_toto::Kind::Handoff);
    let mut wrong = good.clone();
    wrong.signatures[0].sig[0] ^= 1;
    assert_eq!(claims(&wrong.line()), Some(handoff), "a wrong signature over a handoff");
    let mut unknown = good.clone();
    unknown.signatures[0].keyid = "key_of_nobody".to_owned();
    assert_eq!(claims(&unknown.line()), Some(handoff), "a signature by nobody over a handoff");
    assert_eq!(claims(&good.line()[1..]), None, "what is no envelope claims nothing");
}
