//! Evidence about a result: test results, observations, and an agent's own words.

use git_boundary::codec::artifact::Artifact;
use git_boundary::gate::checks::approval::action_digest;
use git_boundary::model::decision::{Disposition, ObservedUpdate, WorkReceipt};
use git_boundary::model::digest::Digest;
use git_boundary::model::id::ArtifactId;

use crate::support::{Work, World, now, read};

const JUNIT: &str = "<testsuites><testsuite name=\"s\"><testcase classname=\"a\" name=\"one\"/>\
                     <testcase classname=\"a\" name=\"two\"/></testsuite></testsuites>";

/// Work that was pushed, and an evidence producer.
fn pushed(world: &World) -> &Work {
    let work = &world.work;
    work.boundary("trust add ci-tests --role evidence --new-key").ok();
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    work
}

/// What the registrar of this clone says of the push of `HEAD`'s proposal.
fn receipt(work: &Work, disposition: Disposition) -> Digest {
    let stored = work.stored("HEAD", |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_)));
    let proposal = stored.last().expect("it is proposed");
    let Some(Artifact::EvidenceEnvelope(statement)) = read(proposal) else { unreachable!("it was looked for") };
    let action = statement.predicate.requested_action.expect("it asks for a push");
    let predicate = WorkReceipt {
        action_digest: action_digest(&action),
        actor: *statement.predicate.bindings.actor.value().expect("it has an actor"),
        at: now(),
        disposition,
        envelope: proposal.digest(),
        observed: ObservedUpdate { new: action.new, old: action.old, reference: action.reference },
        registrar: work.registrar_id(),
    };
    let line = work.sign_as_registrar("HEAD", predicate);
    work.record("HEAD", std::slice::from_ref(&line));
    line.digest()
}

/// The test results on `HEAD`.
fn results(work: &Work) -> Vec<git_boundary::model::test_result::TestResult> {
    let stored = work.stored("HEAD", |artifact| matches!(artifact, Artifact::TestResult(_)));
    stored
        .iter()
        .filter_map(read)
        .filter_map(|it| if let Artifact::TestResult(it) = it { Some(*it) } else { None })
        .collect()
}

#[test]
fn a_junit_file_becomes_a_signed_test_result_about_the_work_receipt() {
    let world = World::new();
    let work = pushed(&world);
    let about = receipt(work, Disposition::Complete);
    work.write("report.xml", JUNIT);
    let added = work.boundary("evidence add report.xml --key ci-tests --json").ok().json();
    assert_eq!(added["work_receipt"], about.to_string());
    assert_eq!(
        (added["shown"]["test_result"]["result"].as_str(), added["domain"].as_str()),
        (Some("PASSED"), Some("ci-tests"))
    );
    let found = results(work);
    assert_eq!((found[0].subjects.clone(), found[0].commits.len()), (vec![about], 0), "the receipt and nothing else");
    assert_eq!(found[0].passed, ["a.one", "a.two"]);
    let id = added["id"].as_str().expect("an id");
    work.boundary(&format!("show {id}")).ok().says("test result").says("ci-tests").says(&about.to_string());
    // The same file once more is another run, and stands at a place of its own.
    let again = work.boundary_given("evidence add - --key ci-tests", JUNIT.as_bytes()).ok();
    again.says("passed").never_says(id);
    let failing = JUNIT.replace("name=\"two\"/>", "name=\"two\"><failure/></testcase>");
    let failed = work.boundary_given("evidence add - --key ci-tests", failing.as_bytes()).ok();
    failed.says("a.two").says("failed");
    assert_eq!(results(work).len(), 3);
    assert_eq!(results(work).iter().filter(|result| result.passes()).count(), 2);
    work.boundary("doctor").ok();
}

#[test]
fn an_in_toto_statement_is_taken_where_it_is_about_this_work_and_nothing_else() {
    let world = World::new();
    let work = pushed(&world);
    let about = receipt(work, Disposition::Complete);
    let statement = |subjects: &str| {
        format!(
            "{{\"_type\":\"https://in-toto.io/Statement/v1\",\"predicateType\":\"https://in-toto.io/attestation/test-result/v0.1\",\
             \"predicate\":{{\"result\":\"PASSED\",\"passedTests\":[\"x\"],\"url\":\"https://ci.example/7\"}},\"subject\":[{subjects}]}}"
        )
    };
    let head = format!("{{\"digest\":{{\"gitCommit\":\"{}\"}}}}", work.head());
    let add = |text: &str| work.boundary_given("evidence add - --key ci-tests", text.as_bytes());
    add(&statement(&head)).ok();
    add(&statement(&format!("{{\"digest\":{{\"sha256\":\"{}\"}}}}", about.hex()))).ok();
    assert!(results(work).iter().all(|result| result.subjects == [about] && result.commits.is_empty()));
    let main = work.oid("main");
    let other = format!("{{\"digest\":{{\"gitCommit\":\"{main}\"}}}}");
    add(&statement(&other)).ends_with(129).says(&main).says(&work.head());
    add(&statement(&format!("{head},{other}"))).ends_with(129).says(&main);
    let build = "7".repeat(64);
    add(&statement(&format!("{{\"digest\":{{\"sha256\":\"{build}\"}}}}"))).ends_with(129).says(&build);
    add(&statement("{\"digest\":{\"sha512\":\"77\"}}")).ends_with(129).says("names neither");
    add(&statement("")).ends_with(129).says("no subject");
    add("{}").ends_with(129);
    assert_eq!(results(work).len(), 2, "what is refused is not recorded");
}

#[test]
fn a_file_that_proves_nothing_is_refused() {
    let world = World::new();
    let work = pushed(&world);
    receipt(work, Disposition::Complete);
    let add = |text: &str| work.boundary_given("evidence add - --key ci-tests", text.as_bytes());
    add("<testsuite/>").ends_with(129).says("no test case that ran").says("git boundary evidence add <file>");
    add("<testsuite failures='1'><testcase name='x'/></testsuite>").ends_with(129).says("counts 1 failed");
    add("<!DOCTYPE x [<!ENTITY y 'z'>]><testsuite><testcase name='&y;'/></testsuite>").ends_with(129).says("DTD");
    add(&JUNIT[..JUNIT.len() - 3]).ends_with(129);
    add("").ends_with(128).says("empty");
    let failed: String =
        (0..2_000).map(|at| format!("<testcase name='{}{at}'><failure/></testcase>", "n".repeat(600))).collect();
    add(&format!("<testsuite>{failed}</testsuite>")).ends_with(129).says("no failed test is left out");
    assert_eq!(results(work).len(), 0);
}

#[test]
fn evidence_is_signed_by_a_key_for_it_in_another_domain_than_the_actors() {
    let world = World::new();
    let work = pushed(&world);
    receipt(work, Disposition::Complete);
    work.write("report.xml", JUNIT);
    work.boundary("trust add codex-tests --role evidence --domain codex --new-key").ok();
    for command in ["add report.xml", "observe up --result passed"] {
        let ran = |key: &str| work.boundary(&format!("evidence {command}{key}"));
        ran("").ends_with(129).says("boundary.evidenceKey");
        ran(" --key ada-l").ends_with(129).says("not trusted for evidence");
        ran(" --key codex").ends_with(129).says("not trusted for evidence");
        ran(" --key codex-tests").ends_with(129).says("the actor's own word");
        work.git("config boundary.evidenceKey ci-tests");
        ran("").ok();
        work.git("config --unset boundary.evidenceKey");
    }
    work.boundary("trust revoke ci-tests").ok();
    work.boundary("evidence add report.xml --key ci-tests").ends_with(129).says("not trusted for evidence");
}

#[test]
fn evidence_is_about_one_complete_work_receipt() {
    let world = World::new();
    let work = pushed(&world);
    work.write("report.xml", JUNIT);
    let add = |more: &str| work.boundary(&format!("evidence add report.xml --key ci-tests{more}"));
    add("").ends_with(129).says("no work receipt").says("git boundary settle");
    let failed = receipt(work, Disposition::Failed);
    add("").ends_with(129).says("is failed, and not that it is complete");
    add(&format!(" --for {failed}")).ends_with(129).says("is failed, and not that it is complete");
    let first = receipt(work, Disposition::Complete);
    add("").ok();
    let line = work.stored(
        "HEAD",
        |artifact| matches!(artifact, Artifact::WorkReceipt(it) if it.predicate.disposition == Disposition::Complete),
    );
    let Some(Artifact::WorkReceipt(said)) = read(&line[0]) else { unreachable!("it was looked for") };
    let forged = WorkReceipt {
        observed: ObservedUpdate { reference: "refs/heads/x".to_owned(), ..said.predicate.observed.clone() },
        ..said.predicate.clone()
    };
    work.record("HEAD", &[work.sign("codex", "HEAD", forged)]);
    add("").ok().says(&ArtifactId::of(&first).to_string());
    let second = WorkReceipt {
        observed: ObservedUpdate { reference: "refs/heads/y".to_owned(), ..said.predicate.observed.clone() },
        ..said.predicate
    };
    let second = work.sign_as_registrar("HEAD", second);
    work.record("HEAD", std::slice::from_ref(&second));
    let id = ArtifactId::of(&second.digest());
    add("").ends_with(129).says("has 2 work receipts").says(&format!("--for {id}"));
    add(&format!(" --for {id}")).ok().says(&format!("work receipt {id}"));
    add(" --for main").ends_with(129).says("has no proposal here");
    let handoff = work.boundary("handoff list --json").ok().json_lines()[0]["id"].as_str().expect("an id").to_owned();
    add(&format!(" --for {handoff}")).ends_with(129).says("neither a proposal nor a work receipt");
}

#[test]
fn an_observation_is_evidence_and_said_again_in_the_same_words_is_no_new_one() {
    let world = World::new();
    let work = pushed(&world);
    let about = receipt(work, Disposition::Complete);
    let observe = |words: &str| work.boundary(&format!("evidence observe {words} --key ci-tests"));
    observe("healthy --result passed").ok().says("healthy").says(&ArtifactId::of(&about).to_string());
    observe("healthy --result failed").ok();
    observe("healthy --result passed").ends_with(129).says("is recorded already");
    observe("healthy").ends_with(129).says("--result");
    let stored =
        work.stored("HEAD", |artifact| matches!(artifact, Artifact::Observation(it) if it.predicate.subject == about));
    assert_eq!(stored.len(), 2);
}

#[test]
fn what_an_agent_says_of_its_work_is_the_next_event_and_counts_for_nothing() {
    let world = World::new();
    let work = pushed(&world);
    let said = work.boundary("evidence assert done --json").ok().json();
    let next = work.boundary("evidence assert really --json").ok().json();
    assert_eq!(next["seq"].as_u64(), said["seq"].as_u64().map(|seq| seq + 1), "one chain");
    let id = said["id"].as_str().expect("an id");
    let shown = work.boundary(&format!("show {id}")).ok();
    let asserted = shown.stdout.split("asserted").nth(1).expect("what is said stands apart");
    assert!(asserted.contains("done"), "{shown}");
    work.boundary("evidence assert done --for main").ends_with(129).says("has no proposal here");
    // It takes the place of no proof.
    work.push("origin agent/fix:main").refused("evidence.boundary_missing");
    work.boundary("doctor").ok();
}
