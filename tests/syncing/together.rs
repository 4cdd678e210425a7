//! Several clones at one remote at once.

use std::process::{Child, Stdio};

use super::quiet;
use crate::support::{Work, World};

fn start(work: &Work, args: &[&str]) -> Child {
    let mut command = work.home.command(&work.dir, "git-boundary");
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null());
    command.spawn().expect("it starts")
}

fn finish(child: Child) {
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "it succeeds: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn six_clones_that_write_and_sync_at_once_lose_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    let clones: Vec<Work> = (0..6).map(|number| world.joined(&format!("clone-{number}"))).collect();
    clones.iter().for_each(quiet);
    let begin = ["check", "begin", "origin/agent/fix", "--input", "diff", "--key", "reviewer-bot"];
    for _ in 0..3 {
        let writing: Vec<Child> = clones.iter().map(|clone| start(clone, &begin)).collect();
        writing.into_iter().for_each(finish);
        // Two of each clone, so that they meet at their own refs, too.
        let syncing: Vec<Child> = clones.iter().flat_map(|clone| (0..2).map(|_| start(clone, &["sync"]))).collect();
        syncing.into_iter().for_each(finish);
    }
    for clone in clones.iter().chain([work]) {
        clone.boundary("sync").ok();
        let shown = clone.boundary("show origin/agent/fix --json").ok();
        assert_eq!(shown.stdout.matches("\"kind\":\"diet commitment\"").count(), 18, "every clone has all: {shown}");
    }
    world.server.git("fsck --strict --no-dangling");
}

#[test]
fn a_remote_whose_ref_is_held_for_a_moment_is_asked_again() {
    let world = World::new();
    let work = &world.work;
    quiet(work);
    work.hand_out();
    let lock = world.server.dir.join(format!("{}.lock", work.notes_ref()));
    std::fs::write(&lock, "").expect("the server is writable");
    let child = start(work, &["sync", "--json"]);
    // Held until the first attempt was refused, which the clone's own refs tell: it has fetched.
    let incoming = work.git_file("refs/boundary-incoming");
    while !incoming.exists() {
        std::thread::yield_now();
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    std::fs::remove_file(&lock).expect("it is there");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    assert_eq!(world.server.refs()[&work.notes_ref()], work.oid(&work.notes_ref()), "it is there: {said}");
}
