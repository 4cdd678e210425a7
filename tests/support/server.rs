//! The bare repository at the other end of a push.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::home::{Home, words};
use super::ran::Ran;

/// Ref names and what they are at.
pub type Refs = BTreeMap<String, String>;

/// A bare repository.
#[derive(Debug)]
pub struct Server {
    /// Where it is.
    pub dir: PathBuf,
    home: Home,
}

impl Server {
    /// The repository at `dir`.
    pub fn at(dir: PathBuf, home: Home) -> Self {
        Server { dir, home }
    }

    /// Runs git there; it has to succeed. Gives trimmed output.
    #[track_caller]
    pub fn git(&self, line: &str) -> String {
        self.home.run(&self.dir, "git", &words(line), b"").ok().stdout.trim_end().to_owned()
    }

    /// Runs `git boundary …` there, however it ends.
    #[track_caller]
    pub fn boundary(&self, line: &str) -> Ran {
        let mut all = vec!["boundary"];
        all.extend(words(line));
        self.home.run(&self.dir, "git", &all, b"")
    }

    /// Every ref and its value.
    pub fn refs(&self) -> Refs {
        refs_of(&self.home, &self.dir)
    }

    /// What one branch is at, if it is there.
    pub fn branch(&self, name: &str) -> Option<String> {
        self.refs().remove(&format!("refs/heads/{name}"))
    }
}

/// Every ref of a repository and its value.
pub fn refs_of(home: &Home, dir: &Path) -> Refs {
    let listed = home.run(dir, "git", &["for-each-ref", "--format=%(refname) %(objectname)"], b"").ok();
    let pair = |line: &str| line.split_once(' ').map(|(name, oid)| (name.to_owned(), oid.to_owned()));
    listed.stdout.lines().filter_map(pair).collect()
}
