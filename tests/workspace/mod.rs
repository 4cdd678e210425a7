//! A workspace as a hostile agent and a hostile file system meet it: on real files, through both ways of opening them.

mod killed;
mod lists;
mod paths;
mod races;
mod reads;
mod searches;
mod writes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use git_boundary::model::digest::Digest;
use git_boundary::model::workspace_path::WorkspacePath;
use git_boundary::workspace::{AccessError, Means, Workspace};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// A workspace `inside` beside a folder `outside`, on one file system.
pub struct Place {
    root: TempDir,
}

impl Place {
    pub fn new() -> Self {
        let place = Place { root: tempfile::tempdir().expect("a folder can be made") };
        fs::create_dir(place.inside("")).expect("the root is ours");
        fs::create_dir(place.outside("")).expect("the root is ours");
        place
    }

    pub fn inside(&self, path: &str) -> PathBuf {
        self.root.path().join("inside").join(path)
    }

    pub fn outside(&self, path: &str) -> PathBuf {
        self.root.path().join("outside").join(path)
    }

    /// A file in the workspace, and the folders for it.
    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.inside(path);
        fs::create_dir_all(path.parent().expect("it lies in the workspace")).expect("the workspace is ours");
        fs::write(path, content).expect("the workspace is ours");
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.inside(path)).expect("the file is there")
    }

    pub fn open(&self, means: Means) -> Workspace {
        open(&self.inside(""), means)
    }

    /// Every path in the workspace that is named like a temporary file.
    pub fn temporaries(&self) -> Vec<PathBuf> {
        let mut found = all_below(&self.inside(""));
        found.retain(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".git-boundary-tmp-"))
        });
        found
    }
}

/// Everything below a folder, links not followed.
pub fn all_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("the folder is readable") {
        let path = entry.expect("the folder is readable").path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(all_below(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

pub fn open(dir: &Path, means: Means) -> Workspace {
    Workspace::open_with(dir, means).expect("the folder can be opened")
}

/// The ways of opening that this system has. Linux has both since 5.6, but a container may forbid one.
pub fn all_means() -> Vec<Means> {
    let has_openat2 = Workspace::open(Path::new("/")).expect("it is there").means() == Means::Openat2;
    if has_openat2 {
        vec![Means::Openat2, Means::Walk]
    } else {
        eprintln!("openat2 is not to be had here: only the walk is tried");
        vec![Means::Walk]
    }
}

pub fn path(text: &str) -> WorkspacePath {
    text.parse().expect("the path is canonical")
}

pub fn digest(bytes: impl AsRef<[u8]>) -> Digest {
    Digest(Sha256::digest(bytes).into())
}

/// Runs one test of the module `module_path!()` again in a process of its own, by `program`, which is given its command line.
pub fn again(program: &str, arguments: &[&str], module: &str, test: &str) -> Command {
    // The first word of a module's path is the crate.
    let module = module.split_once("::").expect("it is a module of the test binary").1;
    let mut command = Command::new(program);
    command.args(arguments).arg(std::env::current_exe().expect("the system knows it"));
    command.args(["--exact", &format!("{module}::{test}"), "--test-threads=1"]);
    command
}

/// Whether processes may be traced here. That strace is not there at all is an error, since nothing but an installation is missing.
pub fn can_trace() -> bool {
    let tried = Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    tried.expect("these tests need strace: apt-get install strace").success()
}

/// The name of a result's reason.
pub fn refusal<T>(result: Result<T, AccessError>) -> &'static str {
    result.err().map_or("none", AccessError::name)
}
