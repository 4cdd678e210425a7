//! Proposals that their actor signed, and that lie.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::treeship::RECEIPT_PAYLOAD_TYPE;
use git_boundary::crypto::verified::sign;
use git_boundary::model::boundary_proof::CheckDecision;
use git_boundary::model::context::ContextReceipt;
use git_boundary::model::fact::Fact;

use super::{Stranger, check_proposal, forged, id, proof};
use crate::support::{Work, World, now, read};

#[test]
fn a_base_tree_that_makes_the_diff_empty_is_found_out() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let tree = work.id("HEAD^{tree}");
    let lie = forged(work, "HEAD", &["codex"], |envelope| envelope.change.base_tree = tree);
    work.record("HEAD", std::slice::from_ref(&lie));
    check_proposal(work, &id(&lie), "reviewer-bot", "allow");
    work.push("origin agent/fix:main").refused("evidence.digest_mismatch");
}

#[test]
fn a_proof_of_a_lying_version_does_not_count_for_the_honest_next_one() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let tree = work.id("HEAD^{tree}");
    let lie = forged(work, "HEAD", &["codex"], |envelope| envelope.change.base_tree = tree);
    work.record("HEAD", std::slice::from_ref(&lie));
    check_proposal(work, &id(&lie), "reviewer-bot", "allow");
    let digest = lie.digest();
    let next = forged(work, "HEAD", &["codex"], |envelope| {
        envelope.change.base_tree = work.id("main^{tree}");
        (envelope.version, envelope.predecessor) = (2, Some(digest));
    });
    work.record("HEAD", &[next]);
    let refused = work.push("origin agent/fix:main");
    assert_eq!(refused.hook, Some(1), "a checker that was shown an empty diff has checked nothing: {}", refused.ran);
}

#[test]
fn a_start_other_than_the_pin_is_found_out() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let (first, tree) = (work.id("HEAD"), work.id("HEAD^{tree}"));
    work.commit(&[("src/main.rs", "fn main() { more() }\n")]);
    work.propose();
    let lie = forged(work, "HEAD", &["codex"], |envelope| {
        envelope.bindings.source_expected = Fact::known(first, "anywhere", now());
        envelope.change.base_tree = tree;
    });
    work.record("HEAD", std::slice::from_ref(&lie));
    check_proposal(work, &id(&lie), "reviewer-bot", "allow");
    let refused = work.push("origin agent/fix:main");
    assert_eq!(refused.hook, Some(1), "only part of the change was checked: {}", refused.ran);
}

#[test]
fn a_co_signer_of_another_domain_does_not_stand_in_for_the_actor() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add pal --role checker --domain codex --new-key").ok();
    work.boundary("trust add outsider --role actor --new-key").ok();
    work.proposed_fix();
    let signed = forged(work, "HEAD", &["codex", "outsider"], |envelope| envelope.idempotency_key = "twice".to_owned());
    work.record("HEAD", std::slice::from_ref(&signed));
    check_proposal(work, &id(&signed), "pal", "allow");
    let honest = proof(work, "HEAD", CheckDecision::Allow);
    let (codex, outsider) = (work.key_id("codex").to_string(), work.key_id("outsider").to_string());
    let text = String::from_utf8(honest.payload).expect("payloads are text").replace(&codex, &outsider);
    let lie = sign(RECEIPT_PAYLOAD_TYPE, text.into_bytes(), &work.key("pal")).expect("a key in memory signs");
    work.record("HEAD", &[lie]);
    let refused = work.push("origin agent/fix:main");
    assert_eq!(refused.hook, Some(1), "the checker is in the domain of whoever proposes: {}", refused.ran);
}

/// A context receipt with another base, signed by a registrar of one's own.
fn receipt_with_base(work: &Work, stranger: &Stranger<'_>, base: &str) -> Dsse {
    receipt_with(work, stranger, base, None)
}

/// The same with another ref, too.
fn receipt_with(work: &Work, stranger: &Stranger<'_>, base: &str, reference: Option<&str>) -> Dsse {
    use git_boundary::codec::in_toto::Statement;
    use git_boundary::crypto::verified::sign_statement;

    let stored = work.stored("HEAD", |artifact| matches!(artifact, Artifact::ContextReceipt(_)));
    let Some(Artifact::ContextReceipt(statement)) = stored.last().and_then(read) else {
        panic!("a proposal has its receipt");
    };
    let Statement { mut predicate, subject }: Statement<ContextReceipt> = *statement;
    predicate.snapshot.base.oid = Some(work.id(base));
    if let Some(reference) = reference {
        predicate.snapshot.base.reference = reference.to_owned();
    }
    sign_statement(&Statement { predicate, subject }, &stranger.key).expect("a key in memory signs")
}

#[test]
fn a_base_that_only_the_actors_own_clone_saw_is_no_history() {
    let world = World::new();
    let work = &world.work;
    work.policy(&[("pin = \"ancestor\"", "pin = \"exact\"")]);
    work.hand_out();
    let pin = work.oid("main");
    work.commit(&[("src/other.rs", "meanwhile\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    work.fix();
    work.propose();
    let stranger = Stranger::of(work, "own-clone");
    let receipt = receipt_with_base(work, &stranger, &pin);
    let lie = forged(work, "HEAD", &["codex"], |envelope| {
        envelope.bindings.context = Fact::known(receipt.digest(), "own clone", now());
        envelope.bindings.source_observed = Fact::known(work.id(&pin), "own clone", now());
    });
    let tip = work.id("HEAD");
    stranger.record(&[(tip, receipt), (tip, lie.clone())]);
    check_proposal(work, &id(&lie), "reviewer-bot", "allow");
    work.git("push -q --no-verify origin agent/fix:main");
    work.boundary("verify origin/main").ends_with(1).says("source.handoff_stale");
}

#[test]
fn without_a_handoff_nobody_chooses_where_the_checked_diff_starts() {
    let world = World::new();
    let work = &world.work;
    work.policy(&[("handoff = true", "handoff = false")]);
    work.git("switch -q -c agent/evil");
    work.commit(&[("src/evil.rs", "evil\n")]);
    work.commit(&[("src/main.rs", "fn main() { harmless() }\n")]);
    work.boundary("propose --key codex --ref refs/heads/main").ok();
    let stranger = Stranger::of(work, "own-clone");
    // The commit before, behind a ref of one's own; the tip itself, where the default branch is said to be.
    for (base, reference) in [("HEAD~1", Some("refs/heads/side")), ("HEAD", Some("refs/heads/main"))] {
        let receipt = receipt_with(work, &stranger, base, reference);
        let tree = work.id(&format!("{base}^{{tree}}"));
        let lie = forged(work, "HEAD", &["codex"], |envelope| {
            envelope.bindings.context = Fact::known(receipt.digest(), "own clone", now());
            envelope.bindings.source_observed = Fact::known(work.id(base), "own clone", now());
            envelope.change.base_tree = tree;
        });
        let tip = work.id("HEAD");
        stranger.record(&[(tip, receipt), (tip, lie.clone())]);
        check_proposal(work, &id(&lie), "reviewer-bot", "allow");
        let refused = work.push("origin HEAD:main");
        assert_eq!(refused.hook, Some(1), "the checker was never shown all of it: {}", refused.ran);
    }
}

#[test]
fn what_others_sign_in_an_actors_name_is_no_version_of_its_proposal() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add outsider --role actor --new-key").ok();
    work.proven_fix();
    let stored = work.stored("HEAD", |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_))).remove(0);
    let Some(Artifact::EvidenceEnvelope(own)) = read(&stored) else { panic!("a proposal was asked for") };
    let own = own.predicate;
    let lie = forged(work, "HEAD", &["outsider"], |envelope| {
        envelope.envelope_id = format!("env_{}", "7".repeat(32)).parse().expect("it is an id");
        (envelope.version, envelope.predecessor) = (7, Some(git_boundary::model::digest::Digest([7; 32])));
    });
    work.record("HEAD", &[lie]);
    let told = work.boundary("propose --ref refs/heads/main --key codex --json").ok().json();
    assert_eq!(told["envelope_id"], own.envelope_id.to_string(), "it goes on from the actor's own: {told}");
    assert_eq!(told["version"], own.version + 1, "with the next version: {told}");
}
