//! Reading on from where a reader stopped.

use proptest::prelude::*;

use crate::ledger::append::append;
use crate::ledger::entry::Entry;
use crate::ledger::error::{Defect, LedgerError};
use crate::ledger::scan::{Seen, scan};
use crate::ledger::tests::{Fell, Shelf, entries, entry};
use crate::ledger::tree::{Frontier, TreeHead};
use crate::ledger::{bundle, hash};
use crate::model::time::Timestamp;

#[test]
fn a_first_scan_gives_every_entry_and_what_to_go_on_from() {
    for size in [0, 1, 255, 256, 257, 600] {
        let (shelf, head) = Shelf::filled(size);
        let found = scan(&shelf, head, &Seen::default()).unwrap();
        assert_eq!(found.entries, entries(0..size));
        assert_eq!((found.seen.head(), found.seen.size()), (head, size));
        assert_eq!(found.seen.last(), size.checked_sub(1).map(|last| entry(last).at));
    }
}

#[test]
fn a_later_scan_reads_only_what_is_new() {
    let (mut shelf, head) = Shelf::filled(1000);
    let seen = scan(&shelf, head, &Seen::default()).unwrap().seen;
    let appended = append(&shelf, head, &entries(1000..1010)).unwrap();
    let head = shelf.store(appended);
    shelf.reads.borrow_mut().clear();
    let found = scan(&shelf, head, &seen).unwrap();
    assert_eq!(found.entries, entries(1000..1010));
    assert_eq!(*shelf.reads.borrow(), ["tile/entries/003.p/242"], "one bundle, no hash tile");

    shelf.reads.borrow_mut().clear();
    assert!(scan(&shelf, head, &found.seen).unwrap().entries.is_empty());
    assert!(shelf.reads.borrow().is_empty(), "what was seen is not read again");
}

#[test]
fn what_was_seen_survives_being_written_down() {
    let (shelf, head) = Shelf::filled(300);
    let seen = scan(&shelf, head, &Seen::default()).unwrap().seen;
    let text = serde_json::to_string(&seen).unwrap();
    assert_eq!(serde_json::from_str::<Seen>(&text).unwrap(), seen);
    let nothing = serde_json::to_string(&Seen::default()).unwrap();
    assert_eq!(serde_json::from_str::<Seen>(&nothing).unwrap(), Seen::default());
    assert!(serde_json::from_str::<Seen>(&text.replacen('{', r#"{"x":1,"#, 1)).is_err());
}

#[test]
fn a_reader_who_kept_nothing_goes_on_from_the_right_edge() {
    for size in [0, 1, 300, 512, 1000] {
        let (mut shelf, head) = Shelf::filled(size);
        let seen = Seen::up_to(&shelf, head).unwrap();
        assert!(shelf.reads.borrow().len() <= 4, "{size}: {:?}", shelf.reads.borrow());
        assert_eq!(seen, scan(&shelf, head, &Seen::default()).unwrap().seen);
        let appended = append(&shelf, head, &[entry(size)]).unwrap();
        let head = shelf.store(appended);
        assert_eq!(scan(&shelf, head, &seen).unwrap().entries, [entry(size)]);
    }
    let (shelf, head) = Shelf::filled(300);
    let forged = TreeHead { root: [1; 32], ..head };
    assert_eq!(Seen::up_to(&shelf, forged).unwrap_err(), Defect::Root { head: forged, found: head.root }.into());
}

#[test]
fn any_exchanged_byte_of_an_entry_is_noticed() {
    let (whole, head) = Shelf::filled(300);
    for path in ["tile/entries/000", "tile/entries/001.p/44"] {
        for at in (0..whole.tiles[path].len()).step_by(97) {
            let mut shelf = Shelf { tiles: whole.tiles.clone(), ..Shelf::default() };
            shelf.tamper(path, at);
            assert!(scan(&shelf, head, &Seen::default()).is_err(), "byte {at} of {path}");
        }
    }
}

#[test]
fn a_dropped_a_doubled_and_a_swapped_entry_are_noticed() {
    let (shelf, head) = Shelf::filled(4);
    let forge = |order: [u64; 4]| {
        let mut bytes = Vec::new();
        order.iter().for_each(|index| bundle::add(&mut bytes, entry(*index).to_string()));
        let mut forged = Shelf { tiles: shelf.tiles.clone(), ..Shelf::default() };
        forged.tiles.insert("tile/entries/000.p/4".into(), bytes);
        scan(&forged, head, &Seen::default())
    };
    assert!(forge([0, 1, 2, 3]).is_ok());
    for order in [[0, 1, 3, 3], [0, 0, 2, 3], [1, 0, 2, 3], [0, 2, 1, 3]] {
        let error = forge(order).unwrap_err();
        assert!(matches!(error, LedgerError::Defect(Defect::Root { .. })), "{order:?}: {error:?}");
    }
}

#[test]
fn a_ledger_that_does_not_extend_the_one_seen_is_named_with_it() {
    let (shelf, seen_head) = Shelf::filled(300);
    let seen = scan(&shelf, seen_head, &Seen::default()).unwrap().seen;

    let mut forked = Shelf::default();
    let mut other = entries(0..310);
    other[5] = Entry { artifact: entry(999).artifact, ..entry(5) };
    let appended = append(&forked, TreeHead::empty(), &other).unwrap();
    let head = forked.store(appended);
    assert!(scan(&forked, head, &Seen::default()).is_ok(), "by itself the fork is in order");
    assert_eq!(scan(&forked, head, &seen).unwrap_err(), Defect::NotExtended { seen: seen_head, head }.into());

    let same_size = TreeHead { size: 300, root: [1; 32] };
    let error = scan(&shelf, same_size, &seen).unwrap_err();
    assert_eq!(error, Defect::NotExtended { seen: seen_head, head: same_size }.into());

    let (shorter, head) = Shelf::filled(299);
    assert_eq!(scan(&shorter, head, &seen).unwrap_err(), Defect::RolledBack { seen: seen_head, head }.into());
}

/// A ledger whose registrar wrote these entries without [`append`] holding up their times.
fn written_by_hand(entries: &[Entry]) -> (Shelf, TreeHead) {
    let (mut bytes, mut frontier) = (Vec::new(), Frontier::default());
    for entry in entries {
        bundle::add(&mut bytes, entry.to_string());
        frontier.push(entry.to_string().as_bytes());
    }
    let mut shelf = Shelf::default();
    shelf.tiles.insert(format!("tile/entries/000.p/{}", entries.len()), bytes);
    (shelf, frontier.head())
}

#[test]
fn a_registrar_that_dates_an_entry_back_is_caught() {
    let at = |seconds| Entry { at: Timestamp(seconds), ..entry(0) };
    let back =
        |index| LedgerError::<Fell>::from(Defect::TimeWentBack { index, before: Timestamp(7), at: Timestamp(6) });
    let (shelf, head) = written_by_hand(&[at(5), at(7), at(6)]);
    assert_eq!(scan(&shelf, head, &Seen::default()).unwrap_err(), back(2));

    let (shelf, head) = written_by_hand(&[at(5), at(7)]);
    let seen = scan(&shelf, head, &Seen::default()).unwrap().seen;
    let (shelf, head) = written_by_hand(&[at(5), at(7), at(6)]);
    assert_eq!(scan(&shelf, head, &seen).unwrap_err(), back(2), "also where a later scan goes on");
}

#[test]
fn an_entry_that_cannot_be_read_is_named_by_its_index() {
    let mut bytes = Vec::new();
    bundle::add(&mut bytes, "no entry\n");
    let mut shelf = Shelf::default();
    shelf.tiles.insert("tile/entries/000.p/1".into(), bytes);
    let head = TreeHead { size: 1, root: hash::leaf(b"no entry\n") };
    let error = scan(&shelf, head, &Seen::default()).unwrap_err();
    assert!(matches!(error, LedgerError::Defect(Defect::Entry { index: 0, .. })), "{error:?}");
}

#[test]
fn a_huge_head_without_storage_fails_at_the_first_tile() {
    let head = TreeHead { size: (1 << 53) - 1, root: [0; 32] };
    let error = scan(&Shelf::default(), head, &Seen::default()).unwrap_err();
    assert_eq!(error, Defect::Missing { path: "tile/entries/000".into() }.into());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn scanning_in_steps_gives_what_one_scan_gives(steps in proptest::collection::vec(0u64..200, 1..6)) {
        let (mut shelf, mut head, mut seen) = (Shelf::default(), TreeHead::empty(), Seen::default());
        let mut found = Vec::new();
        for step in steps {
            let appended = append(&shelf, head, &entries(head.size..head.size + step)).unwrap();
            head = shelf.store(appended);
            let scanned = scan(&shelf, head, &seen).unwrap();
            found.extend(scanned.entries);
            seen = scanned.seen;
        }
        prop_assert_eq!(found, entries(0..head.size));
        prop_assert_eq!(seen, scan(&shelf, head, &Seen::default()).unwrap().seen);
    }
}
