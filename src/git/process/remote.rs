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

/// How to push.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PushOptions {
    /// All refs or none, where the server can.
    pub atomic: bool,
    /// `--force-with-lease=<ref>:<old>`, by the remote's full ref name; `None` means that there must be no such ref.
    pub leases: Vec<(String, Option<Oid>)>,
    /// Without the `pre-push` hook.
    pub no_verify: bool,
    /// `--push-option`, as servers understand them.
    pub push_options: Vec<String>,
    /// Questions.
    pub prompt: Prompt,
}

/// What a push did, ref by ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pushed {
    /// The refs in git's order.
    pub refs: Vec<PushRef>,
    /// What git, hooks and the server said. Untrusted text: escape before a terminal sees it.
    pub messages: String,
}

/// One ref of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushRef {
    /// Its full name at the remote.
    pub name: String,
    /// What became of it.
    pub status: PushStatus,
}

/// What became of one pushed ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushStatus {
    /// It was there already.
    UpToDate,
    /// Created, moved forward, forced or deleted, as asked.
    Done,
    /// The remote's ref has commits that the new value lacks, known here or not (`non-fast-forward`, `fetch first`).
    Behind,
    /// It is not where the lease said.
    Stale,
    /// Another push held or moved the ref at the same moment: try again.
    Raced,
    /// It went down with another ref of an atomic push.
    NotAtomic,
    /// The server, or its hook, refused. Untrusted text.
    Refused(String),
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

    /// `git push`: each refspec as git understands it. Refused refs are in the answer, not an error.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub fn push(&self, remote: &str, refspecs: &[String], options: &PushOptions) -> Result<Pushed, RemoteError> {
        self.require_remote(remote)?;
        let mut command = self.git(["push", "--porcelain"]);
        if options.atomic {
            command.args(["--atomic"]);
        }
        if options.no_verify {
            command.args(["--no-verify"]);
        }
        for (name, old) in &options.leases {
            command.args([format!("--force-with-lease={name}:{}", old.map(|oid| oid.hex()).unwrap_or_default())]);
        }
        for option in &options.push_options {
            command.args([format!("--push-option={option}")]);
        }
        command.args(["--", remote]).args(refspecs);
        self.forbid_prompts(&mut command, options.prompt);
        let output = command.output()?;
        let refs: Vec<PushRef> = output.lines().filter_map(|line| porcelain(&line)).collect();
        if refs.is_empty() && !output.status.success() {
            return Err(failure(remote, &output));
        }
        Ok(Pushed { refs, messages: output.message() })
    }

    /// `git fetch`; without refspecs, those configured. Leaves `FETCH_HEAD` alone.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub fn fetch(&self, remote: &str, refspecs: &[String], prompt: Prompt) -> Result<(), RemoteError> {
        self.require_remote(remote)?;
        let mut command = self.git(["fetch", "--quiet", "--no-write-fetch-head"]);
        if !refspecs.is_empty() {
            command.args(["--no-tags"]);
        }
        command.args(["--", remote]).args(refspecs);
        self.forbid_prompts(&mut command, prompt);
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
    fn require_remote(&self, remote: &str) -> Result<(), RemoteError> {
        let named = self.remotes().iter().any(|known| known == remote);
        let address = remote.contains([':', '/', '\\']) || self.environment().cwd().join(remote).exists();
        if named || (address && !remote.is_empty()) || self.common_dir().join("remotes").join(remote).is_file() {
            Ok(())
        } else {
            Err(RemoteError::Absent { remote: remote.to_owned() })
        }
    }

    fn forbid_prompts(&self, command: &mut GitCommand, prompt: Prompt) {
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

impl Pushed {
    /// Whether every ref is at the remote as asked.
    pub fn is_done(&self) -> bool {
        self.refs.iter().all(|found| matches!(found.status, PushStatus::Done | PushStatus::UpToDate))
    }
}

/// `<flag> TAB <from>:<to> TAB <summary> [(<reason>)]`
fn porcelain(line: &str) -> Option<PushRef> {
    let mut fields = line.splitn(3, '\t');
    let (flag, refs, summary) = (fields.next()?, fields.next()?, fields.next()?);
    let name = refs.rsplit_once(':')?.1.to_owned();
    let status = match flag {
        " " | "+" | "-" | "*" => PushStatus::Done,
        "=" => PushStatus::UpToDate,
        "!" => rejection(summary),
        _ => return None,
    };
    Some(PushRef { name, status })
}

fn rejection(summary: &str) -> PushStatus {
    let reason = summary.split_once(" (").map_or(summary, |(_, reason)| reason.strip_suffix(')').unwrap_or(reason));
    match reason {
        "fetch first" | "non-fast-forward" => PushStatus::Behind,
        "stale info" | "remote ref updated since checkout" => PushStatus::Stale,
        "atomic push failed" | "atomic push failure" | "atomic transaction failed" => PushStatus::NotAtomic,
        _ if reason.contains("cannot lock ref")
            || reason.contains("failed to update ref")
            || reason.contains("incorrect old value")
            || reason.contains("failed to lock") =>
        {
            PushStatus::Raced
        }
        _ => PushStatus::Refused(reason.to_owned()),
    }
}

fn failure(remote: &str, output: &GitOutput) -> RemoteError {
    let (remote, message) = (remote.to_owned(), output.message());
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
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
