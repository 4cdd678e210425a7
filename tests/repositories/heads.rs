//! Where `HEAD` is: on no branch, on one without a commit, in a repository without any.

use crate::support::World;

#[test]
fn on_no_branch_the_ref_has_to_be_named_and_then_all_is_as_ever() {
    let world = World::guarded();
    let work = &world.work;
    work.hand_out();
    work.git("switch -q --detach");
    work.commit(&[("src/main.rs", "fn main() { work() }\n")]);
    work.push("origin HEAD:refs/heads/agent/fix").refused("context.receipt_missing");
    let asked = work.boundary("propose --key codex");
    assert_ne!(asked.status, 0, "nobody guesses the branch: {asked}");
    asked.says("--ref");
    work.boundary("propose --key codex --ref agent/fix").ok();
    work.push("origin HEAD:refs/heads/agent/fix").accepted();
    work.push("origin HEAD:main").refused("evidence.boundary_missing");
    work.check("allow");
    work.push("origin HEAD:main").accepted();
    work.boundary("sync").ok();
    work.boundary("verify HEAD --ref main").ok();
}

#[test]
fn on_a_branch_without_a_commit_nothing_is_verified_and_the_rest_works() {
    let world = World::guarded();
    let work = &world.work;
    work.git("switch -q --orphan empty");
    for command in [
        "verify",
        "propose --key codex",
        "handoff create --to codex --path src/**",
        "check begin --input diff --key reviewer-bot",
    ] {
        let answer = work.boundary(command);
        assert_ne!(answer.status, 0, "there is no commit: {answer}");
        answer.never_says("panicked").says("commit");
    }
    work.boundary("verify origin/main").ok();
    work.boundary("doctor").ok();
    work.boundary("sync").ok();
    work.push("origin main:refs/heads/topic").accepted();
}

#[test]
fn an_empty_repository_is_set_up_or_told_what_it_lacks() {
    let world = World::untouched();
    world.work.git("init -q ../empty");
    let empty = world.work.in_directory(world.root().join("empty"));
    empty.boundary("verify").ends_with(128).says("git boundary init");
    let set_up = empty.boundary("init");
    assert!([0, 128].contains(&set_up.status), "it is set up, or it is said why not: {set_up}");
    set_up.never_says("panicked");
    let answer = empty.boundary("verify");
    assert_ne!(answer.status, 0, "a history without a commit is never verified: {answer}");
}

#[test]
fn an_empty_server_takes_the_first_push_of_a_repository_with_trust() {
    let world = World::new();
    let work = &world.work;
    work.git("init -q --bare ../empty.git");
    work.git("remote add fresh ../empty.git");
    let push = work.try_git("push fresh main");
    assert!(push.status == 0 || push.stderr.contains("refused: ") || push.stderr.contains("undecided: "), "{push}");
    work.boundary("sync fresh").ok();
    work.try_git("push fresh main").ok();
}
