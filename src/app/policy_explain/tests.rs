//! A policy explained reads as it is judged.

use super::{Explanation, Outcome, explain};
use crate::app::policy_file::{compile, starter};
use crate::model::id::KeyId;
use crate::model::policy::Policy;

const OWNER: KeyId = KeyId([0x11; 16]);

fn policy() -> Policy {
    compile("boundary.toml", &starter("main", OWNER, "anna"), &|_| None).expect("the starter policy compiles")
}

fn explained(policy: &Policy, reference: &str, paths: &[&str]) -> Explanation {
    let paths: Vec<_> = paths.iter().map(|path| path.as_bytes()).collect();
    explain(policy, reference, &paths, &|key| (*key == OWNER).then(|| "anna".into()))
        .expect("the policy can be explained")
}

#[test]
fn the_default_branch_reads_as_it_is_judged() {
    let paths = ["src/lib.rs", ".GitHub/workflows/ci.yml"];
    let lines = explained(&policy(), "refs/heads/main", &paths).lines();
    let expected = [
        "refs/heads/main is governed by rule 1 of 2: its pattern refs/heads/main is the first that matches.",
        "",
        "An actor's push needs:",
        "  - a proposal signed with the actor's key",
        "  - a live handoff to that key, with this ref and every path and operation of the push in scope",
        "  - a pinned revision that is still part of the branch it was pinned on",
        "  - 1 allowing proof by a checker of another domain, for the very commit, anchored with strength self; a checker may read \
         diff, test_result, and must read diff",
        "  - an owner's approval where it changes an automation file",
        "Without a handoff, these people may propose their own work: anna (key_11111111111111111111111111111111).",
        "What is on refs/heads/main counts as judged already.",
        "",
        "src/lib.rs: no approval needed",
        ".GitHub/workflows/ci.yml: an owner's approval when an actor changes it, since it is an automation file (ci: CI \
         configuration; .github/workflows/**)",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn json_and_lines_are_of_one_value() {
    let mut policy = policy();
    policy.rules[1].approval_paths = vec!["deploy".into()];
    let explanation = explained(&policy, "refs/heads/Agent/x", &["deploy/Makefile"]);
    let json = serde_json::to_value(&explanation).expect("it has text keys");
    assert_eq!(json["ref"], "refs/heads/Agent/x");
    assert_eq!(json["outcome"], "judged");
    assert_eq!(json["rule"]["number"], 2);
    assert_eq!(json["rule"]["folded"], true);
    assert_eq!(json["rule"]["needs"]["proofs"]["count"], 0);
    assert_eq!(json["rule"]["people"][0]["label"], "anna");
    assert_eq!(json["paths"][0]["approval"], true);
    assert_eq!(json["paths"][0]["because"][0], serde_json::json!({"kind": "listed", "pathspec": "deploy"}));
    assert_eq!(json["paths"][0]["because"][1]["class"], "build");
    assert!(explanation.lines().iter().any(|line| line.contains("approval_paths lists \"deploy\"")), "{explanation:?}");
    assert!(!explanation.lines().iter().any(|line| line.contains("allowing proof")), "no proof is wanted here");
}

#[test]
fn a_ref_without_a_rule_says_so_and_wants_nothing() {
    let explanation = explained(&policy(), "refs/heads/topic", &["Makefile"]);
    assert_eq!((explanation.outcome, explanation.rule), (Outcome::Open, None));
    assert!(!explanation.paths[0].approval);
}

#[test]
fn refusals_and_boundary_refs_give_their_reason() {
    let policy = policy();
    for (reference, outcome, says) in [
        ("main", Outcome::Refused, "no well-formed full ref name"),
        ("refs/Boundary/trust", Outcome::Refused, "can't tell"),
        ("refs/boundary/trust", Outcome::Boundary, "boundary's own refs"),
    ] {
        let explanation = explained(&policy, reference, &[]);
        assert_eq!(explanation.outcome, outcome, "{reference}");
        assert!(explanation.because.contains(says), "{}", explanation.because);
    }
}

#[test]
fn a_policy_that_cannot_be_applied_is_not_explained() {
    let mut policy = policy();
    policy.rules[1].refs[0] = "agent".into();
    assert!(explain(&policy, "refs/heads/main", &[], &|_| None).is_err());
}

#[test]
fn a_rule_without_a_handoff_names_no_pin() {
    let mut policy = policy();
    policy.rules[0].handoff = false;
    let lines = explained(&policy, "refs/heads/main", &[]).lines().join("\n");
    assert!(!lines.contains("live handoff") && !lines.contains("pinned"), "{lines}");
}
