//! Signing, linking and gathering what a case has become.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::canonical;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::{PAYLOAD_TYPE, Statement};
use git_boundary::codec::treeship::{self, NewBoundary, RECEIPT_PAYLOAD_TYPE};
use git_boundary::crypto::trust::Trust;
use git_boundary::crypto::verified::{BadLine, verify_line};
use git_boundary::gate::docket::Docket;
use git_boundary::gate::facts::{
    CommitFacts, Facts, HandoffFacts, LedgerEntry, PolicyFacts, ProposalFacts, Purpose, Recorded, Touch, Update,
};
use git_boundary::model::asserted::Asserted;
use git_boundary::model::boundary_proof::{CheckDecision, ProvenBoundary};
use git_boundary::model::digest::Digest;
use git_boundary::model::envelope::Envelope;
use git_boundary::model::handoff::Handoff;
use git_boundary::model::id::Oid;
use git_boundary::model::operation::Operation;
use git_boundary::model::policy::Policy;
use git_boundary::model::time::Timestamp;
use git_boundary::model::trust::TrustDocument;
use serde_json::Value;

use super::super::parts::{self, MAIN, observed, pin, tip, tree};
use crate::vectors::cast::{self, START, Who};

use super::{Extra, Links, Part, World, anchor, entry};

impl World {
    fn stored(&self, part: Part, artifact: &Dsse, note: Oid, into: &mut Vec<Extra>) {
        if !self.unstored.contains(&part) {
            into.push(Extra { artifact: artifact.clone(), entries: self.entries[&part].clone(), note });
        }
    }

    /// Changes a payload as JSON before it is signed. What is no such statement any more is as good as absent.
    pub fn json(mut self, part: Part, edit: impl Fn(&mut Value) + 'static) -> World {
        self.json.push((part, Rc::new(edit)));
        self
    }

    /// One part, signed.
    pub fn artifact(&self, part: Part) -> Dsse {
        self.build();
        let payload = self.payloads.borrow().get(&part).cloned().expect("the case has this part");
        let payload_type = if part == Part::Proof { RECEIPT_PAYLOAD_TYPE } else { PAYLOAD_TYPE };
        cast::sign_bytes(payload_type, payload, &self.signers[&part])
    }

    /// The payload of one part as JSON.
    pub fn payload(&self, part: Part) -> Value {
        serde_json::from_slice(&self.artifact(part).payload).expect("a payload is JSON")
    }

    /// The same with the entries of one part changed.
    pub fn entries_of(mut self, part: Part, edit: impl Fn(&mut LedgerEntry)) -> World {
        self.entries.get_mut(&part).expect("every part has entries").iter_mut().for_each(edit);
        self
    }

    /// Signs a payload, changed or not; `None` when it can't be read any more.
    fn sign(&self, part: Part, payload_type: &str, payload: Vec<u8>) -> Option<Dsse> {
        let mut payload = payload;
        for (_, edit) in self.json.iter().filter(|(changed, _)| *changed == part) {
            let mut value: Value = serde_json::from_slice(&payload).expect("a payload is JSON");
            edit(&mut value);
            payload = canonical::to_vec(&value);
        }
        Artifact::read(payload_type, &payload).ok()?;
        self.payloads.borrow_mut().insert(part, payload.clone());
        Some(cast::sign_bytes(payload_type, payload, &self.signers[&part]))
    }

    /// Everything, signed and linked.
    pub fn build(&self) -> (Facts, Links) {
        let (_, policy, mut links) = self.ground();
        let lines = self.lines(&mut links);
        let mut facts = self.bare_facts(&links, policy);
        facts.artifacts = Docket::new(verified(&links.trust, &lines));
        self.facts.iter().for_each(|edit| edit(&mut facts, &links));
        (facts, links)
    }

    /// Trust and policy, on which all else stands.
    fn ground(&self) -> (TrustDocument, Policy, Links) {
        let mut document = cast::document();
        self.trust.iter().for_each(|edit| edit(&mut document));
        let mut policy = parts::policy();
        self.policy.iter().for_each(|edit| edit(&mut policy));
        let links = Links {
            trust: cast::trust_of(document.clone()),
            policy: canonical::digest_of(&policy),
            actor: self.actor.id(),
            handoff: None,
            receipt: None,
            proposal: None,
            commitment: None,
            proof: None,
        };
        (document, policy, links)
    }

    fn lines(&self, links: &mut Links) -> Vec<Extra> {
        let mut lines = Vec::new();
        let exists = |part: Part| !self.absent.contains(&part);
        if exists(Part::Handoff) {
            let mut statement = parts::handoff(links);
            self.handoff.iter().for_each(|edit| edit(&mut statement, links));
            if let Some(artifact) = self.sign(Part::Handoff, PAYLOAD_TYPE, statement.payload())
                && let Ok(statement) = Statement::<Handoff>::read(&artifact.payload)
            {
                self.stored(Part::Handoff, &artifact, statement.predicate.pin.commit, &mut lines);
                links.handoff = Some((artifact.digest(), statement));
            }
        }
        if exists(Part::Receipt) {
            let mut statement = parts::receipt(links);
            self.receipt.iter().for_each(|edit| edit(&mut statement, links));
            if let Some(artifact) = self.sign(Part::Receipt, PAYLOAD_TYPE, statement.payload()) {
                self.stored(Part::Receipt, &artifact, tip(), &mut lines);
                links.receipt = Some(artifact.digest());
            }
        }
        if exists(Part::Proposal) {
            let mut statement = parts::proposal(links);
            self.proposal.iter().for_each(|edit| edit(&mut statement, links));
            if let Some(artifact) = self.sign(Part::Proposal, PAYLOAD_TYPE, statement.payload())
                && let Ok(statement) = Statement::<Envelope>::read(&artifact.payload)
            {
                self.stored(Part::Proposal, &artifact, tip(), &mut lines);
                links.proposal = Some((artifact.digest(), statement));
            }
        }
        if exists(Part::Commitment) && links.proposal.is_some() {
            let mut statement = parts::commitment(links, Who::Reviewer, links.proposal());
            self.commitment.iter().for_each(|edit| edit(&mut statement, links));
            if let Some(artifact) = self.sign(Part::Commitment, PAYLOAD_TYPE, statement.payload()) {
                self.stored(Part::Commitment, &artifact, tip(), &mut lines);
                links.commitment = Some(artifact.digest());
            }
        }
        if exists(Part::Proof) && links.proposal.is_some() {
            let anchor = anchor(&links.trust, Who::Ci, 3);
            let mut proven = parts::proven(links, Who::Reviewer, links.proposal(), CheckDecision::Allow, anchor);
            self.proof.iter().for_each(|edit| edit(&mut proven, links));
            if let Some(artifact) = self.sign(Part::Proof, RECEIPT_PAYLOAD_TYPE, proof_payload(proven)) {
                self.stored(Part::Proof, &artifact, tip(), &mut lines);
                links.proof = Some(artifact.digest());
            }
        }
        for extra in &self.extra {
            lines.extend(extra(links));
        }
        lines
    }

    fn bare_facts(&self, links: &Links, policy: Policy) -> Facts {
        let handoff = links.handoff().map(handoff_facts);
        let proposals =
            links.proposal.iter().filter(|_| !self.unstored.contains(&Part::Proposal)).map(|(digest, _)| {
                ProposalFacts {
                    gaps: Vec::new(),
                    contains_old: Some(true),
                    digest: *digest,
                    handoff: handoff.clone(),
                    range: BTreeSet::from([tip()]),
                    // Where there is no handoff, git says where the change starts.
                    starts_at: handoff.is_none().then(|| tree(pin())),
                    tip: tip(),
                }
            });
        let known = BTreeMap::from([(links.policy, Rc::new(policy))]);
        Facts {
            policies: PolicyFacts { defect: None, in_force: Some(links.policy), known },
            proposals: proposals.collect(),
            ..git_facts(Rc::clone(&links.trust))
        }
    }

    /// The trust document, the canonical policy and every stored line, as readers would find them.
    pub fn stored_lines(&self) -> (Dsse, Vec<u8>, Vec<Extra>) {
        let (document, policy, mut links) = self.ground();
        let lines = self.lines(&mut links);
        let trust = cast::sign(&Statement { predicate: document, subject: None }, &[Who::Root]);
        (trust, canonical::to_vec(&policy), lines)
    }
}

/// What git says in the admitted case, before anything is known of proposals.
pub fn git_facts(trust: Rc<Trust>) -> Facts {
    let touched = vec![Touch { operations: vec![Operation::Modify], path: b"src/main.rs".to_vec() }];
    let commit = CommitFacts { change_list: None, parents: vec![pin()], ssh_signer: None, touched, tree: tree(tip()) };
    Facts {
        absent: Vec::new(),
        artifacts: Docket::default(),
        bad_lines: Vec::new(),
        base: observed(MAIN, pin()),
        baselines: BTreeSet::new(),
        behind_the_cut: BTreeSet::new(),
        commits: BTreeMap::from([(tip(), commit)]),
        exact: true,
        gaps: Vec::new(),
        now: START.plus(10_800),
        elsewhere: Vec::new(),
        malformed: BTreeMap::new(),
        other_handoffs: Vec::new(),
        policies: PolicyFacts::default(),
        proposals: Vec::new(),
        range: vec![tip()],
        registrar: Some(Who::Ci.id()),
        rewritten: None,
        trust,
        write: None,
        update: Update {
            fast_forward: Some(true),
            new: tip(),
            old: pin(),
            purpose: Purpose::Push,
            reference: MAIN.to_owned(),
            tip: Some(tip()),
        },
    }
}

/// What git says of the handoff's pin in the admitted case.
pub fn handoff_facts(digest: Digest) -> HandoffFacts {
    HandoffFacts {
        base: observed(MAIN, pin()),
        built_on: None,
        digest,
        pin_in_base: Some(true),
        pin_known: Some(true),
        tip_descends: Some(true),
    }
}

/// A boundary proof with these signatures.
pub fn receipt_of(proven: ProvenBoundary, by: &[Who]) -> Dsse {
    cast::sign_bytes(RECEIPT_PAYLOAD_TYPE, proof_payload(proven), by)
}

fn proof_payload(proven: ProvenBoundary) -> Vec<u8> {
    treeship::write(&NewBoundary {
        proven,
        asserted: Asserted::none(),
        checker_label: "checker".to_owned(),
        actor_label: "actor".to_owned(),
        committed: START.plus(7_200),
        signed: START.plus(7_260),
    })
}

/// A commitment and the verdict over it.
pub fn verdict(
    links: &Links,
    who: Who,
    decision: CheckDecision,
    registrar: Who,
    index: u64,
    at: Timestamp,
) -> Vec<Extra> {
    let mut commitment = parts::commitment(links, who, links.proposal());
    commitment.predicate.nonce = format!("{index:032}");
    let proven = parts::proven(links, who, links.proposal(), decision, anchor(&links.trust, registrar, index));
    vec![
        Extra { artifact: cast::sign(&commitment, &[who]), entries: vec![entry(registrar, index, at)], note: tip() },
        Extra { artifact: receipt_of(proven, &[who]), entries: vec![entry(registrar, index + 1, at)], note: tip() },
    ]
}

/// What readers make of the lines: a line that does not verify is a fault of the test.
fn verified(trust: &Trust, lines: &[Extra]) -> BTreeMap<Digest, Recorded> {
    let mut found: BTreeMap<Digest, Recorded> = BTreeMap::new();
    for Extra { artifact, entries, note } in lines {
        let artifact = match verify_line(&artifact.line(), &|name| cast::resolve(trust, name)) {
            // Whom the trust document does not know has said nothing.
            Err(BadLine::UnknownKey { .. }) => continue,
            other => other.expect("a good line"),
        };
        let entries: Vec<LedgerEntry> =
            entries.iter().map(|entry| LedgerEntry { note: *note, ..entry.clone() }).collect();
        match found.get_mut(&artifact.digest()) {
            Some(known) => {
                known.artifact.absorb(&artifact);
                known.entries.extend(entries);
            }
            None => {
                let recorded = Recorded { artifact, entries, note: *note };
                found.insert(recorded.artifact.digest(), recorded);
            }
        }
    }
    found
}
