//! What a handoff reaches: every path in every commit of the range, every ref, every operation, and one repository.

use git_boundary::codec::artifact::Artifact;

use crate::support::World;

/// Work in progress under a handoff of `src/**`, on `agent/fix`, nothing committed yet.
fn handed_out() -> World {
    let world = World::new();
    world.work.hand_out();
    world.work.git("switch -q -c agent/fix");
    world
}

#[track_caller]
fn refused_as_out_of_scope(world: &World) {
    world.work.propose();
    let refused = world.work.push("origin agent/fix").refused("authority.action_out_of_scope");
    refused.followed_in(&world.work);
}

#[test]
fn a_path_outside_is_refused_and_named() {
    let world = handed_out();
    world.work.commit(&[("README", "changed\n"), ("src/main.rs", "fn main() { work() }\n")]);
    world.work.propose();
    world.work.push("origin agent/fix").refused("authority.action_out_of_scope").says("README");
}

#[test]
fn a_path_outside_stays_touched_when_a_later_commit_reverts_it() {
    let world = handed_out();
    world.work.commit(&[("README", "changed\n"), ("src/main.rs", "fn main() { work() }\n")]);
    world.work.commit(&[("README", "A program.\n")]);
    refused_as_out_of_scope(&world);
}

#[test]
fn a_file_outside_that_is_added_and_removed_again_was_touched() {
    let world = handed_out();
    world.work.commit(&[("smuggled", "payload\n")]);
    world.work.git("rm -q smuggled");
    world.work.git("commit -q -m gone");
    world.work.commit(&[("src/main.rs", "fn main() { work() }\n")]);
    refused_as_out_of_scope(&world);
}

#[test]
fn a_path_outside_is_touched_as_the_old_side_of_a_rename() {
    let world = handed_out();
    world.work.git("mv README src/readme");
    world.work.git("commit -q -m moved");
    refused_as_out_of_scope(&world);
}

#[test]
fn a_rename_within_the_scope_passes() {
    let world = handed_out();
    world.work.git("mv src/main.rs src/program.rs");
    world.work.git("commit -q -m moved");
    world.work.propose();
    world.work.push("origin agent/fix").accepted();
}

#[test]
fn an_evil_merge_touches_what_no_parent_explains() {
    let world = handed_out();
    let work = &world.work;
    work.commit(&[("src/one.rs", "one\n")]);
    work.git("switch -q -c side main");
    work.commit(&[("src/two.rs", "two\n")]);
    work.git("switch -q agent/fix");
    work.git("merge -q --no-ff --no-commit side");
    work.write("README", "smuggled in by a merge\n");
    work.git("add README");
    work.git("commit -q -m merged");
    refused_as_out_of_scope(&world);
}

#[test]
fn a_clean_merge_of_two_sides_in_scope_passes() {
    let world = handed_out();
    let work = &world.work;
    work.commit(&[("src/one.rs", "one\n")]);
    work.git("switch -q -c side main");
    work.commit(&[("src/two.rs", "two\n")]);
    work.git("switch -q agent/fix");
    work.git("merge -q --no-ff -m merged side");
    work.propose();
    work.push("origin agent/fix").accepted();
}

/// `main` has moved on at the remote, outside the scope, and was fetched.
fn with_news_on_main(world: &World) {
    let elsewhere = world.clone("elsewhere");
    elsewhere.commit(&[("README", "news\n")]);
    elsewhere.git("push -q origin main");
    world.work.git("fetch -q");
}

#[test]
fn a_merge_that_keeps_ours_undoes_what_the_other_side_did() {
    let world = handed_out();
    with_news_on_main(&world);
    world.work.commit(&[("src/one.rs", "one\n")]);
    world.work.git("merge -q -s ours -m kept origin/main");
    refused_as_out_of_scope(&world);
}

#[test]
fn a_merge_of_the_target_does_not_judge_the_targets_commits_again() {
    let world = handed_out();
    with_news_on_main(&world);
    world.work.commit(&[("src/one.rs", "one\n")]);
    world.work.git("merge -q -m merged origin/main");
    world.work.propose();
    world.work.push("origin agent/fix").accepted();
}

#[test]
fn an_octopus_carries_what_one_of_its_arms_touched() {
    let world = handed_out();
    let work = &world.work;
    work.commit(&[("src/one.rs", "one\n")]);
    for (arm, path) in [("arm-two", "src/two.rs"), ("arm-three", "outside")] {
        work.git(&format!("switch -q -c {arm} main"));
        work.commit(&[(path, "arm\n")]);
    }
    work.git("switch -q agent/fix");
    work.git("merge -q -m octopus arm-two arm-three");
    assert_eq!(work.git("rev-list --parents -1 HEAD").split(' ').count(), 4, "three parents");
    refused_as_out_of_scope(&world);
}

#[test]
fn an_evil_octopus_touches_what_none_of_its_parents_explains() {
    let world = handed_out();
    let work = &world.work;
    work.commit(&[("src/one.rs", "one\n")]);
    for (arm, path) in [("arm-two", "src/two.rs"), ("arm-three", "src/three.rs")] {
        work.git(&format!("switch -q -c {arm} main"));
        work.commit(&[(path, "arm\n")]);
    }
    work.git("switch -q agent/fix");
    work.git("merge -q -m octopus arm-two arm-three");
    work.write("README", "smuggled in by an octopus\n");
    work.git("add README");
    work.git("commit -q --amend -m octopus");
    assert_eq!(work.git("rev-list --parents -1 HEAD").split(' ').count(), 4, "three parents");
    refused_as_out_of_scope(&world);
}

#[test]
fn a_clean_octopus_in_scope_passes() {
    let world = handed_out();
    let work = &world.work;
    work.commit(&[("src/one.rs", "one\n")]);
    for (arm, path) in [("arm-two", "src/two.rs"), ("arm-three", "src/three.rs")] {
        work.git(&format!("switch -q -c {arm} main"));
        work.commit(&[(path, "arm\n")]);
    }
    work.git("switch -q agent/fix");
    work.git("merge -q -m octopus arm-two arm-three");
    work.propose();
    work.push("origin agent/fix").accepted();
}

#[test]
fn a_force_push_needs_the_grant_to_rewrite() {
    let world = handed_out();
    let work = &world.work;
    work.commit(&[("src/main.rs", "fn main() { work() }\n")]);
    work.propose();
    work.push("origin agent/fix").accepted();
    work.git("commit -q --amend -m again");
    work.propose();
    work.push("--force origin agent/fix").refused("authority.action_out_of_scope").says("rewrite").followed_in(work);
}

#[test]
fn a_force_push_with_the_grant_to_rewrite_passes() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --operation add,modify,create,update,rewrite");
    work.fix();
    work.propose();
    work.push("origin agent/fix").accepted();
    work.git("commit -q --amend -m again");
    work.propose();
    work.push("--force origin agent/fix").accepted();
}

#[test]
fn going_back_to_an_older_commit_is_a_rewrite_though_it_brings_nothing_new() {
    let world = handed_out();
    let work = &world.work;
    for text in ["one\n", "two\n"] {
        work.commit(&[("src/main.rs", text)]);
        work.propose();
        work.push("origin agent/fix").accepted();
    }
    // The proposal that is there saw another value at the other side.
    work.git("reset -q --hard HEAD~1");
    work.push("--force origin agent/fix").refused("snapshot.head_moved").followed_in(work);
    work.propose();
    work.push("--force origin agent/fix").refused("authority.action_out_of_scope").says("rewrite");
}

#[test]
fn a_ref_outside_the_scope_is_refused() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --ref refs/heads/agent/one/**");
    work.git("switch -q -c agent/two");
    work.commit(&[("src/main.rs", "fn main() { work() }\n")]);
    work.propose();
    work.push("origin agent/two").refused("authority.action_out_of_scope").says("refs/heads/agent/two");
}

#[test]
fn an_operation_that_is_not_granted_is_refused() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --operation add,modify,create,update");
    work.git("switch -q -c agent/fix");
    work.git("rm -q src/main.rs");
    work.git("commit -q -m removed");
    work.propose();
    work.push("origin agent/fix").refused("authority.action_out_of_scope").says("delete");
}

#[test]
fn a_symbolic_link_wants_a_grant_of_its_own() {
    let world = handed_out();
    let work = &world.work;
    std::os::unix::fs::symlink("../../etc", work.dir.join("src/link")).expect("the work tree is writable");
    work.git("add src/link");
    work.git("commit -q -m link");
    refused_as_out_of_scope(&world);
}

#[test]
fn a_submodule_wants_a_grant_of_its_own() {
    let world = handed_out();
    let work = &world.work;
    let head = work.head();
    work.git(&format!("update-index --add --cacheinfo 160000,{head},src/module"));
    work.git("commit -q -m module");
    refused_as_out_of_scope(&world);
}

#[test]
fn a_file_may_be_made_executable() {
    let world = handed_out();
    let work = &world.work;
    work.git("update-index --chmod=+x src/main.rs");
    work.git("commit -q -m executable");
    work.propose();
    work.push("origin agent/fix").accepted();
}

#[test]
fn an_exclusion_holds_under_other_spellings_of_its_name() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --path :!src/secret");
    work.git("switch -q -c agent/fix");
    work.commit(&[("src/SECRET", "a file system that folds case has one file here\n")]);
    work.propose();
    work.push("origin agent/fix").refused("authority.action_out_of_scope");
}

#[test]
fn a_handoff_of_another_repository_with_the_same_owner_and_history_is_out_of_scope() {
    let world = World::new();
    let work = &world.work;
    let other = another_repository(&world);
    other.hand_out();
    let theirs = other.stored("HEAD", |artifact| matches!(artifact, Artifact::Handoff(_)));
    work.record("HEAD", &theirs);
    work.fix();
    work.propose();
    work.push("origin agent/fix").refused("authority.action_out_of_scope").says("the handoff is for repo_");
}

#[test]
fn a_proposal_made_in_another_repository_is_out_of_scope() {
    let world = World::new();
    let work = &world.work;
    let other = another_repository(&world);
    other.hand_out();
    work.hand_out();
    work.fix();
    other.git(&format!("fetch -q {} agent/fix:agent/fix", work.dir.display()));
    other.git("switch -q agent/fix");
    other.propose();
    let theirs = other
        .stored("HEAD", |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_) | Artifact::ContextReceipt(_)));
    let handoff = other.stored("main", |artifact| matches!(artifact, Artifact::Handoff(_)));
    // Even a registrar that is trusted here as well makes nothing of it.
    let registrar = other.git_file("boundary/registrar.pub");
    work.boundary(&format!("trust add {} --role registrar --label other --domain other", registrar.display())).ok();
    work.record("HEAD", &theirs);
    work.record("main", &handoff);
    work.push("origin agent/fix").refused("authority.action_out_of_scope").says("this repository is repo_");
}

/// A second repository with the same history, the same owner, the same keys, and trust of its own.
fn another_repository(world: &World) -> crate::support::Work {
    let root = world.root();
    world.home.run(&root, "git", &["init", "-q", "--bare", "other.git"], b"").ok();
    let other = world.clone("other");
    other.git(&format!("remote set-url origin {}", root.join("other.git").display()));
    for name in other.refs().into_keys().filter(|name| name.contains("boundary")) {
        other.git(&format!("update-ref -d {name}"));
    }
    other.git("push -q origin main");
    other.boundary("init").ok();
    other.boundary("trust add codex --role actor").ok();
    other
}
