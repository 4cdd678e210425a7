//! Whose repository it is. A stranger's configuration could run a stranger's programs, so git refuses it, and so do we.

use std::path::{Path, PathBuf};

use gix::sec::Trust;

use super::OpenError;
use super::locate::Place;
use crate::git::config::Config;
use crate::git::environment::Environment;

/// Passes when we own every directory concerned, or `safe.directory` lists the repository.
pub(super) fn require_trust(place: &Place, environment: &Environment) -> Result<(), OpenError> {
    let owned = is_owned(place)?;
    let found_bare = !place.explicit && place.found_work_tree.is_none();
    if owned && !found_bare {
        return Ok(());
    }
    let config = Config::protected(environment)?;
    if found_bare && !is_dot_git(&place.git_dir) && config.string("safe.bareRepository").as_deref() == Some("explicit")
    {
        return Err(OpenError::BareRefused { path: place.git_dir.clone() });
    }
    if owned || candidates(place).iter().any(|path| is_listed(path, &config)) {
        return Ok(());
    }
    Err(OpenError::Untrusted { path: candidates(place).swap_remove(0) })
}

fn is_owned(place: &Place) -> Result<bool, OpenError> {
    let mut concerned: Vec<&Path> = vec![&place.git_dir, &place.common_dir];
    concerned.extend(place.gitfile.as_deref());
    concerned.extend(place.found_work_tree.as_deref().filter(|tree| tree.exists()));
    for path in concerned {
        let trust =
            Trust::from_path_ownership(path).map_err(|source| OpenError::Io { path: path.to_path_buf(), source })?;
        if trust != Trust::Full {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What `safe.directory` may name: the checkout first, as git's own message does, then the repository itself.
fn candidates(place: &Place) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = place.found_work_tree.clone().into_iter().collect();
    if paths.is_empty() && is_dot_git(&place.git_dir) {
        paths.extend(place.git_dir.parent().map(Path::to_path_buf));
    }
    paths.push(place.git_dir.clone());
    paths
}

fn is_dot_git(dir: &Path) -> bool {
    dir.file_name().is_some_and(|name| name == ".git")
}

/// git's rule: later entries win, an empty one forgets those before, `*` is everything, a trailing `/*` a prefix.
fn is_listed(path: &Path, config: &Config) -> bool {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let mut listed = false;
    for value in config.paths("safe.directory") {
        if value.is_empty() {
            listed = false;
        } else if value == "*" {
            listed = true;
        } else if let Some(named) = config.expand(value).filter(|named| named.is_absolute()) {
            listed |= match named.file_name() {
                Some(last) if last == "*" => named.parent().is_some_and(|parent| path.starts_with(real(parent))),
                _ => path == real(&named),
            };
        }
    }
    listed
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(path: &str, entries: &[&str]) -> bool {
        let mut environment = Environment::new("/", [])
            .with("GIT_CONFIG_NOSYSTEM", "1")
            .with("GIT_CONFIG_COUNT", entries.len().to_string());
        for (index, entry) in entries.iter().enumerate() {
            environment = environment
                .with(&format!("GIT_CONFIG_KEY_{index}"), "safe.directory")
                .with(&format!("GIT_CONFIG_VALUE_{index}"), *entry);
        }
        is_listed(Path::new(path), &Config::protected(&environment).unwrap())
    }

    #[test]
    fn safe_directory_is_matched_as_git_does() {
        assert!(listed("/srv/x.git", &["/srv/x.git"]));
        assert!(listed("/srv/x.git", &["*"]));
        assert!(listed("/srv/deep/x.git", &["/srv/*"]));
        assert!(!listed("/srv/x.git", &["/srv"]), "a parent directory is not the repository");
        assert!(!listed("/srv/x.git", &["srv/x.git"]), "relative entries name nothing");
        assert!(!listed("/srv/x.git", &["/srv/x.git", ""]), "an empty entry forgets those before it");
        assert!(listed("/srv/x.git", &["", "/srv/x.git"]));
        assert!(!listed("/srv/x.git", &[]));
    }
}
