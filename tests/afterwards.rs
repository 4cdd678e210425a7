//! What is deleted, ended or edited afterwards says nothing about what went before, and lets nothing in.

use crate::support::World;

#[test]
fn a_proposal_to_delete_a_branch_covers_none_of_its_commits() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    work.git("switch -q main");
    work.git("merge -q --no-ff --no-edit agent/fix");
    work.push("origin main").refused("evidence.boundary_missing");
    work.boundary("propose --delete agent/fix --key ada-l").ok();
    work.push("origin :agent/fix").accepted();
    work.push("origin main").refused("evidence.boundary_missing");
    work.git("push -q --no-verify origin main");
    work.boundary("verify origin/main").ends_with(1).says("evidence.boundary_missing");
}

#[test]
fn a_revocation_of_a_key_never_moves_forward() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust revoke codex --at 2026-01-01T00:00:00Z").ok();
    work.boundary("trust revoke codex").ends_with(129).says("revoked already, since 2026-01-01T00:00:00Z");
}

#[test]
fn whoever_ends_a_handoff_ends_what_prolongs_it() {
    let world = World::new();
    let work = &world.work;
    let first = work.hand_out();
    let renewal = work.boundary(&format!("handoff renew {first} --json")).ok().json();
    let renewal = renewal["id"].as_str().expect("a renewal has an id").to_owned();
    work.boundary(&format!("handoff revoke {first}")).ok().says(&renewal);
    work.fix();
    work.propose();
    work.push("origin agent/fix").refused("authority.lease_revoked");
    work.boundary(&format!("handoff renew {first}")).ends_with(129).says("revoked");
}

#[test]
fn a_policy_edit_leaves_verified_history_verified() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    work.policy(&[("lease = \"8h\"", "lease = \"9h\"")]);
    work.boundary("verify origin/main").ok();
}

#[test]
fn a_pinned_branch_that_is_gone_leaves_its_landed_work_verified() {
    let world = World::new();
    let work = &world.work;
    work.git("switch -q -c feature/x");
    work.git("push -q origin feature/x");
    work.hand_out_with(
        "--to codex --path src/** --ref refs/heads/agent/** --ref refs/heads/main --ref refs/heads/feature/x",
    );
    work.fix();
    work.boundary("propose --key codex --ref main").ok();
    work.check("allow");
    work.push("origin agent/fix:main").accepted();
    work.git("push -q origin :feature/x");
    let fresh = world.joined("fresh");
    fresh.boundary("verify origin/main").ok();
}

#[test]
fn a_pin_on_a_branch_that_nobody_has_is_refused_before_it_is_given() {
    let world = World::new();
    let given = world.work.boundary("handoff create --to codex --path src/** --pin-ref mian");
    given.ends_with(129).says("there is no refs/heads/mian");
}

#[test]
fn a_key_that_trust_does_not_hold_proposes_nothing() {
    let world = World::new();
    let work = &world.work;
    work.boundary("key new nobody").ok();
    work.hand_out();
    work.fix();
    let before = work.refs();
    work.boundary("propose --key nobody").ends_with(129).says("does not hold");
    assert_eq!(before, work.refs(), "what is refused on the command line writes nothing");
}
