//! When work may be done and by whom: leases that ran out, were revoked, are missing, or are another's.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::verified::sign_statement;
use git_boundary::model::fact::Fact;
use git_boundary::model::handoff::Handoff;

use crate::support::{World, now, read};

const HOUR: i64 = 3600;

#[test]
fn a_lease_that_has_run_out_is_refused() {
    let world = World::made_at(-20 * HOUR);
    let work = &world.work;
    work.later(-20 * HOUR).boundary("handoff create --to codex --path src/**").ok();
    work.fix();
    work.later(-19 * HOUR).boundary("propose --key codex").ok();
    work.push("origin agent/fix").refused("authority.lease_expired").says("renew").followed_in(work);
}

#[test]
fn the_same_push_passes_while_the_lease_runs() {
    let world = World::made_at(-20 * HOUR);
    let work = &world.work;
    work.later(-7 * HOUR).boundary("handoff create --to codex --path src/**").ok();
    work.fix();
    work.later(-7 * HOUR).boundary("propose --key codex").ok();
    work.push("origin agent/fix").accepted();
}

#[test]
fn a_lease_ends_at_its_last_moment_and_not_before() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --ttl 1h");
    let oid = work.fix();
    work.propose();
    let line = format!("refs/heads/agent/fix {oid} refs/heads/agent/fix {}\n", "0".repeat(40));
    work.later(2 * HOUR).hook(&line).ends_with(1).says("refused: authority.lease_expired  refs/heads/agent/fix");
    work.later(HOUR / 2).hook(&line).ends_with(0);
}

#[test]
fn a_renewed_lease_passes_once_the_work_is_proposed_under_it() {
    let world = World::made_at(-20 * HOUR);
    let work = &world.work;
    work.later(-20 * HOUR).boundary("handoff create --to codex --path src/**").ok();
    work.fix();
    work.later(-19 * HOUR).boundary("propose --key codex").ok();
    let listed = work.boundary("handoff list --all --json").ok().json_lines();
    let id = listed[0]["id"].as_str().expect("it has an id").to_owned();
    work.boundary(&format!("handoff renew {id}")).ok();
    work.propose();
    work.push("origin agent/fix").accepted();
}

#[test]
fn a_lease_that_was_revoked_is_refused() {
    let world = World::new();
    let work = &world.work;
    let id = work.hand_out();
    work.fix();
    work.propose();
    work.boundary(&format!("handoff revoke {id} --reason done")).ok();
    work.push("origin agent/fix").refused("authority.lease_revoked").followed_in(work);
}

#[test]
fn a_revocation_stops_what_is_still_to_land_and_leaves_what_has_landed() {
    let world = World::new();
    let work = &world.work;
    let id = work.hand_out();
    work.fix();
    work.propose();
    work.check("allow");
    work.push("origin agent/fix").accepted();
    work.later(60).boundary(&format!("handoff revoke {id} --reason done")).ok();
    let line = format!("x {} refs/heads/main {}\n", work.head(), work.oid("origin/main"));
    work.later(120).hook(&line).ends_with(1).says("refused: authority.lease_revoked  refs/heads/main");
    work.later(120).boundary("verify origin/agent/fix").ok();
}

#[test]
fn landed_work_stays_verified_when_its_lease_runs_out_later() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    work.later(1000 * HOUR).boundary("verify origin/main").ok().says("judged as of");
}

#[test]
fn a_handoff_held_by_another_key_gives_nothing() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add zed --role actor --new-key").ok();
    work.hand_out();
    work.fix();
    work.boundary("propose --key zed").ok();
    let refused = work.push("origin agent/fix").refused("source.handoff_missing");
    let refused = refused.says("`people` in boundary.toml");
    refused.says("git boundary handoff create --to zed --path '<pathspec>' --key <owner>");
}

#[test]
fn a_proposal_under_anothers_handoff_is_refused_and_its_maker_is_not_sent_to_that_ones_key() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add zed --role actor --new-key").ok();
    work.hand_out();
    work.fix();
    let other = world.joined("other");
    other.git(&format!("fetch -q {} agent/fix:agent/fix", work.dir.display()));
    other.git("switch -q agent/fix");
    other.boundary("propose --key codex --no-publish").ok();
    let lines = other.stored("HEAD", |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_)));
    let Some(Artifact::EvidenceEnvelope(statement)) = lines.last().and_then(read) else { panic!("one was made") };
    let mut envelope = statement.predicate;
    envelope.bindings.actor = Fact::known(work.key_id("zed"), "key", now());
    work.record("HEAD", &[work.sign("zed", "HEAD", envelope)]);
    let refused = work.push("origin agent/fix").refused("authority.holder_mismatch");
    let refused = refused.says("git boundary handoff create --to zed --path '<pathspec>' --key <owner>");
    refused.ran.never_says("--key codex");
}

#[test]
fn a_handoff_without_a_lease_gives_nothing() {
    let world = World::new();
    let work = &world.work;
    let pattern = pattern(&world);
    let leaseless = Handoff { lease: None, nonce: "0".repeat(32), ..pattern };
    work.record("main", &[work.sign("ada-l", "main", leaseless)]);
    work.fix();
    work.propose();
    work.push("origin agent/fix").refused("authority.lease_missing").followed_in(work);
}

#[test]
fn a_handoff_signed_by_somebody_who_is_no_owner_gives_nothing() {
    let world = World::new();
    let work = &world.work;
    let pattern = pattern(&world);
    let own = Handoff { from: work.key_id("codex"), nonce: "1".repeat(32), ..pattern };
    work.record("main", &[work.sign("codex", "main", own)]);
    work.fix();
    work.propose();
    work.push("origin agent/fix").refused("identity.key_untrusted").says("not trusted as owner");
}

#[test]
fn a_handoff_in_the_owners_name_signed_by_the_actor_is_no_handoff() {
    let world = World::new();
    let work = &world.work;
    let pattern = pattern(&world);
    let forged = Handoff { nonce: "2".repeat(32), ..pattern };
    let statement = Statement { predicate: forged, subject: Some(work.subject("main")) };
    let line = sign_statement(&statement, &work.key("codex")).expect("a key in memory signs");
    work.record("main", &[line]);
    work.fix();
    work.propose();
    work.push("origin agent/fix").refused("identity.signature_invalid");
}

/// A handoff as the program makes it, from a world of its own with the same shape; its keys are put right.
fn pattern(world: &World) -> Handoff {
    let work = &world.work;
    let id = work.hand_out();
    let lines = work.stored("main", |artifact| matches!(artifact, Artifact::Handoff(_)));
    let Some(Artifact::Handoff(statement)) = lines.last().and_then(read) else { panic!("one was made") };
    // The good one is out of the way: revoked handoffs are chosen last.
    work.boundary(&format!("handoff revoke {id}")).ok();
    statement.predicate
}
