//! `verify`: revisions, ranges and branches, its exit statuses, and the JSON that stays.

use serde_json::Value;

use crate::support::{Ran, World};

/// A world whose `main` has a proven fix on top of its baseline.
fn landed() -> World {
    let world = World::new();
    world.work.proven_fix();
    world.work.push("origin agent/fix").accepted();
    world.work.push("origin agent/fix:main").accepted();
    world
}

fn statuses(ran: &Ran) -> Vec<String> {
    let json = ran.json();
    let commits = json["commits"].as_array().expect("a list of commits");
    commits.iter().map(|commit| commit["status"].as_str().expect("a word").to_owned()).collect()
}

#[test]
fn the_json_has_what_the_contract_names() {
    let world = landed();
    let work = &world.work;
    let json = work.boundary("verify --json origin/main").ok().json();
    assert_eq!(json["verdict"], "verified");
    assert_eq!(json["primary_code"], Value::Null);
    assert_eq!(json["codes"], Value::Array(Vec::new()));
    assert_eq!(json["repository"], work.repository_id().to_string());
    assert_eq!(json["trust_version"], 3);
    let covered = &json["commits"][0];
    assert_eq!(covered["oid"], work.oid("origin/main"));
    assert_eq!(covered["status"], "covered");
    assert_eq!(covered["codes"], Value::Array(Vec::new()));
    assert!(covered["envelope"].as_str().is_some_and(|id| id.starts_with("art_")), "the proposal that covers it");
    let baseline = &json["commits"][1];
    assert_eq!((&baseline["status"], &baseline["envelope"]), (&Value::from("baseline"), &Value::Null));
}

#[test]
fn a_refused_commit_carries_its_codes() {
    let world = landed();
    let work = &world.work;
    work.commit(&[("README", "never proposed\n")]);
    let ran = work.boundary("verify --json --ref main").ends_with(1);
    let json = ran.json();
    assert_eq!(json["verdict"], "refused");
    assert_eq!(json["primary_code"], "context.receipt_missing");
    assert_eq!(json["commits"][0]["status"], "refused");
    assert_eq!(json["commits"][0]["codes"], serde_json::json!(["context.receipt_missing"]));
    assert_eq!(statuses(&ran), ["refused", "covered", "baseline"], "the rest stands as it did");
}

#[test]
fn a_branch_is_judged_by_its_own_rule() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    for name in ["agent/fix", "origin/agent/fix", "refs/heads/agent/fix", "refs/remotes/origin/agent/fix", "HEAD"] {
        work.boundary(&format!("verify {name}")).ok().says("by the rule for refs/heads/agent/fix");
    }
    // By the default branch's rule it wants a proof.
    let head = work.head();
    work.boundary(&format!("verify {head}")).ends_with(1).says("evidence.boundary_missing");
    work.boundary(&format!("verify {head} --ref agent/fix")).ok();
    work.boundary("verify agent/fix --ref main").ends_with(1).says("evidence.boundary_missing");
}

#[test]
fn a_range_is_judged_and_nothing_below_it() {
    let world = landed();
    let ran = world.work.boundary("verify --json origin/main~1..origin/main").ok();
    assert_eq!(statuses(&ran), ["covered", "baseline"], "the new commit, and the adopted one at its foot: {ran}");
    world.work.commit(&[("README", "never proposed\n")]);
    let ran = world.work.boundary("verify --json HEAD~1..HEAD --ref main").ends_with(1);
    assert_eq!(statuses(&ran), ["refused"], "what is below the range is not looked at: {ran}");
}

#[test]
fn an_empty_range_is_undecided() {
    let world = landed();
    let work = &world.work;
    let ran = work.boundary("verify --json origin/main..origin/main").ends_with(2);
    let json = ran.json();
    assert_eq!((&json["verdict"], &json["primary_code"]), (&"undecided".into(), &"snapshot.unavailable".into()));
    work.boundary("verify origin/main..origin/main").ends_with(2).says("empty");
    work.boundary("verify origin/main..origin/main~1").ends_with(2);
}

#[test]
fn several_revisions_are_as_good_as_the_worst_of_them() {
    let world = landed();
    let work = &world.work;
    work.commit(&[("README", "never proposed\n")]);
    work.git("branch -q bad");
    work.boundary("verify origin/main main").ok();
    work.boundary("verify origin/main bad --ref main").ends_with(1).says("context.receipt_missing");
    work.boundary("verify origin/main origin/main..origin/main").ends_with(2);
    work.boundary("verify bad origin/main..origin/main --ref main").ends_with(1);
}

#[test]
fn a_ref_that_no_rule_governs_is_undecided_and_said_to_be_that() {
    let world = landed();
    let work = &world.work;
    work.git("branch -q scratch");
    work.boundary("verify scratch").ends_with(2).says("no rule governs refs/heads/scratch").says("--ref");
}

#[test]
fn what_is_no_revision_is_fatal_or_usage_and_never_verified() {
    let world = landed();
    let work = &world.work;
    for (line, status) in
        [("verify no-such-branch", 128), ("verify --no-such-option", 129), ("verify main:README", 128)]
    {
        work.boundary(line).ends_with(status);
    }
    let outside = work.in_directory(world.root().join("tmp"));
    outside.boundary("verify").ends_with(128).says("not a git repository");
}

#[test]
fn history_that_was_adopted_as_it_is_is_a_baseline_and_said_to_be_one() {
    let world = World::new();
    let ran = world.work.boundary("verify --json origin/main").ok();
    assert_eq!(statuses(&ran), ["baseline"], "{ran}");
}

#[test]
fn history_that_nobody_adopted_is_refused_down_to_its_root() {
    let world = World::untouched();
    let work = &world.work;
    work.git("switch -q --orphan old");
    work.commit(&[("old", "history\n")]);
    work.git("switch -q main");
    work.boundary("init").ok();
    work.git("switch -q --orphan other");
    work.commit(&[("other", "history\n")]);
    work.boundary("verify old --ref main").ok().says("baseline");
    work.boundary("verify other --ref main").ends_with(1);
    work.boundary("baseline other").ok();
    work.boundary("verify other --ref main").ok();
}

#[test]
fn a_trust_root_that_was_named_goes_before_the_pinned_one_and_is_told() {
    let world = landed();
    let work = &world.work;
    let root = world.trust_root();
    work.boundary(&format!("verify origin/main --trust-root {root}")).ok().says("(--trust-root)");
    let other = format!("sha256:{}", "1".repeat(64));
    work.boundary(&format!("verify origin/main --trust-root {other}")).ends_with(1).says("the trust root is");
    work.boundary("verify origin/main --min-trust-version 3").ok();
    work.boundary("verify origin/main --min-trust-version 4").ends_with(2).says("at least 4 was asked for");
}

#[test]
fn scope_is_read_off_the_commits_and_never_off_the_record() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.git("switch -q -c agent/fix");
    work.commit(&[("README", "outside\n"), ("src/main.rs", "fn main() { work() }\n")]);
    work.propose();
    work.check("allow");
    // Nobody's hook looked at it.
    work.git("push -q --no-verify origin agent/fix:main");
    work.boundary("verify origin/main").ends_with(1).says("authority.action_out_of_scope").says("README");
}

#[test]
fn what_was_pushed_past_the_hook_is_found() {
    let world = World::new();
    let work = &world.work;
    work.commit(&[("README", "past the hook\n")]);
    work.git("push -q --no-verify origin main");
    work.boundary("verify origin/main").ends_with(1).says("context.receipt_missing");
}

#[test]
fn a_squash_of_proven_work_is_refused_and_so_is_a_cherry_pick() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.git("switch -q main");
    work.commit(&[("README", "news\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    let source = format!("about {}, whose receipts", &work.oid("agent/fix")[..12]);
    work.git("merge -q --squash agent/fix");
    work.git("commit -q -m squashed");
    work.push("origin main").refused("context.receipt_missing").says(&source);
    work.git("reset -q --hard HEAD~1");
    work.git("cherry-pick agent/fix");
    work.push("origin main").refused("context.receipt_missing").says(&source);
    work.boundary("verify main").ends_with(1).says(&source);
}

#[test]
fn under_equality_of_change_a_squash_of_equal_content_counts() {
    let world = World::new();
    let work = &world.work;
    work.policy(&[("equality = \"commit\"", "equality = \"change\"")]);
    work.proven_fix();
    work.git("switch -q main");
    work.commit(&[("README", "news\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    work.git("cherry-pick agent/fix");
    work.push("origin main").accepted();
    work.boundary("verify origin/main").ok();
    // Equal in part is not equal.
    work.git("reset -q --hard HEAD~1");
    work.commit(&[("src/main.rs", "fn main() { work() } // and more\n")]);
    work.push("--force origin main").refused("context.receipt_missing");
}

#[test]
fn audit_counts_denials_and_abstentions_and_open_commitments() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    for decision in ["deny", "abstain", "allow"] {
        work.check(decision);
    }
    work.boundary("check begin --input diff --key reviewer-bot").ok();
    let audit = work.boundary("audit").ok();
    audit.says("reviewer-bot  1      1     0        1").says("never decided on");
    let log = work.boundary("log --json --decision deny").ok().json_lines();
    assert_eq!(log.len(), 1, "one denial is in the log: {log:?}");
}

#[test]
fn a_reader_that_goes_away_never_makes_it_a_success() {
    let world = landed();
    let ran = world.work.sh("{ git boundary verify origin/main; echo $? >&3; } 3>status | true; cat status");
    let status: i32 = ran.stdout.trim().parse().expect("a status");
    assert!([0, 141].contains(&status), "output that nobody took is no success unless it was taken in time: {ran}");
}
