//! Notes that an earlier process read: `audit` does not read them again, and says what it would say if it did.

use std::fs;
use std::path::PathBuf;

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::canonical;
use git_boundary::codec::dsse::Dsse;
use git_boundary::model::digest::Digest;

use crate::remembered::{MANY, damage_all_over, long_branch, said};
use crate::support::Work;

fn notes(work: &Work) -> PathBuf {
    work.git_file("boundary/cache/notes")
}

fn lines(work: &Work) -> PathBuf {
    work.git_file("boundary/cache/verified")
}

fn audit(work: &Work) -> String {
    work.boundary("audit --json").ok().stdout
}

/// What is said by who never remembered anything.
fn anew(work: &Work) -> String {
    fs::remove_dir_all(work.git_file("boundary/cache")).expect("it can be deleted");
    audit(work)
}

/// Whether the next audit reads notes that were read before: it has no other use for what is known of single lines.
fn reads_notes(work: &Work) -> bool {
    fs::remove_file(lines(work)).ok();
    audit(work);
    lines(work).exists()
}

#[test]
fn the_second_audit_reads_no_note_and_says_what_the_first_said() {
    let world = long_branch();
    let work = &world.work;
    let first = audit(work);
    assert!(notes(work).exists(), "what notes came to is kept");
    assert!(!reads_notes(work), "none is read again");
    assert_eq!(audit(work), first, "from memory");
    fs::remove_file(notes(work)).expect("it can be deleted");
    assert!(reads_notes(work), "without the file all of them are");
    assert_eq!(anew(work), first, "and the answer is the same");
}

#[test]
fn what_comes_later_to_a_note_that_was_read_is_seen() {
    let world = long_branch();
    let work = &world.work;
    let before = audit(work);
    assert!(!before.contains("deny"), "nobody denied anything: {before}");
    work.check("deny");
    let after = audit(work);
    assert!(after.contains("\"deny\":1"), "the denial stands beside the approval: {after}");
    assert_eq!(after, anew(work), "as for who never read the note before");
}

#[test]
fn a_note_that_was_replaced_is_read_whatever_its_length() {
    let world = long_branch();
    let work = &world.work;
    audit(work);
    let mut stored: Vec<String> = work.lines("HEAD~3");
    let mut line = Dsse::parse(stored[0].as_bytes()).expect("it is a line");
    line.signatures[0].sig[7] ^= 1;
    let changed = String::from_utf8(line.line()).expect("lines are text");
    assert_eq!(changed.len(), stored[0].len(), "not a byte more or less");
    stored[0] = changed;
    work.set_lines("HEAD~3", &stored);
    let after = audit(work);
    assert!(after.contains("whose line"), "an entry has lost its line: {after}");
    assert!(after.contains("no entry in its registrar's ledger"), "and a line has no entry: {after}");
    assert_eq!(audit(work), after, "a note with a flaw is never kept");
    assert_eq!(anew(work), after, "as for who never read the note before");
}

#[test]
fn a_note_whose_blob_is_gone_is_missed() {
    let world = long_branch();
    let work = &world.work;
    let before = audit(work);
    let oid = work.oid("HEAD~5");
    let listed = work.git(&format!("ls-tree -r {}", work.notes_ref()));
    let entry = listed.lines().find(|line| line.replace('/', "").ends_with(&oid)).expect("the commit has a note");
    let blob = entry.split([' ', '\t']).nth(2).expect("git lists ids").to_owned();
    let (directory, file) = blob.split_at(2);
    let path = work.git_file("objects").join(directory).join(file);
    let bytes = fs::read(&path).expect("the note is a loose object");
    fs::remove_file(&path).expect("it can be deleted");
    let after = audit(work);
    assert!(after.contains(&format!("object {blob} is not in this repository")), "a gap is told: {after}");
    assert_eq!(anew(work), after, "as for who never read the note before");
    fs::write(&path, bytes).expect("it can be put back");
    assert_eq!(audit(work), before, "and nothing was lost by it");
}

#[test]
fn a_proof_that_is_copied_to_another_note_is_counted_once_with_all_its_entries() {
    let world = long_branch();
    let work = &world.work;
    let proof = work.stored("HEAD", |artifact| matches!(artifact, Artifact::BoundaryProof(_)));
    for (time, rev) in ["HEAD~9", "HEAD~20"].iter().enumerate() {
        audit(work);
        work.record(rev, &proof);
        let after = audit(work);
        assert!(after.contains("\"allow\":1"), "copy {time} is no second verdict: {after}");
        assert_eq!(audit(work), after, "from memory");
        assert_eq!(anew(work), after, "as for who never read the notes before");
    }
}

#[test]
fn a_change_of_trust_begins_anew() {
    let world = long_branch();
    let work = &world.work;
    audit(work);
    let before = fs::read(notes(work)).expect("notes were remembered");
    work.boundary("trust revoke reviewer-bot").ok();
    let changed = audit(work);
    let after = fs::read(notes(work)).expect("notes are remembered again");
    assert_ne!(before, after, "it is kept for the new trust document");
    fs::write(notes(work), &before).expect("it can be written");
    assert!(reads_notes(work), "what was known under the old one is not looked at");
    assert_eq!(audit(work), changed, "and changes nothing");
    assert_eq!(fs::read(notes(work)).expect("it is there"), after, "and gives way");
    assert_eq!(anew(work), changed, "the answers are those of who never remembered anything");
}

#[test]
fn no_damage_to_the_file_changes_an_answer() {
    let world = long_branch();
    let work = &world.work;
    let first = audit(work);
    let whole = damage_all_over(work, &notes(work), &first);
    fs::remove_file(lines(work)).expect("it can be deleted");
    fs::write(notes(work), &whole).expect("it can be written");
    work.boundary("doctor --repair").says("remembered lines");
    assert!(!notes(work).exists(), "repairing drops it");
    assert_eq!(audit(work), first, "and nothing is lost with it");
}

#[test]
fn only_counts_come_from_it_and_no_judgement_at_any_time() {
    let world = long_branch();
    let work = &world.work;
    audit(work);
    let line = format!("refs/heads/agent/fix {} refs/heads/agent/fix {}\n", work.oid("HEAD"), "0".repeat(40));
    let later = work.later(365 * 86_400);
    let runs_out = || later.hook(&line).ends_with(1).says("authority.lease_expired");
    let judged = || {
        let all = [later.boundary("verify agent/fix --json"), work.boundary("verify agent/fix --json")];
        all.map(|ran| (ran.status, ran.stdout))
    };
    runs_out();
    let (before, counted) = (judged(), audit(work));
    forge(work, "allow", "xllow");
    forge(work, "reviewer", "xeviewer");
    runs_out();
    assert_eq!(judged(), before, "a file that somebody forged is not looked at for these");
    fs::remove_file(notes(work)).expect("it can be deleted");
    assert_eq!(audit(work), counted, "and its counts go with it");
}

/// Writes other words into the file, under a checksum that is right: what can be done by who may write to the common git directory.
fn forge(work: &Work, word: &str, other: &str) {
    let bytes = fs::read(notes(work)).expect("notes were remembered");
    let end = bytes.iter().position(|byte| *byte == b'\n').expect("a header stands before them");
    let mut header: serde_json::Value = serde_json::from_slice(&bytes[..end]).expect("the header is JSON");
    let mut body = bytes[end + 1..].to_vec();
    for at in 0..body.len() {
        if body[at..].starts_with(word.as_bytes()) {
            body[at..at + other.len()].copy_from_slice(other.as_bytes());
        }
    }
    let trust: Digest = header["trust"].as_str().and_then(|text| text.parse().ok()).expect("a digest");
    let (form, program) = (header["form"].as_u64(), header["program"].as_str());
    let sum = canonical::separated_digest("kept-notes", &(form, program, trust, canonical::sha256(&body)));
    header["sum"] = sum.to_string().into();
    fs::write(notes(work), [&canonical::to_vec(&header)[..], b"\n", &body].concat()).expect("it can be written");
}

#[test]
fn a_few_notes_are_read_and_nothing_is_kept_of_them() {
    let world = crate::support::World::new();
    let work = &world.work;
    work.proven_fix();
    audit(work);
    assert!(!notes(work).exists(), "reading them costs less than remembering");
}

#[test]
fn a_note_with_any_line_that_authorises_nothing_is_never_kept() {
    let world = long_branch();
    let work = &world.work;
    for number in 0..MANY {
        let rev = format!("HEAD~{number}");
        let mut line = said(work, &rev, MANY + number);
        line.signatures[0].sig[7] ^= 1;
        work.record(&rev, &[line]);
    }
    for time in ["first", "second"] {
        let told = work.boundary("audit --json").ok().json();
        assert_eq!(told["set_aside"].as_array().map(Vec::len), Some(MANY), "the {time} time each is told");
        assert!(reads_notes(work), "the {time} time each note is read");
    }
}
