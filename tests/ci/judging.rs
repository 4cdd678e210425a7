//! What a job judges, and what it fetches for that.

use super::{Job, ZERO};
use crate::support::{Ran, World};

#[track_caller]
fn statuses(ran: &Ran) -> Vec<String> {
    let json = ran.json();
    let commits = json["commits"].as_array().expect("a list of commits");
    commits.iter().map(|commit| commit["status"].as_str().expect("a word").to_owned()).collect()
}

/// A world whose `main` has a proven fix; gives what it was at before and is at now.
fn landed() -> (World, String, String) {
    let world = World::new();
    let work = &world.work;
    let before = work.head();
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    work.push("origin agent/fix:main").accepted();
    let after = work.head();
    (world, before, after)
}

#[test]
fn a_shallow_checkout_without_receipts_fetches_what_it_lacks_and_verifies() {
    let (world, before, after) = landed();
    let job = Job::push(&world, "job", "refs/heads/main", (&before, &after));
    job.verify("").ok().says("GitHub Actions").says("refs/heads/main").says("verified");
    let json = job.verify("--json").ok().json();
    assert_eq!(json["verdict"], "verified");
    assert_eq!(json["event"]["forge"], "github");
    assert_eq!(json["event"]["what"], "push");
    assert_eq!(json["event"]["ref"], "refs/heads/main");
    let job = Job::gitlab(&world, "gitlab", "main", (&before, &after));
    job.verify("").ok().says("GitLab CI").says("verified");
}

#[test]
fn without_fetching_it_is_undecided_and_the_command_that_helps_is_told() {
    let (world, before, after) = landed();
    let job = Job::push(&world, "job", "refs/heads/main", (&before, &after));
    let ran = job.verify("--no-fetch").ends_with(2);
    let command =
        ran.said().lines().find_map(|line| line.strip_prefix("hint: ").map(str::to_owned)).expect("a command");
    assert!(command.starts_with("git fetch origin '+refs/notes/boundary/*:"), "{ran}");
    job.sh(&command).ok();
    // The old value is below the cut.
    job.verify("--no-fetch").ends_with(2).says("git fetch");
    job.sh("git fetch -q --unshallow origin").ok();
    job.verify("--no-fetch").ok();
}

#[test]
fn what_was_pushed_past_the_hook_fails_the_job() {
    let (world, ..) = landed();
    let work = &world.work;
    work.git("switch -q main");
    work.git("pull -q");
    let before = work.head();
    let after = work.commit(&[("README", "past the hook\n")]);
    work.git("push -q --no-verify origin main");
    for job in [
        Job::push(&world, "job", "refs/heads/main", (&before, &after)),
        Job::gitlab(&world, "gitlab", "main", (&before, &after)),
    ] {
        let ran = job.verify("--json").ends_with(1);
        assert_eq!(statuses(&ran), ["refused"], "only what was pushed is judged: {ran}");
        assert_eq!(ran.json()["primary_code"], "context.receipt_missing");
    }
}

#[test]
fn a_pull_request_is_judged_by_its_own_commits_and_the_rule_of_where_it_goes() {
    let world = World::new();
    let work = &world.work;
    let base = work.head();
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    let head = work.head();
    let job = Job::request(&world, "job", ("main", &base), &head);
    // For its own branch it would do; main wants a proof.
    job.verify("").ends_with(1).says("evidence.boundary_missing").says("refs/heads/main").says(&head[..12]);
    assert!(!job.checkout.dir.join("pwned").exists(), "a name is a name");
    work.check("allow");
    let job = Job::request(&world, "again", ("main", &base), &head);
    let ran = job.verify("--json").ok();
    assert_eq!(
        ran.json()["commits"][0]["oid"],
        head,
        "the merge that the forge made up is no commit of anybody: {ran}"
    );
}

#[test]
fn a_pull_request_that_lies_behind_its_target_is_judged_all_the_same() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    let head = work.head();
    work.git("switch -q main");
    let base = work.commit(&[("README", "news\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    let job = Job::request(&world, "job", ("main", &base), &head);
    let ran = job.verify("--json").ok();
    assert_eq!(statuses(&ran)[0], "covered", "{ran}");
    assert_eq!(ran.json()["commits"][0]["oid"], head, "{ran}");
}

#[test]
fn a_merge_that_waits_in_a_queue_is_judged_as_it_would_land() {
    let (world, before, after) = landed();
    let queue = "refs/heads/gh-readonly-queue/main/pr-1";
    let event = serde_json::json!({ "merge_group": {
        "base_ref": "refs/heads/main", "base_sha": before, "head_ref": queue, "head_sha": after,
    } });
    let job = Job::actions(&world, "job", &after, "queued").on_github("merge_group", queue, &after, &event);
    job.verify("").ok().says("queued for").says("by the rule for refs/heads/main");
}

#[test]
fn forgejo_and_gitea_are_known_by_their_own_variables() {
    let (world, before, after) = landed();
    for (name, variable, forge) in
        [("forgejo", "FORGEJO_ACTIONS", "Forgejo Actions"), ("gitea", "GITEA_ACTIONS", "Gitea Actions")]
    {
        let job = Job::push(&world, name, "refs/heads/main", (&before, &after)).with(variable, "true");
        job.verify("").ok().says(forge).says("verified");
    }
}

#[test]
fn a_job_that_a_clock_started_judges_the_whole_branch() {
    let (world, _, after) = landed();
    let event = serde_json::json!({ "schedule": "0 0 * * *" });
    let started =
        |name| Job::actions(&world, name, &after, "main").on_github("schedule", "refs/heads/main", &after, &event);
    let ran = started("job").verify("--json").ok();
    assert_eq!(statuses(&ran), ["covered", "baseline"], "{ran}");
}

#[test]
fn of_a_new_branch_only_its_own_commits_are_judged() {
    let world = World::new();
    let work = &world.work;
    work.commit(&[("README", "never proposed\n")]);
    work.git("push -q --no-verify origin main");
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    let head = work.head();
    let job = Job::actions(&world, "job", &head, "fix").on_github(
        "push",
        "refs/heads/agent/fix",
        &head,
        &serde_json::json!({ "ref": "refs/heads/agent/fix", "before": ZERO, "after": head }),
    );
    let ran = job.verify("--json").ok();
    assert_eq!(statuses(&ran), ["covered"], "{ran}");
    let job = Job::gitlab(&world, "gitlab", "agent/fix", (ZERO, &head));
    assert_eq!(statuses(&job.verify("--json").ok()), ["covered"]);
}

#[test]
fn an_old_value_that_nobody_has_any_more_is_no_reason_to_judge_less_nor_to_verify_a_move_that_nobody_saw() {
    let (world, _, after) = landed();
    let lost = "12".repeat(20);
    let job = Job::push(&world, "job", "refs/heads/main", (&lost, &after));
    let ran = job.verify("").ends_with(2);
    ran.says("which the remote gives no more")
        .says("all that it holds")
        .says("whether refs/heads/main was moved forward");
    let work = &world.work;
    work.git("switch -q main");
    work.git("pull -q");
    let after = work.commit(&[("README", "past the hook\n")]);
    work.git("push -q --no-verify origin main");
    let job = Job::push(&world, "again", "refs/heads/main", (&lost, &after));
    job.verify("").ends_with(1).says("context.receipt_missing");
}

#[test]
fn a_branch_that_was_forced_back_or_aside_fails_the_job_unless_somebody_may_do_that() {
    let (world, before, after) = landed();
    let work = &world.work;
    work.git("switch -q main");
    let aside = work.commit(&[("README", "aside\n")]);
    work.boundary("propose --key ada-l").ok();
    work.git("push -q --no-verify --force origin main");
    // What was there is fetched while the remote has it.
    work.git(&format!("push -q --no-verify origin {after}:refs/heads/kept"));
    for (name, from, to) in [("aside", &after, &aside), ("back", &after, &before)] {
        let job = Job::push(&world, name, "refs/heads/main", (from, to));
        let ran = job.verify("");
        let allowed = name == "aside";
        assert_eq!(ran.status, i32::from(!allowed), "a listed person asked for one of them: {ran}");
        if !allowed {
            ran.says("authority.action_out_of_scope").says("rewrite refs/heads/main");
        }
    }
    // An agent's handoff grants no rewrite, whatever else is good about its work.
    let job = Job::push(&world, "agents", "refs/heads/main", (&aside, &after));
    job.verify("").ends_with(1).says("the push would rewrite refs/heads/main");
}

#[test]
fn a_deletion_is_judged_by_who_asked_for_it() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    let head = work.head();
    let event = serde_json::json!({ "ref": "refs/heads/agent/fix", "before": head, "after": ZERO });
    let job =
        |name: &str| Job::actions(&world, name, &head, "fix").on_github("push", "refs/heads/agent/fix", &head, &event);
    job("job").verify("").ends_with(1).says("deleting refs/heads/agent/fix");
    work.boundary("propose --delete refs/heads/agent/fix --key ada-l").ok();
    job("again").verify("").ok();
}

#[test]
fn a_tag_is_judged_with_all_that_it_names_by_the_rule_of_the_default_branch() {
    let (world, _, after) = landed();
    let work = &world.work;
    work.git(&format!("push -q --no-verify origin {after}:refs/tags/v1"));
    let job = Job::push(&world, "job", "refs/tags/v1", (ZERO, &after));
    let ran = job.verify("--json").ok();
    assert_eq!(statuses(&ran), ["covered", "baseline"], "{ran}");
    job.verify("").ok().says("no rule governs refs/tags/v1");
    work.git("switch -q --detach main");
    let bad = work.commit(&[("README", "never proposed\n")]);
    work.git(&format!("push -q --no-verify origin {bad}:refs/tags/v2"));
    Job::push(&world, "bad", "refs/tags/v2", (ZERO, &bad)).verify("").ends_with(1).says("context.receipt_missing");
}

#[test]
fn a_branch_that_no_rule_governs_and_an_empty_range_are_undecided() {
    let (world, before, after) = landed();
    let work = &world.work;
    work.git(&format!("push -q --no-verify origin {after}:refs/heads/scratch"));
    Job::push(&world, "job", "refs/heads/scratch", (&before, &after)).verify("").ends_with(2).says("no rule governs");
    Job::push(&world, "same", "refs/heads/main", (&after, &after)).verify("").ends_with(2).says("nothing was judged");
}

#[test]
fn arguments_go_before_what_the_forge_says() {
    let (world, before, after) = landed();
    let job = Job::push(&world, "job", "refs/heads/main", (&after, &after));
    job.verify(&format!("{after}~1..{after} --ref main")).ok();
    job.verify(&format!("{before}..{after} --ref refs/heads/main")).ok();
    job.verify(&format!("{after} {before}")).ends_with(129).says("one range");
    let plain = world.clone("plain");
    let trust = format!("--trust-root {} --min-trust-version 3", world.trust_root());
    plain.boundary(&format!("verify --ci {trust}")).ends_with(129).says("GITLAB_CI").says("GITHUB_EVENT_PATH");
    plain.boundary(&format!("verify --ci {trust} {before}..{after} --ref main")).ok();
}

#[test]
fn nothing_that_a_job_is_given_says_which_trust_to_believe() {
    let (world, before, after) = landed();
    let root = world.trust_root();
    let job = Job::push(&world, "job", "refs/heads/main", (&before, &after))
        .with("GIT_BOUNDARY_TRUST_ROOT", &root)
        .with("BOUNDARY_TRUST_ROOT", &root);
    let ran = job.boundary("verify --ci").ends_with(129);
    ran.says("git boundary verify --ci --trust-root sha256:").says("--min-trust-version");
    let configured = format!(
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=boundary.trustRoot GIT_CONFIG_VALUE_0={root} git boundary verify --ci"
    );
    job.sh(&configured).ends_with(129).says("--trust-root");
    let other = format!("sha256:{}", "1".repeat(64));
    let ran = job.boundary(&format!("verify --ci --trust-root {other}"));
    let ran = ran.ends_with(1).says(&other).says(&root).never_says("git config");
    ran.says("git boundary trust show");
    job.boundary(&format!("verify --ci --trust-root {root}")).ok().says("add --min-trust-version 3");
    job.boundary(&format!("verify --ci --trust-root {root} --min-trust-version 9"))
        .ends_with(2)
        .never_says("hint: git fetch")
        .says("--min-trust-version 3");
}

#[test]
fn an_id_of_another_length_is_refused_before_anything_is_looked_for() {
    let (world, before, after) = landed();
    let long = "1".repeat(64);
    for (name, old, new) in [("old", &long, &after), ("new", &before, &long)] {
        let event = serde_json::json!({ "ref": "refs/heads/main", "before": old, "after": new });
        let job = Job::actions(&world, name, &after, "main").on_github("push", "refs/heads/main", &after, &event);
        job.verify("").ends_with(129).says("of another length");
    }
}

#[test]
fn a_remote_that_does_not_answer_leaves_it_undecided() {
    let (world, before, after) = landed();
    let job = Job::push(&world, "job", "refs/heads/main", (&before, &after));
    job.checkout.git("remote set-url origin file:///nowhere/at-all.git");
    job.verify("").ends_with(2).says("could not be fetched").says("git fetch origin");
}
