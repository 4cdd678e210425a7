//! The user's git, started for what it owns: network, credentials, configuration files, worktrees, other ref stores.

mod push;
mod remote;
mod worktree;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

pub use self::push::{PushOptions, PushRef, PushStatus, Pushed};
pub use self::remote::{Prompt, RemoteError, RemoteRefs};
use super::repository::Repository;

/// git could not be started, or said no.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// No git on the path, no memory, no permission.
    #[error("{command} could not be run: {source}")]
    Start {
        /// The command line, for people.
        command: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// git ended with another status than 0.
    #[error("{command} failed ({status}): {message}")]
    Failed {
        /// The command line, for people.
        command: String,
        /// Its exit status.
        status: ExitStatus,
        /// Its standard error, trimmed. Untrusted text: escape before a terminal sees it.
        message: String,
    },
    /// git answered in a form that is not known here.
    #[error("{command} answered in an unknown form: {line:?}")]
    Answer {
        /// The command line, for people.
        command: String,
        /// The line at fault.
        line: String,
    },
}

/// One git command about to be run in the environment the repository was opened in.
#[derive(Debug)]
pub struct GitCommand {
    command: Command,
    shown: String,
    input: Option<Vec<u8>>,
}

/// How a git command ended.
#[derive(Debug)]
pub struct GitOutput {
    /// Its exit status.
    pub status: ExitStatus,
    /// All of its standard output.
    pub stdout: Vec<u8>,
    /// All of its standard error.
    pub stderr: Vec<u8>,
    shown: String,
}

impl Repository {
    /// A git command on this repository: same directory and environment, messages in English, replace refs off.
    pub fn git<I, S>(&self, args: I) -> GitCommand
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let environment = self.environment();
        let mut command = Command::new("git");
        command.env_clear().envs(environment.variables()).current_dir(environment.cwd());
        command.env("LC_ALL", "C").env_remove("LANGUAGE").env("GIT_NO_REPLACE_OBJECTS", "1");
        let mut command = GitCommand { command, shown: "git".to_owned(), input: None };
        command.args(args);
        command
    }

    /// Like [`Self::git`], for what must not go to the network by itself in a partial clone.
    pub(super) fn git_local<I, S>(&self, args: I) -> GitCommand
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut command = self.git(args);
        command.env("GIT_NO_LAZY_FETCH", "1");
        command
    }
}

impl GitCommand {
    /// More arguments.
    pub fn args<I, S>(&mut self, args: I) -> &mut Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        for arg in args {
            self.shown.push(' ');
            self.shown.push_str(&arg.as_ref().to_string_lossy());
            self.command.arg(arg);
        }
        self
    }

    /// One more environment variable.
    pub fn env(&mut self, name: &str, value: impl Into<OsString>) -> &mut Self {
        self.command.env(name, value.into());
        self
    }

    /// One environment variable less.
    pub fn env_remove(&mut self, name: &str) -> &mut Self {
        self.command.env_remove(name);
        self
    }

    /// Another directory to run in.
    pub fn current_dir(&mut self, dir: &Path) -> &mut Self {
        self.command.current_dir(dir);
        self
    }

    /// What git reads on its standard input; nothing otherwise.
    pub fn input(&mut self, bytes: Vec<u8>) -> &mut Self {
        self.input = Some(bytes);
        self
    }

    /// The command line as people would type it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// Only when it cannot be started; its own failure is in the status.
    pub fn output(&mut self) -> Result<GitOutput, ProcessError> {
        let shown = self.shown.clone();
        let failed = |source| ProcessError::Start { command: shown.clone(), source };
        let input = self.input.take();
        self.command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().map_err(failed)?;
        let feeder = input.zip(child.stdin.take()).map(|(bytes, mut pipe)| {
            // A thread of its own: git may fill its output before it has read all input.
            std::thread::spawn(move || pipe.write_all(&bytes))
        });
        let output = child.wait_with_output().map_err(failed)?;
        if let Some(feeder) = feeder {
            // A git that ended early closes the pipe; its status says why.
            drop(feeder.join());
        }
        Ok(GitOutput { status: output.status, stdout: output.stdout, stderr: output.stderr, shown })
    }

    /// Runs it and takes its standard output.
    ///
    /// # Errors
    /// [`ProcessError::Start`], or [`ProcessError::Failed`] for any status but 0.
    pub fn run(&mut self) -> Result<Vec<u8>, ProcessError> {
        self.output()?.success()
    }
}

impl GitOutput {
    /// The standard output of a git that ended with 0.
    ///
    /// # Errors
    /// [`ProcessError::Failed`] with its standard error.
    pub fn success(self) -> Result<Vec<u8>, ProcessError> {
        if self.status.success() { Ok(self.stdout) } else { Err(self.failure()) }
    }

    /// This end, as an error.
    pub fn failure(&self) -> ProcessError {
        ProcessError::Failed { command: self.shown.clone(), status: self.status, message: self.message() }
    }

    /// Standard error as text, trimmed.
    pub fn message(&self) -> String {
        String::from_utf8_lossy(&self.stderr).trim().to_owned()
    }

    pub(super) fn unknown(&self, line: impl Into<String>) -> ProcessError {
        ProcessError::Answer { command: self.shown.clone(), line: line.into() }
    }

    /// Standard output as lines of text.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.stdout
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| String::from_utf8_lossy(line).into_owned())
    }
}

#[cfg(test)]
mod tests;
