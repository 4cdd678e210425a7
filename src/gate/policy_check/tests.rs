//! Policies that say nothing that could be applied.

use super::samples::policy;
use super::{Place, PolicyDefectKind as Kind, check_policy};
use crate::model::digest::Digest;
use crate::model::id::KeyId;
use crate::model::policy::{DefaultRule, Policy};

fn defect(spoil: impl FnOnce(&mut Policy)) -> (String, Kind) {
    let mut policy = policy(&[&["refs/heads/main"], &["refs/heads/agent/**"]]);
    assert_eq!(check_policy(&policy), Ok(()), "the sample itself is sound");
    spoil(&mut policy);
    let defect = check_policy(&policy).expect_err("the defect went unseen");
    (defect.place.to_string(), defect.kind)
}

#[test]
fn every_defect_is_found_and_placed() {
    let at = |place: &str| place.to_owned();
    assert_eq!(defect(|policy| policy.lease_seconds = 0), (at("lease"), Kind::Lease));
    assert_eq!(defect(|policy| policy.lease_seconds = u64::MAX), (at("lease"), Kind::Lease));
    assert_eq!(defect(|policy| policy.rules.clear()), (at("rule"), Kind::NothingGoverned));
    let twice = Digest([7; 32]);
    let repeated = Kind::Repeated(twice.to_string());
    assert_eq!(defect(|policy| policy.accept = vec![twice, twice]), (at("accept, entry 2"), repeated));
    assert_eq!(defect(|policy| policy.rules[1].refs.clear()), (at("rule 2, refs"), Kind::NoRefs));
    let shadowed = Kind::Shadowed { glob: "refs/heads/main".into(), first: 1 };
    assert_eq!(
        defect(|policy| policy.rules[1].refs.push("refs/heads/main".into())),
        (at("rule 2, refs, entry 2"), shadowed)
    );
    let main = Kind::Repeated("refs/heads/main".into());
    assert_eq!(
        defect(|policy| policy.rules[0].refs.push("refs/heads/main".into())),
        (at("rule 1, refs, entry 2"), main)
    );
    let star = Kind::AdoptedRef("refs/heads/*".into());
    assert_eq!(
        defect(|policy| policy.rules[0].adopts = vec!["refs/heads/*".into()]),
        (at("rule 1, adopts, entry 1"), star)
    );
    assert_eq!(
        defect(|policy| policy.rules[0].proofs.domains = 0),
        (at("rule 1, proofs"), Kind::NoDomains { count: 1 })
    );
    let many = Kind::TooManyDomains { count: 1, domains: 2 };
    assert_eq!(defect(|policy| policy.rules[0].proofs.domains = 2), (at("rule 1, proofs"), many));
    assert_eq!(
        defect(|policy| policy.rules[0].proofs.count = 0),
        (at("rule 1, proofs"), Kind::TooManyDomains { count: 0, domains: 1 })
    );
    assert_eq!(
        defect(|policy| policy.rules[0].proofs.count = 1 << 60),
        (at("rule 1, proofs"), Kind::TooManyProofs(1 << 60))
    );
    assert_eq!(
        defect(|policy| policy.rules[0].diet.required.push("plan".into())),
        (at("rule 1, diet.required, entry 2"), Kind::RequiredNotPermitted("plan".into()))
    );
    assert_eq!(
        defect(|policy| policy.rules[0].diet.permitted.push("A plan".into())),
        (at("rule 1, diet.permitted, entry 3"), Kind::Word("A plan".into()))
    );
    assert_eq!(
        defect(|policy| {
            policy.rules[0].diet.permitted.clear();
            policy.rules[0].diet.required.clear();
        }),
        (at("rule 1, diet.permitted"), Kind::NothingPermitted)
    );
    assert_eq!(
        defect(|policy| policy.rules[0].evidence.push(String::new())),
        (at("rule 1, evidence, entry 1"), Kind::Word(String::new()))
    );
    assert_eq!(
        defect(|policy| policy.rules[0].people_by_signature = true),
        (at("rule 1, people_by_signature"), Kind::SignaturesOfNobody)
    );
    let key = KeyId([1; 16]);
    assert_eq!(
        defect(|policy| policy.rules[0].people = vec![key, key]),
        (at("rule 1, people, entry 2"), Kind::Repeated(key.to_string()))
    );
}

#[test]
fn globs_and_pathspecs_of_a_signed_policy_are_read_again() {
    let (place, kind) = defect(|policy| policy.rules[1].refs[0] = "heads/agent/**".into());
    assert!(place == "rule 2, refs, entry 1" && matches!(kind, Kind::RefGlob(_)), "{place}: {kind}");
    let (place, kind) = defect(|policy| policy.rules[0].approval_paths = vec!["a".into(), ":(attr:x)b".into()]);
    assert!(place == "rule 1, approval_paths, entry 2" && matches!(kind, Kind::Pathspec(_)), "{place}: {kind}");
    let (place, _) = defect(|policy| policy.rules[0].approval_paths = vec![":!b".into()]);
    assert_eq!(place, "rule 1, approval_paths");
}

#[test]
fn no_rules_are_sound_where_the_default_refuses() {
    let mut policy = policy(&[]);
    policy.default = DefaultRule::Refuse;
    assert_eq!(check_policy(&policy), Ok(()));
}

#[test]
fn a_place_reads_like_the_file() {
    let place = Place { rule: Some(1), key: "refs", item: Some(0) };
    assert_eq!(place.to_string(), "rule 2, refs, entry 1");
}
