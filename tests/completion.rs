//! Claims that work is done: admissible as testimony, and no proof without a work receipt and evidence that the actor could not make.

use serde_json::Value;

use crate::support::{Work, World};

const GOOD: &str = r#"<testsuite name="all"><testcase classname="a" name="b"/></testsuite>"#;
const BAD: &str =
    r#"<testsuite name="all"><testcase classname="a" name="b"><failure>no</failure></testcase></testsuite>"#;

/// Work that was pushed and settled, and somebody who may give evidence.
fn pushed(work: &Work) {
    work.boundary("trust add ci --role evidence --new-key --key ada-l").ok();
    work.proposed_fix();
    work.boundary("push").ok();
}

/// Claims that the work on `HEAD` is done; gives the claim.
fn claim(work: &Work) -> String {
    let claimed = work.boundary("propose --completion --key codex --json").ok().json();
    claimed["id"].as_str().expect("a claim has an id").to_owned()
}

/// The codes of the decision about a claim.
fn codes(work: &Work, claim: &str) -> Vec<String> {
    let submitted = work.boundary(&format!("submit {claim} --json"));
    let json = submitted.json();
    let codes = json["answer"]["codes"].as_array().expect("a list").iter();
    codes.map(|code| code.as_str().expect("text").to_owned()).collect()
}

fn evidence(work: &Work, report: &str, more: &str) {
    work.write("report.xml", report);
    work.boundary(&format!("evidence add report.xml --key ci {more}")).ok();
}

#[test]
fn a_claim_with_a_receipt_and_independent_evidence_is_admitted() {
    let world = World::new();
    let work = &world.work;
    pushed(work);
    let bare = claim(work);
    let refused =
        work.boundary(&format!("submit {bare}")).ends_with(1).says("refused: evidence.completion_unsupported");
    assert!(
        refused.commands().iter().any(|command| command.starts_with("git boundary evidence add <file>")),
        "{refused}"
    );
    assert_eq!(codes(work, &bare), ["evidence.completion_unsupported"]);
    evidence(work, GOOD, "");
    let supported = claim(work);
    assert_ne!(bare, supported, "it names the evidence now");
    let admitted = work.boundary(&format!("submit {supported} --json")).ok().json();
    assert_eq!(admitted["decision"], "admitted");
    assert_eq!(claim(work), supported, "the same claim again is the same proposal");
    // It moves nothing, so that nothing of it is left to be done.
    let again = work.boundary(&format!("submit {supported}")).ok();
    again.says("\n  git boundary settle\n").never_says("git boundary push");
    work.boundary(&format!("read {supported}")).ok().never_says("outbox");
    work.boundary("settle").ok();
    work.boundary("settle").ok().says("Nothing that was admitted here is open");
    // Of the revision the change is meant.
    let change = work.boundary("submit --json").ok().json();
    assert_ne!(change["id"], admitted["id"]);
}

#[test]
fn a_claim_without_a_work_receipt_has_no_result() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    assert_eq!(codes(work, &claim(work)), ["result.receipt_missing"]);
    // Saying so is recorded, and is no proof.
    work.boundary("evidence assert done-and-dusted").ok();
    assert_eq!(codes(work, &claim(work)), ["evidence.completion_unsupported", "result.receipt_missing"]);
}

#[test]
fn a_receipt_of_what_did_not_happen_completes_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("submit").ok();
    work.git("config remote.origin.pushurl /nowhere/at/all");
    work.boundary("push").ends_with(1).says("expired");
    work.git("config --unset remote.origin.pushurl");
    assert_eq!(codes(work, &claim(work)), ["result.incomplete"]);
}

#[test]
fn anothers_receipt_is_none_of_the_actors() {
    let world = World::new();
    let work = &world.work;
    pushed(work);
    evidence(work, GOOD, "");
    let shown = work.boundary("show HEAD --json").ok().json();
    let records = shown["records"].as_array().expect("a list").iter();
    let receipt = records.rev().find(|one| one["kind"] == "work receipt").expect("there is one")["id"].clone();
    let receipt = receipt.as_str().expect("text").to_owned();
    let digest = work.boundary(&format!("show {receipt} --json")).ok().json()["records"][0]["digest"].clone();
    // Another agent proposes the same commit, and edits what it claims before it signs.
    work.boundary("trust add claude --role actor --new-key --key ada-l").ok();
    work.hand_out_with("--to claude --at main --path src");
    work.boundary("propose --ref refs/heads/agent/claude --key claude").ok();
    let draft = work.boundary("prepare --completion --key claude").ok().stdout;
    let mut json: Value = serde_json::from_str(&draft).expect("a draft is JSON");
    json["predicate"]["evidence"] = serde_json::json!([{ "digest": digest, "kind": "work_receipt" }]);
    let claimed = work.boundary_given("propose - --key claude --json", json.to_string().as_bytes()).ok().json();
    assert_eq!(codes(work, claimed["id"].as_str().expect("an id")), ["result.receipt_mismatch"]);
}

#[test]
fn evidence_that_fails_stands_until_the_same_domain_passes() {
    let world = World::new();
    let work = &world.work;
    pushed(work);
    evidence(work, BAD, "");
    assert_eq!(codes(work, &claim(work)), ["evidence.completion_unsupported"]);
    evidence(work, GOOD, "");
    assert_eq!(codes(work, &claim(work)), [] as [&str; 0]);
}

#[test]
fn a_contradicted_result_supports_nothing_until_that_is_resolved() {
    let world = World::new();
    let work = &world.work;
    pushed(work);
    evidence(work, GOOD, "");
    let shown = work.boundary("show HEAD --json").ok().json();
    let all = shown["records"].as_array().expect("a list").clone();
    let result = all.iter().find(|one| one["kind"] == "test result").expect("there is one")["id"].clone();
    let result = result.as_str().expect("text");
    work.boundary(&format!("contradict {result} --reason flaky --key ci")).ok();
    assert_eq!(codes(work, &claim(work)), ["evidence.contradicted"]);
    work.boundary(&format!("contradict {result} --resolve --key ci")).ok();
    assert_eq!(codes(work, &claim(work)), [] as [&str; 0]);
}

#[test]
fn a_policy_may_ask_for_more() {
    let world = World::new();
    let work = &world.work;
    let wants = "proofs = { count = 0 }\nevidence = [\"test_result\", \"corroborated\"]";
    work.policy(&[("proofs = { count = 0 }", wants)]);
    pushed(work);
    evidence(work, GOOD, "");
    assert_eq!(codes(work, &claim(work)), ["evidence.completion_unsupported"]);
    work.boundary("trust add audit --role evidence --new-key --key ada-l").ok();
    work.boundary("evidence observe it-answers --result passed --key audit").ok();
    assert_eq!(codes(work, &claim(work)), [] as [&str; 0]);
}

#[test]
fn settle_records_once_that_a_result_is_verified() {
    let world = World::new();
    let work = &world.work;
    pushed(work);
    work.boundary("settle").ok().never_says("verified by evidence");
    evidence(work, GOOD, "");
    work.boundary("settle");
    let events = || {
        let shown = work.boundary("show HEAD --json").ok().json();
        let all = shown["records"].as_array().expect("a list").clone();
        all.iter().filter(|one| one["summary"].as_str().is_some_and(|it| it.starts_with("verified art_"))).count()
    };
    assert_eq!(events(), 1);
    work.boundary("settle").ok();
    assert_eq!(events(), 1);
}
