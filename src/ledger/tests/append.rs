//! Appending, against trees built at once.

use proptest::prelude::*;
use tlog_tiles::tile::Tile as OracleTile;

use crate::ledger::append::append;
use crate::ledger::entry::{Entry, EntryError};
use crate::ledger::error::{Defect, LedgerError};
use crate::ledger::stored::Stored;
use crate::ledger::tests::{Fell, Oracle, Shelf, defined_root, entries, entry, leaves};
use crate::ledger::tiles::{Content, Tile};
use crate::ledger::tree::{SIZE_LIMIT, TreeHead};
use crate::model::id::Oid;
use crate::model::time::Timestamp;

/// The shelf holds the tiles of such a ledger, all of them, nothing else, with the oracle's content.
fn assert_whole(shelf: &Shelf, size: u64, oracle: &Oracle) {
    let mut expected: Vec<String> = Tile::all(size).map(|tile| tile.path()).collect();
    expected.sort();
    assert_eq!(shelf.tiles.keys().cloned().collect::<Vec<_>>(), expected, "tiles of {size}");
    for tile in Tile::all(size) {
        let content = match tile.content {
            Content::Entries => {
                let first = tile.index * 256;
                (first..first + u64::from(tile.width))
                    .flat_map(|index| {
                        let text = entry(index).to_string();
                        [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat()
                    })
                    .collect()
            }
            Content::Hashes(level) => {
                OracleTile::new(8, level, tile.index, u32::from(tile.width), false).read_data(oracle).unwrap()
            }
        };
        assert_eq!(shelf.tiles[&tile.path()], content, "{}", tile.path());
    }
}

#[test]
fn appending_one_by_one_gives_the_whole_ledger_at_every_size() {
    let oracle = Oracle::of(600);
    let all = leaves(600);
    let (mut shelf, mut head) = (Shelf::default(), TreeHead::empty());
    for size in 0..600 {
        assert_eq!(head, TreeHead { size, root: defined_root(&all[..size as usize]) });
        if size % 37 == 0 || (250..260).contains(&size) || (510..515).contains(&size) {
            assert_whole(&shelf, size, &oracle);
        }
        let appended = append(&shelf, head, &[entry(size)]).unwrap();
        head = shelf.store(appended);
    }
}

#[test]
fn levels_above_the_first_are_carried_over_full_tiles() {
    let size = 256 * 256;
    let (mut shelf, mut head) = Shelf::filled(size - 1);
    for index in size - 1..size + 2 {
        let appended = append(&shelf, head, &[entry(index)]).unwrap();
        head = shelf.store(appended);
    }
    let oracle = Oracle::of(size + 2);
    assert_eq!(head.root, tlog_tiles::tlog::tree_hash(size + 2, &oracle).unwrap().0);
    assert_whole(&shelf, size + 2, &oracle);
}

#[test]
fn appending_to_a_large_ledger_touches_a_handful_of_tiles() {
    let (mut shelf, mut head) = Shelf::filled(100_000);
    assert_eq!(shelf.tiles.len(), 785, "the ledger is large");
    for index in 100_000..100_100 {
        shelf.reads.borrow_mut().clear();
        let appended = append(&shelf, head, &[entry(index)]).unwrap();
        // Before index 100,096 the rightmost tiles are partial at three levels; there they fill up.
        assert!(shelf.reads.borrow().len() <= 5, "reads: {:?}", shelf.reads.borrow());
        assert!(appended.writes.len() <= 3, "writes: {:?}", appended.writes.len());
        assert!(appended.removes.len() <= 3, "removes: {:?}", appended.removes);
        head = shelf.store(appended);
    }
    shelf.reads.borrow_mut().clear();
    append(&shelf, head, &entries(100_100..100_200)).unwrap();
    assert!(shelf.reads.borrow().len() <= 5, "a batch reads no more than one entry does");
}

#[test]
fn appending_nothing_changes_nothing() {
    let (shelf, head) = Shelf::filled(300);
    let appended = append(&shelf, head, &[]).unwrap();
    assert_eq!((appended.head, appended.writes.len(), appended.removes.len()), (head, 0, 0));
}

#[test]
fn times_never_decrease() {
    let at = |seconds| Entry { at: Timestamp(seconds), ..entry(0) };
    let times = |entries: &[Entry]| entries.iter().map(|entry| entry.at.0).collect::<Vec<_>>();
    let mut shelf = Shelf::default();
    let appended = append(&shelf, TreeHead::empty(), &[at(-5), at(7), at(3), at(9), at(8)]).unwrap();
    assert_eq!(times(&appended.entries), [0, 7, 7, 9, 9], "a clock set back is held at the last time");
    let head = shelf.store(appended);
    assert_eq!(Stored::new(&shelf, head).unwrap().entry(2).unwrap().at, Timestamp(7), "what is stored is what is said");
    let appended = append(&shelf, head, &[at(1), at(10)]).unwrap();
    assert_eq!(times(&appended.entries), [9, 10], "also across two appends");
}

#[test]
fn times_never_decrease_after_a_full_bundle() {
    for size in [256, 512, 65_536] {
        let (shelf, head) = Shelf::filled(size);
        let appended = append(&shelf, head, &[Entry { at: Timestamp(1), ..entry(0) }]).unwrap();
        assert_eq!(appended.entries[0].at, entry(size - 1).at, "after {size}");
    }
}

#[test]
fn an_entry_that_no_reader_would_accept_is_not_written() {
    let shelf = Shelf::default();
    let late = Entry { at: Timestamp(Timestamp::MAX.0 + 1), ..entry(0) };
    let zero = Entry { annotated: Oid::from_bytes(&[0; 20]), ..entry(0) };
    for (bad, defect) in [(late.clone(), EntryError::Time(late.at.0.to_string())), (zero, EntryError::ZeroOid)] {
        let error = append(&shelf, TreeHead::empty(), &[entry(0), bad]).unwrap_err();
        assert_eq!(error, Defect::Entry { index: 1, defect }.into());
    }
}

#[test]
fn a_head_that_the_tiles_do_not_give_is_not_built_on() {
    let (shelf, head) = Shelf::filled(300);
    let forged = TreeHead { root: [9; 32], ..head };
    let error = append(&shelf, forged, &[entry(300)]).unwrap_err();
    assert_eq!(error, Defect::Root { head: forged, found: head.root }.into());
    let error = append(&Shelf::default(), TreeHead { size: 0, root: [9; 32] }, &[entry(0)]).unwrap_err();
    assert!(matches!(error, LedgerError::Defect(Defect::Root { .. })), "nor is an empty one with another root");
}

#[test]
fn damage_to_the_right_edge_is_noticed_before_it_is_signed_again() {
    for path in ["tile/0/001.p/44", "tile/1/000.p/1", "tile/entries/001.p/44"] {
        let length = Shelf::filled(300).0.tiles[path].len();
        for at in [0, 40, length / 2, length - 2].map(|at| at % length) {
            let (mut shelf, head) = Shelf::filled(300);
            shelf.tamper(path, at);
            assert!(append(&shelf, head, &[entry(300)]).is_err(), "byte {at} of {path}");
        }
    }
}

#[test]
fn damage_to_the_last_full_bundle_is_noticed() {
    // The last entry's time goes into the next entry, so it is confirmed even where nothing is written again.
    let (mut shelf, head) = Shelf::filled(512);
    let forged = Entry { at: Timestamp(1), ..entry(511) };
    let bundle = shelf.tiles.get_mut("tile/entries/001").unwrap();
    let end = bundle.len() - entry(511).to_string().len() - 2;
    bundle.truncate(end);
    crate::ledger::bundle::add(bundle, forged.to_string());
    let error = append(&shelf, head, &[entry(512)]).unwrap_err();
    assert_eq!(error, Defect::EntryNotInTree { index: 511, head }.into());
}

#[test]
fn what_is_missing_short_or_unreadable_is_named() {
    let (mut shelf, head) = Shelf::filled(300);
    let path = "tile/0/001.p/44".to_owned();
    let whole = shelf.tiles.remove(&path).unwrap();
    let error = append(&shelf, head, &[entry(300)]).unwrap_err();
    assert_eq!(error, Defect::Missing { path: path.clone() }.into());

    for bytes in [&whole[..43 * 32], &whole[..44 * 32 - 1], &[&whole[..], &[0]].concat(), &[]] {
        shelf.tiles.insert(path.clone(), bytes.to_vec());
        let error = append(&shelf, head, &[entry(300)]).unwrap_err();
        assert_eq!(error, Defect::Length { path: path.clone(), expected: 44 * 32, found: bytes.len() }.into());
    }

    shelf.broken = Some(path.clone());
    let error = append(&shelf, head, &[entry(300)]).unwrap_err();
    assert_eq!(error, LedgerError::Read { path, source: Fell }, "not being able to read is no defect of the ledger");
}

#[test]
fn a_ledger_past_the_limit_is_refused() {
    let head = TreeHead { size: SIZE_LIMIT - 1, root: [0; 32] };
    let error = append(&Shelf::default(), head, &[entry(0)]).unwrap_err();
    assert_eq!(error, Defect::TooLarge { size: SIZE_LIMIT - 1 }.into());
    assert!(Stored::new(&Shelf::default(), TreeHead { size: u64::MAX, root: [0; 32] }).is_err());
}

#[test]
fn a_closure_serves_as_storage() {
    let (shelf, head) = Shelf::filled(3);
    let closure = |path: &str| Ok::<_, Fell>(shelf.tiles.get(path).cloned());
    assert_eq!(Stored::new(&closure, head).unwrap().entry(2).unwrap(), entry(2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn batches_of_any_size_give_the_same_ledger(cuts in proptest::collection::vec(0u64..600, 0..12), total in 0u64..600) {
        let mut cuts: Vec<u64> = cuts.into_iter().filter(|cut| *cut < total).collect();
        cuts.sort();
        cuts.push(total);
        let (mut shelf, mut head) = (Shelf::default(), TreeHead::empty());
        for cut in cuts {
            let appended = append(&shelf, head, &entries(head.size..cut)).unwrap();
            head = shelf.store(appended);
        }
        prop_assert_eq!(head, TreeHead { size: total, root: defined_root(&leaves(total)) });
        assert_whole(&shelf, total, &Oracle::of(total));
    }
}
