//! Ranks 11 to 15: lease, holder and scope.

use std::collections::BTreeSet;

use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::gate::facts::{CommitFacts, LedgerEntry, Purpose, Touch};
use git_boundary::model::handoff::{Lease, Revocation};
use git_boundary::model::id::{Oid, RepositoryId};
use git_boundary::model::operation::{Grant, Operation, RefOperation};
use git_boundary::model::refusal::Code::*;

use super::parts::{FIX, MAIN, oid, pin, tip, tree};
use super::world::{Extra, Part, World, admits, entry, one_fact, refuses};
use crate::vectors::cast::{self, START, Who};

#[test]
fn a_handoff_without_a_lease_gives_none() {
    one_fact(
        "no lease",
        World::admitted(),
        |world| world.handoff(|it| it.predicate.lease = None),
        &[AuthorityLeaseMissing],
    );
}

fn lease(from: i64, until: i64) -> impl Fn(World) -> World {
    move |world| {
        world.handoff(move |it| {
            it.predicate.lease = Some(Lease { not_before: START.plus(from), expires_at: START.plus(until) });
        })
    }
}

#[test]
fn outside_the_lease_is_outside_to_the_second() {
    // The clock stands at three hours.
    admits("the last second", &lease(0, 10_800)(World::admitted()));
    admits("the first second", &lease(10_800, 20_000)(World::admitted()));
    one_fact("one second late", World::admitted(), lease(0, 10_799), &[AuthorityLeaseExpired]);
    one_fact("one second early", World::admitted(), lease(10_801, 20_000), &[AuthorityLeaseExpired]);
}

/// A revocation of the handoff, and when Ci's ledger holds it: behind all else.
pub fn revocation(by: Who, seconds: i64) -> impl Fn(World) -> World {
    revocation_at(by, entry(Who::Ci, 90, START.plus(seconds)))
}

/// A revocation of the handoff, and which ledger holds it where.
pub fn revocation_at(by: Who, place: LedgerEntry) -> impl Fn(World) -> World {
    revocation_in(by, vec![place])
}

/// The same in several ledgers.
pub fn revocation_in(by: Who, places: Vec<LedgerEntry>) -> impl Fn(World) -> World {
    move |world| {
        let places = places.clone();
        world.more(move |links| {
            let target = links.handoff().expect("a handoff");
            let subject = Subject { commit: pin(), repository: links.trust.repository(), tree: tree(pin()) };
            let predicate = Revocation { reason: "changed our minds".to_owned(), target };
            let artifact = cast::sign(&Statement { predicate, subject: Some(subject) }, &[by]);
            vec![Extra { artifact, entries: places.clone(), note: pin() }]
        })
    }
}

#[test]
fn a_revoked_handoff_gives_no_lease() {
    for by in [Who::Owner, Who::Deputy] {
        one_fact(&format!("revoked by {by:?}"), World::admitted(), revocation(by, 9_000), &[AuthorityLeaseRevoked]);
    }
    for by in [Who::Codex, Who::Hotfixer, Who::Reviewer, Who::Ci] {
        admits(&format!("{by:?} is no owner"), &revocation(by, 9_000)(World::admitted()));
    }
}

#[test]
fn a_handoff_held_by_another_is_not_this_actors() {
    one_fact(
        "Claude holds it",
        World::admitted(),
        |world| world.handoff(|it| it.predicate.to = Who::Claude.id()),
        &[AuthorityHolderMismatch],
    );
    one_fact(
        "a key that nobody knows holds it",
        World::admitted(),
        |world| world.handoff(|it| it.predicate.to = Who::Stranger.id()),
        &[AuthorityHolderMismatch],
    );
}

#[test]
fn another_repositorys_handoff_or_proposal_is_out_of_scope() {
    let other = RepositoryId([9; 16]);
    one_fact(
        "a handoff of another repository with the same owner key and history",
        World::admitted(),
        move |world| world.handoff(move |it| it.subject.as_mut().expect("a subject").repository = other),
        &[AuthorityActionOutOfScope],
    );
    for part in ["subject", "action"] {
        let replayed = move |world: World| {
            world.proposal(move |it| match part {
                "subject" => it.subject.as_mut().expect("a subject").repository = other,
                _ => it.predicate.requested_action.as_mut().expect("an action").repository = other,
            })
        };
        one_fact(
            &format!("a proposal whose {part} is of another"),
            World::admitted(),
            replayed,
            &[AuthorityActionOutOfScope],
        );
        let person = World::of_a_person(Who::Hotfixer);
        one_fact(&format!("a person's proposal whose {part} is"), person, replayed, &[AuthorityActionOutOfScope]);
    }
}

#[test]
fn a_ref_outside_the_scope_is_out_of_scope() {
    let refs = |refs: &'static [&str]| {
        move |world: World| {
            world.handoff(move |it| it.predicate.scope.refs = refs.iter().map(|name| (*name).to_owned()).collect())
        }
    };
    admits("just the branch", &refs(&[MAIN])(World::admitted()));
    for given in [&["refs/heads/agent/**"][..], &[], &["refs/heads/*/main"], &["[unreadable"]] {
        one_fact(&format!("refs {given:?}"), World::admitted(), refs(given), &[AuthorityActionOutOfScope]);
    }
    // Landing on the pinned ref does not hide that the proposal itself asked for a ref outside the scope.
    let asked = World::admitted().proposal(|it| {
        it.predicate.requested_action.as_mut().expect("an action").reference = "refs/heads/release".to_owned();
    });
    refuses("the ref asked for is outside", &asked, &[AuthorityActionOutOfScope]);
    admits(
        "the ref asked for is inside",
        &World::admitted().proposal(|it| {
            it.predicate.requested_action.as_mut().expect("an action").reference = FIX.to_owned();
        }),
    );
}

fn touching(path: &'static [u8], operations: &'static [Operation]) -> impl Fn(World) -> World {
    move |world| {
        world.facts(move |facts| {
            let touch = Touch { operations: operations.to_vec(), path: path.to_vec() };
            facts.commits.get_mut(&tip()).expect("the tip").touched.push(touch);
        })
    }
}

#[test]
fn a_path_outside_the_scope_is_out_of_scope() {
    for path in [&b"README"[..], b"SRC/main.rs", b"src", b"srcs/x", b"a/src/x"] {
        let name = String::from_utf8_lossy(path);
        one_fact(
            &format!("touches {name}"),
            World::admitted(),
            touching(path, &[Operation::Modify]),
            &[AuthorityActionOutOfScope],
        );
    }
    let nameless = touching(b"\xff", &[Operation::Modify])(World::admitted());
    refuses(
        "a name that is no text is out of scope, and marked besides",
        &nameless,
        &[AuthorityActionOutOfScope, ApprovalMissing],
    );
    admits("another path inside", &touching(b"src/deep/er.rs", &[Operation::Add])(World::admitted()));
}

#[test]
fn an_operation_that_is_not_granted_is_out_of_scope() {
    for operation in [Operation::Symlink, Operation::Submodule] {
        let fault = move |world: World| {
            world.facts(move |facts| {
                facts.commits.get_mut(&tip()).expect("the tip").touched[0].operations = vec![operation];
            })
        };
        one_fact(&format!("a {operation} within the paths"), World::admitted(), fault, &[AuthorityActionOutOfScope]);
        let granted = fault(World::admitted().handoff(move |it| {
            it.predicate.scope.operations.push(Grant::File(operation));
        }));
        admits(&format!("a {operation} that is granted"), &granted);
    }
    for operation in [Operation::Add, Operation::Modify, Operation::Delete, Operation::Mode] {
        let only = move |world: World| {
            world
                .handoff(move |it| it.predicate.scope.operations.retain(|grant| *grant != Grant::File(operation)))
                .facts(move |facts| {
                    facts.commits.get_mut(&tip()).expect("the tip").touched[0].operations = vec![operation];
                })
        };
        refuses(&format!("{operation} was not granted"), &only(World::admitted()), &[AuthorityActionOutOfScope]);
    }
}

#[test]
fn a_handoff_with_paths_nobody_can_read_grants_none() {
    for paths in [&[][..], &[":(attr:x)src"], &[":!src"], &["../src"]] {
        let fault = move |world: World| {
            world.handoff(move |it| it.predicate.scope.paths = paths.iter().map(|path| (*path).to_owned()).collect())
        };
        one_fact(&format!("paths {paths:?}"), World::admitted(), fault, &[AuthorityActionOutOfScope]);
    }
}

/// An earlier commit below the tip, in the judged range and in the proposal's.
pub fn earlier(path: &'static [u8]) -> impl Fn(World) -> World {
    move |world| {
        world.facts(move |facts| {
            let below: Oid = oid(0xc0);
            let touched = vec![Touch { operations: vec![Operation::Modify], path: path.to_vec() }];
            let commit =
                CommitFacts { change_list: None, parents: vec![pin()], ssh_signer: None, touched, tree: tree(below) };
            facts.commits.insert(below, commit);
            facts.commits.get_mut(&tip()).expect("the tip").parents = vec![below];
            facts.range.push(below);
            for proposal in &mut facts.proposals {
                proposal.range = BTreeSet::from([below, tip()]);
            }
        })
    }
}

#[test]
fn what_an_earlier_commit_touched_stays_touched() {
    admits("an earlier commit inside", &earlier(b"src/lib.rs")(World::admitted()));
    one_fact(
        "an earlier commit outside, whatever a later one reverts",
        World::admitted(),
        earlier(b"README"),
        &[AuthorityActionOutOfScope],
    );
}

#[test]
fn an_evil_merge_is_judged_by_what_it_touches() {
    let merge =
        |world: World| world.facts(|facts| facts.commits.get_mut(&tip()).expect("the tip").parents.push(oid(0x99)));
    admits("a merge that touches what is in scope", &merge(World::admitted()));
    one_fact(
        "an evil merge",
        merge(World::admitted()),
        touching(b"README", &[Operation::Modify]),
        &[AuthorityActionOutOfScope],
    );
}

#[test]
fn a_rewrite_needs_to_be_granted() {
    let rewrite = |world: World| world.update(|update| update.fast_forward = Some(false));
    one_fact("a force-push", World::admitted(), rewrite, &[AuthorityActionOutOfScope]);
    let granted = World::admitted().handoff(|it| {
        it.predicate.scope.operations.push(Grant::Ref(RefOperation::Rewrite));
    });
    admits("a force-push that is granted", &rewrite(granted));
    admits("a listed person's force-push", &rewrite(World::of_a_person(Who::Owner)));
}

#[test]
fn ref_operations_need_to_be_granted() {
    let revoke = |operation: RefOperation| {
        move |world: World| {
            world.handoff(move |it| it.predicate.scope.operations.retain(|grant| *grant != Grant::Ref(operation)))
        }
    };
    one_fact("an update", World::admitted(), revoke(RefOperation::Update), &[AuthorityActionOutOfScope]);
    let creating = || {
        World::admitted()
            .update(|update| (update.old, update.fast_forward) = (Oid::from_bytes(&[0; 20]).expect("zero"), None))
            .git(|it| it.contains_old = None)
    };
    one_fact("a new ref", creating(), revoke(RefOperation::Create), &[AuthorityActionOutOfScope]);
}

#[test]
fn a_rewrite_that_brings_nothing_new_still_needs_somebody_who_may() {
    // Everything that the old tip no longer reaches is dropped, and no commit is new.
    let back = World::admitted().without(Part::Proposal).facts(|facts| {
        facts.range.clear();
        facts.update.old = tip();
        facts.update.new = pin();
        facts.update.tip = Some(pin());
        facts.update.fast_forward = Some(false);
    });
    refuses("the branch is set back", &back, &[AuthorityActionOutOfScope]);
}

#[test]
fn history_that_is_there_is_not_asked_for_its_ref_operation_again() {
    let verified = World::admitted().update(|update| {
        update.purpose = Purpose::Verify;
        update.old = Oid::from_bytes(&[0; 20]).expect("zero");
        update.fast_forward = None;
    });
    admits("verified afterwards", &verified);
}
