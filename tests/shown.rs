//! How answers read: in the same order each time, and saying of everything shown whether it still counts.

use crate::support::World;

#[test]
fn an_answer_reads_the_same_each_time() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add second-bot --role checker --new-key").ok();
    work.hand_out();
    work.git("switch -q -c agent/fix");
    for number in 0..4 {
        work.commit(&[("src/main.rs", &format!("fn main() {{ work({number}) }}\n"))]);
        work.propose();
        for checker in ["reviewer-bot", "second-bot"] {
            work.check_by(checker, "deny");
            work.check_by(checker, "allow");
        }
    }
    let verify = || work.boundary("verify --json HEAD --ref main").ok().stdout;
    let first = verify();
    for _ in 0..4 {
        assert_eq!(verify(), first, "nothing is shown in an order of its own");
    }
    // The newest commit's first, and each commit's as they were recorded.
    let json: serde_json::Value = serde_json::from_str(&first).expect("JSON");
    let shown: Vec<&str> =
        json["proofs"].as_array().expect("proofs").iter().filter_map(|one| one["decision"].as_str()).collect();
    assert_eq!(shown, ["deny", "allow"].repeat(8), "{first}");
}

#[test]
fn a_denial_that_was_taken_back_is_marked_as_that() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check("deny");
    let denied = work.boundary("verify --json HEAD --ref main").ends_with(1).json();
    assert!(denied["proofs"][0]["taken_back"].is_null(), "it stands: {denied}");
    work.check("abstain");
    work.check("allow");
    let json = work.boundary("verify --json HEAD --ref main").ok().json();
    let said: Vec<(&str, bool)> = json["proofs"]
        .as_array()
        .expect("proofs")
        .iter()
        .map(|one| (one["decision"].as_str().expect("a word"), one["taken_back"].is_string()))
        .collect();
    assert_eq!(said, [("deny", true), ("abstain", true), ("allow", false)]);
    work.boundary("verify HEAD --ref main").ok().says("superseded by the later art_");
}

#[test]
fn one_is_not_said_in_the_plural_and_lines_are_lines() {
    let world = World::new();
    let work = &world.work;
    // One baseline, on one commit.
    work.boundary("doctor").ok().says(": 1 entry").says("1 artifact on 1 commit").never_says("(s)");
    work.boundary("policy show").ok().says("RULE  REFS").never_says("(s)");
    work.boundary("trust show").ok().never_says("(s)");
    work.hand_out();
    work.git("switch -q -c agent/fix");
    for text in ["two\n", "three\n"] {
        work.commit(&[("src/main.rs", text)]);
    }
    work.push("origin agent/fix").refused("context.receipt_missing").says("and 1 more commit need");
    let audit = work.boundary("audit").ok();
    assert!(audit.stdout.contains("\nrefusals by first code\n"), "under a title of their own: {audit}");
    work.git("remote set-url origin ../nowhere.git");
    let warned = work.boundary("handoff create --to codex --path src/**").ok();
    warned.says("not yet at origin").never_says("\\n");
}

#[test]
fn a_deletion_is_called_one() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    work.push("origin :agent/fix").refused("context.receipt_missing");
    work.boundary("log HEAD").ok().says("context.receipt_missing of the deletion of refs/heads/agent/fix");
    work.boundary("log HEAD").ok().never_says("000000000000");
}

#[test]
fn what_a_checked_command_prints_stays_out_of_the_json() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let ran = work.boundary("check run --json --input diff --key reviewer-bot -- echo printed").ok();
    assert!(ran.json().is_object() && ran.stderr.contains("printed"), "{ran}");
}
