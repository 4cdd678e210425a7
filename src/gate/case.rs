//! One proposal under one rule: what the checks look at.

use std::cell::OnceCell;

use crate::codec::artifact::{Artifact, ClaimedKind};
use crate::codec::in_toto::{Kind, Statement};
use crate::crypto::trust::{Party, Standing, Trust};
use crate::model::decision::Approval;
use crate::model::digest::Digest;
use crate::model::envelope::{ClaimKind, Envelope, FileWrite};
use crate::model::event::EventKind;
use crate::model::handoff::Handoff;
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::policy::Rule;
use crate::model::refusal::{Check, Code};
use crate::model::time::Timestamp;
use crate::model::typed::is_plain;

use super::checks::evidence;
use super::clock::{self, AsOf};
use super::decisions::Decisions;
use super::facts::{Facts, HandoffFacts, ProposalFacts, Recorded};
use super::handoffs;
use super::proof::{self, ProofReport};
use super::verdict::Finding;

/// A proposal, what it names, and the rule it is judged by.
pub struct Case<'a> {
    /// Everything gathered.
    pub facts: &'a Facts,
    /// The rule of the pushed ref.
    pub rule: &'a Rule,
    /// The proposal, and what git says about it.
    pub proposal: &'a ProposalFacts,
    /// Where it stands.
    pub recorded: &'a Recorded,
    /// What it says.
    pub statement: &'a Statement<Envelope>,
    /// The raw key that it names as its actor, if that is known.
    pub actor: Option<PublicKey>,
    /// Whether it is a listed person's own, without a handoff.
    pub is_person: bool,
    /// Every decision by an accepted checker.
    pub decided: &'a Decisions<'a>,
    proofs: OnceCell<Vec<ProofReport<'a>>>,
    short: OnceCell<Vec<Finding>>,
}

impl<'a> Case<'a> {
    /// Looks up what the checks share.
    pub fn new(
        facts: &'a Facts,
        rule: &'a Rule,
        decided: &'a Decisions<'a>,
        proposal: &'a ProposalFacts,
    ) -> Option<Self> {
        let recorded = facts.artifacts.get(&proposal.digest)?;
        let statement = facts.envelope(&proposal.digest)?;
        let actor = statement.predicate.bindings.actor.value().and_then(|id| facts.trust.resolve(&id.to_string()));
        let listed =
            |key: &PublicKey| rule.people.iter().any(|id| facts.trust.resolve(&id.to_string()).as_ref() == Some(key));
        let without_handoff = proposal.handoff.is_none() && statement.predicate.bindings.lease.value().is_none();
        let is_person = without_handoff && actor.as_ref().is_some_and(listed);
        Some(Case {
            facts,
            rule,
            proposal,
            recorded,
            statement,
            actor,
            is_person,
            decided,
            proofs: OnceCell::new(),
            short: OnceCell::new(),
        })
    }

    /// What the proposal says, without its subject.
    pub fn envelope(&self) -> &'a Envelope {
        &self.statement.predicate
    }

    /// Whether its tip is the tip that is pushed.
    pub fn is_tip(&self) -> bool {
        self.facts.update.tip == Some(self.proposal.tip)
    }

    /// Whether it claims that work is done, which moves no ref.
    pub fn is_completion(&self) -> bool {
        self.envelope().claim.kind == ClaimKind::Completion
    }

    /// What it asks to be written into a worktree, if that is what it asks for.
    pub fn write(&self) -> Option<&'a FileWrite> {
        self.envelope().requested_action.as_ref()?.write.as_ref()
    }

    /// Whether it is about a worktree, and no ref.
    pub fn is_write(&self) -> bool {
        self.envelope().claim.kind == ClaimKind::Write || self.write().is_some()
    }

    /// Whether it asks for a ref to be deleted.
    pub fn asks_deletion(&self) -> bool {
        self.envelope().requested_action.as_ref().is_some_and(|action| action.new.is_zero())
    }

    /// The actor as the trust document has it.
    pub fn actor_party(&self) -> Option<&'a Party> {
        self.facts.trust.party(&self.actor?)
    }

    /// The handoff it names: what git says of it, and the statement if it was found.
    pub fn handoff(&self) -> Option<(&'a HandoffFacts, Option<&'a Statement<Handoff>>)> {
        let handoff = self.proposal.handoff.as_ref()?;
        Some((handoff, self.facts.handoff(&handoff.digest)))
    }

    /// As of when lease and validity are judged: the decision that admitted this proposal, where that clock counts; in `verify`
    /// otherwise its ledger entry; else now (contract, section 7).
    pub fn decided(&self) -> AsOf {
        self.decided_where(|_| true)
    }

    /// As [`Case::decided`], looking only at decisions about the ref that is judged.
    pub fn decided_here(&self) -> AsOf {
        self.decided_where(|reference| reference == self.facts.update.reference)
    }

    /// As of when an approval is judged: when the registrar that it names consumed it, where that clock counts. Whatever else was
    /// admitted of the proposal, or is said by anybody whom the approval does not name, says nothing of the time of an approval.
    pub fn released_by(&self, approval: &Digest, by: KeyId) -> AsOf {
        let released = self.facts.artifacts.about(approval).filter(|recorded| {
            matches!(event(recorded), Some(EventKind::Released { candidate, .. })
                if candidate.envelope == Some(self.proposal.digest))
        });
        self.earliest(released, |registrar| *registrar == by)
    }

    fn decided_where(&self, counts: impl Fn(&str) -> bool) -> AsOf {
        let admitted = self.facts.artifacts.about(&self.proposal.digest).filter(|recorded| {
            matches!(event(recorded), Some(EventKind::Admitted { candidate, .. })
                if candidate.envelope == Some(self.proposal.digest) && counts(&candidate.reference))
        });
        self.earliest(admitted, |_| true)
    }

    /// The earliest of some events, on the word of the registrars that signed them, where that clock counts; else as for what was never
    /// decided.
    fn earliest<'r>(&self, events: impl Iterator<Item = &'r Recorded>, heard: impl Fn(&KeyId) -> bool) -> AsOf {
        let now = AsOf::now(self.facts.now);
        let Some(actor) = self.actor_party() else { return now };
        let entries = events.flat_map(|recorded| {
            recorded.entries.iter().filter(|entry| {
                // The event is the registrar's own word: signed by the registrar in whose ledger it stands.
                let own = self.facts.trust.resolve(&entry.registrar.to_string());
                own.is_some_and(|key| recorded.artifact.signed_by(&key))
                    && heard(&entry.registrar)
                    && clock::counts_against(&self.facts.trust, entry, &actor.domain)
            })
        });
        let earliest = entries.map(AsOf::entry).min_by_key(|as_of| (as_of.at, as_of.index));
        match (earliest, self.facts.update.purpose) {
            (Some(decision), _) => decision,
            (None, super::facts::Purpose::Landed | super::facts::Purpose::Verify) => {
                clock::as_of(&self.facts.trust, self.facts.now, self.recorded, Some(actor))
            }
            (None, super::facts::Purpose::Push | super::facts::Purpose::Receive) => now,
        }
    }

    /// Approvals and rejections of this proposal by an owner in good standing.
    pub fn approvals(&self) -> impl Iterator<Item = (Digest, &'a Approval)> {
        let facts = self.facts;
        facts.artifacts.about(&self.proposal.digest).filter_map(move |recorded| {
            let Artifact::Approval(statement) = recorded.artifact.value() else { return None };
            let good = clock::speaks(&facts.trust, facts.now, recorded, Role::Owner);
            good.then(|| (recorded.artifact.digest(), &statement.predicate))
        })
    }

    /// Each proof that claims to be about this proposal, examined once.
    pub fn proofs(&self) -> &[ProofReport<'a>] {
        self.proofs.get_or_init(|| proof::about(self))
    }

    /// Why too few proofs count, or nothing. The findings carry the codes of several checks; each keeps its own.
    pub fn short_of_proofs(&self, check: Check) -> Vec<Finding> {
        let all = self.short.get_or_init(|| evidence::short_of_proofs(self));
        all.iter().filter(|finding| finding.code.check() == check).cloned().collect()
    }

    /// Whether a line that authorises nothing claims a place in this note.
    pub fn bad_claim(&self, note: Oid, claim: ClaimedKind) -> Option<Finding> {
        bad_claim(self.facts, note, claim)
    }

    /// What to say of a key whose standing is not good.
    pub fn standing_finding(&self, key: &PublicKey, role: Role, what: &str, recorded: &Recorded) -> Option<Finding> {
        let (standing, as_of) = clock::standing(self.facts, recorded, key, role);
        standing_finding(self.facts, key, role, what, standing, as_of.at)
    }

    /// A finding against a handoff that a renewal mends: have it renewed, or, where that was done already, propose under the renewal.
    pub fn move_on(&self, code: Code, text: String, digest: &Digest, handoff: &Handoff) -> Finding {
        match handoffs::renewal(self.facts, digest) {
            Some(renewal) => Finding::new(code, format!("{text}; it is renewed as {}", ArtifactId::of(&renewal)))
                .with_command(format!("git boundary propose --key {}", self.key(&handoff.to))),
            None => Finding::new(code, text)
                .with_command(format!("git boundary handoff renew {} --key <owner>", ArtifactId::of(digest))),
        }
    }

    /// The name to type for a key: its label where that is safe to type, else its id.
    pub fn name(&self, id: &KeyId) -> String {
        typed_name(self.facts, id)
    }

    /// The name to type behind `--key`; see [`typed_key`].
    pub fn key(&self, id: &KeyId) -> String {
        typed_key(self.facts, id)
    }

    /// The full digest of the proposal.
    pub fn digest(&self) -> Digest {
        self.proposal.digest
    }
}

/// What happened, of an artifact that is an event.
fn event(recorded: &Recorded) -> Option<&EventKind> {
    match recorded.artifact.value() {
        Artifact::Event(event) => Some(&event.predicate.kind),
        _ => None,
    }
}

/// A line that authorises nothing, and claims a place that is empty.
pub fn bad_claim(facts: &Facts, note: Oid, claim: ClaimedKind) -> Option<Finding> {
    let bad = facts.bad_lines.iter().find(|line| line.note == note && line.claims == Some(claim))?;
    let code = if bad.unknown_key { Code::IdentityKeyUntrusted } else { Code::IdentitySignatureInvalid };
    let what = match claim {
        ClaimedKind::Own(kind) => kind.name(),
        ClaimedKind::BoundaryProof => "boundary proof",
    };
    Some(Finding::new(
        code,
        format!("a line on {} claims to be the {what} and authorises nothing: {}", note.short(), bad.text),
    ))
}

/// The finding for a key that may not speak in a role.
pub fn standing_finding(
    facts: &Facts,
    key: &PublicKey,
    role: Role,
    what: &str,
    standing: Standing,
    at: Timestamp,
) -> Option<Finding> {
    let who =
        facts.trust.party(key).map_or_else(|| format!("{key:?}"), |party| format!("{} ({})", party.label, party.id));
    let (code, text) = match standing {
        Standing::Good => return None,
        Standing::Unknown => {
            (Code::IdentityKeyUntrusted, format!("{what} is signed by {who}, which no accepted domain holds"))
        }
        Standing::NotInRole => {
            (Code::IdentityKeyUntrusted, format!("{what} is signed by {who}, which is not trusted as {role}"))
        }
        Standing::Revoked(moment) => {
            (Code::IdentityKeyRevoked, format!("{what} is signed by {who}, revoked at {moment}; judged as of {at}"))
        }
        Standing::NotYetValid(moment) => {
            (Code::IdentityKeyRevoked, format!("{what} is signed by {who}, valid from {moment}; judged as of {at}"))
        }
        Standing::Expired(moment) => {
            (Code::IdentityKeyRevoked, format!("{what} is signed by {who}, valid until {moment}; judged as of {at}"))
        }
    };
    let Some(next) = successor(&facts.trust, facts.now, key, role).filter(|_| code == Code::IdentityKeyRevoked) else {
        return Some(Finding::new(code, text));
    };
    let finding = Finding::new(code, format!("{text}; {} ({}) has its domain and roles now", next.label, next.id));
    Some(match role {
        Role::Actor => {
            let to = typed_name(facts, &next.id);
            finding.with_command(format!("git boundary handoff create --to {to} --path '<pathspec>' --key <owner>"))
        }
        _ => finding,
    })
}

/// The key that took the place of one that ended: in the same domain, for the same, and not ended itself.
pub fn successor<'a>(trust: &'a Trust, now: Timestamp, key: &PublicKey, role: Role) -> Option<&'a Party> {
    let ended = trust.party(key)?;
    trust.parties().find(|party| {
        party.key != *key
            && party.domain == ended.domain
            && party.roles == ended.roles
            && trust.standing(&party.key, role, now) == Standing::Good
    })
}

/// What to type behind `--key` in a command that is printed: an owner's key is left open, since whoever follows printed commands
/// must never end up signing as an owner.
pub fn typed_key(facts: &Facts, id: &KeyId) -> String {
    let owns = |party: &Party| party.roles.contains(&Role::Owner) || party.roles.contains(&Role::Root);
    if facts.trust.party_of(id).is_some_and(owns) { OWN_KEY.to_owned() } else { typed_name(facts, id) }
}

/// Stands for the key of whoever reads it.
pub const OWN_KEY: &str = "<your own key>";

/// A label where it can be typed without quoting, else the key id.
pub fn typed_name(facts: &Facts, id: &KeyId) -> String {
    facts
        .trust
        .party_of(id)
        .map(|party| party.label.as_str())
        .filter(|label| is_plain(label))
        .map_or_else(|| id.to_string(), str::to_owned)
}

/// The place a missing own statement leaves empty.
pub fn own(kind: Kind) -> ClaimedKind {
    ClaimedKind::Own(kind)
}
