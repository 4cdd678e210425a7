//! What others can do to refs at the remote, and what of it is taken over.

use super::of;
use crate::support::{Work, World};

/// Two clones, and in the second what the first published.
fn two() -> (World, Work) {
    let world = World::new();
    world.work.proven_fix();
    let second = world.joined("second");
    second.git(&format!("fetch -q {} agent/fix:agent/fix", world.work.dir.display()));
    second.boundary("verify agent/fix --ref main").ok();
    (world, second)
}

#[test]
fn a_listed_ledger_that_went_back_is_told_and_what_was_fetched_stays() {
    let (world, second) = two();
    let notes = world.work.notes_ref();
    let older = world.work.oid(&format!("{notes}~2"));
    world.server.git(&format!("update-ref {notes} {older}"));
    let answer = second.boundary("sync --json").ends_with(2).json();
    let one = of(&answer, &world.work.registrar_id());
    assert_eq!(one["state"], "rolled_back");
    assert!(one["new_size"].as_u64() < one["old_size"].as_u64(), "both values are told: {answer}");
    second.boundary("verify agent/fix --ref main").ok();
    second.boundary("sync").ends_with(2).says("went back at origin");
    // Its own registrar has all of it still, and a fast-forward mends the remote.
    world.work.boundary("sync").ok();
    second.boundary("sync").ok();
}

#[test]
fn a_listed_ledger_that_is_gone_or_garbage_is_told_and_what_was_fetched_stays() {
    for spoil in ["-d", "main"] {
        let (world, second) = two();
        let notes = world.work.notes_ref();
        let main = world.server.git("rev-parse main");
        match spoil {
            "-d" => drop(world.server.git(&format!("update-ref -d {notes}"))),
            _ => drop(world.server.git(&format!("update-ref {notes} {main}"))),
        }
        let answer = second.boundary("sync --json").ends_with(2).json();
        assert_eq!(answer["problems"][0]["registrar"], world.work.registrar_id().to_string(), "{answer}");
        second.boundary("verify agent/fix --ref main").ok();
    }
}

#[test]
fn notes_that_somebody_emptied_on_the_way_are_not_taken_over() {
    let (world, second) = two();
    let (work, notes) = (&world.work, world.work.notes_ref());
    let other = world.clone("stranger");
    other.git(&format!("fetch -q origin {notes}:{notes} refs/heads/main"));
    let tree = other.git(&format!("rev-parse {notes}:ledger"));
    // A tree with the ledger and without any note, and no parent.
    let listed = format!("040000 tree {tree}\tledger\n");
    let made = other.home.run(&other.dir, "git", &["mktree"], listed.as_bytes()).ok().stdout;
    let commit = other.git(&format!("commit-tree -m x {}", made.trim()));
    other.git(&format!("push -q -f origin {commit}:{notes}"));
    let answer = second.boundary("sync --json").ends_with(2).json();
    assert_eq!(of(&answer, &work.registrar_id())["state"], "stripped");
    second.boundary("verify agent/fix --ref main").ok();
}

#[test]
fn what_a_stranger_did_to_the_own_ref_is_undone_without_force() {
    let (world, second) = two();
    let (work, notes) = (&world.work, world.work.notes_ref());
    let other = world.clone("stranger");
    other.git(&format!("fetch -q origin {notes}:{notes}"));
    other.git(&format!("notes --ref={notes} remove {}", work.head()));
    other.git(&format!("notes --ref={notes} add -m bogus {}", world.server.git("rev-parse main~0^{tree}")));
    other.git(&format!("push -q origin {notes}"));
    let count = |work: &Work| work.lines("HEAD").len();
    let before = count(work);
    let answer = work.boundary("sync --json").ok().json();
    assert_eq!(answer["united"], "merged");
    assert_eq!(count(work), before, "no line is lost here");
    assert!(!work.note_files(&notes).is_empty());
    assert_eq!(work.try_git(&format!("grep -q bogus {notes}")).status, 1, "and nothing strange came in");
    assert_eq!(world.server.refs()[&notes], work.oid(&notes), "the remote has it, by a fast-forward");
    second.boundary("sync").ok();
    second.boundary("verify agent/fix --ref main").ok();
    work.git("fsck --strict --no-dangling");
}

#[test]
fn an_own_ref_that_is_something_else_at_the_remote_is_told_and_never_forced() {
    let (world, _) = two();
    let (work, notes) = (&world.work, world.work.notes_ref());
    let main = world.server.git("rev-parse main");
    world.server.git(&format!("update-ref {notes} {main}"));
    let own = work.oid(&notes);
    work.boundary("sync").ends_with(2).says(&notes);
    assert_eq!((work.oid(&notes), world.server.refs()[&notes].clone()), (own, main));
}

#[test]
fn what_an_unlisted_registrar_gets_wrong_is_shown_and_stops_nothing() {
    let (world, second) = two();
    let strange = format!("refs/notes/boundary/key_{}", "0".repeat(32));
    world.server.git(&format!("update-ref {strange} main"));
    second.boundary("sync").ok().says("set aside").says(&strange);
    assert!(!second.refs().keys().any(|name| name.starts_with("refs/boundary-remote/") && name.contains("key_0000")));
    // Notes of other people under other names are not looked at.
    world.work.git("notes add -m mine HEAD");
    world.work.git("push -q --no-verify origin refs/notes/commits");
    second.boundary("sync").ok();
    assert!(!second.refs().contains_key("refs/notes/commits"));
}
