//! VERIFIED: which lines were found good in an earlier process, so that looking at a long history again costs no arithmetic.
//!
//! One file, written whole. It is believed as the rest of the common git directory is, where the pinned root stands too: who may write
//! there decides what this clone trusts. Anything odd about it and it is as if it were not there; deleting it costs time alone.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{LocalState, replace};
use crate::codec::{canonical, strict};
use crate::crypto::verified::Question;
use crate::model::digest::Digest;

/// Changes with what a question is made of, and with what makes a line good where the program's version does not.
const FORM: u32 = 1;
const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// Bytes of one question.
const WIDTH: usize = 32;
/// Most that are kept, which makes a file of 32 MiB.
const MOST: usize = 1 << 20;
/// More than a header ever has.
const HEADER: u64 = 1024;
/// Of so many more than before, at least, the file is written anew; fewer cost less to verify again than to write down.
const GROWTH: usize = 64;

/// The lines known to be good under one trust document.
#[derive(Debug)]
pub struct KnownLines {
    keeps: bool,
    /// In order.
    known: Vec<Question>,
    new: Vec<Question>,
    path: PathBuf,
    trust: Digest,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    form: u32,
    program: String,
    sum: Digest,
    trust: Digest,
}

impl LocalState {
    /// What is known under the trust document of this digest. Nothing, where the file is of another one or another program.
    pub fn known_lines(&self, trust: Digest) -> KnownLines {
        let path = self.cache().join("verified");
        let known = load(&path, trust).unwrap_or_default();
        KnownLines { keeps: self.remembers, known, new: Vec::new(), path, trust }
    }

    /// Forgets them; whether there were any.
    pub fn forget_lines(&self) -> bool {
        fs::remove_file(self.cache().join("verified")).is_ok()
    }
}

impl KnownLines {
    /// Whether the answer was yes before.
    pub fn contains(&self, question: &Question) -> bool {
        self.known.binary_search(question).is_ok()
    }

    /// Adds what was found good now.
    pub fn add(&mut self, found: Vec<Question>) {
        self.new.extend(found);
    }

    /// Writes down what is new. Where that can't be done (a read-only repository, a full disk, another process at the same work), and in
    /// a server's quarantine, nothing is: it only costs time.
    pub fn keep(&mut self) {
        if self.keeps && self.new.len() > self.known.len() / GROWTH {
            self.store().ok();
        }
    }

    fn store(&mut self) -> io::Result<()> {
        let parent = self.path.parent().expect("it lies in the cache");
        fs::create_dir_all(parent)?;
        let lock = File::create(parent.join("verified-lock"))?;
        lock.try_lock().map_err(|_| io::ErrorKind::WouldBlock)?;
        // What another process wrote since this one read is as good.
        let there = load(&self.path, self.trust).unwrap_or_default();
        let mut all = std::mem::take(&mut self.new);
        all.sort_unstable();
        all.dedup();
        all.truncate(MOST);
        let room = MOST - all.len();
        let older: Vec<Question> = there.into_iter().filter(|one| all.binary_search(one).is_err()).take(room).collect();
        all.extend(older);
        all.sort_unstable();
        let body: Vec<u8> = all.iter().flat_map(|one| one.0).collect();
        let sum = sum(&body, self.trust);
        let mut bytes = canonical::to_vec(&Header { form: FORM, program: PROGRAM.to_owned(), sum, trust: self.trust });
        bytes.push(b'\n');
        bytes.extend(body);
        replace(&self.path, &bytes).map_err(io::Error::other)?;
        self.known = all;
        Ok(())
    }
}

/// What a file holds, if it is whole, in order and of this trust document and program.
fn load(path: &std::path::Path, trust: Digest) -> Option<Vec<Question>> {
    if fs::metadata(path).ok()?.len() > HEADER + (MOST * WIDTH) as u64 {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let header: Header = strict::read(&bytes[..end]).ok()?;
    let body = &bytes[end + 1..];
    let fits = header.form == FORM && header.program == PROGRAM && header.trust == trust;
    if !fits || header.sum != sum(body, trust) {
        return None;
    }
    let (questions, rest) = body.as_chunks::<WIDTH>();
    let in_order = rest.is_empty() && questions.is_sorted_by(|one, next| one < next);
    in_order.then(|| questions.iter().copied().map(Question).collect())
}

/// Over all that the file says.
fn sum(body: &[u8], trust: Digest) -> Digest {
    canonical::separated_digest("verified-lines", &(FORM, PROGRAM, trust, canonical::sha256(body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions(range: std::ops::Range<u32>) -> Vec<Question> {
        range.map(|number| Question(canonical::sha256(&number.to_be_bytes()).0)).collect()
    }

    fn local(dir: &std::path::Path) -> LocalState {
        LocalState { dir: dir.to_owned(), registrar: None, remembers: true }
    }

    const TRUST: Digest = Digest([1; 32]);

    #[test]
    fn what_was_kept_is_known_again_under_the_same_trust_and_no_other() {
        let dir = tempfile::tempdir().expect("a directory");
        let local = local(dir.path());
        let mut known = local.known_lines(TRUST);
        known.add(questions(0..100));
        known.keep();
        let again = local.known_lines(TRUST);
        assert!(questions(0..100).iter().all(|one| again.contains(one)), "all of them");
        assert!(!questions(100..200).iter().any(|one| again.contains(one)), "and no others");
        let other = local.known_lines(Digest([2; 32]));
        assert!(!questions(0..100).iter().any(|one| other.contains(one)), "another trust document starts from nothing");
    }

    #[test]
    fn a_file_with_any_byte_changed_cut_off_or_added_is_as_good_as_none() {
        let dir = tempfile::tempdir().expect("a directory");
        let local = local(dir.path());
        let mut known = local.known_lines(TRUST);
        known.add(questions(0..20));
        known.keep();
        let path = local.cache().join("verified");
        let whole = fs::read(&path).expect("it was written");
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut bytes = whole.clone();
                bytes[at] ^= 1 << bit;
                fs::write(&path, &bytes).expect("it can be written");
                assert_eq!(local.known_lines(TRUST).known, [], "byte {at}, bit {bit}");
            }
            fs::write(&path, &whole[..at]).expect("it can be written");
            assert_eq!(local.known_lines(TRUST).known, [], "cut off after {at} bytes");
        }
        fs::write(&path, [&whole[..], &[0; 32]].concat()).expect("it can be written");
        assert_eq!(local.known_lines(TRUST).known, [], "with bytes at the end");
    }

    #[test]
    fn two_processes_at_once_lose_nothing_that_either_wrote_down() {
        let dir = tempfile::tempdir().expect("a directory");
        let local = local(dir.path());
        let (mut one, mut other) = (local.known_lines(TRUST), local.known_lines(TRUST));
        one.add(questions(0..50));
        other.add(questions(40..90));
        one.keep();
        other.keep();
        let again = local.known_lines(TRUST);
        assert!(questions(0..90).iter().all(|one| again.contains(one)), "what both found is there");
        assert_eq!(again.known.len(), 90, "once each");
    }

    #[test]
    fn nothing_is_written_where_nothing_may_be_remembered() {
        let dir = tempfile::tempdir().expect("a directory");
        let local = LocalState { remembers: false, ..local(dir.path()) };
        let mut known = local.known_lines(TRUST);
        known.add(questions(0..100));
        known.keep();
        assert!(!local.cache().exists(), "a quarantine leaves no trace");
    }
}
