//! What checkers decide, and how long it stands.

use git_boundary::codec::artifact::Artifact;
use git_boundary::model::asserted::Asserted;
use git_boundary::model::boundary_proof::CheckDecision;
use git_boundary::model::decision::Override;

use crate::support::World;

#[test]
fn a_denial_is_refused_on_every_branch_that_wants_a_judgement() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check("deny");
    work.push("origin agent/fix:main").refused("policy.decision_denied").followed_in(work);
    work.push("origin agent/fix").refused("policy.decision_denied");
}

#[test]
fn a_denial_stands_though_another_domain_allows_afterwards() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add second-bot --role checker --new-key").ok();
    work.proposed_fix();
    work.check("deny");
    work.check_by("second-bot", "allow");
    work.push("origin agent/fix:main").refused("policy.decision_denied").says("reviewer-bot").followed_in(work);
}

#[test]
fn a_denial_ends_when_the_same_domain_allows_later() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check("deny");
    work.check("allow");
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn an_allowance_ends_when_the_same_domain_denies_later() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check("allow");
    work.check("deny");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

#[test]
fn a_denial_that_a_later_commit_fixes_passes() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check("deny");
    work.commit(&[("src/main.rs", "fn main() { better() }\n")]);
    work.propose();
    work.push("origin agent/fix:main").refused("policy.decision_denied");
    work.check("allow");
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn a_denial_can_be_set_aside_by_an_owner_and_by_no_checker() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add second-bot --role checker --new-key").ok();
    work.proposed_fix();
    work.check("deny");
    work.check_by("second-bot", "allow");
    let denial = work.stored(
        "HEAD",
        |artifact| matches!(artifact, Artifact::BoundaryProof(proof) if proof.proven.decision == CheckDecision::Deny),
    );
    let aside = Override { asserted: Asserted::one("reason", "wrong"), target: denial[0].digest() };
    work.record("HEAD", &[work.sign("second-bot", "HEAD", aside.clone())]);
    work.push("origin agent/fix:main").refused("policy.decision_denied");
    work.record("HEAD", &[work.sign("ada-l", "HEAD", aside)]);
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn an_abstention_authorises_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check("abstain");
    work.push("origin agent/fix:main").refused("policy.decision_abstained").followed_in(work);
}

#[test]
fn a_partial_decision_authorises_no_ref_update() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check("partial");
    work.push("origin agent/fix:main").refused("policy.decision_denied").says("partial").followed_in(work);
}

#[test]
fn a_command_decides_by_its_exit_status() {
    for (command, pushed) in [("true", None), ("false", Some("denied")), ("sh -c 'exit 125'", Some("abstained"))] {
        let world = World::new();
        let work = &world.work;
        work.proposed_fix();
        work.sh(&format!("git boundary check run --input diff --key reviewer-bot -- {command}")).ok();
        let push = work.push("origin agent/fix:main");
        match pushed {
            None => drop(push.accepted()),
            Some(how) => drop(push.refused(&format!("policy.decision_{how}"))),
        }
    }
}

#[test]
fn a_command_that_could_not_run_decides_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    for command in ["sh -c 'exit 126'", "sh -c 'exit 127'", "sh -c 'kill -9 $$'", "/nowhere/to/be/found"] {
        let ran = work.sh(&format!("git boundary check run --input diff --key reviewer-bot -- {command}"));
        ran.ends_with(128).says("decided").never_says("Decided:");
    }
    work.push("origin agent/fix:main").refused("evidence.boundary_missing");
    assert_eq!(work.git("worktree list").lines().count(), 1, "no checkout is left behind");
}
