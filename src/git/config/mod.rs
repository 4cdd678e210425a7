//! git's configuration, read in process; written by the user's git.
//!
//! Sources in rising precedence, as git has them: system, XDG, user, repository, worktree, environment (`git -c`).

mod parameters;
mod write;

use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice};
use gix::config::file::{Metadata, includes, init};
use gix::config::{File, Source};

pub use self::parameters::BadParameters;
use super::environment::Environment;
use super::repository::Repository;

/// Configuration that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that git's parser, too, would refuse, or an include that leads nowhere good.
    #[error("git configuration cannot be read: {defect}")]
    Unreadable {
        /// The file, where one is known, and what is wrong.
        defect: String,
    },
    /// `GIT_CONFIG_PARAMETERS` or `GIT_CONFIG_COUNT` and its company.
    #[error(transparent)]
    Parameters(#[from] BadParameters),
}

/// All configuration of one repository, merged.
#[derive(Debug, Clone)]
pub(super) struct Config {
    file: File,
    home: Option<PathBuf>,
}

impl Config {
    /// The repository's own file alone, without includes: git takes the format of a repository from nothing else.
    pub(super) fn repository_only(common_dir: &Path) -> Result<Self, ConfigError> {
        let path = common_dir.join("config");
        let file = read(path, Source::Local, false)?.unwrap_or_default();
        Ok(Config { file, home: None })
    }

    /// Everything.
    pub(super) fn load(
        environment: &Environment,
        git_dir: &Path,
        common_dir: &Path,
        worktree_config: bool,
        branch: Option<&gix::refs::FullNameRef>,
    ) -> Result<Self, ConfigError> {
        let mut file = global(environment)?;
        let mut append = |path: PathBuf, source| -> Result<(), ConfigError> {
            if let Some(more) = read(path, source, false)? {
                file.append(more).map_err(unreadable)?;
            }
            Ok(())
        };
        append(common_dir.join("config"), Source::Local)?;
        if worktree_config {
            append(git_dir.join("config.worktree"), Source::Worktree)?;
        }
        file.append(from_environment(environment)?).map_err(unreadable)?;
        finish(file, environment, Some(git_dir), branch)
    }

    /// What a repository cannot have set itself: system, user and environment. `safe.*` is believed from here only.
    pub(super) fn protected(environment: &Environment) -> Result<Self, ConfigError> {
        let mut file = global(environment)?;
        file.append(from_environment(environment)?).map_err(unreadable)?;
        finish(file, environment, None, None)
    }

    pub(super) fn string(&self, key: &str) -> Option<String> {
        self.file.string(key).map(|value| value.to_str_lossy().into_owned())
    }

    pub(super) fn strings(&self, key: &str) -> Vec<String> {
        self.raw_strings(key).into_iter().map(|value| value.to_str_lossy().into_owned()).collect()
    }

    pub(super) fn raw_strings(&self, key: &str) -> Vec<BString> {
        self.file.strings(key).unwrap_or_default()
    }

    pub(super) fn boolean(&self, key: &str) -> Option<bool> {
        self.file.boolean(key).ok().flatten()
    }

    pub(super) fn path(&self, key: &str) -> Option<PathBuf> {
        self.interpolate(self.file.path(key)?)
    }

    pub(super) fn paths(&self, key: &str) -> Vec<BString> {
        self.raw_strings(key)
    }

    /// `~`, `~user` expanded.
    pub(super) fn expand(&self, value: BString) -> Option<PathBuf> {
        self.interpolate(gix::config::Path::from(value))
    }

    /// Every `name` for which the section has `name.<section>.<key>`, such as the names of remotes; sorted.
    pub(super) fn subsections(&self, section: &str) -> Vec<String> {
        let mut names: Vec<String> = self
            .file
            .sections_by_name(section)
            .into_iter()
            .flatten()
            .filter_map(|found| found.header().subsection_name().map(|name| name.to_str_lossy().into_owned()))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// The section names of `prefix` in lower case, with their keys; for the list of extensions.
    pub(super) fn keys(&self, section: &str) -> Vec<String> {
        self.file
            .sections_by_name(section)
            .into_iter()
            .flatten()
            .flat_map(|found| found.value_names().map(|name| name.to_string().to_ascii_lowercase()).collect::<Vec<_>>())
            .collect()
    }

    fn interpolate(&self, path: gix::config::Path) -> Option<PathBuf> {
        let context = gix::config::path::interpolate::Context { home_dir: self.home.as_deref(), ..Default::default() };
        path.interpolate(context).ok()
    }
}

impl Repository {
    /// The last value of `section[.subsection].name`; `None` when unset or without a value.
    pub fn config_string(&self, key: &str) -> Option<String> {
        self.config().string(key)
    }

    /// All values of a key, lowest precedence first.
    pub fn config_strings(&self, key: &str) -> Vec<String> {
        self.config().strings(key)
    }

    /// A boolean as git reads it (`true`, `yes`, `on`, `1`, no value); `None` when unset or unreadable as one.
    pub fn config_bool(&self, key: &str) -> Option<bool> {
        self.config().boolean(key)
    }

    /// A path with `~` and `~user` expanded; relative ones stay relative.
    pub fn config_path(&self, key: &str) -> Option<PathBuf> {
        self.config().path(key)
    }
}

fn global(environment: &Environment) -> Result<File, ConfigError> {
    let mut file = File::new(Metadata::from(Source::Api));
    let mut variable = |name: &str| environment.var(name).map(ToOwned::to_owned);
    let mut seen = Vec::new();
    for source in [Source::System, Source::Git, Source::User] {
        let Some(path) = source.storage_location(&mut variable).filter(|path| !seen.contains(path)) else { continue };
        // git, too, goes on without a user's file that it may not read.
        if let Some(more) = read(path.clone(), source, true)? {
            file.append(more).map_err(unreadable)?;
        }
        seen.push(path);
    }
    Ok(file)
}

fn from_environment(environment: &Environment) -> Result<File, ConfigError> {
    let mut file = File::new(Metadata::from(Source::Cli));
    for parameter in parameters::parameters(environment)? {
        let bad = |defect| BadParameters { variable: format!("git -c {}", parameter.key), defect };
        let key = gix::config::KeyRef::parse_unvalidated(parameter.key.as_bstr())
            .ok_or_else(|| bad("its key does not contain a section"))?;
        // A section of its own for each, so that the order among different keys of one name is kept.
        file.new_section(key.section_name, key.subsection_name.map(ToOwned::to_owned))
            .and_then(|mut section| {
                section.push(key.value_name, parameter.value.as_ref().map(|v| v.as_bstr())).map(drop)
            })
            .map_err(|_| bad("its key is not a valid name"))?;
    }
    Ok(file)
}

fn read(path: PathBuf, source: Source, tolerant: bool) -> Result<Option<File>, ConfigError> {
    let options = init::Options { ignore_io_errors: tolerant, lossy: true, ..Default::default() };
    let meta = Metadata::from(source).at(path.clone());
    File::from_paths_metadata_buf(&mut std::iter::once(meta), &mut Vec::new(), false, options)
        .map_err(|err| ConfigError::Unreadable { defect: format!("{}: {err}", path.display()) })
}

fn finish(
    mut file: File,
    environment: &Environment,
    git_dir: Option<&Path>,
    branch: Option<&gix::refs::FullNameRef>,
) -> Result<Config, ConfigError> {
    let home = environment.var("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let interpolate = gix::config::path::interpolate::Context { home_dir: home.as_deref(), ..Default::default() };
    let conditional = includes::conditional::Context { git_dir, branch_name: branch };
    let mut includes = includes::Options::follow(interpolate, conditional);
    includes.err_on_missing_config_path = false;
    file.resolve_includes(init::Options { includes, lossy: true, ..Default::default() }).map_err(unreadable)?;
    Ok(Config { file, home })
}

fn unreadable(err: gix::Error) -> ConfigError {
    ConfigError::Unreadable { defect: err.to_string() }
}

#[cfg(test)]
mod tests;
