//! The ledger against RFC 9162, the C2SP oracles, and people who tamper.

mod append;
mod chain;
mod checkpoint;
mod cosignature;
mod entry;
mod note;
mod proofs;
mod relation;
mod scan;
mod tiles;
mod tree;

use std::cell::RefCell;
use std::collections::BTreeMap;

use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};

use super::append::Appended;
use super::checkpoint::{Checkpoint, Origin, SignedCheckpoint};
use super::entry::Entry;
use super::hash::{self, Hash};
use super::stored::TileSource;
use super::tree::TreeHead;
use crate::model::digest::Digest;
use crate::model::id::{KeyId, Oid, RepositoryId};
use crate::model::time::Timestamp;

/// The storage in these tests: a map that counts what is read.
#[derive(Default)]
struct Shelf {
    tiles: BTreeMap<String, Vec<u8>>,
    reads: RefCell<Vec<String>>,
    /// A path whose reading fails.
    broken: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the shelf fell down")]
struct Fell;

impl TileSource for Shelf {
    type Error = Fell;

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Fell> {
        self.reads.borrow_mut().push(path.to_owned());
        if self.broken.as_deref() == Some(path) { Err(Fell) } else { Ok(self.tiles.get(path).cloned()) }
    }
}

impl Shelf {
    /// Puts on the shelf what appending came to.
    fn store(&mut self, appended: Appended) -> TreeHead {
        for path in &appended.removes {
            assert!(self.tiles.remove(path).is_some(), "only tiles that are there are removed: {path}");
        }
        self.tiles.extend(appended.writes);
        appended.head
    }

    /// A ledger of `size` entries, made in one go.
    fn filled(size: u64) -> (Shelf, TreeHead) {
        let mut shelf = Shelf::default();
        let appended = super::append::append(&shelf, TreeHead::empty(), &entries(0..size)).unwrap();
        let head = shelf.store(appended);
        (shelf, head)
    }

    /// Changes one byte of a stored tile.
    fn tamper(&mut self, path: &str, at: usize) {
        self.tiles.get_mut(path).unwrap()[at] ^= 1;
    }
}

/// The entry that stands at `index` in these tests; times go up by one every tenth entry.
fn entry(index: u64) -> Entry {
    let number = index.to_be_bytes();
    let annotated = match index % 3 {
        0 => Some(&[7; 20][..]),
        1 => Some(&[8; 32][..]),
        _ => None,
    };
    Entry {
        artifact: Digest(hash::sha256(&[b"artifact", &number])),
        line: Digest(hash::sha256(&[b"line", &number])),
        annotated: annotated.map(|raw| Oid::from_bytes(raw).unwrap()),
        at: Timestamp(1_780_000_000 + (index / 10) as i64),
    }
}

fn entries(range: std::ops::Range<u64>) -> Vec<Entry> {
    range.map(entry).collect()
}

/// Leaf hashes of the first `size` entries.
fn leaves(size: u64) -> Vec<Hash> {
    (0..size).map(|index| entry(index).leaf_hash()).collect()
}

/// The tree hash by RFC 9162's recursive definition, with nothing clever.
fn defined_root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => hash::sha256(&[]),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            hash::sha256(&[&[1], &defined_root(left), &defined_root(right)])
        }
    }
}

/// The nodes of the first `size` entries as the oracle numbers them.
struct Oracle(Vec<tlog_tiles::tlog::Hash>);

impl Oracle {
    fn of(size: u64) -> Oracle {
        let mut oracle = Oracle(Vec::new());
        for index in 0..size {
            let leaf = tlog_tiles::tlog::Hash(entry(index).leaf_hash());
            let new = tlog_tiles::tlog::stored_hashes_for_record_hash(index, leaf, &oracle).unwrap();
            oracle.0.extend(new);
        }
        oracle
    }
}

impl tlog_tiles::tlog::HashReader for Oracle {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<tlog_tiles::tlog::Hash>, tlog_tiles::tlog::Error> {
        Ok(indexes.iter().map(|index| self.0[*index as usize]).collect())
    }
}

fn signing_key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

fn public_key(seed: u8) -> [u8; 32] {
    signing_key(seed).verifying_key().to_bytes()
}

fn sign(seed: u8) -> impl FnOnce(&[u8]) -> Result<[u8; 64], Fell> {
    move |message| Ok(signing_key(seed).sign(message).to_bytes())
}

fn strict(key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
    VerifyingKey::from_bytes(key)
        .is_ok_and(|key| key.verify_strict(message, &ed25519_dalek::Signature::from_bytes(signature)).is_ok())
}

fn origin(seed: u8) -> Origin {
    let registrar = KeyId::of(&Digest(hash::sha256(&[&public_key(seed)])));
    Origin { repository: RepositoryId([0xab; 16]), registrar }
}

fn checkpoint(seed: u8, size: u64) -> Checkpoint {
    Checkpoint { origin: origin(seed), head: TreeHead { size, root: defined_root(&leaves(size)) } }
}

fn signed(seed: u8, size: u64) -> SignedCheckpoint {
    checkpoint(seed, size).sign(&public_key(seed), sign(seed)).unwrap()
}
