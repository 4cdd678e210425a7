//! Putting hooks where git runs them, beside what is there, and taking them out again.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::error::InstallError;
use super::file;
use super::managers::Manager;
use super::name::HookName;
use super::place::Place;
use super::plan::{self, Change, Step, Terms};
use super::shim::Variant;
use super::status::{lossy, lossy_all};
use crate::git::Repository;

/// The key that says which hooks were installed, so that their loss is noticed.
pub(super) const INSTALLED_KEY: &str = "boundary.hook";

/// What to install.
#[derive(Debug, Clone)]
pub struct InstallOptions {
    /// `pre-receive` and `post-receive` instead of `pre-push`.
    pub server: bool,
    /// The absolute path of the running binary, which the hooks try first: a window program's PATH may lack it.
    pub binary: PathBuf,
}

/// What is in place after an installation.
#[derive(Debug, Clone, Serialize)]
pub struct Installed {
    /// Where git looks for hooks.
    #[serde(serialize_with = "lossy")]
    pub directory: PathBuf,
    /// One for each hook asked for.
    pub hooks: Vec<InstalledHook>,
}

/// One hook in place.
#[derive(Debug, Clone, Serialize)]
pub struct InstalledHook {
    /// Which.
    pub name: HookName,
    /// The file that starts us: the hook, or what a hook manager runs from it.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// In which way.
    pub how: How,
    /// Whether anything was written this time.
    pub changed: bool,
    /// The manager that made the hook git starts.
    pub manager: Option<Manager>,
    /// A sentence on when ours will be lost and what to do about it, where the manager writes that file anew.
    pub caution: Option<String>,
}

/// How a hook of ours and one of others live together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Nothing else was there.
    Own,
    /// Ours are the first lines of a shell script that was there.
    Ahead,
    /// Another hook was there; it is kept in a directory beside and started by ours, with the same input.
    Beside,
    /// People added the line themselves.
    ByHand,
}

/// What is gone after a removal.
#[derive(Debug, Clone, Serialize)]
pub struct Uninstalled {
    /// Files that are as they were, or gone if they were not there.
    #[serde(serialize_with = "lossy_all")]
    pub restored: Vec<PathBuf>,
    /// Hooks that still start git-boundary by a line somebody added by hand.
    #[serde(serialize_with = "lossy_all")]
    pub by_hand: Vec<PathBuf>,
}

/// Installs the hooks of a clone or of a server where git will run them, replacing none.
///
/// A second time changes nothing. All hooks are checked before the first is written (contract, section 11).
///
/// # Errors
/// [`InstallError`], which says what to do instead where git's place for hooks is not ours to write in.
pub fn install(repo: &Repository, options: &InstallOptions) -> Result<Installed, InstallError> {
    require_binary(&options.binary)?;
    let place = Place::of(repo)?;
    let shared = shared_with_group(repo);
    let terms = Terms { place: &place, binary: &options.binary, mode: if shared { 0o775 } else { 0o755 } };
    let mut steps = Vec::new();
    for name in HookName::of(options.server) {
        let path = place.hook(*name);
        let by_hand = place.directory.is_dir() && plan::stands_by_hand(&place, *name, &path, &file::Found::at(&path)?)?;
        if !by_hand {
            place.require_writable(repo, *name)?;
        }
        steps.push((*name, terms.install(*name)?));
    }
    let mut hooks = Vec::new();
    for (name, step) in steps {
        let changed = step.change.is_some();
        let caution = step.manager.filter(|_| step.how == How::Ahead).and_then(|manager| manager.caution(name));
        apply(&step, shared)?;
        repo.add_config_local(INSTALLED_KEY, name.as_str())?;
        hooks.push(InstalledHook { name, path: step.path, how: step.how, changed, manager: step.manager, caution });
    }
    Ok(Installed { directory: place.directory, hooks })
}

/// Takes all our hooks out and gives every file back as it was, byte for byte and with its mode.
///
/// # Errors
/// [`InstallError::Torn`] and [`InstallError::Edited`] where that cannot be done safely.
pub fn uninstall(repo: &Repository) -> Result<Uninstalled, InstallError> {
    let place = Place::of(repo)?;
    let mut done = Uninstalled { restored: Vec::new(), by_hand: Vec::new() };
    let mut steps = Vec::new();
    for name in HookName::ALL {
        let path = place.hook(name);
        if place.directory.is_dir() && plan::stands_by_hand(&place, name, &path, &file::Found::at(&path)?)? {
            done.by_hand.push(path);
        }
    }
    // Git may have looked at the usual place when the hooks were installed.
    let usual = Some(Place::usual(repo)?).filter(|usual| usual.directory != place.directory);
    let places: Vec<&Place> =
        [Some(&place), usual.as_ref()].into_iter().flatten().filter(|one| one.is_ours()).collect();
    for place in &places {
        for name in HookName::ALL {
            steps.extend(plan::uninstall(place, name)?);
        }
    }
    for step in steps {
        apply(&step, false)?;
        done.restored.push(step.path);
    }
    for place in places {
        // Only when it is empty, and it may not be there.
        drop(fs::remove_dir(place.beside()));
    }
    repo.unset_config_local(INSTALLED_KEY, None)?;
    Ok(done)
}

fn apply(step: &Step, shared: bool) -> Result<(), InstallError> {
    let path = &step.path;
    match &step.change {
        None => Ok(()),
        Some(Change::Write { content, mode, keep }) => {
            if let Some(directory) = path.parent() {
                file::make_directory(directory, shared)?;
            }
            if let Some(kept) = keep {
                kept.parent().map_or(Ok(()), |directory| file::make_directory(directory, shared))?;
                file::keep(path, kept)?;
            }
            file::write(path, content, *mode)
        }
        Some(Change::Remove) => fs::remove_file(path).map_err(|source| file::failed("remove", path, source)),
        Some(Change::Restore(kept)) => fs::rename(kept, path).map_err(|source| file::failed("write", path, source)),
    }
}

fn require_binary(path: &Path) -> Result<(), InstallError> {
    let defect = if !path.is_absolute() {
        "its path is not absolute"
    } else if path.to_string_lossy().contains(['\n', '\r']) {
        "its path has a line break in it"
    } else if !path.is_file() || !file::is_executable(path) {
        "it is no executable file"
    } else {
        return Ok(());
    };
    Err(InstallError::Binary { path: path.to_owned(), defect })
}

/// `core.sharedRepository`, as far as it matters to files that all may read in any case.
fn shared_with_group(repo: &Repository) -> bool {
    match repo.config_string("core.sharedRepository").as_deref() {
        None | Some("umask" | "false" | "0" | "no" | "off") => false,
        Some("" | "group" | "true" | "1" | "yes" | "on" | "all" | "world" | "everybody" | "2") => true,
        Some(octal) => u32::from_str_radix(octal, 8).is_ok_and(|mode| mode & 0o020 != 0),
    }
}

impl From<&Variant> for How {
    fn from(variant: &Variant) -> How {
        match variant {
            Variant::Own => How::Own,
            Variant::Within => How::Ahead,
            Variant::Beside(_) => How::Beside,
        }
    }
}
