//! Chains of events: gaps, forks, edits.

use crate::ledger::chain::{Fault, Link, check, next};
use crate::model::digest::Digest;

fn digest(n: u8) -> Digest {
    Digest([n; 32])
}

/// Link number `seq` with digest `own`, going on from `prev`.
fn link(seq: u64, prev: u8, own: u8) -> Link {
    Link { seq, prev: Some(digest(prev)), digest: digest(own) }
}

const START: Option<Digest> = Some(Digest([100; 32]));

fn whole() -> Vec<Link> {
    vec![link(1, 100, 1), link(2, 1, 2), link(3, 2, 3), link(4, 3, 4)]
}

#[test]
fn a_whole_chain_is_put_in_order() {
    let shuffled = [link(3, 2, 3), link(1, 100, 1), link(4, 3, 4), link(2, 1, 2), link(3, 2, 3)];
    assert_eq!(check(START, &shuffled), Ok(whole()), "in any order, a line stored twice is one event");
    assert_eq!(check(START, &[]), Ok(vec![]));
    let from_nothing = Link { prev: None, ..link(1, 0, 1) };
    assert_eq!(check(None, &[from_nothing]), Ok(vec![from_nothing]));
}

#[test]
fn the_next_link_goes_on_from_the_last() {
    assert_eq!(next(START, &[]), Ok((1, START)));
    assert_eq!(next(None, &[]), Ok((1, None)));
    assert_eq!(next(START, &whole()), Ok((5, Some(digest(4)))));
    assert!(next(START, &whole()[1..]).is_err(), "a faulty chain is not added to");
}

#[test]
fn a_gap_names_the_link_after_it() {
    let mut links = whole();
    links.drain(1..3);
    assert_eq!(check(START, &links), Err(vec![Fault::Gap { first: 2, last: 3, link: digest(4) }]));
    assert_eq!(check(START, &whole()[1..]), Err(vec![Fault::Gap { first: 1, last: 1, link: digest(2) }]));
}

#[test]
fn a_fork_names_its_branches() {
    let mut links = whole();
    links.push(link(3, 2, 30));
    let fork = Fault::Fork { seq: 3, prev: Some(digest(2)), links: vec![digest(3), digest(30)] };
    assert_eq!(check(START, &links), Err(vec![fork.clone()]));
    links.push(link(4, 30, 40));
    assert_eq!(check(START, &links), Err(vec![fork]), "what follows either branch is no fault of its own");
}

#[test]
fn a_fork_at_the_start_is_a_fork() {
    let fork = Fault::Fork { seq: 1, prev: START, links: vec![digest(1), digest(9)] };
    assert_eq!(check(START, &[link(1, 100, 1), link(1, 100, 9)]), Err(vec![fork]));
}

#[test]
fn an_exchanged_event_shows_in_the_one_that_went_on_from_it() {
    let mut links = whole();
    links[1].digest = digest(22);
    let edit = Fault::Edit { seq: 3, link: digest(3), names: Some(digest(2)), found: Some(digest(22)) };
    assert_eq!(check(START, &links), Err(vec![edit]));
}

#[test]
fn a_chain_must_begin_at_its_start() {
    let edit = |names, found| Fault::Edit { seq: 1, link: digest(1), names, found };
    assert_eq!(check(None, &whole()), Err(vec![edit(START, None)]));
    let from_nothing = Link { prev: None, ..link(1, 0, 1) };
    assert_eq!(check(START, &[from_nothing]), Err(vec![edit(None, START)]));
}

#[test]
fn a_number_before_the_first_is_a_fault() {
    let mut links = whole();
    links.push(link(0, 100, 50));
    assert_eq!(check(START, &links), Err(vec![Fault::BeforeStart { seq: 0, link: digest(50) }]));
}

#[test]
fn every_fault_is_reported() {
    let links = [link(1, 99, 1), link(3, 2, 3), link(3, 2, 33), link(u64::MAX, 5, 6)];
    let faults = check(START, &links).unwrap_err();
    assert_eq!(
        faults,
        [
            Fault::Edit { seq: 1, link: digest(1), names: Some(digest(99)), found: START },
            Fault::Gap { first: 2, last: 2, link: digest(3) },
            Fault::Gap { first: 2, last: 2, link: digest(33) },
            Fault::Fork { seq: 3, prev: Some(digest(2)), links: vec![digest(3), digest(33)] },
            Fault::Gap { first: 4, last: u64::MAX - 1, link: digest(6) },
        ]
    );
}

#[test]
fn faults_say_what_happened() {
    let edit = Fault::Edit { seq: 1, link: digest(1), names: None, found: START };
    let text = edit.to_string();
    assert!(text.contains("goes on from nothing") && text.contains(&digest(100).to_string()), "{text}");
}
