//! Loose objects: one file each.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use gix::hash::oid;
use gix::objs::decode::loose_header;
use gix::zlib::Inflate;

use super::Read;

/// Larger files and objects are left to gix, which reads them piece by piece.
const LARGEST: u64 = 16 << 20;
/// More than most files have.
const MOSTLY: usize = 8192;
/// More than any header of an object has.
const HEADER: usize = 64;

/// The file of an object.
pub fn path(dir: &Path, id: &oid) -> PathBuf {
    let hex = id.to_hex().to_string();
    let mut path = PathBuf::with_capacity(dir.as_os_str().len() + hex.len() + 2);
    path.push(dir);
    path.push(&hex[..2]);
    path.push(&hex[2..]);
    path
}

/// Kind and bytes of a loose object.
pub fn read(dir: &Path, id: &oid, limit: u64, inflate: &mut Inflate) -> Option<Read> {
    let stored = stored(&path(dir, id))?;
    let mut start = [0; HEADER];
    inflate.reset();
    let (_, consumed, written) = inflate.prefix(&stored, &mut start).ok()?;
    let (kind, size, header) = loose_header(&start[..written]).ok()?;
    if size > limit {
        return Some(Read::TooLarge(size));
    }
    if size > LARGEST {
        return None;
    }
    let size = usize::try_from(size).ok()?;
    if written - header > size {
        return None;
    }
    let mut bytes = Vec::new();
    let found = inflate.rest(&stored[consumed..], &start[..written], header, &mut bytes, size).ok()?;
    (found == size).then_some(Read::Whole(kind, bytes))
}

/// The file's bytes. Most are a few hundred, which one call reads with room to spare and so to the end.
fn stored(path: &Path) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    let mut stored = vec![0; MOSTLY];
    let read = file.read(&mut stored).ok()?;
    stored.truncate(read);
    if read == MOSTLY {
        file.take(LARGEST).read_to_end(&mut stored).ok()?;
    }
    (stored.len() as u64 <= LARGEST).then_some(stored)
}

/// The size that a loose object claims.
pub fn size(dir: &Path, id: &oid, inflate: &mut Inflate) -> Option<u64> {
    let mut stored = [0; 4 * HEADER];
    let read = File::open(path(dir, id)).ok()?.read(&mut stored).ok()?;
    let mut start = [0; HEADER];
    inflate.reset();
    let (_, _, written) = inflate.prefix(&stored[..read], &mut start).ok()?;
    Some(loose_header(&start[..written]).ok()?.1)
}
