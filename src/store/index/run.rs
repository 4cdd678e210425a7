//! A run: entries of a stretch of the ledger, sorted by what they annotate, in a file that never changes.
//!
//! The records come first, then a table of where the records of each prefix of an id begin. A question reads two numbers of the table
//! and the few records between them, with one neighbour on either side: the neighbours show that nothing was left out.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use super::record::{WIDTH, decode, encode};
use super::{Indexed, damaged};
use crate::model::id::Oid;
use crate::store::error::StoreError;

/// Records of one prefix, about.
const TOGETHER: u64 = 16;
const MOST_BITS: u32 = 24;

/// An open run.
#[derive(Debug)]
pub struct Run {
    bits: u32,
    count: u64,
    file: File,
    path: PathBuf,
}

/// The bytes of a run's file.
pub fn bytes(mut entries: Vec<Indexed>) -> Vec<u8> {
    entries.retain(|one| one.entry.annotated.is_some());
    entries.sort_unstable_by_key(|one| (one.entry.annotated, one.index));
    let count = entries.len() as u64;
    let bits = bits(count);
    let mut bytes = Vec::with_capacity(entries.len() * WIDTH + (4 << bits) + 4);
    let mut table: Vec<u32> = Vec::with_capacity((1 << bits) + 1);
    for (place, one) in entries.iter().enumerate() {
        let prefix = one.entry.annotated.map_or(0, |oid| prefix(&oid, bits));
        while table.len() as u64 <= prefix {
            table.push(place as u32);
        }
        bytes.extend(encode(place as u64, one).into_iter().flatten());
    }
    table.resize((1 << bits) + 1, count as u32);
    bytes.extend(table.iter().flat_map(|place| place.to_be_bytes()));
    bytes
}

impl Run {
    /// Opens a run that holds `count` entries.
    ///
    /// # Errors
    /// When the file is not there, cannot be read, or has another length.
    pub fn open(path: PathBuf, count: u64) -> io::Result<Self> {
        let file = File::open(&path)?;
        let bits = bits(count);
        let expected = count.saturating_mul(WIDTH as u64).saturating_add((4 << bits) + 4);
        if u32::try_from(count).is_err() || file.metadata()?.len() != expected {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Run { bits, count, file, path })
    }

    /// How many entries it holds.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The entries that annotate an object.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn find(&self, oid: &Oid) -> Result<Vec<Indexed>, StoreError> {
        let wanted = prefix(oid, self.bits);
        let mut ends = [0; 8];
        self.read(&mut ends, self.count * WIDTH as u64 + 4 * wanted)?;
        let [first, last] = [0, 4].map(|at| u64::from(u32::from_be_bytes([0, 1, 2, 3].map(|byte| ends[at + byte]))));
        if first > last || last > self.count {
            return Err(damaged(&self.path));
        }
        let (from, to) = (first.saturating_sub(1), (last + 1).min(self.count));
        let near = self.records(from, to)?;
        let in_order = near.iter().zip(from..).all(|(one, place)| {
            let found = one.entry.annotated.map(|oid| prefix(&oid, self.bits));
            found.is_some_and(|found| match place {
                place if place < first => found < wanted,
                place if place < last => found == wanted,
                _ => found > wanted,
            })
        });
        if !in_order {
            return Err(damaged(&self.path));
        }
        Ok(near.into_iter().filter(|one| one.entry.annotated.as_ref() == Some(oid)).collect())
    }

    /// Every entry.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn all(&self) -> Result<Vec<Indexed>, StoreError> {
        self.records(0, self.count)
    }

    fn records(&self, from: u64, to: u64) -> Result<Vec<Indexed>, StoreError> {
        let mut bytes = vec![0; (to - from) as usize * WIDTH];
        self.read(&mut bytes, from * WIDTH as u64)?;
        let records = bytes.chunks_exact(WIDTH).zip(from..).map(|(bytes, place)| decode(place, bytes));
        records.collect::<Option<_>>().ok_or_else(|| damaged(&self.path))
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> Result<(), StoreError> {
        self.file.read_exact_at(bytes, at).map_err(|source| StoreError::File { path: self.path.clone(), source })
    }
}

fn bits(count: u64) -> u32 {
    (count / TOGETHER).checked_ilog2().map_or(0, |bits| bits.min(MOST_BITS))
}

/// The first bits of an id.
fn prefix(oid: &Oid, bits: u32) -> u64 {
    let first = oid.as_bytes()[..4].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    first >> (32 - bits)
}
