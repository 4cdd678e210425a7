//! Local state in the common git directory: the registrar's key, and the highest that was seen of everything that may only grow.

mod kept;
mod known_lines;
mod known_notes;
mod received;
mod refused;

pub use known_lines::KnownLines;
pub use known_notes::KnownNotes;
pub use received::{Received, ReceivedUpdate, Used};

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::error::StoreError;
use crate::codec::{canonical, strict};
use crate::crypto::{Signer, key_id, read_private_key, read_public_key, to_openssh, write_new_key};
use crate::git::Repository;
use crate::ledger::TreeHead;
use crate::model::digest::Digest;
use crate::model::id::{KeyId, Oid};
use crate::model::key::PublicKey;

/// The directory `boundary` in the common git directory.
#[derive(Debug, Clone)]
pub struct LocalState {
    dir: PathBuf,
    /// Whether what is seen is kept in mind. Not while a server decides about a push: that may never come to be there.
    remembers: bool,
    /// A registrar's key that is kept somewhere else, and only ever read there.
    registrar: Option<PathBuf>,
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

/// Being the one process of this clone that dispatches, as long as this lives. What a killed process held is free at once.
#[derive(Debug)]
pub struct Dispatching {
    _held: fs::File,
}

/// How far an own ledger was looked through for updates that are not settled.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRows {
    /// The notes of which something is not settled.
    pub notes: Vec<Oid>,
    /// Whose ledger it was.
    pub registrar: KeyId,
    /// Root of the ledger then.
    pub root: Digest,
    /// Entries of the ledger then.
    pub size: u64,
}

/// Lines in the file of one ledger's heads; then it begins anew with the last.
const MOST_HEADS: usize = 16;

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SeenHead {
    root: Digest,
    size: u64,
}

impl LocalState {
    /// Where the state of a repository is kept. Reads no file.
    pub fn of(repository: &Repository) -> Self {
        let configured = repository.config_string("boundary.registrarKey").filter(|path| !path.is_empty());
        let registrar = configured.map(|path| repository.environment().cwd().join(path));
        let remembers = !repository.environment().in_quarantine();
        LocalState { dir: repository.common_dir().join("boundary"), registrar, remembers }
    }

    /// The same with the registrar's key in a file of the caller's, as where every run has a new clone.
    #[must_use]
    pub fn with_registrar(self, path: PathBuf) -> Self {
        LocalState { registrar: Some(path), ..self }
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

    /// The lock of the one process of this clone that dispatches; `None` where another one holds it.
    ///
    /// # Errors
    /// When the file can't be made.
    pub fn dispatching(&self) -> Result<Option<Dispatching>, StoreError> {
        self.make_dir(&self.dir)?;
        let path = self.dir.join("dispatching");
        let file = fs::File::create(&path).map_err(|source| StoreError::File { path, source })?;
        Ok(file.try_lock().is_ok().then_some(Dispatching { _held: file }))
    }

    /// Up to where the own ledger was looked through for what is not settled, and the notes where something was not. A hint: without
    /// it all is looked through again.
    pub fn open_rows(&self) -> Option<OpenRows> {
        self.read(&self.cache().join("outbox")).ok().flatten()
    }

    /// Keeps that hint. Nothing is lost where it can't be kept.
    pub fn remember_open_rows(&self, open: &OpenRows) {
        self.write(&self.cache().join("outbox"), open).ok();
    }

    /// Where the index of the ledger in a ref is kept.
    pub fn index_of(&self, reference: &str) -> PathBuf {
        self.cache().join(reference.replace('/', "."))
    }

    /// Whether what is seen may be written down: not what a push brings that may still be refused.
    pub fn remembers(&self) -> bool {
        self.remembers
    }

    /// The file of the registrar's private key.
    pub fn registrar_path(&self) -> PathBuf {
        self.registrar.clone().unwrap_or_else(|| self.dir.join("registrar"))
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

    /// Whether this clone has a registrar. One whose key is kept elsewhere it has also where that file is not there, which is then told.
    pub fn has_registrar(&self) -> bool {
        self.registrar.is_some() || self.registrar_path().exists()
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

    /// The key that follows this clone's registrar, made now if there is none. It is nobody's until [`LocalState::retire_registrar`].
    ///
    /// # Errors
    /// When it can't be written or read.
    pub fn next_registrar(&self) -> Result<Box<dyn Signer>, StoreError> {
        let path = self.dir.join("registrar-next");
        if !path.exists() {
            write_new_key(&path, "git-boundary registrar")?;
        }
        Ok(Box::new(read_private_key(&path)?))
    }

    /// Puts the next key in the place of this clone's registrar, whose own is kept beside. Killed halfway, it can be done again.
    ///
    /// # Errors
    /// When a file can't be written.
    pub fn retire_registrar(&self, key: &PublicKey) -> Result<(), StoreError> {
        let (retired, id) = (self.dir.join("retired"), key_id(key));
        self.make_dir(&retired)?;
        replace(&retired.join(format!("{id}.pub")), to_openssh(key, "git-boundary registrar").as_bytes())?;
        let kept = retired.join(id.to_string());
        fs::copy(self.registrar_path(), &kept).map_err(|source| StoreError::File { path: kept, source })?;
        // The private half last: until then the key in use is the old one.
        for (from, to) in [("registrar-next.pub", "registrar.pub"), ("registrar-next", "registrar")] {
            let (from, to) = (self.dir.join(from), self.dir.join(to));
            match fs::rename(&from, &to) {
                Err(error) if error.kind() == ErrorKind::NotFound && to.exists() => {}
                renamed => renamed.map_err(|source| StoreError::File { path: from, source })?,
            }
        }
        Ok(())
    }

    /// The keys that this clone's registrar had before, with their ids.
    ///
    /// # Errors
    /// When their directory is there and not readable.
    pub fn retired(&self) -> Result<Vec<(KeyId, PublicKey)>, StoreError> {
        let path = self.dir.join("retired");
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::File { path, source }),
        };
        let names = entries.flatten().map(|entry| entry.path());
        let keys = names.filter(|path| path.extension().is_some_and(|extension| extension == "pub"));
        let mut found: Vec<_> =
            keys.filter_map(|path| read_public_key(&path).ok()).map(|key| (key_id(&key), key)).collect();
        found.sort();
        Ok(found)
    }

    /// The highest version of a chain that was seen; `chain` is `trust` or `policy`.
    ///
    /// # Errors
    /// When the file is there and not readable.
    pub fn seen_version(&self, chain: &str) -> Result<Option<SeenVersion>, StoreError> {
        self.read(&self.dir.join("seen").join(chain))
    }

    /// The file in which the highest version of a chain that was seen is kept.
    pub fn seen_path(&self, chain: &str) -> PathBuf {
        self.dir.join("seen").join(chain)
    }

    /// Remembers a version of a chain.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn remember_version(&self, chain: &str, seen: SeenVersion) -> Result<(), StoreError> {
        if !self.remembers {
            return Ok(());
        }
        self.write(&self.dir.join("seen").join(chain), &seen)
    }

    /// The furthest head that was seen of a registrar's ledger, in whatever ref.
    ///
    /// # Errors
    /// When the file is there and not readable.
    pub fn seen_head(&self, registrar: &KeyId) -> Result<Option<TreeHead>, StoreError> {
        let path = self.heads().join(registrar.to_string());
        let Some(bytes) = read_file(&path)? else { return Ok(None) };
        // A line is cut off where a process was killed while it wrote.
        let lines = bytes.split(|byte| *byte == b'\n').map(strict::read::<SeenHead>);
        let furthest = lines.filter_map(Result::ok).max_by_key(|seen| seen.size);
        match furthest {
            Some(seen) => Ok(Some(TreeHead { root: seen.root.0, size: seen.size })),
            None => Err(damaged(&path, "no line of it is a head")),
        }
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

    /// Remembers the head of a registrar's ledger: a line at the end of its file, which is a fifth of the work of replacing it.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn remember_head(&self, registrar: &KeyId, head: TreeHead) -> Result<(), StoreError> {
        if !self.remembers {
            return Ok(());
        }
        let path = self.heads().join(registrar.to_string());
        let line = line_of(head);
        let kept = read_file(&path)?.unwrap_or_default();
        if kept.last() == Some(&b'\n') && kept.len() < MOST_HEADS * line.len() {
            let appended = fs::OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(&line));
            return appended.map_err(|source| StoreError::File { path, source });
        }
        self.make_dir(&self.heads())?;
        let further = self.seen_head(registrar)?.filter(|seen| seen.size > head.size);
        replace(&path, &further.map_or(line, line_of))
    }

    fn heads(&self) -> PathBuf {
        self.dir.join("seen").join("ledgers")
    }

    fn read<T: serde::de::DeserializeOwned + serde::Serialize>(&self, path: &Path) -> Result<Option<T>, StoreError> {
        let bytes = read_file(path)?;
        bytes.map(|bytes| strict::read(&bytes).map_err(|defect| damaged(path, defect))).transpose()
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

fn line_of(head: TreeHead) -> Vec<u8> {
    let mut line = canonical::to_vec(&SeenHead { root: Digest(head.root), size: head.size });
    line.push(b'\n');
    line
}

fn read_file(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(source) => Err(StoreError::File { path: path.to_owned(), source }),
    }
}

fn damaged(path: &Path, defect: impl std::fmt::Display) -> StoreError {
    let defect = format!("{defect}; if it was damaged, delete it to forget what was seen");
    StoreError::Local { path: path.to_owned(), defect }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn head(size: u64) -> TreeHead {
        TreeHead { root: [size as u8; 32], size }
    }

    fn state(dir: &Path) -> (LocalState, KeyId, PathBuf) {
        let registrar: KeyId = "key_00000000000000000000000000000001".parse().expect("it is one");
        let local = LocalState { dir: dir.to_owned(), registrar: None, remembers: true };
        let path = local.heads().join(registrar.to_string());
        (local, registrar, path)
    }

    #[test]
    fn the_furthest_head_counts_however_many_were_remembered() {
        let dir = tempfile::tempdir().expect("a directory");
        let (local, registrar, path) = state(dir.path());
        for size in 1..100 {
            local.remember_head(&registrar, head(size)).expect("it can be written");
            assert_eq!(local.seen_head(&registrar).expect("it reads"), Some(head(size)));
        }
        assert!(fs::metadata(&path).expect("it is there").len() < 4096, "the file begins anew from time to time");
        // Processes may finish in another order than they read.
        for _ in 0..40 {
            local.remember_head(&registrar, head(98)).expect("it can be written");
            assert_eq!(local.seen_head(&registrar).expect("it reads"), Some(head(99)));
        }
    }

    #[test]
    fn a_line_cut_off_takes_nothing_away_and_a_file_without_a_whole_one_is_an_error() {
        let dir = tempfile::tempdir().expect("a directory");
        let (local, registrar, path) = state(dir.path());
        local.remember_head(&registrar, head(7)).expect("it can be written");
        let whole = fs::read(&path).expect("it is there");
        for cut in 0..whole.len() - 1 {
            fs::write(&path, [&whole[..], &whole[..cut]].concat()).expect("it can be written");
            assert_eq!(local.seen_head(&registrar).expect("it reads"), Some(head(7)), "cut at {cut}");
            local.remember_head(&registrar, head(8)).expect("it can be written");
            assert_eq!(local.seen_head(&registrar).expect("it reads"), Some(head(8)), "cut at {cut}");
            fs::write(&path, &whole[..cut]).expect("it can be written");
            local.seen_head(&registrar).expect_err("an empty memory would let a ledger go back");
        }
    }
}
