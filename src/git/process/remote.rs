//! Other repositories, reached by the user's git with the user's credentials.
//!
//! Outcomes are told apart by exit status and porcelain lines. Where git has only words (who is unreachable, and who lacks
//! credentials) they are read in the C locale, which is asked for.

use std::io::IsTerminal;

use super::{GitCommand, GitOutput, ProcessError};
use crate::git::repository::Repository;
use crate::model::id::Oid;

/// Whether git may ask a person for credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prompt {
    /// When standard input is a terminal.
    #[default]
    IfTerminal,
    /// Never: fail instead of waiting for an answer, as in a hook.
    Never,
}

/// A remote that gave no answer about refs.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// Nothing of this name is configured.
    #[error("there is no remote {remote:?}")]
    Absent {
        /// The name.
        remote: String,
    },
    /// It wants credentials that git could not get or that it does not accept.
    #[error("{remote} refused the credentials: {message}")]
    Unauthorized {
        /// Its name or address.
        remote: String,
        /// What git said. Untrusted text.
        message: String,
    },
    /// Explicitly named refs are not there.
    #[error("{remote} does not have a ref that was asked for: {message}")]
    AbsentRef {
        /// Its name or address.
        remote: String,
        /// What git said. Untrusted text.
        message: String,
    },
    /// It cannot push several refs as one.
    #[error("{remote} does not support atomic pushes")]
    NoAtomic {
        /// Its name or address.
        remote: String,
    },
    /// A ref, here or there, was held or moved by somebody else at the same moment: try again.
    #[error("a ref was changed by somebody else while {remote} was asked: {message}")]
    Raced {
        /// Its name or address.
        remote: String,
        /// What git said. Untrusted text.
        message: String,
    },
    /// It could not be reached, or is no repository.
    #[error("{remote} could not be reached: {message}")]
    Unreachable {
        /// Its name or address.
        remote: String,
        /// What git said. Untrusted text.
        message: String,
    },
    /// git stopped before it spoke to the remote, for instance because a `pre-push` hook said no.
    #[error("nothing was pushed to {remote}: {message}")]
    Stopped {
        /// Its name or address.
        remote: String,
        /// What git or the hook said. Untrusted text.
        message: String,
    },
    /// git itself.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

/// The refs of a remote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RemoteRefs {
    /// Full names and what they are at, in the remote's order; `HEAD` and peeled tags are left out.
    pub refs: Vec<(String, Oid)>,
    /// The branch its `HEAD` is on.
    pub head: Option<String>,
}

impl Repository {
    /// Names of the configured remotes, sorted.
    pub fn remotes(&self) -> Vec<String> {
        self.config().subsections("remote")
    }

    /// The address git would fetch from, `url.<base>.insteadOf` applied; `None` without such a remote.
    ///
    /// # Errors
    /// [`ProcessError`]
    pub fn remote_url(&self, remote: &str) -> Result<Option<String>, ProcessError> {
        if !self.remotes().iter().any(|known| known == remote) {
            return Ok(None);
        }
        let output = self.git_local(["remote", "get-url", "--", remote]).output()?;
        Ok(output.lines().next().filter(|_| output.status.success()))
    }

    /// `git fetch`; without refspecs, those configured. Leaves `FETCH_HEAD` alone.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub fn fetch(&self, remote: &str, refspecs: &[String], prompt: Prompt) -> Result<(), RemoteError> {
        self.fetch_with(remote, if refspecs.is_empty() { &[] } else { &["--no-tags"] }, refspecs, prompt)
    }

    /// `git fetch` of wildcard refspecs, and of nothing else: whatever is configured, the places they lead to hold afterwards what the
    /// remote has, and no more. Leaves `FETCH_HEAD` alone.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub fn fetch_exactly(&self, remote: &str, refspecs: &[String], prompt: Prompt) -> Result<(), RemoteError> {
        let mut options = vec!["--no-tags", "--prune", "--refmap=", "--no-recurse-submodules"];
        self.fetch_with(remote, &options, refspecs, prompt)?;
        // An ordinary fetch took these refs by the clone's filter; git then counts as here what it left out of them.
        if self.is_partial() && self.lacks_some_of(refspecs)? {
            options.push("--refetch");
            self.fetch_with(remote, &options, refspecs, prompt)?;
        }
        Ok(())
    }

    /// Whether an object is missing that belongs to what the refspecs fetched.
    fn lacks_some_of(&self, refspecs: &[String]) -> Result<bool, ProcessError> {
        let mut command = self.git_local(["rev-list", "--objects", "--no-object-names", "--missing=print"]);
        let places = refspecs.iter().filter_map(|spec| spec.split_once(':'));
        command.args(places.map(|(_, place)| format!("--glob={place}")));
        let output = command.output()?;
        Ok(!output.status.success() || output.lines().any(|line| line.starts_with('?')))
    }

    fn fetch_with(
        &self,
        remote: &str,
        options: &[&str],
        refspecs: &[String],
        prompt: Prompt,
    ) -> Result<(), RemoteError> {
        self.require_remote(remote)?;
        let mut command = self.git(["fetch", "--quiet", "--no-write-fetch-head"]);
        command.args(options);
        // Refs that are asked for by name are to be read here: a partial clone's filter is for the rest.
        if !refspecs.is_empty() && self.is_partial() {
            command.args(["--no-filter"]);
        }
        command.args(["--", remote]).args(refspecs);
        self.forbid_prompts(&mut command, prompt);
        let output = command.output()?;
        if output.status.success() { Ok(()) } else { Err(failure(remote, &output)) }
    }

    /// Lets this clone know which branch a remote's `HEAD` is on, where it does not. It is a convenience, and nothing is said where it fails.
    pub fn set_remote_head(&self, remote: &str, branch: &str) {
        let short = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        if self.remote_head(remote).is_ok_and(|known| known.is_none()) {
            drop(self.git_local(["remote", "set-head", "--", remote, short]).output());
        }
    }

    /// `git fetch` of refs or ids that gets so many commits more below where a shallow clone was cut, or all of them for `None`. Asks
    /// nobody. Leaves `FETCH_HEAD` alone.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub fn deepen(&self, remote: &str, wanted: &[String], more: Option<u32>) -> Result<(), RemoteError> {
        self.require_remote(remote)?;
        let depth = more.map_or_else(|| "--unshallow".to_owned(), |more| format!("--deepen={more}"));
        let mut command = self.git(["fetch", "--quiet", "--no-write-fetch-head", "--no-tags", &depth, "--", remote]);
        command.args(wanted);
        self.forbid_prompts(&mut command, Prompt::Never);
        let output = command.output()?;
        if output.status.success() { Ok(()) } else { Err(failure(remote, &output)) }
    }

    /// `git ls-remote`: the refs that match one of the patterns, or all.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub fn ls_remote(&self, remote: &str, patterns: &[&str], prompt: Prompt) -> Result<RemoteRefs, RemoteError> {
        self.require_remote(remote)?;
        let mut command = self.git(["ls-remote", "--quiet", "--symref", "--", remote]);
        command.args(patterns);
        self.forbid_prompts(&mut command, prompt);
        let output = command.output()?;
        if !output.status.success() {
            return Err(failure(remote, &output));
        }
        let mut found = RemoteRefs::default();
        for line in output.lines() {
            let (value, name) = line.split_once('\t').ok_or_else(|| output.unknown(&line))?;
            if let Some(target) = value.strip_prefix("ref: ") {
                if name == "HEAD" {
                    found.head = Some(target.to_owned());
                }
            } else if name.starts_with("refs/") && !name.ends_with("^{}") {
                found.refs.push((name.to_owned(), value.parse().map_err(|_| output.unknown(&line))?));
            }
        }
        Ok(found)
    }

    /// A name must be configured; an address or a path needs no configuration.
    pub(super) fn require_remote(&self, remote: &str) -> Result<(), RemoteError> {
        let named = self.remotes().iter().any(|known| known == remote);
        let address = remote.contains([':', '/', '\\']) || self.environment().cwd().join(remote).exists();
        if named || (address && !remote.is_empty()) || self.common_dir().join("remotes").join(remote).is_file() {
            Ok(())
        } else {
            Err(RemoteError::Absent { remote: remote.to_owned() })
        }
    }

    pub(super) fn forbid_prompts(&self, command: &mut GitCommand, prompt: Prompt) {
        if prompt == Prompt::IfTerminal && std::io::stdin().is_terminal() {
            return;
        }
        command.env("GIT_TERMINAL_PROMPT", "0").env("GCM_INTERACTIVE", "never").env("SSH_ASKPASS_REQUIRE", "never");
        let environment = self.environment();
        let own_ssh = environment.var("GIT_SSH_COMMAND").is_some()
            || environment.var("GIT_SSH").is_some()
            || self.config_string("core.sshCommand").is_some();
        if !own_ssh {
            command.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes");
        }
    }
}

pub(super) fn failure(remote: &str, output: &GitOutput) -> RemoteError {
    let (remote, message) = (remote.to_owned(), output.message());
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if says(&["cannot lock ref", "unable to update local ref", "not our ref"]) {
        return RemoteError::Raced { remote, message };
    }
    if output.status.code() == Some(1) {
        return RemoteError::Stopped { remote, message };
    }
    if says(&["does not support --atomic"]) {
        return RemoteError::NoAtomic { remote };
    }
    if says(&["couldn't find remote ref"]) {
        return RemoteError::AbsentRef { remote, message };
    }
    let denied = [
        "Authentication failed",
        "could not read Username",
        "could not read Password",
        "terminal prompts disabled",
        "Permission denied (",
        "returned error: 401",
        "returned error: 403",
        "Host key verification failed",
    ];
    if says(&denied) {
        RemoteError::Unauthorized { remote, message }
    } else {
        RemoteError::Unreachable { remote, message }
    }
}
