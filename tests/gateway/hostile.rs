//! What an agent, a stranger with a ref, or a careless place may do to a session.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::crypto::verified::sign_statement;
use git_boundary::model::digest::Digest;
use git_boundary::model::gateway::AccessRecord;
use serde_json::json;

use super::{Gate, refusal, text};
use crate::support::read;

#[test]
fn nobody_but_the_sessions_own_registrar_ends_or_adds_to_its_trace() {
    let gate = Gate::set_up();
    let work = gate.work();
    gate.calls(&[("list_files", json!({}))]);
    let whole = gate.trace();
    let session = work.stored("HEAD", |artifact| matches!(artifact, Artifact::Session(_))).remove(0);
    let Some(Artifact::Session(seal)) = read(&session) else { panic!("a session was asked for") };
    let Statement { predicate: seal, subject } = *seal;
    let Subject { commit, repository, tree } = subject.expect("it has one");
    let about = || Some(Subject { commit, repository, tree });
    let root = Digest(git_boundary::ledger::root_of(Vec::<Vec<u8>>::new()));
    let part = AccessRecord { accesses: Vec::new(), previous: None, root, session: session.digest(), last: true };
    for key in ["codex", "reviewer-bot"] {
        let signer = work.key(key);
        let empty =
            sign_statement(&Statement { predicate: part.clone(), subject: about() }, &signer).expect("it signs");
        let copy = sign_statement(&Statement { predicate: seal.clone(), subject: about() }, &signer).expect("it signs");
        work.record("HEAD", &[empty, copy]);
    }
    let after = gate.trace();
    assert_eq!(
        (&after["root"], &after["end"]),
        (&whole["root"], &whole["end"]),
        "others' words are no part of it: {after}"
    );
    assert_eq!(after["faults"].as_array().map(Vec::len), Some(0), "nor anything against it");
}

#[test]
fn what_must_not_be_seen_may_not_lie_where_an_agent_looks() {
    let gate = Gate::new();
    let work = gate.work();
    let inside = gate.work().dir.join("state");
    for variable in ["XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        let refused = work.with(variable, &inside).boundary("gateway setup generic --program /bin/true");
        assert_eq!(refused.status, 128, "{variable}: {refused}");
    }
    work.sh("git init -q --separate-git-dir=\"$PWD/meta\" .").ok();
    work.boundary("gateway setup generic --program /bin/true").ends_with(128).says("git's own directory");
}

#[test]
fn paths_of_any_length_leave_a_trace_that_can_be_read() {
    let gate = Gate::set_up();
    let long = format!("{}x", "a/".repeat(1900));
    let mut calls: Vec<_> = (0..300).map(|_| ("read_file", json!({ "path": long }))).collect();
    calls.push(("read_file", json!({ "path": "a".repeat(1_200_000) })));
    let answers = gate.calls(&calls);
    assert_eq!(refusal(&answers[0]), "not_found", "a legal path");
    assert_eq!(refusal(&answers[300]), "too_long", "and one that is none");
    let trace = gate.trace();
    assert_eq!(trace["accesses"].as_array().map(Vec::len), Some(301), "each is in the ledger");
    assert_eq!((trace["faults"].as_array().map(Vec::len), trace["end"].as_str()), (Some(0), Some("closed")), "whole");
    gate.calls(&[("list_files", json!({}))]);
}

#[test]
fn places_that_the_policy_keeps_back_are_not_told_by_any_answer() {
    let gate = Gate::set_up();
    gate.work().sh("mkdir -p secrets/customer && echo x > secrets/customer/a").ok();
    let paths = ["secrets/customer", "secrets/customer/a", "secrets/nobody", "secrets"];
    let calls: Vec<_> = paths.iter().map(|path| ("list_files", json!({ "path": path }))).collect();
    for answer in gate.calls(&calls) {
        assert_eq!(refusal(&answer), "policy_denied", "there or not: {answer}");
    }
    let all = gate.calls(&[("list_files", json!({}))]);
    assert!(!text(&all[0]).contains("customer"), "nor by a listing: {all:?}");
}

#[test]
fn launches_at_once_do_not_end_each_other() {
    let gate = Gate::set_up();
    gate.requests("");
    let launch = "git boundary gateway launch generic --no-publish > ../out.$n 2>&1; echo $? > ../end.$n";
    gate.work().sh(&format!("for n in 1 2 3 4; do ({launch}) & done; wait")).ok();
    for number in 1..=4 {
        let end = std::fs::read_to_string(gate.path(&format!("end.{number}"))).expect("it ended");
        let out = std::fs::read_to_string(gate.path(&format!("out.{number}"))).expect("it said something");
        assert_eq!(end.trim(), "7", "the client's own status: {out}");
    }
    gate.work().boundary("gateway doctor").ok();
}
