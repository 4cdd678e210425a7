//! What is admitted, pushed and settled, beside what others wrote about the same update and remotes that went elsewhere.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::verified::sign_statement;

use super::{Stranger, forged};
use crate::support::World;

#[test]
fn what_somebody_else_admitted_is_still_admitted_pushed_and_settled_here() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let stranger = Stranger::of(work, "early");
    stranger.in_place_of_the_registrar(|| drop(work.boundary("submit").ok()));
    work.boundary("push origin agent/fix --key codex").ok().says("complete");
    assert_eq!(work.remote_refs()["refs/heads/agent/fix"], work.head());
}

#[test]
fn what_somebody_else_released_is_still_released_here() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    work.boundary("submit").ok();
    work.boundary(&format!("approve --key ada-l --registrar {}", work.registrar_id())).ok();
    let stranger = Stranger::of(work, "early");
    let admitted = work.stored("HEAD", |artifact| matches!(artifact, Artifact::Event(_))).remove(0);
    let approval = work.stored("HEAD", |artifact| matches!(artifact, Artifact::Approval(_))).remove(0).digest();
    let Some(Artifact::Event(admitted)) = crate::support::read(&admitted) else { panic!("it is an event") };
    let Statement { predicate: mut event, subject } = *admitted;
    let git_boundary::model::event::EventKind::Admitted { candidate, .. } = event.kind else {
        panic!("it is an admission")
    };
    event.kind = git_boundary::model::event::EventKind::Released { approval, candidate };
    let line = sign_statement(&Statement { predicate: event, subject }, &stranger.key).expect("a key in memory signs");
    stranger.record(&[(work.id("HEAD"), line)]);
    work.boundary("push origin agent/fix --key codex").ok().says("complete");
    work.boundary("verify origin/agent/fix").ok();
}

#[test]
fn work_that_waited_goes_on_where_it_has_to_wait_no_longer() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    work.boundary("submit").ok();
    work.policy(&[("proofs = { count = 0 }", "proofs = { count = 0 }\nautomation_approval = false")]);
    work.boundary("push origin agent/fix --key codex").ok().says("complete");
}

#[test]
fn a_remote_that_was_put_back_elsewhere_is_pushed_to_again() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("push origin agent/fix --key codex").ok().says("complete");
    work.git("push -q --no-verify --force origin main:agent/fix");
    let pushed = work.boundary("push origin agent/fix --key codex");
    let there = work.remote_refs()["refs/heads/agent/fix"] == work.head();
    assert!(there, "{pushed}");
    pushed.ok().says("complete");
}

#[test]
fn a_rewind_that_never_happened_is_not_complete_since_the_ref_went_on() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --operation add --operation modify --operation create --operation update --operation rewrite");
    let first = work.fix();
    work.commit(&[("src/main.rs", "fn main() { worse() }\n")]);
    work.propose();
    work.boundary("push origin agent/fix --key codex").ok();
    work.git(&format!("reset -q --hard {first}"));
    work.propose();
    work.boundary("submit").ok();
    let other = world.clone("other");
    other.git("switch -q agent/fix");
    other.commit(&[("more.txt", "more\n")]);
    other.git("push -q --no-verify origin agent/fix");
    let settled = work.boundary("settle --json").ok().json();
    let updates = settled["updates"].as_array().expect("a list");
    assert!(updates.iter().all(|one| one["state"] != "complete"), "{settled}");
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

#[test]
fn a_clone_that_follows_one_branch_pushes_another() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("push origin agent/fix --key codex").ok();
    work.git("config --unset remote.origin.fetch refs.heads");
    work.git("config --add remote.origin.fetch +refs/heads/main:refs/remotes/origin/main");
    work.git("update-ref -d refs/remotes/origin/agent/fix");
    work.commit(&[("src/main.rs", "fn main() { more() }\n")]);
    work.boundary("push origin agent/fix --key codex").ok().says("complete");
}

#[test]
fn work_that_is_gone_keeps_nothing_else_from_being_settled() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("submit").ok();
    let gone = work.head();
    let other = world.clone("other");
    other.git("switch -q -c agent/fix");
    other.commit(&[("other.txt", "x\n")]);
    other.git("push -q --no-verify origin agent/fix");
    work.git("switch -q -c agent/two main");
    work.commit(&[("src/main.rs", "fn main() { two() }\n")]);
    work.propose();
    work.push("origin agent/two").accepted();
    work.git("fetch -q");
    work.git("branch -q -D agent/fix");
    work.git("reflog expire --expire=now --all");
    work.git("gc -q --prune=now");
    work.try_git(&format!("cat-file -e {gone}")).ends_with(1);
    let settled = work.boundary("settle --json").ok().json();
    let updates = settled["updates"].as_array().expect("a list");
    assert!(updates.iter().any(|one| one["ref"] == "refs/heads/agent/two" && one["state"] == "complete"), "{settled}");
    work.boundary("settle").ok();
}

#[test]
fn what_is_said_to_be_typed_pushes_the_same_update_whatever_is_checked_out() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("submit").ok();
    let tip = work.head();
    work.git("switch -q main");
    let settled = work.boundary("settle").ok();
    work.follow(&settled);
    assert_eq!(work.remote_refs()["refs/heads/agent/fix"], tip, "{settled}");
}
