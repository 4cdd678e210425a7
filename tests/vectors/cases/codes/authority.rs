//! What git says, and what the handoff grants.

use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::model::handoff::Revocation;
use git_boundary::model::refusal::Code::{self, *};
use git_boundary::model::time::Timestamp;

use super::super::super::cast::{self, START, Who};
use super::super::super::gate::parts::{pin, tree};
use super::super::super::gate::world::{Extra, Part, World, entry};
use super::super::super::vector::Vector;

use super::case;

pub fn vectors() -> Vec<Vector> {
    [source(), authority()].concat()
}

fn source() -> Vec<Vector> {
    let git = |name: &str, code: Code, deviation: &str| {
        case(name, &[code], "git says otherwise", World::admitted()).given("git", deviation)
    };
    vec![
        git("history-cut", SnapshotUnavailable, "history is cut"),
        git("pin-unknown", SourceRevisionUnknown, "the pinned id is no commit"),
        case(
            "no-handoff-named",
            &[SourceHandoffMissing],
            "the agent works without one",
            World::admitted().without(Part::Handoff),
        ),
        case(
            "no-proposal",
            &[SourceHandoffMissing, ContextReceiptMissing],
            "nobody proposed it, and no live handoff is known",
            World::admitted().without(Part::Proposal),
        ),
        git("pin-stale", SourceHandoffStale, "the pinned branch was rewritten"),
        git("history-diverged", SourceHistoryDiverged, "the tip does not descend from the pin"),
        git("head-moved", SnapshotHeadMoved, "the destination moved to what the tip does not contain"),
    ]
}

fn authority() -> Vec<Vector> {
    let revoked = World::admitted().more(|links| {
        let target = links.handoff().expect("a handoff");
        let subject = Subject { commit: pin(), repository: links.trust.repository(), tree: tree(pin()) };
        let predicate = Revocation { reason: "over".to_owned(), target };
        let artifact = cast::sign(&Statement { predicate, subject: Some(subject) }, &[Who::Owner]);
        vec![Extra { artifact, entries: vec![entry(Who::Ci, 90, START.plus(9_000))], note: pin() }]
    });
    let other = git_boundary::model::id::RepositoryId([9; 16]);
    let out = &[AuthorityActionOutOfScope][..];
    let now = |seconds: i64| -> Timestamp { START.plus(seconds) };
    vec![
        case(
            "lease-missing",
            &[AuthorityLeaseMissing],
            "the handoff gives none",
            World::admitted().handoff(|it| it.predicate.lease = None),
        ),
        case("lease-expired", &[AuthorityLeaseExpired], "the clock stands one second after its end", World::admitted())
            .given("now", now(28_801)),
        case(
            "lease-not-begun",
            &[AuthorityLeaseExpired],
            "it begins tomorrow",
            World::admitted().handoff(|it| {
                let lease = it.predicate.lease.as_mut().expect("a lease");
                (lease.not_before, lease.expires_at) = (START.plus(86_400), START.plus(90_000));
            }),
        ),
        case("lease-revoked", &[AuthorityLeaseRevoked], "the owner ended it before the push", revoked),
        case(
            "holder-mismatch",
            &[AuthorityHolderMismatch],
            "it was given to Claude",
            World::admitted().handoff(|it| it.predicate.to = Who::Claude.id()),
        ),
        case(
            "handoff-of-another-repository",
            out,
            "the same owner key and history",
            World::admitted().handoff(move |it| it.subject.as_mut().expect("a subject").repository = other),
        ),
        case(
            "ref-out-of-scope",
            out,
            "it covers the agent's branches only",
            World::admitted().handoff(|it| it.predicate.scope.refs = vec!["refs/heads/agent/**".to_owned()]),
        ),
        case(
            "path-out-of-scope",
            out,
            "it covers docs only",
            World::admitted().handoff(|it| it.predicate.scope.paths = vec!["docs/**".to_owned()]),
        ),
        case("path-touched-out-of-scope", out, "the tip touches another file", World::admitted())
            .given("git", "the tip touches README"),
        case(
            "operation-out-of-scope",
            out,
            "it does not grant modify",
            World::admitted().handoff(|it| it.predicate.scope.operations.retain(|grant| grant.name() != "modify")),
        ),
    ]
}
