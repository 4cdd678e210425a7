//! The statements of the one case that all others differ from by one fact.

use git_boundary::codec::canonical;
use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::gate::checks::context::delivered_root;
use git_boundary::gate::proof::diet_root;
use git_boundary::model::asserted::Asserted;
use git_boundary::model::boundary_proof::{CheckDecision, ProvenBoundary};
use git_boundary::model::context::{ContextReceipt, Delivered, DeliveredKind, Observation, ObservedBy, Snapshot};
use git_boundary::model::diet::{DietCommitment, DietEntry, DiffInput};
use git_boundary::model::digest::Digest;
use git_boundary::model::envelope::{Action, Bindings, ChangeRef, Claim, ClaimKind, Envelope};
use git_boundary::model::fact::Fact;
use git_boundary::model::handoff::{Assignment, Handoff, Lease, Pin, Scope};
use git_boundary::model::id::{ArtifactId, EnvelopeId, Oid};
use git_boundary::model::operation::Grant;
use git_boundary::model::policy::{DefaultRule, DietRule, Equality, PinRule, Policy, ProofRule, Rule, Strength};

use super::world::Links;
use crate::vectors::cast::{START, Who};

/// The governed branch.
pub const MAIN: &str = "refs/heads/main";
/// The agent's branch.
pub const FIX: &str = "refs/heads/agent/fix";

/// A SHA-1 sized object id.
pub fn oid(byte: u8) -> Oid {
    Oid::from_bytes(&[byte; 20]).expect("20 bytes are an object id")
}

/// The pinned commit, where the branch stands.
pub fn pin() -> Oid {
    oid(0xa0)
}

/// The commit that is pushed.
pub fn tip() -> Oid {
    oid(0xc1)
}

/// The tree of a commit.
pub fn tree(commit: Oid) -> Oid {
    oid(commit.as_bytes()[0] ^ 0x0f)
}

/// A digest of something that is not looked into.
pub fn digest(byte: u8) -> Digest {
    Digest([byte; 32])
}

/// Where a ref stands, as git told the hook.
pub fn observed(reference: &str, oid: Oid) -> Observation {
    Observation { by: ObservedBy::Hook, oid: Some(oid), reference: reference.to_owned() }
}

/// One rule for the branch: a handoff, and one allowing proof.
pub fn policy() -> Policy {
    Policy { accept: Vec::new(), default: DefaultRule::Open, lease_seconds: 28_800, rules: vec![rule(&[MAIN])] }
}

/// The starter's rule for the default branch.
pub fn rule(refs: &[&str]) -> Rule {
    Rule {
        adopts: vec![MAIN.to_owned()],
        approval_paths: Vec::new(),
        automation_approval: true,
        context_strength: Strength::Own,
        diet: DietRule { permitted: vec!["diff".into(), "test_result".into()], required: vec!["diff".into()] },
        equality: Equality::Commit,
        evidence: Vec::new(),
        handoff: true,
        people: vec![Who::Owner.id(), Who::Hotfixer.id()],
        people_by_signature: false,
        pin: PinRule::Ancestor,
        proofs: ProofRule { count: 1, domains: 1, strength: Strength::Own },
        refs: refs.iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn subject(links: &Links, commit: Oid) -> Option<Subject> {
    Some(Subject { commit, repository: links.trust.repository(), tree: tree(commit) })
}

/// `src/**` of the pinned commit, to Codex, for eight hours.
pub fn handoff(links: &Links) -> Statement<Handoff> {
    let predicate = Handoff {
        assignment: Assignment { asserted: Asserted::one("summary", "mend it"), work_id: "T-1".to_owned() },
        from: Who::Owner.id(),
        lease: Some(Lease { expires_at: START.plus(28_800), not_before: START }),
        nonce: "1".repeat(32),
        pin: Pin { commit: pin(), reference: MAIN.to_owned(), tree: tree(pin()) },
        policy: links.policy,
        renews: None,
        scope: Scope {
            operations: Grant::UNLESS_TOLD.to_vec(),
            paths: vec!["src/**".to_owned()],
            refs: vec!["refs/heads/agent/**".to_owned(), MAIN.to_owned()],
        },
        to: Who::Codex.id(),
    };
    Statement { predicate, subject: subject(links, pin()) }
}

/// What Codex was shown before it proposed.
pub fn receipt(links: &Links) -> Statement<ContextReceipt> {
    let mut delivered = Vec::new();
    delivered.extend(links.handoff().map(|digest| Delivered { digest, kind: DeliveredKind::Handoff }));
    delivered.push(Delivered { digest: links.policy, kind: DeliveredKind::Policy });
    delivered.push(Delivered { digest: links.trust.digest(), kind: DeliveredKind::Trust });
    delivered.push(Delivered { digest: specification(links), kind: DeliveredKind::Specification });
    let predicate = ContextReceipt {
        actor: links.actor,
        at: START.plus(3_600),
        delivered_root: delivered_root(&delivered),
        delivered,
        envelope_id: EnvelopeId([0xe1; 16]),
        snapshot: Snapshot {
            base: observed(MAIN, pin()),
            destination: observed(MAIN, pin()),
            policy: links.policy,
            trust: links.trust.digest(),
        },
    };
    Statement { predicate, subject: subject(links, tip()) }
}

fn specification(links: &Links) -> Digest {
    match &links.handoff {
        Some((_, handoff)) => canonical::digest_of(&handoff.predicate.assignment),
        None => canonical::digest_of(&Assignment { asserted: Asserted::none(), work_id: String::new() }),
    }
}

/// The tip, to the branch.
pub fn proposal(links: &Links) -> Statement<Envelope> {
    use git_boundary::model::fact::Reason;
    let at = START.plus(3_600);
    let no_handoff = Reason::NoHandoff;
    let predicate = Envelope {
        bindings: Bindings {
            actor: Fact::known(links.actor, "key", at),
            assignment: Fact::known(specification(links), "receipt", at),
            context: links.receipt.map_or(Fact::Unknown { reason: no_handoff }, |it| Fact::known(it, "receipt", at)),
            lease: match links.handoff() {
                Some(handoff) => Fact::known(handoff, handoff.to_string(), at),
                None => Fact::NotApplicable { reason: no_handoff },
            },
            source_expected: match &links.handoff {
                Some((_, handoff)) => Fact::known(handoff.predicate.pin.commit, "handoff", at),
                None => Fact::NotApplicable { reason: no_handoff },
            },
            source_observed: Fact::known(pin(), MAIN, at),
        },
        change: ChangeRef { base_tree: tree(pin()), list: oid(0xee) },
        claim: Claim { asserted: Asserted::one("reason", "it was broken"), kind: ClaimKind::Change },
        envelope_id: EnvelopeId([0xe1; 16]),
        evidence: Vec::new(),
        idempotency_key: "once".to_owned(),
        predecessor: None,
        requested_action: Some(Action {
            kind: Action::REF_UPDATE.to_owned(),
            new: tip(),
            old: pin(),
            reference: MAIN.to_owned(),
            repository: links.trust.repository(),
            write: None,
        }),
        version: 1,
    };
    Statement { predicate, subject: subject(links, tip()) }
}

/// What a checker of the tip reads: the diff from the pin, and test results.
pub fn diet() -> Vec<DietEntry> {
    let diff = DiffInput { base: pin(), base_tree: tree(pin()), commit: tip(), tree: tree(tip()) };
    vec![
        DietEntry { class: "diff".to_owned(), digest: canonical::digest_of(&diff) },
        DietEntry { class: "test_result".to_owned(), digest: digest(0x7e) },
    ]
}

/// The diet of a checker, frozen for a proposal.
pub fn commitment(links: &Links, checker: Who, proposal: Digest) -> Statement<DietCommitment> {
    let diet = diet();
    let predicate = DietCommitment {
        checker: checker.id(),
        commit: tip(),
        diet_root: diet_root(&diet),
        diet,
        nonce: "2".repeat(32),
        policy: links.policy,
        subject: proposal,
        tree: tree(tip()),
    };
    Statement { predicate, subject: subject(links, tip()) }
}

/// A verdict over that diet.
pub fn proven(
    links: &Links,
    checker: Who,
    proposal: Digest,
    decision: CheckDecision,
    anchor: String,
) -> ProvenBoundary {
    let diet = diet();
    ProvenBoundary {
        actor: links.actor.to_string(),
        anchor,
        checker: checker.name(),
        decision,
        diet_root: diet_root(&diet),
        diet,
        policy: links.policy,
        subject_ref: ArtifactId::of(&proposal).to_string(),
    }
}
