//! A listed registrar of whose ledger nothing is here: lost, or not written yet.

use crate::support::{Work, World};

/// A clone that joined and whose registrar an owner lists, in a domain of its own.
fn listed(world: &World, name: &str) -> Work {
    let clone = world.joined(name);
    clone.boundary("verify HEAD").ok();
    let key = clone.git_file("boundary/registrar.pub");
    world.work.boundary(&format!("trust add {} --role registrar --label {name} --domain {name}", key.display())).ok();
    clone.git("fetch -q");
    clone
}

#[test]
fn nobody_is_refused_for_what_a_lost_ledger_may_hold() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    world.server.git(&format!("update-ref -d {}", work.notes_ref()));
    let fresh = world.joined("fresh");
    let name = work.registrar_id().to_string();
    let verified = fresh.boundary("verify origin/main").ends_with(2).says(&name).says("git fetch");
    verified.says("if it holds nothing of this, context.receipt_missing");
    let json = fresh.boundary("verify --json origin/main").ends_with(2).json();
    assert_eq!(json["primary_code"], "snapshot.unavailable");
    assert_eq!(json["commits"][0]["status"], "undecided");
    // Back again, it says what it said.
    work.git("push -q origin refs/notes/boundary/*");
    fresh.git("fetch -q");
    fresh.boundary("verify origin/main").ok();
}

#[test]
fn a_registrar_that_never_wrote_stands_in_nobodys_way() {
    let world = World::new();
    let work = &world.work;
    let idle = listed(&world, "idle");
    work.git("fetch -q");
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    work.push("origin agent/fix:main").accepted();
    world.joined("third").boundary("verify origin/main").ok().says("covered");
    // Who would be refused is told why, and what to do if nothing is missing.
    work.commit(&[("src/main.rs", "fn main() { more() }\n")]);
    let open = work.push("origin agent/fix").undecided();
    open.says("nothing is here of the ledger of idle").says("git boundary propose --key codex");
    // Its own clone does not wait for itself.
    idle.git("fetch -q");
    idle.git("switch -q -c agent/own origin/agent/fix");
    idle.commit(&[("src/main.rs", "fn main() { other() }\n")]);
    idle.push("origin agent/own").refused("context.receipt_missing");
}

#[test]
fn a_listed_registrar_opens_its_ledger_before_it_writes() {
    let world = World::new();
    let work = &world.work;
    let idle = listed(&world, "idle");
    idle.boundary("doctor").says("has no ledger yet");
    idle.boundary("init").ok().says("sent to origin");
    idle.boundary("init").ok().never_says("sent to origin");
    idle.boundary("doctor").never_says("has no ledger yet");
    work.git("fetch -q");
    work.git("switch -q -c agent/fix");
    work.commit(&[("src/main.rs", "fn main() { more() }\n")]);
    work.push("origin agent/fix").refused("source.handoff_missing");
    // And it goes on from there.
    idle.git("switch -q -c agent/own");
    idle.commit(&[("src/main.rs", "fn main() { other() }\n")]);
    idle.push("origin agent/own").refused("source.handoff_missing");
    idle.boundary("doctor").ok();
    idle.git("push -q origin refs/notes/boundary/*");
    work.git("fetch -q");
    work.boundary("doctor").ok();
}
