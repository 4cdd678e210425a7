//! Moves of refs as such: deletions, tags, rewrites, and destinations that are not where they were.

use crate::support::World;

/// A world whose policy governs tags.
fn with_governed_tags() -> World {
    let world = World::new();
    let governed = "refs = [\"refs/heads/agent/**\", \"refs/tags/**\"]";
    world.work.policy(&[("refs = [\"refs/heads/agent/**\"]", governed)]);
    world
}

#[test]
fn deleting_a_governed_branch_needs_somebody_who_may() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    work.push("origin :agent/fix").refused("context.receipt_missing").says("propose --delete").followed_in(work);
    work.boundary("propose --delete agent/fix --key codex").ok();
    work.push("origin :agent/fix").refused("authority.action_out_of_scope").says("delete-ref");
    work.boundary("propose --delete agent/fix --key ada-l").ok();
    work.push("origin :agent/fix").accepted();
}

#[test]
fn a_handoff_that_grants_it_lets_a_branch_be_deleted() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --operation add,modify,create,update,delete-ref");
    work.fix();
    work.propose();
    work.push("origin agent/fix").accepted();
    work.boundary("propose --delete agent/fix --key codex").ok();
    work.push("origin --delete agent/fix").accepted();
}

#[test]
fn the_default_branch_is_not_deleted_by_an_actor() {
    let world = World::new();
    let work = &world.work;
    world.server.git("config receive.denyDeleteCurrent ignore");
    work.hand_out();
    work.boundary("propose --delete main --key codex").ok();
    work.push("origin :main").refused("authority.action_out_of_scope");
}

#[test]
fn deleting_an_ungoverned_branch_is_left_alone() {
    let world = World::new();
    let work = &world.work;
    work.git("switch -q -c scratch");
    work.push("origin scratch").accepted();
    work.push("origin :scratch").accepted();
}

#[test]
fn tags_are_left_alone_unless_a_rule_governs_them() {
    let world = World::new();
    let work = &world.work;
    work.git("tag light");
    work.git("tag -a -m heavy heavy");
    work.push("origin light heavy").accepted();
}

#[test]
fn a_governed_tag_is_peeled_and_needs_somebody_who_may_tag() {
    let world = with_governed_tags();
    let work = &world.work;
    work.commit(&[("README", "one more\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    work.git("tag light HEAD~1");
    work.push("origin light").refused("authority.action_out_of_scope").says("tag").followed_in(work);
    work.boundary("propose --ref refs/tags/light --key ada-l").ok();
    work.push("origin light").accepted();
    work.git("tag -a -m heavy heavy HEAD~1");
    // By now its commit has a proposal, for the other tag.
    work.push("origin heavy").refused("context.receipt_missing").says("refs/tags/heavy").followed_in(work);
    work.boundary("propose --ref refs/tags/heavy --key ada-l").ok();
    work.push("origin heavy").accepted();
}

#[test]
fn a_governed_tag_carries_its_commits_with_it() {
    let world = with_governed_tags();
    let work = &world.work;
    work.commit(&[("README", "never proposed\n")]);
    work.git("tag -a -m heavy heavy");
    work.push("origin heavy").refused("source.handoff_missing");
}

#[test]
fn moving_a_governed_tag_is_a_rewrite_even_forwards() {
    let world = with_governed_tags();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --ref refs/tags/** --operation add,modify,create,update,tag");
    work.git("tag light");
    work.boundary("propose --ref refs/tags/light --key codex").ok();
    work.push("origin light").accepted();
    work.commit(&[("src/main.rs", "fn main() { later() }\n")]);
    work.git("tag -f light");
    work.boundary("propose --ref refs/tags/light --key codex").ok();
    work.push("--force origin light").refused("authority.action_out_of_scope").says("rewrite");
}

#[test]
fn a_value_of_the_remote_that_is_not_here_is_said_to_be_that() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    let elsewhere = world.clone("elsewhere");
    elsewhere.git("switch -q agent/fix");
    elsewhere.commit(&[("src/news.rs", "news\n")]);
    elsewhere.git("push -q origin agent/fix");
    work.commit(&[("src/more.rs", "more\n")]);
    work.propose();
    // What is not here is not in the history of what is.
    let refused = work.push("--force origin agent/fix").refused("snapshot.head_moved");
    let refused = refused.with_codes(&["snapshot.unavailable", "snapshot.head_moved"]);
    refused.says("which is not here").says("git fetch").followed_in(work);
    work.propose();
    work.push("--force origin agent/fix").refused("authority.action_out_of_scope").says("rewrite");
}

#[test]
fn where_nothing_else_speaks_against_it_a_value_that_is_not_here_leaves_the_answer_open() {
    let world = World::new();
    let work = &world.work;
    work.policy(&[("people_by_signature = false", "people_by_signature = true")]);
    work.git("config gpg.format ssh");
    work.git(&format!("config user.signingkey {}", work.home.key_path("ada-l").display()));
    work.git("config commit.gpgsign true");
    let elsewhere = world.clone("elsewhere");
    elsewhere.commit(&[("README", "news\n")]);
    elsewhere.git("push -q origin main");
    work.commit(&[("README", "hotfix\n")]);
    let stopped = work.push("--force origin main").undecided();
    stopped.says("which is not here").says("git fetch origin").followed_in(work);
    work.push("--force origin main").refused("authority.action_out_of_scope").says("rewrite");
}

#[test]
fn a_branch_goes_back_to_an_older_commit_when_somebody_who_may_asks_for_it() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --operation add,modify,create,update,rewrite");
    work.fix();
    work.propose();
    work.push("origin agent/fix").accepted();
    work.commit(&[("src/main.rs", "fn main() { wrong() }\n")]);
    work.propose();
    work.push("origin agent/fix").accepted();
    work.git("reset -q --hard HEAD~1");
    work.push("--force origin agent/fix").refused("snapshot.head_moved");
    work.propose();
    work.push("--force origin agent/fix").accepted();
}

#[test]
fn a_proposal_for_another_ref_is_none_for_this_one() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix:refs/heads/agent/elsewhere").refused("context.receipt_missing").followed_in(work);
    work.boundary("propose --ref agent/elsewhere --key codex").ok();
    work.push("origin agent/fix:refs/heads/agent/elsewhere").accepted();
}

#[test]
fn a_destination_that_moved_under_the_proposal_is_refused() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --operation add,modify,create,update,rewrite");
    work.fix();
    work.propose();
    let elsewhere = world.clone("elsewhere");
    elsewhere.git("switch -q -c agent/fix");
    elsewhere.commit(&[("src/news.rs", "news\n")]);
    elsewhere.git("push -q origin agent/fix");
    work.git("fetch -q");
    work.push("--force origin agent/fix").refused("snapshot.head_moved").followed_in(work);
}

#[test]
fn a_handoff_to_delete_a_branch_need_not_grant_what_was_once_done_on_it() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path **");
    work.git("switch -q -c agent/fix");
    work.commit(&[("src/t.rs", "t\n"), ("Makefile", "all:\n")]);
    work.git("push -q --no-verify origin agent/fix");
    work.boundary("trust add sweeper --role actor --new-key").ok();
    work.hand_out_with(
        "--to sweeper --path docs --ref refs/heads/agent/** --operation delete-ref --at main --pin-ref main",
    );
    work.boundary("propose --delete agent/fix --key sweeper").ok().never_says("warning");
    work.push("origin :agent/fix").accepted();
}

#[test]
fn a_handoff_to_delete_one_branch_deletes_no_other_and_moves_none() {
    let world = World::new();
    let work = &world.work;
    work.git("switch -q -c agent/fix");
    work.commit(&[("src/t.rs", "t\n")]);
    work.git("push -q --no-verify origin agent/fix agent/fix:agent/other");
    work.hand_out_with(
        "--to codex --path src --ref refs/heads/agent/fix --operation delete-ref --at main --pin-ref main",
    );
    work.boundary("propose --delete agent/other --key codex").ok().says("authority.action_out_of_scope");
    work.push("origin :agent/other").refused("authority.action_out_of_scope").says("is not in the handoff's refs");
    work.commit(&[("src/t.rs", "tt\n")]);
    work.boundary("propose --key codex").ok();
    work.push("origin agent/fix").refused("authority.action_out_of_scope");
}
