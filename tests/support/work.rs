//! A clone that somebody works in.

use std::path::{Path, PathBuf};

use super::home::{Home, words};
use super::push::{Push, hook_status};
use super::ran::Ran;
use super::server::{Refs, refs_of};

/// A clone with a work tree. Its remote is `origin`.
#[derive(Debug, Clone)]
pub struct Work {
    /// The top of its work tree.
    pub dir: PathBuf,
    /// Whose it is.
    pub home: Home,
    server: PathBuf,
}

impl Work {
    /// The clone at `dir` of the repository at `server`.
    pub fn at(dir: PathBuf, home: Home, server: PathBuf) -> Self {
        Work { dir, home, server }
    }

    /// The same clone, with commands started in another directory of it.
    pub fn in_directory(&self, dir: PathBuf) -> Self {
        Work { dir, ..self.clone() }
    }

    /// The same clone, with one more variable in the environment of its commands.
    pub fn with(&self, name: &str, value: impl Into<std::ffi::OsString>) -> Self {
        Work { home: self.home.with(name, value), ..self.clone() }
    }

    /// Runs git; it has to succeed. Words are split at blanks. Gives trimmed output.
    #[track_caller]
    pub fn git(&self, line: &str) -> String {
        self.try_git(line).ok().stdout.trim_end().to_owned()
    }

    /// Runs git, however it ends.
    #[track_caller]
    pub fn try_git(&self, line: &str) -> Ran {
        self.home.run(&self.dir, "git", &words(line), b"")
    }

    /// Runs `git boundary …` as a user does, however it ends.
    #[track_caller]
    pub fn boundary(&self, line: &str) -> Ran {
        let mut all = vec!["boundary"];
        all.extend(words(line));
        self.home.run(&self.dir, "git", &all, b"")
    }

    /// Runs `git boundary …` with something on standard input.
    #[track_caller]
    pub fn boundary_given(&self, line: &str, stdin: &[u8]) -> Ran {
        let mut all = vec!["boundary"];
        all.extend(words(line));
        self.home.run(&self.dir, "git", &all, stdin)
    }

    /// Runs a line in the shell, as somebody who pastes it does.
    #[track_caller]
    pub fn sh(&self, line: &str) -> Ran {
        Ran { what: line.to_owned(), ..self.home.run(&self.dir, "sh", &["-c", line], b"") }
    }

    /// `git push …`, with the remote's refs before and after.
    #[track_caller]
    pub fn push(&self, line: &str) -> Push {
        let trace = self.home.root().join("tmp/trace");
        let _ = std::fs::remove_file(&trace);
        let mut all = vec!["push"];
        all.extend(words(line));
        let before = self.remote_refs();
        let more = [("GIT_TRACE2_EVENT", trace.clone().into_os_string())];
        let ran = self.home.run_with(&self.dir, "git", &all, b"", &more);
        Push { hook: hook_status(&trace), before, after: self.remote_refs(), ran }
    }

    /// What the hook says of the given lines (`<local ref> <local oid> <remote ref> <remote oid>`), without a push.
    #[track_caller]
    pub fn hook(&self, lines: &str) -> Ran {
        let url = self.server.to_str().expect("temporary paths are text");
        self.home.run(&self.dir, "git-boundary", &["hook", "run", "pre-push", "origin", url], lines.as_bytes())
    }

    /// Every ref of the remote.
    pub fn remote_refs(&self) -> Refs {
        refs_of(&self.home.plain(), &self.server)
    }

    /// Every ref of this clone.
    pub fn refs(&self) -> Refs {
        refs_of(&self.home, &self.dir)
    }

    /// Writes a file, with the directories above it.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.dir.join(path);
        std::fs::create_dir_all(path.parent().expect("a file lies in a directory")).expect("the work tree is writable");
        std::fs::write(path, text).expect("the work tree is writable");
    }

    /// Reads a file.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.dir.join(path)).unwrap_or_else(|error| panic!("{path} is readable: {error}"))
    }

    /// Writes files and commits them alone; gives the commit.
    #[track_caller]
    pub fn commit(&self, files: &[(&str, &str)]) -> String {
        for (path, text) in files {
            self.write(path, text);
            self.git(&format!("add -- {path}"));
        }
        self.git("commit -q -m work");
        self.head()
    }

    /// The commit of `HEAD`.
    #[track_caller]
    pub fn head(&self) -> String {
        self.git("rev-parse HEAD")
    }

    /// The full id of a revision.
    #[track_caller]
    pub fn oid(&self, rev: &str) -> String {
        self.git(&format!("rev-parse --verify {rev}"))
    }

    /// A file inside the git directory that all worktrees share.
    pub fn git_file(&self, name: &str) -> PathBuf {
        let common = self.git("rev-parse --git-common-dir");
        self.dir.join(Path::new(&common)).join(name)
    }
}
