//! Claims that work is done, and the work receipts that they rest on.

use std::collections::BTreeSet;

use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::{Predicate, Statement, Subject};
use git_boundary::gate::checks::approval::action_digest;
use git_boundary::gate::facts::ProposalFacts;
use git_boundary::model::decision::{Disposition, ObservedUpdate, WorkReceipt};
use git_boundary::model::envelope::{ClaimKind, EvidenceRef};
use git_boundary::model::fact::Fact;
use git_boundary::model::id::EnvelopeId;
use git_boundary::model::refusal::Code::{self, *};
use git_boundary::model::test_result::{ObservedResult, RuntimeObservation};

use super::super::super::cast::{self, START, Who};
use super::super::super::gate::parts::{self, MAIN, digest, pin, tip, tree};
use super::super::super::gate::world::{Extra, Links, World, entry, handoff_facts};
use super::super::make::Shown;
use super::handed_among;

/// What a claim rests on.
#[derive(Clone, Copy)]
struct Rests {
    /// Whether the claim names the work receipt.
    named: bool,
    /// How the receipt is otherwise.
    receipt: fn(&mut WorkReceipt),
    /// Whether the tester saw the result.
    tested: bool,
}

const WELL: Rests = Rests { named: true, receipt: |_| {}, tested: true };

pub fn shown() -> Vec<Shown> {
    vec![
        claim(ResultReceiptMissing, "the claim names no work receipt", |_| claiming(Rests { named: false, ..WELL })),
        claim(ResultReceiptMismatch, "the work receipt is for another action", |_| {
            claiming(Rests { receipt: |it| it.action_digest = digest(1), ..WELL })
        }),
        claim(ResultIncomplete, "the work receipt says that the action failed", |_| {
            claiming(Rests { receipt: |it| it.disposition = Disposition::Failed, ..WELL })
        }),
        claim(EvidenceCompletionUnsupported, "nobody but the registrar that acted says that it is done", |_| {
            claiming(Rests { tested: false, ..WELL })
        }),
    ]
}

/// The third hostile case of the source.
pub fn bare_receipt() -> Shown {
    let about = "the work receipt proves that the tool returned, and nothing verifies the completion that is claimed";
    claim(EvidenceCompletionUnsupported, about, |_| claiming(Rests { tested: false, ..WELL }))
}

fn claim(code: Code, about: &'static str, fault: fn(World) -> World) -> Shown {
    Shown {
        frame: |file| file.git["claim"] = file.git["proposals"][1]["digest"].clone(),
        judged: |world| Some(world.gather().proposals[1].digest),
        ..Shown::new(code, about, claiming(WELL), fault)
    }
}

/// Codex's work landed, and Codex claims that it is done.
fn claiming(rests: Rests) -> World {
    handed_among(&[Who::Owner, Who::Codex, Who::Ci, Who::Tester]).more(move |links| lines(links, rests)).linked_facts(
        move |facts, links| {
            let handoff = links.handoff().map(handoff_facts);
            facts.proposals.push(ProposalFacts {
                contains_old: Some(true),
                digest: claimed(links, rests).digest(),
                gaps: Vec::new(),
                handoff,
                range: BTreeSet::from([tip()]),
                starts_at: None,
                tip: tip(),
            });
        },
    )
}

fn lines(links: &Links, rests: Rests) -> Vec<Extra> {
    let receipt = work_receipt(links, rests.receipt);
    let tested = observed(links, &receipt.artifact);
    let stored = |artifact, index: u64| {
        let entries = vec![entry(Who::Ci, index, START.plus(9_000 + index as i64))];
        Extra { artifact, entries, note: tip() }
    };
    let mut lines = vec![receipt, stored(delivered(links), 32), stored(claimed(links, rests), 33)];
    lines.extend(rests.tested.then(|| stored(tested, 31)));
    lines
}

fn about_the_tip<P: Predicate>(links: &Links, predicate: P, by: Who) -> Dsse {
    let subject = Subject { commit: tip(), repository: links.trust.repository(), tree: tree(tip()) };
    cast::sign(&Statement { predicate, subject: Some(subject) }, &[by])
}

/// The registrar's word that the proposed update was made.
pub fn work_receipt(links: &Links, edit: fn(&mut WorkReceipt)) -> Extra {
    let (envelope, statement) = links.proposal.as_ref().expect("a proposal");
    let mut predicate = WorkReceipt {
        action_digest: action_digest(statement.predicate.requested_action.as_ref().expect("an action")),
        actor: links.actor,
        at: START.plus(9_000),
        disposition: Disposition::Complete,
        envelope: *envelope,
        observed: ObservedUpdate { new: tip(), old: pin(), reference: MAIN.to_owned() },
        registrar: Who::Ci.id(),
    };
    edit(&mut predicate);
    let artifact = about_the_tip(links, predicate, Who::Ci);
    Extra { artifact, entries: vec![entry(Who::Ci, 30, START.plus(9_000))], note: tip() }
}

/// What the tester saw of exactly that.
fn observed(links: &Links, receipt: &Dsse) -> Dsse {
    let (result, subject) = (ObservedResult::Passed, receipt.digest());
    about_the_tip(links, RuntimeObservation { result, subject, what: "it answers".to_owned() }, Who::Tester)
}

const DONE: EnvelopeId = EnvelopeId([0xe2; 16]);

/// What Codex was shown before it claimed.
fn delivered(links: &Links) -> Dsse {
    let mut statement = parts::receipt(links);
    statement.predicate.envelope_id = DONE;
    cast::sign(&statement, &[Who::Ci])
}

fn claimed(links: &Links, rests: Rests) -> Dsse {
    let mut statement = parts::proposal(links);
    let claim = &mut statement.predicate;
    claim.envelope_id = DONE;
    claim.claim.kind = ClaimKind::Completion;
    claim.requested_action = None;
    claim.bindings.context = Fact::known(delivered(links).digest(), "receipt", START.plus(9_000));
    if rests.named {
        let digest = work_receipt(links, rests.receipt).artifact.digest();
        claim.evidence.push(EvidenceRef { digest, kind: "work_receipt".to_owned() });
    }
    cast::sign(&statement, &[Who::Codex])
}
