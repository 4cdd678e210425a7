//! A checker without write access hands in its proof as a file.

use std::path::PathBuf;

use git_boundary::model::asserted::Asserted;
use git_boundary::model::decision::Override;
use git_boundary::model::digest::Digest;

use super::export;
use crate::support::{Work, World};

/// A clone of somebody who may fetch and not push, on the proposed fix.
fn checker(world: &World) -> Work {
    world.work.proposed_fix();
    world.work.push("origin agent/fix").accepted();
    let checker = world.joined("checker");
    checker.git("fetch -q");
    checker.git("switch -q agent/fix");
    checker.git("config boundary.publish manual");
    checker
}

/// Something else in the checker's ledger, on another commit.
fn elsewhere(checker: &Work) {
    let said = Override { asserted: Asserted::none(), target: Digest([7; 32]) };
    checker.record("HEAD~1", &[checker.sign("reviewer-bot", "HEAD~1", said)]);
}

fn import(work: &Work, file: &std::path::Path) -> crate::support::Ran {
    work.boundary(&format!("import {}", file.display()))
}

fn copy(file: &std::path::Path, name: &str) -> PathBuf {
    let to = file.with_file_name(name);
    std::fs::copy(file, &to).expect("the root is writable");
    to
}

#[test]
fn a_proof_counts_once_its_checkers_ledger_is_imported() {
    let world = World::new();
    let (work, checker) = (&world.work, checker(&world));
    checker.check("allow");
    work.push("origin agent/fix:main").refused("evidence.boundary_missing");
    let file = export(&checker, "HEAD --with-ledger");
    let before = work.refs();
    import(work, &file).ok().says("taken: the ledger of").says("To hand it on");
    for (name, oid) in &before {
        assert_eq!(work.refs().get(name), Some(oid), "{name}: an import moves no ref that was there");
    }
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn a_second_import_of_the_same_file_changes_nothing() {
    let world = World::new();
    let (work, checker) = (&world.work, checker(&world));
    checker.check("allow");
    let file = export(&checker, "HEAD --with-ledger");
    import(work, &file).ok();
    let refs = work.refs();
    import(work, &file).ok().says("here already").never_says("taken:");
    assert_eq!(work.refs(), refs, "what is here is not written again");
}

#[test]
fn a_later_file_goes_on_from_the_earlier_one_and_an_earlier_one_takes_nothing_back() {
    let world = World::new();
    let (work, checker) = (&world.work, checker(&world));
    checker.check("allow");
    let early = copy(&export(&checker, "HEAD --with-ledger"), "early");
    import(work, &early).ok();
    checker.check("deny");
    import(work, &export(&checker, "HEAD --with-ledger")).ok().says("taken: the ledger of");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
    import(work, &early).ok().never_says("taken:");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

#[test]
fn a_second_history_of_a_ledger_is_refused() {
    let world = World::new();
    let (work, checker) = (&world.work, checker(&world));
    elsewhere(&checker);
    let before = checker.oid(&checker.notes_ref());
    checker.check("deny");
    import(work, &export(&checker, "HEAD --with-ledger")).ok();
    checker.git(&format!("update-ref {} {before}", checker.notes_ref()));
    checker.forget();
    checker.check("allow");
    let refs = work.refs();
    import(work, &export(&checker, "HEAD --with-ledger")).ends_with(2).says("of");
    assert_eq!(work.refs(), refs, "nothing is written");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

#[test]
fn without_the_ledger_the_lines_are_recorded_and_the_proof_does_not_count() {
    let world = World::new();
    let (work, checker) = (&world.work, checker(&world));
    elsewhere(&checker);
    checker.check("allow");
    import(work, &export(&checker, "HEAD")).ok().says("taken: boundary proof").never_says("the ledger of");
    work.push("origin agent/fix:main").refused("evidence.boundary_invalid");
    import(work, &export(&checker, "HEAD --with-ledger")).ok();
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn a_file_with_a_defect_is_refused_whole() {
    let world = World::new();
    let (work, checker) = (&world.work, checker(&world));
    checker.check("allow");
    let file = export(&checker, "HEAD --with-ledger");
    let text = std::fs::read_to_string(&file).expect("it is text");
    let cut = text.replacen("\"entries\":[{", "\"entries\":[{\"also\":1,", 1);
    let refs = work.refs();
    for bad in [&cut, &text[..text.len() / 2], "{}", "not a bundle\n"] {
        std::fs::write(&file, bad).expect("the root is writable");
        import(work, &file).ends_with(1).says("Nothing was taken");
    }
    assert_eq!(work.refs(), refs, "nothing is written");
}

#[test]
fn signed_lines_are_recorded_on_the_notes_that_they_belong_in() {
    let world = World::new();
    let (work, checker) = (&world.work, checker(&world));
    checker.check("allow");
    let lines = checker.boundary("export HEAD --format in-toto").ok().stdout;
    let taken = work.boundary_given("import - --json", lines.as_bytes()).ok().json();
    let kinds: Vec<&str> =
        taken["taken"].as_array().expect("a list").iter().filter_map(|one| one["kind"].as_str()).collect();
    assert!(kinds.contains(&"boundary proof") && kinds.contains(&"diet commitment"), "what was not here: {kinds:?}");
    let again = work.boundary_given("import - --json", lines.as_bytes()).ok().json();
    assert_eq!(again["taken"].as_array().map(Vec::len), Some(0), "what is here is not recorded again");
    let bad = lines.replacen("\"sig\":\"", "\"sig\":\"AAAA", 1);
    work.boundary_given("import -", bad.as_bytes()).ok().says("left: line 1");
}

#[test]
fn a_remote_of_the_imports_name_is_in_the_way() {
    let world = World::new();
    let (work, checker) = (&world.work, checker(&world));
    checker.check("allow");
    work.git("remote add imported ../server.git");
    import(work, &export(&checker, "HEAD --with-ledger")).ends_with(128).says("git remote rename imported");
}
