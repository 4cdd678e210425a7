//! What git says about a push, as data: the part of the gate's facts that no signed line holds.

use std::collections::{BTreeMap, BTreeSet};

use git_boundary::gate::facts::{self, Facts};
use git_boundary::model::context::Observation;
use git_boundary::model::digest::Digest;
use git_boundary::model::hex;
use git_boundary::model::id::{KeyId, Oid};
use git_boundary::model::key::PublicKey;
use git_boundary::model::operation::Operation;
use git_boundary::model::time::Timestamp;
use serde::{Deserialize, Serialize};

/// All of it. What a file leaves out git did not say: a list is empty then, an answer unknown.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Git {
    #[serde(default)]
    pub absent: Vec<Gap>,
    pub base: Observation,
    #[serde(default)]
    pub baselines: BTreeSet<Oid>,
    #[serde(default)]
    pub behind_the_cut: BTreeSet<Digest>,
    /// The claim of completion that is judged; without one the update is.
    #[serde(default)]
    pub claim: Option<Digest>,
    #[serde(default)]
    pub commits: BTreeMap<Oid, Commit>,
    #[serde(default)]
    pub exact: bool,
    #[serde(default)]
    pub gaps: Vec<Gap>,
    #[serde(default)]
    pub malformed: BTreeMap<Oid, String>,
    /// The clock.
    pub now: Timestamp,
    #[serde(default)]
    pub other_handoffs: Vec<Digest>,
    #[serde(default)]
    pub proposals: Vec<Proposal>,
    #[serde(default)]
    pub range: Vec<Oid>,
    #[serde(default)]
    pub registrar: Option<KeyId>,
    pub update: Update,
}

/// Something that could not be looked at.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    #[serde(default)]
    pub command: Option<String>,
    pub text: String,
}

/// A commit, by its id.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    #[serde(default)]
    pub change_list: Option<Oid>,
    #[serde(default)]
    pub parents: Vec<Oid>,
    /// The raw key, in hex.
    #[serde(default)]
    pub ssh_signer: Option<String>,
    #[serde(default)]
    pub touched: Vec<Touch>,
    pub tree: Oid,
}

/// A path, which is text in these files, and what is done to it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Touch {
    #[serde(default)]
    pub operations: Vec<Operation>,
    pub path: String,
}

/// A proposal, by its digest.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    #[serde(default)]
    pub contains_old: Option<bool>,
    pub digest: Digest,
    #[serde(default)]
    pub gaps: Vec<Gap>,
    #[serde(default)]
    pub handoff: Option<Pin>,
    #[serde(default)]
    pub range: BTreeSet<Oid>,
    #[serde(default)]
    pub starts_at: Option<Oid>,
    pub tip: Oid,
}

/// The pin of a handoff, by its digest.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    pub base: Observation,
    #[serde(default)]
    pub built_on: Option<Oid>,
    pub digest: Digest,
    #[serde(default)]
    pub pin_in_base: Option<bool>,
    #[serde(default)]
    pub pin_known: Option<bool>,
    #[serde(default)]
    pub tip_descends: Option<bool>,
}

/// What is asked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Update {
    #[serde(default)]
    pub fast_forward: Option<bool>,
    pub new: Oid,
    pub old: Oid,
    pub purpose: Purpose,
    #[serde(rename = "ref")]
    pub reference: String,
    #[serde(default)]
    pub tip: Option<Oid>,
}

/// Who asks.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    Landed,
    Push,
    Receive,
    Verify,
}

fn gaps(gaps: &[Gap]) -> Vec<facts::Gap> {
    gaps.iter().map(|gap| facts::Gap { command: gap.command.clone(), text: gap.text.clone() }).collect()
}

impl Git {
    /// Puts it beside what is known of signed lines.
    pub fn tell(self, facts: &mut Facts) {
        facts.absent = gaps(&self.absent);
        facts.base = self.base;
        facts.baselines = self.baselines;
        facts.behind_the_cut = self.behind_the_cut;
        facts.commits = self.commits.into_iter().map(|(oid, commit)| (oid, commit.facts())).collect();
        facts.exact = self.exact;
        facts.gaps = gaps(&self.gaps);
        facts.malformed = self.malformed;
        facts.now = self.now;
        facts.other_handoffs = self.other_handoffs;
        facts.proposals = self.proposals.into_iter().map(Proposal::facts).collect();
        facts.range = self.range;
        facts.registrar = self.registrar;
        facts.update = self.update.facts();
    }
}

impl Commit {
    fn facts(self) -> facts::CommitFacts {
        let touched = self.touched.into_iter();
        facts::CommitFacts {
            change_list: self.change_list,
            parents: self.parents,
            ssh_signer: self.ssh_signer.map(|digits| PublicKey(hex::decode_exact(&digits).expect("32 bytes"))),
            touched: touched.map(|it| facts::Touch { operations: it.operations, path: it.path.into_bytes() }).collect(),
            tree: self.tree,
        }
    }
}

impl Proposal {
    fn facts(self) -> facts::ProposalFacts {
        facts::ProposalFacts {
            contains_old: self.contains_old,
            digest: self.digest,
            gaps: gaps(&self.gaps),
            handoff: self.handoff.map(Pin::facts),
            range: self.range,
            starts_at: self.starts_at,
            tip: self.tip,
        }
    }
}

impl Pin {
    fn facts(self) -> facts::HandoffFacts {
        let Pin { base, built_on, digest, pin_in_base, pin_known, tip_descends } = self;
        facts::HandoffFacts { base, built_on, digest, pin_in_base, pin_known, tip_descends }
    }
}

impl Update {
    fn facts(self) -> facts::Update {
        let purpose = match self.purpose {
            Purpose::Landed => facts::Purpose::Landed,
            Purpose::Push => facts::Purpose::Push,
            Purpose::Receive => facts::Purpose::Receive,
            Purpose::Verify => facts::Purpose::Verify,
        };
        let Update { fast_forward, new, old, reference, tip, .. } = self;
        facts::Update { fast_forward, new, old, purpose, reference, tip }
    }
}
