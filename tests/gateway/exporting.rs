//! A session in one file for somebody else, and traces that are not as they were.

use std::path::{Path, PathBuf};

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::canonical;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::{Predicate, Statement, Subject};
use git_boundary::crypto::verified::sign_statement;
use git_boundary::ledger::root_of;
use git_boundary::model::digest::Digest;
use git_boundary::model::gateway::{Access, AccessRecord, SessionSeal};
use git_boundary::model::id::ArtifactId;
use serde_json::{Value, json};

use super::Gate;
use crate::bundles::{verify, verify_offline};
use crate::support::{Work, read};

/// Writes a session to a file outside every repository.
#[track_caller]
fn export(work: &Work, session: &str) -> PathBuf {
    let file = work.home.root().join("session.bundle");
    work.boundary(&format!("gateway trace {session} --output {}", file.display())).ok();
    file
}

#[track_caller]
fn by_json(gate: &Gate, file: &Path) -> Value {
    let root = gate.world.trust_root();
    verify_offline(&gate.world, file, &format!("--json --trust-root {root}")).json()
}

/// The seal and the subject of the one session on `HEAD`.
fn sealed(work: &Work) -> (SessionSeal, Subject) {
    let session = work.stored("HEAD", |artifact| matches!(artifact, Artifact::Session(_))).remove(0);
    let Some(Artifact::Session(it)) = read(&session) else { panic!("a session was asked for") };
    (it.predicate, it.subject.expect("it has one"))
}

/// Signs with the clone's own registrar and enters it on `HEAD`.
fn enter<P: Predicate>(work: &Work, predicate: P) -> Dsse {
    let (_, subject) = sealed(work);
    let signed = sign_statement(&Statement { predicate, subject: Some(subject) }, &work.registrar());
    let signed = signed.expect("it signs");
    work.record("HEAD", std::slice::from_ref(&signed));
    signed
}

/// Another session of the same agent, which has begun and done nothing.
fn begun(work: &Work) -> Dsse {
    let (seal, _) = sealed(work);
    enter(work, SessionSeal { token: Digest([9; 32]), ..seal })
}

#[test]
fn a_session_verifies_in_an_empty_directory_without_git() {
    let gate = Gate::set_up();
    gate.work().commit(&[("src/a.rs", "fn needle() {}\n")]);
    gate.calls(&[
        ("list_files", json!({})),
        ("read_file", json!({ "path": "src/a.rs" })),
        ("read_file", json!({ "path": "../x" })),
    ]);
    let (session, trace) = (gate.session(), gate.trace());
    let file = export(gate.work(), &session);
    let root = trace["root"].as_str().expect("the trace has its root");
    let ran = verify(&gate.world, &file).ok();
    ran.clone().says("verified as far as a bundle goes").says(root).says("3 calls, ended").says("parent_directory");
    ran.says("What a bundle leaves open").says("what the agent did by other ways");
    let answer = by_json(&gate, &file);
    assert_eq!(answer["verdict"], "verified_as_bundled", "never a bare \"verified\": {answer}");
    assert_eq!(answer["session"]["accesses"], trace["accesses"], "the same calls as in the repository");
    assert_eq!((&answer["session"]["root"], &answer["session"]["end"]), (&trace["root"], &trace["end"]), "{answer}");
    assert_eq!(answer["session"]["installation"], trace["installation"], "and what was installed");
    let written = std::fs::read_to_string(&file).expect("it was written");
    assert!(!written.contains("bmVlZGxl") && !written.contains("needle"), "no content in it");
    for same in [format!("gateway trace {session} --output -"), format!("export {session}")] {
        assert_eq!(gate.work().boundary(&same).ok().stdout, written, "{same}: the same file");
    }
}

#[test]
fn a_session_is_not_verified_against_another_root_or_without_a_session() {
    let gate = Gate::set_up();
    gate.calls(&[("list_files", json!({}))]);
    let file = export(gate.work(), &gate.session());
    let other = format!("--trust-root sha256:{}", "0".repeat(64));
    verify_offline(&gate.world, &file, &other).ends_with(1).says("the trust root is");
    let about = gate.trace()["seal"]["installation"].as_str().expect("it names one").to_owned();
    gate.work().boundary(&format!("gateway trace {about} --output -")).ends_with(129).says("is no session");
    gate.work().boundary("gateway trace --output x").ends_with(129);
}

#[test]
fn who_fetched_the_notes_exports_the_same_session() {
    let gate = Gate::set_up();
    gate.calls(&[("list_files", json!({}))]);
    gate.work().boundary("sync").ok();
    let reader = gate.world.joined("reader");
    reader.git("fetch -q");
    let session = gate.session();
    assert_eq!(
        std::fs::read(export(&reader, &session)).expect("it was written"),
        std::fs::read(export(gate.work(), &session)).expect("it was written"),
        "nothing of the machine is asked"
    );
}

#[test]
fn a_session_that_is_not_ended_is_said_not_to_be() {
    let gate = Gate::set_up();
    gate.calls(&[("list_files", json!({}))]);
    let running = begun(gate.work()).digest().to_string();
    let file = gate.work().home.root().join("session.bundle");
    gate.work()
        .boundary(&format!("gateway trace {running} --output {}", file.display()))
        .ok()
        .says("the session is not ended");
    verify(&gate.world, &file).ends_with(2).says("undecided").says("the session is not ended");
    assert_eq!(by_json(&gate, &file)["session"]["end"], "open", "in JSON as well");
}

#[test]
fn a_session_of_a_registrar_that_nobody_lists_is_its_own_word_alone() {
    let gate = Gate::new();
    let second = gate.world.joined("second");
    second.boundary("gateway setup generic --program /bin/true --argument {mcp}").ok();
    second.boundary("gateway launch generic").ok();
    let all = second.boundary("gateway trace --json").ok().json_lines();
    let session = all[0]["id"].as_str().expect("it has an id");
    second.boundary(&format!("gateway trace {session}")).ok().says("not listed").says("strength self");
    let file = export(&second, session);
    verify(&gate.world, &file).ends_with(2).says("undecided").says("strength self").says("does not list");
}

#[test]
fn what_a_call_commits_to_goes_along_with_what_speaks_about_it() {
    let gate = Gate::set_up();
    let work = gate.work();
    gate.calls(&[]);
    let handoff = work.hand_out();
    work.boundary(&format!("handoff revoke {handoff}")).ok();
    let named = work.stored("HEAD", |artifact| matches!(artifact, Artifact::Handoff(_))).remove(0).digest();
    let session = begun(work).digest();
    let call = Access {
        at: sealed(work).0.expires_at,
        operation: "workspace.request_action".to_owned(),
        outcome: "ok".to_owned(),
        path: None,
        request: Digest([1; 32]),
        result: Some(named),
        seq: 0,
        size: 0,
    };
    let root = Digest(root_of([canonical::to_vec(&call)]));
    enter(work, AccessRecord { accesses: vec![call], last: true, previous: None, root, session });
    let file = export(work, &session.to_string());
    let ran = verify(&gate.world, &file).ok();
    ran.says("handoff: call 0 is bound to it")
        .says("revocation: it speaks of what a call is bound to")
        .says("asked of each proposal");
    let answer = by_json(&gate, &file);
    assert_eq!(
        answer["artifacts"], 5,
        "installation, session, part, handoff and revocation, and nothing else: {answer}"
    );
    let about = answer["checks"]
        .as_array()
        .expect("a list")
        .iter()
        .any(|check| check["about"] == ArtifactId::of(&named).to_string());
    assert!(about, "by its id: {answer}");
}

#[test]
fn a_line_that_is_none_is_counted_and_shown_and_takes_nothing_away() {
    let gate = Gate::set_up();
    let work = gate.work();
    gate.calls(&[("list_files", json!({}))]);
    let (session, before) = (gate.session(), gate.trace());
    let mut lines = work.lines("HEAD");
    lines.push("{\"payload\":\"\u{1b}[31mgarbage\"}".to_owned());
    lines.push("not even that".to_owned());
    work.set_lines("HEAD", &lines);
    let after = gate.trace();
    assert_eq!(after["set_aside"].as_array().map(Vec::len), Some(2), "each is shown: {after}");
    for same in ["root", "end", "faults", "accesses"] {
        assert_eq!(after[same], before[same], "{same} stands without them");
    }
    let shown = work.boundary(&format!("gateway trace {session}")).ok().says("whole").says("set aside: ");
    assert!(!shown.stdout.contains('\u{1b}'), "strangers' words are escaped");
    let file = work.home.root().join("session.bundle");
    work.boundary(&format!("gateway trace {session} --output {}", file.display())).ok().says("2 lines");
    verify(&gate.world, &file).ok();
}

#[test]
fn a_ledger_that_was_rolled_back_is_named_by_every_trace() {
    let gate = Gate::set_up();
    let work = gate.work();
    gate.calls(&[("list_files", json!({}))]);
    let (first, kept) = (gate.session(), work.oid(&work.notes_ref()));
    // So that the two differ in time, by which the list is ordered.
    let second = begun(work).digest().to_string();
    work.boundary(&format!("gateway trace {second}")).ok();
    work.forget_fetched();
    work.git(&format!("update-ref {} {kept}", work.notes_ref()));
    work.boundary(&format!("gateway trace {first}")).ends_with(1).says("not whole").says("rolled back");
    work.boundary(&format!("gateway trace {second}")).ends_with(2).says("rolled back");
    work.boundary("gateway trace").ends_with(2).says("rolled back");
    work.boundary(&format!("gateway trace {first} --output -")).ends_with(2).says("rolled back");
}
