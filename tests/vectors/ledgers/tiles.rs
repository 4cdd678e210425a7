//! Tiles: the entries and hashes of a ledger, under a head.

use std::collections::BTreeMap;
use std::convert::Infallible;

use git_boundary::ledger::{Entry, Seen, Stored, TreeHead, append, scan};
use git_boundary::model::digest::Digest;
use git_boundary::model::hex;

use super::super::vector::{Vector, all_come_to_what_they_expect};
use super::entry;

/// Tiles by path.
type Tiles = BTreeMap<String, Vec<u8>>;

fn stored(entries: &[Entry]) -> (Tiles, TreeHead) {
    let nothing = |_: &str| Ok::<Option<Vec<u8>>, Infallible>(None);
    let appended = append(&nothing, TreeHead::empty(), entries).expect("entries can be appended to nothing");
    (appended.writes.into_iter().collect(), appended.head)
}

/// Takes the last byte of a tile away.
fn shorten(tiles: &mut Tiles, path: &str) {
    let tile = tiles.get_mut(path).expect("it is there");
    tile.truncate(tile.len() - 1);
}

pub fn vectors() -> Vec<Vector> {
    let good: Vec<Entry> = (1..=5).map(entry).collect();
    let (tiles, head) = stored(&good);
    let one = |name: &str, expect: &str, about: &str, tiles: &Tiles, head: TreeHead| {
        let body: String = tiles.iter().map(|(path, bytes)| format!("{path} {}\n", hex::encode(bytes))).collect();
        Vector::new(format!("ledgers/{name}.ledger"), expect, about, body)
            .given("size", head.size)
            .given("root", Digest(head.root))
    };
    let edited = |edit: &dyn Fn(&mut Tiles)| {
        let mut tiles = tiles.clone();
        edit(&mut tiles);
        tiles
    };
    let bundle = "tile/entries/000.p/5";
    let hashes = "tile/0/000.p/5";
    assert!(tiles.contains_key(bundle) && tiles.contains_key(hashes), "a small ledger has these two tiles: {tiles:?}");
    let (other, other_head) = stored(&[&good[..4], &[entry(9)]].concat());
    let backwards: Vec<Entry> = good.iter().rev().cloned().collect();
    let swapped = {
        let mut texts: Vec<String> = good.iter().map(ToString::to_string).collect();
        texts.swap(0, 1);
        bundled(&texts)
    };
    let turned = bundled(&backwards.iter().map(ToString::to_string).collect::<Vec<_>>());
    let turned_root = git_boundary::ledger::root_of(backwards.iter().map(ToString::to_string));
    let bad_entry =
        bundled(&good.iter().map(|it| it.to_string().replace("sha256:05", "sha256:0x")).collect::<Vec<_>>());
    vec![
        one("valid", "5 entries", "nothing is wrong with it", &tiles, head),
        one("valid-empty", "0 entries", "a ledger that holds nothing yet", &Tiles::new(), TreeHead::empty()),
        one(
            "entries-missing",
            "the ledger has no tile/entries/000.p/5",
            "the entries are gone",
            &edited(&|it| drop(it.remove(bundle))),
            head,
        ),
        one(
            "entries-cut-short",
            "tile/entries/000.p/5 of the ledger ends within entry 4 of 5",
            "one byte is missing",
            &edited(&|it| shorten(it, bundle)),
            head,
        ),
        one(
            "entries-with-more",
            "tile/entries/000.p/5 of the ledger goes on for 1 bytes after its 5 entries",
            "one byte too many",
            &edited(&|it| it.get_mut(bundle).expect("there").push(0)),
            head,
        ),
        one(
            "one-byte-changed-in-an-entry",
            "what is stored of the ledger gives the root …, not 5 entries with root …",
            "a digit of a digest",
            &edited(&|it| it.get_mut(bundle).expect("there")[20] ^= 1),
            head,
        ),
        one(
            "entry-that-is-none",
            "entry 4 of the ledger: artifact: …is no digest…",
            "not an entry at all",
            &edited(&|it| drop(it.insert(bundle.to_owned(), bad_entry.clone()))),
            head,
        ),
        one(
            "entries-swapped",
            "entry 1 of the ledger is dated 2026-06-06T00:00:01Z, before the 2026-06-06T00:00:02Z of the entry in front",
            "a proof in front of its commitment",
            &edited(&|it| drop(it.insert(bundle.to_owned(), swapped.clone()))),
            head,
        ),
        one(
            "time-goes-back",
            "entry 1 of the ledger is dated 2026-06-06T00:00:04Z, before the 2026-06-06T00:00:05Z of the entry in front",
            "a registrar that signed times going back",
            &edited(&|it| drop(it.insert(bundle.to_owned(), turned.clone()))),
            TreeHead { size: 5, root: turned_root },
        ),
        one(
            "history-rewritten",
            "what is stored of the ledger gives the root …, not 5 entries with root …",
            "the last entry is another one",
            &other,
            head,
        ),
        one(
            "head-of-another-history",
            "what is stored of the ledger gives the root …, not 5 entries with root …",
            "the checkpoint of another history",
            &tiles,
            other_head,
        ),
        one(
            "hashes-missing",
            "the ledger has no tile/0/000.p/5",
            "nothing to prove with",
            &edited(&|it| drop(it.remove(hashes))),
            head,
        ),
        one(
            "hashes-cut-short",
            "tile/0/000.p/5 of the ledger holds 159 bytes instead of 160",
            "one byte is missing",
            &edited(&|it| shorten(it, hashes)),
            head,
        ),
        one(
            "one-bit-changed-in-a-hash",
            "what is stored of the ledger gives the root …, not 5 entries with root …",
            "the tree is not that of its entries",
            &edited(&|it| it.get_mut(hashes).expect("there")[0] ^= 1),
            head,
        ),
        one(
            "larger-than-its-tiles",
            "the ledger has no tile/entries/000.p/6",
            "a head that promises more",
            &tiles,
            TreeHead { size: 6, ..head },
        ),
        one(
            "larger-than-any",
            "a ledger of 9007199254740992 entries is past the limit of 2^53",
            "2^53 entries",
            &tiles,
            TreeHead { size: 1 << 53, ..head },
        ),
    ]
}

/// A bundle of texts, each behind its length.
fn bundled(texts: &[String]) -> Vec<u8> {
    texts
        .iter()
        .flat_map(|text| {
            let length = u16::try_from(text.len()).expect("short");
            [&length.to_be_bytes()[..], text.as_bytes()].concat()
        })
        .collect()
}

#[test]
fn every_ledger_is_read_as_it_deserves() {
    all_come_to_what_they_expect("ledgers", |vector| {
        let tiles: Tiles = std::str::from_utf8(&vector.body)
            .expect("text")
            .lines()
            .map(|line| line.split_once(' ').expect("a path and its bytes"))
            .map(|(path, bytes)| (path.to_owned(), hex::decode(bytes).expect("hex")))
            .collect();
        let root: Digest = vector.get("root").parse().expect("a digest");
        let head = TreeHead { size: vector.get("size").parse().expect("a size"), root: root.0 };
        let source = |path: &str| Ok::<_, Infallible>(tiles.get(path).cloned());
        let read = scan(&source, head, &Seen::default()).and_then(|scan| {
            let mut stored = Stored::new(&source, head)?;
            stored.check_root()?;
            (0..head.size).try_for_each(|index| stored.verified_entry(index).map(|_| ()))?;
            Ok(scan.entries.len())
        });
        read.map_or_else(|error| error.to_string(), |count| format!("{count} entries"))
    });
}
