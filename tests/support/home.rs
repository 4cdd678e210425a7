//! One user's account: a home, keys, and an environment that nothing of the machine leaks into.

use std::cell::Cell;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use super::ran::Ran;

/// The first second of committers' clocks; each command comes a minute after the one before.
const FIRST_SECOND: u64 = 1_760_000_000;

/// An account. Clones of it are the same account.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
    tick: Rc<Cell<u64>>,
    more: Rc<Vec<(String, OsString)>>,
}

impl Home {
    /// Makes the account's files under `root`.
    pub fn create(root: &Path) -> Self {
        for dir in ["home/.config", "bin", "tmp"] {
            std::fs::create_dir_all(root.join(dir)).expect("an empty directory takes more");
        }
        std::fs::write(
            root.join("home/.gitconfig"),
            "[user]\n\tname = Ada L\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n\
             [maintenance]\n\tauto = false\n[protocol \"file\"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n",
        )
        .expect("the home is writable");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_git-boundary"), root.join("bin/git-boundary"))
            .expect("the directory is empty");
        Home::at(root)
    }

    /// The account whose files are under `root`.
    pub fn at(root: &Path) -> Self {
        Home { root: root.to_owned(), tick: Rc::new(Cell::new(0)), more: Rc::default() }
    }

    /// The same account with one more variable in its environment, or another value of one.
    pub fn with(&self, name: &str, value: impl Into<OsString>) -> Self {
        let mut more = (*self.more).clone();
        more.push((name.to_owned(), value.into()));
        Home { more: Rc::new(more), ..self.clone() }
    }

    /// The same account without any of those.
    pub fn plain(&self) -> Self {
        Home { more: Rc::default(), ..self.clone() }
    }

    /// Everything that a command sees of its environment.
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut dirs = vec![self.root.join("bin")];
        dirs.extend(std::env::split_paths(&path));
        self.tick.set(self.tick.get() + 60);
        let date = format!("{} +0000", FIRST_SECOND + self.tick.get());
        let under = |name: &str| self.root.join(name).into_os_string();
        [
            ("HOME", under("home")),
            ("XDG_CONFIG_HOME", under("home/.config")),
            ("TMPDIR", under("tmp")),
            ("PATH", std::env::join_paths(dirs).expect("paths of the machine have no separator in them")),
            ("LC_ALL", "C".into()),
            ("TZ", "UTC".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_CEILING_DIRECTORIES", self.root.clone().into_os_string()),
            ("GIT_TERMINAL_PROMPT", "0".into()),
            ("GIT_EDITOR", "true".into()),
            ("GIT_AUTHOR_DATE", date.clone().into()),
            ("GIT_COMMITTER_DATE", date.into()),
        ]
        .into_iter()
        .map(|(name, value)| (name.into(), value))
        .chain(self.more.iter().map(|(name, value)| (name.into(), value.clone())))
        .collect()
    }

    /// A command in this account and no other environment.
    pub fn command(&self, dir: &Path, program: &str) -> Command {
        let variables = self.variables();
        let mut command = Command::new(program);
        command.current_dir(dir).env_clear().envs(variables).stdin(Stdio::null());
        command
    }

    /// Runs a program to its end.
    #[track_caller]
    pub fn run<S: AsRef<str>>(&self, dir: &Path, program: &str, args: &[S], stdin: &[u8]) -> Ran {
        self.run_with(dir, program, args, stdin, &[])
    }

    /// The same with more variables.
    #[track_caller]
    pub fn run_with<S: AsRef<str>>(
        &self,
        dir: &Path,
        program: &str,
        args: &[S],
        stdin: &[u8],
        more: &[(&str, OsString)],
    ) -> Ran {
        let mut command = self.command(dir, program);
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
        command.args(&args).envs(more.iter().map(|(name, value)| (*name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{program} starts: {error}"));
        // A program that reads nothing closes its end early, which is no failure of the test.
        let _ = child.stdin.take().expect("it is piped").write_all(stdin);
        let output = child.wait_with_output().expect("it ends");
        Ran {
            what: format!("{program} {}", args.join(" ")),
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The directory of everything that belongs to this account.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a key made by the program lies.
    pub fn key_path(&self, label: &str) -> PathBuf {
        self.root.join("home/.config/git-boundary/keys").join(label)
    }
}

/// The words of a command line that needs no quoting.
pub fn words(line: &str) -> Vec<&str> {
    line.split_ascii_whitespace().collect()
}
