//! What has to change at one hook's path, worked out before anything is changed.

use std::path::{Path, PathBuf};

use super::error::InstallError;
use super::file::{self, Found, Script};
use super::install::How;
use super::managers::Manager;
use super::name::HookName;
use super::place::{Ground, Place};
use super::shim::{self, Block, Variant};
use super::{by_hand, edit};

/// One file to be changed, or left.
#[derive(Debug)]
pub(super) struct Step {
    pub path: PathBuf,
    pub how: How,
    pub manager: Option<Manager>,
    pub change: Option<Change>,
}

/// How a file changes.
#[derive(Debug)]
pub(super) enum Change {
    /// New bytes with this mode, after what is there got a second name, where it needs one.
    Write { content: Vec<u8>, mode: u32, keep: Option<PathBuf> },
    /// Nothing is left.
    Remove,
    /// The hook that was there comes back from where it was kept.
    Restore(PathBuf),
}

/// What all files of one installation have in common.
#[derive(Debug)]
pub(super) struct Terms<'a> {
    pub place: &'a Place,
    pub binary: &'a Path,
    /// Mode of files that are new.
    pub mode: u32,
}

impl Terms<'_> {
    pub(super) fn install(&self, name: HookName) -> Result<Step, InstallError> {
        let path = self.place.hook(name);
        let found = Found::at(&path)?;
        let manager = found.script().and_then(|script| Manager::of(&path, &script.content));
        let step = |how, path, change| Step { path, how, manager, change };
        if stands_by_hand(self.place, name, &path, &found)? {
            return Ok(step(How::ByHand, path, None));
        }
        let ours = matches!(&found, Found::File(script) if has_block(name, &path, script)?);
        if name == HookName::PrePush && manager == Some(Manager::PreCommit) && found.runs().is_some() && !ours {
            // pre-commit writes its own file anew, but runs this one first and gives it the whole list.
            let legacy = path.with_file_name(format!("{name}.legacy"));
            let (how, change) = self.stand_first(name, &legacy, Found::at(&legacy)?)?;
            return Ok(step(how, legacy, change));
        }
        let (how, change) = self.stand_first(name, &path, found)?;
        Ok(step(how, path, change))
    }

    fn stand_first(&self, name: HookName, path: &Path, found: Found) -> Result<(How, Option<Change>), InstallError> {
        let directory = self.place.directory_name();
        let render = |variant: &Variant| shim::render(name, variant, Some(self.binary), &directory);
        match found {
            Found::Nothing => Ok((How::Own, Some(self.own_file(render(&Variant::Own), None)))),
            Found::File(script) => match torn(name, path, &script)? {
                Some(block) => Ok(again(&script, &block, &render(&block.variant))),
                None if script.executable && script.is_shell() => {
                    let content = edit::insert(&script.content, &render(&Variant::Within));
                    Ok((How::Ahead, Some(Change::Write { content, mode: script.mode, keep: None })))
                }
                None => self.beside(name, path, render),
            },
            Found::Link(_) => self.beside(name, path, render),
            Found::Other => Err(InstallError::Kind { path: path.to_owned(), expected: "file" }),
        }
    }

    fn beside(
        &self,
        name: HookName,
        path: &Path,
        render: impl Fn(&Variant) -> Vec<u8>,
    ) -> Result<(How, Option<Change>), InstallError> {
        if self.place.ground != Ground::Repository {
            return Err(InstallError::NoPlaceBeside { path: path.to_owned(), line: by_hand::line(name, None) });
        }
        let kept_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let kept = self.place.beside().join(&kept_name);
        file::may_keep(path, &kept)?;
        Ok((How::Beside, Some(self.own_file(render(&Variant::Beside(kept_name)), Some(kept)))))
    }

    fn own_file(&self, block: Vec<u8>, keep: Option<PathBuf>) -> Change {
        Change::Write { content: [shim::SHEBANG, &block, b"\n"].concat(), mode: self.mode, keep }
    }
}

/// Everything to be undone for one hook; also under the names that managers give to a file of ours.
pub(super) fn uninstall(place: &Place, name: HookName) -> Result<Vec<Step>, InstallError> {
    let mut steps = Vec::new();
    for suffix in ["", ".legacy", ".old"] {
        let path = place.directory.join(format!("{name}{suffix}"));
        let Found::File(script) = Found::at(&path)? else { continue };
        let Some(block) = torn(name, &path, &script)? else { continue };
        let rest = edit::remove(&script.content, &block.range);
        let bare = rest == shim::SHEBANG;
        let (how, change) = match block.variant {
            Variant::Own if bare => (How::Own, Change::Remove),
            Variant::Own => (How::Own, Change::Write { content: rest, mode: script.mode, keep: None }),
            Variant::Within => (How::Ahead, Change::Write { content: rest, mode: script.mode, keep: None }),
            Variant::Beside(_) if !bare => return Err(InstallError::Edited { path }),
            Variant::Beside(kept) => {
                let kept = place.beside().join(kept);
                let there = kept.symlink_metadata().is_ok();
                (How::Beside, if there { Change::Restore(kept) } else { Change::Remove })
            }
        };
        steps.push(Step { path, how, manager: None, change: Some(change) });
    }
    Ok(steps)
}

/// Whether git would start us by a line or shim that people put there, ahead of anything that could read its list.
pub(super) fn stands_by_hand(place: &Place, name: HookName, path: &Path, found: &Found) -> Result<bool, InstallError> {
    let Some(script) = found.runs() else { return Ok(false) };
    match torn(name, path, script)? {
        // In a file of ours it is our own; in others, people put the shipped shim there.
        Some(block) if matches!(found, Found::Link(_)) || !place.is_ours() => {
            Ok(!edit::runs_before(&script.content, block.range.start))
        }
        _ => Ok(call(name, path, script)?.is_some_and(by_hand::Call::is_sound)),
    }
}

/// A line by hand in the hook, or in what husky's hook runs.
pub(super) fn call(name: HookName, path: &Path, script: &Script) -> Result<Option<by_hand::Call>, InstallError> {
    if has_block(name, path, script)? {
        return Ok(None);
    }
    if Manager::of(path, &script.content) != Some(Manager::Husky) {
        return Ok(by_hand::find(name, &script.content, false));
    }
    let run = path.parent().and_then(Path::parent).map(|folder| folder.join(name.as_str()));
    let run = run.map(|path| Found::at(&path)).transpose()?;
    Ok(run.as_ref().and_then(Found::script).and_then(|script| by_hand::find(name, &script.content, true)))
}

fn has_block(name: HookName, path: &Path, script: &Script) -> Result<bool, InstallError> {
    Ok(torn(name, path, script)?.is_some())
}

fn torn(name: HookName, path: &Path, script: &Script) -> Result<Option<Block>, InstallError> {
    shim::find(name, &script.content).map_err(|_| InstallError::Torn { path: path.to_owned(), hook: name })
}

/// The same block again, at the top again, in a file that git starts.
fn again(script: &Script, block: &Block, fresh: &[u8]) -> (How, Option<Change>) {
    let how = How::from(&block.variant);
    let content = if edit::runs_before(&script.content, block.range.start) {
        edit::insert(&edit::remove(&script.content, &block.range), fresh)
    } else {
        [&script.content[..block.range.start], fresh, &script.content[block.range.end..]].concat()
    };
    // Who may read it may run it.
    let mode = if script.executable { script.mode } else { script.mode | (script.mode & 0o444) >> 2 };
    let changed = content != script.content || mode != script.mode;
    (how, changed.then_some(Change::Write { content, mode, keep: None }))
}
