//! Chains of signed policies: what is in force, and what each forgery is told.

use git_boundary::codec::canonical;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::Statement;
use git_boundary::model::digest::Digest;
use git_boundary::model::id::RepositoryId;
use git_boundary::model::policy::PolicyVersion;
use git_boundary::model::time::Timestamp;
use git_boundary::model::trust::TrustDocument;
use git_boundary::store::chains::verify_policy;

use super::cast::{self, START, Who};
use super::gate::parts;
use super::vector::{Vector, all_come_to_what_they_expect};

const CHAIN: &str = "refs/boundary/policy";

fn version(version: u64, previous: Option<Digest>) -> PolicyVersion {
    let repository = cast::trust_of(document()).repository();
    let mut policy = parts::policy();
    policy.lease_seconds += version;
    PolicyVersion { policy, previous, repository, version }
}

/// The trust document of these chains: the deputy was an owner until the start.
fn document() -> TrustDocument {
    let mut document = cast::document();
    document.keys.get_mut(&Who::Deputy.id()).expect("listed").revoked_at = Some(START);
    document
}

fn signed(version: PolicyVersion, by: &[Who]) -> Dsse {
    cast::sign(&Statement { predicate: version, subject: None }, by)
}

fn vector(name: &str, expect: &str, about: &str, lines: &[Dsse]) -> Vector {
    let body: Vec<u8> = lines.iter().flat_map(|line| [line.line(), b"\n".to_vec()].concat()).collect();
    Vector::new(format!("policy/{name}.chain"), expect, about, body).given("now", START.plus(60))
}

pub fn vectors() -> Vec<Vector> {
    let one = signed(version(1, None), &[Who::Owner]);
    let two = signed(version(2, Some(one.digest())), &[Who::Owner]);
    let by_deputy = signed(version(1, None), &[Who::Deputy]);
    let after_deputy = signed(version(2, Some(by_deputy.digest())), &[Who::Owner]);
    let edited = |edit: fn(&mut PolicyVersion)| {
        let mut next = version(2, Some(one.digest()));
        edit(&mut next);
        signed(next, &[Who::Owner])
    };
    let by = |who: Who| signed(version(2, Some(one.digest())), &[who]);
    let mut changed = two.clone();
    changed.payload[30] ^= 1;
    let digest = |version: PolicyVersion| canonical::digest_of(&version.policy);
    let first = digest(version(1, None));
    let second = digest(version(2, None));
    let wrong = |defect: &str| format!("{CHAIN}: policy version 2: {defect}");
    let expected = |found: &str| wrong(&format!("is version {found}…"));
    vec![
        vector("empty", "nothing in force", "no version at all", &[]),
        vector(
            "valid-one-version",
            &format!("in force: {first}"),
            "nothing is wrong with it",
            std::slice::from_ref(&one),
        ),
        vector(
            "valid-two-versions",
            &format!("in force: {second}"),
            "the last one is in force",
            &[one.clone(), two.clone()],
        ),
        vector(
            "valid-after-an-owner-that-was-revoked",
            &format!("in force: {second}"),
            "an owner in good standing signed the last one",
            &[by_deputy.clone(), after_deputy],
        ),
        vector(
            "last-by-an-owner-that-was-revoked",
            "not in force: policy version 1 is signed by an owner key that is revoked or out of validity; an owner must sign a new one",
            "a revoked owner signs no more",
            &[by_deputy],
        ),
        vector(
            "signed-by-the-actor",
            &wrong("is not signed by an owner"),
            "the agent makes its own rules",
            &[one.clone(), by(Who::Codex)],
        ),
        vector(
            "signed-by-the-root",
            &wrong("is not signed by an owner"),
            "a root is no owner",
            &[one.clone(), by(Who::Root)],
        ),
        vector(
            "signed-by-a-stranger",
            &wrong("signed by …, which the trust document does not know"),
            "nobody",
            &[one.clone(), by(Who::Stranger)],
        ),
        vector(
            "one-byte-changed",
            &wrong("the signature by … does not verify"),
            "a byte of version 2",
            &[one.clone(), changed],
        ),
        vector(
            "previous-wrong",
            &expected("2 after Some(…)"),
            "follows another policy",
            &[one.clone(), edited(|it| it.previous = Some(Digest([1; 32])))],
        ),
        vector(
            "previous-missing",
            &expected("2 after None"),
            "follows nothing",
            &[one.clone(), edited(|it| it.previous = None)],
        ),
        vector(
            "version-skipped",
            &expected("3 after Some(…)"),
            "numbered 3 and placed second",
            &[one.clone(), edited(|it| it.version = 3)],
        ),
        vector(
            "version-gap",
            &format!("{CHAIN}: policy version 1: is version 2 after Some(…)…"),
            "version 1 is left out",
            std::slice::from_ref(&two),
        ),
        vector("version-repeated", &expected("1 after None"), "version 1 twice", &[one.clone(), one.clone()]),
        vector(
            "repository-wrong",
            &wrong("is for repo_09…, this repository is …"),
            "another repository's",
            &[one.clone(), edited(|it| it.repository = RepositoryId([9; 16]))],
        ),
        vector(
            "a-handoff-for-a-policy",
            &wrong("no policy statement: …"),
            "another kind of line",
            &[
                one.clone(),
                cast::sign_bytes(
                    "application/vnd.in-toto+json",
                    super::lines::good(super::gate::world::Part::Handoff).payload,
                    &[Who::Owner],
                ),
            ],
        ),
    ]
}

#[test]
fn every_policy_chain_is_read_as_it_deserves() {
    let trust = cast::trust_of(document());
    all_come_to_what_they_expect("policy", |vector| {
        let lines: Vec<Vec<u8>> =
            vector.body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect();
        let now: Timestamp = vector.get("now").parse().expect("a time");
        match verify_policy(CHAIN, &lines, &trust, now) {
            Ok(chain) => match (chain.in_force(), chain.defect) {
                (Some(digest), _) => format!("in force: {digest}"),
                (None, Some(defect)) => format!("not in force: {defect}"),
                (None, None) => "nothing in force".to_owned(),
            },
            Err(error) => error.to_string(),
        }
    });
}
