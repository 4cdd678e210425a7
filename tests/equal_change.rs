//! Under `equality = "change"`: what a squash keeps, and what nobody can pass off as one.

use crate::support::{Work, World};

/// Both rules take an equal change for the same work.
fn equal_changes(work: &Work) {
    let text = work.read("boundary.toml").replace("\nequality = \"commit\"", "");
    work.write("boundary.toml", &text.replace("[[rule]]", "[[rule]]\nequality = \"change\""));
    work.boundary("policy sign").ok();
}

/// What `prepare` prints for `HEAD`.
fn draft(work: &Work) -> String {
    work.boundary("prepare --key codex").ok().stdout
}

/// The change list that a draft names.
fn list_of(draft: &str) -> String {
    let draft: serde_json::Value = serde_json::from_str(draft).expect("a draft is JSON");
    draft["predicate"]["change"]["list"].as_str().expect("it names its list").to_owned()
}

#[test]
fn the_same_change_in_another_commit_keeps_proposal_and_proof() {
    let world = World::new();
    let work = &world.work;
    equal_changes(work);
    work.proven_fix();
    work.git("commit -q --amend -m reworded");
    work.push("origin agent/fix").accepted();
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn a_denial_of_a_change_stands_against_its_squash() {
    let world = World::new();
    let work = &world.work;
    equal_changes(work);
    work.boundary("trust add second-bot --role checker --new-key").ok();
    work.proven_fix();
    work.check_by("second-bot", "deny");
    work.git("commit -q --amend -m reworded");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

#[test]
fn a_proposal_that_names_the_change_of_another_commit_covers_only_its_own() {
    let world = World::new();
    let work = &world.work;
    equal_changes(work);
    work.hand_out();
    // What shall be smuggled in: a draft tells its change list, and is never signed.
    work.git("switch -q -c agent/smuggled");
    work.commit(&[("src/main.rs", "fn main() { steal() }\n")]);
    let smuggled = list_of(&draft(work));
    work.git("switch -q main");
    work.fix();
    let honest = draft(work);
    let lie = honest.replace(&list_of(&honest), &smuggled);
    work.boundary_given("propose - --key codex", lie.as_bytes()).ok();
    work.push("origin agent/smuggled:agent/fix").refused("context.receipt_missing").followed_in(work);
}

#[test]
fn a_rebase_onto_a_branch_that_moved_in_the_same_file_is_another_change() {
    for (path, text, holds) in [("NEWS", "news\n", true), ("src/main.rs", "fn main() {}\n// below\n", false)] {
        let world = World::new();
        let work = &world.work;
        work.policy(&[("equality = \"commit\"", "equality = \"change\"")]);
        work.hand_out();
        work.git("switch -q -c agent/fix");
        work.write("src/main.rs", &format!("// above\n{}", work.read("src/main.rs")));
        work.git("commit -q -a -m fix");
        work.propose();
        work.check("allow");
        work.git("switch -q main");
        let text = if holds { text.to_owned() } else { format!("{}{}// below\n", work.read(path), "\n".repeat(9)) };
        work.commit(&[(path, &text)]);
        work.boundary("propose --key ada-l").ok();
        work.push("origin main").accepted();
        work.git("switch -q agent/fix");
        work.git("rebase -q main");
        // The agents' branches go by commits all the same.
        work.push("origin HEAD:refs/heads/agent/new").refused("context.receipt_missing");
        let push = work.push("origin HEAD:main");
        match holds {
            true => push.accepted(),
            false => push.refused("context.receipt_missing"),
        };
    }
}
