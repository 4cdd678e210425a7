//! The index of ledger entries: what it holds, and what it does when its files are damaged.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;

use super::*;
use crate::ledger;
use crate::ledger::entry::line_digest;
use crate::model::digest::Digest;
use crate::model::time::Timestamp;

/// A ledger in memory.
#[derive(Clone)]
struct Kept {
    files: BTreeMap<String, Vec<u8>>,
    head: TreeHead,
    entries: Vec<Entry>,
}

impl Kept {
    fn new() -> Self {
        Kept { files: BTreeMap::new(), head: TreeHead::empty(), entries: Vec::new() }
    }

    fn source(&self) -> impl TileSource + '_ {
        |path: &str| Ok::<_, Infallible>(self.files.get(path).cloned())
    }

    /// Entries about objects of which there are few, so that many entries are about one.
    fn grow(&mut self, count: u64) {
        let new: Vec<Entry> = (0..count).map(|more| entry(self.head.size + more)).collect();
        let appended = ledger::append(&self.source(), self.head, &new).expect("the ledger is sound");
        for path in &appended.removes {
            self.files.remove(path);
        }
        self.files.extend(appended.writes);
        self.entries.extend(appended.entries);
        self.head = appended.head;
    }

    fn about(&self, oid: &Oid) -> Vec<u64> {
        let places = self.entries.iter().zip(0..).filter(|(entry, _)| entry.annotated.as_ref() == Some(oid));
        places.map(|(_, index)| index).collect()
    }
}

fn oid(number: u64) -> Oid {
    Oid::from_bytes(&line_digest(&number.to_be_bytes()).0[..20]).expect("20 bytes are an id")
}

fn entry(number: u64) -> Entry {
    let line = line_digest(format!("line {number}").as_bytes());
    let annotated = (number % 7 != 3).then(|| oid(number * number % 911));
    Entry { artifact: Digest([number as u8; 32]), line, annotated, at: Timestamp(number as i64) }
}

fn assert_whole(index: &LedgerIndex, kept: &Kept) {
    for number in 0..920 {
        let found = index.entries(&oid(number)).expect("the index is sound");
        let places: Vec<u64> = found.iter().map(|one| one.index).collect();
        assert_eq!(places, kept.about(&oid(number)), "an index says what the ledger says, no more and no less");
        assert!(found.iter().all(|one| kept.entries[one.index as usize] == one.entry));
    }
    let all = index.all().expect("the index is sound");
    let expected = kept.entries.iter().filter(|entry| entry.annotated.is_some()).count();
    assert_eq!(all.len(), expected, "every entry that annotates something is there, once");
}

fn open(dir: &std::path::Path, kept: &Kept) -> LedgerIndex {
    LedgerIndex::open(dir.to_owned(), true, &kept.source(), kept.head).expect("the ledger is sound")
}

#[test]
fn an_index_that_grows_a_little_at_a_time_says_what_the_ledger_says() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut kept = Kept::new();
    for step in 0..400 {
        kept.grow(1 + step % 9);
        open(dir.path(), &kept);
    }
    assert_whole(&open(dir.path(), &kept), &kept);
    let files = fs::read_dir(dir.path()).expect("the directory is there").count();
    assert!(files <= 6, "{files} files: runs are merged, and what was merged goes away");
}

#[test]
fn few_questions_and_many_get_the_same_answers() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut kept = Kept::new();
    kept.grow(3_000);
    let index = open(dir.path(), &kept);
    let first = index.entries(&oid(5)).expect("the index is sound");
    assert_whole(&index, &kept);
    assert_eq!(index.entries(&oid(5)).expect("the index is sound"), first);
}

#[test]
fn an_index_that_cannot_be_kept_only_costs_time() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("file");
    fs::write(&file, b"in the way").expect("it can be written");
    let mut kept = Kept::new();
    kept.grow(500);
    assert_whole(&open(&file.join("index"), &kept), &kept);
}

#[test]
fn an_index_of_another_history_is_made_anew() {
    let dir = tempfile::tempdir().expect("a directory");
    let (mut one, mut other) = (Kept::new(), Kept::new());
    one.grow(300);
    open(dir.path(), &one);
    let mut first = entry(0);
    first.artifact = Digest([0xee; 32]);
    let appended = ledger::append(&other.source(), other.head, &[first]).expect("it is sound");
    other.files.extend(appended.writes);
    other.entries.extend(appended.entries);
    other.head = appended.head;
    other.grow(400);
    assert_whole(&open(dir.path(), &other), &other);
    assert_whole(&open(dir.path(), &other), &other);
}

#[test]
fn an_older_reading_is_answered_from_the_ledger_and_leaves_the_files_alone() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut kept = Kept::new();
    kept.grow(200);
    let older = kept.clone();
    kept.grow(200);
    open(dir.path(), &kept);
    let before = fs::read(dir.path().join("state")).expect("it was kept");
    assert_whole(&open(dir.path(), &older), &older);
    assert_eq!(fs::read(dir.path().join("state")).expect("it is there"), before);
}

#[test]
fn a_state_that_a_crash_left_half_written_is_made_anew() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut kept = Kept::new();
    kept.grow(300);
    open(dir.path(), &kept);
    for damage in [&b""[..], b"{}\n", b"\0\0\0\0"] {
        fs::write(dir.path().join("state"), damage).expect("it can be written");
        assert_whole(&open(dir.path(), &kept), &kept);
        assert_whole(&open(dir.path(), &kept), &kept);
    }
}

#[test]
fn a_run_that_is_gone_or_cut_is_made_anew() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut kept = Kept::new();
    kept.grow(300);
    open(dir.path(), &kept);
    let run = run_of(dir.path());
    fs::remove_file(&run).expect("it was there");
    assert_whole(&open(dir.path(), &kept), &kept);
    let run = run_of(dir.path());
    let bytes = fs::read(&run).expect("it is there");
    fs::write(&run, &bytes[..bytes.len() - 1]).expect("it can be written");
    assert_whole(&open(dir.path(), &kept), &kept);
}

#[test]
fn a_block_of_zeros_in_a_run_never_hides_an_entry() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut kept = Kept::new();
    kept.grow(2_000);
    open(dir.path(), &kept);
    let run = run_of(dir.path());
    let mut bytes = fs::read(&run).expect("it is there");
    let length = bytes.len();
    bytes[4096..8192].fill(0);
    // The table too: its zeros point at the beginning.
    bytes[length - 64..].fill(0);
    fs::write(&run, &bytes).expect("it can be written");
    let index = open(dir.path(), &kept);
    let mut errors = 0;
    for number in 0..190 {
        match index.entries(&oid(number)) {
            Ok(found) => assert_eq!(found.len(), kept.about(&oid(number)).len(), "a damaged file says nothing less"),
            Err(_) => errors += 1,
        }
    }
    assert!(errors > 0, "what is damaged is said to be damaged");
}

fn run_of(dir: &std::path::Path) -> std::path::PathBuf {
    let files = fs::read_dir(dir).expect("the directory is there").flatten().map(|file| file.path());
    files
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("run-")))
        .max_by_key(|path| fs::metadata(path).map_or(0, |about| about.len()))
        .expect("it was long enough for a run")
}
