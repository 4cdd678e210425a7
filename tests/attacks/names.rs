//! Refs with names that stand for something else.

use crate::support::World;

#[test]
fn a_commit_that_a_replace_ref_stands_in_for_is_judged_by_its_own_bytes() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let proven = work.head();
    work.commit(&[("src/main.rs", "fn main() { evil() }\n")]);
    work.git(&format!("replace {} {proven}", work.head()));
    work.push("origin agent/fix:main").refused("context.receipt_missing");
}

#[test]
fn a_checkers_command_reads_the_commit_and_nothing_that_stands_in_for_it() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.git(&format!("replace {} {}", work.head(), work.oid("main")));
    let command = "git show HEAD:src/main.rs | grep -q work && exit 1 || exit 0";
    work.sh(&format!("git boundary check run --input diff --key reviewer-bot -- sh -c '{command}'")).ok();
    work.git(&format!("replace -d {}", work.head()));
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

#[test]
fn a_tag_with_the_name_of_a_branch_is_not_verified_in_its_place() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    work.git("switch -q main");
    work.git("merge -q --ff-only agent/fix");
    let good = work.head();
    work.commit(&[("src/main.rs", "fn main() { evil() }\n")]);
    work.git("push -q --no-verify origin main");
    for name in ["main", "origin/main"] {
        work.git(&format!("update-ref refs/tags/{name} {good}"));
        let verified = work.boundary(&format!("verify {name}"));
        assert_ne!(verified.status, 0, "whoever asks for a branch gets no word on something else: {verified}");
        work.git(&format!("update-ref -d refs/tags/{name}"));
    }
}
