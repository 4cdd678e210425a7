//! What anybody can put into the boundary's names, and what must stand beside it untouched.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::verified::sign_statement;
use git_boundary::model::fact::{Fact, Reason};
use git_boundary::model::id::Oid;

use super::{Stranger, forged};
use crate::support::{Work, World, now, read};

/// The ref under which a stranger's work was fetched.
const FETCHED: &str = "refs/boundary-remote/origin/notes/key_11111111111111111111111111111111";

fn feed(work: &Work, args: &[&str], stdin: &[u8]) -> String {
    work.home.run(&work.dir, "git", args, stdin).ok().stdout.trim_end().to_owned()
}

#[test]
fn a_ref_that_is_no_ledger_stops_nobody() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let blob = work.oid("HEAD:src/main.rs");
    let tree = work.oid("HEAD:src");
    feed(work, &["tag", "-a", "-m", "of a tree", "tagged", &tree], b"");
    let unsorted = [&b"100644 b\0"[..], &[1; 20], b"100644 a\0", &[1; 20]].concat();
    let malformed = feed(work, &["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &unsorted);
    let malformed = feed(work, &["commit-tree", "-m", "malformed", &malformed], b"");
    for what in [blob, tree, work.oid("refs/tags/tagged"), malformed, work.oid("HEAD")] {
        work.git(&format!("update-ref {FETCHED} {what}"));
        work.boundary("verify main").ok();
        work.push("origin agent/fix:main --dry-run").accepted();
    }
    work.boundary("doctor").ok().says(FETCHED);
}

#[test]
fn what_a_stranger_spoils_beside_notes_that_were_read_before_is_shown() {
    let world = crate::remembered::long_branch();
    let work = &world.work;
    let stranger = Stranger::of(work, "spoiler");
    let any = work.stored("HEAD", |_| true).remove(0);
    stranger.record(&[(work.id("HEAD"), any)]);
    let before = work.boundary("audit --json").ok().stdout;
    // Where the ref might have a note about this commit there is no tree that can be read.
    let unsorted = [&b"100644 b\0"[..], &[1; 20], b"100644 a\0", &[1; 20]].concat();
    let malformed = feed(work, &["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &unsorted);
    let listed = work.git(&format!("ls-tree {}", stranger.reference()));
    let pair = &work.oid("HEAD~5")[..2];
    let listed = format!("{listed}\n040000 tree {malformed}\t{pair}\n");
    let tree = feed(work, &["mktree"], listed.as_bytes());
    let commit = feed(work, &["commit-tree", "-m", "spoilt", &tree], b"");
    work.git(&format!("update-ref {} {commit}", stranger.reference()));
    let after = work.boundary("audit --json").ok().stdout;
    assert_ne!(before, after, "its defect is told");
    std::fs::remove_dir_all(work.git_file("boundary/cache")).expect("it can be deleted");
    assert_eq!(work.boundary("audit --json").ok().stdout, after, "as to who never read the note before");
}

#[test]
fn a_note_larger_than_anybody_reads_stops_nobody() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let stranger = Stranger::of(work, "flooder");
    let tip = work.id("HEAD");
    let any = work.stored("HEAD", |_| true).remove(0);
    stranger.record(&[(tip, any)]);
    let files = work.note_files(&stranger.reference());
    let path = files.into_iter().find(|path| path.replace('/', "") == tip.to_string()).expect("it has a note");
    let many = "{\"a\":1}\n".repeat(5_000).into_bytes();
    for note in [vec![b'x'; 5 << 20], many] {
        work.set_note_file(&stranger.reference(), &path, Some(&note));
        work.push("origin agent/fix:main --dry-run").accepted();
    }
    work.set_note_file(&stranger.reference(), &path, Some(&vec![b'x'; 65 << 20]));
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok().says("set aside");
}

#[test]
fn a_listed_registrars_note_larger_than_is_read_leaves_the_answer_open() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let path = work.note_files(&work.notes_ref()).into_iter().find(|path| path.replace('/', "") == work.head());
    let flood = vec![b'x'; 65 << 20];
    work.set_note_file(&work.notes_ref(), &path.expect("it has a note"), Some(&flood));
    // Else what was published of it has all the lines.
    work.forget_fetched();
    work.push("origin agent/fix:main").undecided();
}

/// The proposal on `HEAD` with another context and other bindings, noted by somebody who signs it with a key of their own.
fn noise(
    work: &Work,
    stranger: &Stranger<'_>,
    base: Option<Oid>,
    lease: Option<Fact<git_boundary::model::digest::Digest>>,
) {
    let stored = work.stored("HEAD", |artifact| matches!(artifact, Artifact::ContextReceipt(_)));
    let Some(Artifact::ContextReceipt(statement)) = stored.last().and_then(read) else {
        panic!("a proposal has its receipt");
    };
    let Statement { mut predicate, subject } = *statement;
    predicate.snapshot.base.oid = base;
    let receipt = sign_statement(&Statement { predicate, subject }, &stranger.key).expect("a key in memory signs");
    let mut envelope = None;
    forged(work, "HEAD", &["codex"], |honest| envelope = Some(honest.clone()));
    let mut envelope = envelope.expect("there is a proposal");
    envelope.bindings.context = Fact::known(receipt.digest(), "nowhere", now());
    envelope.bindings.lease = lease.unwrap_or(envelope.bindings.lease);
    let statement = Statement { predicate: envelope, subject: Some(work.subject("HEAD")) };
    let proposal = sign_statement(&statement, &stranger.key).expect("a key in memory signs");
    let tip = work.id("HEAD");
    stranger.record(&[(tip, receipt), (tip, proposal)]);
}

#[test]
fn a_strangers_proposal_on_an_honest_commit_blocks_nothing() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add other --role actor --new-key").ok();
    // A handoff pinned on a branch that nobody else has.
    work.git("switch -q -c gone");
    work.hand_out_with("--to other --path src/**");
    let handoff = work.stored("HEAD", |artifact| matches!(artifact, Artifact::Handoff(_))).remove(0).digest();
    work.git("switch -q main");
    work.git("branch -q -D gone");
    work.proven_fix();
    let lease = Fact::known(handoff, "nowhere", now());
    noise(work, &Stranger::of(work, "blob"), Some(work.id("HEAD:src/main.rs")), None);
    noise(work, &Stranger::of(work, "tree"), Some(work.id("HEAD^{tree}")), None);
    noise(work, &Stranger::of(work, "tip"), Some(work.id("HEAD")), None);
    noise(work, &Stranger::of(work, "branch"), Some(work.id("main")), Some(lease));
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn a_proposal_without_a_handoff_that_starts_at_no_commit_blocks_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let stranger = Stranger::of(work, "nowhere");
    for start in ["HEAD:src/main.rs", "HEAD^{tree}"] {
        let start = work.id(start);
        let noise = forged(work, "HEAD", &["codex"], |envelope| {
            envelope.bindings.lease = Fact::NotApplicable { reason: Reason::NoHandoff };
            envelope.bindings.source_expected = Fact::NotApplicable { reason: Reason::NoHandoff };
            envelope.bindings.source_observed = Fact::known(start, "nowhere", now());
        });
        stranger.record(&[(work.id("HEAD"), noise)]);
    }
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn hints_without_number_cost_no_more_than_are_looked_at() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let stranger = Stranger::of(work, "hinter");
    let directory = feed(work, &["hash-object", "-w", "--stdin"], b"");
    stranger.record_at(now(), &[], &[(work.id(&directory), work.id("HEAD"))]);
    let files = work.note_files(&stranger.reference());
    let path = files.into_iter().find(|path| path.replace('/', "") == directory).expect("it has a note");
    let many: String = (1..=3_000).map(|number| format!("{{\"hint\":\"{number:040x}\"}}\n")).collect();
    work.set_note_file(&stranger.reference(), &path, Some(many.as_bytes()));
    // The handoff is still found, and the stranger's note is not.
    let refused = work.push("origin agent/fix").refused("context.receipt_missing");
    refused.says("git boundary propose --key codex");
}

#[test]
fn a_revocation_that_somebody_enters_again_under_an_early_date_ends_nothing_earlier() {
    let world = World::new();
    let work = &world.work;
    let handoff = work.hand_out();
    work.fix();
    work.propose();
    work.check("allow");
    work.push("origin agent/fix:main").accepted();
    let later = work.later(60);
    later.boundary(&format!("handoff revoke {handoff}")).ok();
    later.boundary("verify origin/main").ok();
    let pin = work.oid("main");
    let revocation = work.stored(&pin, |artifact| matches!(artifact, Artifact::Revocation(_))).remove(0);
    let early = git_boundary::model::time::Timestamp(1_000_000_000);
    Stranger::of(work, "backdater").record_at(early, &[(work.id(&pin), revocation)], &[]);
    later.boundary("verify origin/main").ok();
}
