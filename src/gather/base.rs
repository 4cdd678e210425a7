//! SOURCE: where the base and other refs of the other side stand, as far as this clone can tell.

use super::error::GatherError;
use crate::git::Repository;
use crate::model::context::{Observation, ObservedBy};
use crate::model::id::Oid;

/// Whose refs are asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Side {
    /// The remote pushed to or verified against; `None` where the repository's own refs are the other side.
    pub remote: Option<String>,
    /// Values that git itself passed, or a command asked the remote for.
    pub known: Vec<Observation>,
}

impl Side {
    /// What is known of a ref: what git passed or the remote answered, else the remote-tracking ref, else, where the remote never had
    /// the ref, this clone's own branch.
    ///
    /// # Errors
    /// When refs can't be read.
    pub fn observe(&self, repository: &Repository, reference: &str) -> Result<Observation, GatherError> {
        if let Some(known) =
            self.known.iter().find(|known| known.reference == reference && known.oid.is_some_and(|oid| !oid.is_zero()))
        {
            return Ok(known.clone());
        }
        let tracking = self.remote.as_ref().and_then(|remote| tracking_ref(remote, reference));
        for name in tracking.iter().map(String::as_str).chain([reference]) {
            if let Some(oid) = repository.find_ref(name)? {
                return Ok(Observation { by: ObservedBy::Tracking, oid: Some(oid), reference: reference.to_owned() });
            }
        }
        Ok(Observation { by: ObservedBy::Tracking, oid: None, reference: reference.to_owned() })
    }
}

impl Side {
    /// What the other side is known to hold of a ref: what git passed, the remote answered, or the tracking ref says. This clone's own
    /// branch is the other side only where there is no remote; what lies on it has not been judged by anybody otherwise.
    ///
    /// # Errors
    /// When refs can't be read.
    pub fn held(&self, repository: &Repository, reference: &str) -> Result<Option<Oid>, GatherError> {
        let known = self.known.iter().filter(|known| known.reference == reference).find_map(known_commit);
        if known.is_some() {
            return Ok(known);
        }
        match &self.remote {
            None => Ok(repository.find_ref(reference)?),
            Some(remote) => match tracking_ref(remote, reference) {
                Some(name) => Ok(repository.find_ref(&name)?),
                None => Ok(None),
            },
        }
    }
}

/// The remote-tracking ref of a branch.
pub fn tracking_ref(remote: &str, reference: &str) -> Option<String> {
    Some(format!("refs/remotes/{remote}/{}", reference.strip_prefix("refs/heads/")?))
}

/// The branch that a remote-tracking ref follows: `refs/remotes/origin/x` is `refs/heads/x`.
pub fn tracked_branch(repository: &Repository, reference: &str) -> Option<(String, String)> {
    let rest = reference.strip_prefix("refs/remotes/")?;
    // Remote names may hold slashes, so the configured ones are tried first.
    for (place, _) in rest.match_indices('/').rev() {
        let (remote, branch) = (&rest[..place], &rest[place + 1..]);
        if repository.config_string(&format!("remote.{remote}.url")).is_some() {
            return Some((remote.to_owned(), format!("refs/heads/{branch}")));
        }
    }
    let (remote, branch) = rest.split_once('/')?;
    Some((remote.to_owned(), format!("refs/heads/{branch}")))
}

/// The branch that `adopts`, base without a handoff and `verify` fall back to: what the rules adopt first, else what the remote says,
/// else `main`, `master` or the checked-out branch, whichever is there.
///
/// # Errors
/// When refs can't be read.
pub fn default_branch(repository: &Repository, remote: Option<&str>) -> Result<String, GatherError> {
    if let Some(remote) = remote
        && let Some(head) = repository.remote_head(remote)?
    {
        let prefix = format!("refs/remotes/{remote}/");
        if let Some(branch) = head.strip_prefix(&prefix) {
            return Ok(format!("refs/heads/{branch}"));
        }
    }
    for name in ["refs/heads/main", "refs/heads/master"] {
        let tracked = remote.and_then(|remote| tracking_ref(remote, name));
        for candidate in tracked.iter().map(String::as_str).chain([name]) {
            if repository.find_ref(candidate)?.is_some() {
                return Ok(name.to_owned());
            }
        }
    }
    match repository.head()? {
        crate::git::Head::Branch { name, .. } => Ok(name),
        crate::git::Head::Detached(_) => Ok("refs/heads/main".to_owned()),
    }
}

/// The commit of an observation, if it is known, not zero and here.
pub fn known_commit(observation: &Observation) -> Option<Oid> {
    observation.oid.filter(|oid| !oid.is_zero())
}
