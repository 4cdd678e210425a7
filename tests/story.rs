//! The story that must work as typed: from `init` to a verified branch, with each refusal on the way.

use crate::support::{Ran, World};

/// The owner's set-up, up to the first commit of the agent. `report.json` is any file of test results.
#[track_caller]
fn handed_out(world: &World) {
    let work = &world.work;
    work.boundary("handoff create --to codex --path src/**").ok();
    work.git("switch -q -c agent/fix");
    work.write("src/main.rs", "fn main() { work() }\n");
    work.git("commit -q -a -m fix");
    work.write("report.json", "{\"passed\":12}\n");
}

#[test]
fn the_story_works_as_typed() {
    let world = World::untouched();
    let work = &world.work;
    work.boundary("init").ok().says("trust root").says("git boundary trust add codex --role actor --new-key");
    work.boundary("trust add codex --role actor --new-key").ok();
    work.boundary("trust add reviewer-bot --role checker --new-key").ok();
    let given = work.boundary("handoff create --to codex --path src/**").ok();
    assert_eq!(next(&given), ["git boundary propose --key codex"], "the handoff says what its holder types");
    work.git("switch -q -c agent/fix");
    work.write("src/main.rs", "fn main() { work() }\n");
    work.git("commit -q -a -m fix");
    work.write("report.json", "{\"passed\":12}\n");

    let refused = work.push("origin agent/fix").refused("context.receipt_missing");
    assert_eq!(next(&refused.ran), ["git boundary propose --key codex"], "the refusal says what to type");
    work.boundary("propose --key codex").ok();
    work.push("origin agent/fix").accepted();

    let refused = work.push("origin agent/fix:main").refused("evidence.boundary_missing");
    assert!(
        next(&refused.ran)[0].starts_with("git boundary check run art_")
            && next(&refused.ran)[0].ends_with(" --input diff --key reviewer-bot -- <command>"),
        "the refusal names a checker and its command: {}",
        refused.ran
    );
    work.sh("git boundary check run --input diff --input test_result=report.json --key reviewer-bot -- sh -c 'test -f src/main.rs'")
        .ok()
        .says("allow");
    work.push("origin agent/fix:main").accepted();

    let verified = work.boundary("verify origin/main").ok();
    assert!(verified.stdout.starts_with("verified\n"), "the verdict comes first: {verified}");
    let (covered, baseline) = (verified.stdout.find("covered"), verified.stdout.find("baseline"));
    assert!(covered.is_some() && covered < baseline, "the covered commit, then the baseline under it: {verified}");
    assert_eq!(world.server.branch("main"), Some(work.head()), "what was verified is what the server has");
}

#[test]
fn every_step_of_the_story_writes_nothing_into_a_branch() {
    let world = World::new();
    let work = &world.work;
    let first = work.oid("main");
    handed_out(&world);
    work.boundary("propose --key codex").ok();
    assert_eq!(work.oid("main"), first, "set-up commits nothing to branches");
    assert_eq!(work.git("rev-list --count main..agent/fix"), "1", "the branch has the agent's commit alone");
    assert_eq!(work.git("status --porcelain --untracked-files=no"), "", "nothing tracked was touched");
}

/// The commands that were printed to be typed next.
fn next(ran: &Ran) -> Vec<String> {
    ran.commands()
}

#[test]
fn an_agent_that_does_whatever_it_is_told_never_signs_as_the_owner() {
    let world = World::new();
    let work = &world.work;
    handed_out(&world);
    assert!(work.boundary("trust show").ok().stdout.contains("ada-l"), "the owner's key is within reach");
    assert_eq!(work.git("config boundary.ownerKey"), "ada-l", "and the clone would use it unless told otherwise");
    // As it comes to them: each push until nothing is in its way any more, and whatever else speaks.
    for refs in ["agent/fix", "agent/fix", "agent/fix:main", "agent/fix:agent/other", ":agent/fix", "agent/fix~1:main"]
    {
        let push = work.push(&format!("--force origin {refs}"));
        work.follow(&push.ran);
    }
    for line in [
        "propose --key codex",
        "propose",
        "propose --key codex --ref agent/other",
        "check begin --input diff --key reviewer-bot",
        "check begin --input diff",
        "check decide allow",
        "verify",
        "verify main..HEAD --ref main",
        "handoff list --all",
        "handoff renew art_00000000000000000000000000000000",
        "log",
        "show HEAD",
        "audit",
        "doctor",
        "hook status",
        "policy show",
        "policy explain main README",
        "trust show",
        "trust add nobody --role actor",
        "key list",
        "key new another",
        "init",
    ] {
        work.follow(&work.boundary(line));
    }
    assert_eq!(world.server.branch("main"), Some(work.oid("main")), "nor does anything land that nobody checked");
}
