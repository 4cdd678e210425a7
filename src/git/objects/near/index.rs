//! The index of a pack, version 2, read a few hundred bytes at a time.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use gix::hash::{Kind, oid};

const SIGNATURE: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
const FAN: usize = 256;
/// Where the ids begin.
const IDS: u64 = 8 + 4 * FAN as u64;
/// Ids that are read at once, at the least.
const LEAST_WINDOW: u64 = 32;

/// An open index.
pub struct Index {
    fan: [u32; FAN],
    file: File,
    width: usize,
}

impl Index {
    /// Opens an index; `None` for one of another version, or that is too short to be whole.
    pub fn open(path: &Path, hash: Kind) -> Option<Self> {
        let file = File::open(path).ok()?;
        let mut head = [0; IDS as usize];
        file.read_exact_at(&mut head, 0).ok()?;
        let (signature, table) = head.split_at(SIGNATURE.len());
        let mut fan = [0; FAN];
        for (count, bytes) in fan.iter_mut().zip(table.chunks_exact(4)) {
            *count = number(bytes) as u32;
        }
        let width = hash.len_in_bytes();
        let least = IDS + u64::from(fan[FAN - 1]) * (width as u64 + 8) + 2 * width as u64;
        let whole = signature == SIGNATURE && fan.is_sorted() && file.metadata().ok()?.len() >= least;
        whole.then_some(Index { fan, file, width })
    }

    /// Where the object of this id is in the pack.
    pub fn find(&self, id: &oid) -> Option<u64> {
        let place = self.place(id.as_bytes())?;
        let count = u64::from(self.fan[FAN - 1]);
        let offsets = IDS + count * (self.width as u64 + 4);
        let short = self.number_at(offsets + 4 * place, 4)?;
        if short >> 31 == 0 {
            return Some(short);
        }
        self.number_at(offsets + 4 * count + 8 * (short & 0x7fff_ffff), 8)
    }

    /// The place of an id among the sorted ids: guessed from its digits, which are as good as random, and narrowed from there.
    fn place(&self, id: &[u8]) -> Option<u64> {
        let first = usize::from(*id.first()?);
        let mut low = if first == 0 { 0 } else { u64::from(self.fan[first - 1]) };
        let mut high = u64::from(self.fan[first]);
        let mut guess = low + (((high - low) * number(&id[1..5])) >> 32);
        // Four times as far as a guess is off by chance.
        let wide = LEAST_WINDOW.max(4 * (high - low).isqrt());
        let mut window = vec![0; wide as usize * self.width];
        while low < high {
            let from = guess.saturating_sub(wide / 2).clamp(low, high - 1);
            let to = (from + wide).min(high);
            let bytes = &mut window[..(to - from) as usize * self.width];
            self.file.read_exact_at(bytes, IDS + from * self.width as u64).ok()?;
            let ids: Vec<&[u8]> = bytes.chunks_exact(self.width).collect();
            let before = ids.partition_point(|known| *known < id);
            if ids.get(before).is_some_and(|known| *known == id) {
                return Some(from + before as u64);
            }
            if before == 0 {
                high = from;
            } else if before == ids.len() {
                low = to;
            } else {
                return None;
            }
            guess = low + (high - low) / 2;
        }
        None
    }

    fn number_at(&self, at: u64, width: usize) -> Option<u64> {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes[..width], at).ok()?;
        Some(number(&bytes[..width]))
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
