//! What is exported verifies where there is nothing, and says what it leaves open.

use super::{export, verify, verify_offline};
use crate::support::{Work, World};

/// The id of the proof on `HEAD`.
fn proof(work: &Work) -> String {
    let log = work.boundary("log HEAD --json").ok().json_lines();
    let one = log.iter().find(|one| one["kind"] == "boundary proof").expect("there is a proof");
    one["id"].as_str().expect("it has an id").to_owned()
}

#[test]
fn a_proof_verifies_in_an_empty_directory_without_git() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let file = export(work, &proof(work));
    let ran = verify(&world, &file).ok();
    ran.clone().says("verified as far as a bundle goes").says("it says").says("allow");
    ran.clone().says("What a bundle leaves open").says("denied or revoked after the checkpoints");
    ran.says("recomputed here").says("diff");
}

#[test]
fn an_envelope_verifies_with_its_life() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    let file = export(work, "HEAD");
    verify(&world, &file).ok().says("one unbroken chain").says("verified as far as a bundle goes");
}

#[test]
fn a_range_verifies_commit_by_commit() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    let file = export(work, "main..agent/fix --ref main");
    verify(&world, &file).ok().says("covered").says("whether these are all the commits");
    let by_json = verify_offline(&world, &file, &format!("--json --trust-root {}", world.trust_root())).ok().json();
    assert_eq!(by_json["verdict"], "verified_as_bundled", "the word is never a bare \"verified\"");
    assert_eq!(by_json["commits"][0]["status"], "covered", "each commit is told");
}

#[test]
fn nothing_is_verified_against_the_root_that_the_file_brings() {
    let world = World::new();
    world.work.proven_fix();
    let file = export(&world.work, "HEAD");
    verify_offline(&world, &file, "").ends_with(129).says("--trust-root");
    let other = format!("--trust-root sha256:{}", "0".repeat(64));
    verify_offline(&world, &file, &other).ends_with(1).says("the trust root is");
    world.work.boundary(&format!("verify HEAD {other}")).ends_with(1).says("the trust root is");
}

#[test]
fn the_pin_of_the_repository_around_is_as_good_as_a_named_one() {
    let world = World::new();
    world.work.proven_fix();
    let file = export(&world.work, "HEAD");
    world.work.boundary(&format!("verify --bundle {}", file.display())).ok().says("boundary.trustRoot");
}

#[test]
fn a_trust_version_below_the_least_one_is_a_rollback() {
    let world = World::new();
    world.work.proven_fix();
    let file = export(&world.work, "HEAD");
    let root = world.trust_root();
    let version = world.work.boundary("trust show --json").ok().json()["version"].as_u64().expect("it has a version");
    verify_offline(&world, &file, &format!("--trust-root {root} --min-trust-version {version}")).ok();
    let ran = verify_offline(&world, &file, &format!("--trust-root {root} --min-trust-version {}", version + 1));
    // As in a repository: nothing is held against anyone, and nothing is verified.
    ran.ends_with(2).says("undecided").says("at least");
}

#[test]
fn an_envelope_without_the_proofs_that_its_rule_wants_is_refused() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let file = export(work, "HEAD");
    let root = world.trust_root();
    verify(&world, &file).ok();
    let ran = verify_offline(&world, &file, &format!("--trust-root {root} --ref main"));
    ran.ends_with(1).says("evidence.boundary_missing");
}

#[test]
fn a_denial_is_shown_as_one_and_stands_against_the_proposal() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check("deny");
    verify(&world, &export(work, &proof(work))).ok().says("deny").says("seen beside it");
    verify(&world, &export(work, "HEAD")).ends_with(1).says("policy.decision_denied");
}

#[test]
fn a_revoked_handoff_goes_along_and_is_judged_as_in_the_repository() {
    let world = World::new();
    let work = &world.work;
    let handoff = work.hand_out();
    work.fix();
    work.propose();
    let before = export(work, "HEAD");
    verify(&world, &before).ok();
    work.boundary(&format!("handoff revoke {handoff}")).ok();
    work.boundary("verify agent/fix").ok();
    verify(&world, &export(work, "HEAD")).ok();
    let later = work.commit(&[("src/lib.rs", "// after the revocation\n")]);
    assert_eq!(later, work.head(), "there is something new to propose");
    work.boundary("propose --key codex");
    work.boundary("verify agent/fix").ends_with(1).says("authority.lease_revoked");
    verify(&world, &export(work, "HEAD")).ends_with(1).says("authority.lease_revoked");
}

#[test]
fn a_commit_that_no_proposal_speaks_for_leaves_the_range_open() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.commit(&[("src/lib.rs", "// nobody proposed this\n")]);
    let ran = verify(&world, &export(work, "main..agent/fix"));
    ran.ends_with(2).says("no proposal in the bundle speaks for");
}

#[test]
fn a_registrar_that_nobody_listed_carries_lines_with_its_own_key() {
    let world = World::new();
    world.work.proposed_fix();
    world.work.push("origin agent/fix").accepted();
    let joined = world.joined("checker");
    joined.git("fetch -q");
    joined.git("switch -q agent/fix");
    joined.check("allow");
    let file = export(&joined, "HEAD");
    verify(&world, &file).says("not listed").ok();
}

#[test]
fn the_envelopes_are_one_line_each() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let lines = work.boundary("export HEAD --format in-toto").ok().json_lines();
    assert!(lines.len() >= 5, "handoff, context receipt, proposal, commitment and proof go along");
    for line in &lines {
        assert!(line["payloadType"].is_string() && line["signatures"].is_array(), "each line is a DSSE envelope");
    }
}

#[test]
fn a_summary_passes_only_what_is_verified() {
    use base64::Engine as _;
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let payload = |text: &str| -> serde_json::Value {
        let envelope: serde_json::Value = serde_json::from_str(text).expect("it is one envelope");
        let payload = envelope["payload"].as_str().expect("it has a payload");
        let bytes = base64::prelude::BASE64_STANDARD.decode(payload).expect("it is base64");
        serde_json::from_slice(&bytes).expect("it is a statement")
    };
    let ran = work.boundary("export main..agent/fix --ref main --format slsa-vsa").ends_with(1);
    assert_eq!(payload(&ran.stdout)["predicate"]["verificationResult"], "FAILED", "what is refused did not pass");
    work.check("allow");
    let ran = work.boundary("export main..agent/fix --ref main --format slsa-vsa").ok();
    let said = payload(&ran.stdout);
    assert_eq!(said["predicateType"], "https://slsa.dev/verification_summary/v1", "it is SLSA's statement");
    assert_eq!(said["predicate"]["verificationResult"], "PASSED", "what is verified passed");
    assert_eq!(said["predicate"]["verifiedLevels"][0], "GIT_BOUNDARY_COVERED", "SLSA's own names are not taken");
    assert_eq!(said["subject"][0]["digest"]["gitCommit"], work.head().as_str(), "it is about the tip");
    let undecided = work.boundary("export main..main --format slsa-vsa").ends_with(2);
    assert!(undecided.stdout.is_empty(), "what is undecided is no summary");
}

#[test]
fn a_persons_proposal_speaks_for_nothing_that_lay_under_it_when_it_was_made() {
    let world = World::new();
    let work = &world.work;
    let before = work.head();
    work.commit(&[("src/lib.rs", "// nobody proposed this\n")]);
    work.git("push -q --no-verify origin main");
    work.git("fetch -q");
    work.commit(&[("src/main.rs", "// my own\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    let range = format!("{before}..main");
    work.boundary(&format!("verify {range} --ref main")).ends_with(1).says("context.receipt_missing");
    let file = work.home.root().join("exported");
    let exported = work.boundary(&format!("export {range} --ref main --output {}", file.display())).ok();
    exported.says("does not verify here");
    let ran = verify(&world, &file).ends_with(2);
    ran.says("no proposal in the bundle speaks for");
}

#[test]
fn merged_work_of_two_proposals_is_each_ones_own() {
    let world = World::new();
    let work = &world.work;
    let before = work.head();
    work.proven_fix();
    let fixed = work.head();
    work.git("switch -q main");
    work.git("merge -q --ff-only agent/fix");
    work.push("origin main").accepted();
    work.git("fetch -q");
    let own = work.commit(&[("README", "my own\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    work.boundary(&format!("verify {before}..main --ref main")).ok();
    let ran = verify(&world, &export(work, &format!("{before}..main --ref main"))).ok();
    let line = |oid: &str| ran.stdout.lines().find(|line| line.starts_with(&oid[..12])).map(str::to_owned);
    let (fixed, own) = (line(&fixed).expect("it is listed"), line(&own).expect("it is listed"));
    let proposal = |line: &str| line.split_whitespace().last().map(str::to_owned);
    assert_ne!(proposal(&fixed), proposal(&own), "each commit is its own proposal's: {ran}");
}
