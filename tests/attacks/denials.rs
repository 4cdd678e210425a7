//! Denials that somebody would rather have nobody see.

use git_boundary::model::boundary_proof::CheckDecision;

use super::{Stranger, proof};
use crate::support::World;

#[test]
fn a_denial_stands_though_the_registrar_of_its_proposal_dropped_the_proposal() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add second --role checker --new-key").ok();
    work.hand_out();
    work.fix();
    let stranger = Stranger::of(work, "dropper");
    stranger.in_place_of_the_registrar(|| drop(work.propose()));
    work.check("deny");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
    let registrar = stranger.reference();
    for name in work.refs().into_keys().filter(|name| registrar.ends_with(name.rsplit('/').next().expect("a name"))) {
        work.git(&format!("update-ref -d {name}"));
    }
    work.propose();
    work.check_by("second", "allow");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

#[test]
fn a_denial_copied_into_a_note_that_is_read_before_stays_with_its_commit() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add second --role checker --new-key").ok();
    work.hand_out();
    work.git("switch -q -c agent/another");
    work.commit(&[("src/another.rs", "one\n")]);
    work.propose();
    work.push("origin agent/another").accepted();
    let read_first = work.commit(&[("src/another.rs", "two\n")]);
    work.propose();
    work.git("switch -q main");
    work.fix();
    work.propose();
    work.check("deny");
    work.check_by("second", "allow");
    let denial = proof(work, "HEAD", CheckDecision::Deny);
    Stranger::of(work, "copier").record(&[(work.id(&read_first), denial)]);
    // git tells the hook of agent/another first.
    let push = work.push("origin agent/another agent/fix:main").refused("policy.decision_denied");
    let refused: Vec<String> = push.answers().into_iter().map(|answer| answer.reference).collect();
    assert_eq!(refused, ["refs/heads/main"], "what was copied onto a commit is not about it");
}

#[test]
fn an_order_of_entries_in_a_ledger_of_ones_own_dates_no_decision() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.check("deny");
    let (allow, deny) = (proof(work, "HEAD", CheckDecision::Allow), proof(work, "HEAD", CheckDecision::Deny));
    for name in ["first", "second", "third"] {
        let (tip, deny, allow) = (work.id("HEAD"), deny.clone(), allow.clone());
        Stranger::of(work, name).record(&[(tip, deny), (tip, allow)]);
    }
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

#[test]
fn what_somebody_writes_that_a_checker_decided_is_not_counted_as_its_decision() {
    use git_boundary::codec::treeship::RECEIPT_PAYLOAD_TYPE;
    use git_boundary::crypto::verified::sign;

    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check("deny");
    let denial = proof(work, "HEAD", CheckDecision::Deny);
    let text = String::from_utf8(denial.payload).expect("payloads are text").replace("\"deny\"", "\"allow\"");
    let allow = sign(RECEIPT_PAYLOAD_TYPE, text.into_bytes(), &work.key("codex")).expect("a key in memory signs");
    work.record("HEAD", &[allow]);
    let audit = work.boundary("audit --json").ok().json();
    assert_eq!(audit["checkers"]["reviewer-bot"]["allow"], serde_json::Value::Null, "it never allowed: {audit}");
    assert_eq!(audit["checkers"]["reviewer-bot"]["deny"], 1, "it denied: {audit}");
    let log = work.boundary("log --checker reviewer-bot --decision allow --json").ok();
    assert_eq!(log.json_lines().len(), 0, "nothing of its own says allow: {log}");
}
