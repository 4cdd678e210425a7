//! Throw-away repositories made by the user's git, cut off from the machine's configuration.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::{Environment, Repository};
use crate::model::id::Oid;

/// A directory with a home and repositories in it, gone when dropped.
pub struct Sandbox {
    dir: tempfile::TempDir,
    /// The repository that commands run in.
    pub repo: PathBuf,
}

impl Sandbox {
    /// One repository with a checkout, on the unborn branch `main`.
    pub fn new() -> Self {
        Self::init(&[])
    }

    /// The same with more arguments for `git init`.
    pub fn init(args: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let root = dir.path().canonicalize().expect("it exists");
        let home = root.join("home");
        std::fs::create_dir(&home).expect("an empty directory takes one more");
        std::fs::write(
            home.join(".gitconfig"),
            "[user]\n\tname = A Tester\n\temail = tester@example.com\n[init]\n\tdefaultBranch = main\n\
             [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[advice]\n\tdetachedHead = false\n[protocol \"file\"]\n\tallow = always\n",
        )
        .expect("the home is writable");
        let repo = root.join("repo");
        let sandbox = Sandbox { dir, repo: repo.clone() };
        let mut all = vec!["init", "--quiet"];
        all.extend(args);
        let name = repo.to_str().expect("temporary paths are text").to_owned();
        all.push(&name);
        sandbox.git_in(&root, &all);
        sandbox
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().expect("it exists")
    }

    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let home = self.root().join("home");
        [
            ("HOME", home.into_os_string()),
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_CEILING_DIRECTORIES", self.root().into_os_string()),
            ("GIT_AUTHOR_DATE", "1750000000 +0000".into()),
            ("GIT_COMMITTER_DATE", "1750000000 +0000".into()),
        ]
        .into_iter()
        .map(|(name, value)| (name.into(), value))
        .collect()
    }

    /// What a command started at the top of the repository would see.
    pub fn environment(&self) -> Environment {
        Environment::new(&self.repo, self.variables())
    }

    pub fn open(&self) -> Repository {
        Repository::discover(&self.environment()).expect("the repository opens")
    }

    /// Runs git in the repository and gives its trimmed output; panics when it fails.
    pub fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.repo, args)
    }

    pub fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let output = self.run(dir, args, &[], b"");
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// git with more environment and input, and no opinion about its status.
    pub fn run(&self, dir: &Path, args: &[&str], env: &[(&str, &str)], input: &[u8]) -> Output {
        let mut command = Command::new("git");
        command.args(args).current_dir(dir).env_clear().envs(self.variables()).envs(env.iter().copied());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("git is installed");
        let mut stdin = child.stdin.take().expect("it was piped");
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, &input));
        let output = child.wait_with_output().expect("git ends");
        drop(feeder.join());
        output
    }

    /// git fed with input; gives its trimmed output.
    pub fn feed(&self, args: &[&str], input: impl AsRef<[u8]>) -> String {
        let output = self.run(&self.repo, args, &[], input.as_ref());
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub fn write(&self, path: &str, content: &str) {
        let path = self.repo.join(path);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("directories can be made");
        std::fs::write(path, content).expect("files can be written");
    }

    /// Writes files, adds everything and commits.
    pub fn commit(&self, files: &[(&str, &str)]) -> Oid {
        for (path, content) in files {
            self.write(path, content);
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", "a commit"]);
        self.rev("HEAD")
    }

    /// A commit made from plumbing: any tree, parents and time.
    pub fn commit_tree(&self, tree: &str, parents: &[Oid], time: i64) -> Oid {
        let mut args = vec!["commit-tree".to_owned(), tree.to_owned(), "-m".to_owned(), format!("at {time}")];
        for parent in parents {
            args.extend(["-p".to_owned(), parent.hex()]);
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let date = format!("@{time} +0000");
        let env = [("GIT_COMMITTER_DATE", date.as_str()), ("GIT_AUTHOR_DATE", date.as_str())];
        let output = self.run(&self.repo, &args, &env, b"");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().parse().expect("commit-tree prints an id")
    }

    pub fn blob(&self, content: &str) -> String {
        self.feed(&["hash-object", "-w", "--stdin"], content)
    }

    pub fn rev(&self, rev: &str) -> Oid {
        self.git(&["rev-parse", "--verify", rev]).parse().expect("rev-parse prints an id")
    }

    /// A repository opened elsewhere in the sandbox.
    pub fn open_at(&self, dir: &Path) -> Repository {
        Repository::discover(&self.environment().in_directory(dir)).expect("the repository opens")
    }
}
