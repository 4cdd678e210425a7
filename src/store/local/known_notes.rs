//! NOTES: what was made of whole notes in an earlier process, so that a note which is as it was need not be read again.
//!
//! What is kept of a note is the caller's to say and to read; here it is bytes, found by the annotated object and only under the name of
//! all that they follow from.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use super::LocalState;
use super::kept::Kept;
use crate::model::digest::Digest;
use crate::model::id::Oid;

/// Most bytes of a file; what is over is not kept.
const MOST: usize = 128 << 20;
/// When at least one in so many is new, the file is written anew; fewer cost less to read again than to write down.
const GROWTH: usize = 64;
const FILE: Kept = Kept { form: 1, most: MOST, name: "notes" };

/// Bytes of a digest.
const NAME: usize = 32;

/// What is known about notes under one trust document.
#[derive(Debug)]
pub struct KnownNotes {
    body: Vec<u8>,
    cache: PathBuf,
    keeps: bool,
    /// Where in the body each record's name begins, and where the record ends.
    known: BTreeMap<Oid, (usize, usize)>,
    new: BTreeMap<Oid, (Digest, Vec<u8>)>,
    trust: Digest,
}

impl LocalState {
    /// What is known under the trust document of this digest. Nothing, where the file is of another one or another program.
    pub fn known_notes(&self, trust: Digest) -> KnownNotes {
        let cache = self.cache();
        let mut body = FILE.load(&cache, trust).unwrap_or_default();
        let known = records(&body).unwrap_or_else(|| {
            body.clear();
            BTreeMap::new()
        });
        KnownNotes { body, cache, keeps: self.remembers, known, new: BTreeMap::new(), trust }
    }

    /// Forgets them; whether there were any.
    pub fn forget_notes(&self) -> bool {
        FILE.forget(&self.cache())
    }
}

impl KnownNotes {
    /// What was kept of the note of an object, if it follows from the same.
    pub fn get(&self, oid: &Oid, from: &Digest) -> Option<&[u8]> {
        let (start, end) = *self.known.get(oid)?;
        let (name, bytes) = self.body[start..end].split_at(NAME);
        (name == from.0).then_some(bytes)
    }

    /// Adds what was made of a note now.
    pub fn add(&mut self, oid: Oid, from: Digest, bytes: Vec<u8>) {
        self.new.insert(oid, (from, bytes));
    }

    /// Writes down what is new. Where that can't be done, and in a server's quarantine, nothing is: it only costs time.
    pub fn keep(&mut self) {
        if self.keeps && self.new.len() > self.known.len() / GROWTH {
            self.store().ok();
        }
    }

    fn store(&mut self) -> io::Result<()> {
        let new = std::mem::take(&mut self.new);
        FILE.renew(&self.cache, self.trust, |there| {
            let mut body = Vec::new();
            let mut put = |oid: &Oid, from: &[u8], bytes: &[u8]| {
                let length = u32::try_from(bytes.len()).ok();
                let Some(length) = length.filter(|_| body.len() + bytes.len() + 128 <= MOST) else { return };
                body.push(oid.as_bytes().len() as u8);
                body.extend_from_slice(oid.as_bytes());
                body.extend_from_slice(&length.to_be_bytes());
                body.extend_from_slice(from);
                body.extend_from_slice(bytes);
            };
            for (oid, (from, bytes)) in &new {
                put(oid, &from.0, bytes);
            }
            // What another process wrote since this one read is as good, where this one has nothing newer.
            let there = there.unwrap_or_default();
            for (oid, (start, end)) in records(&there).unwrap_or_default() {
                if !new.contains_key(&oid) {
                    let (from, bytes) = there[start..end].split_at(NAME);
                    put(&oid, from, bytes);
                }
            }
            body
        })
    }
}

/// Where each object's record is; `None` where the body is not made of whole ones, one for an object.
fn records(body: &[u8]) -> Option<BTreeMap<Oid, (usize, usize)>> {
    let mut found = BTreeMap::new();
    let mut rest = body;
    while let Some((length, after)) = rest.split_first() {
        let (oid, after) = after.split_at_checked(usize::from(*length))?;
        let (length, after) = after.split_first_chunk::<4>()?;
        let (_, left) = after.split_at_checked(NAME + u32::from_be_bytes(*length) as usize)?;
        let place = (body.len() - after.len(), body.len() - left.len());
        if found.insert(Oid::from_bytes(oid)?, place).is_some() {
            return None;
        }
        rest = left;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::codec::canonical;

    const TRUST: Digest = Digest([1; 32]);

    fn local(dir: &std::path::Path) -> LocalState {
        LocalState { dir: dir.to_owned(), registrar: None, remembers: true }
    }

    fn oid(number: u32) -> Oid {
        let length = if number.is_multiple_of(2) { 20 } else { 32 };
        Oid::from_bytes(&canonical::sha256(&number.to_be_bytes()).0[..length]).expect("it has the length of an id")
    }

    fn add(known: &mut KnownNotes, range: std::ops::Range<u32>, from: Digest) {
        for number in range {
            known.add(oid(number), from, vec![7; number as usize]);
        }
    }

    const FROM: Digest = Digest([3; 32]);

    #[test]
    fn what_was_kept_is_found_under_the_same_name_and_trust_and_no_other() {
        let dir = tempfile::tempdir().expect("a directory");
        let local = local(dir.path());
        let mut known = local.known_notes(TRUST);
        add(&mut known, 0..100, FROM);
        known.keep();
        let again = local.known_notes(TRUST);
        for number in 0..100 {
            assert_eq!(again.get(&oid(number), &FROM), Some(&vec![7; number as usize][..]), "note {number}");
            assert_eq!(again.get(&oid(number), &Digest([4; 32])), None, "what follows from something else");
        }
        assert_eq!(again.get(&oid(100), &FROM), None, "a note that was never kept");
        assert_eq!(local.known_notes(Digest([2; 32])).get(&oid(1), &FROM), None, "another trust document");
    }

    #[test]
    fn a_note_that_changed_takes_the_place_of_what_it_was_and_nothing_else_is_lost() {
        let dir = tempfile::tempdir().expect("a directory");
        let local = local(dir.path());
        let (mut one, mut other) = (local.known_notes(TRUST), local.known_notes(TRUST));
        add(&mut one, 0..50, FROM);
        add(&mut other, 40..90, Digest([4; 32]));
        one.keep();
        other.keep();
        let again = local.known_notes(TRUST);
        assert_eq!(again.known.len(), 90, "one record for an object");
        assert!((0..40).all(|number| again.get(&oid(number), &FROM).is_some()), "what the first process found");
        assert!((40..90).all(|number| again.get(&oid(number), &Digest([4; 32])).is_some()), "the later reading counts");
    }

    #[test]
    fn a_file_with_any_byte_changed_cut_off_or_added_is_as_good_as_none() {
        let dir = tempfile::tempdir().expect("a directory");
        let local = local(dir.path());
        let mut known = local.known_notes(TRUST);
        add(&mut known, 0..9, FROM);
        known.keep();
        let path = local.cache().join("notes");
        let whole = fs::read(&path).expect("it was written");
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&path, &bytes).expect("it can be written");
            assert!(local.known_notes(TRUST).known.is_empty(), "byte {at}");
            fs::write(&path, &whole[..at]).expect("it can be written");
            assert!(local.known_notes(TRUST).known.is_empty(), "cut off after {at} bytes");
        }
        fs::write(&path, [&whole[..], &[0; 64]].concat()).expect("it can be written");
        assert!(local.known_notes(TRUST).known.is_empty(), "with bytes at the end");
    }

    #[test]
    fn a_body_that_is_no_row_of_whole_records_holds_none() {
        let mut one = vec![20];
        one.extend([9; 20]);
        one.extend(2_u32.to_be_bytes());
        one.extend([3; NAME + 2]);
        assert_eq!(records(&one).map(|found| found.len()), Some(1), "this is one record");
        assert_eq!(records(&[&one[..], &one].concat()), None, "two for one object");
        for at in 1..one.len() {
            assert_eq!(records(&one[..at]), None, "cut off after {at} bytes");
        }
        one[0] = 19;
        assert_eq!(records(&one), None, "no object has an id of such a length");
    }

    #[test]
    fn nothing_is_written_where_nothing_may_be_remembered() {
        let dir = tempfile::tempdir().expect("a directory");
        let local = LocalState { remembers: false, ..local(dir.path()) };
        let mut known = local.known_notes(TRUST);
        add(&mut known, 0..100, FROM);
        known.keep();
        assert!(!local.cache().exists(), "a quarantine leaves no trace");
    }
}
