//! Repositories that variables name, and variables that change what git does.

use super::{the_story_works, turned_away};
use crate::support::World;

#[test]
fn git_dir_and_work_tree_from_elsewhere() {
    let world = World::guarded();
    let work = &world.work;
    let elsewhere = world.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("the world is writable");
    work.hand_out();
    work.fix();
    let named = work
        .in_directory(elsewhere)
        .with("GIT_DIR", work.dir.join(".git").into_os_string())
        .with("GIT_WORK_TREE", work.dir.clone().into_os_string());
    named.push("origin agent/fix").refused("context.receipt_missing");
    turned_away(&named.push("--no-verify origin agent/fix"), "context.receipt_missing");
    named.propose();
    named.push("origin agent/fix").accepted();
    named.check("allow");
    named.push("origin agent/fix:main").accepted();
    named.boundary("sync").ok();
    named.boundary("verify origin/main").ok();
    named.boundary("hook status").ok();
}

#[test]
fn a_bare_repository_with_a_work_tree_that_is_named() {
    let world = World::guarded();
    world.work.git("clone -q --bare ../server.git ../bare.git");
    let tree = world.root().join("tree");
    std::fs::create_dir(&tree).expect("the world is writable");
    let named = world
        .work
        .in_directory(tree.clone())
        .with("GIT_DIR", world.root().join("bare.git").into_os_string())
        .with("GIT_WORK_TREE", tree.into_os_string());
    named.git("config remote.origin.fetch +refs/heads/*:refs/remotes/origin/*");
    named.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    named.git("fetch -q");
    named.git("checkout -q -f main");
    the_story_works(&world, &named);
}

#[test]
fn the_common_directory_is_named() {
    let world = World::guarded();
    let work = &world.work;
    work.git("worktree add -q --detach ../linked");
    let linked = work.in_directory(world.root().join("linked"));
    let named = linked
        .with("GIT_DIR", work.dir.join(".git/worktrees/linked").into_os_string())
        .with("GIT_COMMON_DIR", work.dir.join(".git").into_os_string())
        .with("GIT_WORK_TREE", linked.dir.clone().into_os_string());
    the_story_works(&world, &named);
}

#[test]
fn objects_and_index_elsewhere() {
    let world = World::guarded();
    let work = &world.work;
    let objects = world.root().join("objects");
    std::fs::create_dir_all(objects.join("pack")).expect("the world is writable");
    std::fs::create_dir_all(objects.join("info")).expect("the world is writable");
    std::fs::write(objects.join("info/alternates"), format!("{}\n", work.dir.join(".git/objects").display()))
        .expect("it is writable");
    let named = work
        .with("GIT_OBJECT_DIRECTORY", objects.into_os_string())
        .with("GIT_INDEX_FILE", world.root().join("index").into_os_string());
    named.git("read-tree HEAD");
    // Handed out and published with the objects where they are looked for.
    named.hand_out();
    named.git("switch -q -c agent/fix");
    named.commit(&[("src/main.rs", "fn main() { work() }\n")]);
    named.push("origin agent/fix").refused("context.receipt_missing");
    named.propose();
    named.push("origin agent/fix").accepted();
    named.check("allow");
    named.push("origin agent/fix:main").accepted();
    named.boundary("sync").ok();
    named.boundary("verify origin/main").ok();
    // Without them nothing is known, and nothing passes.
    let without = work.boundary("verify agent/fix");
    assert_ne!(without.status, 0, "what is not here is not verified: {without}");
}

#[test]
fn a_ceiling_hides_the_repository_from_us_as_from_git() {
    let world = World::new();
    let work = &world.work;
    let below =
        work.in_directory(work.dir.join("src")).with("GIT_CEILING_DIRECTORIES", work.dir.clone().into_os_string());
    assert_ne!(below.try_git("rev-parse --git-dir").status, 0, "git finds none");
    below.boundary("verify").ends_with(128).says("not a git repository");
}

#[test]
fn configuration_on_the_command_line_reaches_us_and_never_the_trust() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let unpublished = work.git("-c boundary.publish=manual boundary propose --key codex --json");
    assert!(unpublished.contains("\"off\""), "`git -c` is heard: {unpublished}");
    work.push("origin agent/fix").accepted();
    let other = format!("sha256:{}", "0".repeat(64));
    let verified = work.try_git(&format!("-c boundary.trustRoot={other} boundary verify agent/fix"));
    assert!(verified.status > 1, "another root is none: {verified}");
    let quoting =
        work.try_git("-c core.quotePath=true -c color.ui=always -c log.showSignature=true boundary verify agent/fix");
    quoting.ok().never_says("\u{1b}[");
}

#[test]
fn a_namespace_on_a_server_is_refused_and_said_to_be_one() {
    let world = World::guarded();
    let work = &world.work;
    work.proposed_fix();
    work.sh("git config remote.origin.receivepack 'GIT_NAMESPACE=team git receive-pack'").ok();
    let push = work.push("--no-verify origin agent/fix");
    assert_ne!(push.ran.status, 0, "what other refs say is judged by nobody: {}", push.ran);
    assert_eq!(push.before, push.after, "nothing moves, in no namespace: {}", push.ran);
    push.says("GIT_NAMESPACE");
    let install = format!("hook install --server --trust-root {}", world.trust_root());
    let there = work.in_directory(world.server.dir.clone());
    there.with("GIT_NAMESPACE", "team").boundary(&install).ends_with(128).says("GIT_NAMESPACE");
    work.git("config --unset remote.origin.receivepack");
    work.push("--no-verify origin agent/fix").says("").ran.ok();
}

#[test]
fn a_repository_of_another_user_is_refused_until_it_is_listed() {
    let world = World::guarded();
    let work = &world.work;
    work.proposed_fix();
    if std::os::unix::fs::chown(work.dir.join(".git"), Some(12345), None).is_err() {
        // Only root can give directories away; the matching of safe.directory is tested for everybody.
        return;
    }
    let refused = work.boundary("verify agent/fix").ends_with(128).says("dubious ownership");
    refused.says("git config --global --add safe.directory");
    work.sh(&format!("git config --global --add safe.directory '{}'", work.dir.display())).ok();
    work.push("origin agent/fix").accepted();
    work.boundary("verify agent/fix").ok();
    // The server's hook looks at who owns the server, whoever starts it.
    std::os::unix::fs::chown(&world.server.dir, Some(12345), None).expect("it could be given away before");
    let line = format!("{} {} refs/heads/main\n", work.oid("origin/main"), work.head());
    let words = ["hook", "run", "pre-receive"];
    let ran = work.home.run(&world.server.dir, "git-boundary", &words, line.as_bytes());
    ran.ends_with(128).says("safe.directory");
}
