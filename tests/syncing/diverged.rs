//! An own ref that is not what the remote has of it.

use super::{of, quiet};
use crate::support::{Work, World};

/// Another clone with the same registrar key, as a copy of a machine has.
fn twin(world: &World) -> Work {
    let clone = world.joined("twin");
    for file in ["registrar", "registrar.pub"] {
        let (from, to) = (world.work.git_file(&format!("boundary/{file}")), clone.git_file(&format!("boundary/{file}")));
        std::fs::copy(from, to).expect("it can be copied");
    }
    clone
}

fn handoffs(work: &Work) -> usize {
    work.boundary("handoff list --json").ok().json_lines().len()
}

#[test]
fn a_clone_that_was_put_back_goes_forward_to_what_it_had_published() {
    let world = World::new();
    let work = &world.work;
    let (notes, older) = (work.notes_ref(), work.oid(&work.notes_ref()));
    work.hand_out();
    work.hand_out();
    let newest = work.oid(&notes);
    work.git(&format!("update-ref {notes} {older}"));
    work.git(&format!("update-ref -d refs/boundary-remote/origin/notes/{}", work.registrar_id()));
    std::fs::remove_dir_all(work.git_file("boundary/seen")).expect("it is there");
    let answer = work.boundary("sync --json").ok().json();
    assert_eq!(answer["united"], "forward");
    assert_eq!(work.oid(&notes), newest);
    assert_eq!(handoffs(work), 2);
}

#[test]
fn one_ledger_under_two_histories_of_commits_is_united() {
    let world = World::new();
    let work = &world.work;
    let notes = work.notes_ref();
    work.hand_out();
    // The same tree under another commit, as a filter over all refs makes it.
    let other = work.git(&format!("commit-tree -m filtered {notes}^{{tree}}"));
    work.git(&format!("update-ref {notes} {other}"));
    quiet(work);
    work.hand_out();
    let answer = work.boundary("sync --json").ok().json();
    assert_eq!(answer["united"], "merged");
    assert_eq!(answer["published"]["state"], "sent");
    assert_eq!(world.server.refs()[&notes], work.oid(&notes), "a fast-forward was possible");
    assert_eq!(handoffs(work), 2);
    let second = world.joined("second");
    assert_eq!(handoffs(&second), 2, "and others read all of it");
    work.boundary("doctor").ok();
    work.git("fsck --strict --no-dangling");
}

#[test]
fn a_key_used_in_two_places_one_after_the_other_goes_on() {
    let world = World::new();
    let (work, twin) = (&world.work, twin(&world));
    work.hand_out();
    twin.boundary("sync").ok();
    twin.git("config boundary.ownerKey ada-l");
    twin.hand_out();
    work.boundary("sync").ok();
    assert_eq!(handoffs(work), 2);
    work.hand_out();
    twin.boundary("sync").ok();
    assert_eq!(handoffs(&twin), 3);
}

#[test]
fn a_key_used_in_two_places_at_once_has_forked_and_that_is_told_to_everybody() {
    let world = World::new();
    let (work, twin, third) = (&world.work, twin(&world), world.joined("third"));
    twin.git("config boundary.ownerKey ada-l");
    quiet(work);
    quiet(&twin);
    work.hand_out();
    twin.hand_out();
    twin.hand_out();
    twin.boundary("sync").ok();
    third.boundary("sync").ok();
    let own = work.oid(&work.notes_ref());
    let told = work.boundary("sync").ends_with(2);
    let told = told.says("forked").says("here 2 entries").says("there 3 entries").says("the last that both have 1 entries");
    told.says("git boundary doctor --repair");
    assert_eq!(work.oid(&work.notes_ref()), own, "nothing was changed");
    assert!(work.refs().contains_key(&format!("refs/boundary-remote/origin/notes/{}", work.registrar_id())));
    // Whoever is shown the other history after the first keeps both.
    world.server.git(&format!("fetch -q {} +{1}:{1}", work.dir.display(), work.notes_ref()));
    let answer = third.boundary("sync --json").ends_with(2).json();
    assert_eq!(of(&answer, &work.registrar_id())["state"], "forked");
    assert!(third.refs().keys().any(|name| name.contains("/parted/notes/")), "both are kept");
    assert_eq!(handoffs(&third), 3, "and every line of either is read");
}
