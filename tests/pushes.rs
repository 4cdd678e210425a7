//! Every kind of push that git can make, and what the hook is given of it.

use crate::support::World;

#[test]
fn an_ungoverned_branch_is_left_alone() {
    let world = World::new();
    let work = &world.work;
    work.git("switch -q -c scratch");
    work.commit(&[("anything", "at all\n")]);
    let push = work.push("origin scratch").accepted();
    assert_eq!(push.ran.stdout, "", "nothing is said about it");
}

#[test]
fn a_policy_whose_default_is_to_refuse_leaves_nothing_alone() {
    let world = World::new();
    let work = &world.work;
    work.policy(&[("default = \"open\"", "default = \"refuse\"")]);
    work.git("switch -q -c scratch");
    work.commit(&[("anything", "at all\n")]);
    work.push("origin scratch").refused("policy.action_forbidden").followed_in(work);
}

#[test]
fn a_new_branch_is_judged_for_its_new_commits_alone() {
    let world = World::untouched();
    let work = &world.work;
    for text in ["one\n", "two\n", "three\n"] {
        work.commit(&[("README", text)]);
    }
    work.git("push -q origin main");
    work.boundary("init").ok();
    work.boundary("trust add codex --role actor --new-key").ok();
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    let verified = work.boundary("verify --json origin/agent/fix").ok().json();
    let commits = verified["commits"].as_array().expect("a list");
    let covered = commits.iter().filter(|commit| commit["status"] == "covered").count();
    assert_eq!(covered, 1, "of all the history only the new commit was judged: {verified}");
}

#[test]
fn a_second_push_on_the_same_branch_passes() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    work.commit(&[("src/more.rs", "more\n")]);
    work.push("origin agent/fix").refused("context.receipt_missing").followed_in(work);
    work.propose();
    work.push("origin agent/fix").accepted();
}

#[test]
fn one_proposal_at_the_tip_covers_the_commits_below_it() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    work.commit(&[("src/more.rs", "more\n")]);
    work.commit(&[("src/most.rs", "most\n")]);
    work.propose();
    work.push("origin agent/fix").accepted();
}

#[test]
fn a_commit_on_top_of_a_proposed_one_is_not_covered_by_it() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.commit(&[("src/more.rs", "more\n")]);
    work.push("origin agent/fix").refused("context.receipt_missing");
}

#[test]
fn what_is_pushed_is_judged_and_not_what_is_checked_out() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.commit(&[("README", "outside\n")]);
    work.push("origin HEAD~1:refs/heads/agent/fix").accepted();
    work.git("switch -q main");
    work.push("origin agent/fix").refused("context.receipt_missing");
}

#[test]
fn a_revision_with_a_name_that_git_made_up_is_ordinary() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.git("branch -q -f twin HEAD");
    work.push("origin HEAD~0:refs/heads/agent/fix").accepted();
    work.commit(&[("src/more.rs", "more\n")]);
    work.push("origin HEAD^0:refs/heads/agent/fix").refused("context.receipt_missing");
}

#[test]
fn an_older_commit_of_proposed_work_needs_a_proposal_of_its_own() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    work.commit(&[("src/more.rs", "more\n")]);
    work.propose();
    work.push("origin HEAD~1:refs/heads/agent/fix").refused("context.receipt_missing");
}

#[test]
fn every_ref_of_a_push_is_judged() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.git("switch -q -c agent/other main");
    work.commit(&[("src/other.rs", "other\n")]);
    work.git("switch -q -c scratch main");
    work.commit(&[("scratch", "scratch\n")]);
    for refs in ["agent/fix agent/other scratch", "agent/other scratch agent/fix", "scratch agent/fix agent/other"] {
        let refused = work.push(&format!("origin {refs}")).refused("context.receipt_missing");
        let refs: Vec<String> = refused.answers().into_iter().map(|answer| answer.reference).collect();
        assert_eq!(refs, ["refs/heads/agent/other"], "the one that is not covered, wherever it stands");
    }
    work.boundary("propose --key codex --at agent/other").ok();
    work.push("origin agent/fix agent/other scratch").accepted();
}

#[test]
fn several_refused_refs_are_each_told() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    for name in ["agent/one", "agent/two"] {
        work.git(&format!("switch -q -c {name} main"));
        work.commit(&[("src/main.rs", &format!("// {name}\n"))]);
    }
    let refused = work.push("origin agent/one agent/two").refused("context.receipt_missing");
    assert_eq!(refused.answers().len(), 2, "one answer for each ref: {}", refused.ran);
}

#[test]
fn nothing_to_push_is_no_reason_to_stop() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    let again = work.push("origin agent/fix");
    assert_eq!(again.ran.status, 0, "git is content: {}", again.ran);
}

#[test]
fn a_push_to_an_address_is_judged_like_one_to_its_remote() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let address = world.server.dir.display().to_string();
    work.push(&format!("{address} agent/fix")).refused("context.receipt_missing");
    work.propose();
    work.push(&format!("{address} agent/fix")).accepted();
}

#[test]
fn our_own_refs_are_pushed_by_hand_without_being_judged() {
    let world = World::new();
    let work = &world.work;
    work.git("config boundary.publish manual");
    work.hand_out();
    let before = work.remote_refs();
    work.push("origin refs/notes/boundary/* refs/boundary/*").accepted();
    assert_ne!(work.remote_refs(), before, "the handoff's line went with it");
    assert_eq!(work.remote_refs().get(&work.notes_ref()), Some(&work.oid(&work.notes_ref())));
}

#[test]
fn a_refusal_is_kept_once_however_often_it_is_given() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let first = work.push("origin agent/fix").refused("context.receipt_missing");
    let kept = work.lines("HEAD");
    let again = work.push("origin agent/fix").refused("context.receipt_missing");
    let receipt = |push: &crate::support::Push| {
        push.ran.stderr.lines().find(|line| line.contains("receipt: art_")).expect("it is named").to_owned()
    };
    assert_eq!(receipt(&first), receipt(&again), "the same candidate for the same reasons has one receipt");
    assert_eq!(work.lines("HEAD"), kept, "and nothing is written for it again");
    let id = receipt(&first).trim().trim_start_matches("receipt: ").to_owned();
    work.boundary(&format!("show {id}")).ok().says("context.receipt_missing");
}

#[test]
fn a_hook_that_is_left_without_its_program_refuses() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let hook = work.git_file("hooks/pre-push");
    let text = std::fs::read_to_string(&hook).expect("the hook is there");
    let here = env!("CARGO_BIN_EXE_git-boundary");
    let text = text.replace(here, "/nowhere/git-boundary");
    std::fs::write(&hook, text).expect("it is ours");
    std::fs::remove_file(world.root().join("bin/git-boundary")).expect("it is there");
    let push = work.push("origin agent/fix");
    assert_eq!(push.hook, Some(1), "no judge, no push: {}", push.ran);
    assert_eq!(push.before, push.after, "nothing changed at the remote");
}
