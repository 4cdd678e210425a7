//! Every fact about git, one at a time: changed, the case is admitted no more, but for those listed.

use git_boundary::gate::docket::Docket;
use git_boundary::gate::facts::Facts;
use git_boundary::gate::judge::judge;
use git_boundary::gate::verdict::Outcome;

use super::world::World;
use crate::vectors::cast::Who;

#[test]
fn every_fact_about_git_counts() {
    use super::parts::{oid, tip};
    use git_boundary::gate::facts::Touch;
    use git_boundary::model::operation::Operation;
    let edits: Vec<(&str, fn(&mut Facts))> = vec![
        ("the update's ref", |it| it.update.reference.push('x')),
        ("its new value", |it| it.update.new = oid(1)),
        ("its old value", |it| (it.update.old, it.proposals[0].contains_old) = (oid(1), Some(false))),
        ("its commit", |it| it.update.tip = Some(oid(1))),
        ("that it is a commit", |it| it.update.tip = None),
        ("that it is a fast-forward", |it| it.update.fast_forward = Some(false)),
        ("that anybody could tell", |it| it.update.fast_forward = None),
        ("the range has another commit", |it| it.range.push(oid(1))),
        ("the range is of another commit", |it| it.range = vec![oid(1)]),
        ("the proposal", |it| it.proposals.clear()),
        ("its range", |it| it.proposals[0].range.clear()),
        ("its range has an unknown commit", |it| it.proposals[0].range.extend([oid(1)])),
        ("its tip", |it| it.proposals[0].tip = oid(1)),
        ("its digest", |it| it.proposals[0].digest = super::parts::digest(1)),
        ("its handoff", |it| it.proposals[0].handoff = None),
        ("the handoff's digest", |it| it.proposals[0].handoff.as_mut().expect("one").digest = super::parts::digest(1)),
        ("the pin is no commit", |it| it.proposals[0].handoff.as_mut().expect("one").pin_known = Some(false)),
        ("the pin is not in the base", |it| it.proposals[0].handoff.as_mut().expect("one").pin_in_base = Some(false)),
        ("the tip does not descend", |it| it.proposals[0].handoff.as_mut().expect("one").tip_descends = Some(false)),
        ("the commit is not read", |it| it.commits.clear()),
        ("the commit's tree", |it| it.commits.get_mut(&tip()).expect("the tip").tree = oid(1)),
        ("what it touches", |it| it.commits.get_mut(&tip()).expect("the tip").touched[0].path = b"x".to_vec()),
        ("how it touches it", |it| {
            it.commits.get_mut(&tip()).expect("the tip").touched[0].operations = vec![Operation::Symlink];
        }),
        ("it touches more", |it| {
            let touch = Touch { operations: vec![Operation::Add], path: b"x".to_vec() };
            it.commits.get_mut(&tip()).expect("the tip").touched.push(touch);
        }),
        ("the clock goes on", |it| it.now = it.now.plus(86_400)),
        ("the clock goes back", |it| it.now = it.now.plus(-86_400)),
        ("the policy in force", |it| it.policies.in_force = Some(super::parts::digest(1))),
        ("no policy in force", |it| it.policies.in_force = None),
        ("no policy known", |it| it.policies.known.clear()),
        ("the artifacts", |it| it.artifacts = Docket::default()),
        ("something was not seen", |it| {
            it.gaps.push(git_boundary::gate::facts::Gap { command: None, text: "a note".to_owned() });
        }),
        ("the trust document", |it| {
            let mut document = crate::vectors::cast::document();
            document.keys.get_mut(&Who::Tester.id()).expect("listed").label = "another".to_owned();
            it.trust = crate::vectors::cast::trust_of(document);
        }),
    ];
    for (name, edit) in edits {
        let mut facts = World::admitted().gather();
        assert_eq!(judge(&facts).outcome, Outcome::Admitted, "{name}: as it was");
        edit(&mut facts);
        let governed = judge(&facts);
        assert!(governed.outcome != Outcome::Admitted || !governed.governed, "{name}: admits no more");
    }
    let free: Vec<(&str, fn(&mut Facts))> = vec![
        ("where the default branch stands, where a handoff pins", |it| it.base.oid = None),
        ("a commit's parents, which the range was made from", |it| {
            it.commits.get_mut(&tip()).expect("the tip").parents = vec![oid(1)];
        }),
        ("whether the range was walked exactly, which only says that it may be too long", |it| it.exact = false),
        ("other handoffs, of which only refusals speak", |it| it.other_handoffs.push(super::parts::digest(1))),
        ("that nothing is touched at all", |it| it.commits.get_mut(&tip()).expect("the tip").touched.clear()),
    ];
    for (name, edit) in free {
        let mut facts = World::admitted().gather();
        edit(&mut facts);
        assert_eq!(judge(&facts).outcome, Outcome::Admitted, "{name}: decides nothing");
    }
}
