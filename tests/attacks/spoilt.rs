//! Refs of honest registrars that somebody without their keys wrote into, at one remote of several or at the only one.

use crate::support::{Work, World};

/// A second remote, sorted before `origin`, whose owner may put anything there.
fn other_remote(world: &World, reader: &Work, refs: &[(&Work, &str, &str)]) {
    let dir = world.root().join("aaa.git");
    reader.git(&format!("init -q --bare {}", dir.display()));
    for (from, what, name) in refs {
        from.git(&format!("push -q --no-verify {} {what}:{name}", dir.display()));
    }
    reader.git(&format!("remote add aaa {}", dir.display()));
    reader.git("fetch -q aaa +refs/notes/boundary/*:refs/boundary-remote/aaa/notes/*");
}

/// The same ref under the same checkpoint, without the lines of one note.
fn stripped(work: &Work, about: &str) -> String {
    let reference = work.notes_ref();
    work.git(&format!("update-ref refs/spoilt {reference}"));
    let path = work.note_files(&reference).into_iter().find(|path| path.replace('/', "") == about);
    work.set_note_file("refs/spoilt", &path.expect("there is a note"), Some(b""));
    "refs/spoilt".to_owned()
}

/// The same ref under the same checkpoint, with other bytes in the files of its ledger below one directory.
fn with_other_tiles(work: &Work, below: &str) -> String {
    let reference = work.notes_ref();
    work.git(&format!("update-ref refs/spoilt {reference}"));
    for tile in work.note_files(&reference).into_iter().filter(|path| path.starts_with(below)) {
        let length: usize = work.git(&format!("cat-file -s {reference}:{tile}")).parse().expect("a length");
        work.set_note_file("refs/spoilt", &tile, Some(&vec![7; length]));
    }
    assert_ne!(work.oid("refs/spoilt"), work.oid(&reference), "a ledger has such files");
    "refs/spoilt".to_owned()
}

/// Proposed and allowed here, and denied in another clone, whose registrar nobody listed.
fn denied_elsewhere() -> (World, Work) {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add second --role checker --new-key").ok();
    work.proposed_fix();
    work.check_by("second", "allow");
    let joined = world.joined("joined");
    joined.git(&format!("fetch -q {} agent/fix:agent/fix", work.dir.display()));
    joined.git("switch -q agent/fix");
    joined.check("deny");
    work.git("fetch -q");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
    (world, joined)
}

#[test]
fn a_denial_that_one_remote_shows_is_not_hidden_by_another_one() {
    let (world, joined) = denied_elsewhere();
    let work = &world.work;
    let spoilt = stripped(&joined, &work.head());
    other_remote(&world, work, &[(&joined, &spoilt, &joined.notes_ref())]);
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

#[test]
fn a_denial_that_one_remote_shows_is_not_hidden_by_a_longer_ledger_at_another_one() {
    let (world, joined) = denied_elsewhere();
    let work = &world.work;
    let head = work.head();
    joined.git("config boundary.publish manual");
    joined.commit(&[("src/other.rs", "\n")]);
    joined.boundary("propose --key codex");
    let spoilt = stripped(&joined, &head);
    other_remote(&world, work, &[(&joined, &spoilt, &joined.notes_ref())]);
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

/// A proven fix, and a clone that has it and found it verified.
fn proven_elsewhere() -> (World, Work) {
    let world = World::new();
    world.work.proven_fix();
    let joined = world.joined("joined");
    joined.git(&format!("fetch -q {} agent/fix:agent/fix", world.work.dir.display()));
    joined.boundary("verify agent/fix --ref main").ok();
    (world, joined)
}

#[test]
fn a_ledger_that_one_remote_spoilt_is_read_from_another_one() {
    let (world, joined) = proven_elsewhere();
    let work = &world.work;
    let spoilt = with_other_tiles(work, "ledger/tile/");
    other_remote(&world, &joined, &[(work, &spoilt, &work.notes_ref())]);
    joined.boundary("verify agent/fix --ref main").ok();
    joined.forget();
    joined.boundary("verify agent/fix --ref main").ok();
}

#[test]
fn a_name_that_ends_like_a_registrars_is_not_taken_for_its_ref() {
    for place in ["aa", "zz"] {
        let world = World::new();
        let work = &world.work;
        work.proposed_fix();
        let joined = world.joined("joined");
        let fetched = work.oid(&work.notes_ref());
        work.check("deny");
        let name = format!("refs/notes/boundary/{place}/notes/{}", work.registrar_id());
        world.server.git(&format!("update-ref {name} {fetched}"));
        let answer = joined.boundary("sync --json").json();
        let all = answer["fetched"].as_array().expect("a list");
        let own = all.iter().find(|one| one["registrar"] == work.registrar_id().to_string()).expect("it was fetched");
        assert_eq!(own["state"], "extended", "what is new in the registrar's own ref is taken over: {answer}");
    }
}

#[test]
fn lines_that_somebody_took_away_on_top_are_not_lost_where_they_were_fetched() {
    let (world, joined) = denied_elsewhere();
    let work = &world.work;
    work.boundary("sync").ok();
    let spoilt = stripped(&joined, &work.head());
    joined.git(&format!("push -q --no-verify origin {spoilt}:{}", joined.notes_ref()));
    work.boundary("sync").says("gone from its notes");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

#[test]
fn tiles_that_somebody_spoilt_are_not_taken_over() {
    let (world, joined) = proven_elsewhere();
    let work = &world.work;
    let spoilt = with_other_tiles(work, "ledger/tile/0/");
    work.git(&format!("push -q --no-verify origin {spoilt}:{}", work.notes_ref()));
    joined.boundary("sync").says("not taken over");
    joined.forget();
    joined.boundary("verify agent/fix --ref main").ok();
    work.boundary("sync").ok();
    joined.boundary("sync").ok();
}

#[test]
fn nobody_else_makes_a_clone_believe_that_its_own_ledger_forked() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let (own, whole) = (work.notes_ref(), work.oid(&work.notes_ref()));
    let spoilt = with_other_tiles(work, "ledger/tile/0/");
    work.git(&format!("push -q --no-verify origin {spoilt}:{own}"));
    // A backup is put back.
    work.git(&format!("update-ref {own} {own}~1"));
    work.forget();
    work.forget_fetched();
    let registrar = work.registrar_id();
    work.boundary("sync").never_says("forked");
    work.git("fetch -q");
    work.boundary("doctor").never_says("forked");
    work.boundary("doctor --repair").never_says("retired");
    assert_eq!(work.registrar_id(), registrar, "its key stays");
    // What the ledger was is still there to be gone on with.
    work.git(&format!("push -q --no-verify -f origin {whole}:{own}"));
    work.boundary("sync").ok();
    assert_eq!(work.oid(&own), whole);
}
