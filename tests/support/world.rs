//! A world: one account, one bare server, one clone of it.

use tempfile::TempDir;

use super::base;
use super::home::{Home, words};
use super::server::Server;
use super::work::Work;

/// Gone when dropped.
#[derive(Debug)]
pub struct World {
    dir: TempDir,
    /// The account.
    pub home: Home,
    /// The bare server.
    pub server: Server,
    /// The clone that trust was made in.
    pub work: Work,
}

impl World {
    /// Trust with the owner `ada-l`, the actor `codex` and the checker `reviewer-bot`, each in its own domain; the starter policy; `main`
    /// with one commit, pushed and adopted as baseline. All of it made by the real command line.
    pub fn new() -> Self {
        let dir = temporary();
        base::copy_into(dir.path());
        Self::of(dir)
    }

    /// As [`World::new`], with a server that judges what it receives, and whose registrar `server` is listed in a domain of its own.
    pub fn guarded() -> Self {
        World::new().guard()
    }

    /// Puts a server's hooks into the server of this world.
    #[track_caller]
    pub fn guard(self) -> Self {
        self.listed_by("git boundary trust add '{key}' --role registrar --label server")
    }

    /// The same where it takes another root as well to list the server.
    #[track_caller]
    pub fn guard_with(self, root: &str) -> Self {
        self.listed_by(&format!(
            "git boundary trust add '{{key}}' --role registrar --label server && git boundary trust cosign --key {root}"
        ))
    }

    #[track_caller]
    fn listed_by(self, command: &str) -> Self {
        let line = format!("hook install --server --trust-root {} --json", self.trust_root());
        let installed = self.server.boundary(&line).ok().json();
        let key = installed["server"]["registrar_key"].as_str().expect("a server has a registrar").to_owned();
        self.work.sh(&command.replace("{key}", &key)).ok();
        self.work.git("fetch -q");
        self
    }

    /// A copy of the world in a directory, where nobody is at work now.
    pub fn copy_of(root: &std::path::Path) -> Self {
        let dir = temporary();
        base::copy_of(root, dir.path());
        Self::of(dir)
    }

    /// A server and a clone with one pushed commit, and nothing of ours yet.
    pub fn untouched() -> Self {
        Self::untouched_with("")
    }

    /// The same with more words for `git init`, such as `--object-format=sha256`.
    pub fn untouched_with(init: &str) -> Self {
        let dir = temporary();
        base::plain(dir.path(), init);
        Self::of(dir)
    }

    /// As [`World::new`], in a repository made with more words for `git init`.
    pub fn new_with(init: &str) -> Self {
        let world = Self::untouched_with(init);
        base::set_up(&world.work);
        world
    }

    /// As [`World::new`], made so many seconds after now, or before it.
    pub fn made_at(seconds: i64) -> Self {
        let world = Self::untouched();
        let work = &world.work;
        work.later(seconds).boundary("init --no-hooks").ok();
        work.boundary("hook install").ok();
        work.later(seconds).boundary("trust add codex --role actor --new-key").ok();
        work.later(seconds).boundary("trust add reviewer-bot --role checker --new-key").ok();
        world
    }

    fn of(dir: TempDir) -> Self {
        let root = dir.path().canonicalize().expect("it exists");
        let home = Home::at(&root);
        let server = Server::at(root.join("server.git"), home.clone());
        let work = Work::at(root.join("work"), home.clone(), root.join("server.git"));
        World { dir, home, server, work }
    }

    /// Another clone of the server, by the same account.
    #[track_caller]
    pub fn clone(&self, name: &str) -> Work {
        self.clone_with(name, "")
    }

    /// The same with more words for `git clone`.
    #[track_caller]
    pub fn clone_with(&self, name: &str, options: &str) -> Work {
        let root = self.root();
        let mut args = vec!["clone", "-q"];
        args.extend(words(options));
        // An address: from a bare path git would copy the repository whole, whatever depth is asked for.
        let address = format!("file://{}", self.server.dir.display());
        args.extend([address.as_str(), name]);
        self.home.run(&root, "git", &args, b"").ok();
        Work::at(root.join(name), self.home.clone(), self.server.dir.clone())
    }

    /// Another clone that has joined this world's trust, and fetched its receipts.
    #[track_caller]
    pub fn joined(&self, name: &str) -> Work {
        let clone = self.clone(name);
        clone.boundary(&format!("init --trust-root {}", self.trust_root())).ok();
        clone.git("fetch -q");
        clone
    }

    /// The pinned root.
    pub fn trust_root(&self) -> String {
        self.work.git("config boundary.trustRoot")
    }

    /// The directory of everything.
    pub fn root(&self) -> std::path::PathBuf {
        self.dir.path().canonicalize().expect("it exists")
    }
}

fn temporary() -> TempDir {
    tempfile::Builder::new().prefix("boundary-test-").tempdir().expect("a temporary directory")
}
