//! Ledgers: entries, checkpoints and tiles, as they are and as somebody would have them.

use std::collections::BTreeMap;
use std::convert::Infallible;

use git_boundary::ledger::{Checkpoint, Entry, Origin, Seen, SignedCheckpoint, Stored, TreeHead, append, scan};
use git_boundary::model::digest::Digest;
use git_boundary::model::hex;
use git_boundary::model::id::RepositoryId;
use git_boundary::model::key::PublicKey;

use super::cast::{START, Who};
use super::gate::parts::{digest, oid};
use super::vector::{Vector, all_come_to_what_they_expect};

pub fn vectors() -> Vec<Vector> {
    [entries(), checkpoints(), tiles()].concat()
}

fn entry(number: u8) -> Entry {
    let annotated = (!number.is_multiple_of(3)).then(|| oid(number));
    Entry { artifact: digest(number), line: digest(0x80 | number), annotated, at: START.plus(i64::from(number)) }
}

fn entries() -> Vec<Vector> {
    let text = entry(1).to_string();
    let one = |name: &str, expect: &str, about: &str, body: String| {
        Vector::new(format!("ledger-entries/{name}.entry"), expect, about, body)
    };
    let replaced = |name: &str, expect: &str, about: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{name}: {from} is in the entry");
        one(name, expect, about, text.replacen(from, to, 1))
    };
    let oid = "01".repeat(20);
    let artifact = digest(1).to_string();
    let at = "1780704001";
    let no_time =
        |found: &str| format!("time: \"{found}\" is no canonical number of seconds between 1970 and the year 9999");
    vec![
        one("valid", &format!("annotates {oid} at 2026-06-06T00:00:01Z"), "nothing is wrong with it", text.clone()),
        one(
            "valid-annotating-nothing",
            "annotates nothing at 2026-06-06T00:00:03Z",
            "a line beside no object",
            entry(3).to_string(),
        ),
        replaced(
            "valid-sha-256-object",
            &format!("annotates {} at …", "01".repeat(32)),
            "64 digits",
            &format!(" {oid} "),
            &format!(" {} ", "01".repeat(32)),
        ),
        one("empty", "the entry does not end with a newline", "nothing", String::new()),
        one("no-newline", "the entry does not end with a newline", "cut short", text.trim_end().to_owned()),
        replaced("carriage-return", &no_time("1780704001\\r"), "line endings were converted", "\n", "\r\n"),
        replaced("two-spaces", "the entry has 5 fields instead of 4", "two spaces between fields", " ", "  "),
        replaced("three-fields", "the entry has 3 fields instead of 4", "no time", &format!(" {at}"), ""),
        replaced("five-fields", "the entry has 5 fields instead of 4", "something more", at, "1780704001 x"),
        replaced(
            "tab",
            "the entry has 3 fields instead of 4",
            "a tab for a space",
            &format!(" {at}"),
            &format!("\t{at}"),
        ),
        replaced(
            "artifact-id-for-a-digest",
            "artifact: \"art_…\" is no digest…",
            "the short name, which others can have too",
            &artifact,
            &format!("art_{}", &artifact[7..39]),
        ),
        replaced("digest-in-capitals", "artifact: …is no digest…", "a second spelling", "sha256:01", "SHA256:01"),
        replaced("line-without-algorithm", "line: …is no digest…", "bare hex", " sha256:", " "),
        replaced(
            "zero-object",
            "annotated object: the zero id stands for nothing, which is written \"-\"",
            "a second spelling of nothing",
            &format!(" {oid} "),
            &format!(" {} ", "0".repeat(40)),
        ),
        replaced(
            "short-object",
            "annotated object: …is no git object id…",
            "39 digits",
            &format!(" {oid} "),
            &format!(" {} ", &oid[1..]),
        ),
        replaced("time-with-a-leading-zero", &no_time("01780704001"), "a second spelling", at, "01780704001"),
        replaced("time-with-a-sign", &no_time("+1780704001"), "a second spelling", at, "+1780704001"),
        replaced("time-before-1970", &no_time("-1"), "before the first second", at, "-1"),
        replaced("time-past-9999", &no_time("253402300800"), "one second too late to be written", at, "253402300800"),
        replaced(
            "time-past-all-bounds",
            &no_time("99999999999999999999"),
            "more than fits",
            at,
            "99999999999999999999",
        ),
        one("two-entries", "the entry has 7 fields instead of 4", "two lines in one", format!("{text}{text}")),
    ]
}

#[test]
fn every_ledger_entry_is_read_as_it_deserves() {
    all_come_to_what_they_expect("ledger-entries", |vector| match Entry::parse(&vector.body) {
        Ok(entry) => {
            assert_eq!(entry.to_string().as_bytes(), vector.body, "one entry has one spelling");
            let annotated = entry.annotated.map_or_else(|| "nothing".to_owned(), |oid| oid.to_string());
            format!("annotates {annotated} at {}", entry.at)
        }
        Err(error) => error.to_string(),
    });
}

fn origin() -> Origin {
    Origin { repository: RepositoryId([0xab; 16]), registrar: Who::Ci.id() }
}

fn checkpoint(origin: Origin, head: TreeHead, by: Who) -> SignedCheckpoint {
    let sign = |message: &[u8]| Ok::<_, Infallible>(by.sign(message));
    let Ok(signed) = Checkpoint { origin, head }.sign(&by.key().0, sign);
    signed
}

fn head(size: u64) -> TreeHead {
    TreeHead { size, root: [7; 32] }
}

fn checkpoints() -> Vec<Vector> {
    let good = checkpoint(origin(), head(3), Who::Ci).to_string();
    let one = |name: &str, expect: &str, about: &str, body: String| {
        Vector::new(format!("checkpoints/{name}.checkpoint"), expect, about, body)
    };
    let replaced = |name: &str, expect: &str, about: &str, from: &str, to: &str| {
        assert!(good.contains(from), "{name}: {from:?} is in the checkpoint");
        one(name, expect, about, good.replacen(from, to, 1))
    };
    let (text, signatures) = good.split_once("\n\n").expect("a note");
    let elsewhere = Origin { repository: RepositoryId([0xac; 16]), ..origin() };
    let watcher = Origin { registrar: Who::Watcher.id(), ..origin() };
    let stranger = checkpoint(origin(), head(3), Who::Stranger).to_string();
    let (_, strange_signature) = stranger.split_once("\n\n").expect("a note");
    let mut signature = signatures.trim_end().to_owned();
    let place = signature.len() - 10;
    let other = if signature.as_bytes()[place] == b'A' { "B" } else { "A" };
    signature.replace_range(place..=place, other);
    vec![
        one("valid", "3 entries", "nothing is wrong with it", good.clone()),
        one(
            "valid-empty",
            "0 entries",
            "a ledger that holds nothing yet",
            checkpoint(origin(), TreeHead::empty(), Who::Ci).to_string(),
        ),
        one(
            "valid-with-a-cosignature",
            "3 entries",
            "somebody else signed as well",
            format!("{good}{strange_signature}"),
        ),
        one("empty", "the note does not end with a newline", "nothing", String::new()),
        one("no-signature", "the note has no signatures", "a text that nobody signed", format!("{text}\n")),
        one(
            "byte-order-mark",
            "\"\\u{feff}git-boundary/…\" names no ledger…",
            "saved by an editor",
            format!("\u{feff}{good}"),
        ),
        replaced(
            "carriage-return",
            "the note contains the control character 0x0d",
            "line endings were converted",
            "\n",
            "\r\n",
        ),
        one("no-newline", "the note does not end with a newline", "cut short", good.trim_end().to_owned()),
        one(
            "signed-twice",
            "the note has two signatures by the same key, named \"git-boundary/…\"",
            "which of the two?",
            format!("{good}{signatures}"),
        ),
        one("65-signatures", "the note has more than 64 signatures", "to exhaust a reader", {
            let more: String = (0..64).map(|n| format!("\u{2014} w{n} AAAAAAAA\n")).collect();
            format!("{good}{more}")
        }),
        one(
            "wrong-signature",
            "the registrar's signature on the checkpoint of … is wrong",
            "one character",
            format!("{text}\n\n{signature}\n"),
        ),
        replaced(
            "one-digit-changed-in-the-size",
            "the registrar's signature on the checkpoint of … is wrong",
            "a ledger that grew by itself",
            "\n3\n",
            "\n4\n",
        ),
        one(
            "signed-by-a-stranger",
            "the checkpoint of … is not signed by its registrar",
            "another key under the same name",
            stranger.clone(),
        ),
        one(
            "of-another-repository",
            "the checkpoint is of git-boundary/repo_ac…, not of git-boundary/repo_ab…",
            "a fork's ledger",
            checkpoint(elsewhere, head(3), Who::Ci).to_string(),
        ),
        one(
            "of-another-registrar",
            "the checkpoint is of …, not of …",
            "another registrar's ledger",
            checkpoint(watcher, head(3), Who::Watcher).to_string(),
        ),
        one(
            "with-an-extension-line",
            "the checkpoint has 4 lines of text instead of 3",
            "a line that nobody reads",
            checkpoint_with("extension\n"),
        ),
        replaced("size-with-a-leading-zero", "\"03\" is no ledger size…", "a second spelling", "\n3\n", "\n03\n"),
        replaced(
            "size-of-2-53",
            "\"9007199254740992\" is no ledger size…",
            "one more than every reader keeps",
            "\n3\n",
            "\n9007199254740992\n",
        ),
        replaced("negative-size", "\"-1\" is no ledger size…", "below nothing", "\n3\n", "\n-1\n"),
        replaced("root-unpadded", "\"BwcH…\" is no root…", "a second spelling", "=\n", "\n"),
        replaced(
            "empty-with-a-root",
            "sha256:0707… is not the root of an empty ledger",
            "nothing, with something's root",
            "\n3\n",
            "\n0\n",
        ),
        replaced(
            "origin-of-another-tool",
            "\"example.com/log\" names no ledger…",
            "another log",
            &origin().to_string(),
            "example.com/log",
        ),
        one("too-long", "the note has … bytes, past the limit of 262144", "to exhaust a reader", good.clone())
            .given("filled-with-newlines-by", 262_144),
    ]
}

/// A checkpoint with a line more than it should have, properly signed.
fn checkpoint_with(line: &str) -> String {
    let text = format!("{}{line}", Checkpoint { origin: origin(), head: head(3) });
    let good = checkpoint(origin(), head(3), Who::Ci);
    let signature = good.signatures()[0].clone();
    let bytes = [&signature.key_id[..], &Who::Ci.sign(text.as_bytes())].concat();
    use base64::Engine as _;
    let encoded = base64::engine::general_purpose::STANDARD.encode(bytes);
    format!("{text}\n\u{2014} {} {encoded}\n", signature.name)
}

#[test]
fn every_checkpoint_is_read_as_it_deserves() {
    let verify = |key: &[u8; 32], message: &[u8], signature: &[u8; 64]| {
        git_boundary::crypto::verify(&PublicKey(*key), message, signature)
    };
    all_come_to_what_they_expect("checkpoints", |vector| {
        let mut body = vector.body.clone();
        if let Some(count) = vector.given.get("filled-with-newlines-by") {
            body.resize(body.len() + count.parse::<usize>().expect("a count"), b'\n');
        }
        let read = SignedCheckpoint::parse(&body).and_then(|signed| signed.verify(&origin(), &Who::Ci.key().0, verify));
        read.map_or_else(|error| error.to_string(), |checkpoint| format!("{} entries", checkpoint.head.size))
    });
}

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

fn tiles() -> Vec<Vector> {
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
