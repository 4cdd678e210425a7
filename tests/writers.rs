//! Many writers at once, and writers that are killed.

use std::io::{BufRead as _, Write as _};
use std::process::{Child, Stdio};

use git_boundary::codec::artifact::Artifact;

use crate::support::{Work, World};

fn start(work: &Work, args: &[&str]) -> Child {
    let mut command = work.home.command(&work.dir, "git-boundary");
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

#[test]
fn forty_processes_that_write_receipts_at_once_keep_forty() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let begin = ["check", "begin", "--input", "diff", "--key", "reviewer-bot", "--no-publish"];
    let running: Vec<Child> = (0..40).map(|_| start(work, &begin)).collect();
    for child in running {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "every writer succeeds: {}", String::from_utf8_lossy(&output.stderr));
    }
    let kept = work.stored("HEAD", |artifact| matches!(artifact, Artifact::DietCommitment(_)));
    assert_eq!(kept.len(), 40, "no writer lost another one's line");
    work.git("fsck --strict --no-dangling");
    work.boundary("doctor").ends_with(0);
    work.boundary("check decide allow --key reviewer-bot").ok();
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn writers_in_several_clones_never_contend() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    let clones: Vec<Work> = ["one", "two", "three"].map(|name| world.joined(name)).into();
    let begin = ["check", "begin", "origin/agent/fix", "--input", "diff", "--key", "reviewer-bot"];
    let running: Vec<Child> = clones.iter().flat_map(|clone| (0..3).map(|_| start(clone, &begin))).collect();
    for child in running {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "every writer succeeds: {}", String::from_utf8_lossy(&output.stderr));
    }
    // Whichever publication came last in a clone had all of the clone's lines.
    for clone in &clones {
        clone.git("push -q --no-verify origin refs/notes/boundary/*");
    }
    work.git("fetch -q");
    let audit = work.boundary("show HEAD --json").ok();
    assert_eq!(audit.stdout.matches("\"kind\":\"diet commitment\"").count(), 9, "all of them are read as one: {audit}");
}

#[test]
fn two_pushes_at_once_both_keep_their_records() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    for name in ["agent/one", "agent/two"] {
        work.git(&format!("switch -q -c {name} main"));
        work.commit(&[("src/main.rs", &format!("// {name}\n"))]);
        work.propose();
    }
    let push = |name: &str| {
        let mut command = work.home.command(&work.dir, "git");
        command.args(["push", "-q", "origin", name]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("git starts")
    };
    let running = [push("agent/one"), push("agent/two")];
    for child in running {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    for name in ["agent/one", "agent/two"] {
        let events = work.stored(name, |artifact| matches!(artifact, Artifact::Event(_)));
        assert_eq!(events.len(), 1, "the admission of {name} is on record");
    }
}

#[test]
fn a_killed_writer_leaves_all_of_a_write_or_none() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let begin = ["check", "begin", "--input", "diff", "--key", "reviewer-bot", "--no-publish"];
    let objects = work.git_file("objects");
    let count = || walk(&objects);
    let commitments = || work.stored("HEAD", |artifact| matches!(artifact, Artifact::DietCommitment(_))).len();
    let mut written = 0;
    // Killed as soon as so many new objects are there: before the first, between any two, and after the last.
    for so_many in 0..14 {
        let (before, reference) = (count(), work.oid(&work.notes_ref()));
        let mut child = start(work, &begin);
        while count() < before + so_many && child.try_wait().expect("it can be asked").is_none() {
            std::thread::yield_now();
        }
        child.kill().expect("a child can be killed");
        child.wait().expect("it ends");
        let now = work.oid(&work.notes_ref());
        written += usize::from(now != reference);
        assert_eq!(commitments(), written, "a write is there whole or not at all, after {so_many} objects");
        work.git("fsck --strict --no-dangling");
        work.boundary("verify HEAD").ok();
    }
    // Nothing that they left behind is in the next one's way.
    work.check("allow");
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn a_lock_that_a_killed_writer_left_behind_is_in_nobodys_way() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    for reference in [work.notes_ref(), "refs/boundary/trust".to_owned(), "refs/boundary/policy".to_owned()] {
        let lock = work.git_file(&format!("{reference}.lock"));
        std::fs::write(&lock, "").expect("the git directory is writable");
        match reference.as_str() {
            "refs/boundary/trust" => drop(work.boundary("trust add zed --role actor --new-key").ok()),
            "refs/boundary/policy" => work.policy(&[("lease = \"8h\"", "lease = \"4h\"")]),
            _ => drop(work.boundary("check begin --input diff --key reviewer-bot").ok()),
        }
        assert!(!lock.exists(), "the lock on {reference} is gone");
    }
    work.git("fsck --strict --no-dangling");
}

#[test]
fn a_lock_that_is_held_and_given_back_is_waited_for() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let (reference, tip) = (work.notes_ref(), work.oid(&work.notes_ref()));
    // git's own protocol for a ref that is held: prepared, and committed only when told so.
    let mut holder = work.home.command(&work.dir, "git");
    holder.args(["update-ref", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut holder = holder.spawn().expect("git starts");
    let mut tell = holder.stdin.take().expect("it is piped");
    let mut answers = std::io::BufReader::new(holder.stdout.take().expect("it is piped")).lines();
    writeln!(tell, "start\nupdate {reference} {tip} {tip}\nprepare").expect("git listens");
    for wanted in ["start: ok", "prepare: ok"] {
        assert_eq!(answers.next().expect("git answers").expect("it is text"), wanted);
    }
    let mut writer = start(work, &["check", "begin", "--input", "diff", "--key", "reviewer-bot", "--no-publish"]);
    // Until it has met the lock, which is when it has signed and stored what it wants to write.
    let objects = work.git_file("objects");
    let before = walk(&objects);
    while walk(&objects) < before + 3 && writer.try_wait().expect("it can be asked").is_none() {
        std::thread::yield_now();
    }
    writeln!(tell, "commit").expect("git listens");
    drop(tell);
    assert!(holder.wait().expect("it ends").success(), "the holder's lock was left alone");
    assert!(writer.wait().expect("it ends").success(), "and the writer came after it");
}

/// How many files lie below a directory.
fn walk(dir: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { walk(&entry.path()) } else { 1 }).sum()
}
