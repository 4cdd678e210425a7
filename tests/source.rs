//! Where the work comes from: the pin, the branch it was pinned on, and whether the work descends from it.

use crate::support::World;

#[test]
fn a_pinned_branch_that_was_rewritten_and_fetched_makes_the_handoff_stale() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let elsewhere = world.clone("elsewhere");
    elsewhere.git("commit -q --amend -m rewritten");
    elsewhere.git("push -q --force origin main");
    work.git("fetch -q");
    work.push("origin agent/fix").refused("source.handoff_stale").says("refs/heads/main").followed_in(work);
}

#[test]
fn a_rewrite_that_was_not_fetched_is_not_known_here() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let elsewhere = world.clone("elsewhere");
    elsewhere.git("commit -q --amend -m rewritten");
    elsewhere.git("push -q --force origin main");
    work.push("origin agent/fix").accepted();
}

#[test]
fn a_rewrite_is_known_at_once_where_the_remote_is_asked() {
    let world = World::new();
    let work = &world.work;
    work.git("config boundary.observe remote");
    work.proposed_fix();
    let elsewhere = world.clone("elsewhere");
    elsewhere.git("commit -q --amend -m rewritten");
    elsewhere.git("push -q --force origin main");
    // Its new tip was never fetched, so that nobody here can tell whether the pin is in its history.
    work.push("origin agent/fix").undecided().says("git fetch");
    work.git("fetch -q");
    work.push("origin agent/fix").refused("source.handoff_stale");
}

#[test]
fn under_pin_exact_any_move_of_the_base_makes_the_handoff_stale() {
    let world = World::new();
    let work = &world.work;
    work.policy(&[("refs = [\"refs/heads/agent/**\"]", "refs = [\"refs/heads/agent/**\"]\npin = \"exact\"")]);
    work.proposed_fix();
    let elsewhere = world.clone("elsewhere");
    elsewhere.commit(&[("docs/new", "more\n")]);
    elsewhere.git("push -q origin main");
    work.git("fetch -q");
    work.push("origin agent/fix").refused("source.handoff_stale").says("exactly at").followed_in(work);
}

#[test]
fn under_pin_ancestor_the_base_may_move_on() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let elsewhere = world.clone("elsewhere");
    elsewhere.commit(&[("docs/new", "more\n")]);
    elsewhere.git("push -q origin main");
    work.git("fetch -q");
    work.push("origin agent/fix").accepted();
}

#[test]
fn work_that_was_built_elsewhere_has_diverged_from_the_pin() {
    let world = World::new();
    let work = &world.work;
    let before = work.head();
    work.commit(&[("docs/new", "more\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    work.hand_out();
    work.git(&format!("switch -q -c agent/fix {before}"));
    work.commit(&[("src/main.rs", "fn main() { elsewhere() }\n")]);
    work.propose();
    work.push("origin agent/fix").refused("source.history_diverged").says("git rebase");
}

#[test]
fn a_history_that_shares_nothing_with_the_pin_has_diverged_too() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.git("switch -q --orphan agent/fix");
    work.commit(&[("src/other.rs", "fn other() {}\n")]);
    work.propose();
    work.push("origin agent/fix").refused("source.history_diverged");
}

#[test]
fn a_renewed_pin_lets_rebased_work_pass() {
    let world = World::new();
    let work = &world.work;
    let handoff = work.hand_out();
    work.fix();
    let elsewhere = world.clone("elsewhere");
    elsewhere.git("commit -q --amend -m rewritten");
    elsewhere.git("push -q --force origin main");
    work.git("fetch -q");
    work.git("rebase -q --onto origin/main main");
    work.propose();
    // The rewritten tip is history that nobody adopted; the owner does.
    work.boundary("baseline origin/main").ok();
    work.push("origin agent/fix").refused("source.handoff_stale");
    work.boundary(&format!("handoff renew {handoff} --at origin/main")).ok();
    work.propose();
    work.push("origin agent/fix").accepted();
}
