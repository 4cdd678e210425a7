//! What the process was started with, taken once and passed down, so that nothing below reads it again.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Current directory and environment variables, as git and its hooks hand them over.
///
/// `GIT_DIR`, `GIT_WORK_TREE`, `GIT_COMMON_DIR`, `GIT_OBJECT_DIRECTORY`, `GIT_ALTERNATE_OBJECT_DIRECTORIES`,
/// `GIT_QUARANTINE_PATH`, `GIT_CONFIG_*` and `HOME` decide what is opened; children get all of it.
#[derive(Debug, Clone)]
pub struct Environment {
    cwd: PathBuf,
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// From the running process. To be called once, where the command starts.
    ///
    /// # Errors
    /// When the current directory is gone or not readable.
    pub fn from_process() -> std::io::Result<Self> {
        Ok(Environment { cwd: std::env::current_dir()?, variables: std::env::vars_os().collect() })
    }

    /// From given parts; what is not in `variables` is not set.
    pub fn new(cwd: impl Into<PathBuf>, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Environment { cwd: cwd.into(), variables: variables.into_iter().collect() }
    }

    /// The same with one variable set.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// The same without some variables.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        self.variables.retain(|name, _| !names.iter().any(|other| name == other));
        self
    }

    /// The same, started in another directory.
    #[must_use]
    pub fn in_directory(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// The directory the command was started in.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// One variable; `None` when unset.
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// One variable that names a path, taken from the current directory when relative; empty counts as unset.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.var(name).filter(|value| !value.is_empty()).map(|value| self.cwd.join(value))
    }

    /// All variables, for a child process.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Whether a git hook inside a receiving quarantine started us: refs must not be written then.
    pub fn in_quarantine(&self) -> bool {
        self.var("GIT_QUARANTINE_PATH").is_some_and(|value| !value.is_empty())
    }

    /// The same without what a receiving quarantine adds: opens the repository as it is before the push is accepted.
    #[must_use]
    pub fn outside_quarantine(mut self) -> Self {
        if self.in_quarantine() {
            for name in ["GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"] {
                self.variables.remove(OsStr::new(name));
            }
        }
        self
    }

    /// A git boolean such as `GIT_CONFIG_NOSYSTEM`; unset and unreadable count as false.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.var(name)
            .and_then(|value| gix::config::Boolean::try_from(value.to_owned()).ok())
            .is_some_and(|value| value.0)
    }
}
