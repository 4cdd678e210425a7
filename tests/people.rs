//! People: their own work without a handoff, their signatures, their merges.

use crate::support::{Work, World};

#[test]
fn a_listed_persons_hotfix_passes_once_proposed_and_the_refusal_says_how() {
    let world = World::new();
    let work = &world.work;
    work.commit(&[("README", "hotfix\n")]);
    let refused = work.push("origin main").refused("source.handoff_missing");
    let refused = refused.with_codes(&["source.handoff_missing", "context.receipt_missing"]);
    refused.says("git boundary propose --key <your own key>").followed_in(work);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn a_person_who_is_not_listed_needs_a_handoff() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add grace --role person,actor --new-key").ok();
    work.commit(&[("README", "hotfix\n")]);
    work.boundary("propose --key grace").ok();
    work.push("origin main").refused("source.handoff_missing").says("not listed there as a person").followed_in(work);
}

#[test]
fn a_listed_person_may_change_what_machines_act_on() {
    let world = World::new();
    let work = &world.work;
    work.commit(&[(".github/workflows/ci.yml", "on: push\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
}

#[test]
fn an_actor_who_changes_what_machines_act_on_needs_an_approval() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path **");
    work.git("switch -q -c agent/fix");
    work.commit(&[(".github/workflows/ci.yml", "on: push\n")]);
    work.propose();
    work.push("origin agent/fix").refused("approval.missing").says(".github/workflows/ci.yml").followed_in(work);
}

#[test]
fn the_automation_class_sees_through_other_spellings() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path **");
    work.git("switch -q -c agent/fix");
    work.commit(&[(".GitHub/Workflows/ci.yml", "on: push\n")]);
    work.propose();
    work.push("origin agent/fix").refused("approval.missing");
}

/// Turns `people_by_signature` on, and makes `git commit` sign with a key of this account.
fn signing_as(work: &Work, key: &str) {
    let text = work.read("boundary.toml");
    if text.contains("people_by_signature = false") {
        work.policy(&[("people_by_signature = false", "people_by_signature = true")]);
    }
    work.git("config gpg.format ssh");
    work.git(&format!("config user.signingkey {}", work.home.key_path(key).display()));
    work.git("config commit.gpgsign true");
}

#[test]
fn by_signature_a_listed_persons_commit_passes_as_it_is() {
    let world = World::new();
    let work = &world.work;
    signing_as(work, "ada-l");
    work.commit(&[("README", "hotfix\n")]);
    work.push("origin main").accepted();
    work.boundary("verify origin/main").ok().says("person");
}

#[test]
fn by_signature_an_unlisted_signer_passes_nothing() {
    let world = World::new();
    let work = &world.work;
    signing_as(work, "codex");
    work.commit(&[("README", "hotfix\n")]);
    work.push("origin main").refused("source.handoff_missing");
}

#[test]
fn by_signature_a_commit_whose_signature_is_of_other_bytes_passes_nothing() {
    let world = World::new();
    let work = &world.work;
    signing_as(work, "ada-l");
    work.commit(&[("README", "hotfix\n")]);
    // The same signature over another message.
    let raw = work.try_git("cat-file commit HEAD").ok().stdout.replace("\nwork\n", "\nother work\n");
    let forged = work.home.run(&work.dir, "git", &["hash-object", "-t", "commit", "-w", "--stdin"], raw.as_bytes());
    work.git(&format!("reset -q --hard {}", forged.ok().stdout.trim()));
    work.push("origin main").refused("source.handoff_missing");
}

#[test]
fn a_signature_alone_counts_for_nothing_in_the_starter_policy() {
    let world = World::new();
    let work = &world.work;
    work.git("config gpg.format ssh");
    work.git(&format!("config user.signingkey {}", work.home.key_path("ada-l").display()));
    work.git("config commit.gpgsign true");
    work.commit(&[("README", "hotfix\n")]);
    work.push("origin main").refused("source.handoff_missing");
}

#[test]
fn a_persons_clean_merge_of_proven_work_passes_with_nothing_more() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    work.git("switch -q main");
    work.git("merge -q --no-ff -m merged agent/fix");
    work.push("origin main").accepted();
    work.boundary("verify origin/main").ok().says("merge").says("covered");
}

#[test]
fn a_persons_clean_merge_of_work_without_a_proof_is_refused() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.git("switch -q main");
    work.git("merge -q --no-ff -m merged agent/fix");
    work.push("origin main").refused("evidence.boundary_missing");
}

#[test]
fn a_persons_evil_merge_is_refused() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.git("switch -q main");
    work.git("merge -q --no-ff --no-commit agent/fix");
    work.write("README", "slipped in\n");
    work.git("add README");
    work.git("commit -q -m merged");
    work.push("origin main").refused("context.receipt_missing").followed_in(work);
}

#[test]
fn a_merge_onto_a_branch_that_moved_on_passes_when_it_is_clean() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.git("switch -q main");
    work.commit(&[("README", "news\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    work.git("merge -q --no-ff -m merged agent/fix");
    work.push("origin main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn a_range_may_mix_what_people_and_actors_did() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.git("switch -q main");
    work.git("merge -q --no-ff -m merged agent/fix");
    work.commit(&[("README", "and a word about it\n")]);
    work.push("origin main").refused("context.receipt_missing");
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
}

#[test]
fn a_new_person_is_told_that_rules_list_people_and_is_never_sent_to_an_agents_key() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add bob --role person --new-key")
        .ok()
        .says("boundary.toml")
        .says("git boundary policy sign --key <owner>");
    work.hand_out();
    work.fix();
    for key in ["bob", "ada-l"] {
        // The owner is listed for the default branch and for the agents' branches; bob is for none.
        let proposed = work.boundary(&format!("propose --key {key}")).ok().says("handoff   none").never_says("codex");
        if key == "bob" {
            work.follow(&proposed.says("git boundary handoff create --to bob --path '<pathspec>' --key <owner>"));
        }
    }
}
