//! The rows that hand-made events add up to.

use super::*;
use crate::model::context::{Observation, ObservedBy, Snapshot};
use crate::model::id::Oid;

fn oid(digit: char) -> Oid {
    digit.to_string().repeat(40).parse().expect("an oid")
}

fn candidate(old: char, new: char) -> Candidate {
    Candidate {
        envelope: Some(Digest([1; 32])),
        new: oid(new),
        old: oid(old),
        reference: "refs/heads/x".to_owned(),
        repository: format!("repo_{}", "0".repeat(32)).parse().expect("a repository"),
    }
}

fn event(at: i64, kind: EventKind) -> Event {
    Event { at: Timestamp(at), envelope_id: None, kind, prev: None, seq: 1, version: Some(1) }
}

fn admitted(candidate: Candidate, pending: bool) -> Event {
    let seen = Observation { by: ObservedBy::Hook, oid: None, reference: "refs/heads/main".to_owned() };
    let snapshot = Snapshot { base: seen.clone(), destination: seen, policy: Digest([2; 32]), trust: Digest([3; 32]) };
    event(1, EventKind::Admitted { candidate, pending, snapshot: Box::new(snapshot) })
}

fn claimed(candidate: Candidate, attempt: u64, row_version: u64, fence: &str) -> Event {
    event(2, EventKind::Claimed { attempt, candidate, fence: fence.to_owned(), row_version, until: Timestamp(100) })
}

fn settled(at: i64, candidate: Candidate, fence: Option<&str>) -> Event {
    let observed = ObservedUpdate { new: candidate.new, old: candidate.old, reference: candidate.reference.clone() };
    let fence = fence.map(str::to_owned);
    event(at, EventKind::Settled { candidate, disposition: Disposition::Complete, fence, observed })
}

fn released(candidate: Candidate) -> Event {
    event(2, EventKind::Released { approval: Digest([9; 32]), candidate })
}

#[test]
fn a_row_goes_one_way_from_pending_to_settled() {
    let one = candidate('a', 'b');
    let mut events = vec![admitted(one.clone(), true)];
    assert_eq!(fold(&events).0[0].state, State::Pending);
    events.push(claimed(one.clone(), 1, 1, "f"));
    let (rows, faults) = fold(&events);
    assert_eq!((&rows[0].state, faults.len()), (&State::Pending, 1), "nobody claims what waits");
    events.pop();
    events.push(released(one.clone()));
    assert_eq!(fold(&events).0[0].state, State::Ready);
    events.push(claimed(one.clone(), 1, 2, "f"));
    events.push(settled(3, one.clone(), Some("f")));
    let (rows, faults) = fold(&events);
    assert!(rows[0].is_settled() && faults.is_empty(), "{faults:?}");
    for late in [settled(4, one.clone(), Some("f")), claimed(one, 2, 4, "g")] {
        let mut events = events.clone();
        events.push(late);
        let (rows, faults) = fold(&events);
        assert_eq!((rows[0].version, faults.len()), (4, 1));
    }
}

#[test]
fn only_who_holds_the_current_claim_settles() {
    let one = candidate('a', 'b');
    let claims = |attempts: u64| {
        let mut events = vec![admitted(one.clone(), false)];
        events.extend((1..=attempts).map(|attempt| claimed(one.clone(), attempt, attempt, &attempt.to_string())));
        events
    };
    for (attempts, at, fence, holds) in [
        (0, 3, None, true),
        (0, 3, Some("1"), false),
        (1, 3, None, false),
        (1, 3, Some("1"), true),
        (2, 3, Some("1"), false),
        (2, 3, Some("2"), true),
        (2, 101, None, true),
    ] {
        let mut events = claims(attempts);
        events.push(settled(at, one.clone(), fence));
        let (rows, faults) = fold(&events);
        assert_eq!(rows[0].is_settled(), holds, "{attempts} {at} {fence:?}: {faults:?}");
    }
    let (rows, faults) = fold(&claims(4));
    assert_eq!((rows[0].attempts, faults.len()), (3, 1), "there is no fourth attempt");
}

#[test]
fn a_claim_for_an_older_version_of_the_row_is_none() {
    let one = candidate('a', 'b');
    let (rows, faults) = fold(&[admitted(one.clone(), false), claimed(one, 1, 7, "f")]);
    assert_eq!((rows[0].attempts, faults.len()), (0, 1));
}

#[test]
fn an_update_that_was_overtaken_has_no_row_unless_somebody_acts_on_it() {
    let (one, other) = (candidate('a', 'b'), candidate('c', 'b'));
    let (rows, _) = fold(&[admitted(one.clone(), false), admitted(other.clone(), false)]);
    assert_eq!(rows.iter().map(|row| &row.candidate).collect::<Vec<_>>(), [&other]);
    let (rows, _) = fold(&[admitted(one.clone(), false), claimed(one, 1, 1, "f"), admitted(other, false)]);
    assert_eq!(rows.len(), 2);
}

#[test]
fn a_settlement_of_what_was_never_admitted_is_a_fault() {
    let (rows, faults) = fold(&[settled(3, candidate('a', 'b'), None)]);
    assert!(rows.is_empty() && faults.len() == 1);
}
