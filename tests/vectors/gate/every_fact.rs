//! Every fact of the admitted case, one at a time: taken away or changed, the case is admitted no more. What may change and leaves it
//! admitted is listed, each with the reason.

use std::collections::BTreeSet;

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::canonical;
use git_boundary::codec::in_toto::PAYLOAD_TYPE;
use git_boundary::codec::treeship::RECEIPT_PAYLOAD_TYPE;
use git_boundary::gate::facts::LedgerEntry;
use git_boundary::gate::verdict::Outcome;
use git_boundary::model::trust::TrustDocument;
use serde_json::Value;

use super::world::{Part, World};
use crate::vectors::cast::Who;

fn is_admitted(world: &World) -> bool {
    world.judged().outcome == Outcome::Admitted
}

/// One place in a JSON value, and another value for it; `None` takes it out of its list.
type Change = (String, Option<Value>);

/// Every leaf with each of the values that a type might take it for, and every element of every list, left out.
fn changes(value: &Value) -> Vec<Change> {
    let mut found = Vec::new();
    walk(value, String::new(), &mut found);
    found
}

fn walk(value: &Value, at: String, found: &mut Vec<Change>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, inner)| walk(inner, format!("{at}/{name}"), found)),
        Value::Array(list) => {
            for (place, inner) in list.iter().enumerate() {
                found.push((format!("{at}/{place}"), None));
                walk(inner, format!("{at}/{place}"), found);
            }
        }
        leaf => found.extend(others(leaf).into_iter().map(|other| (at.clone(), Some(other)))),
    }
}

fn others(leaf: &Value) -> Vec<Value> {
    match leaf {
        Value::Bool(it) => vec![Value::Bool(!it)],
        Value::Number(it) => vec![Value::from(it.as_u64().unwrap_or_default() + 1)],
        Value::Null => vec![Value::from(format!("sha256:{}", "1".repeat(64)))],
        Value::String(text) => {
            let mut others = vec![format!("{text}x"), "1970-01-01T00:00:00Z".into(), "2099-01-01T00:00:00Z".into()];
            others.extend(
                ["deny", "actor", "completion", "handoff", "specification", "remote", "modify"].map(String::from),
            );
            // A digit of an id; an id of one's own is longer by its prefix, and its last digit is as good as any.
            let last = if text.ends_with('0') { "1" } else { "0" };
            others.push(format!("{}{last}", &text[..text.len().saturating_sub(1)]));
            others.into_iter().filter(|other| other != text).map(Value::from).collect()
        }
        _ => Vec::new(),
    }
}

fn apply(value: &mut Value, (at, other): &Change) {
    match other {
        Some(other) => *value.pointer_mut(at).expect("the place is there") = other.clone(),
        None => {
            let (list, place) = at.rsplit_once('/').expect("an element is in a list");
            let list = value.pointer_mut(list).and_then(Value::as_array_mut).expect("the list is there");
            list.remove(place.parse().expect("an index"));
        }
    }
}

/// The places of one part of which every other readable value leaves the case admitted.
fn free_places(part: Part) -> BTreeSet<String> {
    let world = World::admitted();
    let payload = world.payload(part);
    let (mut free, mut bound) = (BTreeSet::new(), BTreeSet::new());
    for change in changes(&payload) {
        let mut changed = payload.clone();
        apply(&mut changed, &change);
        let payload_type = if part == Part::Proof { RECEIPT_PAYLOAD_TYPE } else { PAYLOAD_TYPE };
        if Artifact::read(payload_type, &canonical::to_vec(&changed)).is_err() {
            // No such statement can be made; that readers refuse it is shown elsewhere.
            continue;
        }
        let at = if change.1.is_none() { format!("{} left out", change.0) } else { change.0.clone() };
        let admitted = is_admitted(&world.clone().json(part, move |value| apply(value, &change)));
        if admitted {
            free.insert(at)
        } else {
            bound.insert(at)
        };
    }
    free.retain(|at| !bound.contains(at));
    free
}

#[track_caller]
fn only_these_are_free(part: Part, expected: &[(&str, &str)]) {
    let expected: BTreeSet<String> = expected.iter().map(|(at, _)| (*at).to_owned()).collect();
    assert_eq!(free_places(part), expected, "{part:?}: exactly these places decide nothing here");
}

#[test]
fn every_word_of_the_handoff_counts_but_these() {
    only_these_are_free(
        Part::Handoff,
        &[
            (
                "/predicate/assignment/asserted/summary",
                "the work is the owner's to name; all else is bound to its digest",
            ),
            ("/predicate/assignment/work_id", "the same"),
            ("/predicate/nonce", "only makes it another artifact, which all else here is bound to"),
            ("/predicate/policy", "the policy in force when judged governs"),
            ("/predicate/renews", "a renewal stands by itself"),
            ("/predicate/scope/operations/0", "add: the tip adds nothing"),
            ("/predicate/scope/operations/0 left out", "add"),
            ("/predicate/scope/operations/2", "delete: it deletes nothing"),
            ("/predicate/scope/operations/2 left out", "delete"),
            ("/predicate/scope/operations/3", "mode: it changes none"),
            ("/predicate/scope/operations/3 left out", "mode"),
            ("/predicate/scope/operations/4", "create: the branch is there"),
            ("/predicate/scope/operations/4 left out", "create"),
            ("/predicate/scope/refs/0", "the agent's own branches are not pushed to"),
            ("/predicate/scope/refs/0 left out", "the same"),
        ],
    );
}

#[test]
fn every_word_of_the_context_receipt_counts_but_these() {
    only_these_are_free(
        Part::Receipt,
        &[
            ("/predicate/at", "the clone's own clock, which counts against nobody"),
            ("/predicate/snapshot/base/by", "how the clone knew; for people"),
            ("/predicate/snapshot/destination/by", "how the clone knew; for people"),
            ("/predicate/snapshot/destination/oid", "the action says which old value it is for"),
            ("/predicate/snapshot/destination/ref", "the action says which ref"),
            ("/predicate/snapshot/policy", "the policy in force when judged governs"),
            ("/predicate/snapshot/trust", "the trust document in force when judged governs"),
            ("/subject/0/digest/gitCommit", "readers hold it against the note that it stands on"),
            ("/subject/0/digest/gitTree", "the proposal's tree is held against the commit"),
            ("/subject/0/name", "it is named by digest, in a proposal for this repository"),
        ],
    );
}

#[test]
fn every_word_of_the_proposal_counts_but_these() {
    only_these_are_free(
        Part::Proposal,
        &[
            ("/predicate/bindings/actor/observed_at", "provenance, for people"),
            ("/predicate/bindings/actor/source_ref", "provenance, for people"),
            ("/predicate/bindings/assignment/observed_at", "provenance, for people"),
            ("/predicate/bindings/assignment/source_ref", "provenance, for people"),
            ("/predicate/bindings/context/observed_at", "provenance, for people"),
            ("/predicate/bindings/context/source_ref", "provenance, for people"),
            ("/predicate/bindings/lease/observed_at", "provenance, for people"),
            ("/predicate/bindings/lease/source_ref", "provenance, for people"),
            ("/predicate/bindings/source_expected/observed_at", "provenance, for people"),
            ("/predicate/bindings/source_expected/source_ref", "provenance, for people"),
            ("/predicate/bindings/source_observed/observed_at", "provenance, for people"),
            ("/predicate/bindings/source_observed/source_ref", "provenance, for people"),
            ("/predicate/change/list", "a hint at equal changes; who looks for those recomputes it"),
            ("/predicate/claim/asserted/reason", "asserted, which no rule reads"),
            ("/predicate/idempotency_key", "names attempts, not authority"),
            ("/predicate/predecessor", "an earlier version only lends its proofs, and this one has its own"),
            ("/predicate/requested_action/old", "the tip contains what is there, and no approval binds it"),
            ("/predicate/version", "versions order themselves; each stands by its digest"),
        ],
    );
}

#[test]
fn every_word_of_the_commitment_counts_but_these() {
    only_these_are_free(
        Part::Commitment,
        &[
            ("/predicate/nonce", "only makes it another artifact; the proof names it by its place"),
            ("/subject/0/name", "it names by digest a proposal for this repository"),
        ],
    );
}

#[test]
fn every_word_of_the_proof_counts_but_these() {
    only_these_are_free(
        Part::Proof,
        &[
            ("/payload/actor/uri", "a label, never evidence"),
            ("/payload/checker/uri", "a label, never evidence"),
            ("/payload/committed_at/ts", "the ledger has the time"),
            ("/system", "a label, never evidence"),
            ("/timestamp", "the ledger has the time"),
        ],
    );
}

#[test]
fn every_line_and_every_signature_counts() {
    for part in Part::ALL {
        assert!(!is_admitted(&World::admitted().without(part)), "{part:?}: never made");
        assert!(!is_admitted(&World::admitted().lost(part)), "{part:?}: lost");
    }
    // A context receipt is the word of the clone that the actor works in, whichever it is, where the rule asks for no more.
    for part in [Part::Handoff, Part::Proposal, Part::Commitment, Part::Proof] {
        for who in [Who::Stranger, Who::Tester, Who::Claude, Who::Auditor, Who::Ci, Who::Deputy] {
            let unreadable = who == Who::Stranger;
            let world = World::admitted();
            let world = if unreadable { world.lost(part) } else { world.signed(part, &[who]) };
            assert!(!is_admitted(&world), "{part:?}: signed by {who:?} instead");
        }
    }
}

/// The ledger entries of one part, changed.
fn with_entries(part: Part, edit: fn(&mut LedgerEntry)) -> World {
    World::admitted().entries_of(part, edit)
}

#[test]
fn the_entries_of_commitment_and_proof_count() {
    let edits: [(&str, fn(&mut LedgerEntry)); 2] =
        [("another place", |it| it.index += 100), ("another ledger", |it| it.registrar = Who::Watcher.id())];
    for (name, edit) in edits {
        assert!(!is_admitted(&with_entries(Part::Commitment, edit)), "the commitment at {name}");
    }
    assert!(!is_admitted(&with_entries(Part::Proof, |it| it.index = 3)), "the proof at its commitment's place");
    assert!(!is_admitted(&with_entries(Part::Proof, |it| it.index = 0)), "the proof before it");
    assert!(!is_admitted(&with_entries(Part::Proof, edits[1].1)), "the proof in another ledger");
    assert!(is_admitted(&with_entries(Part::Proof, edits[0].1)), "the proof may stand anywhere after it");
    for part in [Part::Handoff, Part::Receipt, Part::Proposal] {
        let free = with_entries(part, |it| it.registrar = Who::StrangerClone.id());
        assert!(
            is_admitted(&free),
            "{part:?}: at a push, in whose ledger it stands decides nothing while its key is good"
        );
    }
}

/// The trust document with the words of the parties to the case changed, one at a time.
#[test]
fn every_word_about_the_parties_counts_but_these() {
    let document = serde_json::to_value(crate::vectors::cast::document()).expect("a document is JSON");
    let parties = [Who::Owner, Who::Codex, Who::Reviewer];
    let about = |at: &str| {
        parties.iter().any(|who| at.starts_with(&format!("/keys/{}", who.id())))
            || ["/domains/codex", "/domains/reviewers/0", "/domains/team/0", "/expires_at", "/roots"]
                .iter()
                .any(|place| at.starts_with(place))
    };
    let (mut free, mut bound) = (BTreeSet::new(), BTreeSet::new());
    for change in changes(&document).into_iter().filter(|(at, _)| about(at)) {
        let mut changed = document.clone();
        apply(&mut changed, &change);
        let at = if change.1.is_none() { format!("{} left out", change.0) } else { change.0.clone() };
        let Ok(document) = serde_json::from_value::<TrustDocument>(changed) else { continue };
        let verifies = crate::vectors::cast::verifies(&document);
        let admitted = verifies && is_admitted(&World::admitted().trust(move |it| *it = document.clone()));
        if admitted {
            free.insert(at)
        } else {
            bound.insert(at)
        };
    }
    free.retain(|at| !bound.contains(at));
    let named = |who: Who, rest: &str| format!("/keys/{}/{rest}", who.id());
    let mut expected = BTreeSet::new();
    for who in parties {
        // A label is for people.
        expected.insert(named(who, "label"));
    }
    // That an owner is a person too lets it propose; here it gives work away.
    expected.insert(named(Who::Owner, "roles/1"));
    expected.insert(named(Who::Owner, "roles/1 left out"));
    assert_eq!(free, expected, "exactly these decide nothing");
}
