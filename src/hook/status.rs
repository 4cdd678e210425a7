//! Whether git would run ours, and if not, why and what to do.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::edit::runs_before;
use super::error::InstallError;
use super::file::{Found, Script, is_executable};
use super::install::INSTALLED_KEY;
use super::managers::Manager;
use super::name::HookName;
use super::place::{Place, other_worktrees};
use super::shim::{self, Block, Variant};
use super::{by_hand, plan};
use crate::git::Repository;

/// The hooks of a repository, as the present checkout and the others would run them.
#[derive(Debug, Clone, Serialize)]
pub struct HookStatus {
    /// Whether there is no checkout.
    pub bare: bool,
    /// Where git looks for hooks here.
    #[serde(serialize_with = "lossy")]
    pub directory: PathBuf,
    /// The value of `core.hooksPath`, where it is set.
    pub hooks_path: Option<String>,
    /// All three, in the order of [`HookName::ALL`].
    pub hooks: Vec<OneHook>,
    /// Linked worktrees for which git looks elsewhere, because `core.hooksPath` is relative or set for each.
    pub worktrees: Vec<WorktreeHooks>,
}

/// The hooks of another checkout of the same repository.
#[derive(Debug, Clone, Serialize)]
pub struct WorktreeHooks {
    /// Its top.
    #[serde(serialize_with = "lossy")]
    pub worktree: PathBuf,
    /// Where git looks for hooks there.
    #[serde(serialize_with = "lossy")]
    pub directory: PathBuf,
    /// All three.
    pub hooks: Vec<OneHook>,
}

/// One hook.
#[derive(Debug, Clone, Serialize)]
pub struct OneHook {
    /// Which.
    pub name: HookName,
    /// The file git would start.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// Whether it was installed once and not uninstalled since.
    pub wanted: bool,
    /// How it stands.
    pub state: HookState,
    /// The manager that made the file git would start.
    pub manager: Option<Manager>,
    /// The binary the hook tries first.
    #[serde(serialize_with = "lossy_option")]
    pub recorded: Option<PathBuf>,
    /// A sentence with the command, where something is to be done.
    pub remedy: Option<String>,
    /// What to type, as it stands, where that mends it.
    pub command: Option<String>,
}

/// Whether git would run ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookState {
    /// It would, first of all.
    Installed,
    /// It would, by a line that somebody added.
    ByHand,
    /// It would, after other lines, which may have read the list of refs already.
    AfterOthers,
    /// It would, by a line somebody added, but the hook goes on after a refusal.
    Unheeded,
    /// It would, by PATH alone: the recorded binary is gone. A window program may refuse every push.
    BinaryMoved,
    /// It would, and every push is refused, because there is no binary.
    BinaryMissing,
    /// It would, but the hook that was there before is gone from where it was kept.
    KeptMissing,
    /// It would with an older git; a newer one may start no hook of this name, because `hook.<name>.enabled` is false.
    SwitchedOff,
    /// Never installed.
    NotInstalled,
    /// Installed once; now the file, or what git looks at, is another.
    Overwritten,
    /// git passes over a file that it may not execute.
    NotExecutable,
    /// Our lines are in pieces.
    Torn,
    /// Something that is no file.
    NotAFile,
}

impl HookState {
    /// Whether git would start our hook at all.
    pub fn runs(self) -> bool {
        use HookState::*;
        matches!(
            self,
            Installed | ByHand | AfterOthers | Unheeded | SwitchedOff | BinaryMoved | BinaryMissing | KeptMissing
        )
    }

    /// Whether nothing is to be done about it.
    pub fn is_sound(self) -> bool {
        matches!(self, HookState::Installed | HookState::ByHand)
    }
}

impl HookStatus {
    /// The hooks that matter here: those that were installed once; where none was, those of a clone, or of a server where there is no
    /// checkout.
    pub fn concerned(&self) -> Vec<HookName> {
        let wanted: Vec<HookName> = self.hooks.iter().filter(|one| one.wanted).map(|one| one.name).collect();
        if wanted.is_empty() { HookName::of(self.bare).to_vec() } else { wanted }
    }

    /// Hooks that were installed once and are not sound now, here and in other worktrees.
    pub fn gaps(&self) -> impl Iterator<Item = &OneHook> {
        let there = self.worktrees.iter().flat_map(|worktree| &worktree.hooks);
        self.hooks.iter().chain(there).filter(|hook| hook.wanted && !hook.state.is_sound())
    }
}

/// Looks at the hooks; changes nothing.
///
/// # Errors
/// [`InstallError::Git`], and [`InstallError::File`] for what cannot be read.
pub fn status(repo: &Repository) -> Result<HookStatus, InstallError> {
    let place = Place::of(repo)?;
    let hooks = hooks(repo, &place)?;
    let mut worktrees = Vec::new();
    for (worktree, opened) in other_worktrees(repo)? {
        let there = Place::of(&opened)?;
        if there.directory != place.directory {
            let hooks = self::hooks(&opened, &there)?;
            worktrees.push(WorktreeHooks { worktree, directory: there.directory, hooks });
        }
    }
    let hooks_path = place.setting.map(|setting| setting.value);
    Ok(HookStatus { bare: repo.is_bare(), directory: place.directory, hooks_path, hooks, worktrees })
}

fn hooks(repo: &Repository, place: &Place) -> Result<Vec<OneHook>, InstallError> {
    let installed = repo.config_strings(INSTALLED_KEY);
    let one = |name: HookName| hook(repo, place, name, installed.iter().any(|known| known == name.as_str()));
    HookName::ALL.into_iter().map(one).collect()
}

fn hook(repo: &Repository, place: &Place, name: HookName, wanted: bool) -> Result<OneHook, InstallError> {
    let path = place.hook(name);
    let found = if place.directory.is_dir() { Found::at(&path)? } else { Found::Nothing };
    let manager = found.script().and_then(|script| Manager::of(&path, &script.content));
    let look = Look { repo, place, name };
    let (state, recorded) = match &found {
        Found::Other => (HookState::NotAFile, None),
        found => match found.script() {
            Some(script) => look.script(&path, script, manager)?,
            None => (HookState::NotInstalled, None),
        },
    };
    let off = repo.config_bool(&format!("hook.{name}.enabled")) == Some(false);
    let state = if state.is_sound() && off { HookState::SwitchedOff } else { state };
    let state = if wanted && state == HookState::NotInstalled { HookState::Overwritten } else { state };
    let remedy = look.remedy(state, manager, &path, &found);
    let command = if state.is_sound() { None } else { look.command(state) };
    Ok(OneHook { name, path, wanted, state, manager, recorded, remedy, command })
}

struct Look<'a> {
    repo: &'a Repository,
    place: &'a Place,
    name: HookName,
}

impl Look<'_> {
    fn script(
        &self,
        path: &Path,
        script: &Script,
        manager: Option<Manager>,
    ) -> Result<(HookState, Option<PathBuf>), InstallError> {
        match shim::find(self.name, &script.content) {
            Err(_) => return Ok((HookState::Torn, None)),
            Ok(Some(block)) => return Ok((self.block(script, &block), block.recorded)),
            Ok(None) => {}
        }
        if !script.executable {
            return Ok((HookState::NotInstalled, None));
        }
        if let Some(call) = plan::call(self.name, path, script)? {
            let state = match call {
                call if call.is_sound() => HookState::ByHand,
                call if call.heeded => HookState::AfterOthers,
                _ => HookState::Unheeded,
            };
            return Ok((state, None));
        }
        if manager == Some(Manager::PreCommit) && self.name == HookName::PrePush {
            let legacy = Found::at(&path.with_file_name(format!("{}.legacy", self.name)))?;
            // pre-commit, too, passes over one that is not executable.
            if let Some(script) = legacy.runs()
                && let Ok(Some(block)) = shim::find(self.name, &script.content)
            {
                return Ok((self.block(script, &block), block.recorded));
            }
        }
        Ok((HookState::NotInstalled, None))
    }

    fn block(&self, script: &Script, block: &Block) -> HookState {
        let recorded = block.recorded.as_deref().is_some_and(is_executable);
        let kept = |kept: &String| self.place.beside().join(kept).symlink_metadata().is_ok();
        match &block.variant {
            _ if !script.executable => HookState::NotExecutable,
            _ if runs_before(&script.content, block.range.start) => HookState::AfterOthers,
            _ if !recorded && !self.on_path() => HookState::BinaryMissing,
            _ if !recorded && block.recorded.is_some() => HookState::BinaryMoved,
            Variant::Beside(name) if !kept(name) => HookState::KeptMissing,
            _ => HookState::Installed,
        }
    }

    fn on_path(&self) -> bool {
        let path = self.repo.environment().var("PATH").unwrap_or_default();
        std::env::split_paths(path).any(|directory| is_executable(&directory.join("git-boundary")))
    }

    fn command(&self, state: HookState) -> Option<String> {
        let install = self.name.install_command();
        if state == HookState::SwitchedOff {
            return Some(format!("git config --unset-all hook.{}.enabled", self.name));
        }
        match self.place.require_writable(self.repo, self.name) {
            Ok(()) => Some(install.to_owned()),
            Err(error) => error.command().map(|first| format!("{first} && {install}")),
        }
    }

    fn remedy(&self, state: HookState, manager: Option<Manager>, path: &Path, found: &Found) -> Option<String> {
        let install = self.name.install_command();
        // Where we would not write, the error has the remedy.
        let refused = || self.place.require_writable(self.repo, self.name).err().map(|err| err.to_string());
        Some(match state {
            HookState::Installed | HookState::ByHand => return None,
            HookState::NotInstalled => {
                refused().unwrap_or_else(|| format!("git would not run git-boundary: run `{install}`"))
            }
            HookState::Overwritten => refused().unwrap_or_else(|| match manager {
                Some(manager) if manager.rewrites() => {
                    format!("{} has written its hook anew: run `{install}` again", manager.as_str())
                }
                _ => format!("git would not run git-boundary: run `{install}` again"),
            }),
            HookState::SwitchedOff => format!("run `git config --unset-all hook.{}.enabled`", self.name),
            HookState::NotExecutable | HookState::BinaryMoved => {
                refused().unwrap_or_else(|| format!("run `{install}` again"))
            }
            HookState::AfterOthers if self.place.is_ours() => {
                format!("lines before git-boundary's may read the list of refs: run `{install}` again")
            }
            HookState::AfterOthers => {
                let content = found.script().map(|script| script.content.as_slice());
                let line = by_hand::line(self.name, content);
                format!("lines before git-boundary's may read the list of refs: put this line first: {line}")
            }
            HookState::Unheeded => {
                let line = by_hand::line(self.name, None);
                format!("the hook goes on after a refusal of git-boundary: let its line be: {line}")
            }
            HookState::BinaryMissing => {
                format!(
                    "every push is refused: install git-boundary (`cargo install git-boundary`), then run `{install}`"
                )
            }
            HookState::KeptMissing => {
                format!(
                    "the hook that was there before is gone from '{}': put it back, or run `git boundary hook uninstall` \
                     and then `{install}`",
                    self.place.beside().display()
                )
            }
            HookState::Torn => InstallError::Torn { path: path.to_owned(), hook: self.name }.to_string(),
            HookState::NotAFile => InstallError::Kind { path: path.to_owned(), expected: "file" }.to_string(),
        })
    }
}

/// Paths are shown, never read back: what is no text is shown as near as it can be.
pub(super) fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

pub(super) fn lossy_option<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => lossy(path, serializer),
        None => serializer.serialize_none(),
    }
}

pub(super) fn lossy_all<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.display().to_string()))
}
