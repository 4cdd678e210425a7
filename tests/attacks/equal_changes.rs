//! Rules under which an equal change keeps its proof.

use super::{Stranger, check_proposal, forged, id};
use crate::support::{Work, World, now};

fn under_change(world: &World) -> &Work {
    world.work.policy(&[("equality = \"commit\"", "equality = \"change\"")]);
    &world.work
}

/// A branch with the work of `agent/fix` as one commit.
fn squashed(work: &Work) {
    work.git("switch -q -c agent/squashed main");
    work.git("merge -q --squash agent/fix");
    work.git("commit -q -m squashed");
}

#[test]
fn a_squash_keeps_the_proof_of_what_was_checked() {
    let world = World::new();
    let work = under_change(&world);
    work.hand_out();
    work.fix();
    work.commit(&[("src/more.rs", "more\n")]);
    work.propose();
    work.check("allow");
    squashed(work);
    work.push("origin agent/squashed:main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn a_proposal_that_names_another_commits_change_is_proof_of_nothing() {
    let world = World::new();
    let work = under_change(&world);
    work.hand_out();
    work.git("switch -q -c agent/evil");
    work.commit(&[("src/main.rs", "fn main() { evil() }\n")]);
    work.propose();
    let mut list = None;
    forged(work, "HEAD", &["codex"], |envelope| list = Some(envelope.change.list));
    let list = list.expect("a proposal names its change");
    work.git("switch -q main");
    let checked = work.fix();
    work.propose();
    let lie = forged(work, "HEAD", &["codex"], |envelope| envelope.change.list = list);
    let checked = work.id(&checked);
    Stranger::of(work, "hinter").record_at(now(), &[(checked, lie.clone())], &[(list, checked)]);
    check_proposal(work, &id(&lie), "reviewer-bot", "allow");
    let refused = work.push("origin agent/evil:main");
    assert_eq!(refused.hook, Some(1), "the checker never saw this change: {}", refused.ran);
}

#[test]
fn a_squash_keeps_the_denial_too() {
    let world = World::new();
    let work = under_change(&world);
    work.boundary("trust add second --role checker --new-key").ok();
    work.proposed_fix();
    work.check("deny");
    work.check_by("second", "allow");
    squashed(work);
    work.push("origin agent/squashed:main").refused("policy.decision_denied");
}

#[test]
fn a_denied_commit_of_equal_change_takes_nothing_from_one_that_was_allowed() {
    let world = World::new();
    let work = under_change(&world);
    work.boundary("trust add other --role actor --new-key").ok();
    work.proposed_fix();
    work.check("deny");
    work.git("switch -q main");
    work.hand_out_with("--to other --path src/**");
    squashed(work);
    work.boundary("propose --key other").ok();
    work.check("allow");
    work.push("origin agent/squashed:main").accepted();
}
