//! Hints: what a message says to do next is what helps, and can be typed.

use std::os::unix::fs::PermissionsExt as _;

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

#[test]
fn a_listed_registrar_with_an_empty_ledger_is_shown_as_listed() {
    let world = World::new();
    let witness = world.joined("witness");
    let joined = witness.boundary("init --json").ok().json();
    let key = joined["registrar_key"].as_str().expect("it has a registrar").to_owned();
    let add = format!("git boundary trust add '{key}' --role registrar --label lone");
    world.work.sh(&add).ok().says("it has a domain of its own");
    witness.git("fetch -q");
    witness.boundary("init").ok();
    let shown = witness.boundary("checkpoint show --json").ok().said();
    assert!(!shown.contains("\"listed\":false"), "an empty ledger of a listed registrar is listed: {shown}");
    let audited = witness.boundary("audit --json").ok().said();
    assert!(!audited.contains("\"listed\":false"), "also in an audit: {audited}");
}

#[test]
fn proposing_the_same_again_sends_what_was_left_here() {
    let world = World::guarded();
    let work = &world.work;
    work.hand_out();
    work.fix();
    work.boundary("propose --key codex --no-publish").ok();
    work.boundary("propose --key codex").ok().says("Proposed already").says("sent to origin");
    work.push("origin agent/fix").accepted();
    work.boundary("propose --key codex").never_says("sent to origin");
}

#[test]
fn signing_other_rules_says_which_proofs_stop_counting_and_how_to_keep_them() {
    let world = World::new();
    let work = &world.work;
    let before = work.boundary("policy show --json").ok().json()["digest"].as_str().expect("a digest").to_owned();
    let rules = work.read("boundary.toml");
    work.write("boundary.toml", &rules.replace("lease = \"8h\"", "lease = \"9h\""));
    work.boundary("policy sign").ok().says("stop counting").says(&format!("accept = [\"{before}\"]"));
    let kept = rules.replace("lease = \"8h\"", "lease = \"10h\"");
    let now = work.boundary("policy show --json").ok().json()["digest"].as_str().expect("a digest").to_owned();
    work.write("boundary.toml", &kept.replace("accept = []", &format!("accept = [\"{now}\"]")));
    work.boundary("policy sign").ok().never_says("stop counting");
}

#[test]
fn a_rotated_actor_key_names_who_must_get_the_new_one_and_the_handoffs_to_give_anew() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let told = work.boundary("trust rotate codex").ok();
    told.says("Bring the new private key").says("git boundary handoff create --to codex-2 --path");
    work.boundary("trust revoke codex").ok();
    work.boundary("propose --key codex").says("codex-2").says("has its domain and roles now");
}

#[test]
fn a_rotated_owner_key_is_the_one_that_this_clone_signs_with_and_the_old_one_stays_listed() {
    let world = World::new();
    let work = &world.work;
    let owner = work.git("config boundary.ownerKey").trim().to_owned();
    let told = work.boundary(&format!("trust rotate {owner}")).ok();
    let told = told.says("keep the old one").says("This clone signs with it from now on");
    let sign = told.said().matches("git boundary policy sign").count();
    assert_eq!(sign, 1, "what is to be signed is said once: {told}");
    assert_ne!(work.git("config boundary.ownerKey").trim(), owner, "the ended key signs nothing any more");
    work.boundary("policy sign").ok();
}

#[test]
fn doctor_offers_to_list_a_registrar_apart_from_what_it_mends() {
    let world = World::new();
    let second = world.joined("second");
    let told = second.boundary("doctor").ok();
    told.says("If this clone's own word shall count").never_says("To mend it:");
}

#[test]
fn what_a_server_says_of_a_push_that_it_refuses_is_shown_and_escaped() {
    let world = World::new();
    let work = &world.work;
    let hook = world.server.dir.join("hooks/pre-receive");
    std::fs::write(&hook, "#!/bin/sh\nprintf 'the barn is shut\\033[31m\\n' >&2\nexit 1\n").expect("it is writable");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("it is there");
    work.hand_out();
    work.fix();
    let told =
        work.boundary("push --key codex").ends_with(1).says("What origin said:").says("remote: the barn is shut");
    assert!(!told.said().contains('\u{1b}'), "nothing of a server reaches a terminal raw: {told}");
    let told = work.boundary("push --key codex --json").ends_with(1).json();
    assert!(told["told"][0].as_str().is_some_and(|line| line.starts_with("the barn is shut")), "{told}");
}
