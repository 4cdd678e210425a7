//! FACTS: everything that a judgement may look at, gathered beforehand. Plain values; the gate asks nothing of anybody.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::codec::artifact::{Artifact, ClaimedKind};
use crate::codec::in_toto::Statement;
use crate::crypto::trust::Trust;
use crate::crypto::verified::Verified;
use crate::model::context::Observation;
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::handoff::Handoff;
use crate::model::id::{KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::operation::Operation;
use crate::model::policy::Policy;
use crate::model::time::Timestamp;

use super::docket::Docket;
use super::write::WriteSeen;

/// All there is to know about one ref update.
#[derive(Debug)]
pub struct Facts {
    /// Listed registrars of which nothing is here. Whether they ever wrote is not known, so that they take nothing from what stands, and
    /// nobody is refused for the lack of something that they may hold.
    pub absent: Vec<Gap>,
    /// Verified artifacts, indexed.
    pub artifacts: Docket,
    /// Where the default branch, the base without a handoff, was observed.
    pub base: Observation,
    /// Commits at the foot of the range that an owner adopted as they are.
    pub baselines: BTreeSet<Oid>,
    /// Those of [`Self::other_handoffs`] whose pinned commit a shallow clone lacks.
    pub behind_the_cut: BTreeSet<Digest>,
    /// Lines that authorise nothing.
    pub bad_lines: Vec<BadLineSeen>,
    /// Every commit that the judged range or a proposal's range holds.
    pub commits: BTreeMap<Oid, CommitFacts>,
    /// Where the changes of commits without a proposal were proposed before. Only ever named in a message.
    pub elsewhere: Vec<Elsewhere>,
    /// Whether every range is known to hold nothing that hidden history or any baseline reaches, whatever committers' clocks say.
    pub exact: bool,
    /// What is asked for.
    pub update: Update,
    /// Commits whose trees are nothing that git would make, each with the defect: what they touch can't be told.
    pub malformed: BTreeMap<Oid, String>,
    /// Digests of handoffs that any note holds, where the judgement needs to know that there is none. Empty otherwise.
    pub other_handoffs: Vec<Digest>,
    /// Ways in which what was read cannot be whole.
    pub gaps: Vec<Gap>,
    /// The clock.
    pub now: Timestamp,
    /// Policies of the signed chain by policy digest; the one in force by its own field.
    pub policies: PolicyFacts,
    /// Proposals whose tip lies in the judged range.
    pub proposals: Vec<ProposalFacts>,
    /// The judged range, newest first.
    pub range: Vec<Oid>,
    /// The registrar of the clone or server that acts, if it has one yet.
    pub registrar: Option<KeyId>,
    /// Of a move that is no fast-forward the commit of the range that the old value seems to have been rewritten to. Only ever decides
    /// what a message says.
    pub rewritten: Option<Oid>,
    /// Which keys are trusted for what.
    pub trust: Rc<Trust>,
    /// Of a write what was seen of session, worktree and content; `None` where a ref update is judged.
    pub write: Option<WriteSeen>,
}

/// A ref update to be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// Whether the old value is an ancestor of the new one; `None` when that can't be told, or where either is zero.
    pub fast_forward: Option<bool>,
    /// The new value's commit; for a deletion the old value's. `None` when it is no commit.
    pub tip: Option<Oid>,
    /// The value it should get; zero for a deletion.
    pub new: Oid,
    /// The value it had; zero for a new ref.
    pub old: Oid,
    /// Who asks.
    pub purpose: Purpose,
    /// The ref in full.
    pub reference: String,
}

/// Why something is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A push by this clone that may still be refused.
    Push,
    /// A push that reaches this server from whichever clone, and may still be refused.
    Receive,
    /// History that is there already, and the move of its ref that brought it: an update that nobody asked about before it was made.
    Landed,
    /// History that is there already.
    Verify,
}

impl Purpose {
    /// Whether it happened already, so that what was decided then counts.
    pub fn is_past(self) -> bool {
        matches!(self, Purpose::Landed | Purpose::Verify)
    }
}

/// The signed policy chain.
#[derive(Debug, Clone, Default)]
pub struct PolicyFacts {
    /// Digest of the last version, if there is one signed by an owner in good standing.
    pub in_force: Option<Digest>,
    /// Why there is none.
    pub defect: Option<String>,
    /// Every version by policy digest.
    pub known: BTreeMap<Digest, Rc<Policy>>,
}

/// A verified artifact and where it stands.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The artifact.
    pub artifact: Verified<Artifact>,
    /// Where ledgers hold it.
    pub entries: Vec<LedgerEntry>,
    /// The object in whose note it was found first. What does not itself say where it belongs may stand in others as well, wherever
    /// anybody copied it: [`LedgerEntry::note`].
    pub note: Oid,
}

impl Recorded {
    /// Whether a registrar's ledger holds it.
    pub fn stands_with(&self, registrar: &KeyId) -> bool {
        self.entries.iter().any(|entry| entry.registrar == *registrar)
    }
}

/// One ledger entry of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    /// When, by the registrar's clock.
    pub at: Timestamp,
    /// Position in the ledger.
    pub index: u64,
    /// Whether the registrar is listed in the trust document, in good standing, and its signed checkpoint holds the entry.
    pub listed: bool,
    /// The object in whose note the line stands.
    pub note: Oid,
    /// Whose ledger.
    pub registrar: KeyId,
    /// Sizes and domains of cosigned checkpoints that hold the entry.
    pub witnesses: Vec<Witness>,
}

/// A cosignature over a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The witness's domain.
    pub domain: String,
    /// Size of the cosigned checkpoint.
    pub size: u64,
}

/// A line that authorises nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLineSeen {
    /// Whose place it claims.
    pub claims: Option<ClaimedKind>,
    /// Whether it fails for want of a known key rather than for a wrong signature or form.
    pub unknown_key: bool,
    /// The commit in whose note it stands.
    pub note: Oid,
    /// In whose ref.
    pub registrar: KeyId,
    /// The defect.
    pub text: String,
}

/// Something that is missing from what was read, so that absence proves nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// What to type.
    pub command: Option<String>,
    /// What is missing.
    pub text: String,
}

/// One commit as its own bytes tell it.
#[derive(Debug, Clone)]
pub struct CommitFacts {
    /// Blob id of the change list against its single parent; only gathered where a rule wants `change` equality.
    pub change_list: Option<Oid>,
    /// Its parents.
    pub parents: Vec<Oid>,
    /// Whose SSH signature it carries, if that verifies.
    pub ssh_signer: Option<PublicKey>,
    /// What it touches: for a merge, what differs from the trivial result.
    pub touched: Vec<Touch>,
    /// Its tree.
    pub tree: Oid,
}

/// A path and what a commit does to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// What is done.
    pub operations: Vec<Operation>,
    /// From the top of the tree.
    pub path: Vec<u8>,
}

/// A proposal on another commit that seems to be the same work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// The commit that has no proposal.
    pub commit: Oid,
    /// What makes the other commit seem to be the same work.
    pub likeness: Likeness,
    /// The proposal about the other commit.
    pub proposal: Digest,
    /// The commit that it is about.
    pub tip: Oid,
}

/// What makes a commit seem to be another one, rewritten. Only the first is more than a guess, and none speaks for anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// It makes the same change.
    Change,
    /// Its message names the other one, as `git cherry-pick -x` and `git merge --squash` let it.
    Named,
    /// It has the same tree.
    Tree,
    /// It has the same author and time of authorship, which git keeps when it rewrites a commit.
    Author,
}

/// A proposal in the judged range, and what git says about it.
#[derive(Debug, Clone)]
pub struct ProposalFacts {
    /// Its digest, a key of [`Facts::artifacts`].
    pub digest: Digest,
    /// What could not be looked at for it. Anybody may note a proposal on any commit, so that this leaves nothing open that stands
    /// without it.
    pub gaps: Vec<Gap>,
    /// The handoff that it names, if it names one.
    pub handoff: Option<HandoffFacts>,
    /// Commits of its own range.
    pub range: BTreeSet<Oid>,
    /// The tree that its change starts from, as git has it; only gathered where proofs are wanted and no handoff pins it.
    pub starts_at: Option<Oid>,
    /// The commit in the judged range that counts as its tip.
    pub tip: Oid,
    /// Whether the update's old value is the tip or lies in its history; `None` when that can't be told or there was none.
    pub contains_old: Option<bool>,
}

/// What git says about a handoff's pin.
#[derive(Debug, Clone)]
pub struct HandoffFacts {
    /// Where its pinned ref was observed.
    pub base: Observation,
    /// Where the tip does not descend from its pin: the pin of a handoff that this one renews, from which it does.
    pub built_on: Option<Oid>,
    /// Its digest; a key of [`Facts::artifacts`] when it was found.
    pub digest: Digest,
    /// Whether the pinned commit lies in the base's history; `None` when that can't be told.
    pub pin_in_base: Option<bool>,
    /// Whether the pinned id is a commit with the pinned tree.
    pub pin_known: Option<bool>,
    /// Whether the tip descends from the pinned commit; `None` when that can't be told.
    pub tip_descends: Option<bool>,
}

impl Facts {
    /// The artifact of a digest as a proposal.
    pub fn envelope(&self, digest: &Digest) -> Option<&Statement<Envelope>> {
        match self.artifacts.get(digest)?.artifact.value() {
            Artifact::EvidenceEnvelope(statement) => Some(statement),
            _ => None,
        }
    }

    /// The artifact of a digest as a handoff.
    pub fn handoff(&self, digest: &Digest) -> Option<&Statement<Handoff>> {
        match self.artifacts.get(digest)?.artifact.value() {
            Artifact::Handoff(statement) => Some(statement),
            _ => None,
        }
    }

    /// The policy in force.
    pub fn policy(&self) -> Option<(Digest, &Policy)> {
        let digest = self.policies.in_force?;
        Some((digest, self.policies.known.get(&digest)?))
    }

    /// Whether a policy digest is in force, or accepted by the one in force.
    pub fn honours(&self, digest: &Digest) -> bool {
        self.policy().is_some_and(|(in_force, policy)| {
            in_force == *digest || (policy.accept.contains(digest) && self.policies.known.contains_key(digest))
        })
    }
}
