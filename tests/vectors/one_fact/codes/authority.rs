//! Lease, holder and scope.

use git_boundary::model::id::RepositoryId;
use git_boundary::model::refusal::Code::*;

use super::super::super::cast::{START, Who};
use super::super::super::gate::code_authority::revocation;
use super::super::super::gate::parts::tip;
use super::super::make::Shown;
use super::{handed, handed_among};

pub fn shown() -> Vec<Shown> {
    vec![
        Shown::new(AuthorityLeaseMissing, "the handoff gives no lease", handed(), |world| {
            world.handoff(|it| it.predicate.lease = None)
        }),
        Shown::new(AuthorityLeaseExpired, "the lease ended one second ago", handed(), |world| {
            world.handoff(|it| it.predicate.lease.as_mut().expect("a lease").expires_at = START.plus(10_799))
        }),
        Shown::new(AuthorityLeaseRevoked, "an owner revoked the handoff", handed(), |world| {
            revocation(Who::Owner, 9_000)(world)
        }),
        Shown::new(
            AuthorityHolderMismatch,
            "another agent holds the handoff",
            handed_among(&[Who::Owner, Who::Codex, Who::Ci, Who::Claude]),
            |world| world.handoff(|it| it.predicate.to = Who::Claude.id()),
        ),
        Shown::new(
            AuthorityActionOutOfScope,
            "the tip touches a path that the handoff does not give",
            handed(),
            |world| {
                world.facts(|facts| {
                    facts.commits.get_mut(&tip()).expect("the tip").touched[0].path = b"README".to_vec();
                })
            },
        ),
    ]
}

/// The second hostile case of the source.
pub fn another_repository() -> Shown {
    let about = "the lease is for repository A, and a write to repository B is asked for";
    Shown::new(AuthorityActionOutOfScope, about, handed(), |world| {
        world.proposal(|it| {
            it.predicate.requested_action.as_mut().expect("an action").repository = RepositoryId([0xb0; 16]);
        })
    })
}
