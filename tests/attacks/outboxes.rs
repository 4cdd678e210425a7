//! What is admitted, pushed and settled, beside what others wrote about the same update and remotes that went elsewhere.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::verified::sign_statement;

use super::{Stranger, forged};
use crate::support::{Work, World};

/// Work that changes a file on which machines act, committed by the agent.
fn automation(work: &Work) {
    work.hand_out_with("--to codex --path **");
    work.git("switch -q -c agent/fix");
    work.commit(&[("Makefile", "all:\n\ttrue\n")]);
}

#[test]
fn a_proposal_of_nobodys_key_is_none_that_a_push_could_wait_for() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let stranger = Stranger::of(work, "next-version");
    let mut envelope = None;
    forged(work, "HEAD", &["codex"], |honest| envelope = Some(honest.clone()));
    let mut envelope = envelope.expect("there is a proposal");
    let honest = work.stored("HEAD", |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_))).remove(0);
    envelope.version = 2;
    envelope.predecessor = Some(honest.digest());
    let sign = |envelope: &git_boundary::model::envelope::Envelope| {
        let statement = Statement { predicate: envelope.clone(), subject: Some(work.subject("HEAD")) };
        sign_statement(&statement, &stranger.key).expect("a key in memory signs")
    };
    stranger.record(&[(work.id("HEAD"), sign(&envelope))]);
    work.boundary("submit").ok().says("dmitted");
    work.boundary("push origin agent/fix --key codex").ok().says("complete");
    // And where there is no other yet.
    work.commit(&[("src/main.rs", "fn main() { more() }\n")]);
    let action = envelope.requested_action.as_mut().expect("it asks for a push");
    (action.old, action.new) = (action.new, work.id("HEAD"));
    stranger.record(&[(work.id("HEAD"), sign(&envelope))]);
    work.boundary("push origin agent/fix --key codex").ok().says("complete");
}
