//! What others may do at the moments that matter, which no test from outside can choose.

mod reading;
mod writing;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{AccessError, Means, WalkBounds, Workspace};

const LIMIT: u64 = 1000;

/// The ways of opening that this system has.
fn all_means() -> Vec<Means> {
    let has_openat2 = Workspace::open(Path::new("/")).is_ok_and(|top| top.means() == Means::Openat2);
    [Means::Openat2, Means::Walk].into_iter().filter(|means| has_openat2 || *means == Means::Walk).collect()
}

struct Place {
    root: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Place { root: tempfile::tempdir().expect("a folder can be made") };
        fs::create_dir_all(place.at("ws/d")).expect("it is ours");
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn put(&self, path: &str, text: &str) {
        fs::write(self.at(path), text).expect("it is ours");
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).expect("it is there")
    }

    fn names(&self, dir: &str) -> Vec<String> {
        let entries = fs::read_dir(self.at(dir)).expect("it is a folder");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("it is readable").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn open(&self, means: Means) -> Workspace {
        Workspace::open_with(&self.at("ws"), means).expect("it is a folder")
    }

    fn sweep(&self, means: Means) {
        self.open(means).sweep(WalkBounds::default(), LIMIT).expect("it is readable");
    }
}
