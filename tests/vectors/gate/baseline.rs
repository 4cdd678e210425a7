//! The cases in which everything holds. All others differ from one of them by one fact.

use git_boundary::gate::verdict::{CommitStatus, Outcome};
use git_boundary::model::decision::CheckVerdict;
use git_boundary::model::refusal::Check;

use super::parts::tip;
use super::world::{World, admits};
use crate::vectors::cast::Who;

#[test]
fn checked_work_under_a_live_handoff_is_admitted() {
    let world = World::admitted();
    admits("the whole case", &world);
    let (facts, links) = world.build();
    let verdict = git_boundary::gate::judge::judge(&facts);
    assert_eq!(verdict.outcome, Outcome::Admitted, "it is admitted");
    assert_eq!(verdict.primary(), None, "an admission has no code");
    assert_eq!(verdict.used, [links.proposal()], "it says on which proposal it rests");
    let [commit] = &verdict.commits[..] else { panic!("one commit is judged") };
    assert_eq!((commit.oid, commit.status), (tip(), CommitStatus::Covered), "the commit is covered");
    for (check, said) in &verdict.checks {
        let expected = match check {
            Check::Approval | Check::Result => CheckVerdict::NotApplicable,
            _ => CheckVerdict::Passed,
        };
        assert_eq!(*said, expected, "{check} says what it had to judge");
    }
}

#[test]
fn a_listed_persons_own_work_needs_neither_handoff_nor_proof() {
    for who in [Who::Owner, Who::Hotfixer] {
        admits(&format!("{who:?}'s own work"), &World::of_a_person(who));
    }
}
