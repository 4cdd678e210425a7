//! Tests against the real ssh-keygen, ssh-add, ssh-agent and git. They are wanted on the machine, never skipped.

mod agent;
mod agent_hostile;
mod bytes;
mod ed25519;
mod key;
mod keyring;
mod keyring_names;
mod new_key;
mod passphrase;
mod private_file;
mod sshsig;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use super::{Asker, KeyEnvironment, Keyring};

pub(super) const PASSPHRASE: &str = "correct horse";

/// A throw-away home directory.
pub(super) struct Home(TempDir);

impl Home {
    pub(super) fn new() -> Self {
        Home(tempfile::tempdir().expect("a temporary directory can be made"))
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file with the given mode, and its directories.
    pub(super) fn write(&self, name: &str, bytes: impl AsRef<[u8]>, mode: u32) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().expect("it has a parent")).expect("directories can be made");
        fs::write(&path, bytes).expect("the file can be written");
        set_mode(&path, mode);
        path
    }

    /// Writes a shell script and makes it a program. Another process does it: a file that this one still had open for
    /// writing while some other test forks could not be run for a moment ("text file busy").
    pub(super) fn script(&self, name: &str, lines: &str) -> PathBuf {
        let (text, path) = (self.write(&format!("{name}.sh"), format!("#!/bin/sh\n{lines}"), 0o600), self.at(name));
        assert!(run(Command::new("install").args(["-m", "700"]).arg(text).arg(&path)).status.success());
        path
    }

    /// A key pair by ssh-keygen; `kind` as for `-t`. As few bits and rounds as it takes, for speed.
    pub(super) fn ssh_keygen(&self, name: &str, kind: &str, passphrase: &str) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().expect("it has a parent")).expect("directories can be made");
        let bits = if kind == "rsa" { "2048" } else { "256" };
        let made = run(Command::new("ssh-keygen")
            .args(["-q", "-t", kind, "-b", bits, "-a", "1", "-N", passphrase, "-C", "made by ssh-keygen", "-f"])
            .arg(&path));
        assert!(made.status.success(), "ssh-keygen makes a key: {made:?}");
        path
    }

    /// The environment of somebody who lives here, without agent, display or askpass.
    pub(super) fn environment(&self) -> KeyEnvironment {
        KeyEnvironment { home: Some(self.0.path().to_owned()), ..KeyEnvironment::default() }
    }

    /// Their keyring, which asks nothing.
    pub(super) fn keyring(&self) -> Keyring {
        Keyring { asker: Asker::silent(), ..Keyring::from_env(&self.environment()) }
    }

    /// The same with an agent.
    pub(super) fn keyring_with(&self, agent: &RunningAgent) -> Keyring {
        let environment = KeyEnvironment { ssh_auth_sock: Some(agent.socket.clone()), ..self.environment() };
        Keyring { asker: Asker::silent(), ..Keyring::from_env(&environment) }
    }
}

/// A real ssh-agent of our own, ended when dropped.
pub(super) struct RunningAgent {
    child: Child,
    pub(super) socket: PathBuf,
    _dir: TempDir,
}

impl RunningAgent {
    pub(super) fn start() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory can be made");
        let socket = dir.path().join("agent");
        let mut child = Command::new("ssh-agent")
            .args(["-D", "-s", "-a"])
            .arg(&socket)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("ssh-agent is installed (package openssh-client)");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output is piped");
        // It says where it listens once it does.
        BufReader::new(out).read_line(&mut line).expect("ssh-agent speaks");
        assert!(line.starts_with("SSH_AUTH_SOCK="), "ssh-agent says where it listens: {line:?}");
        RunningAgent { child, socket, _dir: dir }
    }

    pub(super) fn add(&self, key: &Path) {
        let added = run(Command::new("ssh-add").arg("-q").arg(key).env("SSH_AUTH_SOCK", &self.socket));
        assert!(added.status.success(), "ssh-add takes the key: {added:?}");
    }
}

impl Drop for RunningAgent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn run(command: &mut Command) -> Output {
    run_with(command, b"")
}

pub(super) fn run_with(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program is installed (packages openssh-client, git, util-linux)");
    child.stdin.take().expect("its input is piped").write_all(input).expect("it reads its input");
    child.wait_with_output().expect("it ends")
}

pub(super) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("modes can be set");
}

pub(super) fn mode_of(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
}

pub(super) fn text_of(path: &Path) -> String {
    fs::read_to_string(path).expect("it can be read")
}
