//! Approvals that somebody else says were consumed, early or for something else, and commands that a pushed name would be part of.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::verified::sign_statement;
use git_boundary::model::event::EventKind;

use super::Stranger;
use crate::support::{Work, World, read};

/// Another registrar, in the trust document, with a ledger that is here.
fn listed(work: &Work) -> Stranger<'_> {
    work.boundary("trust add other --role registrar --new-key --key ada-l").ok();
    let other = Stranger { work, key: work.key("other"), file: work.home.key_path("other") };
    other.record(&[(work.id("HEAD"), work.stored("HEAD", |_| true).remove(0))]);
    other
}

#[test]
fn only_the_registrar_that_an_approval_names_says_when_it_was_consumed() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    let other = listed(work);
    work.boundary("submit").ok();
    work.boundary("approve --key ada-l --ttl 1h").ok();
    let stored = work.stored("HEAD", |artifact| matches!(artifact, Artifact::Event(_))).remove(0);
    let approval = work.stored("HEAD", |artifact| matches!(artifact, Artifact::Approval(_))).remove(0).digest();
    let Some(Artifact::Event(admitted)) = read(&stored) else { panic!("it is an event") };
    let EventKind::Admitted { candidate, snapshot, .. } = admitted.predicate.kind.clone() else { panic!("admitted") };
    let mut elsewhere = candidate.clone();
    "refs/heads/agent/other".clone_into(&mut elsewhere.reference);
    let early = [
        EventKind::Released { approval, candidate },
        // Where the rule wants no approval, what was admitted says nothing of one.
        EventKind::Admitted { candidate: elsewhere, pending: false, snapshot },
    ];
    for kind in early {
        let mut said = (*admitted).clone();
        said.predicate.kind = kind;
        let Statement { predicate, subject } = said;
        let line = sign_statement(&Statement { predicate, subject }, &other.key).expect("a key in memory signs");
        other.record(&[(work.id("HEAD"), line)]);
    }
    let line = format!("x {} refs/heads/agent/fix {}\n", work.head(), "0".repeat(40));
    work.later(3_700).hook(&line).ends_with(1).says("approval.expired");
    work.later(3_000).hook(&line).ok();
}

#[test]
fn what_another_registrar_consumed_it_for_takes_no_approval_away() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    let other = listed(work);
    work.boundary("submit").ok();
    work.boundary("approve --key ada-l").ok();
    let stored = work.stored("HEAD", |artifact| matches!(artifact, Artifact::Event(_))).remove(0);
    let approval = work.stored("HEAD", |artifact| matches!(artifact, Artifact::Approval(_))).remove(0).digest();
    let Some(Artifact::Event(admitted)) = read(&stored) else { panic!("it is an event") };
    let Statement { predicate: mut event, subject } = *admitted;
    let EventKind::Admitted { mut candidate, .. } = event.kind else { panic!("admitted") };
    "refs/heads/agent/other".clone_into(&mut candidate.reference);
    event.kind = EventKind::Released { approval, candidate };
    let line = sign_statement(&Statement { predicate: event, subject }, &other.key).expect("a key in memory signs");
    other.record(&[(work.id("HEAD"), line)]);
    work.boundary("push").ok().says("complete");
}

#[test]
fn an_approval_for_a_clone_that_nobody_listed_is_good_for_one_update_all_the_same() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    let second = world.joined("second");
    second.git("fetch -q ../work agent/fix:agent/fix");
    work.boundary(&format!("approve --key ada-l --registrar {}", second.registrar_id())).ok();
    second.git("fetch -q");
    second.push("origin agent/fix").accepted();
    second.boundary("settle").ok();
    second.git("push -q --no-verify --force origin main:agent/fix");
    second.push("origin agent/fix").refused("snapshot.head_moved").says("approval.already_consumed");
    second.git("push -q --no-verify origin :agent/fix");
    second.push("origin agent/fix").refused("approval.already_consumed");
}

#[test]
fn a_ref_that_is_pushed_stands_quoted_in_every_command() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let name = "refs/heads/agent/$(touch${IFS}pwned)";
    let line = format!("x {} {name} {}\n", work.head(), "0".repeat(40));
    let refused = work.hook(&line).ends_with(1);
    work.home.run(&work.dir, "git", &["branch", "agent/$(touch${IFS}pwned)"], b"").ok();
    let proposed = work.home.run(&work.dir, "git", &["boundary", "propose", "--ref", name, "--key", "codex"], b"").ok();
    for ran in [refused, proposed] {
        let commands = ran.commands();
        for command in commands.iter().filter(|command| command.contains('$')) {
            assert!(command.contains("agent/$(touch${IFS}pwned)'"), "`{command}` is of {ran}");
            work.sh(command);
        }
        assert!(!work.dir.join("pwned").exists(), "no shell acts on the name: {ran}");
    }
}
