//! The process is killed at every system call by which it changes something, once each. Afterwards the repository is in a lawful state,
//! and the same command again brings the work to its end: nothing is done twice, nothing is lost, no approval is used twice.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Ran, Work, World};

/// What changes files, starts processes, or waits for one.
const CALLS: &str = "write,pwrite64,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,ftruncate,fsync,clone,clone3,vfork,wait4";

/// A clone and its server as they were before the command, to be put back.
struct Before<'w> {
    copy: PathBuf,
    work: &'w Work,
    world: &'w World,
}

impl<'w> Before<'w> {
    fn of(world: &'w World) -> Self {
        let copy = world.root().join("before");
        fs::create_dir_all(&copy).expect("it can be made");
        let before = Before { copy, work: &world.work, world };
        for (name, dir) in before.dirs() {
            copy_to(&dir, &before.copy.join(name));
        }
        before
    }

    fn dirs(&self) -> [(&'static str, PathBuf); 2] {
        [("work", self.work.dir.clone()), ("server", self.world.server.dir.clone())]
    }

    fn put_back(&self) {
        for (name, dir) in self.dirs() {
            fs::remove_dir_all(&dir).expect("it can be removed");
            copy_to(&self.copy.join(name), &dir);
        }
    }
}

fn copy_to(from: &Path, to: &Path) {
    let done = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().expect("cp runs");
    assert!(done.success(), "{} is copied", from.display());
}

/// Runs the built program under `strace`, with what it is to do about system calls.
fn traced(work: &Work, options: &[&str], line: &str, stdin: &[u8]) -> Ran {
    let mut all: Vec<&str> = options.to_vec();
    all.push("git-boundary");
    all.extend(line.split_ascii_whitespace());
    work.home.run(&work.dir, "strace", &all, stdin)
}

/// How often the command makes each of the calls.
fn calls(work: &Work, line: &str, stdin: &[u8]) -> BTreeMap<String, usize> {
    let trace = work.home.root().join("tmp/calls");
    let path = trace.to_str().expect("temporary paths are text");
    let ran = traced(work, &["-qq", "-e", "signal=none", "-e", &format!("trace={CALLS}"), "-o", path], line, stdin);
    assert!(ran.status == 0 || ran.status == 2, "strace is needed and has to be able to trace: {ran}");
    let mut found = BTreeMap::new();
    for call in fs::read_to_string(&trace).expect("strace wrote it").lines().filter_map(|line| line.split_once('(')) {
        *found.entry(call.0.to_owned()).or_insert(0) += 1;
    }
    found
}

/// Kills the command before each call in turn, and then asks `lawful` and lets `finish` bring it to its end.
fn kill_everywhere(world: &World, line: &str, stdin: &[u8], finish: impl Fn(&str)) {
    let work = &world.work;
    let before = Before::of(world);
    let calls = calls(work, line, stdin);
    assert!(calls.values().sum::<usize>() > 10, "{calls:?}");
    for (call, times) in calls {
        for time in 1..=times {
            before.put_back();
            let inject = format!("inject={call}:signal=SIGKILL:when={time}");
            traced(work, &["-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject], line, stdin);
            let what = format!("`{line}` killed at {call} {time}");
            lawful(world, &what);
            finish(&what);
            lawful(world, &what);
        }
    }
}

/// Nothing is half written: every ledger is whole, every line has its entry, every chain of events is one.
fn lawful(world: &World, what: &str) {
    let audit = world.work.boundary("audit --json").ok().json();
    for list in ["gaps", "set_aside"] {
        assert_eq!(audit[list], Value::Array(Vec::new()), "{what}: {list}");
    }
}

/// How many events whose summary begins so are noted on `HEAD`.
fn events(work: &Work, word: &str) -> usize {
    let shown = work.boundary("show HEAD --json").ok().json();
    let records = shown["records"].as_array().expect("a list").iter();
    records.filter(|one| one["summary"].as_str().is_some_and(|it| it.starts_with(word))).count()
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
    for (word, times) in [("admitted", 1), ("released", approvals), ("settled complete", 1), ("complete refs", 1)] {
        assert_eq!(events(work, word), times, "{what}: {word}");
    }
}

#[test]
fn submit_is_whole_or_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    kill_everywhere(&world, "submit --no-publish", b"", |what| {
        work.boundary("submit").ok();
        assert_eq!(events(work, "admitted"), 1, "{what}");
    });
}

#[test]
fn approve_is_whole_or_nothing() {
    let world = World::new();
    let work = &world.work;
    automation(work);
    work.boundary("submit").ok();
    kill_everywhere(&world, "approve --key ada-l --yes --no-publish", b"", |what| {
        let waits = work.boundary("approvals --json").ok().json_lines().len();
        assert_eq!(waits, usize::from(events(work, "approve ") == 0), "{what}");
        if waits == 1 {
            work.boundary("approve --key ada-l").ok();
        }
        assert_eq!(events(work, "approve "), 1, "{what}");
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
    kill_everywhere(&world, "push", b"", |what| {
        push_until_done(&world, what);
        once(&world, what, 1);
    });
}

#[test]
fn settle_settles_once() {
    let world = World::new();
    let work = &world.work;
    listing(&world);
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    kill_everywhere(&world, "settle", b"", |what| {
        work.boundary("settle").ok();
        once(&world, what, 0);
    });
}

#[test]
fn the_hook_is_whole_or_nothing() {
    let world = World::new();
    let work = &world.work;
    automation(work);
    work.boundary("approve --key ada-l").ok();
    let line = format!("x {} refs/heads/agent/fix {}\n", work.head(), "0".repeat(40));
    kill_everywhere(&world, "hook run pre-push origin address", line.as_bytes(), |what| {
        work.hook(&line).ok();
        for (word, times) in [("admitted", 1), ("released", 1)] {
            assert_eq!(events(work, word), times, "{what}: {word}");
        }
    });
}
