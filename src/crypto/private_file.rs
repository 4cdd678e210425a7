//! OpenSSH private key files: who may read them, what is in them, and unlocking them.

use std::fs::{File, Metadata, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use super::ed25519::is_sound;
use super::error::{KeyError, PrivateKeyDefect};
use super::key::names_a_key_type;
use super::passphrase::{Passphrase, PassphraseError};
use super::signer::{PrivateKey, Signer as _};
use super::wire::{self, BlobDefect, Reader};
use crate::model::key::PublicKey;

/// How often a passphrase is asked for, as ssh does.
pub const TRIES: u8 = 3;

/// Far above the 400 to 600 bytes of an Ed25519 key, and above any RSA key that should be refused by its name.
const LARGEST_FILE: u64 = 64 * 1024;
/// `ssh-keygen -a` is 16 or 24 unless told; each round costs milliseconds.
const MOST_ROUNDS: u32 = 10_000;
const FIRST_LINE: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";
const LAST_LINE: &str = "-----END OPENSSH PRIVATE KEY-----";
/// PROTOCOL.key in the OpenSSH sources.
const MAGIC: &[u8] = b"openssh-key-v1\0";

/// An OpenSSH private key file that was read and found to be an Ed25519 key, perhaps still encrypted.
#[derive(Debug)]
pub struct PrivateKeyFile {
    path: PathBuf,
    public: PublicKey,
    sealed: ssh_key::PrivateKey,
}

impl PrivateKeyFile {
    /// Reads the file at `path`, following symbolic links as ssh does.
    ///
    /// # Errors
    /// Absent or unreadable; readable by others; someone else's; not an OpenSSH Ed25519 private key.
    pub fn open(path: &Path) -> Result<Self, KeyError> {
        let text = read_guarded(path)?;
        let defective = |defect| KeyError::PrivateFile { path: path.to_owned(), defect };
        let public = read_header(&text).map_err(defective)?;
        // The header was read by hand because it says *why* a file is refused; the rest is the library's.
        let sealed = ssh_key::PrivateKey::from_openssh(&*text).map_err(|_| defective(PrivateKeyDefect::Damaged))?;
        Ok(PrivateKeyFile { path: path.to_owned(), public, sealed })
    }

    /// The public half, which such files carry in the clear.
    pub fn public_key(&self) -> PublicKey {
        self.public
    }

    /// Whether a passphrase is needed.
    pub fn is_encrypted(&self) -> bool {
        self.sealed.is_encrypted()
    }

    /// The private key; `ask` is called with a prompt while the file is encrypted, at most [`TRIES`] times.
    ///
    /// # Errors
    /// No passphrase, only wrong ones, or contents that are damaged or belong to another public key.
    pub fn unlock(
        &self,
        ask: &mut dyn FnMut(&str) -> Result<Passphrase, PassphraseError>,
    ) -> Result<PrivateKey, KeyError> {
        if !self.is_encrypted() {
            return private_half(&self.path, &self.public, &self.sealed);
        }
        let prompt = format!("Enter passphrase for key {:?}: ", self.path);
        for attempt in 0..TRIES {
            let passphrase = ask(if attempt == 0 { &prompt } else { "Bad passphrase, try again: " })
                .map_err(|source| KeyError::Passphrase { path: self.path.clone(), source })?;
            if let Ok(opened) = self.sealed.decrypt(passphrase.as_bytes()) {
                return private_half(&self.path, &self.public, &opened);
            }
        }
        Err(KeyError::WrongPassphrase { path: self.path.clone(), tries: TRIES })
    }
}

/// The private key in `opened`, if its public half is the one that was shown.
pub(super) fn private_half(
    path: &Path,
    shown: &PublicKey,
    opened: &ssh_key::PrivateKey,
) -> Result<PrivateKey, KeyError> {
    let defective = |defect| KeyError::PrivateFile { path: path.to_owned(), defect };
    let pair = opened.key_data().ed25519().ok_or_else(|| defective(PrivateKeyDefect::Damaged))?;
    let key = PrivateKey::from_seed(pair.private.as_ref());
    // The library looks at this too when it reads a file. It is worth looking twice: what is signed with a seed under
    // another public key gives the seed away.
    if key.public_key() == *shown { Ok(key) } else { Err(defective(PrivateKeyDefect::Mismatch)) }
}

/// The text of a key file of at most [`LARGEST_FILE`] bytes, and what `fstat` says of it.
pub(super) fn read_key_file(path: &Path) -> Result<(Zeroizing<Vec<u8>>, Metadata), KeyError> {
    let unreadable = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::NotFound => KeyError::Absent { path: path.to_owned() },
        _ => KeyError::Unreadable { path: path.to_owned(), source },
    };
    // Without NONBLOCK a pipe under that name would hang us before we could look at what it is.
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).expect("open(2) flags are a C int");
    let file: File = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(unreadable)?;
    // Looked at after opening, so that nothing can be swapped in between.
    let found = file.metadata().map_err(unreadable)?;
    if !found.is_file() {
        return Err(KeyError::NotAFile { path: path.to_owned() });
    }
    // One allocation of full size: growing would leave copies of the secret behind.
    let mut text = Zeroizing::new(Vec::with_capacity(LARGEST_FILE as usize + 1));
    file.take(LARGEST_FILE + 1).read_to_end(&mut text).map_err(unreadable)?;
    Ok((text, found))
}

/// As ssh: no rights for group or others. And the file is ours, or we are root.
pub(super) fn check_access(path: &Path, mode: u32, owner: u32, user: u32) -> Result<(), KeyError> {
    if owner != user && user != 0 {
        return Err(KeyError::ForeignOwner { path: path.to_owned(), owner, user });
    }
    if mode & 0o077 != 0 {
        return Err(KeyError::ModeTooOpen { path: path.to_owned(), mode: mode & 0o7777 });
    }
    Ok(())
}

fn read_guarded(path: &Path) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    let (text, found) = read_key_file(path)?;
    // A public key named by mistake is 0644 as it should be: it deserves the better message.
    if !std::str::from_utf8(&text).is_ok_and(starts_as_public_key) {
        check_access(path, found.mode(), found.uid(), rustix::process::geteuid().as_raw())?;
    }
    Ok(text)
}

/// Whether the first word of `text` is that of a public key line.
pub(super) fn starts_as_public_key(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(word, _)| names_a_key_type(word))
}

/// Reads what is in the clear: the public key. Refuses by name everything that is not an Ed25519 key for us.
fn read_header(text: &[u8]) -> Result<PublicKey, PrivateKeyDefect> {
    if text.is_empty() {
        return Err(PrivateKeyDefect::Empty);
    }
    if text.len() as u64 > LARGEST_FILE {
        return Err(PrivateKeyDefect::TooLarge(LARGEST_FILE));
    }
    if text.starts_with(b"\xef\xbb\xbf") {
        return Err(PrivateKeyDefect::ByteOrderMark);
    }
    let text = std::str::from_utf8(text).map_err(|_| PrivateKeyDefect::NotAKey)?;
    if starts_as_public_key(text) {
        return Err(PrivateKeyDefect::PublicKey);
    }
    let Some(rest) = text.strip_prefix(FIRST_LINE) else {
        return Err(other_format(text));
    };
    if text.contains('\r') {
        return Err(PrivateKeyDefect::CarriageReturn);
    }
    let body = rest.split_once(LAST_LINE).ok_or(PrivateKeyDefect::Damaged)?.0;
    let mut encoded = Zeroizing::new(String::with_capacity(body.len()));
    encoded.extend(body.split('\n'));
    let decoded = Zeroizing::new(STANDARD.decode(encoded.as_bytes()).map_err(|_| PrivateKeyDefect::Damaged)?);
    let decoded = decoded.strip_prefix(MAGIC).ok_or(PrivateKeyDefect::Damaged)?;
    read_clear_part(decoded).unwrap_or(Err(PrivateKeyDefect::Damaged))
}

/// PROTOCOL.key: ciphername, kdfname, kdfoptions, number of keys, public key. `None` when it is cut short.
fn read_clear_part(bytes: &[u8]) -> Option<Result<PublicKey, PrivateKeyDefect>> {
    let mut reader = Reader::new(bytes);
    let cipher = String::from_utf8_lossy(reader.string()?).into_owned();
    let derivation = reader.string()?;
    let options = reader.string()?;
    let count = reader.u32()?;
    if count != 1 {
        return Some(Err(PrivateKeyDefect::SeveralKeys(count)));
    }
    let public = match wire::read_key_blob(reader.string()?) {
        Ok(key) if is_sound(&key) => key,
        Ok(_) => return Some(Err(PrivateKeyDefect::Point)),
        Err(BlobDefect::Algorithm(name)) => return Some(Err(PrivateKeyDefect::Algorithm(name))),
        Err(BlobDefect::Malformed) => return None,
    };
    if cipher != "none" {
        // A tripled-DES file parses and could never be opened; better said than asked a passphrase for.
        let readable = cipher.parse::<ssh_key::Cipher>().is_ok_and(|it| it != ssh_key::Cipher::TdesCbc);
        if !readable || derivation != b"bcrypt" {
            return Some(Err(PrivateKeyDefect::Cipher(cipher)));
        }
        let mut options = Reader::new(options);
        options.string()?;
        let rounds = options.u32()?;
        if rounds > MOST_ROUNDS {
            return Some(Err(PrivateKeyDefect::Rounds(rounds)));
        }
    }
    Some(Ok(public))
}

fn other_format(text: &str) -> PrivateKeyDefect {
    let line = text.lines().next().unwrap_or_default();
    let known =
        line.starts_with("-----BEGIN ") || line.starts_with("PuTTY-User-Key-File-") || line.starts_with("---- BEGIN ");
    if known { PrivateKeyDefect::OtherFormat(line.chars().take(64).collect()) } else { PrivateKeyDefect::NotAKey }
}
