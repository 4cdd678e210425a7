//! Repositories that lack something, or that see something else in its place: shallow and partial clones, alternates, replace refs, grafts.

use super::{joined_with, the_story_works};
use crate::support::World;

#[test]
fn a_clone_that_shares_objects() {
    let world = World::guarded();
    world.work.git("clone -q --shared ../server.git ../shared");
    let shared = world.work.in_directory(world.root().join("shared"));
    assert!(shared.git_file("objects/info/alternates").exists(), "its objects are elsewhere");
    shared.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    shared.git("fetch -q");
    the_story_works(&world, &shared);
}

#[test]
fn a_clone_with_a_reference_repository() {
    let world = World::guarded();
    let reference = joined_with(&world, "reference", "--reference work");
    assert!(reference.git_file("objects/info/alternates").exists(), "it borrows objects");
    the_story_works(&world, &reference);
}

#[test]
fn what_was_borrowed_and_is_gone_is_undecided_and_no_pass() {
    let world = World::guarded();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    work.git("clone -q --shared ../server.git ../shared");
    let shared = work.in_directory(world.root().join("shared"));
    shared.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    shared.git("fetch -q");
    shared.boundary("verify origin/main").ok();
    std::fs::rename(world.server.dir.join("objects"), world.root().join("gone")).expect("it can be moved");
    let left = shared.boundary("verify origin/main");
    assert!(left.status != 0 && left.status != 1, "nobody is blamed, and nothing passes: {left}");
}

#[test]
fn replace_refs_and_grafts_change_no_answer() {
    let world = World::guarded();
    let work = &world.work;
    let base = work.head();
    work.hand_out();
    work.fix();
    let bad = work.commit(&[("README", "outside\n")]);
    work.propose();
    work.push("origin agent/fix").refused("authority.action_out_of_scope");
    // The commit that touched what it may not is hidden, by a replacement and by a graft.
    work.git("switch -q --detach main");
    let harmless = work.commit(&[("src/main.rs", "fn main() { work() }\n")]);
    work.git("switch -q agent/fix");
    work.git(&format!("replace {bad} {harmless}"));
    work.push("origin agent/fix").refused("authority.action_out_of_scope");
    work.git(&format!("replace -d {bad}"));
    work.write(".git/info/grafts", &format!("{bad} {base}\n"));
    work.push("origin agent/fix").refused("authority.action_out_of_scope");
    let other = work.with("GIT_GRAFT_FILE", work.git_file("info/grafts").into_os_string());
    other.push("origin agent/fix").refused("authority.action_out_of_scope");
    std::fs::remove_file(work.git_file("info/grafts")).expect("it is ours");
    let base_elsewhere = work.with("GIT_REPLACE_REF_BASE", "refs/other/");
    base_elsewhere.git(&format!("replace {bad} {harmless}"));
    base_elsewhere.push("origin agent/fix").refused("authority.action_out_of_scope");
    base_elsewhere.boundary("verify agent/fix").ends_with(1).says("authority.action_out_of_scope");
}

#[test]
fn a_story_beside_replace_refs_and_grafts() {
    let world = World::guarded();
    let work = &world.work;
    let old = work.head();
    let other = work.git(&format!("commit-tree -m other {old}^{{tree}}"));
    work.git(&format!("replace {old} {other}"));
    work.write(".git/info/grafts", &format!("{old} {other}\n"));
    the_story_works(&world, work);
}

#[test]
fn a_partial_clone_without_blobs() {
    let world = World::guarded();
    world.server.git("config uploadpack.allowFilter true");
    let partial = joined_with(&world, "partial", "--filter=blob:none");
    assert_eq!(partial.git("config remote.origin.promisor"), "true");
    the_story_works(&world, &partial);
}

#[test]
fn a_partial_clone_without_trees() {
    let world = World::guarded();
    world.server.git("config uploadpack.allowFilter true");
    let partial = joined_with(&world, "partial", "--filter=tree:0");
    the_story_works(&world, &partial);
}

#[test]
fn receipts_that_a_partial_clone_lacks_take_one_fetch_and_not_one_each() {
    let world = World::new();
    let work = &world.work;
    world.server.git("config uploadpack.allowFilter true");
    let partial = joined_with(&world, "partial", "--filter=blob:none");
    work.proven_fix();
    for number in 0..4 {
        work.commit(&[("src/more.rs", &format!("// {number}\n"))]);
        work.propose();
        work.check("allow");
        work.push("origin agent/fix:main").accepted();
    }
    work.boundary("sync").ok();
    partial.git("fetch -q");
    let log = world.root().join("asked");
    let script = world.root().join("upload-pack");
    std::fs::write(&script, format!("#!/bin/sh\necho asked >>{}\nexec git upload-pack \"$@\"\n", log.display()))
        .expect("it is writable");
    crate::support::executable(&script);
    partial.git(&format!("config remote.origin.uploadpack {}", script.display()));
    let asked = || std::fs::read_to_string(&log).unwrap_or_default().lines().count();
    let answer = partial.boundary("verify origin/main").ends_with(2).says("partial clone");
    assert_eq!(asked(), 0, "nothing is fetched by looking: {answer}");
    let said = answer.said();
    let command = said.lines().map(str::trim).find(|line| line.starts_with("git ")).expect("it says what to type");
    partial.sh(command).ok();
    let once = asked();
    assert!(once <= 2, "what lacks comes with one command, not one by one: {once}");
    partial.boundary("verify origin/main").ok();
    assert_eq!(asked(), once, "and then all is here");
}

#[test]
fn a_shallow_clone_never_passes_what_its_cut_hides() {
    let world = World::guarded();
    let work = &world.work;
    work.proven_fix();
    for number in 0..3 {
        work.commit(&[("src/more.rs", &format!("// {number}\n"))]);
    }
    work.git("push -q --no-verify origin refs/notes/boundary/*");
    let shallow = joined_with(&world, "shallow", "--depth 1");
    shallow.git(&format!("fetch -q --depth 1 file://{} agent/fix:agent/fix", work.dir.display()));
    shallow.boundary("verify agent/fix").ends_with(2).says("git fetch --unshallow");
    let told = shallow.with("GIT_SHALLOW_FILE", world.root().join("nothing").into_os_string());
    let answer = told.boundary("verify agent/fix");
    assert!(answer.status != 0, "who hides the cut hides no commit: {answer}");
}
