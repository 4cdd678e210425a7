//! Ledgers that are gone, old, or in several refs at once.

use git_boundary::crypto::{Signer as _, key_id};
use git_boundary::ledger::{Checkpoint, Origin, TreeHead};
use git_boundary::model::time::Timestamp;

use super::Stranger;
use crate::support::{World, now};

#[test]
fn a_listed_ledger_that_was_seen_and_is_gone_leaves_the_answer_open() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add second --role checker --new-key").ok();
    work.proposed_fix();
    work.check_by("second", "allow");
    let another = Stranger::of(work, "another");
    let public = work.home.root().join("another.pub");
    std::fs::write(&public, work.sh("ssh-keygen -y -f ../another").ok().stdout).expect("the directory is writable");
    work.boundary(&format!("trust add {} --label another --role registrar", public.display())).ok();
    another.in_place_of_the_registrar(|| work.check("deny"));
    work.push("origin agent/fix:main").refused("policy.decision_denied");
    let reference = another.reference();
    let name = reference.rsplit('/').next().expect("a name");
    for own in work.refs().into_keys().filter(|own| own.ends_with(name)) {
        work.git(&format!("update-ref -d {own}"));
    }
    work.push("origin agent/fix:main").undecided().says("is gone").says("git fetch");
    work.git("fetch -q");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

#[test]
fn an_old_ref_of_somebody_elses_registrar_hides_nothing_that_was_fetched() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add second --role checker --new-key").ok();
    work.proposed_fix();
    work.check_by("second", "allow");
    let before = work.oid(&work.notes_ref());
    work.check("deny");
    let reader = world.joined("reader");
    reader.git(&format!("fetch -q origin {}:{}", work.notes_ref(), work.notes_ref()));
    reader.git(&format!("update-ref {} {before}", work.notes_ref()));
    reader.git(&format!("fetch -q {} agent/fix:agent/fix", work.dir.display()));
    reader.push("origin agent/fix:main").refused("policy.decision_denied");
}

#[test]
fn a_ledger_that_says_it_is_larger_than_anybody_could_read_stops_nobody() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let stranger = Stranger::of(work, "boaster");
    let any = work.stored("HEAD", |_| true).remove(0);
    stranger.record(&[(work.id("HEAD"), any)]);
    let origin = Origin { registrar: key_id(&stranger.key.public_key()), repository: work.repository_id() };
    for size in [2, 257, 1 << 40, u64::MAX - 1, u64::MAX] {
        let boast = Checkpoint { head: TreeHead { root: [7; 32], size }, origin };
        let public = stranger.key.public_key();
        let signed = boast.sign(&public.0, |bytes| stranger.key.sign(bytes)).expect("a key in memory signs");
        work.set_note_file(&stranger.reference(), "ledger/checkpoint", Some(signed.to_string().as_bytes()));
        work.push("origin agent/fix:main --dry-run").accepted();
    }
    work.boundary("doctor").ok().says(&stranger.reference());
}

#[test]
fn entries_at_the_ends_of_time_date_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    for (place, at) in [i64::MIN, -1, 0, now().0 + 10_000_000_000, Timestamp::MAX.0].into_iter().enumerate() {
        let stranger = Stranger::of(work, &format!("timeless-{place}"));
        let copies = |rev| work.stored(rev, |_| true).into_iter().map(move |line| (work.id(rev), line));
        let lines: Vec<_> = copies("HEAD").chain(copies("main")).collect();
        stranger.record_at(Timestamp(at), &lines, &[]);
    }
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
    for command in ["log", "audit", "doctor", "show HEAD"] {
        work.boundary(command).ok();
    }
}
