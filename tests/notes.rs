//! How much of a note is read: what owners say on a commit that others build on, and all of it where the commit itself is judged.

use git_boundary::codec::artifact::Artifact;
use git_boundary::gather::notes::Noted;
use git_boundary::gather::{Session, SessionOptions};
use git_boundary::model::asserted::Asserted;
use git_boundary::model::decision::{Contradiction, ContradictionState};

use crate::support::{World, now};

#[test]
fn a_note_that_was_skimmed_is_read_whole_when_asked() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    // From the proven tip a second handoff starts, and somebody has spoilt one line in each place.
    work.hand_out_with("--to codex --path docs/** --at HEAD");
    let mut lines = work.lines("HEAD");
    let (first, last) = (lines.first().expect("it is noted").clone(), lines.last().expect("it is noted").clone());
    lines.push(first.replacen("\"sig\":\"", "\"sig\":\"A", 1));
    lines.push(last.replacen("\"sig\":\"", "\"sig\":\"A", 1));
    work.set_lines("HEAD", &lines);

    let repository = work.open();
    let session = Session::open(&repository, now(), &SessionOptions::default()).expect("the clone is sound");
    let tip = work.id("HEAD");
    let (skimmed, read, both) = (Noted::default(), Noted::default(), Noted::default());
    skimmed.skim(&session, &tip).expect("it reads");
    read.read(&session, &tip).expect("it reads");
    both.skim(&session, &tip).expect("it reads");
    both.read(&session, &tip).expect("it reads");
    both.skim(&session, &tip).expect("it reads");

    let digests = |noted: &Noted| noted.artifacts().into_keys().collect::<Vec<_>>();
    assert_eq!(digests(&both), digests(&read));
    assert_eq!(skimmed.on(&tip, |artifact| matches!(artifact, Artifact::Handoff(_))).len(), 1);
    assert_eq!(skimmed.artifacts().len(), 1, "nothing else on it is for whoever builds on it");
    assert!(read.artifacts().len() > 4, "a proof and all it rests on");
    let bad = |noted: &Noted| noted.bad_lines(&[tip].into()).len();
    assert_eq!((bad(&read), bad(&both)), (2, 2), "each is told once");
}

#[test]
fn a_handoff_that_was_contradicted_where_it_is_pinned_carries_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let handoff = work.stored("main", |artifact| matches!(artifact, Artifact::Handoff(_)));
    let target = handoff.first().expect("it is noted on its pin").digest();
    let predicate =
        Contradiction { asserted: Asserted::none(), material: true, state: ContradictionState::Open, target };
    let line = work.sign("ada-l", "main", predicate);
    work.record("main", &[line]);
    work.push("origin agent/fix:main").refused("evidence.contradicted");
}
