//! Local state in the common git directory: the registrar's key, and the highest that was seen of everything that may only grow.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::error::StoreError;
use crate::codec::{canonical, strict};
use crate::crypto::{Signer, key_id, read_private_key, write_new_key};
use crate::git::Repository;
use crate::ledger::TreeHead;
use crate::model::digest::Digest;
use crate::model::id::KeyId;

/// The directory `boundary` in the common git directory.
#[derive(Debug, Clone)]
pub struct LocalState {
    dir: PathBuf,
}

/// The highest version of a chain that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenVersion {
    /// Its artifact digest.
    pub digest: Digest,
    /// Its number.
    pub version: u64,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SeenHead {
    root: Digest,
    size: u64,
}

impl LocalState {
    /// Where the state of a repository is kept. Reads nothing.
    pub fn of(repository: &Repository) -> Self {
        LocalState { dir: repository.common_dir().join("boundary") }
    }

    /// Where caches go; safe to delete.
    pub fn cache(&self) -> PathBuf {
        self.dir.join("cache")
    }

    /// Removes the caches; whether there were any.
    ///
    /// # Errors
    /// When they can't be removed.
    pub fn drop_cache(&self) -> Result<bool, StoreError> {
        match fs::remove_dir_all(self.cache()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(source) => Err(StoreError::File { path: self.cache(), source }),
        }
    }

    /// The file that writers lock; `None` where it can't be had, as in a repository that can only be read.
    pub(super) fn writing(&self) -> Option<fs::File> {
        self.make_dir(&self.dir).ok()?;
        fs::File::create(self.dir.join("writing")).ok()
    }

    /// Where the index of the ledger in a ref is kept.
    pub fn index_of(&self, reference: &str) -> PathBuf {
        self.cache().join(reference.replace('/', "."))
    }

    /// The file of the registrar's private key.
    pub fn registrar_path(&self) -> PathBuf {
        self.dir.join("registrar")
    }

    /// The trust root that this clone pinned.
    ///
    /// # Errors
    /// When the file is there and not readable.
    pub fn pinned_root(&self) -> Result<Option<Digest>, StoreError> {
        self.read(&self.dir.join("trust-root"))
    }

    /// Pins a trust root.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn pin_root(&self, root: Digest) -> Result<(), StoreError> {
        self.write(&self.dir.join("trust-root"), &root)
    }

    /// Whether this clone has a registrar.
    pub fn has_registrar(&self) -> bool {
        self.registrar_path().exists()
    }

    /// This clone's registrar key.
    ///
    /// # Errors
    /// When there is none, or it can't be read. It never falls back to a person's key.
    pub fn registrar(&self) -> Result<Box<dyn Signer>, StoreError> {
        // Asking nobody: a registrar's key is never encrypted, since hooks use it.
        Ok(Box::new(read_private_key(&self.registrar_path())?))
    }

    /// This clone's registrar key, made now if there is none.
    ///
    /// # Errors
    /// When it can't be written or read.
    pub fn registrar_or_new(&self) -> Result<Box<dyn Signer>, StoreError> {
        if self.has_registrar() {
            return self.registrar();
        }
        self.make_dir(&self.dir)?;
        match write_new_key(&self.registrar_path(), "git-boundary registrar") {
            Ok(key) => Ok(Box::new(key)),
            // Another process was faster.
            Err(_) if self.has_registrar() => self.registrar(),
            Err(error) => Err(error.into()),
        }
    }

    /// The id of this clone's registrar, if it has one.
    ///
    /// # Errors
    /// When the key can't be read.
    pub fn registrar_id(&self) -> Result<Option<KeyId>, StoreError> {
        if !self.has_registrar() {
            return Ok(None);
        }
        Ok(Some(key_id(&self.registrar()?.public_key())))
    }

    /// The highest version of a chain that was seen; `chain` is `trust` or `policy`.
    ///
    /// # Errors
    /// When the file is there and not readable.
    pub fn seen_version(&self, chain: &str) -> Result<Option<SeenVersion>, StoreError> {
        self.read(&self.dir.join("seen").join(chain))
    }

    /// Remembers a version of a chain.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn remember_version(&self, chain: &str, seen: SeenVersion) -> Result<(), StoreError> {
        self.write(&self.dir.join("seen").join(chain), &seen)
    }

    /// The furthest head that was seen of a registrar's ledger, in whatever ref.
    ///
    /// # Errors
    /// When the file is there and not readable.
    pub fn seen_head(&self, registrar: &KeyId) -> Result<Option<TreeHead>, StoreError> {
        let seen: Option<SeenHead> = self.read(&self.heads().join(registrar.to_string()))?;
        Ok(seen.map(|seen| TreeHead { root: seen.root.0, size: seen.size }))
    }

    /// The same of every registrar of which any was seen.
    ///
    /// # Errors
    /// When a file is there and not readable.
    pub fn seen_heads(&self) -> Result<Vec<(KeyId, TreeHead)>, StoreError> {
        let path = self.heads();
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::File { path, source }),
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<KeyId>().ok());
        names
            .filter_map(|registrar| Some(self.seen_head(&registrar).transpose()?.map(|head| (registrar, head))))
            .collect()
    }

    /// Remembers the head of a registrar's ledger.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn remember_head(&self, registrar: &KeyId, head: TreeHead) -> Result<(), StoreError> {
        let seen = SeenHead { root: Digest(head.root), size: head.size };
        self.write(&self.heads().join(registrar.to_string()), &seen)
    }

    fn heads(&self) -> PathBuf {
        self.dir.join("seen").join("ledgers")
    }

    fn read<T: serde::de::DeserializeOwned + serde::Serialize>(&self, path: &Path) -> Result<Option<T>, StoreError> {
        match fs::read(path) {
            Ok(bytes) => strict::read(&bytes).map(Some).map_err(|defect| StoreError::Local {
                path: path.to_owned(),
                defect: format!("{defect}; if it was damaged, delete it to forget what was seen"),
            }),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(source) => Err(StoreError::File { path: path.to_owned(), source }),
        }
    }

    fn write<T: serde::Serialize>(&self, path: &Path, value: &T) -> Result<(), StoreError> {
        let parent = path.parent().expect("state files lie in a directory");
        self.make_dir(parent)?;
        replace(path, &canonical::to_vec(value))
    }

    fn make_dir(&self, dir: &Path) -> Result<(), StoreError> {
        fs::create_dir_all(dir).map_err(|source| StoreError::File { path: dir.to_owned(), source })
    }
}

/// Replaces a file whole or not at all.
///
/// # Errors
/// [`StoreError::File`]
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let failed = |source| StoreError::File { path: path.to_owned(), source };
    let parent = path.parent().expect("state files lie in a directory");
    let mut file = tempfile::NamedTempFile::new_in(parent).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
