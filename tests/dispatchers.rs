//! Many processes dispatch at once: one executes, and all of them end well.

use std::process::{Child, Stdio};

use crate::support::{Ran, Work, World};

fn start(work: &Work, line: &str) -> Child {
    let mut command = work.home.command(&work.dir, "git-boundary");
    command.args(line.split_ascii_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// Starts all of the lines at once and waits for them.
fn at_once(work: &Work, lines: &[&str]) -> Vec<Ran> {
    let running: Vec<Child> = lines.iter().map(|line| start(work, line)).collect();
    let ended = running.into_iter().map(|child| child.wait_with_output().expect("it ends"));
    let told = ended.zip(lines).map(|(output, line)| Ran {
        what: (*line).to_owned(),
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    });
    told.collect()
}

/// Every process did it, found it done, or says that another one is at it; none fails or panics.
#[track_caller]
fn ended_well(all: &[Ran]) {
    for ran in all {
        assert!(matches!(ran.status, 0 | 2), "{ran}");
        if ran.status == 2 {
            assert!(ran.said().contains("another process of this clone"), "it says why: {ran}");
            assert!(ran.said().contains("git boundary settle"), "it says what to type: {ran}");
        }
    }
}

/// One push at the server, one settlement, one receipt, one chain.
#[track_caller]
fn executed_once(world: &World, all: &[Ran]) {
    let work = &world.work;
    // The one that executed it may have met a lock of another one's; what is open is settled by the next.
    work.boundary("settle").ok();
    assert_eq!(world.server.branch("agent/fix"), Some(work.head()), "{all:?}");
    assert_eq!(world.landings(), 1, "the server saw one push: {all:?}");
    let words = ["attempt", "settled complete", "complete refs", "admitted"];
    assert_eq!(work.summaries(words), [1, 1, 1, 1], "{words:?}: {all:?}");
    work.boundary("read HEAD").ok();
    let audit = work.boundary("audit --json").ok().json();
    assert_eq!(audit["gaps"], serde_json::json!([]), "{audit}");
    work.boundary("verify origin/agent/fix").ok();
}

fn ready() -> World {
    let world = World::new();
    world.list_landings();
    world.work.proposed_fix();
    world.work.boundary("submit").ok();
    world
}

fn unproposed() -> World {
    let world = World::new();
    world.list_landings();
    world.work.hand_out();
    world.work.fix();
    world
}

#[test]
fn of_two_dispatchers_of_one_row_one_executes() {
    for _ in 0..3 {
        let world = ready();
        let all = at_once(&world.work, &["push"; 2]);
        ended_well(&all);
        executed_once(&world, &all);
    }
}

#[test]
fn of_eight_dispatchers_of_one_row_one_executes() {
    let world = ready();
    let all = at_once(&world.work, &["push"; 8]);
    ended_well(&all);
    executed_once(&world, &all);
}

#[test]
fn dispatchers_that_begin_at_an_unproposed_commit_propose_and_execute_once() {
    for many in [2, 8] {
        let world = unproposed();
        let all = at_once(&world.work, &vec!["push origin agent/fix --key codex"; many]);
        ended_well(&all);
        executed_once(&world, &all);
    }
}

#[test]
fn a_settlement_beside_dispatchers_settles_nothing_twice() {
    for many in [1, 2, 8] {
        let world = ready();
        let mut lines = vec!["push"; many];
        lines.insert(many / 2, "settle");
        lines.push("settle");
        let all = at_once(&world.work, &lines);
        ended_well(&all);
        executed_once(&world, &all);
    }
}
