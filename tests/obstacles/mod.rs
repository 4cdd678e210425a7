//! What stands in the way of writing: a full disk, a repository that can only be read, a lock that somebody holds. It is named, there is
//! a command to type, and nothing is changed.

mod disk;
mod locks;
mod read_only;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::{Ran, Refs, World};

/// A world in which a command has something to write, with the words of the command.
struct Scene {
    world: World,
    words: Vec<String>,
}

impl Scene {
    fn new(world: World, line: &str) -> Self {
        Scene { world, words: line.split_ascii_whitespace().map(str::to_owned).collect() }
    }

    /// One of every command that writes.
    fn all() -> Vec<Self> {
        let proposed = || {
            let world = World::new();
            world.work.boundary("trust add ci-tests --role evidence --new-key").ok();
            world.work.proposed_fix();
            world
        };
        let [submit, contradict, push, settle, evidence] = [(); 5].map(|()| proposed());
        push.work.boundary("submit").ok();
        for world in [&settle, &evidence] {
            world.work.push("origin agent/fix").accepted();
        }
        evidence.work.boundary("settle").ok();
        let report = evidence.root().join("report.xml");
        std::fs::write(&report, "<testsuite name=\"all\"><testcase name=\"one\"/></testsuite>\n").expect("it is ours");
        let add = format!("evidence add {} --key ci-tests", report.display());
        let approve = World::new();
        approve.work.hand_out_with("--to codex --path **");
        approve.work.git("switch -q -c agent/fix");
        approve.work.commit(&[("Makefile", "all:\n\ttrue\n")]);
        approve.work.propose();
        vec![
            Scene::new(submit, "submit"),
            Scene::new(approve, "approve --key ada-l --yes"),
            Scene::new(push, "push"),
            Scene::new(settle, "settle"),
            Scene::new(evidence, &add),
            Scene::new(contradict, "contradict HEAD --reason broken --key ci-tests"),
        ]
    }

    /// Runs the command under another program.
    fn run_under(&self, program: &str, before: &[&str]) -> Ran {
        let mut all = before.to_vec();
        all.push("git-boundary");
        all.extend(self.words.iter().map(String::as_str));
        self.world.home_run(program, &all)
    }

    /// Everything that must be as it was: refs here and at the server, and every file of ours but caches and locks.
    fn state(&self) -> (Refs, Refs, BTreeMap<PathBuf, Vec<u8>>) {
        let mut files = BTreeMap::new();
        let git = self.world.work.git_file("");
        gather(&git.join("boundary"), &mut files);
        gather(&git.join("refs"), &mut files);
        files.retain(|path, _| {
            !["cache", "dispatching", "writing"].iter().any(|it| path.starts_with(git.join("boundary").join(it)))
        });
        (self.world.work.refs(), self.world.server.refs(), files)
    }
}

impl World {
    fn home_run(&self, program: &str, args: &[&str]) -> Ran {
        self.work.home.run(&self.work.dir, program, args, b"")
    }
}

/// It could not be done, for these reasons, and it says what to type.
#[track_caller]
fn failed_clearly(ran: Ran, reasons: &[&str]) {
    let ran = ran.ends_with(128).says("error: ").says("hint: ");
    assert!(reasons.iter().any(|reason| ran.stderr.contains(reason)), "one of {reasons:?} is said by {ran}");
    ran.never_says("panicked");
}

fn gather(dir: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, files);
        } else {
            files.insert(path.clone(), std::fs::read(&path).expect("an own file is readable"));
        }
    }
}

/// Whether this system lets the tests mount something of their own; says so where it doesn't.
fn can_mount() -> bool {
    let tried = std::process::Command::new("unshare").args(["-m", "true"]).output();
    let can = tried.is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("this system lets nobody mount anything here: that part is passed over");
    }
    can
}
