//! MEASURE: a file's bytes as they are now, read once, through one descriptor.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::error::Unestablished;
use crate::model::digest::Digest;
use crate::model::gateway::Measured;

/// Far above any agent's binary; a file that never ends must not keep a launch from ending.
const LARGEST: u64 = 4 << 30;

/// Measures a regular file. Symbolic links are followed: it is the bytes that run which count.
///
/// # Errors
/// When it is no regular file, can't be read, or changes while it is read.
pub fn measure(path: &Path, role: &str) -> Result<Measured, Unestablished> {
    let what = || format!("the {role} {}", path.display());
    let failed = |error: std::io::Error| Unestablished::new(what(), error.to_string());
    let mut file = File::open(path).map_err(failed)?;
    let before = file.metadata().map_err(failed)?;
    if !before.is_file() {
        return Err(Unestablished::new(what(), "it is no regular file"));
    }
    if before.len() > LARGEST {
        return Err(Unestablished::new(what(), format!("it has {} bytes", before.len())));
    }
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut size = 0_u64;
    loop {
        let read = file.read(&mut buffer).map_err(failed)?;
        if read == 0 {
            break;
        }
        size += read as u64;
        if size > LARGEST {
            return Err(Unestablished::new(what(), "it grows while it is read"));
        }
        hasher.update(&buffer[..read]);
    }
    let after = file.metadata().map_err(failed)?;
    let state = |it: &std::fs::Metadata| (it.len(), it.mtime(), it.mtime_nsec(), it.ctime(), it.ctime_nsec());
    if state(&before) != state(&after) || size != after.len() {
        return Err(Unestablished::new(what(), "it changed while it was read"));
    }
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    Ok(Measured { digest: Digest(hasher.finalize().into()), name, role: role.to_owned(), size })
}

/// Whether only its owner and group may change a file and, where it is `started`, whether it can be run: the bytes alone say neither.
///
/// # Errors
/// What is not so.
pub fn guarded(path: &Path, role: &str, started: bool) -> Result<(), Unestablished> {
    let failed = |why: String| Unestablished::new(format!("the {role} {}", path.display()), why);
    let mode = path.metadata().map_err(|error| failed(error.to_string()))?.permissions().mode() & 0o7777;
    match mode {
        _ if mode & 0o002 != 0 => {
            Err(failed(format!("its mode is {mode:04o}, which lets everybody change it; chmod o-w")))
        }
        _ if started && mode & 0o111 == 0 => Err(failed(format!("its mode is {mode:04o}, by which nobody can run it"))),
        _ => Ok(()),
    }
}
