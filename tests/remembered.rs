//! Lines that were good in an earlier process: they are not verified again, and nothing else follows from it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use git_boundary::codec::canonical;
use git_boundary::codec::dsse::Dsse;
use git_boundary::model::handoff::Revocation;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::support::{Work, World};

/// Past this many notes the file is looked at and written.
pub const MANY: usize = 70;

/// A proven branch of so many commits, an owner's line on each.
pub fn long_branch() -> World {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.git("switch -q -c agent/fix");
    for number in 0..MANY {
        work.commit(&[("src/main.rs", &format!("// {number}\n"))]);
    }
    work.propose();
    work.check("allow");
    for number in 0..MANY {
        let rev = format!("HEAD~{number}");
        work.record(&rev, &[said(work, &rev, number)]);
    }
    world
}

/// A line that nothing depends on.
pub fn said(work: &Work, rev: &str, number: usize) -> Dsse {
    let target = canonical::sha256(&number.to_be_bytes());
    work.sign("ada-l", rev, Revocation { reason: format!("number {number}"), target })
}

/// The same line as if it were signed, which it is not.
fn wrong(mut line: Dsse) -> Dsse {
    line.signatures[0].sig[7] ^= 1;
    line
}

fn file(work: &Work) -> PathBuf {
    work.git_file("boundary/cache/verified")
}

/// How many lines are remembered.
fn remembered(work: &Work) -> usize {
    let bytes = fs::read(file(work)).expect("lines were remembered");
    let header = bytes.iter().position(|byte| *byte == b'\n').expect("a header stands before them");
    (bytes.len() - header - 1) / 32
}

/// All that is said about all of it.
fn answers(work: &Work) -> Vec<(i32, String)> {
    ["verify agent/fix --json", "audit --json", "log --json"]
        .map(|line| {
            let ran = work.boundary(line);
            (ran.status, ran.stdout)
        })
        .into()
}

#[test]
fn the_second_answer_is_the_first_and_so_is_the_one_without_the_file() {
    let world = long_branch();
    let work = &world.work;
    let first = answers(work);
    assert_eq!(first[0].0, 0, "the branch verifies: {}", first[0].1);
    assert!(remembered(work) > MANY, "each good line is remembered");
    assert_eq!(answers(work), first, "from memory");
    fs::remove_file(file(work)).expect("it can be deleted");
    assert_eq!(answers(work), first, "without it");
    fs::remove_dir_all(work.git_file("boundary/cache")).expect("it can be deleted");
    assert_eq!(answers(work), first, "without any cache");
}

#[test]
fn a_wrong_signature_is_never_remembered() {
    let world = long_branch();
    let work = &world.work;
    answers(work);
    let good = remembered(work);
    fs::remove_dir_all(work.git_file("boundary/cache")).expect("it can be deleted");
    for number in 0..MANY {
        work.record(&format!("HEAD~{number}"), &[wrong(said(work, &format!("HEAD~{number}"), MANY + number))]);
    }
    for time in ["first", "second"] {
        let audit = work.boundary("audit --json").ok().json();
        let aside = audit["set_aside"].as_array().expect("a list");
        assert_eq!(aside.len(), MANY, "the {time} time as many lines authorise nothing");
        assert_eq!(remembered(work), good, "the {time} time only good ones are kept");
    }
}

#[test]
fn a_line_that_turns_bad_is_bad_whatever_is_remembered_of_it() {
    let world = long_branch();
    let work = &world.work;
    answers(work);
    // The same bytes are signed, and the signature is another one, or another's.
    let line = said(work, "HEAD", 0);
    let mut stolen = line.clone();
    stolen.signatures = said(work, "HEAD~1", 1).signatures;
    let before = work.boundary("audit --json").ok().json()["set_aside"].as_array().map_or(0, Vec::len);
    work.record("HEAD", &[wrong(line), stolen]);
    fs::remove_file(work.git_file("boundary/cache/notes")).expect("notes were remembered as well");
    let after = work.boundary("audit --json").ok().json()["set_aside"].as_array().map_or(0, Vec::len);
    assert_eq!(after, before + 2, "each signature is asked about with what it is on");
}

#[test]
fn a_change_of_trust_begins_anew() {
    let world = long_branch();
    let work = &world.work;
    answers(work);
    let before = fs::read(file(work)).expect("lines were remembered");
    work.boundary("trust revoke codex").ok();
    let changed = answers(work);
    let after = fs::read(file(work)).expect("lines are remembered again");
    let header = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').next().map(<[u8]>::to_vec);
    assert_ne!(header(&before), header(&after), "it is kept for the new trust document");
    fs::write(file(work), &before).expect("it can be written");
    assert_eq!(answers(work), changed, "what was known under the old one is not looked at");
    assert_eq!(fs::read(file(work)).expect("it is there"), after, "and gives way");
    fs::remove_dir_all(work.git_file("boundary/cache")).expect("it can be deleted");
    assert_eq!(answers(work), changed, "the answers are those of who never remembered anything");
}

#[test]
fn no_damage_to_the_file_changes_an_answer() {
    let world = long_branch();
    let work = &world.work;
    work.record("HEAD", &[wrong(said(work, "HEAD", MANY))]);
    let first = work.boundary("audit --json").ok().stdout;
    assert!(first.contains("does not verify"), "one line authorises nothing: {first}");
    let whole = damage_all_over(work, &file(work), &first);
    fs::write(file(work), &whole).expect("it can be written");
    work.boundary("doctor --repair").says("remembered lines");
    assert!(!file(work).exists(), "repairing drops it");
    assert_eq!(work.boundary("audit --json").ok().stdout, first, "and nothing is lost with it");
}

/// Damages a file of the cache in many ways, none of which may change what `audit` says; gives it as it was.
pub fn damage_all_over(work: &Work, file: &Path, first: &str) -> Vec<u8> {
    let whole = fs::read(file).expect("something was remembered");
    let change = (0..whole.len(), 1..=255_u8, prop::bool::ANY);
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let tried = runner.run(&change, |(at, change, cut)| {
        let mut bytes = whole.clone();
        bytes[at] ^= change;
        bytes.truncate(if cut { at } else { whole.len() });
        // Else the one of notes would answer, and nobody ask the one of lines.
        fs::remove_file(work.git_file("boundary/cache/notes")).ok();
        fs::write(file, bytes).expect("it can be written");
        prop_assert_eq!(work.boundary("audit --json").ok().stdout, first);
        Ok(())
    });
    tried.expect("whatever it holds");
    whole
}

#[test]
fn several_processes_at_once_say_the_same() {
    let world = long_branch();
    let work = &world.work;
    let first = work.boundary("log --json").ok().stdout;
    fs::remove_file(file(work)).expect("it can be deleted");
    let start = || {
        let mut command = work.home.command(&work.dir, "git-boundary");
        command.args(["log", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    };
    let running: Vec<Child> = (0..6).map(|_| start()).collect();
    for child in running {
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stdout), first, "whoever wrote meanwhile");
    }
    assert!(remembered(work) > MANY, "one of them wrote it whole");
    assert_eq!(work.boundary("log --json").ok().stdout, first, "and it can be used");
}

#[test]
fn a_repository_that_cannot_be_written_to_is_read_all_the_same() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = long_branch();
    let work = &world.work;
    let first = work.boundary("audit --json").ok().stdout;
    let cache = work.git_file("boundary/cache");
    fs::remove_dir_all(&cache).expect("it can be deleted");
    // Not a directory: who may do anything is kept from writing as well.
    fs::write(&cache, b"").expect("it can be written");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o400)).expect("an own file's mode can be set");
    let ran = work.boundary("audit --json").ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (first.as_str(), ""), "silently, and the same");
}

#[test]
fn a_few_commits_neither_ask_for_the_file_nor_write_it() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    work.boundary("verify agent/fix").ok();
    assert!(!file(work).exists(), "a hook before a small push has nothing to do with it");
}

mod one_line {
    use std::cell::Cell;
    use std::collections::BTreeSet;

    use git_boundary::codec::artifact::Artifact;
    use git_boundary::codec::dsse::Dsse;
    use git_boundary::codec::in_toto::{Statement, Subject};
    use git_boundary::codec::{canonical, in_toto};
    use git_boundary::crypto::verified::{
        BadLine, Memory, Question, Verified, sign, sign_statement, verify_line, verify_line_remembering,
    };
    use git_boundary::crypto::{PrivateKey, Signer as _, key_id};
    use git_boundary::model::handoff::Revocation;
    use git_boundary::model::id::RepositoryId;
    use git_boundary::model::key::PublicKey;

    fn keys() -> [PrivateKey; 2] {
        [1, 2].map(|seed| PrivateKey::from_seed(&[seed; 32]))
    }

    fn resolve(name: &str) -> Option<PublicKey> {
        keys().iter().map(|key| key.public_key()).find(|key| key_id(key).to_string() == name)
    }

    /// Signed by both.
    fn line() -> Dsse {
        let target = canonical::sha256(b"target");
        let oid = "1234567890123456789012345678901234567890".parse().expect("an id");
        let subject = Some(Subject { commit: oid, repository: RepositoryId::of(&target), tree: oid });
        let statement = Statement { predicate: Revocation { reason: "no reason".to_owned(), target }, subject };
        let [one, other] = keys().map(|key| sign_statement(&statement, &key).expect("it signs"));
        Dsse { signatures: [one.signatures.clone(), other.signatures].concat(), ..one }
    }

    fn found(line: &[u8], resolve: &dyn Fn(&str) -> Option<PublicKey>) -> Vec<Question> {
        let memory = Memory::new(&|_| false);
        verify_line_remembering(line, resolve, &memory).ok();
        memory.into_found()
    }

    fn with(
        line: &[u8],
        known: &[Question],
        resolve: &dyn Fn(&str) -> Option<PublicKey>,
    ) -> (Result<Verified<Artifact>, BadLine>, bool) {
        let used = Cell::new(false);
        let knows = |question: &Question| {
            used.set(known.contains(question));
            used.get()
        };
        (verify_line_remembering(line, resolve, &Memory::new(&knows)), used.get())
    }

    #[test]
    fn what_is_remembered_reads_as_what_was_verified() {
        let line = line().line();
        let known = found(&line, &resolve);
        assert_eq!(known.len(), 1, "a good line is kept once");
        let (again, used) = with(&line, &known, &resolve);
        assert!(used, "it is known again");
        assert_eq!(again, verify_line(&line, &resolve), "digest, signers and value are the same");
    }

    #[test]
    fn lines_with_anything_wrong_are_never_kept() {
        let good = line();
        let mut wrong = good.clone();
        wrong.signatures[1].sig[0] ^= 1;
        assert!(verify_line(&wrong.line(), &resolve).is_ok(), "the other signature is good");
        assert_eq!(found(&wrong.line(), &resolve), [], "one wrong signature beside a good one");
        wrong.signatures[0].sig[0] ^= 1;
        assert_eq!(found(&wrong.line(), &resolve), [], "no good signature");
        let spaced = String::from_utf8(good.line()).expect("text").replace("\",\"", "\", \"");
        assert_eq!(found(spaced.as_bytes(), &resolve), [], "another spelling");
        let open = sign(in_toto::PAYLOAD_TYPE, b"{}".to_vec(), &keys()[0]).expect("it signs");
        assert_eq!(found(&open.line(), &resolve), [], "a good signature over a payload with a defect");
        let spelt = String::from_utf8(good.payload.clone()).expect("text").replace(':', ": ");
        let spelt = sign(in_toto::PAYLOAD_TYPE, spelt.into_bytes(), &keys()[0]).expect("it signs");
        assert_eq!(found(&spelt.line(), &resolve), [], "a good signature over another spelling");
        assert_eq!(found(&good.line(), &|_| None), [], "nobody's signature");
    }

    #[test]
    fn no_other_bytes_and_no_other_keys_are_taken_for_a_line_that_is_remembered() {
        let good = line().line();
        let known = found(&good, &resolve);
        for at in 0..good.len() {
            let mut changed = good.clone();
            changed[at] ^= 1;
            let (answer, used) = with(&changed, &known, &resolve);
            assert!(!used, "byte {at}");
            assert_eq!(answer, verify_line(&changed, &resolve), "byte {at}");
        }
        let first = |name: &str| resolve(name).filter(|key| *key == keys()[0].public_key());
        let (answer, used) = with(&good, &known, &first);
        assert!(!used, "one of the keys is not known any more");
        let signers: BTreeSet<PublicKey> = [keys()[0].public_key()].into();
        assert_eq!(answer.expect("the other one is").signers(), &signers, "and does not count");
        let other = |name: &str| resolve(name).map(|_| keys()[1].public_key());
        let (answer, used) = with(&good, &known, &other);
        assert!(!used, "a name stands for another key");
        assert_eq!(answer, verify_line(&good, &other), "and the line is verified anew");
    }
}
