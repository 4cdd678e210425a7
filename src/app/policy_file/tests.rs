//! Policy files: what they compile to, and where each defect is.

use super::{PolicyFileError, Position, canonical, compile, policy_digest, starter};
use crate::model::digest::Digest;
use crate::model::id::KeyId;
use crate::model::policy::{DefaultRule, DietRule, Equality, PinRule, Policy, ProofRule, Rule, Strength};

const OWNER: KeyId = KeyId([0x11; 16]);

fn labels(label: &str) -> Option<KeyId> {
    (label == "anna").then_some(OWNER)
}

fn compiled(text: &str) -> Policy {
    compile("boundary.toml", text, &labels).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn error(text: &str) -> PolicyFileError {
    compile("boundary.toml", text, &labels).expect_err("the file was taken")
}

fn rule_with(line: &str) -> String {
    format!("[[rule]]\nrefs = [\"refs/heads/main\"]\n{line}\n")
}

fn starter_rule(refs: &str, proofs: u64) -> Rule {
    Rule {
        adopts: vec!["refs/heads/main".into()],
        approval_paths: vec![],
        automation_approval: true,
        context_strength: Strength::Own,
        diet: DietRule { permitted: vec!["diff".into(), "test_result".into()], required: vec!["diff".into()] },
        equality: Equality::Commit,
        evidence: vec![],
        handoff: true,
        people: vec![OWNER],
        people_by_signature: false,
        pin: PinRule::Ancestor,
        proofs: ProofRule { count: proofs, domains: proofs, strength: Strength::Own },
        refs: vec![refs.into()],
    }
}

#[test]
fn the_starter_compiles_to_the_starter_policy() {
    let policy = compiled(&starter("refs/heads/main", OWNER, "anna"));
    let rules = vec![starter_rule("refs/heads/main", 1), starter_rule("refs/heads/agent/**", 0)];
    assert_eq!(policy, Policy { accept: vec![], default: DefaultRule::Open, lease_seconds: 28_800, rules });
    assert_eq!(compiled(&starter("main", OWNER, "anna")), policy, "a branch name stands for its full ref");
}

#[test]
fn a_default_branch_below_agent_keeps_its_stricter_rule() {
    let policy = compiled(&starter("refs/heads/agent/main", OWNER, "anna"));
    let found = crate::gate::rule::rule_for(&policy, "refs/heads/agent/main");
    assert!(matches!(found, crate::gate::rule::Match::Rule { rule, .. } if rule.proofs.count == 1), "{found:?}");
}

#[test]
fn names_in_the_starter_stay_where_they_belong() {
    let label = "anna\npeople_by_signature = true\n[[rule]]\nrefs = [\"refs/**\"]";
    assert_eq!(compiled(&starter("main", OWNER, label)), compiled(&starter("main", OWNER, "anna")));
    for branch in ["a\"b", "{owner}", "a#b", "ü"] {
        assert_eq!(compiled(&starter(branch, OWNER, "anna")).rules[0].refs, [format!("refs/heads/{branch}")]);
    }
}

#[test]
fn a_rule_may_leave_out_all_but_its_refs() {
    let policy = compiled(&rule_with(""));
    let mut expected = starter_rule("refs/heads/main", 1);
    expected.adopts.clear();
    expected.people.clear();
    assert_eq!(policy.rules, [expected]);
    assert_eq!((policy.default, policy.lease_seconds), (DefaultRule::Open, 28_800));
}

#[test]
fn every_value_can_be_written() {
    let policy = compiled(
        r#"
        accept = ["sha256:0707070707070707070707070707070707070707070707070707070707070707"]
        default = "refuse"
        lease = "1d12h"
        [[rule]]
        refs = ["refs/heads/main", "refs/heads/release/*"]
        adopts = ["refs/heads/main"]
        approval_paths = ["deploy", ":!deploy/docs"]
        automation_approval = false
        context_strength = "other"
        diet = { permitted = ["diff", "plan"], required = [] }
        equality = "change"
        evidence = ["test_result"]
        handoff = false
        people = ["anna", "key_22222222222222222222222222222222"]
        people_by_signature = true
        pin = "exact"
        [rule.proofs]
        count = 3
        domains = 2
        strength = "witnessed"
        "#,
    );
    assert_eq!(
        (policy.accept, policy.default, policy.lease_seconds),
        (vec![Digest([7; 32])], DefaultRule::Refuse, 129_600)
    );
    let expected = Rule {
        adopts: vec!["refs/heads/main".into()],
        approval_paths: vec!["deploy".into(), ":!deploy/docs".into()],
        automation_approval: false,
        context_strength: Strength::Other,
        diet: DietRule { permitted: vec!["diff".into(), "plan".into()], required: vec![] },
        equality: Equality::Change,
        evidence: vec!["test_result".into()],
        handoff: false,
        people: vec![OWNER, KeyId([0x22; 16])],
        people_by_signature: true,
        pin: PinRule::Exact,
        proofs: ProofRule { count: 3, domains: 2, strength: Strength::Witnessed },
        refs: vec!["refs/heads/main".into(), "refs/heads/release/*".into()],
    };
    assert_eq!(policy.rules, [expected]);
}

#[test]
fn half_a_proofs_table_fills_up_with_what_fits() {
    let proofs = |line: &str| compiled(&rule_with(line)).rules[0].proofs;
    assert_eq!(proofs("proofs = { count = 0 }"), ProofRule { count: 0, domains: 0, strength: Strength::Own });
    assert_eq!(proofs("proofs = { count = 2 }"), ProofRule { count: 2, domains: 1, strength: Strength::Own });
    assert_eq!(
        proofs("proofs = { strength = \"other\" }"),
        ProofRule { count: 1, domains: 1, strength: Strength::Other }
    );
}

/// The line below, the place that the error names, and what it says.
#[rustfmt::skip]
const FAULTS: &[(&str, &str, &str)] = &[
    ("hand_off = true", "3:1", "unknown field `hand_off`, expected one of"),
    ("handoff = \"yes\"", "3:11", "expected a boolean"),
    ("pin = \"loose\"", "3:7", "expected `ancestor` or `exact`"),
    ("equality = 1", "3:12", "expected a string"),
    ("context_strength = \"own\"", "3:20", "expected one of `self`, `other`, `witnessed`"),
    ("handoff = true\nhandoff = true", "4:1", "duplicate key"),
    ("handoff = ", "3:11", ""),
    ("proofs = 1", "3:10", "expected a table with count, domains and strength"),
    ("proofs = { counts = 1 }", "3:12", "unknown field `counts`"),
    ("proofs = { count = -1 }", "3:20", "-1 is no number of proofs: expected a whole number from 0 to 1000"),
    ("proofs = { count = 5000 }", "3:20", "5000 is no number of proofs"),
    ("proofs = { count = 1.5 }", "3:20", "a float is no number of proofs"),
    ("proofs = { count = \"2\" }", "3:20", "a string is no number of proofs"),
    ("proofs = { count = 2, domains = 0 }", "3:10", "rule 1, proofs: 2 proofs from 0 domains"),
    ("proofs = { count = 1, domains = 2 }", "3:10", "2 domains can't be reached by 1 proofs"),
    ("proofs = { count = 0, domains = 1 }", "3:10", "1 domains can't be reached by 0 proofs"),
    ("diet = { permitted = [\"plan\"] }", "3:8", "\"diff\" is required but not permitted"),
    ("diet = { permitted = [\"diff\", \"Plan\"] }", "3:31", "\"Plan\" is no name of a class or kind"),
    ("adopts = [\"refs/heads/main\", \"main\"]", "3:30", "\"main\" is no full ref name"),
    ("approval_paths = [\"a\", \":(attr:x)b\"]", "3:24", "attr magic is refused"),
    ("approval_paths = [\":!b\"]", "3:18", "exclusions only"),
    ("approval_paths = [\"../b\"]", "3:19", "has a .. segment"),
    ("approval_paths = [1]", "3:19", "expected a string"),
    ("people = [\"bert\"]", "3:11", "nobody is called \"bert\" in the trust document"),
    ("people = [\"key_12\"]", "3:11", "\"key_12\" is no key id: expected \"key_\" and 32 lower-case hex digits"),
    ("people = [\"anna\", \"key_11111111111111111111111111111111\"]", "3:19", "is listed twice"),
    ("people_by_signature = true", "3:23", "no people are listed"),
    ("evidence = [\"a\", \"a\"]", "3:18", "\"a\" is listed twice"),
    ("[[rule]]\nrefs = [\"refs/heads/x\", \"refs/heads/main\"]", "4:25", "is in rule 1 already, and the first match wins"),
    ("[[rule]]\nrefs = []", "4:8", "at least one ref glob"),
    ("[[rule]]\nrefs = [\"refs/heads/\"]", "4:9", "ends with a slash; end it with /** for everything below"),
    ("[[rule]]\nrefs = [\"refs/heads/[ab]\"]", "4:9", "no ref name has the character '['"),
    ("[[rule]]\nrefs = [\"agent/**\"]", "4:9", "begins with refs/, such as refs/heads/main"),
    ("[[rule]]\npin = \"exact\"", "3:1", "missing field `refs`"),
    ("[[rules]]", "3:3", "unknown field `rules`"),
];

#[test]
fn a_fault_is_named_with_file_line_and_column_and_what_is_accepted() {
    for (line, place, says) in FAULTS {
        let shown = error(&rule_with(line)).to_string();
        assert!(shown.starts_with(&format!("boundary.toml:{place}: ")), "{line}\n  {shown}\n  expected at {place}");
        assert!(shown.contains(says), "{line}\n  {shown}\n  expected {says:?}");
    }
}

#[test]
fn faults_above_the_rules_are_placed_too() {
    for (line, place, says) in [
        ("lease = \"8 hours\"", "1:9", "such as 8h, 90m or 1d12h"),
        ("lease = 8", "1:9", "expected a string"),
        ("lease = \"53w\"", "1:9", "from one second to 366 days"),
        ("default = \"closed\"", "1:11", "expected `open` or `refuse`"),
        ("accept = [\"sha256:12\"]", "1:11", "\"sha256:12\" is no digest"),
        ("version = 1", "1:1", "unknown field `version`, expected one of"),
    ] {
        let shown = error(&format!("{line}\n{}", rule_with(""))).to_string();
        assert!(shown.starts_with(&format!("boundary.toml:{place}: ")) && shown.contains(says), "{line}\n  {shown}");
    }
}

#[test]
fn a_file_that_would_judge_nothing_is_refused() {
    for text in ["", "# only words\n", "default = \"open\"\n"] {
        let shown = error(text).to_string();
        assert!(shown.contains("nothing would be judged"), "{shown}");
    }
    assert_eq!(compiled("default = \"refuse\"").rules, []);
}

#[test]
fn columns_count_characters() {
    let text = "[[rule]]\nrefs = [\"refs/heads/ü\", \"x\"]\n";
    assert_eq!(error(text).position, Some(Position { line: 2, column: 25 }));
}

#[test]
fn the_digest_is_of_the_canonical_form_and_blind_to_layout() {
    let plain = compiled(&rule_with(""));
    let spelled =
        compiled("# words\nlease='480m'\n[[rule]]\npin = 'ancestor'\nhandoff = true\nrefs = ['refs/heads/main']");
    assert_eq!(policy_digest(&plain), policy_digest(&spelled));
    let text = String::from_utf8(canonical(&plain)).expect("canonical JSON is text");
    let expected = concat!(
        r#"{"accept":[],"default":"open","lease_seconds":28800,"rules":[{"adopts":[],"approval_paths":[],"automation_approval":true,"#,
        r#""context_strength":"self","diet":{"permitted":["diff","test_result"],"required":["diff"]},"equality":"commit","#,
        r#""evidence":[],"handoff":true,"people":[],"people_by_signature":false,"pin":"ancestor","#,
        r#""proofs":{"count":1,"domains":1,"strength":"self"},"refs":["refs/heads/main"]}]}"#
    );
    assert_eq!(text, expected);
    assert_eq!(serde_json::from_str::<Policy>(&text).expect("what was written reads"), plain);
}
