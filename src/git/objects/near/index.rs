//! The index of a pack, version 2, read a few hundred bytes at a time; and whole, once so much was asked that this costs less.

use std::cell::{Cell, OnceCell};
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
/// After so many questions for each mebibyte the rest is answered from memory.
const MANY_QUESTIONS: u64 = 256;
/// Most bytes that are held of one index: two million objects.
const MOST: u64 = 64 << 20;

/// An open index.
pub struct Index {
    asked: Cell<u64>,
    fan: [u32; FAN],
    file: File,
    /// Bytes from the first id on.
    length: u64,
    /// All that questions are answered from, from the first id on. Packs never change.
    loaded: OnceCell<Vec<u8>>,
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
        let length = file.metadata().ok()?.len();
        let whole = signature == SIGNATURE && fan.is_sorted() && length >= least;
        whole.then(|| Index { asked: Cell::new(0), fan, file, length: length - IDS, loaded: OnceCell::new(), width })
    }

    /// Where the object of this id is in the pack.
    pub fn find(&self, id: &oid) -> Option<u64> {
        self.load_if_asked_much();
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
        let mut window = Vec::new();
        while low < high {
            let from = guess.saturating_sub(wide / 2).clamp(low, high - 1);
            let to = (from + wide).min(high);
            let count = (to - from) as usize;
            let bytes = self.bytes_at(IDS + from * self.width as u64, count * self.width, &mut window)?;
            let known = |place: usize| &bytes[place * self.width..(place + 1) * self.width];
            let before = partition_point(count, |place| known(place) < id);
            if before < count && known(before) == id {
                return Some(from + before as u64);
            }
            if before == 0 {
                high = from;
            } else if before == count {
                low = to;
            } else {
                return None;
            }
            guess = low + (high - low) / 2;
        }
        None
    }

    fn number_at(&self, at: u64, width: usize) -> Option<u64> {
        self.bytes_at(at, width, &mut Vec::new()).map(number)
    }

    /// Bytes of the file, from memory or through `buffer`.
    fn bytes_at<'b>(&'b self, at: u64, length: usize, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
        if let Some(loaded) = self.loaded.get() {
            return loaded.get(usize::try_from(at.checked_sub(IDS)?).ok()?..)?.get(..length);
        }
        buffer.resize(length, 0);
        self.file.read_exact_at(buffer, at).ok()?;
        Some(buffer)
    }

    fn load_if_asked_much(&self) {
        let asked = self.asked.get();
        self.asked.set(asked.saturating_add(1));
        if self.length > MOST || asked <= (self.length * MANY_QUESTIONS) >> 20 || self.loaded.get().is_some() {
            return;
        }
        let mut bytes = vec![0; self.length as usize];
        if self.file.read_exact_at(&mut bytes, IDS).is_ok() {
            self.loaded.get_or_init(|| bytes);
        }
    }
}

/// How many of so many places in order come before the first for which `is_before` does not hold.
fn partition_point(count: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
