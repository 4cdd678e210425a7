//! Owners' approvals: what is shown, what is signed, and what it is good for.

use crate::support::World;

#[test]
fn work_that_waits_is_listed_shown_in_full_approved_and_then_pushed() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    let refused = work.push("origin agent/fix").refused("approval.missing");
    let command = refused.ran.commands().pop().expect("the refusal says what to type");
    assert!(command.starts_with("git boundary approve art_") && command.ends_with(" --key <owner>"), "{command}");
    work.follow(&refused.ran);
    let head = work.head();
    work.boundary("approvals").ok().says("Makefile (build)").says(&head[..12]).says("missing");

    let approved = work.boundary("approve --key ada-l").ok();
    for shown in [&head, "refs/heads/agent/fix", "Makefile", "make", "codex", "lease until", "acts", "Approved: "] {
        approved.clone().says(shown);
    }
    work.boundary("approvals").ok().says("Nothing waits");
    work.boundary("approvals --all").ok().says("approved");
    work.push("origin agent/fix").accepted();
    // It was for that ref: what is to land elsewhere is proposed and approved for there.
    work.boundary("propose --ref refs/heads/main --key codex").ok();
    work.check("allow");
    work.push("origin agent/fix:main").refused("approval.missing");
    work.boundary("approve --key ada-l").ok();
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn an_approval_is_for_one_commit_and_a_rejection_stands() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    work.boundary("approve --key ada-l").ok();
    work.git("commit -q --amend -m other");
    work.propose();
    work.push("origin agent/fix").refused("approval.missing");
    work.boundary("reject --key ada-l --reason no").ok().says("Rejected: ");
    work.push("origin agent/fix").refused("approval.rejected");
    work.boundary("approve --key ada-l").ok();
    work.push("origin agent/fix").refused("approval.rejected");
}

#[test]
fn only_an_owner_approves_or_rejects() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    for command in ["approve", "reject"] {
        for key in ["codex", "reviewer-bot"] {
            work.boundary(&format!("{command} --key {key}")).ends_with(129).says("not trusted as owner");
        }
    }
    work.push("origin agent/fix").refused("approval.missing");
    work.git("switch -q main");
    work.boundary("approve --key ada-l").ends_with(129).says("has no proposal here");
}

#[test]
fn an_approval_runs_out() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    work.boundary("approve --key ada-l --ttl 1h").ok();
    let line = format!("x {} refs/heads/agent/fix {}\n", work.head(), "0".repeat(40));
    work.later(3_700).hook(&line).ends_with(1).says("approval.expired");
    work.later(3_000).hook(&line).ok();
}

#[test]
fn an_approval_is_for_the_registrar_that_it_names() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    let second = world.joined("second");
    second.git("fetch -q");
    second.git("fetch -q ../work agent/fix:agent/fix");
    work.boundary("approve --key ada-l").ok();
    second.git("fetch -q");
    // The proposal was recorded in the first clone, so that this is who may act on it.
    let refused = second.push("origin agent/fix").refused("approval.principal_mismatch");
    let command = refused.ran.commands().pop().expect("the refusal says what to type").replace("<owner>", "ada-l");
    assert!(command.contains(&format!("--registrar {}", second.registrar_id())), "{command}");
    second.sh(&command).ok();
    second.push("origin agent/fix").accepted();
}

#[test]
fn what_json_prints_is_one_object_with_all_that_was_signed() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    let signed = work.boundary("approve --key ada-l --json").ok().json();
    assert_eq!(signed["verdict"], "approve");
    assert_eq!(signed["about"]["action"]["new"], work.head());
    assert_eq!(signed["about"]["paths"][0], "Makefile");
    assert_eq!(signed["about"]["commits"][0]["summary"], "make");
    let listed = work.boundary("approvals --all --json").ok().json_lines();
    assert_eq!(listed.len(), 1);
    assert!(listed[0]["standing"].is_null(), "it is approved");
}
