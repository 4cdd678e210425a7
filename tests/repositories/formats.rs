//! Where the repository lies, and how it keeps objects and refs.

use super::{joined_with, the_story_works};
use crate::support::{Work, World};

#[test]
fn sha_256() {
    let world = World::new_with("--object-format=sha256").guard();
    the_story_works(&world, &world.work);
}

#[test]
fn reftables() {
    if World::untouched().work.try_git("init -q --ref-format=reftable ../probe").status != 0 {
        // This git knows no reftable; there is nothing to get wrong.
        return;
    }
    let world = World::new_with("--ref-format=reftable").guard();
    the_story_works(&world, &world.work);
}

#[test]
fn reftables_with_sha_256_from_a_linked_worktree() {
    if World::untouched().work.try_git("init -q --ref-format=reftable ../probe").status != 0 {
        // This git knows no reftable; there is nothing to get wrong.
        return;
    }
    let world = World::new_with("--ref-format=reftable --object-format=sha256").guard();
    world.work.git("worktree add -q --detach ../linked");
    the_story_works(&world, &world.work.in_directory(world.root().join("linked")));
}

#[test]
fn a_linked_worktree() {
    let world = World::guarded();
    world.work.git("worktree add -q --detach ../linked");
    the_story_works(&world, &world.work.in_directory(world.root().join("linked")));
}

#[test]
fn a_linked_worktree_with_a_configuration_of_its_own() {
    let world = World::guarded();
    let work = &world.work;
    work.git("config extensions.worktreeConfig true");
    work.git("worktree add -q --detach ../linked");
    let linked = work.in_directory(world.root().join("linked"));
    linked.git("config --worktree boundary.observe remote");
    linked.git("config --worktree core.autocrlf true");
    the_story_works(&world, &linked);
}

#[test]
fn a_worktree_of_a_bare_repository() {
    let world = World::guarded();
    let root = world.root();
    world.work.git("clone -q --bare ../server.git ../bare.git");
    let bare = world.work.in_directory(root.join("bare.git"));
    bare.git("config remote.origin.fetch +refs/heads/*:refs/remotes/origin/*");
    bare.git("fetch -q");
    bare.git("worktree add -q --detach ../linked main");
    let linked = world.work.in_directory(root.join("linked"));
    linked.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    linked.git("fetch -q");
    linked.git("switch -q --detach origin/main");
    the_story_works(&world, &linked);
    bare.boundary("verify origin/main").ok();
    bare.boundary("doctor").ok();
}

#[test]
fn a_bare_repository_pushes_verifies_and_syncs() {
    let world = World::guarded();
    let work = &world.work;
    work.git("clone -q --bare ../server.git ../bare.git");
    let bare = work.in_directory(world.root().join("bare.git"));
    bare.git("config remote.origin.fetch +refs/heads/*:refs/remotes/origin/*");
    bare.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    work.hand_out();
    work.fix();
    bare.git(&format!("fetch -q {} agent/fix:agent/fix", work.dir.display()));
    bare.git("fetch -q");
    bare.push("origin agent/fix").refused("context.receipt_missing");
    bare.boundary("propose --key codex --at agent/fix --ref agent/fix").ok();
    bare.push("origin agent/fix").accepted();
    bare.push("origin agent/fix:main").refused("evidence.boundary_missing");
    bare.boundary("sync").ok();
    work.boundary("sync").ok();
    work.check("allow");
    bare.boundary("sync").ok();
    bare.push("origin agent/fix:main").accepted();
    bare.git("fetch -q");
    bare.boundary("verify origin/main").ok();
}

#[test]
fn a_git_directory_apart_from_the_checkout() {
    let world = World::guarded();
    let apart = joined_with(&world, "apart", "--separate-git-dir=elsewhere");
    assert!(apart.dir.join(".git").is_file(), "a file says where it is");
    the_story_works(&world, &apart);
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let world = World::guarded();
    let root = world.root();
    world.work.git("init -q ../around");
    let around = world.work.in_directory(root.join("around"));
    around.git(&format!("submodule --quiet add {} inside", world.server.dir.display()));
    around.git("commit -q -m around");
    let inside = Work::at(root.join("around/inside"), world.home.clone(), world.server.dir.clone());
    assert!(inside.dir.join(".git").is_file(), "a file leads to .git/modules");
    inside.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    inside.git("fetch -q");
    the_story_works(&world, &inside);
    around.boundary("verify").ends_with(128).says("git boundary init");
}

#[test]
fn a_repository_with_a_submodule_inside_judges_the_entry_and_not_what_is_in_it() {
    let world = World::guarded();
    let work = &world.work;
    work.git("init -q ../library");
    work.in_directory(world.root().join("library")).git("commit -q --allow-empty -m library");
    work.hand_out_with("--to codex --path ** --operation add --operation modify");
    work.git("switch -q -c agent/fix");
    work.git("submodule --quiet add ../library vendored");
    work.git("commit -q -m vendored");
    work.boundary("propose --key codex");
    work.push("origin agent/fix").refused("authority.action_out_of_scope").says("vendored");
    assert_ne!(work.push("--no-verify origin agent/fix").ran.status, 0, "and the server says the same");
}

#[test]
fn submodules_that_are_pushed_on_demand_hide_no_push_of_their_own() {
    let world = World::guarded();
    let root = world.root();
    // A submodule whose own remote is a server that judges.
    world.work.git("init -q ../around");
    world.work.git("init -q --bare ../around.git");
    let around = world.work.in_directory(root.join("around"));
    around.git("remote add origin ../around.git");
    around.git(&format!("submodule --quiet add {} inside", world.server.dir.display()));
    around.git("commit -q -m around");
    around.git("push -q -u origin main");
    around.git("config push.recurseSubmodules on-demand");
    let inside = Work::at(root.join("around/inside"), world.home.clone(), world.server.dir.clone());
    inside.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    inside.git("fetch -q");
    world.work.hand_out();
    inside.git("fetch -q");
    inside.commit(&[("src/main.rs", "fn main() { unproposed() }\n")]);
    let before = world.server.refs();
    around.git("commit -q -a -m moved");
    let pushed = around.try_git("push origin main");
    assert_ne!(pushed.status, 0, "the push of the submodule is refused, and with it the outer one: {pushed}");
    pushed.says("context.receipt_missing");
    assert_eq!(world.server.branch("main"), before.get("refs/heads/main").cloned(), "nothing of it moved");
}
