//! Ledgers: entries, checkpoints and tiles, as they are and as somebody would have them.

mod checkpoints;
mod entries;
mod tiles;

use git_boundary::ledger::Entry;

use super::cast::START;
use super::gate::parts::{digest, oid};
use super::vector::Vector;

pub fn vectors() -> Vec<Vector> {
    [entries::vectors(), checkpoints::vectors(), tiles::vectors()].concat()
}

fn entry(number: u8) -> Entry {
    let annotated = (!number.is_multiple_of(3)).then(|| oid(number));
    Entry { artifact: digest(number), line: digest(0x80 | number), annotated, at: START.plus(i64::from(number)) }
}
