//! Which remote is the other side, and sending it what was written.

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use crate::gather::base::Side;
use crate::git::{Head, Prompt, PushOptions, PushStatus, Pushed, RemoteError, Repository};
use crate::model::context::{Observation, ObservedBy};
use crate::model::id::Oid;
use crate::model::typed::typed_remote;
use crate::store::layout;

/// The remote that work is pushed to: `boundary.remote`, what git itself would push the current branch to, `origin`, or the only one.
///
/// # Errors
/// When git can't say which remotes there are.
pub fn default_remote(repository: &Repository) -> Result<Option<String>, AppError> {
    let remotes = repository.remotes();
    let mut wanted = vec![repository.config_string("boundary.remote")];
    if let Head::Branch { name, .. } = repository.head()? {
        let branch = name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned();
        wanted.push(repository.config_string(&format!("branch.{branch}.pushRemote")));
        wanted.push(repository.config_string("remote.pushDefault"));
        wanted.push(repository.config_string(&format!("branch.{branch}.remote")));
    }
    wanted.push(Some("origin".to_owned()));
    let found = wanted.into_iter().flatten().find(|name| remotes.contains(name));
    Ok(found.or_else(|| if remotes.len() == 1 { remotes.into_iter().next() } else { None }))
}

/// The other side as this clone knows it.
///
/// # Errors
/// As [`default_remote`].
pub fn side(repository: &Repository) -> Result<Side, AppError> {
    match default_remote(repository)? {
        Some(remote) => side_of(repository, &remote),
        None => Ok(Side::default()),
    }
}

/// The same of one remote.
///
/// # Errors
/// As [`asked`].
pub fn side_of(repository: &Repository, remote: &str) -> Result<Side, AppError> {
    let known = asked(repository, remote)?;
    Ok(Side { remote: Some(remote.to_owned()), known })
}

/// The remote's branches as it answers now, where `boundary.observe=remote` says to ask.
///
/// # Errors
/// When the remote doesn't answer, or the setting is another word.
pub fn asked(repository: &Repository, remote: &str) -> Result<Vec<Observation>, AppError> {
    match repository.config_string("boundary.observe").as_deref() {
        None | Some("tracking") => return Ok(Vec::new()),
        Some("remote") => {}
        Some(other) => {
            return Err(AppError::usage(
                format!("boundary.observe is {other:?}; it is \"tracking\" or \"remote\""),
                "git config boundary.observe remote",
            ));
        }
    }
    let heads = repository.ls_remote(remote, &["refs/heads/*"], Prompt::Never).map_err(crate::git::GitError::from)?;
    let observation = |(reference, oid)| Observation { by: ObservedBy::Remote, oid: Some(oid), reference };
    Ok(heads.refs.into_iter().map(observation).collect())
}

/// What became of sending what was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "published", rename_all = "snake_case")]
pub enum Published {
    /// It is there.
    Sent {
        /// The remote.
        remote: String,
    },
    /// The repository has no remote.
    NoRemote,
    /// Turned off by `--no-publish` or `boundary.publish=manual`.
    Off,
    /// It is only here yet.
    Failed {
        /// What to type.
        command: String,
        /// What git said.
        message: String,
        /// The remote.
        remote: String,
    },
}

/// Sends boundary refs to the remote, with the user's own git. Failing to is a warning, never a loss.
///
/// # Errors
/// When the repository itself can't be read.
pub fn publish(context: &Context, repository: &Repository, refs: &[String]) -> Result<Published, AppError> {
    let Some(remote) = default_remote(repository)? else { return Ok(Published::NoRemote) };
    if !publishes(context, repository) {
        return Ok(Published::Off);
    }
    let refspecs: Vec<String> = refs.iter().map(|name| format!("{name}:{name}")).collect();
    // Our own hook has nothing to say about boundary refs, and another's must not be run once more for them.
    let options = PushOptions { prompt: Prompt::IfTerminal, no_verify: true, ..PushOptions::default() };
    // A plain push of the same would be refused again where something is ahead there, or trust or policy wait too.
    let command = format!("git boundary sync {}", typed_remote(&remote));
    match repository.push(&remote, &refspecs, &options) {
        Ok(pushed) if pushed.is_done() => Ok(Published::Sent { remote }),
        Ok(pushed) => Ok(Published::Failed { command, message: rejections(&pushed), remote }),
        Err(error) => Ok(Published::Failed { command, message: error.to_string(), remote }),
    }
}

/// What became of a commit that was offered to the remote for one of its refs.
#[derive(Debug)]
pub enum Offered {
    /// It is there, or will have to be sent later.
    Told(Published),
    /// The ref has gone on there meanwhile; the remote's name.
    Overtaken(String),
}

/// Sends a commit to be the remote's value of a boundary ref, before the ref of this repository is at it.
///
/// # Errors
/// When the repository itself can't be read.
pub fn offer(context: &Context, repository: &Repository, reference: &str, commit: Oid) -> Result<Offered, AppError> {
    let Some(remote) = default_remote(repository)? else { return Ok(Offered::Told(Published::NoRemote)) };
    if !publishes(context, repository) {
        return Ok(Offered::Told(Published::Off));
    }
    let options = PushOptions { prompt: Prompt::IfTerminal, no_verify: true, ..PushOptions::default() };
    let command = format!("git boundary sync {}", typed_remote(&remote));
    let failed = |message: String, remote: String| Offered::Told(Published::Failed { command, message, remote });
    Ok(match repository.push(&remote, &[format!("{commit}:{reference}")], &options) {
        Ok(pushed) if pushed.is_done() => Offered::Told(Published::Sent { remote }),
        Ok(pushed) if pushed.refs.iter().any(|one| !matches!(one.status, PushStatus::Refused(_))) => {
            Offered::Overtaken(remote)
        }
        Ok(pushed) => failed(rejections(&pushed), remote),
        Err(RemoteError::Raced { .. }) => Offered::Overtaken(remote),
        Err(error) => failed(error.to_string(), remote),
    })
}

/// Whether what is written is sent to the remote at once.
pub fn publishes(context: &Context, repository: &Repository) -> bool {
    context.publish && repository.config_string("boundary.publish").is_none_or(|how| how != "manual")
}

/// What became of the refs that are not there.
fn rejections(pushed: &Pushed) -> String {
    let told: Vec<String> = pushed
        .refs
        .iter()
        .filter_map(|one| match &one.status {
            PushStatus::Done | PushStatus::UpToDate => None,
            PushStatus::Behind | PushStatus::Stale => Some(format!("{} is ahead at the remote", one.name)),
            PushStatus::Raced => Some(format!("{} was changed at the same moment", one.name)),
            PushStatus::NotAtomic => Some(format!("{} went down with another ref", one.name)),
            PushStatus::Refused(why) => Some(format!("{}: {why}", one.name)),
        })
        .collect();
    told.join("; ")
}

/// The refs that a recording changes, and those that readers need with it.
pub fn own_refs(repository: &Repository, registrar: &crate::model::id::KeyId) -> Vec<String> {
    let shared = [layout::TRUST, layout::TRUST_PENDING, layout::POLICY].map(str::to_owned);
    [layout::registrar_ref(registrar)]
        .into_iter()
        .chain(shared)
        .filter(|name| repository.find_ref(name).is_ok_and(|found| found.is_some()))
        .collect()
}
