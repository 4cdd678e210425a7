//! Packs: opened when an object in them is asked for.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use gix::hash::Kind as HashKind;
use gix::hash::oid;
use gix::odb::pack::cache::DecodeEntry;
use gix::odb::pack::data::File;
use gix::zlib::Inflate;

use super::Read;
use super::index::Index;

/// One pack with its index.
pub struct Pack {
    data: OnceCell<Option<File<gix::odb::pack::MMap>>>,
    hash: HashKind,
    index: Index,
    path: PathBuf,
}

/// The packs of a directory whose indices can be read here, the largest first: most objects are in it.
pub fn all(dir: &Path, hash: HashKind) -> Vec<Pack> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "idx")
            && let Some(index) = Index::open(&path, hash)
        {
            let path = path.with_extension("pack");
            found.push((fs::metadata(&path).map_or(0, |about| about.len()), path, index));
        }
    }
    found.sort_by(|(one, ..), (other, ..)| other.cmp(one));
    found.into_iter().map(|(_, path, index)| Pack { data: OnceCell::new(), hash, index, path }).collect()
}

impl Pack {
    /// Where an object is in it.
    pub fn find(&self, id: &oid) -> Option<u64> {
        self.index.find(id)
    }

    /// Kind and bytes of the object at an offset.
    pub fn read(&self, offset: u64, limit: u64, inflate: &mut Inflate, deltas: &mut dyn DecodeEntry) -> Option<Read> {
        let data = self.data()?;
        let entry = data.entry(offset).ok()?;
        // A delta may be small and what it makes large; what is no delta says so itself.
        if limit < u64::MAX && (entry.header.is_delta() || entry.decompressed_size > limit) {
            let size = self.size(offset, inflate)?;
            if size > limit {
                return Some(Read::TooLarge(size));
            }
        }
        let mut bytes = Vec::new();
        // A base that is named by its id, which git keeps to packs in transit, is for gix to find.
        let found = data.decode_entry(entry, &mut bytes, inflate, &|_, _| Ok(None), deltas).ok()?;
        bytes.truncate(usize::try_from(found.object_size).ok()?);
        Some(Read::Whole(found.kind, bytes))
    }

    /// The size that the object at an offset claims.
    pub fn size(&self, offset: u64, inflate: &mut Inflate) -> Option<u64> {
        let data = self.data()?;
        Some(data.decode_header(data.entry(offset).ok()?, inflate, &|_| Ok(None)).ok()?.object_size)
    }

    fn data(&self) -> Option<&File<gix::odb::pack::MMap>> {
        self.data.get_or_init(|| File::at(&self.path, self.hash).ok()).as_ref()
    }
}
