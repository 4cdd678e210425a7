//! The process is killed at every system call by which it changes something, once each. Afterwards the repository is in a lawful state,
//! and the same command again brings the work to its end: nothing is done twice, nothing is lost, no approval is used twice.

mod boundary;
mod everywhere;

use std::time::{Duration, Instant};

use self::everywhere::{kill_everywhere, lawful};
use crate::support::World;

/// A push that the killed process left behind comes to its end by itself.
fn push_until_done(world: &World, what: &str) {
    let since = Instant::now();
    loop {
        let ran = world.work.boundary("push");
        if ran.status == 0 || since.elapsed() > Duration::from_secs(60) {
            assert_eq!(ran.status, 0, "{what}: {ran}");
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn once(world: &World, what: &str, approvals: usize) {
    let work = &world.work;
    assert_eq!(world.server.branch("agent/fix"), Some(work.head()), "{what}");
    assert_eq!(world.landings(), 1, "{what}: it was pushed once");
    let words = ["admitted", "released", "settled complete", "complete refs"];
    assert_eq!(work.summaries(words), [1, approvals, 1, 1], "{what}: {words:?}");
    lawful(world, what);
}

#[test]
fn submit_is_whole_or_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    kill_everywhere(&world, "submit --no-publish", b"", |world, what| {
        let work = &world.work;
        work.boundary("submit").ok();
        assert_eq!(work.summaries(["admitted"]), [1], "{what}");
        lawful(world, what);
    });
}

#[test]
fn approve_is_whole_or_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    work.boundary("submit").ok();
    kill_everywhere(&world, "approve --key ada-l --yes --no-publish", b"", |world, what| {
        let work = &world.work;
        let waits = work.boundary("approvals --json").ok().json_lines().len();
        assert_eq!(waits, usize::from(work.summaries(["approve "]) == [0]), "{what}");
        if waits == 1 {
            work.boundary("approve --key ada-l").ok();
        }
        assert_eq!(work.summaries(["approve "]), [1], "{what}");
        lawful(world, what);
    });
}

#[test]
fn push_happens_once_under_one_approval() {
    let world = World::new();
    let work = &world.work;
    world.list_landings();
    work.proposed_automation();
    work.boundary("submit").ok();
    work.boundary("approve --key ada-l").ok();
    kill_everywhere(&world, "push", b"", |world, what| {
        push_until_done(world, what);
        once(world, what, 1);
    });
}

#[test]
fn settle_settles_once() {
    let world = World::new();
    let work = &world.work;
    world.list_landings();
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    kill_everywhere(&world, "settle", b"", |world, what| {
        let work = &world.work;
        work.boundary("settle").ok();
        once(world, what, 0);
    });
}

#[test]
fn the_hook_is_whole_or_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    work.boundary("approve --key ada-l").ok();
    let line = format!("x {} refs/heads/agent/fix {}\n", work.head(), "0".repeat(40));
    kill_everywhere(&world, "hook run pre-push origin address", line.as_bytes(), |world, what| {
        let work = &world.work;
        work.hook(&line).ok();
        assert_eq!(work.summaries(["admitted", "released"]), [1, 1], "{what}");
        lawful(world, what);
    });
}

#[test]
fn what_a_server_records_is_whole_or_nothing() {
    let world = World::guarded();
    let work = &world.work;
    work.proposed_automation();
    work.boundary("approve --key ada-l").ok();
    // As if the server had been killed before its hook began.
    let hook = world.server.dir.join("hooks/post-receive");
    std::fs::write(&hook, "#!/bin/sh\ncat >/dev/null\n").expect("it can be replaced");
    work.git("push -q --no-verify origin agent/fix");
    kill_everywhere(&world, "-C ../server.git settle", b"", |world, what| {
        world.server.boundary("settle").ok();
        world.work.git("fetch -q");
        let words = ["admitted", "released", "settled complete", "complete refs"];
        assert_eq!(world.work.summaries(words), [1, 1, 1, 1], "{what}: {words:?}");
        lawful(world, what);
        world.server.boundary("settle").ok().says("Nothing that was received here waits");
    });
}
