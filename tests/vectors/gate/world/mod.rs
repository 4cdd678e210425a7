//! A whole case that can be changed in one place before it is signed and judged.

mod build;
mod say;

pub use build::{git_facts, handoff_facts, receipt_of, verdict};
pub use say::{admits, bad_line, one_fact, refuses};

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::trust::Trust;
use git_boundary::gate::facts::{Facts, HandoffFacts, LedgerEntry, ProposalFacts, Update};
use git_boundary::gate::judge::judge;
use git_boundary::gate::verdict::Verdict;
use git_boundary::model::boundary_proof::{CheckDecision, ProvenBoundary};
use git_boundary::model::context::ContextReceipt;
use git_boundary::model::diet::DietCommitment;
use git_boundary::model::digest::Digest;
use git_boundary::model::envelope::Envelope;
use git_boundary::model::handoff::Handoff;
use git_boundary::model::id::{KeyId, Oid};
use git_boundary::model::policy::Policy;
use git_boundary::model::time::Timestamp;
use git_boundary::model::trust::TrustDocument;
use serde_json::Value;

use super::parts::tip;
use crate::vectors::cast::{START, Who};

/// The signed lines of the case, in the order in which they name one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Handoff,
    Receipt,
    Proposal,
    Commitment,
    Proof,
}

impl Part {
    pub const ALL: [Part; 5] = [Part::Handoff, Part::Receipt, Part::Proposal, Part::Commitment, Part::Proof];
}

/// What later parts name of earlier ones.
#[derive(Debug, Clone)]
pub struct Links {
    pub trust: Rc<Trust>,
    pub policy: Digest,
    pub actor: KeyId,
    pub handoff: Option<(Digest, Statement<Handoff>)>,
    pub receipt: Option<Digest>,
    pub proposal: Option<(Digest, Statement<Envelope>)>,
    pub commitment: Option<Digest>,
    pub proof: Option<Digest>,
}

impl Links {
    pub fn handoff(&self) -> Option<Digest> {
        self.handoff.as_ref().map(|(digest, _)| *digest)
    }

    pub fn proposal(&self) -> Digest {
        self.proposal.as_ref().expect("the case has a proposal").0
    }

    pub fn proof(&self) -> Digest {
        self.proof.expect("the case has a proof")
    }
}

/// A line beside the five, and where it stands.
pub struct Extra {
    pub artifact: Dsse,
    pub entries: Vec<LedgerEntry>,
    pub note: Oid,
}

type Edits<T> = Vec<Rc<dyn Fn(&mut T, &Links)>>;

/// The case. Every method changes one thing and gives it back.
#[derive(Clone)]
pub struct World {
    trust: Vec<Rc<dyn Fn(&mut TrustDocument)>>,
    policy: Vec<Rc<dyn Fn(&mut Policy)>>,
    handoff: Edits<Statement<Handoff>>,
    receipt: Edits<Statement<ContextReceipt>>,
    proposal: Edits<Statement<Envelope>>,
    commitment: Edits<Statement<DietCommitment>>,
    proof: Edits<ProvenBoundary>,
    facts: Edits<Facts>,
    extra: Vec<Rc<dyn Fn(&Links) -> Vec<Extra>>>,
    signers: BTreeMap<Part, Vec<Who>>,
    entries: BTreeMap<Part, Vec<LedgerEntry>>,
    /// Payloads changed as JSON, below what any type would let through.
    json: Vec<(Part, Rc<dyn Fn(&mut Value)>)>,
    /// Parts that others name and nobody stored.
    unstored: BTreeSet<Part>,
    /// Parts that do not exist at all.
    absent: BTreeSet<Part>,
    actor: Who,
    /// What was signed last.
    payloads: std::cell::RefCell<BTreeMap<Part, Vec<u8>>>,
}

/// An entry of a listed registrar, or of one that is not.
pub fn entry(registrar: Who, index: u64, at: Timestamp) -> LedgerEntry {
    let listed = registrar != Who::StrangerClone;
    LedgerEntry { at, index, listed, note: tip(), registrar: registrar.id(), witnesses: Vec::new() }
}

/// Where an entry stands, as a proof names it.
pub fn anchor(trust: &Trust, registrar: Who, index: u64) -> String {
    format!("merkle://git-boundary/{}/{}#{index}", trust.repository(), registrar.id())
}

impl World {
    /// The case in which everything holds: Codex's tip, checked by Reviewer, pushed to the branch.
    pub fn admitted() -> World {
        let at = |index: u64, seconds: i64| vec![entry(Who::Ci, index, START.plus(seconds))];
        World {
            trust: Vec::new(),
            policy: Vec::new(),
            handoff: Vec::new(),
            receipt: Vec::new(),
            proposal: Vec::new(),
            commitment: Vec::new(),
            proof: Vec::new(),
            facts: Vec::new(),
            extra: Vec::new(),
            signers: BTreeMap::from([
                (Part::Handoff, vec![Who::Owner]),
                (Part::Receipt, vec![Who::Ci]),
                (Part::Proposal, vec![Who::Codex]),
                (Part::Commitment, vec![Who::Reviewer]),
                (Part::Proof, vec![Who::Reviewer]),
            ]),
            entries: BTreeMap::from([
                (Part::Handoff, at(0, 0)),
                (Part::Receipt, at(1, 3_600)),
                (Part::Proposal, at(2, 3_600)),
                (Part::Commitment, at(3, 7_200)),
                (Part::Proof, at(4, 7_260)),
            ]),
            json: Vec::new(),
            unstored: BTreeSet::new(),
            absent: BTreeSet::new(),
            actor: Who::Codex,
            payloads: Default::default(),
        }
    }

    /// A listed person's own work: no handoff, no proofs.
    pub fn of_a_person(who: Who) -> World {
        World::admitted().without(Part::Handoff).without(Part::Commitment).without(Part::Proof).by(who)
    }

    /// The same work, by another actor.
    pub fn by(mut self, who: Who) -> World {
        self.actor = who;
        self.signed(Part::Proposal, &[who])
    }

    pub fn trust(mut self, edit: impl Fn(&mut TrustDocument) + 'static) -> World {
        self.trust.push(Rc::new(edit));
        self
    }

    pub fn policy(mut self, edit: impl Fn(&mut Policy) + 'static) -> World {
        self.policy.push(Rc::new(edit));
        self
    }

    pub fn rule(self, edit: impl Fn(&mut git_boundary::model::policy::Rule) + 'static) -> World {
        self.policy(move |policy| edit(&mut policy.rules[0]))
    }

    pub fn handoff(mut self, edit: impl Fn(&mut Statement<Handoff>) + 'static) -> World {
        self.handoff.push(Rc::new(move |it, _| edit(it)));
        self
    }

    pub fn receipt(mut self, edit: impl Fn(&mut Statement<ContextReceipt>) + 'static) -> World {
        self.receipt.push(Rc::new(move |it, _| edit(it)));
        self
    }

    pub fn proposal(mut self, edit: impl Fn(&mut Statement<Envelope>) + 'static) -> World {
        self.proposal.push(Rc::new(move |it, _| edit(it)));
        self
    }

    pub fn linked_proposal(mut self, edit: impl Fn(&mut Statement<Envelope>, &Links) + 'static) -> World {
        self.proposal.push(Rc::new(edit));
        self
    }

    pub fn commitment(mut self, edit: impl Fn(&mut Statement<DietCommitment>) + 'static) -> World {
        self.commitment.push(Rc::new(move |it, _| edit(it)));
        self
    }

    pub fn proof(mut self, edit: impl Fn(&mut ProvenBoundary, &Links) + 'static) -> World {
        self.proof.push(Rc::new(edit));
        self
    }

    /// Diet of commitment and proof alike.
    pub fn diet(self, edit: impl Fn(&mut Vec<git_boundary::model::diet::DietEntry>) + Clone + 'static) -> World {
        let second = edit.clone();
        self.commitment(move |it| {
            edit(&mut it.predicate.diet);
            it.predicate.diet_root = git_boundary::gate::proof::diet_root(&it.predicate.diet);
        })
        .proof(move |it, _| {
            second(&mut it.diet);
            it.diet_root = git_boundary::gate::proof::diet_root(&it.diet);
        })
    }

    pub fn facts(mut self, edit: impl Fn(&mut Facts) + 'static) -> World {
        self.facts.push(Rc::new(move |it, _| edit(it)));
        self
    }

    pub fn linked_facts(mut self, edit: impl Fn(&mut Facts, &Links) + 'static) -> World {
        self.facts.push(Rc::new(edit));
        self
    }

    pub fn update(self, edit: impl Fn(&mut Update) + 'static) -> World {
        self.facts(move |facts| edit(&mut facts.update))
    }

    /// What git says of the proposal.
    pub fn git(self, edit: impl Fn(&mut ProposalFacts) + 'static) -> World {
        self.facts(move |facts| facts.proposals.iter_mut().for_each(&edit))
    }

    /// What git says of the handoff's pin.
    pub fn pin(self, edit: impl Fn(&mut HandoffFacts) + 'static) -> World {
        self.git(move |proposal| proposal.handoff.iter_mut().for_each(&edit))
    }

    pub fn signed(mut self, part: Part, by: &[Who]) -> World {
        self.signers.insert(part, by.to_vec());
        self
    }

    pub fn at(mut self, part: Part, entries: Vec<LedgerEntry>) -> World {
        self.entries.insert(part, entries);
        self
    }

    /// Nobody made it: nothing names it.
    pub fn without(mut self, part: Part) -> World {
        self.absent.insert(part);
        self
    }

    /// Whether somebody made it.
    pub fn has(&self, part: Part) -> bool {
        !self.absent.contains(&part)
    }

    /// It was made and named, and is not to be found.
    pub fn lost(mut self, part: Part) -> World {
        self.unstored.insert(part);
        self
    }

    pub fn more(mut self, extra: impl Fn(&Links) -> Vec<Extra> + 'static) -> World {
        self.extra.push(Rc::new(extra));
        self
    }

    /// Another checker's commitment and verdict about the proposal, at `index` and the one after it.
    pub fn verdict_by(self, who: Who, decision: CheckDecision, registrar: Who, index: u64, at: Timestamp) -> World {
        self.more(move |links| verdict(links, who, decision, registrar, index, at))
    }

    pub fn gather(&self) -> Facts {
        let (facts, _) = self.build();
        facts
    }

    pub fn judged(&self) -> Verdict {
        judge(&self.gather())
    }
}
