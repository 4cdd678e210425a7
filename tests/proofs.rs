//! Who may check, what they must have read, and what their decisions do.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::canonical::digest_of;
use git_boundary::codec::treeship::{NewBoundary, RECEIPT_PAYLOAD_TYPE, write};
use git_boundary::crypto::verified::sign;
use git_boundary::gate::proof::diet_root;
use git_boundary::model::asserted::Asserted;
use git_boundary::model::boundary_proof::{CheckDecision, ProvenBoundary};
use git_boundary::model::diet::{DietCommitment, DietEntry};
use git_boundary::model::id::ArtifactId;

use crate::support::{Work, World, now, read};

#[test]
fn a_checker_in_the_actors_domain_is_not_independent() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add pal --role checker --domain codex --new-key").ok();
    work.proposed_fix();
    work.check_by("pal", "allow");
    let refused = work.push("origin agent/fix:main").refused("identity.not_independent");
    refused.says("domain \"codex\"").followed_in(work);
}

#[test]
fn the_actors_own_key_is_no_checker() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add codex --role checker").ok();
    work.proposed_fix();
    work.check_by("codex", "allow");
    work.push("origin agent/fix:main").refused("identity.not_independent").says("one raw key");
}

#[test]
fn the_actors_key_under_a_second_name_is_the_same_party() {
    let world = World::new();
    let work = &world.work;
    for half in ["", ".pub"] {
        let (from, to) = (work.home.key_path(&format!("codex{half}")), work.home.key_path(&format!("inspector{half}")));
        std::fs::copy(from, to).expect("the home is writable");
    }
    // One raw key keeps its one place; whatever the owner calls it.
    work.boundary("trust add inspector --role checker").ok().says("codex (key_").says("in domain \"codex\"");
    work.proposed_fix();
    work.check_by("inspector", "allow");
    work.push("origin agent/fix:main").refused("identity.not_independent").says("one raw key");
}

#[test]
fn the_actors_key_under_an_alias_is_the_same_party() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add codex --role checker --alias 0123456789abcdef").ok();
    work.proposed_fix();
    let committed = commitment(work, "codex");
    let places = work.record("HEAD", &[work.sign("codex", "HEAD", committed.clone())]);
    let proof = ProvenBoundary { checker: "0123456789abcdef".to_owned(), ..proven(work, &committed, places[0]) };
    work.record("HEAD", &[signed(work, "codex", proof)]);
    work.push("origin agent/fix:main").refused("identity.not_independent").says("one raw key");
}

#[test]
fn a_checker_that_nobody_trusts_counts_for_nothing() {
    let world = World::new();
    let work = &world.work;
    work.boundary("key new stranger").ok();
    work.proposed_fix();
    let begun = work.boundary("check begin --input diff --key stranger").ends_with(129);
    begun.says("the trust document does not hold").says("trust add");
    let committed = commitment(work, "stranger");
    let places = work.record("HEAD", &[work.sign("stranger", "HEAD", committed.clone())]);
    work.record("HEAD", &[signed(work, "stranger", proven(work, &committed, places[0]))]);
    work.push("origin agent/fix:main").refused("identity.key_untrusted").followed_in(work);
}

#[test]
fn a_key_that_is_trusted_for_something_else_counts_for_nothing_as_checker() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add ci --role evidence --new-key").ok();
    work.proposed_fix();
    work.check_by("ci", "allow");
    work.push("origin agent/fix:main").refused("identity.key_untrusted").says("not trusted as checker");
}

#[test]
fn a_checker_that_was_revoked_counts_for_nothing_from_then_on() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("trust revoke reviewer-bot").ok();
    work.later(60).boundary("check begin --input diff --key reviewer-bot").ok();
    work.later(60).boundary("check decide allow --key reviewer-bot").ok();
    let oid = work.head();
    let line = format!("x {oid} refs/heads/main {}\n", work.oid("origin/main"));
    work.later(120).hook(&line).ends_with(1).says("refused: identity.key_revoked");
}

#[test]
fn a_class_of_input_that_is_not_permitted_spoils_the_proof() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check_reading("reviewer-bot", "--input diff --input chat_transcript=README", "allow");
    let refused = work.push("origin agent/fix:main").refused("policy.input_class_forbidden");
    refused.says("chat_transcript").followed_in(work);
}

#[test]
fn a_required_class_of_input_that_was_not_read_spoils_the_proof() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check_reading("reviewer-bot", "--input test_result=README", "allow");
    work.push("origin agent/fix:main").refused("policy.input_class_forbidden").says("required class \"diff\"");
}

#[test]
fn a_diff_other_than_the_proposals_is_recomputed_and_refused() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.check_reading("reviewer-bot", "--input diff=README", "allow");
    work.push("origin agent/fix:main").refused("evidence.boundary_invalid").says("the diff that was read");
}

#[test]
fn a_commit_amended_after_the_check_has_no_proposal_and_then_no_proof() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.write("src/main.rs", "fn main() { changed() }\n");
    work.git("commit -q -a --amend -m amended");
    work.push("origin agent/fix:main").refused("context.receipt_missing").followed_in(work);
    work.propose();
    work.push("origin agent/fix:main").refused("evidence.boundary_missing");
}

#[test]
fn an_amended_message_alone_is_another_commit() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let source = format!("about {}, whose receipts", &work.head()[..12]);
    work.git("commit -q --amend -m reworded");
    work.push("origin agent/fix:main").refused("context.receipt_missing").says(&source);
    work.propose();
    work.push("origin agent/fix:main").refused("evidence.boundary_missing");
}

#[test]
fn a_commitment_that_stands_after_its_proof_froze_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let committed = commitment(work, "reviewer-bot");
    // The next place is the proof's own, the one after it the commitment's.
    let line = work.sign("reviewer-bot", "HEAD", committed.clone());
    let next = work.record("HEAD", &[work.sign("reviewer-bot", "HEAD", other(&committed))])[0] + 1;
    let proof = signed(work, "reviewer-bot", proven(work, &committed, next + 1));
    assert_eq!(work.record("HEAD", &[proof, line]), [next, next + 1], "the proof stands before its commitment");
    work.push("origin agent/fix:main").refused("evidence.boundary_invalid").says("after the proof").followed_in(work);
}

#[test]
fn a_proof_anchored_in_a_commitment_of_another_diet_is_invalid() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let committed = commitment(work, "reviewer-bot");
    let places = work.record("HEAD", &[work.sign("reviewer-bot", "HEAD", other(&committed))]);
    work.record("HEAD", &[signed(work, "reviewer-bot", proven(work, &committed, places[0]))]);
    work.push("origin agent/fix:main").refused("evidence.boundary_invalid").says("another diet");
}

#[test]
fn a_proof_anchored_in_nothing_is_invalid() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let committed = commitment(work, "reviewer-bot");
    work.record("HEAD", &[signed(work, "reviewer-bot", proven(work, &committed, 9999))]);
    work.push("origin agent/fix:main").refused("evidence.boundary_invalid").says("no commitment stands");
}

#[test]
fn a_proof_made_by_hand_as_the_program_would_passes() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let committed = commitment(work, "reviewer-bot");
    let places = work.record("HEAD", &[work.sign("reviewer-bot", "HEAD", committed.clone())]);
    work.record("HEAD", &[signed(work, "reviewer-bot", proven(work, &committed, places[0]))]);
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn a_proof_under_a_policy_that_is_no_longer_in_force_does_not_count() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.policy(&[("lease = \"8h\"", "lease = \"4h\"")]);
    work.push("origin agent/fix:main").refused("policy.digest_mismatch").followed_in(work);
}

#[test]
fn a_policy_that_accepts_the_one_before_does_not_kill_work_in_flight() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let before = work.boundary("policy show --json").ok().json()["digest"].as_str().expect("it has one").to_owned();
    work.policy(&[("lease = \"8h\"", "lease = \"4h\""), ("accept = []", &format!("accept = [\"{before}\"]"))]);
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn two_proofs_from_two_domains_are_wanted_where_the_rule_says_so() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add second-bot --role checker --new-key").ok();
    work.boundary("trust add third-bot --role checker --domain second-bot --new-key").ok();
    work.policy(&[("proofs = { count = 1, domains = 1", "proofs = { count = 2, domains = 2")]);
    work.proposed_fix();
    work.check_by("second-bot", "allow");
    work.check_by("third-bot", "allow");
    work.push("origin agent/fix:main").refused("evidence.boundary_missing").says("2 counting proofs from 1 domain;");
    work.check("allow");
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn an_anchor_in_the_actors_own_domain_is_too_weak_where_the_rule_wants_another() {
    let world = World::new();
    let work = &world.work;
    work.policy(&[("strength = \"self\" }", "strength = \"other\" }")]);
    work.proven_fix();
    // The clone that made the trust document has its registrar in a domain of its own.
    work.push("origin agent/fix:main").accepted();
    let second = world.joined("second");
    second.git("switch -q -c agent/more origin/main");
    second.commit(&[("src/more.rs", "more\n")]);
    second.boundary("propose --key codex").ok();
    second.check("allow");
    second.push("origin agent/more:main").refused("evidence.boundary_invalid").says("strength self");
}

/// A commitment as `check begin --input diff` makes it.
fn commitment(work: &Work, checker: &str) -> DietCommitment {
    work.boundary("trust add pattern --role checker --new-key").ok();
    work.boundary("check begin --input diff --key pattern").ok();
    let lines = work.stored("HEAD", |artifact| matches!(artifact, Artifact::DietCommitment(_)));
    let Some(Artifact::DietCommitment(statement)) = lines.last().and_then(read) else { panic!("one was made") };
    DietCommitment { checker: work.key_id(checker), nonce: "0".repeat(32), ..statement.predicate }
}

/// The same with one more input.
fn other(committed: &DietCommitment) -> DietCommitment {
    let mut diet = committed.diet.clone();
    diet.push(DietEntry { digest: digest_of(&"another input"), class: "test_result".to_owned() });
    DietCommitment { diet_root: diet_root(&diet), diet, nonce: "1".repeat(32), ..committed.clone() }
}

/// What an allowing proof over a commitment says.
fn proven(work: &Work, committed: &DietCommitment, index: u64) -> ProvenBoundary {
    let registrar = work.notes_ref().rsplit('/').next().expect("a ref has a name").to_owned();
    ProvenBoundary {
        actor: work.key_id("codex").to_string(),
        anchor: format!("merkle://git-boundary/{}/{registrar}#{index}", work.repository_id()),
        checker: committed.checker.to_string(),
        decision: CheckDecision::Allow,
        diet: committed.diet.clone(),
        diet_root: committed.diet_root,
        policy: committed.policy,
        subject_ref: ArtifactId::of(&committed.subject).to_string(),
    }
}

fn signed(work: &Work, label: &str, proven: ProvenBoundary) -> git_boundary::codec::dsse::Dsse {
    let payload = write(&NewBoundary {
        proven,
        asserted: Asserted::none(),
        checker_label: label.to_owned(),
        actor_label: "codex".to_owned(),
        committed: now(),
        signed: now(),
    });
    sign(RECEIPT_PAYLOAD_TYPE, payload, &work.key(label)).expect("a key in memory signs")
}
