//! The process is killed at every system call by which it changes something, once each. Afterwards the repository is in a lawful state,
//! and the same command again brings the work to its end: nothing is done twice, nothing is lost, no approval is used twice.

mod boundary;
mod everywhere;

use std::fs;
use std::time::{Duration, Instant};

use self::everywhere::{kill_everywhere, lawful};
use crate::support::{Work, World};

/// How many events there are on `HEAD` whose summaries begin with each of these words.
fn events<const N: usize>(work: &Work, words: [&str; N]) -> [usize; N] {
    let shown = work.boundary("show HEAD --json").ok().json();
    let records = shown["records"].as_array().expect("a list");
    let summaries: Vec<&str> = records.iter().filter_map(|one| one["summary"].as_str()).collect();
    words.map(|word| summaries.iter().filter(|it| it.starts_with(word)).count())
}

/// A server that keeps a list of what became of its branches.
fn listing(world: &World) {
    let hook = world.server.dir.join("hooks/post-receive");
    fs::create_dir_all(hook.parent().expect("it lies in a directory")).expect("the server is writable");
    fs::write(&hook, "#!/bin/sh\ngrep ' refs/heads/agent/' >>landed || :\n").expect("the server is writable");
    world.work.sh(&format!("chmod +x {}", hook.display())).ok();
}

/// How often the branch moved at the server.
fn landed(world: &World) -> usize {
    fs::read_to_string(world.server.dir.join("landed")).map_or(0, |text| text.lines().count())
}

/// Work that wants an approval, proposed.
fn automation(work: &Work) {
    work.hand_out_with("--to codex --path **");
    work.git("switch -q -c agent/fix");
    work.commit(&[("Makefile", "all:\n\ttrue\n")]);
    work.propose();
}

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
    assert_eq!(landed(world), 1, "{what}: it was pushed once");
    let words = ["admitted", "released", "settled complete", "complete refs"];
    assert_eq!(events(work, words), [1, approvals, 1, 1], "{what}: {words:?}");
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
        assert_eq!(events(work, ["admitted"]), [1], "{what}");
        lawful(world, what);
    });
}

#[test]
fn approve_is_whole_or_nothing() {
    let world = World::new();
    let work = &world.work;
    automation(work);
    work.boundary("submit").ok();
    kill_everywhere(&world, "approve --key ada-l --yes --no-publish", b"", |world, what| {
        let work = &world.work;
        let waits = work.boundary("approvals --json").ok().json_lines().len();
        assert_eq!(waits, usize::from(events(work, ["approve "]) == [0]), "{what}");
        if waits == 1 {
            work.boundary("approve --key ada-l").ok();
        }
        assert_eq!(events(work, ["approve "]), [1], "{what}");
        lawful(world, what);
    });
}

#[test]
fn push_happens_once_under_one_approval() {
    let world = World::new();
    let work = &world.work;
    listing(&world);
    automation(work);
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
    listing(&world);
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
    automation(work);
    work.boundary("approve --key ada-l").ok();
    let line = format!("x {} refs/heads/agent/fix {}\n", work.head(), "0".repeat(40));
    kill_everywhere(&world, "hook run pre-push origin address", line.as_bytes(), |world, what| {
        let work = &world.work;
        work.hook(&line).ok();
        assert_eq!(events(work, ["admitted", "released"]), [1, 1], "{what}");
        lawful(world, what);
    });
}
