//! NEAR: reading one object directory's own loose files and packs with as few calls to the system as that takes.
//!
//! gix's store looks through the whole offset table of every pack's index when it opens it, which a short-lived process on a large
//! repository pays for with more time than all else it does. What is not found here, or looks odd in any way, is left to gix: this can
//! only be faster.

mod index;
mod loose;
mod pack;
mod write;

use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};

use gix::hash::{Kind as HashKind, oid};
use gix::objs::{Kind, compute_hash};
use gix::odb::pack::cache::lru::MemoryCappedHashmap;
use gix::zlib::Inflate;

use self::pack::Pack;
pub(super) use self::write::write;

/// What was found.
pub(super) enum Read {
    /// Kind and bytes.
    Whole(Kind, Vec<u8>),
    /// It claims so many bytes, more than are read.
    TooLarge(u64),
}

/// One object directory.
pub(super) struct Near {
    /// Bytes of delta bases that are kept.
    cache_bytes: usize,
    deltas: OnceCell<RefCell<MemoryCappedHashmap>>,
    dir: PathBuf,
    hash: HashKind,
    inflate: RefCell<Inflate>,
    /// The last object that was found was packed.
    packed: Cell<bool>,
    packs: OnceCell<Vec<Pack>>,
}

impl Near {
    pub fn new(dir: PathBuf, hash: HashKind, cache_bytes: usize) -> Self {
        Near {
            cache_bytes,
            deltas: OnceCell::new(),
            dir,
            hash,
            inflate: RefCell::default(),
            packed: Cell::new(false),
            packs: OnceCell::new(),
        }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Kind and bytes, which hash to the id, of an object of at most `limit` bytes; `None` when gix should be asked.
    pub fn read(&self, id: &oid, limit: u64) -> Option<Read> {
        // What does not hash to its id in one place may be whole in the other.
        let whole = |found: &Read| match found {
            Read::Whole(kind, bytes) => compute_hash(self.hash, *kind, bytes).is_ok_and(|found| found == id),
            Read::TooLarge(_) => true,
        };
        self.either(
            || loose::read(&self.dir, id, limit, &mut self.inflate.borrow_mut()).filter(whole),
            || {
                let (pack, offset) = self.find(id)?;
                let deltas = self.deltas.get_or_init(|| RefCell::new(MemoryCappedHashmap::new(self.cache_bytes)));
                let (mut inflate, mut deltas) = (self.inflate.borrow_mut(), deltas.borrow_mut());
                pack.read(offset, limit, &mut inflate, &mut *deltas).filter(whole)
            },
        )
    }

    /// The size that is claimed; `None` when gix should be asked.
    pub fn size(&self, id: &oid) -> Option<u64> {
        self.either(
            || loose::size(&self.dir, id, &mut self.inflate.borrow_mut()),
            || {
                let (pack, offset) = self.find(id)?;
                pack.size(offset, &mut self.inflate.borrow_mut())
            },
        )
    }

    /// Whether it is here; `false` says nothing.
    pub fn contains(&self, id: &oid) -> bool {
        self.either(|| loose::path(&self.dir, id).symlink_metadata().is_ok().then_some(()), || self.find(id).map(drop))
            .is_some()
    }

    /// Pack and offset of a packed object.
    pub fn position(&self, id: &oid) -> Option<(usize, u64)> {
        self.packs().iter().enumerate().find_map(|(number, pack)| Some((number, pack.find(id)?)))
    }

    /// Looks first where the last one was: what is read together was mostly written together.
    fn either<T>(&self, loose: impl Fn() -> Option<T>, packed: impl Fn() -> Option<T>) -> Option<T> {
        let first = self.packed.get();
        if let Some(found) = if first { packed() } else { loose() } {
            return Some(found);
        }
        let found = if first { loose() } else { packed() };
        if found.is_some() {
            self.packed.set(!first);
        }
        found
    }

    fn find(&self, id: &oid) -> Option<(&Pack, u64)> {
        self.packs().iter().find_map(|pack| Some((pack, pack.find(id)?)))
    }

    fn packs(&self) -> &[Pack] {
        self.packs.get_or_init(|| pack::all(&self.dir.join("pack"), self.hash))
    }
}

impl Clone for Near {
    fn clone(&self) -> Self {
        Near::new(self.dir.clone(), self.hash, self.cache_bytes)
    }
}

#[cfg(test)]
mod tests;
