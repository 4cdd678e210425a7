//! What stands at a hook's path, and writing there so that a kill leaves the old file or the new one.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::InstallError;

/// What a path holds.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A file of its own.
    File(Script),
    /// A link; with the file it leads to, if it leads to one.
    Link(Option<Script>),
    /// A directory, a socket.
    Other,
}

/// A hook's bytes.
#[derive(Debug)]
pub(super) struct Script {
    pub content: Vec<u8>,
    /// Permission bits; 0o755 where the system has none.
    pub mode: u32,
    /// Whether git would start it.
    pub executable: bool,
}

impl Found {
    pub(super) fn at(path: &Path) -> Result<Found, InstallError> {
        let meta = match fs::symlink_metadata(path) {
            Ok(meta) => meta,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(source) => return Err(failed("read", path, source)),
        };
        if meta.is_symlink() {
            let leads_to_file = fs::metadata(path).is_ok_and(|meta| meta.is_file());
            return leads_to_file.then(|| Script::read(path)).transpose().map(Found::Link);
        }
        if meta.is_file() { Script::read(path).map(Found::File) } else { Ok(Found::Other) }
    }

    /// The script that git would start.
    pub(super) fn runs(&self) -> Option<&Script> {
        self.script().filter(|script| script.executable)
    }

    /// The script, started or not.
    pub(super) fn script(&self) -> Option<&Script> {
        match self {
            Found::File(script) | Found::Link(Some(script)) => Some(script),
            _ => None,
        }
    }
}

impl Script {
    fn read(path: &Path) -> Result<Script, InstallError> {
        let content = fs::read(path).map_err(|source| failed("read", path, source))?;
        let meta = fs::metadata(path).map_err(|source| failed("read", path, source))?;
        Ok(Script { content, mode: mode_of(&meta), executable: is_executable(path) })
    }

    /// Whether a shell of the Bourne family would read it; git, too, gives a text without interpreter to `sh`.
    pub(super) fn is_shell(&self) -> bool {
        let Some(line) = self.content.strip_prefix(b"#!") else {
            return !self.content.iter().take(1024).any(|byte| *byte == 0);
        };
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let mut words = line.trim_matches([' ', '\t']).split([' ', '\t']).filter(|word| !word.is_empty());
        let base = |word: &str| word.rsplit('/').next().unwrap_or(word).trim_end_matches(".exe").to_owned();
        let mut interpreter = words.next().map(base);
        if interpreter.as_deref().is_some_and(|word| word == "env" || word == "busybox") {
            interpreter = words.find(|word| !word.starts_with('-') && !word.contains('=')).map(base);
        }
        const SHELLS: [&str; 9] = ["sh", "bash", "dash", "ash", "ksh", "ksh93", "mksh", "zsh", "rbash"];
        interpreter.is_some_and(|word| SHELLS.contains(&word.as_str()))
    }
}

/// Writes a whole file in one step.
pub(super) fn write(path: &Path, content: &[u8], mode: u32) -> Result<(), InstallError> {
    let directory = path.parent().unwrap_or(path);
    let result = tempfile::Builder::new().prefix(".git-boundary-").tempfile_in(directory).and_then(|mut file| {
        file.write_all(content)?;
        set_mode(file.path(), mode)?;
        file.as_file().sync_all()?;
        file.persist(path).map(drop).map_err(|err| err.error)
    });
    result.map_err(|source| failed("write", path, source))
}

/// Makes a second name for what is at `from`, which stays where it is until it is written over.
///
/// What is there already under the second name is left, when it is the same: a kill between the two steps is no loss.
pub(super) fn keep(from: &Path, to: &Path) -> Result<(), InstallError> {
    let taken = || InstallError::Taken { path: from.to_owned(), kept: to.to_owned() };
    let result = match fs::read_link(from) {
        Ok(target) => symlink(&target, to),
        Err(_) => fs::hard_link(from, to).or_else(|err| match err.kind() {
            io::ErrorKind::AlreadyExists => Err(err),
            // A file system without hard links; the copy has the mode, too.
            _ => fs::copy(from, to).map(drop),
        }),
    };
    match result {
        Ok(()) => Ok(()),
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {
            if same(from, to)? {
                Ok(())
            } else {
                Err(taken())
            }
        }
        Err(source) => Err(failed("keep", to, source)),
    }
}

/// Whether [`keep`] would find room.
pub(super) fn may_keep(from: &Path, to: &Path) -> Result<(), InstallError> {
    match to.symlink_metadata() {
        Ok(_) if !same(from, to)? => Err(InstallError::Taken { path: from.to_owned(), kept: to.to_owned() }),
        _ => Ok(()),
    }
}

/// Makes a directory and those above it, for the group as well where the repository is shared.
pub(super) fn make_directory(path: &Path, shared: bool) -> Result<(), InstallError> {
    if path.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(path).and_then(|()| if shared { set_mode(path, 0o2775) } else { Ok(()) }).map_err(|source| {
        match source.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                InstallError::Kind { path: path.to_owned(), expected: "directory" }
            }
            _ => failed("make", path, source),
        }
    })
}

pub(super) fn failed(action: &'static str, path: &Path, source: io::Error) -> InstallError {
    InstallError::File { action, path: path.to_owned(), source }
}

/// The real path; of what is not there yet, the real path of what it would be in.
pub(super) fn real(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    let mut there = path;
    loop {
        if let Ok(real) = fs::canonicalize(there) {
            return missing.iter().rev().fold(real, |path, name| path.join(name));
        }
        let (Some(parent), Some(name)) = (there.parent(), there.file_name()) else { return path.to_owned() };
        missing.push(name);
        there = parent;
    }
}

fn same(a: &Path, b: &Path) -> Result<bool, InstallError> {
    if let (Ok(a), Ok(b)) = (fs::read_link(a), fs::read_link(b)) {
        return Ok(a == b);
    }
    match (Found::at(a)?, Found::at(b)?) {
        (Found::File(a), Found::File(b)) => Ok(a.content == b.content && a.mode == b.mode),
        _ => Ok(false),
    }
}

#[cfg(unix)]
fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(not(unix))]
fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, link)
}

#[cfg(unix)]
fn mode_of(meta: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o7777
}

#[cfg(not(unix))]
fn mode_of(_: &fs::Metadata) -> u32 {
    0o755
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// As git asks: whether this user may start it.
#[cfg(unix)]
pub(super) fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// git takes every file for executable here.
#[cfg(not(unix))]
pub(super) fn is_executable(path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_are_known_by_the_first_line() {
        let shell = |content: &[u8]| Script { content: content.to_vec(), mode: 0o755, executable: true }.is_shell();
        for yes in [
            "#!/bin/sh\n",
            "#! /bin/bash -e\n",
            "#!/usr/bin/env zsh\n",
            "#!/usr/bin/env -S FOO=1 dash -e\n",
            "#!/bin/busybox sh\n",
            "",
            "echo\n",
            "#!/bin/sh",
        ] {
            assert!(shell(yes.as_bytes()), "{yes:?}");
        }
        for no in [
            &b"#!/usr/bin/env python3\n"[..],
            b"#!/usr/bin/fish\n",
            b"#!\n",
            b"\x7fELF\x02\x01\x01\0\0",
            b"#!/bin/sh\r\n",
            b"#!/usr/bin/env\n",
        ] {
            assert!(!shell(no), "{no:?}");
        }
    }

    #[test]
    fn a_kept_file_that_is_another_one_is_never_written_over() {
        let dir = tempfile::tempdir().expect("a directory");
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        write(&from, b"one", 0o755).expect("it is written");
        keep(&from, &to).expect("there is room");
        keep(&from, &to).expect("it is the same file");
        write(&from, b"two", 0o755).expect("it is written");
        assert!(matches!(keep(&from, &to), Err(InstallError::Taken { .. })));
        assert_eq!(fs::read(&to).expect("it is there"), b"one", "writing to one name leaves what the other one keeps");
    }
}
