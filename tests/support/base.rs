//! The world that most tests begin with: made once for a build by the real command line, then copied.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::home::{Home, words};
use super::work::Work;

/// A base is made anew after this time, so that nothing in it gets near its expiry.
const OLDEST: Duration = Duration::from_secs(12 * 3600);

/// Copies the base into an empty directory.
pub fn copy_into(root: &Path) {
    copy_of(&base(), root);
}

/// Copies a world into an empty directory.
pub fn copy_of(from: &Path, root: &Path) {
    let root = root.canonicalize().expect("it exists");
    copy(from, &root);
    // The clone knows its remote by its path.
    let config = root.join("work/.git/config");
    let text = fs::read_to_string(&config).expect("a clone has a config");
    let text = text.replace(&*from.to_string_lossy(), &root.to_string_lossy());
    fs::write(config, text).expect("the copy is ours");
}

/// A server and a clone of it with one pushed commit.
pub fn plain(root: &Path, init: &str) {
    let root = root.canonicalize().expect("it exists");
    let home = Home::create(&root);
    for (name, kind) in [("server.git", "--bare"), ("work", "--quiet")] {
        let mut args = vec!["init", "-q", kind];
        args.extend(words(init));
        args.push(name);
        home.run(&root, "git", &args, b"").ok();
    }
    let server = root.join("server.git");
    let work = Work::at(root.join("work"), home, server.clone());
    work.git(&format!("remote add origin {}", server.display()));
    work.commit(&[("src/main.rs", "fn main() {}\n"), ("README", "A program.\n")]);
    work.git("push -q -u origin main");
}

/// Trust, the hook, an actor and a checker.
pub fn set_up(work: &Work) {
    work.boundary("init").ok();
    work.boundary("trust add codex --role actor --new-key").ok();
    work.boundary("trust add reviewer-bot --role checker --new-key").ok();
}

/// Where the base of this build is; made now if it is not there.
///
/// It is shared by all processes of a test run, since some runners start one for each test.
fn base() -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(place).expect("cargo's own directory is writable");
    let place = place.canonicalize().expect("it exists");
    let here = std::env::current_exe().expect("a running program has a file");
    let name = format!("base-{}-{}", stamp(Path::new(env!("CARGO_BIN_EXE_git-boundary"))), stamp(&here));
    let ready = place.join(name);
    let fresh = |path: &Path| path.metadata().and_then(|it| it.modified()).ok().and_then(|at| at.elapsed().ok());
    if fresh(&ready).is_some_and(|age| age < OLDEST) {
        return ready;
    }
    remove_old(&place);
    let making = tempfile::Builder::new().prefix("making-").tempdir_in(&place).expect("cargo's directory is writable");
    plain(making.path(), "");
    let root = making.path().canonicalize().expect("it exists");
    set_up(&Work::at(root.join("work"), Home::at(&root), root.join("server.git")));
    // The clone's remote is where the base will be.
    let config = root.join("work/.git/config");
    let text = fs::read_to_string(&config).expect("a clone has a config");
    fs::write(&config, text.replace(&*root.to_string_lossy(), &ready.to_string_lossy())).expect("it is ours");
    if fs::rename(&root, &ready).is_err() {
        assert!(ready.exists(), "a base that can't be put in place was put there by another process");
    }
    ready
}

/// Bases of earlier builds.
fn remove_old(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|it| it.modified()).ok().and_then(|at| at.elapsed().ok());
        let ours = entry.file_name().to_string_lossy().starts_with("base-");
        if ours && age.is_some_and(|age| age >= OLDEST) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn stamp(file: &Path) -> u128 {
    let changed = file.metadata().and_then(|it| it.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    changed.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("the base is readable") {
        let entry = entry.expect("the base is readable");
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().expect("the base is readable");
        if kind.is_dir() {
            fs::create_dir_all(&target).expect("the copy is ours");
            copy(&source, &target);
        } else if kind.is_symlink() {
            let pointed = fs::read_link(&source).expect("a link says where it leads");
            std::os::unix::fs::symlink(pointed, &target).expect("the copy is ours");
        } else {
            // With its mode: a key that others could read would be refused.
            fs::copy(&source, &target).expect("the copy is ours");
        }
    }
}
