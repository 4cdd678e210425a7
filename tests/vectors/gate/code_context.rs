//! Ranks 28 and 29: what the actor was shown.

use git_boundary::gate::checks::context::delivered_root;
use git_boundary::model::context::{Delivered, DeliveredKind};
use git_boundary::model::fact::{Fact, Reason};
use git_boundary::model::id::EnvelopeId;
use git_boundary::model::policy::Strength;
use git_boundary::model::refusal::Code::*;

use super::parts::{digest, oid, pin, tree};
use super::world::{Part, World, admits, entry, one_fact};
use crate::vectors::cast::{START, Who};

use super::code_evidence::diff_from;

#[test]
fn a_proposal_without_a_context_receipt_lacks_one() {
    one_fact("the receipt is gone", World::admitted(), |world| world.lost(Part::Receipt), &[ContextReceiptMissing]);
    one_fact("none is named", World::admitted(), |world| world.without(Part::Receipt), &[ContextReceiptMissing]);
    let wrong = |world: World| {
        world.proposal(|it| {
            let lease = *it.predicate.bindings.lease.value().expect("a lease");
            it.predicate.bindings.context = Fact::known(lease, "handoff", START);
        })
    };
    one_fact("what is named is no receipt", World::admitted(), wrong, &[ContextReceiptMissing]);
}

#[test]
fn a_receipt_by_the_actors_own_clone_is_too_weak_where_another_is_wanted() {
    let other = || World::admitted().rule(|rule| rule.context_strength = Strength::Other);
    let minted_by = |who: Who| {
        move |world: World| {
            world.signed(Part::Receipt, &[who]).at(Part::Receipt, vec![entry(who, 1, START.plus(3_600))])
        }
    };
    admits("by another domain's clone", &minted_by(Who::Watcher)(other()));
    for who in [Who::CodexClone, Who::StrangerClone] {
        one_fact(&format!("by {who:?}"), other(), minted_by(who), &[ContextReceiptMissing]);
    }
    let copied = |world: World| {
        minted_by(Who::StrangerClone)(world).at(Part::Receipt, vec![entry(Who::Ci, 1, START.plus(3_600))])
    };
    one_fact("minted by a stranger, copied by a listed one", other(), copied, &[ContextReceiptMissing]);
    let witnessed = |world: World| world.rule(|rule| rule.context_strength = Strength::Witnessed);
    one_fact("no witness where one is wanted", other(), witnessed, &[ContextReceiptMissing]);
}

type ReceiptEdit = fn(&mut git_boundary::model::context::ContextReceipt);

#[test]
fn a_receipt_of_other_content_does_not_match() {
    let edits: [(&str, ReceiptEdit); 9] = [
        ("to another actor", |it| it.actor = Who::Claude.id()),
        ("for another envelope", |it| it.envelope_id = EnvelopeId([9; 16])),
        ("another root", |it| it.delivered_root = digest(1)),
        ("an item left out of the root", |it| {
            it.delivered.remove(1);
        }),
        ("another specification", |it| {
            it.delivered[3].digest = digest(1);
            it.delivered_root = delivered_root(&it.delivered);
        }),
        ("no specification", |it| {
            it.delivered.truncate(3);
            it.delivered_root = delivered_root(&it.delivered);
        }),
        ("two specifications", |it| {
            it.delivered.push(Delivered { digest: digest(1), kind: DeliveredKind::Specification });
            it.delivered_root = delivered_root(&it.delivered);
        }),
        ("another handoff", |it| {
            it.delivered[0].digest = digest(1);
            it.delivered_root = delivered_root(&it.delivered);
        }),
        ("no handoff", |it| {
            it.delivered.remove(0);
            it.delivered_root = delivered_root(&it.delivered);
        }),
    ];
    for (name, edit) in edits {
        let fault = move |world: World| world.receipt(move |it| edit(&mut it.predicate));
        one_fact(name, World::admitted(), fault, &[ContextReceiptMismatch]);
    }
}

#[test]
fn a_proposal_bound_to_other_content_than_was_delivered_does_not_match() {
    let assignment =
        |world: World| world.proposal(|it| it.predicate.bindings.assignment = Fact::known(digest(1), "nowhere", START));
    one_fact("another assignment", World::admitted(), assignment, &[ContextReceiptMismatch]);
    let unknown = |world: World| {
        world.proposal(|it| it.predicate.bindings.assignment = Fact::Unknown { reason: Reason::NoHandoff })
    };
    one_fact("an unknown assignment", World::admitted(), unknown, &[ContextReceiptMismatch]);
}

#[test]
fn a_proposal_that_says_it_starts_elsewhere_than_its_handoff_pins_does_not_match() {
    // The agent would have its checker read the diff from a commit of its own choosing.
    let elsewhere = |world: World| {
        world
            .proposal(|it| it.predicate.bindings.source_expected = Fact::known(oid(0xb7), "handoff", START))
            .diet(|diet| diet[0].digest = diff_from(oid(0xb7), tree(pin())))
    };
    one_fact("the source is another commit", World::admitted(), elsewhere, &[ContextReceiptMismatch]);
    let nowhere = |world: World| {
        world.proposal(|it| it.predicate.bindings.source_expected = Fact::NotApplicable { reason: Reason::NoHandoff })
    };
    one_fact("the source is nothing", World::admitted(), nowhere, &[ContextReceiptMismatch]);
    let unseen = |world: World| {
        world.proposal(|it| it.predicate.bindings.source_observed = Fact::known(oid(0xb7), "main", START))
    };
    one_fact("the base was not seen there", World::admitted(), unseen, &[ContextReceiptMismatch]);
}
