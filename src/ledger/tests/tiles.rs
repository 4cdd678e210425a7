//! Tile paths and widths, against another implementation.

use proptest::prelude::*;
use tlog_tiles::tile::Tile as OracleTile;

use crate::ledger::bundle::{self, BundleError};
use crate::ledger::tiles::{Content, Tile};

#[test]
fn paths_are_those_of_the_specification() {
    let cases = [
        (Tile { content: Content::Hashes(0), index: 0, width: 256 }, "tile/0/000"),
        (Tile { content: Content::Hashes(0), index: 999, width: 1 }, "tile/0/999.p/1"),
        (Tile { content: Content::Hashes(2), index: 1000, width: 255 }, "tile/2/x001/000.p/255"),
        (Tile { content: Content::Entries, index: 1_234_067, width: 256 }, "tile/entries/x001/x234/067"),
        (Tile { content: Content::Entries, index: 1_234_067, width: 17 }, "tile/entries/x001/x234/067.p/17"),
    ];
    for (tile, path) in cases {
        assert_eq!(tile.path(), path);
        assert_eq!(path.parse::<Tile>().unwrap(), tile);
    }
}

#[test]
fn a_ledger_of_70000_has_the_tiles_of_the_specifications_example() {
    let all: Vec<Tile> = Tile::all(70_000).collect();
    let count = |content: Content, full: bool| {
        all.iter().filter(|tile| tile.content == content && tile.is_partial() != full).count()
    };
    assert_eq!((count(Content::Hashes(0), true), count(Content::Hashes(0), false)), (273, 1));
    assert_eq!((count(Content::Hashes(1), true), count(Content::Hashes(1), false)), (1, 1));
    assert_eq!((count(Content::Hashes(2), true), count(Content::Hashes(2), false)), (0, 1));
    assert_eq!((count(Content::Entries, true), count(Content::Entries, false)), (273, 1));
    let partial: Vec<String> = all.iter().filter(|tile| tile.is_partial()).map(Tile::path).collect();
    assert_eq!(partial, ["tile/entries/273.p/112", "tile/0/273.p/112", "tile/1/001.p/17", "tile/2/000.p/1"]);
    assert_eq!(all.len(), 274 + 274 + 2 + 1);
}

#[test]
fn a_full_tile_already_counts_in_the_level_above() {
    let paths = |size| Tile::all(size).map(|tile| tile.path()).collect::<Vec<_>>();
    assert!(paths(0).is_empty(), "an empty ledger has no tiles");
    assert_eq!(paths(255), ["tile/entries/000.p/255", "tile/0/000.p/255"]);
    assert_eq!(paths(256), ["tile/entries/000", "tile/0/000", "tile/1/000.p/1"]);
}

#[test]
fn tiles_past_the_end_do_not_exist() {
    assert_eq!(Tile::of(Content::Entries, 1, 256), None);
    assert_eq!(Tile::of(Content::Hashes(1), 0, 255), None);
    assert_eq!(Tile::of(Content::Hashes(200), 0, u64::MAX), None);
    assert_eq!(Tile::of(Content::Entries, u64::MAX, u64::MAX), None);
}

#[test]
fn paths_with_a_second_spelling_are_refused() {
    let hostile = [
        "",
        "tile",
        "tile/0",
        "tile/0/",
        "tile/0/0",
        "tile/0/00",
        "tile/0/0000",
        "tile/00/000",
        "tile/+0/000",
        "tile/-1/000",
        "tile/7/000",
        "tile/64/000",
        "tile/data/000",
        "tile/Entries/000",
        "/tile/0/000",
        "ledger/tile/0/000",
        "tile//0/000",
        "tile/0/x000",
        "tile/0/000/000",
        "tile/0/x000/000",
        "tile/0/x001/x000",
        "tile/0/xx01/000",
        "tile/0/001/000",
        "tile/0/000/",
        "tile/0/000.p",
        "tile/0/000.p/",
        "tile/0/000.p/0",
        "tile/0/000.p/01",
        "tile/0/000.p/+1",
        "tile/0/000.p/256",
        "tile/0/000.p/65537",
        "tile/0/000.p/1/",
        "tile/0/000.p/1.p/1",
        "tile/0/../0/000",
        "tile/0/x009/x007/x199/x254/x740/992",
        "tile/0/x018/x446/x744/x073/x709/x551/616",
    ];
    for path in hostile {
        assert_eq!(path.parse::<Tile>().unwrap_err().0, path, "{path:?}");
    }
}

#[test]
fn a_bundle_must_end_where_its_entries_do() {
    let mut bytes = Vec::new();
    bundle::add(&mut bytes, "one\n");
    bundle::add(&mut bytes, "");
    assert_eq!(bytes, b"\x00\x04one\n\x00\x00");
    assert_eq!(bundle::split(&bytes, 2).unwrap(), [&b"one\n"[..], b""]);
    assert_eq!(bundle::split(&bytes, 1), Err(BundleError::Trailing { count: 1, bytes: 2 }));
    assert_eq!(bundle::split(&bytes, 3), Err(BundleError::Truncated { position: 2, count: 3 }));
    for end in 0..bytes.len() {
        assert!(bundle::split(&bytes[..end], 2).is_err(), "cut after {end} bytes");
    }
    assert!(bundle::split(b"\xff\xff", 1).is_err(), "a length past the end");
}

proptest! {
    #[test]
    fn paths_are_those_of_the_oracle(level in 0u8..7, index in 0u64..1 << 50, width in 1u16..=256, entries: bool) {
        let content = if entries { Content::Entries } else { Content::Hashes(level) };
        let tile = Tile { content, index, width };
        let oracle = OracleTile::new(8, if entries { 0 } else { level }, index, u32::from(width), entries).path();
        // The oracle writes the older form, with the height in the path and another word for entries.
        let oracle = oracle.replacen("tile/8/", "tile/", 1).replacen("/data/", "/entries/", 1);
        prop_assert_eq!(tile.path(), oracle);
        prop_assert_eq!(tile.path().parse::<Tile>().unwrap(), tile);
    }

    #[test]
    fn no_text_is_read_as_a_tile_it_does_not_name(path in "tile/([0-9]{1,2}|entries)/(x?[0-9]{1,4}/){0,3}[0-9]{1,4}(\\.p/[0-9]{1,3})?") {
        if let Ok(tile) = path.parse::<Tile>() {
            prop_assert_eq!(tile.path(), path);
        }
    }
}
