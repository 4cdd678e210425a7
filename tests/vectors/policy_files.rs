//! `boundary.toml` as people write it, and as it can't be meant.

use git_boundary::app::policy_file::{canonical, compile, policy_digest, starter};
use git_boundary::model::policy::Policy;

use super::cast::Who;
use super::gate::parts;
use super::vector::{Vector, all_come_to_what_they_expect};

const MAIN: &str = "[[rule]]\nrefs = [\"refs/heads/main\"]\n";

pub fn vectors() -> Vec<Vector> {
    let one = |name: &str, expect: &str, about: &str, body: &str| {
        Vector::new(format!("policy-files/{name}.toml"), expect, about, body)
    };
    let ruled =
        |name: &str, expect: &str, about: &str, line: &str| one(name, expect, about, &format!("{MAIN}{line}\n"));
    vec![
        one(
            "valid-starter",
            "2 rules, the first for refs/heads/main, 1 proof",
            "what init writes",
            &starter("main", Who::Owner.id(), "owner"),
        ),
        one("valid-least", "1 rules, the first for refs/heads/main, 1 proof", "all that has to be said", MAIN),
        one(
            "valid-crlf",
            "1 rules, the first for refs/heads/main, 1 proof",
            "Windows line endings are TOML's business",
            &MAIN.replace('\n', "\r\n"),
        ),
        one("valid-refuse-everything", "0 rules", "no rule, and refuse what no rule matches", "default = \"refuse\"\n"),
        one(
            "empty",
            "boundary.toml: rule: there is no rule and the default is open, so nothing would be judged…",
            "nothing would be judged",
            "",
        ),
        one(
            "only-words",
            "boundary.toml: rule: there is no rule and the default is open, so nothing would be judged…",
            "everything is commented out",
            "# [[rule]]\n# refs = [\"refs/heads/main\"]\n",
        ),
        one(
            "byte-order-mark",
            "1 rules, the first for refs/heads/main, 1 proof",
            "saved by an editor; TOML lets it stand in front",
            &format!("\u{feff}{MAIN}"),
        ),
        one("carriage-return-alone", "boundary.toml:…", "half of a line ending", &MAIN.replace('\n', "\r")),
        one("not-toml", "boundary.toml:1:…", "another format", "{\"rules\": []}\n"),
        one("cut-short", "boundary.toml:2:…", "half of it", &MAIN[..MAIN.len() - 5]),
        one(
            "control-character",
            "boundary.toml:2:…",
            "an escape sequence in a ref",
            "[[rule]]\nrefs = [\"refs/heads/\u{1b}[2J\"]\n",
        ),
        one(
            "misspelled-table",
            "boundary.toml:1:3: unknown field `rules`…",
            "rules are [[rule]]",
            "[[rules]]\nrefs = [\"refs/heads/main\"]\n",
        ),
        ruled(
            "misspelled-key",
            "boundary.toml:3:1: unknown field `hand_off`…",
            "a handoff that nobody wants any more",
            "hand_off = true",
        ),
        ruled("key-twice", "boundary.toml:4:1: duplicate key…", "which of the two?", "handoff = true\nhandoff = false"),
        ruled(
            "boolean-as-a-text",
            "boundary.toml:3:11: …expected a boolean",
            "\"false\" is no false",
            "handoff = \"false\"",
        ),
        ruled(
            "half-a-proof",
            "boundary.toml:3:20: a float is no number of proofs…",
            "one and a half",
            "proofs = { count = 1.5 }",
        ),
        ruled(
            "negative-proofs",
            "boundary.toml:3:20: -1 is no number of proofs…",
            "less than none",
            "proofs = { count = -1 }",
        ),
        ruled(
            "more-domains-than-proofs",
            "boundary.toml:3:10: rule 1, proofs: 2 domains can't be reached by 1 proofs…",
            "no push could ever pass",
            "proofs = { count = 1, domains = 2 }",
        ),
        ruled(
            "proofs-from-no-domain",
            "boundary.toml:3:10: rule 1, proofs: 2 proofs from 0 domains…",
            "proofs of nobody",
            "proofs = { count = 2, domains = 0 }",
        ),
        ruled(
            "nothing-permitted",
            "boundary.toml:…: rule 1, diet.permitted: proofs are wanted, but no input class is permitted…",
            "no proof could ever count",
            "diet = { permitted = [], required = [] }",
        ),
        ruled(
            "required-and-not-permitted",
            "boundary.toml:3:…: rule 1, diet.required, entry 1: \"diff\" is required but not permitted…",
            "no proof could ever count",
            "diet = { permitted = [\"plan\"] }",
        ),
        ruled(
            "unknown-strength",
            "boundary.toml:3:…: …expected one of `self`, `other`, `witnessed`",
            "a word that there is not",
            "context_strength = \"strong\"",
        ),
        ruled(
            "unknown-person",
            "boundary.toml:3:11: nobody is called \"mallory\" in the trust document…",
            "a label that nobody has",
            "people = [\"mallory\"]",
        ),
        ruled(
            "person-by-a-short-id",
            "boundary.toml:3:11: \"key_0123456789abcdef\" is no key id…",
            "somebody else's form of an id",
            "people = [\"key_0123456789abcdef\"]",
        ),
        ruled(
            "signatures-of-nobody",
            "boundary.toml:3:…: rule 1, people_by_signature: people_by_signature is on, but no people are listed",
            "whose signature?",
            "people_by_signature = true",
        ),
        ruled(
            "attr-magic",
            "boundary.toml:3:…: rule 1, approval_paths, entry 1: …attr magic is refused…",
            "the judged tree would say what is guarded",
            "approval_paths = [\":(attr:secret)\"]",
        ),
        ruled(
            "exclusions-only",
            "boundary.toml:3:…: rule 1, approval_paths: the list has exclusions only…",
            "guards nothing",
            "approval_paths = [\":!docs\"]",
        ),
        ruled(
            "path-above-the-top",
            "boundary.toml:3:…: rule 1, approval_paths, entry 1: …it has a .. segment…",
            "out of the tree",
            "approval_paths = [\"../etc\"]",
        ),
        ruled(
            "bare-branch-name",
            "boundary.toml:4:9: rule 2, refs, entry 1: …it must be a full name that begins with refs/…",
            "main is no ref",
            "[[rule]]\nrefs = [\"main\"]",
        ),
        ruled(
            "ref-with-a-class",
            "boundary.toml:4:9: rule 2, refs, entry 1: …no ref name has the character '['…",
            "a glob of another kind",
            "[[rule]]\nrefs = [\"refs/heads/[ab]\"]",
        ),
        ruled(
            "shadowed-rule",
            "boundary.toml:4:9: rule 2, refs, entry 1: \"refs/heads/main\" is in rule 1 already…",
            "a rule that could never govern",
            "[[rule]]\nrefs = [\"refs/heads/main\"]",
        ),
        one(
            "lease-for-ever",
            "boundary.toml:1:9: lease: a lease lasts from one second to 366 days…",
            "longer than anybody remembers",
            &format!("lease = \"9999d\"\n{MAIN}"),
        ),
        one("lease-of-nothing", "boundary.toml:1:9: …", "over before it began", &format!("lease = \"0s\"\n{MAIN}")),
        one(
            "accepted-artifact-id",
            "boundary.toml:1:11: \"art_…\" is no digest…",
            "a short name, which others can have too",
            &format!("accept = [\"art_{}\"]\n{MAIN}", "0".repeat(32)),
        ),
        one(
            "unknown-default",
            "boundary.toml:1:11: …expected `open` or `refuse`",
            "a word that there is not",
            &format!("default = \"ask\"\n{MAIN}"),
        ),
    ]
}

fn resolve(label: &str) -> Option<git_boundary::model::id::KeyId> {
    (label == "owner").then(|| Who::Owner.id())
}

#[test]
fn every_policy_file_is_read_as_it_deserves() {
    all_come_to_what_they_expect("policy-files", |vector| {
        let text = std::str::from_utf8(&vector.body).expect("these are all text");
        match compile("boundary.toml", text, &resolve) {
            Ok(policy) => shown(&policy),
            Err(error) => error.to_string(),
        }
    });
}

fn shown(policy: &Policy) -> String {
    let rules = policy.rules.len();
    match policy.rules.first() {
        Some(first) => {
            format!("{rules} rules, the first for {}, {} proof", first.refs.join(" "), first.proofs.count)
        }
        None => format!("{rules} rules"),
    }
}

#[test]
fn a_policy_digest_is_that_of_its_canonical_form() {
    let policy = parts::policy();
    assert_eq!(policy_digest(&policy), git_boundary::codec::canonical::sha256(&canonical(&policy)), "one digest");
    assert_eq!(policy_digest(&policy), git_boundary::codec::canonical::digest_of(&policy), "by either room");
}
