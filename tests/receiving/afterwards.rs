//! What a server records of what it received.

use super::{bypassing, own_ref};
use crate::support::World;

/// The work receipts that anybody can read about `HEAD`, by what they say of themselves.
fn receipts(world: &World) -> Vec<String> {
    world.work.git("fetch -q");
    let shown = world.work.boundary("show HEAD --json").ok().json();
    let records = shown["records"].as_array().expect("a list");
    let receipts = records.iter().filter(|one| one["kind"] == "work receipt");
    receipts.filter_map(|one| one["summary"].as_str()).map(str::to_owned).collect()
}

/// The files of what was admitted and is not recorded.
fn waiting(world: &World) -> usize {
    std::fs::read_dir(world.server.dir.join("boundary/received")).map_or(0, Iterator::count)
}

#[test]
fn each_landed_proposal_has_a_work_receipt_by_the_server() {
    let world = World::guarded();
    let work = &world.work;
    work.proven_fix();
    // Without the client's hook, which would have decided a moment earlier.
    let pushed = bypassing(&world, "agent/fix agent/fix:main");
    assert_eq!(pushed.ran.status, 0, "the server admits it: {}", pushed.ran);
    let mut found = receipts(&world);
    found.sort();
    let expected = ["refs/heads/agent/fix", "refs/heads/main"];
    assert_eq!(found, expected.map(|name| format!("complete {name}")), "one for each ref");
    assert_eq!(waiting(&world), 0, "and nothing waits any more");
    work.boundary("verify origin/main").ok().says("by the ledger of server");
    work.boundary("doctor").ok().says("sound");
    world.server.boundary("doctor").ok().says("sound");
}

#[test]
fn what_a_killed_process_left_is_recorded_by_the_next_one_or_by_hand_and_once() {
    for by_hand in [true, false] {
        let world = World::guarded();
        let work = &world.work;
        work.proven_fix();
        let hook = world.server.dir.join("hooks/post-receive");
        let kept = std::fs::read(&hook).expect("it is installed");
        std::fs::write(&hook, "#!/bin/sh\nkill -9 $$\n").expect("it can be replaced");
        work.push("origin agent/fix").accepted();
        assert_eq!((receipts(&world).len(), waiting(&world)), (0, 1), "nothing is recorded, and it is not forgotten");
        std::fs::write(&hook, kept).expect("it can be put back");
        if by_hand {
            world.server.boundary("settle").ok().says("1 work receipt written");
        } else {
            work.push("origin agent/fix:main").accepted();
        }
        let once = receipts(&world);
        assert_eq!(once.iter().filter(|it| it.ends_with("agent/fix")).count(), 1, "it is recorded once: {once:?}");
        world.server.boundary("settle").ok().says("Nothing that was received here waits");
        assert_eq!(receipts(&world), once, "and not once more");
        world.server.boundary("doctor").ok();
    }
}

#[test]
fn what_another_hook_refuses_is_not_recorded_as_done() {
    let world = World::guarded();
    let work = &world.work;
    work.proposed_fix();
    let update = world.server.dir.join("hooks/update");
    std::fs::write(&update, "#!/bin/sh\nexit 1\n").expect("it can be written");
    crate::support::executable(&update);
    let push = bypassing(&world, "agent/fix");
    assert_ne!(push.ran.status, 0, "the other hook refuses: {}", push.ran);
    world.server.boundary("settle").ok().says("1 update was admitted, and no ref shows that it was done");
    assert_eq!(receipts(&world), [""; 0], "nothing is claimed to have happened");
    std::fs::remove_file(&update).expect("it is there");
    assert_eq!(bypassing(&world, "agent/fix").ran.status, 0, "the same push, let in later");
    assert_eq!(receipts(&world).len(), 1, "has its one receipt");
}

#[test]
fn an_approval_counts_at_the_server_whichever_clone_pushes_and_is_consumed_there() {
    let world = World::guarded();
    let work = &world.work;
    work.proposed_automation();
    let push = bypassing(&world, "agent/fix");
    super::turned_away(&push, "approval.missing");
    work.boundary("approve --yes").ok();
    assert_eq!(bypassing(&world, "agent/fix").ran.status, 0, "what an owner approved is let in");
    work.git("fetch -q");
    work.boundary("read HEAD").ok().says("settled at server").says("released");
}

#[test]
fn a_lease_that_ends_right_after_the_push_leaves_it_verified() {
    let world = World::guarded();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --ttl 2s");
    work.fix();
    work.propose();
    let hook = world.server.dir.join("hooks/post-receive");
    let kept = std::fs::read(&hook).expect("it is installed");
    std::fs::write(&hook, "#!/bin/sh\nkill -9 $$\n").expect("it can be replaced");
    assert_eq!(bypassing(&world, "agent/fix").ran.status, 0, "in time");
    std::fs::write(&hook, kept).expect("it can be put back");
    std::thread::sleep(std::time::Duration::from_secs(3));
    world.server.boundary("settle").ok().says("1 work receipt written");
    work.git("fetch -q");
    work.boundary("verify main..HEAD --ref agent/fix").ok().says("by the ledger of server");
}

#[test]
fn pushes_at_the_same_time_all_land_and_are_all_recorded() {
    let world = World::guarded();
    let work = &world.work;
    work.hand_out();
    let own = own_ref(&world);
    let names: Vec<String> = (0..6).map(|number| format!("agent/fix-{number}")).collect();
    for name in &names {
        work.git(&format!("switch -q -c {name} main"));
        work.commit(&[("src/main.rs", &format!("// {name}\n"))]);
        work.propose();
    }
    let started = names.iter().map(|name| {
        let mut command = work.home.command(&work.dir, "git");
        command.args(["push", "-q", "--no-verify", "origin", name.as_str()]).spawn().expect("git starts")
    });
    let running: Vec<_> = started.collect();
    for mut child in running {
        assert!(child.wait().expect("it ends").success(), "no push stands in another's way");
    }
    work.git("fetch -q");
    for name in &names {
        work.git(&format!("switch -q {name}"));
        assert_eq!(receipts(&world).len(), 1, "{name} has its receipt");
    }
    assert_eq!(waiting(&world), 0, "nothing waits");
    assert!(world.work.refs().contains_key(&own), "and the clone's own receipts are where they were");
    world.server.boundary("doctor").ok();
}
