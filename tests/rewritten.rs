//! Rewritten history: what a rewritten commit keeps of its receipts under each rule, and where it is said that they stayed.

use crate::support::{Work, World};

/// Lets an equal change count as the same work.
fn under_change(work: &Work) {
    work.policy(&[("equality = \"commit\"", "equality = \"change\"")]);
}

/// The same for agents' own branches.
fn everywhere_under_change(work: &Work) {
    let text = work.read("boundary.toml").replace("\nequality = \"commit\"", "");
    work.write("boundary.toml", &text.replace("[[rule]]", "[[rule]]\nequality = \"change\""));
    work.boundary("policy sign").ok();
}

/// Something that an owner's own work brings to `main`.
#[track_caller]
fn news(work: &Work) -> String {
    work.git("switch -q main");
    let news = work.commit(&[("NEWS", "news\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    news
}

/// Every way in which git writes a commit anew that makes the same change: its name, and the lines of shell that do it. Each begins on
/// `agent/fix`, with `main` one commit further.
const SAME_CHANGE: [(&str, &str); 6] = [
    ("amend", "git commit -q --amend -m reworded"),
    ("rebase", "git rebase -q main"),
    ("cherry-pick", "git switch -q -C agent/picked main && git cherry-pick agent/fix"),
    ("cherry-pick -x", "git switch -q -C agent/picked main && git cherry-pick -x agent/fix"),
    (
        "merge --squash",
        "git switch -q -C agent/squashed main && git merge -q --squash agent/fix && git commit -q -m squashed",
    ),
    ("filter-branch", "FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --msg-filter 'echo filtered' HEAD~1..HEAD"),
];

#[test]
fn under_equality_of_commits_a_rewritten_commit_is_unreceipted_and_its_source_is_named() {
    for (name, script) in SAME_CHANGE {
        let world = World::new();
        let work = &world.work;
        work.proven_fix();
        work.push("origin agent/fix").accepted();
        let source = work.head();
        news(work);
        work.git("switch -q agent/fix");
        work.sh(script).ok();
        assert_ne!(work.head(), source, "{name} writes a commit anew");
        let refused = work.push("--force origin HEAD:refs/heads/agent/other").refused("context.receipt_missing");
        refused.says(&format!("about {}, whose receipts", &source[..12]));
        let notes = work.lines("HEAD");
        assert!(notes.iter().all(|line| !line.contains("evidence-envelope")), "{name} copies nothing: {notes:?}");
        work.boundary("verify HEAD --ref main").ends_with(1).says(&format!("about {}, whose receipts", &source[..12]));
    }
}

#[test]
fn under_equality_of_changes_it_keeps_proposal_and_proof_and_that_is_said() {
    for (name, script) in SAME_CHANGE {
        let world = World::new();
        let work = &world.work;
        everywhere_under_change(work);
        work.proven_fix();
        work.push("origin agent/fix").accepted();
        let source = work.head();
        news(work);
        work.git("switch -q agent/fix");
        work.sh(script).ok();
        if matches!(name, "amend" | "filter-branch") {
            work.git("rebase -q main");
        }
        let rewritten = work.head();
        work.push("origin HEAD:main").accepted();
        let ran = work.boundary("verify --json origin/main").ok();
        let json = ran.json();
        let commits = json["commits"].as_array().expect("a list");
        let of = |oid: &str| commits.iter().find(|commit| commit["oid"] == oid).expect("it is judged");
        assert_eq!(of(&rewritten)["status"], "covered", "{name}: {ran}");
        assert_eq!(of(&rewritten)["equal_change_of"], source, "{name}: {ran}");
        let own = of(&work.oid("origin/main~1"));
        assert_eq!(own["equal_change_of"], serde_json::Value::Null, "what has its own proposal is said to: {ran}");
        let said = format!("{} makes the change of {}", &rewritten[..12], &source[..12]);
        work.boundary("verify origin/main").ok().says(&said);
    }
}

#[test]
fn a_fixup_squashed_into_its_commit_is_the_change_that_was_proposed() {
    let world = World::new();
    let work = &world.work;
    everywhere_under_change(work);
    work.hand_out();
    let first = work.fix();
    work.write("src/main.rs", "fn main() { work(); more() }\n");
    work.git(&format!("commit -q -a --fixup {first}"));
    work.propose();
    work.check("allow");
    work.sh("GIT_SEQUENCE_EDITOR=: git rebase -q -i --autosquash main").ok();
    assert_eq!(work.git("rev-list --count main..HEAD"), "1");
    work.push("origin HEAD:main").accepted();
    work.boundary("verify origin/main").ok().says("an equal change");
}

#[test]
fn a_commit_that_was_amended_into_another_change_is_unreceipted_and_its_source_is_guessed() {
    for rule in ["commit", "change"] {
        let world = World::new();
        let work = &world.work;
        if rule == "change" {
            everywhere_under_change(work);
        }
        work.proven_fix();
        let source = work.head();
        work.write("src/main.rs", "fn main() { work() } // and more\n");
        work.git("commit -q -a --amend -m reworded");
        let refused = work.push("origin agent/fix").refused("context.receipt_missing");
        refused.says(&format!("may be a rewritten {} (both have the same author and time)", &source[..12]));
    }
}

#[test]
fn a_pick_that_changed_and_names_its_source_leads_there() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let source = work.head();
    work.git("switch -q -c agent/picked main");
    work.git(&format!("cherry-pick -x {source}"));
    work.write("src/main.rs", "fn main() { work() } // and more\n");
    work.git("commit -q -a --amend --no-edit --reset-author");
    let refused = work.push("origin agent/picked").refused("context.receipt_missing");
    refused.says(&format!("may be a rewritten {} (its message names that one)", &source[..12]));
}

#[test]
fn a_squash_with_more_in_it_is_no_equal_change_and_receipts_nothing_beside_it() {
    let world = World::new();
    let work = &world.work;
    everywhere_under_change(work);
    work.proven_fix();
    work.git("switch -q -c agent/squashed main");
    work.git("merge -q --squash agent/fix");
    work.write("src/more.rs", "more\n");
    work.git("add src/more.rs");
    work.git("commit -q -m squashed");
    let squashed = work.head();
    work.commit(&[("src/unrelated.rs", "unrelated\n")]);
    let ran = work.boundary("verify --json HEAD --ref main").ends_with(1).json();
    let refused = ran["commits"].as_array().expect("a list").iter().filter(|one| one["status"] == "refused").count();
    assert_eq!(refused, 2, "neither is covered: {ran}");
    assert_eq!(ran["commits"][1]["oid"], squashed);
}

#[test]
fn a_commit_that_only_looks_alike_is_covered_by_nothing() {
    let world = World::new();
    let work = &world.work;
    everywhere_under_change(work);
    work.proven_fix();
    // The same tree, author and time, and a message that names the source: all that a guess goes by, and another change.
    let (source, tree) = (work.head(), work.oid("HEAD^{tree}"));
    work.git("switch -q -c agent/other main");
    work.commit(&[("src/main.rs", "fn main() { work() }\n"), ("src/stolen.rs", "stolen\n")]);
    work.git("rm -q src/stolen.rs");
    work.git(&format!("commit -q -C {source}"));
    assert_eq!(work.oid("HEAD^{tree}"), tree);
    work.push("origin agent/other").refused("context.receipt_missing");
    work.boundary("verify HEAD --ref main").ends_with(1);
}

#[test]
fn an_approval_stays_with_the_commit_that_it_names() {
    for rule in ["commit", "change"] {
        let world = World::new();
        let work = &world.work;
        if rule == "change" {
            everywhere_under_change(work);
        }
        work.proposed_automation();
        work.boundary("approve HEAD --key ada-l").ok();
        let approved = work.head();
        work.push("origin agent/fix").accepted();
        work.git("commit -q --amend -m reworded");
        let push = work.push("--force origin agent/fix");
        assert_eq!(push.hook, Some(1), "under {rule} a patch-identical commit revives no approval: {}", push.ran);
        assert_eq!(push.before, push.after);
        work.git(&format!("reset -q --hard {approved}"));
        work.boundary("verify HEAD").ok();
    }
}

/// A main branch that a forge filled: one request by a merge commit, one by squash, one by rebase.
fn filled_by_a_forge(world: &World) {
    let work = &world.work;
    work.hand_out();
    for (name, commits) in [("merged", 2), ("squashed", 2), ("rebased", 1)] {
        work.git(&format!("switch -q -c agent/{name} main"));
        for number in 0..commits {
            work.commit(&[(&format!("src/{name}{number}.rs"), name)]);
        }
        work.propose();
        work.check("allow");
        work.push(&format!("origin agent/{name}")).accepted();
    }
    // The forge's own clone runs no hook of ours.
    let forge = world.clone("forge");
    forge.git("fetch -q");
    forge.git("merge -q --no-ff -m request-1 origin/agent/merged");
    forge.git("merge -q --squash origin/agent/squashed");
    forge.git("commit -q -m request-2");
    forge.git("cherry-pick origin/agent/rebased");
    forge.git("push -q origin main");
    work.git("fetch -q");
}

#[test]
fn a_main_branch_that_a_forge_filled_verifies_where_equal_changes_count() {
    let world = World::new();
    under_change(&world.work);
    filled_by_a_forge(&world);
    let work = &world.work;
    let ran = work.boundary("verify --json origin/main").ok();
    let json = ran.json();
    let commits = json["commits"].as_array().expect("a list");
    let statuses: Vec<&str> = commits.iter().filter_map(|one| one["status"].as_str()).collect();
    assert_eq!(statuses, ["covered", "covered", "merge", "covered", "covered", "baseline"], "{ran}");
    let equal: Vec<&str> = commits.iter().filter_map(|one| one["equal_change_of"].as_str()).collect();
    assert_eq!(equal, [work.oid("agent/rebased"), work.oid("agent/squashed")], "{ran}");
}

#[test]
fn where_commits_count_only_what_a_forge_merged_as_it_was_is_covered_and_the_rest_is_led_to_its_source() {
    let world = World::new();
    filled_by_a_forge(&world);
    let work = &world.work;
    let ran = work.boundary("verify --json origin/main").ends_with(1);
    let json = ran.json();
    let statuses: Vec<&str> =
        json["commits"].as_array().expect("a list").iter().filter_map(|one| one["status"].as_str()).collect();
    assert_eq!(statuses, ["refused", "refused", "merge", "covered", "covered", "baseline"], "{ran}");
    let text = json["reasons"].to_string();
    assert!(text.contains(&format!("about {}", &work.oid("agent/rebased")[..12])), "the source is named: {ran}");
}
