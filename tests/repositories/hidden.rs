//! Servers that keep refs from being seen.

use crate::support::World;

/// A world where work has landed in order, and a server that hides what begins with these names.
fn hiding(names: &[&str]) -> World {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    work.boundary("sync").ok();
    for name in names {
        world.server.git(&format!("config --add transfer.hideRefs {name}"));
    }
    world
}

#[test]
fn receipts_that_a_server_hides_are_not_fetched_and_nothing_is_verified() {
    let world = hiding(&["refs/notes"]);
    let second = world.clone("second");
    second.boundary(&format!("init --trust-root {}", world.trust_root()));
    second.git("fetch -q");
    let answer = second.boundary("verify origin/main").ends_with(2);
    answer.says("nothing is here of the ledger of").says("git fetch origin");
    second.git("switch -q -c agent/other");
    second.commit(&[("src/main.rs", "other\n")]);
    second.push("origin agent/other").undecided();
}

#[test]
fn trust_that_a_server_hides_is_not_joined_and_not_replaced() {
    let world = hiding(&["refs/boundary", "refs/notes"]);
    let second = world.clone("second");
    second
        .boundary(&format!("init --trust-root {}", world.trust_root()))
        .ends_with(128)
        .says("there is no trust document to join");
    let answer = second.boundary("verify origin/main");
    assert!(answer.status > 1, "nothing is claimed, and nothing passes: {answer}");
}

#[test]
fn what_a_server_hides_later_leaves_what_was_fetched_in_force() {
    let world = hiding(&[]);
    let second = world.joined("second");
    second.boundary("verify origin/main").ok();
    world.server.git("config --add uploadpack.hideRefs refs/notes");
    world.server.git("config --add uploadpack.hideRefs refs/boundary");
    second.boundary("sync").ends_with(2).says("no longer");
    second.boundary("verify origin/main").ok();
    // A fetch that prunes takes the copies away, and then it is not known.
    second.git("fetch -q --prune");
    let answer = second.boundary("verify origin/main");
    assert_ne!(answer.status, 0, "what was pruned is not verified: {answer}");
    assert_ne!(answer.status, 1, "and held against nobody: {answer}");
}

#[test]
fn what_a_server_does_not_let_in_is_said_when_it_is_published() {
    let world = World::new();
    let work = &world.work;
    world.server.git("config receive.hideRefs refs/notes/boundary");
    work.boundary("handoff create --to codex --path src/**").ok().says("not yet at origin");
    let refused = work.boundary("sync");
    assert_ne!(refused.status, 0, "receipts that do not arrive are no success: {refused}");
}
