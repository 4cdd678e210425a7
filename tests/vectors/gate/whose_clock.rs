//! Whose clock counts: a record of an admission or of a proposal, where a listed registrar in another domain keeps it; else now.

use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::gate::facts::{LedgerEntry, Purpose};
use git_boundary::model::context::Snapshot;
use git_boundary::model::decision::Candidate;
use git_boundary::model::event::{Event, EventKind};
use git_boundary::model::handoff::Lease;
use git_boundary::model::id::Oid;
use git_boundary::model::refusal::Code::*;
use git_boundary::model::time::Timestamp;

use super::code_authority::{revocation, revocation_in};
use super::parts::{FIX, MAIN, digest, observed, pin, tip, tree};
use super::world::{Extra, Part, World, admits, entry, refuses};
use crate::vectors::cast::{self, START, Who};

/// An `admitted` event by `by`, in a ledger, about the ref `reference`.
fn admission(by: Who, entries: Vec<LedgerEntry>, reference: &'static str) -> impl Fn(World) -> World {
    move |world| {
        let entries = entries.clone();
        world.more(move |links| {
            let candidate = Candidate {
                envelope: Some(links.proposal()),
                new: tip(),
                old: pin(),
                reference: reference.to_owned(),
                repository: links.trust.repository(),
            };
            let snapshot = Box::new(Snapshot {
                base: observed(MAIN, pin()),
                destination: observed(reference, pin()),
                policy: links.policy,
                trust: links.trust.digest(),
            });
            let predicate = Event {
                at: START.plus(7_500),
                envelope_id: None,
                kind: EventKind::Admitted { candidate, pending: false, snapshot },
                prev: Some(digest(1)),
                seq: 1,
                version: Some(1),
            };
            let subject = Subject { commit: tip(), repository: links.trust.repository(), tree: tree(tip()) };
            let artifact = cast::sign(&Statement { predicate, subject: Some(subject) }, &[by]);
            vec![Extra { artifact, entries: entries.clone(), note: tip() }]
        })
    }
}

/// The lease ended before now, and after the proof.
fn ended() -> World {
    World::admitted().handoff(|it| {
        it.predicate.lease = Some(Lease { not_before: START, expires_at: START.plus(8_000) });
    })
}

fn at(registrar: Who, seconds: i64) -> Vec<LedgerEntry> {
    vec![entry(registrar, 30, START.plus(seconds))]
}

#[test]
fn work_that_was_admitted_before_the_lease_ended_stays_admitted() {
    refuses("without a record", &ended(), &[AuthorityLeaseExpired]);
    for registrar in [Who::Ci, Who::Watcher] {
        admits("recorded in time", &admission(registrar, at(registrar, 7_500), MAIN)(ended()));
        admits("recorded in time, for another ref", &admission(registrar, at(registrar, 7_500), FIX)(ended()));
    }
    refuses("recorded too late", &admission(Who::Ci, at(Who::Ci, 8_001), MAIN)(ended()), &[AuthorityLeaseExpired]);
}

#[test]
fn a_record_by_the_actors_domain_or_an_unlisted_registrar_never_counts() {
    for registrar in [Who::CodexClone, Who::StrangerClone] {
        let world = admission(registrar, at(registrar, 7_500), MAIN)(ended());
        refuses(&format!("{registrar:?} says it was admitted"), &world, &[AuthorityLeaseExpired]);
    }
    let copied = admission(Who::StrangerClone, at(Who::Ci, 7_500), MAIN)(ended());
    refuses("a listed registrar holds a copy of a stranger's word", &copied, &[AuthorityLeaseExpired]);
    let borrowed = admission(Who::Ci, at(Who::StrangerClone, 7_500), MAIN)(ended());
    refuses(
        "a stranger holds a copy of a listed one's word, with a time of its own",
        &borrowed,
        &[AuthorityLeaseExpired],
    );
    let unrooted = admission(Who::Ci, at(Who::Ci, 7_500), MAIN)(ended()).trust(|document| {
        document.keys.get_mut(&Who::Ci.id()).expect("listed").roles.clear();
    });
    // Its entries are not listed either then; the facts say so.
    let unlisted = unrooted.facts(|facts| {
        let mut artifacts: std::collections::BTreeMap<_, _> =
            facts.artifacts.all().map(|recorded| (recorded.artifact.digest(), recorded.clone())).collect();
        artifacts.values_mut().flat_map(|recorded| &mut recorded.entries).for_each(|entry| entry.listed = false);
        facts.artifacts = git_boundary::gate::docket::Docket::new(artifacts);
    });
    refuses("a registrar that lost its role", &unlisted, &[AuthorityLeaseExpired]);
}

#[test]
fn a_revocation_after_the_admission_to_this_ref_comes_too_late() {
    let admitted = |reference| admission(Who::Ci, at(Who::Ci, 7_500), reference);
    let revoked = |seconds: i64| revocation(Who::Owner, seconds)(World::admitted());
    let admitted = |reference| move |world| afterwards(admitted(reference)(world));
    admits("admitted here, then revoked", &admitted(MAIN)(revoked(7_501)));
    admits("revoked within the second, further down the same ledger", &admitted(MAIN)(revoked(7_500)));
    let late = vec![entry(Who::Ci, 95, START.plus(7_500))];
    let revoked_first = afterwards(admission(Who::Ci, late, MAIN)(revoked(7_500)));
    refuses("admitted within the second, further down", &revoked_first, &[AuthorityLeaseRevoked]);
    let elsewhere = afterwards(admission(Who::Watcher, at(Who::Watcher, 7_500), MAIN)(revoked(7_500)));
    refuses("a tie between two ledgers ends the lease", &elsewhere, &[AuthorityLeaseRevoked]);
    let pushed = admission(Who::Ci, at(Who::Ci, 7_500), FIX)(revoked(7_501));
    refuses("admitted elsewhere, then revoked", &pushed, &[AuthorityLeaseRevoked]);
    refuses("never admitted", &revoked(7_501), &[AuthorityLeaseRevoked]);
    refuses("revoked in the future of a ledger, and now is later", &revoked(10_800), &[AuthorityLeaseRevoked]);
    refuses("revoked by a clock ahead of this one", &revoked(20_000), &[AuthorityLeaseRevoked]);
    let tried = admission(Who::Ci, at(Who::Ci, 7_500), MAIN)(revoked(7_501));
    refuses("a try that never landed decided nothing", &tried, &[AuthorityLeaseRevoked]);
}

#[test]
fn the_holders_own_domain_cannot_date_a_revocation_forward() {
    let admitted = || admission(Who::Ci, at(Who::Ci, 7_500), MAIN)(World::admitted());
    let known = |entries: Vec<LedgerEntry>| afterwards(revocation_in(Who::Owner, entries)(admitted()));
    let laptop = || entry(Who::StrangerClone, 4, START.plus(7_000));
    refuses("only an unlisted ledger dates it, before", &known(vec![laptop()]), &[AuthorityLeaseRevoked]);
    let own = entry(Who::CodexClone, 9, START.plus(8_000));
    refuses("the holder's own registrar dates it later", &known(vec![laptop(), own]), &[AuthorityLeaseRevoked]);
    let other = entry(Who::Watcher, 9, START.plus(8_000));
    admits("another domain's registrar dates it later", &known(vec![laptop(), other]));
}

/// Asked afterwards, without a remembered old value.
fn afterwards(world: World) -> World {
    world.update(|update| {
        update.purpose = Purpose::Verify;
        update.old = Oid::from_bytes(&[0; 20]).expect("zero");
        update.fast_forward = None;
    })
}

#[test]
fn verify_judges_as_of_the_proposals_entry_where_that_clock_counts() {
    admits("the proposal stood in a listed ledger in time", &afterwards(ended()));
    refuses("a push is judged now", &ended(), &[AuthorityLeaseExpired]);
    for registrar in [Who::CodexClone, Who::StrangerClone] {
        let own = ended().at(Part::Proposal, vec![entry(registrar, 2, START.plus(3_600))]);
        refuses(&format!("only {registrar:?} says when"), &afterwards(own), &[AuthorityLeaseExpired]);
    }
    let late = ended().at(Part::Proposal, vec![entry(Who::Ci, 5, START.plus(8_001))]);
    refuses("proposed after the lease", &afterwards(late), &[AuthorityLeaseExpired]);
    let early = World::admitted().at(Part::Proposal, vec![entry(Who::Ci, 2, START.plus(-1))]);
    refuses("proposed before it", &afterwards(early), &[AuthorityLeaseExpired]);
}

#[test]
fn the_earliest_clock_that_counts_is_the_one_and_others_do_not_move_it() {
    let noisy = ended().at(
        Part::Proposal,
        vec![
            entry(Who::StrangerClone, 0, Timestamp(0)),
            entry(Who::CodexClone, 0, Timestamp(0)),
            entry(Who::Ci, 2, START.plus(3_600)),
            entry(Who::Watcher, 9, START.plus(9_000)),
        ],
    );
    let (facts, _) = afterwards(noisy).build();
    let verdict = git_boundary::gate::judge::judge(&facts);
    assert_eq!(verdict.primary(), None, "it is admitted as of the first listed entry: {:?}", verdict.findings);
    let said = verdict.notices.iter().find(|notice| notice.contains("judged as of")).expect("it is said whose clock");
    assert!(said.contains("2026-06-06T01:00:00Z") && said.contains("ci"), "and which: {said}");
}
