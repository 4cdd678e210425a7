//! Where everything happens: a directory under `target/` with its own home, keys and configuration.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use git_boundary::cli::stream::Stream;
use git_boundary::crypto::{KeyEnvironment, Keyring, Signer};
use git_boundary::git::{Environment, Repository};
use git_boundary::model::time::Timestamp;

/// The surroundings of every process that is started here: nothing of the caller's own configuration or keys.
pub struct World {
    root: PathBuf,
    /// The program that is measured.
    pub binary: PathBuf,
}

impl World {
    /// A world in a directory, which is made.
    pub fn at(root: PathBuf, binary: PathBuf) -> Self {
        let world = World { root, binary };
        fs::create_dir_all(world.home()).expect("a directory under target/ can be made");
        let config = "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n\
                      [boundary]\n\tpublish = manual\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";
        fs::write(world.home().join(".gitconfig"), config).expect("the home can be written");
        world
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let home = self.home();
        let pairs: [(&str, OsString); 5] = [
            ("PATH", path),
            ("HOME", home.clone().into()),
            ("XDG_CONFIG_HOME", home.join(".config").into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("LC_ALL", "C".into()),
        ];
        pairs.into_iter().map(|(name, value)| (name.into(), value)).collect()
    }

    /// A process in a directory, with nothing inherited.
    pub fn command(&self, program: impl Into<OsString>, dir: &Path) -> Command {
        let mut command = Command::new(program.into());
        command.current_dir(dir).env_clear().envs(self.variables());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs git, which must succeed, and gives what it printed.
    pub fn git(&self, dir: &Path, args: &[&str]) -> String {
        self.git_with(dir, args, b"")
    }

    /// The same with standard input.
    pub fn git_with(&self, dir: &Path, args: &[&str], input: &[u8]) -> String {
        let mut child = self.command("git", dir).args(args).stdin(Stdio::piped()).spawn().expect("git is on the path");
        let mut stdin = child.stdin.take().expect("a pipe was asked for");
        stdin.write_all(input).expect("git reads its input");
        drop(stdin);
        let output = child.wait_with_output().expect("git can be waited for");
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("git prints text").trim_end().to_owned()
    }

    /// Opens a repository as the program would.
    pub fn open(&self, dir: &Path) -> Repository {
        Repository::discover(&self.environment(dir)).expect("the repository that was just made opens")
    }

    fn environment(&self, dir: &Path) -> Environment {
        Environment::new(dir, self.variables())
    }

    /// Runs a command of the library itself at a moment of the past, which no option of the program could set.
    pub fn boundary_at(&self, dir: &Path, now: Timestamp, args: &[&str]) {
        let world = git_boundary::cli::World {
            environment: self.environment(dir),
            now,
            stdin: Box::new(std::io::empty()),
            stdout: Stream::plain(std::io::sink()),
            stderr: Stream::plain(std::io::stderr()),
            is_process: false,
        };
        let words = std::iter::once("git-boundary").chain(args.iter().copied()).map(OsString::from);
        let exit = git_boundary::cli::run(words, world);
        assert_eq!(exit, git_boundary::cli::Exit::Ok, "git-boundary {args:?}");
    }

    /// A key of this world's home.
    pub fn key(&self, label: &str) -> Box<dyn Signer> {
        let variables = self.variables();
        let read = |name: &str| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        Keyring::from_env(&KeyEnvironment::read(&read)).find(label).expect("the key was made by set-up")
    }

    /// The file of a key.
    pub fn key_file(&self, label: &str) -> PathBuf {
        self.home().join(".config/git-boundary/keys").join(label)
    }
}

/// Copies a repository. Packs never change, so they are linked.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory under target/ can be made");
    for entry in fs::read_dir(from).expect("the repository can be listed") {
        let entry = entry.expect("the repository can be listed");
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let is_pack = from.ends_with("objects/pack");
        if entry.file_type().expect("its kind is known").is_dir() {
            copy(&source, &target);
        } else if is_pack {
            fs::hard_link(&source, &target).expect("packs can be linked within target/");
        } else {
            fs::copy(&source, &target).expect("files can be copied within target/");
        }
    }
}
