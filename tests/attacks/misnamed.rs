//! Proposals that any key trust ever knew signs, and that name what no honest one names. Beside them other work stands as it did.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::verified::sign_statement;
use git_boundary::model::envelope::Envelope;
use git_boundary::model::fact::{Fact, Reason};
use git_boundary::model::id::Oid;

use super::{Stranger, forged};
use crate::support::{Work, World, now, read};

/// A proven commit that one more proposal lies on, by a key that was an actor's once.
fn beside(forge: impl FnOnce(&Work) -> Vec<(Oid, Dsse)>) {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add former --role actor --new-key").ok();
    work.boundary("trust revoke former").ok();
    work.proven_fix();
    Stranger::of(work, "stranger").record(&forge(work));
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
    work.boundary("propose --key codex").ok();
    // Alone it covers nothing, and that is an answer too.
    work.commit(&[("src/more.rs", "more\n")]);
    Stranger::of(work, "another").record(&forge_on_head(work));
    let judged = work.boundary("verify HEAD --ref main");
    assert!([1, 2].contains(&judged.status), "what nothing else covers is refused or left open: {judged}");
}

/// The same defect with nothing else on the commit.
fn forge_on_head(work: &Work) -> Vec<(Oid, Dsse)> {
    let stored = work.stored("HEAD~1", |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_)));
    let Some(Artifact::EvidenceEnvelope(honest)) = stored.first().and_then(read) else { panic!("it has a proposal") };
    let mut envelope = honest.predicate;
    without_handoff(&mut envelope, &"ab".repeat(32));
    let statement = Statement { predicate: envelope, subject: Some(work.subject("HEAD")) };
    vec![(work.id("HEAD"), sign_statement(&statement, &work.key("former")).expect("a key in memory signs"))]
}

fn without_handoff(envelope: &mut Envelope, start: &str) {
    envelope.bindings.lease = Fact::NotApplicable { reason: Reason::NoHandoff };
    envelope.bindings.source_expected = Fact::NotApplicable { reason: Reason::NoHandoff };
    envelope.bindings.source_observed = Fact::known(start.parse().expect("it is an id"), "nowhere", now());
}

/// The honest proposal, said by the former actor and otherwise changed.
fn by_former(work: &Work, change: impl FnOnce(&mut Envelope)) -> Vec<(Oid, Dsse)> {
    let actor = work.key_id("former");
    let line = forged(work, "HEAD", &["former"], |envelope| {
        envelope.bindings.actor = Fact::known(actor, "key", now());
        change(envelope);
    });
    vec![(work.id("HEAD"), line)]
}

/// A commit whose parent is one that git would not make.
fn on_a_malformed_one(work: &Work) -> String {
    let run = |args: &[&str], stdin: &[u8]| work.home.run(&work.dir, "git", args, stdin).ok().stdout.trim().to_owned();
    let bad = run(&["hash-object", "-t", "commit", "-w", "--literally", "--stdin"], b"no commit\n");
    let text =
        format!("tree {}\nparent {bad}\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nx\n", work.oid("HEAD^{tree}"));
    run(&["hash-object", "-t", "commit", "-w", "--literally", "--stdin"], text.as_bytes())
}

#[test]
fn a_start_of_another_object_format_blocks_nothing() {
    beside(|work| by_former(work, |envelope| without_handoff(envelope, &"ab".repeat(32))));
}

#[test]
fn a_start_on_top_of_what_is_no_commit_blocks_nothing() {
    beside(|work| {
        let start = on_a_malformed_one(work);
        by_former(work, |envelope| without_handoff(envelope, &start))
    });
}

#[test]
fn a_pinned_commit_of_another_object_format_blocks_nothing() {
    beside(|work| {
        let pin = "ab".repeat(32).parse().expect("it is an id");
        by_former(work, |envelope| envelope.bindings.source_expected = Fact::known(pin, "nowhere", now()))
    });
}

#[test]
fn a_recorded_base_that_leads_to_what_is_no_commit_blocks_nothing() {
    beside(|work| {
        let stored = work.stored("HEAD", |artifact| matches!(artifact, Artifact::ContextReceipt(_)));
        let Some(Artifact::ContextReceipt(statement)) = stored.last().and_then(read) else { panic!("it has one") };
        let Statement { mut predicate, subject } = *statement;
        predicate.snapshot.base.oid = Some(on_a_malformed_one(work).parse().expect("git prints ids"));
        let receipt = sign_statement(&Statement { predicate, subject }, &work.key("former")).expect("it signs");
        let digest = receipt.digest();
        let mut lines = vec![(work.id("HEAD"), receipt)];
        lines.extend(by_former(work, |envelope| envelope.bindings.context = Fact::known(digest, "nowhere", now())));
        lines
    });
}

#[test]
fn a_handoff_whose_pin_is_on_no_ref_blocks_nothing() {
    for name in ["refs/heads/..x", "", "main", "refs/heads/ref.lock", &format!("refs/heads/{}", "x".repeat(300))] {
        beside(|work| {
            let pin = work.oid("main");
            let stored = work.stored(&pin, |artifact| matches!(artifact, Artifact::Handoff(_)));
            let Some(Artifact::Handoff(statement)) = stored.last().and_then(read) else { panic!("it has one") };
            let Statement { mut predicate, subject } = *statement;
            predicate.pin.reference = name.to_owned();
            let handoff = sign_statement(&Statement { predicate, subject }, &work.key("former")).expect("it signs");
            let digest = handoff.digest();
            let mut lines = vec![(work.id(&pin), handoff)];
            lines.extend(by_former(work, |envelope| envelope.bindings.lease = Fact::known(digest, "nowhere", now())));
            lines
        });
    }
}
