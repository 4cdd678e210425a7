//! What was signed, changed and signed again by the same key.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::canonical;
use git_boundary::codec::in_toto::PAYLOAD_TYPE;
use git_boundary::codec::treeship::RECEIPT_PAYLOAD_TYPE;
use git_boundary::gate::verdict::Outcome;
use serde_json::Value;

use super::super::make::file;
use super::super::places::{leave_out, members, others};
use super::super::worlds;
use super::lines::{EVERYBODY, apart, kind, with_line};
use super::{Found, is_admitted, only_these};
use crate::vectors::cast;
use crate::vectors::gate::world::Part;

const IN_FORCE: &str = "what is in force when it is judged governs";
const LABEL: &str = "a label, never evidence";
const NONCE: &str = "only makes it another artifact, which all else here is bound to";
const PROVENANCE: &str = "where and when it was read, for people";
const WORK: &str = "the work is the owner's to name; all else is bound to its digest";

/// Lines that no other line names by digest: changed and signed again by the same key, everything else still holds.
const NAMED_BY_NONE: [&str; 3] = ["approval", "diet-commitment", "boundary"];

#[test]
fn every_word_of_what_nothing_else_names() {
    let mut found = Found::default();
    for (name, world) in worlds::all() {
        let whole = file(&world);
        for place in 0..whole.lines.len() {
            let (before, artifact) = apart(&whole.lines[place]);
            if !NAMED_BY_NONE.iter().any(|named| kind(&artifact).starts_with(named)) {
                continue;
            }
            let signer = EVERYBODY.into_iter().find(|who| who.name() == artifact.signatures[0].keyid).expect("known");
            let payload: Value = serde_json::from_slice(&artifact.payload).expect("JSON");
            for (at, other) in others(&payload) {
                let mut changed = payload.clone();
                *changed.pointer_mut(&at).expect("the place is there") = other;
                let bytes = canonical::to_vec(&changed);
                let changed = cast::sign_bytes(&artifact.payload_type, bytes, &[signer]);
                if is_admitted(&with_line(&whole, place, &before, &changed).answer()) {
                    found.note(name, format!("{} {at}", kind(&artifact)));
                }
            }
        }
    }
    only_these(
        found,
        &[
            ("approval /predicate/expires_at: approved", "a later end is as good"),
            ("approval /predicate/nonce: approved", "only makes it another artifact"),
            ("approval /predicate/reason: approved", "for people"),
            ("approval /subject/0/digest/gitTree: approved", "it names by digest a proposal, which has the tree"),
            ("approval /subject/0/name: approved", "it names by digest a proposal for this repository"),
            ("boundary.v1 /payload/actor/uri: approved checked twice", "a label, never evidence"),
            ("boundary.v1 /payload/checker/uri: approved checked twice", "a label, never evidence"),
            ("boundary.v1 /payload/committed_at/ts: approved checked twice", "the ledger has the time"),
            ("boundary.v1 /system: approved checked twice", "a label, never evidence"),
            ("boundary.v1 /timestamp: approved checked twice", "the ledger has the time"),
            ("diet-commitment /predicate/nonce: approved checked twice", "only makes it another artifact"),
            (
                "diet-commitment /subject/0/name: approved checked twice",
                "it names by digest a proposal for this repository",
            ),
        ],
    );
}

/// A payload with each word otherwise, and with each element of its lists left out.
fn changed(payload: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (at, other) in others(payload) {
        let mut changed = payload.clone();
        *changed.pointer_mut(&at).expect("the place is there") = other;
        all.push((at, changed));
    }
    for at in members(payload) {
        let mut changed = payload.clone();
        leave_out(&mut changed, &at);
        all.push((format!("{at} left out"), changed));
    }
    all
}

#[test]
fn every_word_of_every_part() {
    let mut found = Found::default();
    for (name, world) in worlds::all() {
        for part in Part::ALL.into_iter().filter(|part| world.has(*part)) {
            let payload_type = if part == Part::Proof { RECEIPT_PAYLOAD_TYPE } else { PAYLOAD_TYPE };
            let type_apart = |(at, _): &(String, Value)| at != "/predicateType";
            for (at, changed) in changed(&world.payload(part)).into_iter().filter(type_apart) {
                if Artifact::read(payload_type, &canonical::to_vec(&changed)).is_err() {
                    // No such statement can be made; that readers refuse it is shown elsewhere.
                    continue;
                }
                let edited = world.clone().json(part, move |value| *value = changed.clone());
                if edited.judged().outcome == Outcome::Admitted {
                    found.note(name, format!("{part:?} {at}"));
                }
            }
        }
    }
    only_these(
        found,
        &[
            ("Commitment /predicate/nonce: approved checked twice", NONCE),
            ("Commitment /subject/0/name: approved checked twice", "it names by digest a proposal for this repository"),
            ("Handoff /predicate/assignment/asserted/summary left out: approved checked twice", WORK),
            ("Handoff /predicate/assignment/asserted/summary: approved checked twice", WORK),
            ("Handoff /predicate/assignment/work_id: approved checked twice", WORK),
            ("Handoff /predicate/lease/expires_at: approved checked twice", "a lease that ends later holds as well"),
            ("Handoff /predicate/lease/not_before: approved checked twice", "a lease that began earlier holds as well"),
            ("Handoff /predicate/nonce: approved checked twice", NONCE),
            ("Handoff /predicate/policy: approved checked twice", IN_FORCE),
            ("Handoff /predicate/scope/operations/0 left out: approved checked twice", "add: the tip adds nothing"),
            ("Handoff /predicate/scope/operations/0: approved checked twice", "add: the tip adds nothing"),
            ("Handoff /predicate/scope/operations/2 left out: approved checked twice", "delete: it deletes nothing"),
            ("Handoff /predicate/scope/operations/2: approved checked twice", "delete: it deletes nothing"),
            ("Handoff /predicate/scope/operations/3 left out: approved checked twice", "mode: it changes none"),
            ("Handoff /predicate/scope/operations/3: approved checked twice", "mode: it changes none"),
            ("Handoff /predicate/scope/operations/4 left out: approved checked twice", "create: the branch is there"),
            ("Handoff /predicate/scope/operations/4: approved checked twice", "create: the branch is there"),
            (
                "Handoff /predicate/scope/refs/0 left out: approved checked twice",
                "the agent's own branches are not pushed to",
            ),
            ("Handoff /predicate/scope/refs/0: approved checked twice", "the agent's own branches are not pushed to"),
            ("Proof /payload/actor/uri left out: approved checked twice", LABEL),
            ("Proof /payload/actor/uri: approved checked twice", LABEL),
            ("Proof /payload/checker/uri left out: approved checked twice", LABEL),
            ("Proof /payload/checker/uri: approved checked twice", LABEL),
            ("Proof /payload/committed_at/ts: approved checked twice", "the ledger has the time"),
            ("Proof /system: approved checked twice", LABEL),
            ("Proof /timestamp: approved checked twice", "the ledger has the time"),
            ("Proposal /predicate/bindings/actor/observed_at", PROVENANCE),
            ("Proposal /predicate/bindings/actor/source_ref", PROVENANCE),
            ("Proposal /predicate/bindings/assignment/observed_at", PROVENANCE),
            ("Proposal /predicate/bindings/assignment/source_ref", PROVENANCE),
            ("Proposal /predicate/bindings/context/observed_at", PROVENANCE),
            ("Proposal /predicate/bindings/context/source_ref", PROVENANCE),
            ("Proposal /predicate/bindings/lease/observed_at: approved checked twice", PROVENANCE),
            ("Proposal /predicate/bindings/lease/source_ref: approved checked twice", PROVENANCE),
            ("Proposal /predicate/bindings/source_expected/observed_at: approved checked twice", PROVENANCE),
            ("Proposal /predicate/bindings/source_expected/source_ref: approved checked twice", PROVENANCE),
            ("Proposal /predicate/bindings/source_observed/observed_at", PROVENANCE),
            ("Proposal /predicate/bindings/source_observed/source_ref", PROVENANCE),
            ("Proposal /predicate/change/list", "a hint at equal changes; who looks for those recomputes it"),
            ("Proposal /predicate/claim/asserted/reason", "asserted, which no rule reads"),
            ("Proposal /predicate/claim/asserted/reason left out", "asserted, which no rule reads"),
            ("Proposal /predicate/idempotency_key", "names attempts, not authority"),
            (
                "Proposal /predicate/requested_action/old: checked person twice",
                "the tip contains what is there, and no approval binds it",
            ),
            ("Proposal /predicate/version", "versions order themselves; each stands by its digest"),
            ("Receipt /predicate/at", "the clone's own clock, which counts against nobody"),
            ("Receipt /predicate/snapshot/base/by", "how the clone knew; for people"),
            (
                "Receipt /predicate/snapshot/base/ref: person",
                "nobody checks a person's work, so that nobody was shown a diff from there",
            ),
            ("Receipt /predicate/snapshot/destination/by", "how the clone knew; for people"),
            ("Receipt /predicate/snapshot/destination/oid", "the action says which old value it is for"),
            ("Receipt /predicate/snapshot/destination/ref", "the action says which ref"),
            ("Receipt /predicate/snapshot/policy", IN_FORCE),
            ("Receipt /predicate/snapshot/trust", IN_FORCE),
            ("Receipt /subject/0/digest/gitCommit", "readers hold it against the note that it stands on"),
            ("Receipt /subject/0/digest/gitTree", "the proposal's tree is held against the commit"),
            ("Receipt /subject/0/name", "it is named by digest, in a proposal for this repository"),
        ],
    );
}
