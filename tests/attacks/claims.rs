//! Claims that work is done, beside receipts and words of those whose word does not count.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::verified::sign_statement;
use git_boundary::crypto::{Signer as _, key_id};
use git_boundary::model::asserted::Asserted;
use git_boundary::model::decision::{Contradiction, ContradictionState};

use super::Stranger;
use crate::support::{Work, World, read};

const GOOD: &str = r#"<testsuite name="all"><testcase classname="a" name="b"/></testsuite>"#;

/// Work that was pushed and settled, and somebody who may give evidence.
fn pushed(work: &Work) {
    work.boundary("trust add ci --role evidence --new-key --key ada-l").ok();
    work.proposed_fix();
    work.boundary("push").ok();
}

fn claim(work: &Work) -> String {
    let claimed = work.boundary("propose --completion --key codex --json").ok().json();
    claimed["id"].as_str().expect("a claim has an id").to_owned()
}

/// The stranger's copy of the work receipt on `HEAD`, about another ref, with a digest before that of any other.
fn receipts_about(stranger: &Stranger<'_>, reference: &str) {
    let work = stranger.work;
    let honest = work.stored("HEAD", |artifact| matches!(artifact, Artifact::WorkReceipt(_))).remove(0);
    let Some(Artifact::WorkReceipt(statement)) = read(&honest) else { panic!("it is a receipt") };
    let Statement { mut predicate, subject } = *statement;
    predicate.registrar = key_id(&stranger.key.public_key());
    reference.clone_into(&mut predicate.observed.reference);
    let line = loop {
        let statement = Statement { predicate: predicate.clone(), subject: subject.clone() };
        let line = sign_statement(&statement, &stranger.key).expect("a key in memory signs");
        if line.digest() < honest.digest() {
            break line;
        }
        predicate.at = predicate.at.plus(1);
    };
    stranger.record(&[(work.id("HEAD"), line)]);
}

#[test]
fn a_receipt_of_nobodys_key_takes_no_claim_to_a_ref_without_rules() {
    let world = World::new();
    let work = &world.work;
    pushed(work);
    receipts_about(&Stranger::of(work, "elsewhere"), "refs/heads/topic");
    let bare = claim(work);
    work.boundary(&format!("submit {bare}")).ends_with(1).says("refused: evidence.completion_unsupported");
}

#[test]
fn who_signs_a_contradiction_along_can_not_resolve_it() {
    let world = World::new();
    let work = &world.work;
    pushed(work);
    work.write("report.xml", GOOD);
    work.boundary("evidence add report.xml --key ci").ok();
    let result = work.stored("HEAD", |artifact| matches!(artifact, Artifact::TestResult(_))).remove(0).digest();
    work.boundary(&format!("contradict {result} --reason flaky --key ci")).ok();
    let open = work.stored("HEAD", |artifact| matches!(artifact, Artifact::Contradiction(_))).remove(0);
    let Some(Artifact::Contradiction(statement)) = read(&open) else { panic!("it is a contradiction") };
    let along = sign_statement(&*statement, &work.key("codex")).expect("a key in memory signs");
    assert_eq!(along.digest(), open.digest());
    let resolved = Contradiction {
        asserted: Asserted::one("reason", "not at all"),
        material: true,
        state: ContradictionState::Resolved,
        target: result,
    };
    let resolved = work.sign("codex", "HEAD", resolved);
    work.record("HEAD", &[along, resolved]);
    let claim = claim(work);
    work.boundary(&format!("submit {claim}")).ends_with(1).says("refused: evidence.contradicted");
}

#[test]
fn a_claim_is_no_update_that_could_be_open() {
    let world = World::new();
    let work = &world.work;
    pushed(work);
    work.write("report.xml", GOOD);
    work.boundary("evidence add report.xml --key ci").ok();
    let claim = claim(work);
    work.boundary(&format!("submit {claim}")).ok();
    work.boundary("settle").ok();
    work.boundary("settle").ok().says("Nothing that was admitted here is open");
}

#[test]
fn work_that_landed_where_others_build_on_is_claimed() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add ci --role evidence --new-key --key ada-l").ok();
    work.hand_out();
    work.fix();
    work.boundary("propose --ref refs/heads/main --key codex").ok();
    work.check("allow");
    work.git("switch -q main");
    work.git("merge -q --ff-only agent/fix");
    work.boundary("push origin main").ok().says("complete");
    work.write("report.xml", GOOD);
    work.boundary("evidence add report.xml --key ci").ok();
    let claim = claim(work);
    work.boundary(&format!("submit {claim}")).ok();
}

#[test]
fn a_claim_that_work_is_done_covers_no_push_and_asks_for_none() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let draft = work.boundary("prepare --key codex").ok().stdout;
    let mut json: serde_json::Value = serde_json::from_str(&draft).expect("a draft is JSON");
    json["predicate"]["claim"]["kind"] = "completion".into();
    let claimed = work.boundary_given("propose - --key codex --json", json.to_string().as_bytes()).ok().json();
    work.push("origin agent/fix").refused("context.receipt_missing");
    let id = claimed["id"].as_str().expect("an id");
    work.boundary(&format!("submit {id}")).ends_with(1).says("policy.action_forbidden");
    work.push("origin agent/fix:main").refused("context.receipt_missing");
}
