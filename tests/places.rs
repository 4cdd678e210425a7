//! The places a clone can be in: other object formats and ref stores, linked worktrees, shallow and partial clones, fresh ones.

use crate::support::World;

/// The story in short, in any kind of repository.
#[track_caller]
fn the_story_works(world: &World) {
    let work = &world.work;
    work.hand_out();
    work.fix();
    work.push("origin agent/fix").refused("context.receipt_missing");
    work.propose();
    work.push("origin agent/fix").accepted();
    work.push("origin agent/fix:main").refused("evidence.boundary_missing");
    work.check("allow");
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
    work.git("fsck --strict --no-dangling");
}

#[test]
fn a_sha256_repository_works_like_any_other() {
    let world = World::new_with("--object-format=sha256");
    assert_eq!(world.work.head().len(), 64, "ids have 64 digits there");
    the_story_works(&world);
    let work = &world.work;
    work.push("origin :agent/fix").refused("context.receipt_missing");
    work.commit(&[("README", "outside\n")]);
    work.propose();
    work.push("origin agent/fix").refused("authority.action_out_of_scope");
}

#[test]
fn a_reftable_repository_works_like_any_other() {
    let probe = World::untouched();
    if probe.work.try_git("init -q --ref-format=reftable ../probe").status != 0 {
        // This git knows no reftable; there is nothing to get wrong.
        return;
    }
    let world = World::new_with("--ref-format=reftable");
    the_story_works(&world);
}

#[test]
fn a_linked_worktree_is_judged_like_the_main_one() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.git("worktree add -q -b agent/fix ../linked");
    let linked = work.in_directory(world.root().join("linked"));
    linked.commit(&[("src/main.rs", "fn main() { work() }\n")]);
    linked.push("origin agent/fix").refused("context.receipt_missing");
    linked.propose();
    linked.push("origin agent/fix").accepted();
    linked.check("allow");
    work.push("origin agent/fix:main").accepted();
    linked.boundary("verify origin/main").ok();
    assert_eq!(linked.registrar_id(), work.registrar_id(), "all worktrees have one registrar");
}

#[test]
fn a_subdirectory_is_as_good_as_the_top() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let below = work.in_directory(work.dir.join("src"));
    below.push("origin agent/fix").refused("context.receipt_missing");
    below.propose();
    below.push("origin agent/fix").accepted();
}

#[test]
fn a_shallow_clone_says_that_history_is_incomplete_and_how_to_complete_it() {
    let world = World::new();
    let work = &world.work;
    work.commit(&[("README", "one more\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    work.git("push -q --no-verify origin refs/notes/boundary/*");
    let shallow = world.clone_with("shallow", "--depth 1");
    shallow.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    shallow.git("fetch -q --depth 1");
    let answer = shallow.boundary("verify origin/main").ends_with(2);
    answer.says("snapshot.unavailable").says("git fetch --unshallow");
    shallow.git("fetch -q --unshallow");
    shallow.boundary("verify origin/main").ok();
}

#[test]
fn a_push_from_a_shallow_clone_whose_pin_is_beyond_the_edge_is_undecided() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.git("switch -q -c agent/fix");
    for text in ["one\n", "two\n", "three\n"] {
        work.commit(&[("src/main.rs", text)]);
    }
    work.propose();
    work.push("origin agent/fix").accepted();
    let shallow = world.clone_with("shallow", "--depth 1 --no-single-branch");
    shallow.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    shallow.git("fetch -q --depth 1");
    shallow.git("switch -q agent/fix");
    shallow.commit(&[("src/main.rs", "four\n")]);
    shallow.boundary("propose --key codex").ok();
    shallow.push("origin agent/fix").undecided().says("git fetch --unshallow").followed_in(&shallow);
    shallow.push("origin agent/fix").accepted();
}

#[test]
fn a_partial_clone_joins_and_judges() {
    let world = World::new();
    let work = &world.work;
    world.server.git("config uploadpack.allowFilter true");
    work.hand_out();
    let partial = world.clone_with("partial", "--filter=blob:none");
    partial.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    partial.git("switch -q -c agent/fix");
    partial.commit(&[("src/main.rs", "fn main() { work() }\n")]);
    partial.boundary("propose --key codex").ok();
    partial.push("origin agent/fix").accepted();
}

#[test]
fn receipts_that_a_partial_clone_left_behind_are_an_answer_of_their_own() {
    let world = World::new();
    let work = &world.work;
    world.server.git("config uploadpack.allowFilter true");
    let partial = world.clone_with("partial", "--filter=blob:none");
    partial.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    work.git("push -q --no-verify origin refs/notes/boundary/*");
    partial.git("fetch -q");
    let answer = partial.boundary("verify origin/main").ends_with(2).says("partial clone");
    let said = answer.said();
    let command = said.lines().map(str::trim).find(|line| line.starts_with("git ")).map(str::to_owned);
    partial.sh(&command.expect("it says what to type")).ok();
    partial.boundary("verify origin/main").ok();
}

#[test]
fn a_fresh_clone_without_receipts_says_so_and_how_to_get_them() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    work.git("push -q --no-verify origin refs/notes/boundary/*");
    let fresh = world.clone("fresh");
    fresh.git(&format!("config boundary.trustRoot {}", world.trust_root()));
    let command = format!("git boundary init --trust-root {}", world.trust_root());
    let answer = fresh.boundary("verify origin/main").ends_with(2).says("receipts are not fetched");
    answer.says(&command).never_says("missing");
    fresh.boundary("check begin --input diff --key reviewer-bot").ends_with(2).says("receipts are not fetched");
    fresh.sh(&command).ok();
    fresh.boundary("verify origin/main").ok();
}

#[test]
fn a_fresh_clone_that_was_never_set_up_is_told_to_be() {
    let world = World::new();
    let fresh = world.clone("fresh");
    fresh.boundary("verify origin/main").ends_with(128).says("git boundary init");
}

#[test]
fn a_joined_clone_verifies_what_another_one_proved() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    let second = world.joined("second");
    second.boundary("verify origin/main").ok().says("covered");
}

#[test]
fn joining_pins_only_a_root_that_was_named() {
    let world = World::new();
    let second = world.clone("second");
    second.boundary("init").ends_with(129).says(&world.trust_root());
    assert_eq!(second.try_git("config boundary.trustRoot").status, 1, "nothing is pinned");
    let other = format!("sha256:{}", "0".repeat(64));
    let refused = second.boundary(&format!("init --trust-root {other}"));
    assert_ne!(refused.status, 0, "another root is not the one that is there: {refused}");
}

#[test]
fn what_joining_prints_never_signs_as_the_owner() {
    let world = World::new();
    let second = world.clone("second");
    // As where an agent works in its owner's account.
    second.git("config --global gpg.format ssh");
    second.git(&format!("config --global user.signingkey {}", world.home.key_path("ada-l").display()));
    let joined = second.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    assert!(joined.commands().iter().any(|command| command.contains("--role registrar")), "it says how to be listed");
    second.follow(&joined);
}

#[test]
fn a_bare_notes_ref_in_the_way_is_named_with_the_rename() {
    let world = World::untouched();
    let work = &world.work;
    work.git("update-ref refs/notes/boundary HEAD");
    let blocked = work.boundary("init").ends_with(128);
    let blocked = blocked.says("refs/notes/boundary blocks");
    let rename =
        blocked.said().lines().find_map(|line| line.split_once("git update-ref ")).map(|(_, rest)| rest.to_owned());
    let rename = format!("git update-ref {}", rename.expect("the rename is printed"));
    work.sh(&rename).ok();
    work.boundary("init").ok();
    assert!(work.refs().contains_key("refs/notes/boundary-old"), "nothing is lost by it");
}

#[test]
fn a_bare_notes_ref_that_comes_later_stops_writers_and_not_readers() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    let reference = work.notes_ref();
    let kept = work.oid(&reference);
    work.git(&format!("update-ref -d {reference}"));
    work.git("update-ref refs/notes/boundary HEAD");
    work.fix();
    work.boundary("propose --key codex").ends_with(128).says("git update-ref refs/notes/boundary-old");
    work.git("update-ref -d refs/notes/boundary");
    work.git(&format!("update-ref {reference} {kept}"));
    work.propose();
    work.push("origin agent/fix").accepted();
}
