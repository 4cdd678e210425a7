//! Servers of every kind.

use super::{bypassing, turned_away};
use crate::support::World;

/// From a refusal to what is let in and recorded.
fn judges(world: &World) {
    let work = &world.work;
    work.hand_out();
    work.fix();
    turned_away(&bypassing(world, "agent/fix"), "context.receipt_missing");
    work.propose();
    let push = bypassing(world, "agent/fix");
    assert_eq!(push.ran.status, 0, "what is in order is let in: {}", push.ran);
    turned_away(&bypassing(world, "agent/fix:main"), "evidence.boundary_missing");
    work.git("fetch -q");
    work.boundary("read HEAD").ok().says("work receipt by server: complete refs/heads/agent/fix");
    world.server.boundary("doctor").ok();
}

#[test]
fn with_sha_256() {
    judges(&World::new_with("--object-format=sha256").guard());
}

#[test]
fn with_reftables() {
    let probe = World::untouched();
    if probe.work.try_git("init -q --ref-format=reftable ../probe").status != 0 {
        // This git knows no reftable; there is nothing to get wrong.
        return;
    }
    judges(&World::new_with("--ref-format=reftable").guard());
}

#[test]
fn with_packed_refs_and_objects() {
    let world = World::guarded();
    world.server.git("gc -q");
    judges(&world);
}

#[test]
fn with_a_checkout() {
    let world = World::guarded();
    let server = world.root().join("checked-out");
    world.work.sh(&format!("git clone -q ../server.git {}", server.display())).ok();
    let there = crate::support::Work::at(server.clone(), world.home.clone(), server.clone());
    there.git("fetch -q origin refs/boundary/*:refs/boundary/* refs/notes/boundary/*:refs/notes/boundary/*");
    there.boundary(&format!("hook install --server --trust-root {}", world.trust_root())).ok();
    let work = &world.work;
    work.git(&format!("remote add second {}", server.display()));
    work.hand_out();
    work.fix();
    let refused = work.try_git("push --no-verify second agent/fix");
    assert_ne!(refused.status, 0, "a repository with a checkout judges as well: {refused}");
    refused.says("context.receipt_missing");
}

#[test]
fn objects_borrowed_from_another_repository_are_seen() {
    let world = World::guarded();
    world.server.git("repack -a -d -q");
    let lent = world.root().join("lent");
    std::fs::rename(world.server.dir.join("objects"), &lent).expect("it can be moved");
    std::fs::create_dir_all(world.server.dir.join("objects/info")).expect("it can be made");
    std::fs::create_dir_all(world.server.dir.join("objects/pack")).expect("it can be made");
    std::fs::write(world.server.dir.join("objects/info/alternates"), format!("{}\n", lent.display()))
        .expect("it can be written");
    judges(&world);
}
