//! How two heads of one ledger stand to each other.

use crate::ledger::append::append;
use crate::ledger::checkpoint::Checkpoint;
use crate::ledger::consistency::ConsistencyError;
use crate::ledger::entry::Entry;
use crate::ledger::relation::{Relation, RelationError, relation};
use crate::ledger::stored::Stored;
use crate::ledger::tests::{Shelf, checkpoint, entries, entry, origin};
use crate::ledger::tree::TreeHead;

/// Another history of the same registrar, apart from the third entry on.
fn forked(size: u64) -> (Shelf, Checkpoint) {
    let mut other = entries(0..size);
    other[2] = Entry { artifact: entry(999).artifact, ..entry(2) };
    let mut shelf = Shelf::default();
    let appended = append(&shelf, TreeHead::empty(), &other).unwrap();
    let head = shelf.store(appended);
    (shelf, Checkpoint { origin: origin(1), head })
}

#[test]
fn a_ledger_that_grew_extends() {
    let (shelf, head) = Shelf::filled(9);
    let mut stored = Stored::new(&shelf, head).unwrap();
    for size in 0..9 {
        let proof = stored.prove_consistency(size, 9).unwrap();
        assert_eq!(relation(&checkpoint(1, size), &checkpoint(1, 9), Some(&proof)), Ok(Relation::Extends), "{size}");
    }
    assert_eq!(relation(&checkpoint(1, 9), &checkpoint(1, 9), None), Ok(Relation::Same));
}

#[test]
fn a_fork_is_shown_at_every_size_powers_of_two_included() {
    let (shelf, newer) = forked(9);
    let mut stored = Stored::new(&shelf, newer.head).unwrap();
    for size in 0..9 {
        let older = checkpoint(1, size);
        let proof = stored.prove_consistency(size, 9).unwrap();
        let expected = match size {
            0..=2 => Relation::Extends,
            _ => Relation::Forked { older: older.head, newer: newer.head },
        };
        assert_eq!(relation(&older, &newer, Some(&proof)), Ok(expected), "{size}");
    }
    let older = checkpoint(1, 9);
    let expected = Relation::Forked { older: older.head, newer: newer.head };
    assert_eq!(relation(&older, &newer, None), Ok(expected), "two roots of one size need no proof");
}

#[test]
fn a_shorter_ledger_was_rolled_back() {
    let (older, newer) = (checkpoint(1, 9), checkpoint(1, 4));
    let expected = Relation::RolledBack { older: older.head, newer: newer.head };
    assert_eq!(relation(&older, &newer, None), Ok(expected));
}

#[test]
fn a_proof_that_does_not_hold_accuses_nobody() {
    let (shelf, head) = Shelf::filled(9);
    let (older, newer) = (checkpoint(1, 5), checkpoint(1, 9));
    let mut proof = Stored::new(&shelf, head).unwrap().prove_consistency(5, 9).unwrap();
    proof.path[0][0] ^= 1;
    let error = relation(&older, &newer, Some(&proof)).unwrap_err();
    assert!(
        matches!(&error, RelationError::Proof { defect, .. } if matches!(**defect, ConsistencyError::Root { .. })),
        "{error:?}"
    );

    let other = Stored::new(&shelf, head).unwrap().prove_consistency(4, 9).unwrap();
    let error = relation(&older, &newer, Some(&other)).unwrap_err();
    assert!(
        matches!(&error, RelationError::Proof { defect, .. } if matches!(**defect, ConsistencyError::Size { .. })),
        "{error:?}"
    );

    let expected = RelationError::NoProof { older: older.head, newer: newer.head };
    assert_eq!(relation(&older, &newer, None), Err(expected));
}

#[test]
fn checkpoints_of_two_ledgers_are_not_compared() {
    let expected = RelationError::Origins { older: origin(1), newer: origin(2) };
    assert_eq!(relation(&checkpoint(1, 5), &checkpoint(2, 5), None), Err(expected));
}
