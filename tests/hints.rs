//! Hints: what a message says to do next is what helps, and can be typed.

use crate::support::World;

#[test]
fn a_name_that_nobody_has_is_not_added_on_the_way_to_something_else() {
    let world = World::new();
    let work = &world.work;
    for line in ["trust revoke nobody", "log --checker nobody"] {
        work.boundary(line).ends_with(129).says("reviewer-bot").never_says("trust add").says("git boundary trust show");
    }
    work.boundary("handoff create --to nobody --path src/**")
        .ends_with(129)
        .says("git boundary trust add nobody --role actor");
}

#[test]
fn another_root_or_a_newer_trust_than_is_here_is_no_illness() {
    let world = World::new();
    let work = &world.work;
    let other = format!("sha256:{}", "1".repeat(64));
    let answer = work.boundary(&format!("verify origin/main --trust-root {other}"));
    answer.says("compare both").never_says("doctor");
    work.boundary("verify origin/main --min-trust-version 9").ends_with(2).says("git fetch").never_says("doctor");
}

#[test]
fn a_question_without_an_answer_is_not_taken_for_an_empty_clone() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.boundary("log HEAD --decision deny").ok().never_says("Nothing is recorded").says("No decision");
    work.boundary("log HEAD --decision allow").ok().says("reviewer-bot");
}

#[test]
fn rules_that_are_gone_are_said_to_be_and_where_they_still_are() {
    let world = World::new();
    let work = &world.work;
    std::fs::remove_file(work.dir.join("boundary.toml")).expect("it was there");
    for line in ["policy compile", "policy sign"] {
        work.boundary(line).ends_with(128).says("no such file").says("git boundary policy show --json");
    }
}

#[test]
fn a_directory_of_hooks_that_is_not_there_is_mended_by_what_doctor_prints() {
    let world = World::new();
    let work = &world.work;
    for directory in [".nowhere".to_owned(), world.root().join("nowhere").display().to_string()] {
        work.git(&format!("config core.hooksPath {directory}"));
        let told = work.boundary("doctor").ends_with(1);
        let command = told.commands().into_iter().find(|line| line.contains("core.hooksPath")).expect("a command");
        work.sh(&command).ok();
        work.boundary("doctor").ok();
    }
    let status = work.boundary("hook status --json").ok();
    status.never_says("--server").says("pre-push");
}

#[test]
fn a_changed_pin_is_put_back_by_what_doctor_prints_and_repair_says_only_what_it_did() {
    let world = World::new();
    let work = &world.work;
    let root = world.trust_root();
    for wrong in ["nonsense".to_owned(), format!("sha256:{}", "1".repeat(64))] {
        work.git(&format!("config boundary.trustRoot {wrong}"));
        let told = work.boundary("doctor").ends_with(1);
        assert_eq!(told.commands(), [format!("git config boundary.trustRoot {root}")], "{told}");
        work.sh(&told.commands()[0]).ok();
        work.boundary("doctor").ok();
    }
    work.boundary("doctor --repair").ok().never_says("repaired");
}

#[test]
fn a_key_that_is_not_named_is_asked_for_in_the_command_that_was_typed() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    for command in ["prepare", "propose", "propose --completion", "push"] {
        work.boundary(command).ends_with(129).says(&format!("git boundary {command} --key codex"));
    }
    work.git("switch -q --detach");
    work.boundary("push").ends_with(129).says("git boundary push <remote> <branch>").never_says("--ref");
    work.boundary("handoff create --to codex --path src/**").ends_with(129).says("--pin-ref refs/heads/<branch>");
    work.boundary("propose --key codex").ends_with(129).says("--ref refs/heads/<branch>");
}

#[test]
fn an_id_of_something_else_is_said_to_be_that_and_an_unknown_one_to_be_unknown() {
    let world = World::new();
    let work = &world.work;
    let handoff = work.hand_out();
    work.boundary(&format!("submit {handoff}")).ends_with(129).says("is no proposal; it is: handoff");
    for id in [format!("art_{}", "0".repeat(32)), format!("env_{}", "0".repeat(32))] {
        work.boundary(&format!("read {id}")).ends_with(129).says("is not recorded here").never_says("propose");
    }
}
