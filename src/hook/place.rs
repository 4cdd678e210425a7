//! Where git looks for hooks, and whose that directory is.

use std::path::{Path, PathBuf};

use super::by_hand;
use super::error::InstallError;
use super::file::real;
use super::managers::Manager;
use super::name::HookName;
use super::shim::{beside, quote_path};
use crate::git::{Environment, ProcessError, Repository};

/// The directory of hooks as one worktree sees it.
#[derive(Debug)]
pub(super) struct Place {
    /// Absolute, as git names it.
    pub directory: PathBuf,
    pub ground: Ground,
    /// `core.hooksPath`, where it is set.
    pub setting: Option<Setting>,
}

/// Whose a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    /// In the common directory of the repository.
    Repository,
    /// In a checkout, ignored by git: a folder that a manager keeps for itself.
    Ignored,
    /// In a checkout, where commits may carry it away.
    Shared,
    /// Anywhere else.
    Elsewhere,
}

/// A value of `core.hooksPath`.
#[derive(Debug)]
pub(super) struct Setting {
    pub value: String,
    /// In git's words: `local`, `global`, `system`, `worktree`, `command`.
    pub scope: String,
}

impl Place {
    pub(super) fn of(repo: &Repository) -> Result<Place, ProcessError> {
        let setting = setting(repo)?;
        let directory = match &setting {
            // git puts a slash and the name behind an empty value.
            Some(setting) if setting.value.is_empty() => PathBuf::from("/"),
            _ => repo.hooks_dir()?,
        };
        let ground = ground(repo, &directory)?;
        Ok(Place { directory, ground, setting })
    }

    /// Where git looks while `core.hooksPath` is not set.
    pub(super) fn usual(repo: &Repository) -> Result<Place, ProcessError> {
        let directory = repo.common_dir().join("hooks");
        Ok(Place { ground: ground(repo, &directory)?, directory, setting: None })
    }

    /// The hook as git would find it.
    pub(super) fn hook(&self, name: HookName) -> PathBuf {
        self.directory.join(name.as_str())
    }

    /// Name of the real directory, by which hooks find the one beside it.
    pub(super) fn directory_name(&self) -> String {
        real(&self.directory).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Where hooks can be kept that are no shell scripts.
    pub(super) fn beside(&self) -> PathBuf {
        real(&self.directory).with_file_name(beside(&self.directory_name()))
    }

    /// Whether files here are never anybody else's.
    pub(super) fn is_ours(&self) -> bool {
        matches!(self.ground, Ground::Repository | Ground::Ignored) && self.directory.is_dir()
    }

    /// Whether files may be written here, and if not, what to do instead.
    pub(super) fn require_writable(&self, repo: &Repository, name: HookName) -> Result<(), InstallError> {
        let path = self.hook(name);
        let line = || by_hand::line(name, std::fs::read(&path).ok().as_deref());
        let missing = !self.directory.exists();
        match self.ground {
            Ground::Repository | Ground::Ignored if self.directory.exists() && !self.directory.is_dir() => {
                Err(InstallError::Kind { path: self.directory.clone(), expected: "directory" })
            }
            Ground::Repository => Ok(()),
            Ground::Ignored | Ground::Shared if missing => Err(InstallError::Missing {
                hook: name,
                command: self.back_command(repo),
                directory: self.directory.clone(),
                manager: Manager::of_directory(&self.directory),
            }),
            Ground::Ignored => Ok(()),
            Ground::Shared => Err(InstallError::Shared { line: line(), path: path.clone() }),
            Ground::Elsewhere => Err(InstallError::Elsewhere {
                hook: name,
                directory: real(&self.directory),
                because: match &self.setting {
                    Some(setting) => format!("core.hooksPath in {} configuration", setting.scope),
                    None => "a link".to_owned(),
                },
                command: self.back_command(repo),
                line: line(),
            }),
        }
    }

    /// What makes git look into the repository again.
    fn back_command(&self, repo: &Repository) -> String {
        let own = match self.setting.as_ref().map(|setting| setting.scope.as_str()) {
            Some(scope @ ("local" | "worktree")) => return format!("git config --{scope} --unset-all core.hooksPath"),
            Some(_) => "hooks",
            // The usual name is taken by the link.
            None => "own-hooks",
        };
        format!("git config --local core.hooksPath {}", quote_path(&repo.common_dir().join(own)))
    }
}

/// All checkouts that share the repository, except this one, opened as from inside them.
pub(super) fn other_worktrees(repo: &Repository) -> Result<Vec<(PathBuf, Repository)>, ProcessError> {
    let others = worktrees(repo)?.into_iter().filter(|path| Some(path.as_path()) != repo.work_tree());
    Ok(others.filter_map(|path| Repository::discover(&inside(repo, &path)).ok().map(|opened| (path, opened))).collect())
}

fn inside(repo: &Repository, directory: &Path) -> Environment {
    let names_this_one = |name: &std::ffi::OsStr| NAMING.iter().any(|naming| name == *naming);
    let variables = repo.environment().variables().filter(|(name, _)| !names_this_one(name));
    Environment::new(directory, variables.map(|(name, value)| (name.to_owned(), value.to_owned())))
}

/// Variables that name one repository and would be wrong from inside another checkout.
const NAMING: [&str; 5] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"];

fn setting(repo: &Repository) -> Result<Option<Setting>, ProcessError> {
    let output = repo.git(["config", "--show-scope", "--null", "--get", "core.hooksPath"]).output()?;
    if !output.status.success() {
        return Ok(None);
    }
    let mut fields = output.stdout.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned());
    Ok(fields.next().zip(fields.next()).map(|(scope, value)| Setting { scope, value }))
}

fn ground(repo: &Repository, directory: &Path) -> Result<Ground, ProcessError> {
    let directory = real(directory);
    let deepest = |paths: Vec<PathBuf>| {
        let depth = |path: &PathBuf| path.components().count();
        paths.into_iter().map(|path| real(&path)).filter(|path| directory.starts_with(path)).max_by_key(depth)
    };
    let common = deepest(vec![repo.common_dir().to_owned()]);
    // A worktree may lie inside a bare repository, and a repository lies inside its worktree: the inner one counts.
    let Some(top) =
        deepest(worktrees(repo)?).filter(|top| common.as_ref().is_none_or(|common| top.starts_with(common)))
    else {
        return Ok(if common.is_some() { Ground::Repository } else { Ground::Elsewhere });
    };
    let mut command = repo.git(["check-ignore", "--quiet", "--"]);
    command.args([directory.join(HookName::PrePush.as_str())]).current_dir(&top);
    for name in NAMING {
        command.env_remove(name);
    }
    if repo.work_tree() == Some(&top) {
        command.env("GIT_DIR", repo.git_dir()).env("GIT_COMMON_DIR", repo.common_dir()).env("GIT_WORK_TREE", &top);
    }
    Ok(if command.output()?.status.success() { Ground::Ignored } else { Ground::Shared })
}

fn worktrees(repo: &Repository) -> Result<Vec<PathBuf>, ProcessError> {
    let output = repo.git(["worktree", "list", "--porcelain"]).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut found: Vec<PathBuf> = repo.work_tree().map(Path::to_owned).into_iter().collect();
    for entry in text.split("\n\n").filter(|entry| !entry.lines().any(|line| line == "bare")) {
        let path = entry.lines().next().and_then(|line| line.strip_prefix("worktree ")).map(PathBuf::from);
        // For a submodule, and for a separate directory, git names the repository itself.
        let known = |path: &PathBuf| path == repo.common_dir() || found.contains(path);
        found.extend(path.map(|path| real(&path)).filter(|path| !known(path)));
    }
    Ok(found)
}
