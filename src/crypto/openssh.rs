//! Key files as OpenSSH has them: reading public ones, writing new pairs.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use ssh_key::LineEnding;
use ssh_key::private::{Ed25519Keypair, KeypairData};

use super::error::KeyError;
use super::key::{PublicKeyDefect, parse_public_key, to_openssh};
use super::passphrase::Asker;
use super::private_file::{PrivateKeyFile, read_key_file};
use super::signer::{PrivateKey, Signer as _};
use crate::model::key::PublicKey;

/// The key in a `.pub` file: exactly one `ssh-ed25519 AAAA… comment` line.
///
/// # Errors
/// Absent, unreadable, or not such a line.
pub fn read_public_key(path: &Path) -> Result<PublicKey, KeyError> {
    let (text, _) = read_key_file(path)?;
    let defective = |defect| KeyError::PublicFile { path: path.to_owned(), defect };
    let text = std::str::from_utf8(&text).map_err(|_| defective(PublicKeyDefect::NotText))?;
    parse_public_key(text).map_err(defective)
}

/// The key in a private key file that has no passphrase, such as a registrar's. Never asks.
///
/// # Errors
/// Those of [`PrivateKeyFile::open`]; an encrypted file.
pub fn read_private_key(path: &Path) -> Result<PrivateKey, KeyError> {
    let silent = Asker::silent();
    PrivateKeyFile::open(path)?.unlock(&mut |prompt| silent.ask(prompt))
}

/// Makes a new unencrypted key: `path` with mode 0600 and `path.pub`, both whole or not there, nothing overwritten.
///
/// Directories that are missing on the way are made with mode 0700. `comment` is for people; control characters in it
/// become `?`. A passphrase can be set afterwards with `ssh-keygen -p`.
///
/// # Errors
/// A file of either name exists, or cannot be written.
pub fn write_new_key(path: &Path, comment: &str) -> Result<PrivateKey, KeyError> {
    let public_path = with_pub(path);
    for taken in [path, &public_path] {
        // Not `exists()`: a dangling symbolic link is in the way as well.
        if fs::symlink_metadata(taken).is_ok() {
            return Err(KeyError::Exists { path: taken.to_owned() });
        }
    }
    let dir = directory_of(path);
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(unwritable(dir))?;

    let key = PrivateKey::generate()?;
    let line = to_openssh(&key.public_key(), comment);
    let shown = line.splitn(3, ' ').nth(2).unwrap_or_default();
    let pair = KeypairData::from(Ed25519Keypair::from_seed(&key.seed()));
    let encoded = ssh_key::PrivateKey::new(pair, shown)
        .and_then(|file| file.to_openssh(LineEnding::LF))
        .expect("an unencrypted Ed25519 key with a one-line comment always encodes");

    write_new(path, encoded.as_bytes(), 0o600)?;
    if let Err(error) = write_new(&public_path, format!("{line}\n").as_bytes(), 0o644) {
        // Half a pair would block the name for ever. Nobody has seen this key yet, so it can go.
        let _ = fs::remove_file(path);
        return Err(error);
    }
    Ok(key)
}

/// `path` and `.pub`.
pub(super) fn with_pub(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".pub");
    PathBuf::from(name)
}

/// Written beside, flushed, then given its name in one step that fails if the name is taken.
fn write_new(path: &Path, bytes: &[u8], mode: u32) -> Result<(), KeyError> {
    let dir = directory_of(path);
    let mut draft = tempfile::Builder::new()
        .prefix(".new-key-")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(dir)
        .map_err(unwritable(path))?;
    draft.write_all(bytes).map_err(unwritable(path))?;
    draft.as_file().sync_all().map_err(unwritable(path))?;
    draft.persist_noclobber(path).map_err(|refused| match refused.error.kind() {
        io::ErrorKind::AlreadyExists => KeyError::Exists { path: path.to_owned() },
        _ => KeyError::Unwritable { path: path.to_owned(), source: refused.error },
    })?;
    // So that the name outlives a power cut; a file system that cannot do it has still got the file.
    let _ = File::open(dir).and_then(|opened| opened.sync_all());
    Ok(())
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> KeyError {
    let path = path.to_owned();
    |source| KeyError::Unwritable { path, source }
}
