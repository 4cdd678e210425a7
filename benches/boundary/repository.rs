//! The repository that is measured: made once, kept under `target/`, copied for each run.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use git_boundary::gather::{Session, SessionOptions};
use git_boundary::model::id::Oid;
use git_boundary::model::time::Timestamp;

use super::history::{History, PUSHES_A_HANDOFF, Size};
use super::receipts::{MAIN, Office, Work};
use super::world::{World, copy};

/// Changes when what is built changes, so that no old one is taken for it.
const FORM: u32 = 2;
const SECONDS_A_PUSH: i64 = 600;
const LEASE: i64 = 8 * 3600;
/// Pushes whose receipts are written in one commit.
const PUSHES_A_WRITE: usize = 5 * PUSHES_A_HANDOFF;

/// A fresh copy of a built repository, with its world.
pub struct Site {
    /// Keys and configuration.
    pub world: World,
    /// The working repository.
    pub dir: PathBuf,
}

/// The time now.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is past 1970");
    Timestamp(since.as_secs() as i64)
}

/// Gives a fresh copy of the repository of a size, building it first unless it was built before.
pub fn site(target: &Path, binary: &Path, size: Size) -> Site {
    let root = target.join(format!("boundary-bench-v{FORM}-{}-{}", size.commits, size.pushes));
    let world = World::at(root.clone(), binary.to_owned());
    let (built, mark) = (world.path("built"), world.path("complete"));
    // A number besides the process, because both sites may be of one size.
    static SITES: AtomicU32 = AtomicU32::new(0);
    let number = SITES.fetch_add(1, Ordering::Relaxed);
    let dir = world.path(&format!("work-{}-{number}", std::process::id()));
    if !mark.exists() {
        let started = Instant::now();
        eprintln!("building {} commits with {} receipted pushes", size.commits, size.pushes);
        fs::remove_dir_all(&root).ok();
        let world = World::at(root, binary.to_owned());
        build(&world, &built, size);
        fs::write(&mark, b"").expect("target/ can be written");
        eprintln!("built in {} s, kept in {}", started.elapsed().as_secs(), built.display());
    }
    copy(&built, &dir);
    Site { world, dir }
}

impl Drop for Site {
    /// At the end rather than before the next run: ext4 does not give out the inodes of files that were deleted in the last minutes, and
    /// looks at each of them again whenever a file is made, which was a sixth of all that a hook took.
    fn drop(&mut self) {
        fs::remove_dir_all(&self.dir).ok();
    }
}

fn build(world: &World, dir: &Path, size: Size) {
    fs::create_dir_all(dir).expect("a directory under target/ can be made");
    world.git(dir, &["init", "-q"]);
    world.git(dir, &["init", "-q", "--bare", "../server.git"]);
    world.git(dir, &["remote", "add", "origin", "../server.git"]);
    let start = now().0 - SECONDS_A_PUSH * (size.pushes as i64 + 10);
    let history = History::plan(size, start, SECONDS_A_PUSH);
    let oids = history.import(world, dir, false);
    let of = |mark: usize| oids[&mark];
    let last = history.pushes.last().map_or(history.baseline, |push| push.landed);
    set_up(world, dir, of(history.baseline), Timestamp(start));
    for reference in [MAIN, "refs/remotes/origin/main"] {
        world.git(dir, &["update-ref", reference, &of(last).to_string()]);
    }
    world.git(dir, &["update-ref", "-d", "refs/heads/side"]);
    world.git(dir, &["repack", "-adq"]);
    record(world, dir, &history, &of, start);
    world.git(dir, &["repack", "-adq"]);
    world.git(dir, &["prune-packed", "-q"]);
    world.git(dir, &["prune", "--expire=now"]);
    world.git(dir, &["pack-refs", "--all"]);
    world.git(dir, &["commit-graph", "write", "--reachable"]);
}

/// What an owner types, at the moment when the adopted history ends.
fn set_up(world: &World, dir: &Path, baseline: Oid, at: Timestamp) {
    world.git(dir, &["update-ref", MAIN, &baseline.to_string()]);
    world.git(dir, &["update-ref", "refs/remotes/origin/main", &baseline.to_string()]);
    world.git(dir, &["update-ref", "-d", "refs/heads/side"]);
    world.boundary_at(dir, at, &["init"]);
    world.boundary_at(dir, at, &["trust", "add", "codex", "--role", "actor", "--new-key"]);
    world.boundary_at(dir, at, &["trust", "add", "reviewer-bot", "--role", "checker", "--new-key"]);
}

fn record(world: &World, dir: &Path, history: &History, of: &dyn Fn(usize) -> Oid, start: i64) {
    let repository = world.open(dir);
    let session = Session::open(&repository, Timestamp(start), &SessionOptions::default())
        .expect("set-up left a sound repository");
    let mut office = Office::open(world, &session);
    let mut given = None;
    for (number, push) in history.pushes.iter().enumerate() {
        // All receipts of one write bear its time.
        let at = Timestamp(start + SECONDS_A_PUSH * (number / PUSHES_A_WRITE * PUSHES_A_WRITE) as i64);
        if number % PUSHES_A_HANDOFF == 0 {
            given = Some(office.hand_out(of(push.pin), at, LEASE));
        }
        let given = given.as_ref().expect("the first push comes with a handoff");
        let branch = format!("refs/heads/agent/{number}");
        let (before, tip, landed) = (of(push.before), of(push.tip), of(push.landed));
        let mut proposed = office.propose(given, &Work { branch: &branch, before, tip, at });
        office.admit(&mut proposed, &branch, None, tip, at);
        office.check(&proposed, at);
        office.admit(&mut proposed, MAIN, Some(before), landed, at);
        if (number + 1) % PUSHES_A_WRITE == 0 || number + 1 == history.pushes.len() {
            office.write(at);
        }
    }
}
