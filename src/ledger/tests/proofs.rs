//! Inclusion and consistency, against another implementation.

use proptest::prelude::*;

use crate::ledger::consistency::{ConsistencyError, ConsistencyProof};
use crate::ledger::error::{Defect, LedgerError};
use crate::ledger::hash::Hash;
use crate::ledger::inclusion::{InclusionError, InclusionProof};
use crate::ledger::stored::Stored;
use crate::ledger::tests::{Oracle, Shelf, defined_root, entries, entry, leaves};
use crate::ledger::tree::TreeHead;

const SIZE: u64 = 600;

/// Heads of every size up to [`SIZE`].
fn heads() -> Vec<TreeHead> {
    let all = leaves(SIZE);
    (0..=SIZE).map(|size| TreeHead { size, root: defined_root(&all[..size as usize]) }).collect()
}

fn plain(path: Vec<tlog_tiles::tlog::Hash>) -> Vec<Hash> {
    path.into_iter().map(|hash| hash.0).collect()
}

#[test]
fn every_entry_is_proved_in_every_tree_and_in_no_other_place() {
    let (shelf, head) = Shelf::filled(SIZE);
    let mut stored = Stored::new(&shelf, head).unwrap();
    let (heads, all) = (heads(), leaves(SIZE));
    for size in 1..=SIZE {
        for index in 0..size {
            let proof = stored.prove_inclusion(index, size).unwrap();
            let head = &heads[size as usize];
            assert_eq!(proof.verify(&all[index as usize], head), Ok(()), "{index} of {size}");
            let other = &all[((index + 1) % SIZE) as usize];
            assert!(proof.verify(other, head).is_err(), "another entry passes for {index} of {size}");
        }
    }
}

#[test]
fn every_tree_is_proved_to_begin_every_later_one() {
    let (shelf, head) = Shelf::filled(SIZE);
    let mut stored = Stored::new(&shelf, head).unwrap();
    let heads = heads();
    for newer in 0..=SIZE {
        for older in 0..=newer {
            let proof = stored.prove_consistency(older, newer).unwrap();
            assert_eq!(proof.older, heads[older as usize], "the prover's own older head");
            assert_eq!(proof.verify(&heads[newer as usize]), Ok(()), "{older} to {newer}");
        }
    }
}

#[test]
fn proofs_are_those_of_the_oracle() {
    let (shelf, head) = Shelf::filled(SIZE);
    let mut stored = Stored::new(&shelf, head).unwrap();
    let oracle = Oracle::of(SIZE);
    for size in [1, 2, 3, 7, 8, 255, 256, 257, 511, 512, 513, 599, 600] {
        for index in 0..size {
            let expected = plain(tlog_tiles::tlog::prove_record(size, index, &oracle).unwrap());
            assert_eq!(stored.prove_inclusion(index, size).unwrap().path, expected, "{index} of {size}");
            let expected = plain(tlog_tiles::tlog::prove_tree(size, index + 1, &oracle).unwrap());
            assert_eq!(stored.prove_consistency(index + 1, size).unwrap().path, expected, "{} to {size}", index + 1);
        }
    }
}

#[test]
fn a_proof_reads_a_handful_of_tiles_of_a_large_ledger() {
    let (shelf, head) = Shelf::filled(70_000);
    for index in [0, 255, 256, 40_000, 69_999] {
        shelf.reads.borrow_mut().clear();
        let (found, _) = Stored::new(&shelf, head).unwrap().verified_entry(index).unwrap();
        assert_eq!(found, entry(index));
        assert!(shelf.reads.borrow().len() <= 6, "entry {index}: {:?}", shelf.reads.borrow());
    }
    shelf.reads.borrow_mut().clear();
    let proof = Stored::new(&shelf, head).unwrap().prove_consistency(12_345, 70_000).unwrap();
    assert_eq!(proof.verify(&head), Ok(()));
    assert!(shelf.reads.borrow().len() <= 6, "{:?}", shelf.reads.borrow());
}

#[test]
fn inclusion_proofs_of_the_wrong_shape_are_refused() {
    let (shelf, head) = Shelf::filled(7);
    let proof = Stored::new(&shelf, head).unwrap().prove_inclusion(6, 7).unwrap();
    let leaf = entry(6).leaf_hash();
    let verify = |change: fn(&mut InclusionProof)| {
        let mut proof = proof.clone();
        change(&mut proof);
        proof.verify(&leaf, &head).unwrap_err()
    };
    assert_eq!(verify(|p| p.size = 8), InclusionError::Size { head: 7, proof: 8 });
    assert_eq!(verify(|p| p.index = 7), InclusionError::Index { index: 7, size: 7 });
    assert_eq!(verify(|p| p.index = u64::MAX), InclusionError::Index { index: u64::MAX, size: 7 });
    assert_eq!(verify(|p| p.path.truncate(p.path.len() - 1)), InclusionError::Length { expected: 2, found: 1 });
    assert_eq!(verify(|p| p.path.push([0; 32])), InclusionError::Length { expected: 2, found: 3 });
    assert!(matches!(verify(|p| p.path.swap(0, 1)), InclusionError::Root { .. }));
    let none = InclusionProof { index: 0, size: 0, path: vec![] };
    assert_eq!(none.verify(&leaf, &TreeHead::empty()), Err(InclusionError::Index { index: 0, size: 0 }));
    let huge = InclusionProof { index: u64::MAX - 1, size: u64::MAX, path: vec![[0; 32]; 64] };
    let expected = InclusionError::Length { expected: 63, found: 64 };
    assert_eq!(huge.verify(&leaf, &TreeHead { size: u64::MAX, root: [0; 32] }), Err(expected));
}

#[test]
fn consistency_proofs_of_the_wrong_shape_are_refused() {
    let (shelf, head) = Shelf::filled(7);
    let proof = Stored::new(&shelf, head).unwrap().prove_consistency(3, 7).unwrap();
    let verify = |change: fn(&mut ConsistencyProof)| {
        let mut proof = proof.clone();
        change(&mut proof);
        proof.verify(&head).unwrap_err()
    };
    assert_eq!(verify(|p| p.size = 8), ConsistencyError::Size { older: 3, proof: 8, newer: 7 });
    assert_eq!(verify(|p| p.older.size = 8), ConsistencyError::Size { older: 8, proof: 7, newer: 7 });
    assert_eq!(verify(|p| p.path.truncate(p.path.len() - 1)), ConsistencyError::Length { expected: 4, found: 3 });
    assert_eq!(verify(|p| p.path.push([0; 32])), ConsistencyError::Length { expected: 4, found: 5 });
    assert_eq!(verify(|p| p.path.clear()), ConsistencyError::Length { expected: 4, found: 0 });
    assert!(matches!(verify(|p| p.older.root = [0; 32]), ConsistencyError::Root { .. }));
    assert!(matches!(verify(|p| p.path.swap(0, 1)), ConsistencyError::Root { .. }));
}

#[test]
fn the_cases_without_a_path_are_strict_too() {
    let heads = heads();
    let proof = |older, size| ConsistencyProof { older, size, path: vec![] };
    assert_eq!(proof(heads[0], 5).verify(&heads[5]), Ok(()), "the empty tree begins every tree");
    assert_eq!(proof(heads[0], 0).verify(&heads[0]), Ok(()));
    assert_eq!(proof(heads[5], 5).verify(&heads[5]), Ok(()));
    let forged = TreeHead { size: 0, root: [1; 32] };
    assert!(proof(forged, 5).verify(&heads[5]).is_err(), "an empty tree with another root");
    assert!(proof(forged, 0).verify(&forged).is_err(), "even if both say so");
    assert!(proof(heads[0], 0).verify(&forged).is_err());
    assert!(proof(TreeHead { root: [1; 32], ..heads[5] }, 5).verify(&heads[5]).is_err(), "one size, two roots");
    let padded = ConsistencyProof { path: vec![[0; 32]], ..proof(heads[0], 5) };
    assert_eq!(padded.verify(&heads[5]), Err(ConsistencyError::Length { expected: 0, found: 1 }));
    assert!(proof(heads[5], 6).verify(&heads[6]).is_err(), "no path where one is needed");
}

#[test]
fn proofs_survive_being_written_down_and_admit_no_unknown_field() {
    let (shelf, head) = Shelf::filled(7);
    let mut stored = Stored::new(&shelf, head).unwrap();
    let inclusion = stored.prove_inclusion(2, 7).unwrap();
    let text = serde_json::to_string(&inclusion).unwrap();
    assert!(text.starts_with(r#"{"index":2,"size":7,"path":["sha256:"#), "{text}");
    assert_eq!(serde_json::from_str::<InclusionProof>(&text).unwrap(), inclusion);
    assert!(serde_json::from_str::<InclusionProof>(&text.replacen('{', r#"{"x":1,"#, 1)).is_err());
    let consistency = stored.prove_consistency(3, 7).unwrap();
    let text = serde_json::to_string(&consistency).unwrap();
    assert_eq!(serde_json::from_str::<ConsistencyProof>(&text).unwrap(), consistency);
    assert!(serde_json::from_str::<ConsistencyProof>(&text.replacen('{', r#"{"x":1,"#, 1)).is_err());
}

#[test]
fn what_is_not_there_cannot_be_proved() {
    let (shelf, head) = Shelf::filled(7);
    let mut stored = Stored::new(&shelf, head).unwrap();
    let no_entry = |index, size| LedgerError::from(Defect::NoSuchEntry { index, size });
    let no_size = |asked, size| LedgerError::from(Defect::NoSuchSize { asked, size });
    assert_eq!(stored.entry(7).unwrap_err(), no_entry(7, 7));
    assert_eq!(stored.entry(u64::MAX).unwrap_err(), no_entry(u64::MAX, 7));
    assert_eq!(stored.entries(5..8).unwrap_err(), no_entry(7, 7));
    assert_eq!(stored.entries(5..7).unwrap(), [entry(5), entry(6)]);
    assert_eq!(stored.prove_inclusion(5, 5).unwrap_err(), no_entry(5, 5));
    assert_eq!(stored.prove_inclusion(5, 8).unwrap_err(), no_size(8, 7));
    assert_eq!(stored.prove_consistency(5, 8).unwrap_err(), no_size(8, 7));
    assert_eq!(stored.prove_consistency(5, 4).unwrap_err(), no_size(5, 4));
    assert_eq!(stored.root_at(8).unwrap_err(), no_size(8, 7));
}

#[test]
fn a_range_of_entries_reads_each_bundle_once() {
    let (shelf, head) = Shelf::filled(600);
    let mut stored = Stored::new(&shelf, head).unwrap();
    assert_eq!(stored.entries(250..520).unwrap(), entries(250..520));
    let bundles = ["tile/entries/000", "tile/entries/001", "tile/entries/002.p/88"];
    assert_eq!(*shelf.reads.borrow(), bundles);
    assert_eq!(stored.entry(0).unwrap(), entry(0), "going back reads the other bundle again");
}

#[test]
fn an_exchanged_entry_is_not_verified() {
    let (mut shelf, head) = Shelf::filled(300);
    let at = shelf.tiles["tile/entries/000"].windows(6).position(|w| w == b"sha256").unwrap() + 8;
    // The digit stays a digit, so that the entry itself can still be read.
    shelf.tamper("tile/entries/000", at);
    let mut stored = Stored::new(&shelf, head).unwrap();
    assert_ne!(stored.entry(0).unwrap(), entry(0), "reading alone confirms nothing");
    assert_eq!(stored.verified_entry(0).unwrap_err(), Defect::EntryNotInTree { index: 0, head }.into());
    assert_eq!(stored.verified_entry(1).unwrap().0, entry(1), "its neighbours are");
    assert_eq!(stored.check_root(), Ok(()), "the hashes are whole");
    shelf.tamper("tile/0/001.p/44", 3);
    assert!(matches!(Stored::new(&shelf, head).unwrap().check_root(), Err(LedgerError::Defect(Defect::Root { .. }))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn an_inclusion_proof_with_any_byte_changed_fails(size in 1u64..SIZE, place: prop::sample::Index, flip in 1u8..) {
        let (shelf, head) = Shelf::filled(size);
        let index = place.index(size as usize) as u64;
        let leaf = entry(index).leaf_hash();
        let proof = Stored::new(&shelf, head).unwrap().prove_inclusion(index, size).unwrap();
        for at in 0..proof.path.len() * 32 {
            let mut changed = proof.clone();
            changed.path[at / 32][at % 32] ^= flip;
            prop_assert!(changed.verify(&leaf, &head).is_err(), "byte {}", at);
        }
        for at in 0..32 {
            let (mut other, mut forged) = (leaf, head);
            other[at] ^= flip;
            forged.root[at] ^= flip;
            prop_assert!(proof.verify(&other, &head).is_err(), "byte {} of the leaf", at);
            prop_assert!(proof.verify(&leaf, &forged).is_err(), "byte {} of the root", at);
        }
        for other in (0..size).filter(|other| *other != index) {
            let changed = InclusionProof { index: other, ..proof.clone() };
            prop_assert!(changed.verify(&leaf, &head).is_err(), "also holds at {}", other);
        }
    }

    #[test]
    fn a_consistency_proof_with_any_byte_changed_fails(newer in 1u64..SIZE, place: prop::sample::Index, flip in 1u8..) {
        let (shelf, head) = Shelf::filled(newer);
        let older = place.index(newer as usize + 1) as u64;
        let proof = Stored::new(&shelf, head).unwrap().prove_consistency(older, newer).unwrap();
        for at in 0..proof.path.len() * 32 {
            let mut changed = proof.clone();
            changed.path[at / 32][at % 32] ^= flip;
            prop_assert!(changed.verify(&head).is_err(), "byte {}", at);
        }
        for at in 0..32 {
            let (mut changed, mut forged) = (proof.clone(), head);
            changed.older.root[at] ^= flip;
            forged.root[at] ^= flip;
            prop_assert!(changed.verify(&head).is_err(), "byte {} of the older root", at);
            // Of the empty tree every tree is an extension, whatever its root.
            prop_assert!(older == 0 || proof.verify(&forged).is_err(), "byte {} of the newer root", at);
        }
    }
}
