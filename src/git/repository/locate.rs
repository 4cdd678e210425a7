//! Where the repository is: `GIT_DIR`, or a search upwards from the current directory.

use std::path::{Path, PathBuf};

use gix::discover::repository::Kind;
use gix::discover::upwards;

use super::OpenError;
use crate::git::config::Config;
use crate::git::environment::Environment;

/// The directories of one repository, absolute.
#[derive(Debug)]
pub(in crate::git) struct Place {
    pub git_dir: PathBuf,
    pub common_dir: PathBuf,
    /// The checkout as found on the way; configuration and environment may say otherwise.
    pub found_work_tree: Option<PathBuf>,
    /// The `.git` file that led here, whose owner counts too.
    pub gitfile: Option<PathBuf>,
    /// Named by `GIT_DIR` and not searched for.
    pub explicit: bool,
}

pub(super) fn locate(environment: &Environment) -> Result<Place, OpenError> {
    match environment.path("GIT_DIR") {
        Some(named) => explicit(&named, environment),
        None => search(environment),
    }
}

impl Place {
    /// The checkout git would use: `GIT_WORK_TREE`, `core.worktree`, what the search found, or with `GIT_DIR` the
    /// current directory.
    pub(super) fn work_tree(&self, config: &Config, environment: &Environment) -> Option<PathBuf> {
        if let Some(named) = environment.path("GIT_WORK_TREE") {
            return Some(absolute(&named));
        }
        let linked = self.git_dir != self.common_dir;
        let bare = config.boolean("core.bare").unwrap_or(false) && !linked;
        if bare {
            return None;
        }
        if let Some(named) = config.path("core.worktree").filter(|_| !linked) {
            return Some(absolute(&self.git_dir.join(named)));
        }
        match &self.found_work_tree {
            Some(found) if !self.explicit || linked => Some(found.clone()),
            _ if self.explicit => (config.boolean("core.bare") != Some(true)
                && !inside(environment.cwd(), &self.git_dir))
            .then(|| absolute(environment.cwd())),
            _ => None,
        }
    }
}

fn explicit(named: &Path, environment: &Environment) -> Result<Place, OpenError> {
    let not_found = || OpenError::NotFound { path: named.to_path_buf() };
    let kind = gix::discover::is_git(named).map_err(|_| not_found())?;
    place(named.to_path_buf(), kind, environment, true).ok_or_else(not_found)
}

fn search(environment: &Environment) -> Result<Place, OpenError> {
    let cwd = environment.cwd();
    let ceilings = environment.var("GIT_CEILING_DIRECTORIES").map(ceiling_directories).unwrap_or_default();
    let options = upwards::Options {
        trust: upwards::TrustPolicy::Assume(gix::sec::Trust::Full),
        ceiling_dirs: ceilings.clone(),
        match_ceiling_dir_or_error: false,
        cross_fs: environment.flag("GIT_DISCOVERY_ACROSS_FILESYSTEM"),
        current_dir: Some(cwd),
        ..Default::default()
    };
    let not_found = || OpenError::NotFound { path: cwd.to_path_buf() };
    let (found, _) = gix::discover::upwards_opts(cwd, options).map_err(|_| not_found())?;
    let gitfile = match &found {
        gix::discover::repository::Path::LinkedWorkTree { work_dir, .. } => Some(work_dir.join(".git")),
        _ => None,
    };
    let (git_dir, work_tree) = found.into_repository_and_work_tree_directories();
    let top = absolute(&cwd.join(work_tree.as_ref().unwrap_or(&git_dir)));
    if ceilings.iter().any(|ceiling| is_behind(&top, ceiling, &absolute(cwd))) {
        return Err(not_found());
    }
    Ok(assemble(git_dir, work_tree, gitfile.filter(|file| file.is_file()), environment, false))
}

fn place(dir: PathBuf, kind: Kind, environment: &Environment, explicit: bool) -> Option<Place> {
    let gitfile = dir.is_file().then(|| dir.clone());
    let path = gix::discover::repository::Path::from_dot_git_dir(dir, kind, environment.cwd())?;
    let (git_dir, work_tree) = path.into_repository_and_work_tree_directories();
    Some(assemble(git_dir, work_tree, gitfile, environment, explicit))
}

fn assemble(
    git_dir: PathBuf,
    work_tree: Option<PathBuf>,
    gitfile: Option<PathBuf>,
    environment: &Environment,
    explicit: bool,
) -> Place {
    let git_dir = absolute(&environment.cwd().join(git_dir));
    let common_dir = environment.path("GIT_COMMON_DIR").map(|named| absolute(&named)).unwrap_or_else(|| {
        match gix::discover::path::from_plain_file(&git_dir.join("commondir")) {
            Some(Ok(common)) => absolute(&git_dir.join(common)),
            _ => git_dir.clone(),
        }
    });
    let found_work_tree = work_tree.map(|tree| absolute(&environment.cwd().join(tree)));
    Place { git_dir, common_dir, found_work_tree, gitfile, explicit }
}

/// Whether the way up from the current directory to `top` leads to a ceiling: git looks below one, and not into it.
fn is_behind(top: &Path, ceiling: &Path, cwd: &Path) -> bool {
    cwd != ceiling && cwd.starts_with(ceiling) && ceiling.starts_with(top)
}

/// git compares and prints real paths; one that does not exist yet stays as it is.
fn absolute(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

fn inside(path: &Path, dir: &Path) -> bool {
    absolute(path).starts_with(dir)
}

fn ceiling_directories(list: &std::ffi::OsStr) -> Vec<PathBuf> {
    std::env::split_paths(list).filter(|dir| dir.is_absolute()).map(|dir| absolute(&dir)).collect()
}
