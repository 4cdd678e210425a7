//! One small case for every code.

mod approval;
mod authority;
mod evidence;
mod identity;
mod policy;
mod result;
mod source;

use git_boundary::model::refusal::Code;

use super::super::cast::Who;
use super::super::gate::world::{Part, World};
use super::super::vector::Vector;
use super::make::{Shown, admitted};

/// A case among these parties alone, and the root.
pub fn among(parties: &'static [Who]) -> World {
    World::admitted().rule(|rule| rule.people.clear()).trust(move |document| {
        let there = |id: &_| parties.iter().chain(&[Who::Root]).any(|who| who.id() == *id);
        document.keys.retain(|id, _| there(id));
        document.domains.values_mut().for_each(|keys| keys.retain(there));
        document.domains.retain(|_, keys| !keys.is_empty());
    })
}

/// Codex's work under the owner's handoff, where the rule wants no proof.
pub fn handed() -> World {
    handed_among(&[Who::Owner, Who::Codex, Who::Ci])
}

pub fn handed_among(parties: &'static [Who]) -> World {
    among(parties)
        .rule(|rule| (rule.proofs.count, rule.proofs.domains) = (0, 0))
        .without(Part::Commitment)
        .without(Part::Proof)
}

/// The same, checked by Reviewer.
pub fn checked() -> World {
    among(&[Who::Owner, Who::Codex, Who::Reviewer, Who::Ci])
}

/// Every code that a case shows.
fn all() -> Vec<Shown> {
    [
        identity::shown(),
        source::shown(),
        authority::shown(),
        policy::shown(),
        result::shown(),
        approval::shown(),
        evidence::shown(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Where the case of a code lies.
fn path(code: Code) -> String {
    let (check, reason) = code.name().split_once('.').expect("a code is a check and a reason");
    format!("gate/{check}/{reason}.case")
}

pub fn vectors() -> Vec<Vector> {
    let mut vectors: Vec<Vector> = all().iter().map(|shown| shown.vector(path(shown.code))).collect();
    let about = "a handoff, what was delivered, a proposal, a check of it, and nothing else";
    vectors.push(admitted("gate/admitted.case".to_owned(), about, &checked()));
    vectors.push(moved_away().vector("gate/hostile/handoff-stale-checkout-left.case".to_owned()));
    vectors.push(authority::another_repository().vector("gate/hostile/lease-for-another-repository.case".to_owned()));
    vectors.push(result::bare_receipt().vector("gate/hostile/completion-on-a-work-receipt-alone.case".to_owned()));
    vectors
}

/// The first hostile case of the source.
fn moved_away() -> Shown {
    use super::super::gate::parts::{MAIN, observed, oid};
    use git_boundary::model::policy::PinRule;
    let about = "the handoff pins one revision, and the checkout that the work starts from has moved to another";
    let exact = handed().rule(|rule| rule.pin = PinRule::Exact);
    Shown::new(Code::SourceHandoffStale, about, exact, |world| world.pin(|it| it.base = observed(MAIN, oid(0xb7))))
}
