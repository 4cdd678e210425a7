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
