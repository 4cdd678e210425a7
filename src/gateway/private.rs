//! PRIVATE: directories and files that only their owner may enter, outside every worktree: what an installation wrote, and the state of
//! its sessions.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::error::Unestablished;
use crate::app::Context;

/// Far above all that is written here.
const LARGEST: u64 = 16 << 20;

/// A directory of the user's own, mode 0700, as are those of ours that lead to it.
#[derive(Debug, Clone)]
pub struct Private {
    dir: PathBuf,
}

/// Where the user's state goes: `$XDG_STATE_HOME/git-boundary/gateway`, by default below `~/.local/state`.
///
/// # Errors
/// When neither variable names an absolute path.
pub fn state_home(context: &Context) -> Result<PathBuf, Unestablished> {
    home(context, "XDG_STATE_HOME", ".local/state").map(|dir| dir.join("git-boundary/gateway"))
}

/// Where shims go: `$XDG_DATA_HOME/git-boundary/shims`, by default below `~/.local/share`.
///
/// # Errors
/// When neither variable names an absolute path.
pub fn shims_home(context: &Context) -> Result<PathBuf, Unestablished> {
    home(context, "XDG_DATA_HOME", ".local/share").map(|dir| dir.join("git-boundary/shims"))
}

fn home(context: &Context, variable: &str, otherwise: &str) -> Result<PathBuf, Unestablished> {
    let absolute = |name: &str| {
        context.environment.path(name).filter(|_| {
            // The XDG specification ignores relative ones.
            context.environment.var(name).is_some_and(|value| Path::new(value).is_absolute())
        })
    };
    absolute(variable).or_else(|| absolute("HOME").map(|home| home.join(otherwise))).ok_or_else(|| {
        Unestablished::new("a place for private state", format!("neither {variable} nor HOME is an absolute path"))
    })
}

impl Private {
    /// Makes a directory below `home`, which is made too, or takes it where it is private already.
    ///
    /// # Errors
    /// When it can't be made, belongs to somebody else, or lets others in.
    pub fn make(home: &Path, name: &str) -> Result<Self, Unestablished> {
        let dir = home.join(name);
        let made = home.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| {
            [home, dir.as_path()].into_iter().try_for_each(|dir| match DirBuilder::new().mode(0o700).create(dir) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
                _ => Ok(()),
            })
        });
        made.map_err(|error| Unestablished::new(format!("private state at {}", dir.display()), error.to_string()))?;
        let private = Private { dir };
        private.check()?;
        Ok(private)
    }

    /// Takes a directory that is there.
    ///
    /// # Errors
    /// When it is not there, belongs to somebody else, or lets others in.
    pub fn open(home: &Path, name: &str) -> Result<Self, Unestablished> {
        let private = Private { dir: home.join(name) };
        private.check()?;
        Ok(private)
    }

    /// Whether the directory, and ours that leads to it, is the user's own and closed to others.
    ///
    /// # Errors
    /// When it is not.
    pub fn check(&self) -> Result<(), Unestablished> {
        let user = rustix::process::geteuid().as_raw();
        for dir in self.dir.parent().into_iter().chain([self.dir.as_path()]) {
            let what = || format!("that {} is private", dir.display());
            // Not followed: a link could be led elsewhere between two looks.
            let found = fs::symlink_metadata(dir).map_err(|error| Unestablished::new(what(), error.to_string()))?;
            let mode = found.permissions().mode() & 0o7777;
            let why = match () {
                () if !found.is_dir() => "it is no directory".to_owned(),
                () if found.uid() != user => format!("it belongs to user {}, and this is user {user}", found.uid()),
                () if mode & 0o077 != 0 => format!("its mode is {mode:04o}, which lets others in; chmod 700"),
                () => continue,
            };
            return Err(Unestablished::new(what(), why));
        }
        Ok(())
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Writes a file of mode 0600 (0700 for a program), whole or not at all.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn write(&self, name: &str, bytes: &[u8], program: bool) -> Result<PathBuf, Unestablished> {
        let path = self.path(name);
        let written = || -> std::io::Result<()> {
            let mut file = tempfile::Builder::new()
                .permissions(fs::Permissions::from_mode(if program { 0o700 } else { 0o600 }))
                .tempfile_in(path.parent().unwrap_or(&self.dir))?;
            file.write_all(bytes)?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        written().map_err(|error| Unestablished::new(format!("{} written", path.display()), error.to_string()))?;
        Ok(path)
    }

    /// Reads a file that must be the user's own and closed to others; `None` where there is none.
    ///
    /// # Errors
    /// When it is something else, or can't be read.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Unestablished> {
        let path = self.path(name);
        let failed = |why: String| Unestablished::new(path.display().to_string(), why);
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let flags = i32::try_from(flags.bits()).expect("open(2) flags are a C int");
        let mut file: File = match OpenOptions::new().read(true).custom_flags(flags).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error.to_string())),
        };
        let found = file.metadata().map_err(|error| failed(error.to_string()))?;
        let mode = found.permissions().mode() & 0o7777;
        if !found.is_file() || found.uid() != rustix::process::geteuid().as_raw() || mode & 0o077 != 0 {
            return Err(failed(format!("it is no private file of this user (mode {mode:04o}, user {})", found.uid())));
        }
        if found.len() > LARGEST {
            return Err(failed(format!("it has {} bytes, and at most {LARGEST} are read", found.len())));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
        Ok(Some(bytes))
    }
}
