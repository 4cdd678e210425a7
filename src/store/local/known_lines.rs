//! VERIFIED: which lines were found good in an earlier process, so that looking at a long history again costs no arithmetic.

use std::io;
use std::path::PathBuf;

use super::LocalState;
use super::kept::Kept;
use crate::crypto::verified::Question;
use crate::model::digest::Digest;

/// Bytes of one question.
const WIDTH: usize = 32;
/// Most that are kept, which makes a file of 32 MiB.
const MOST: usize = 1 << 20;
/// Of so many more than before, at least, the file is written anew; fewer cost less to verify again than to write down.
const GROWTH: usize = 64;
const FILE: Kept = Kept { form: 1, most: MOST * WIDTH, name: "verified" };

/// The lines known to be good under one trust document.
#[derive(Debug)]
pub struct KnownLines {
    cache: PathBuf,
    keeps: bool,
    /// In order.
    known: Vec<Question>,
    new: Vec<Question>,
    trust: Digest,
}

impl LocalState {
    /// What is known under the trust document of this digest. Nothing, where the file is of another one or another program.
    pub fn known_lines(&self, trust: Digest) -> KnownLines {
        let cache = self.cache();
        let known = FILE.load(&cache, trust).and_then(|body| questions(&body)).unwrap_or_default();
        KnownLines { cache, keeps: self.remembers, known, new: Vec::new(), trust }
    }

    /// Forgets them; whether there were any.
    pub fn forget_lines(&self) -> bool {
        FILE.forget(&self.cache())
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
        let mut all = std::mem::take(&mut self.new);
        all.sort_unstable();
        all.dedup();
        all.truncate(MOST);
        FILE.renew(&self.cache, self.trust, |there| {
            // What another process wrote since this one read is as good.
            let there = there.and_then(|body| questions(&body)).unwrap_or_default();
            let room = MOST - all.len();
            let older = there.into_iter().filter(|one| all.binary_search(one).is_err()).take(room);
            let older: Vec<Question> = older.collect();
            all.extend(older);
            all.sort_unstable();
            all.iter().flat_map(|one| one.0).collect()
        })?;
        self.known = all;
        Ok(())
    }
}

/// What a body holds, if it is in order.
fn questions(body: &[u8]) -> Option<Vec<Question>> {
    let (questions, rest) = body.as_chunks::<WIDTH>();
    let in_order = rest.is_empty() && questions.is_sorted_by(|one, next| one < next);
    in_order.then(|| questions.iter().copied().map(Question).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::codec::canonical;

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
