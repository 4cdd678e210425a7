//! Two histories of trust or policy.

use crate::app::error::AppError;
use crate::app::remote;
use crate::gather::GatherError;
use crate::git::Repository;
use crate::store::error::ChainDefect;
use crate::store::{LocalState, StoreError, layout};

/// Where a chain here and the one at the remote are two histories, as when two owners signed while they could not hear of each other: the
/// way to go on with the remote's. Which of them is right, only people can say.
pub(super) fn two(repository: &Repository, error: &AppError) -> Result<Option<String>, AppError> {
    let (AppError::Gather(GatherError::Store(StoreError::Chain { defect: ChainDefect::Forked { .. }, reference }))
    | AppError::Store(StoreError::Chain { defect: ChainDefect::Forked { .. }, reference })) = error
    else {
        return Ok(None);
    };
    let name = if reference.ends_with("/policy") { layout::POLICY } else { layout::TRUST };
    let Some(remote) = remote::default_remote(repository)? else { return Ok(None) };
    let tracking = layout::tracking(&remote, name).expect("it is a boundary ref");
    let here = (repository.find_ref(name)?, repository.find_ref(&tracking)?);
    let (Some(_), Some(_)) = here else { return Ok(None) };
    let aside = name.replace(layout::BOUNDARY, layout::ASIDE);
    let seen = LocalState::of(repository).seen_path(name.trim_start_matches(layout::BOUNDARY));
    let (seen, tracking) = (quoted(&seen.to_string_lossy()), quoted(&tracking));
    Ok(Some(format!("git update-ref {aside} {name} && git update-ref {name} {tracking} && rm -f {seen}")))
}

/// One word for a shell.
fn quoted(text: &str) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "/._-+@:".contains(it);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
