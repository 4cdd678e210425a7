//! What is said against an artifact, by whom it counts, and how it is cleared up; and denials that an owner sets aside.

use git_boundary::codec::artifact::Artifact;

use crate::support::{Work, World};

/// A world with an evidence producer, and work that a push to `main` would take.
fn proven(world: &World) -> (&Work, String) {
    let work = &world.work;
    work.boundary("trust add ci-tests --role evidence --new-key").ok();
    work.hand_out();
    work.fix();
    let proposal = work.propose();
    work.check("allow");
    (work, proposal)
}

#[test]
fn a_contradiction_refuses_until_it_is_resolved_and_the_refusal_says_how() {
    let world = World::new();
    let (work, proposal) = proven(&world);
    work.boundary("contradict HEAD --reason 'broken' --key ci-tests").ok().says(&proposal).says("ci-tests");
    let refused = work.push("origin agent/fix:main").refused("evidence.contradicted").followed_in(work);
    let command = refused.ran.commands().pop().expect("the refusal says what to type");
    assert_eq!(command, format!("git boundary contradict {proposal} --resolve --key <owner>"));
    work.boundary("show HEAD").ok().says("contradiction art_").says("broken");
    work.boundary("log HEAD").ok().says("open against");
    work.sh(&command.replace("<owner>", "ada-l")).ok().says("Resolved").never_says("stands against it still");
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn the_same_words_said_again_after_they_were_cleared_up_are_a_new_contradiction() {
    let world = World::new();
    let (work, proposal) = proven(&world);
    for _ in 0..2 {
        let said = work.boundary(&format!("contradict {proposal} --reason no --key ci-tests --json")).ok().json();
        assert_eq!((said["state"].as_str(), said["open"][0].as_str()), (Some("open"), said["id"].as_str()));
        work.push("origin agent/fix:main").refused("evidence.contradicted");
        // Whoever contradicted may resolve it.
        let cleared = work.boundary("contradict HEAD --resolve --key ci-tests --json").ok().json();
        assert_eq!((cleared["state"].as_str(), cleared["open"].as_array().map(Vec::len)), (Some("resolved"), Some(0)));
    }
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn handoff_and_proof_can_be_contradicted_and_what_is_not_material_refuses_nothing() {
    let world = World::new();
    let (work, proposal) = proven(&world);
    let records = work.boundary("log --json").ok().json_lines();
    let id = |kind: &str| {
        let found = records.iter().find(|record| record["kind"] == kind).expect("it is recorded");
        found["id"].as_str().expect("an id").to_owned()
    };
    for target in [id("handoff"), id("boundary proof")] {
        work.boundary(&format!("contradict {target} --key ada-l")).ok();
        let refused = work.push("origin agent/fix:main").refused("evidence.contradicted");
        let command = refused.ran.commands().pop().expect("the refusal says what to type");
        work.sh(&command.replace("<owner>", "ada-l")).ok();
    }
    work.boundary(&format!("contradict {proposal} --immaterial --key ada-l")).ok().says("refuses nothing");
    work.push("origin agent/fix:main").accepted();
    work.boundary(&format!("contradict {proposal} --resolve --key ci-tests")).ends_with(129).says("ada-l");
    work.boundary(&format!("contradict {proposal} --resolve --key ada-l")).ok();
}

#[test]
fn a_resolution_that_a_clock_ahead_keeps_from_counting_is_told() {
    let world = World::new();
    let (work, _) = proven(&world);
    let second = world.joined("second");
    second.git("fetch -q ../work agent/fix:agent/fix");
    second.later(3_600).boundary("contradict agent/fix --key ci-tests").ok();
    work.git("fetch -q");
    work.push("origin agent/fix:main").refused("evidence.contradicted");
    work.boundary("contradict HEAD --resolve --key ada-l").ok().says("stands against it still");
    work.push("origin agent/fix:main").refused("evidence.contradicted");
}

#[test]
fn what_is_said_of_a_proof_is_noted_where_its_proposal_is_wherever_else_it_was_copied() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check("deny");
    let denied = work.stored("HEAD", |artifact| matches!(artifact, Artifact::BoundaryProof(_)));
    work.git("switch -q -c side main");
    for text in ["1", "2", "3", "4", "5", "6"] {
        work.commit(&[("README", text)]);
        work.record("HEAD", &denied);
    }
    work.git("switch -q agent/fix");
    let denial = denied[0].digest();
    let said = work.boundary(&format!("contradict {denial} --immaterial --key ada-l --json")).ok().json();
    assert_eq!(said["commit"], work.head());
    work.boundary(&format!("override {denial} --reason wrong --key ada-l")).ok();
    work.push("origin agent/fix").accepted();
}

#[test]
fn only_an_owner_or_a_key_for_evidence_is_heard_and_only_who_could_resolves() {
    let world = World::new();
    let (work, _) = proven(&world);
    work.boundary("trust add more-tests --role evidence --new-key").ok();
    for key in ["codex", "reviewer-bot"] {
        work.boundary(&format!("contradict HEAD --key {key}")).ends_with(129).says("neither for evidence nor as owner");
    }
    work.boundary("contradict HEAD").ends_with(129).says("boundary.evidenceKey");
    work.boundary("contradict HEAD --resolve --key ada-l").ends_with(129).says("nothing that is open contradicts");
    work.push("origin agent/fix:main").accepted();
    work.git("config boundary.evidenceKey ci-tests");
    let open = work.boundary("contradict HEAD --json").ok().json();
    let refused = work.boundary("contradict HEAD --resolve --key more-tests").ends_with(129);
    refused.says("more-tests can't resolve").says("by ci-tests").says("--resolve --key <owner>");
    let id = open["id"].as_str().expect("an id");
    work.boundary(&format!("contradict {id} --key ada-l")).ends_with(129).says("is a contradiction itself");
    work.boundary("contradict art_00000000000000000000000000000000 --key ada-l").ends_with(129).says("not recorded");
    work.boundary("trust revoke ci-tests").ok();
    work.boundary("contradict HEAD").ends_with(129).says("neither for evidence nor as owner");
}

#[test]
fn an_owner_sets_a_denial_aside_which_stays_on_record_and_is_marked() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add second-bot --role checker --new-key").ok();
    work.proposed_fix();
    work.check("deny");
    work.check_by("second-bot", "allow");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
    let denial = id_of(work, "deny");
    work.boundary(&format!("show {denial}")).ok().never_says("overridden");
    let shown = work.boundary(&format!("override {denial} --reason wrong --key ada-l")).ok();
    for word in ["reviewer-bot", &work.head(), "deny", "Overridden: ", "stays on record", "diet"] {
        shown.clone().says(word);
    }
    work.boundary(&format!("show {denial}")).ok().says("overridden by art_").says("it no longer stands");
    work.boundary("log HEAD --decision deny").ok().says(&denial).says("overridden by art_");
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
    work.boundary(&format!("override {denial} --reason again --key ada-l")).ends_with(129).says("already, by art_");
}

#[test]
fn what_is_set_aside_allows_nothing_and_abstentions_can_be_set_aside_too() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check("abstain");
    let abstention = id_of(work, "abstain");
    let signed = work.boundary(&format!("override {abstention} --reason late --key ada-l --json")).ok().json();
    assert_eq!((signed["proof"]["decision"].as_str(), signed["owner"].as_str()), (Some("abstain"), Some("ada-l")));
    work.push("origin agent/fix:main").refused("evidence.boundary_missing");
}

#[test]
fn only_an_owner_overrides_and_only_a_denial() {
    let world = World::new();
    let work = &world.work;
    let handoff = work.hand_out();
    work.fix();
    work.propose();
    work.check("deny");
    let denial = id_of(work, "deny");
    for key in ["codex", "reviewer-bot"] {
        let refused = work.boundary(&format!("override {denial} --reason x --key {key}"));
        refused.ends_with(129).says("not trusted as owner");
    }
    work.boundary(&format!("override {denial} --key ada-l")).ends_with(129).says("--reason");
    work.boundary(&format!("override {handoff} --reason x --key ada-l")).ends_with(129).says("is a handoff");
    work.boundary("override HEAD --reason x --key ada-l").ends_with(129).says("no id or digest");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
    work.check("allow");
    let allow = id_of(work, "allow");
    work.boundary(&format!("override {allow} --reason x --key ada-l")).ends_with(129).says("decides allow");
}

/// The newest proof with a decision.
fn id_of(work: &Work, decision: &str) -> String {
    let found = work.boundary(&format!("log HEAD --json --decision {decision}")).ok().json_lines();
    found[0]["id"].as_str().expect("an id").to_owned()
}
