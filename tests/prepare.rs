//! Drafts: intent goes in, the rest is derived, and what comes back edited is held against what was delivered.

use serde_json::{Value, json};

use crate::support::{Work, World};

fn draft(work: &Work) -> Value {
    work.hand_out();
    work.fix();
    let printed = work.boundary("prepare --key codex").ok().stdout;
    serde_json::from_str(&printed).expect("a draft is JSON")
}

#[test]
fn a_draft_is_what_is_signed_and_its_context_is_recorded_first() {
    let world = World::new();
    let work = &world.work;
    let draft = draft(work);
    let kinds = |work: &Work| -> Vec<String> {
        let shown = work.boundary("show HEAD --json").ok().json();
        let records = shown["records"].as_array().expect("a list").iter();
        records.map(|one| one["kind"].as_str().expect("text").to_owned()).collect()
    };
    assert_eq!(kinds(work), ["context receipt"]);
    work.boundary_given("propose - --key codex", draft.to_string().as_bytes()).ok();
    assert_eq!(kinds(work), ["context receipt", "proposal"]);
    work.boundary("submit").ok().says("admitted");
}

#[test]
fn a_draft_that_claims_what_was_not_delivered_is_not_stored() {
    let world = World::new();
    let work = &world.work;
    let draft = draft(work);
    let digest = format!("sha256:{}", "7".repeat(64));
    let oid = "7".repeat(40);
    let edits: [(&str, Value, &str); 7] = [
        ("/predicate/bindings/context/value", json!(digest), "never delivered"),
        ("/predicate/bindings/assignment/value", json!(digest), "the specification in it"),
        ("/predicate/bindings/lease/value", json!(digest), "the handoff in it"),
        ("/predicate/bindings/source_observed/value", json!(oid), "where the base stood in it"),
        ("/predicate/envelope_id", json!(format!("env_{}", "7".repeat(32))), "never delivered"),
        ("/predicate/requested_action/ref", json!("refs/heads/main"), "the ref to be moved"),
        ("/predicate/requested_action/old", json!(oid), "the ref to be moved"),
    ];
    let before = work.refs();
    for (place, value, says) in edits {
        let mut edited = draft.clone();
        *edited.pointer_mut(place).unwrap_or_else(|| panic!("a draft has {place}")) = value;
        work.boundary_given("propose - --key codex", edited.to_string().as_bytes()).ends_with(129).says(says);
    }
    assert_eq!(work.refs(), before, "nothing is stored");
    work.boundary_given("propose - --key reviewer-bot", draft.to_string().as_bytes()).ends_with(129);
    assert_eq!(work.refs(), before);
}

#[test]
fn a_repository_that_takes_no_proposals_says_so() {
    let world = World::new();
    let work = &world.work;
    let draft = draft(work);
    work.git("config boundary.accept none");
    let before = work.refs();
    for command in ["prepare --key codex", "propose --key codex", "push --key codex"] {
        work.boundary(command).ends_with(128).says("takes no proposals").says("git config --unset boundary.accept");
    }
    work.boundary_given("propose - --key codex", draft.to_string().as_bytes()).ends_with(128);
    assert_eq!(work.refs(), before);
    work.git("config --unset boundary.accept");
    work.boundary("propose --key codex").ok();
}

#[test]
fn a_draft_that_is_signed_with_other_words_is_told_to_be_a_second_story() {
    let world = World::new();
    let work = &world.work;
    let mut draft = draft(work);
    let signed = work.boundary_given("propose - --key codex", draft.to_string().as_bytes()).ok();
    signed.never_says("two stories");
    *draft.pointer_mut("/predicate/claim/asserted").expect("a draft has it") = json!({"reason": "other"});
    work.boundary_given("propose - --key codex", draft.to_string().as_bytes()).ok().says("two stories");
}
