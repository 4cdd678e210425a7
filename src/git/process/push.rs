//! Pushing, and what became of each ref, from git's porcelain lines.

use super::remote::{Prompt, RemoteError, failure};
use crate::git::repository::Repository;
use crate::model::id::Oid;

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

impl Repository {
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
