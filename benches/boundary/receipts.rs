//! Signed receipts for pushes, as the commands would have written them, many to a commit.

use std::collections::BTreeSet;

use git_boundary::codec::canonical;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::{Predicate, Statement, Subject};
use git_boundary::codec::treeship::{self, NewBoundary};
use git_boundary::crypto::verified::{sign, sign_statement};
use git_boundary::crypto::{Signer, key_id};
use git_boundary::gate::checks::approval::default_idempotency_key;
use git_boundary::gate::checks::context::delivered_root;
use git_boundary::gate::proof::{diet_root, diff_of};
use git_boundary::gather::Session;
use git_boundary::gather::commits::write_change_list;
use git_boundary::gather::directory::hints_for;
use git_boundary::git::Repository;
use git_boundary::ledger::Origin;
use git_boundary::ledger::chain::FIRST_SEQ;
use git_boundary::model::asserted::Asserted;
use git_boundary::model::boundary_proof::{CheckDecision, ProvenBoundary};
use git_boundary::model::context::{ContextReceipt, Delivered, DeliveredKind, Observation, ObservedBy, Snapshot};
use git_boundary::model::decision::Candidate;
use git_boundary::model::diet::{DIFF_CLASS, DietCommitment, DietEntry};
use git_boundary::model::digest::Digest;
use git_boundary::model::envelope::{Action, Bindings, ChangeRef, Claim, ClaimKind, Envelope};
use git_boundary::model::event::{Event, EventKind};
use git_boundary::model::fact::Fact;
use git_boundary::model::handoff::{Assignment, Handoff, Lease, Pin, Scope};
use git_boundary::model::id::{ArtifactId, Oid, RepositoryId};
use git_boundary::model::operation::Grant;
use git_boundary::model::time::Timestamp;
use git_boundary::store::append::{Batch, NewHint, NewLine};
use git_boundary::store::hints::Hint;
use git_boundary::store::{Registrar, StoreError, append};

use super::world::World;

/// The branch that the work is meant for.
pub const MAIN: &str = "refs/heads/main";

/// Who signs, and under which trust and policy.
pub struct Office<'r> {
    repository: &'r Repository,
    session: &'r Session<'r>,
    id: RepositoryId,
    policy: Digest,
    trust: Digest,
    hinted: BTreeSet<(Oid, Vec<u8>)>,
    owner: Box<dyn Signer>,
    actor: Box<dyn Signer>,
    checker: Box<dyn Signer>,
    registrar: Box<dyn Signer>,
    /// Entries that the ledger will have before the next line.
    next: u64,
    serial: u128,
    batch: Batch,
}

/// A handoff in force.
pub struct Given {
    digest: Digest,
    handoff: Handoff,
}

/// One push under a handoff.
pub struct Work<'a> {
    /// The agent's branch.
    pub branch: &'a str,
    /// Where the default branch stands.
    pub before: Oid,
    /// What the agent made.
    pub tip: Oid,
    /// When.
    pub at: Timestamp,
}

/// A recorded proposal.
pub struct Proposed {
    envelope: Envelope,
    digest: Digest,
    snapshot: Snapshot,
    last_link: (u64, Digest),
    about: Subject,
}

impl<'r> Office<'r> {
    /// Of a repository that was set up.
    pub fn open(world: &World, session: &'r Session<'r>) -> Self {
        let registrar = session.local.registrar().expect("set-up made a registrar");
        let own = key_id(&registrar.public_key());
        let head = session.shelves.open.iter().find(|shelf| shelf.registrar == own).map_or(0, |shelf| shelf.head.size);
        Office {
            repository: session.repository,
            session,
            id: session.trust.repository(),
            policy: session.policies.in_force.expect("set-up signed a policy"),
            trust: session.trust.digest(),
            hinted: BTreeSet::new(),
            owner: world.key("ada"),
            actor: world.key("codex"),
            checker: world.key("reviewer-bot"),
            registrar,
            next: head,
            serial: u128::from(head) << 64,
            batch: Batch::default(),
        }
    }

    /// An owner hands out work at a commit.
    pub fn hand_out(&mut self, commit: Oid, at: Timestamp, seconds: i64) -> Given {
        let about = self.subject(commit);
        let handoff = Handoff {
            assignment: Assignment { asserted: Asserted::one("summary", "as discussed"), work_id: "T-1".to_owned() },
            from: key_id(&self.owner.public_key()),
            lease: Some(Lease { expires_at: at.plus(seconds), not_before: at }),
            nonce: self.nonce(),
            pin: Pin { commit, reference: MAIN.to_owned(), tree: about.tree },
            policy: self.policy,
            renews: None,
            scope: Scope {
                operations: Grant::UNLESS_TOLD.to_vec(),
                paths: vec!["src/**".to_owned()],
                refs: vec!["refs/heads/agent/**".to_owned(), MAIN.to_owned()],
            },
            to: key_id(&self.actor.public_key()),
        };
        let line = statement(&*self.owner, handoff.clone(), about);
        let digest = self.put(commit, line);
        let until = at.plus(seconds);
        let needed = hints_for(self.session, commit, Some(until)).expect("the shelves can be read");
        for (annotated, hint) in needed {
            // The shelves were read when this began.
            if self.hinted.insert((annotated, hint.line())) {
                self.batch.hints.push(NewHint { annotated, line: hint.line() });
            }
        }
        Given { digest, handoff }
    }

    /// The actor proposes its tip for its own branch; the registrar says what it was given.
    pub fn propose(&mut self, given: &Given, work: &Work<'_>) -> Proposed {
        let (at, about) = (work.at, self.subject(work.tip));
        let actor = key_id(&self.actor.public_key());
        let envelope_id = format!("env_{}", self.nonce()).parse().expect("32 hex digits after the prefix");
        let specification = canonical::digest_of(&given.handoff.assignment);
        let zero = self.repository.object_format().zero_oid();
        let snapshot = Snapshot {
            base: observation(ObservedBy::Tracking, work.before, MAIN),
            destination: observation(ObservedBy::Tracking, zero, work.branch),
            policy: self.policy,
            trust: self.trust,
        };
        let delivered: Vec<Delivered> = [
            (given.digest, DeliveredKind::Handoff),
            (self.policy, DeliveredKind::Policy),
            (self.trust, DeliveredKind::Trust),
            (specification, DeliveredKind::Specification),
        ]
        .map(|(digest, kind)| Delivered { digest, kind })
        .to_vec();
        let delivered_root = delivered_root(&delivered);
        let receipt = ContextReceipt { actor, at, delivered, delivered_root, envelope_id, snapshot: snapshot.clone() };
        let receipt = statement(&*self.registrar, receipt, about.clone());
        let receipt = self.put(work.tip, receipt);
        let (pin, named) = (&given.handoff.pin, receipt.to_string());
        let list = write_change_list(self.repository, &pin.tree, &about.tree).expect("both trees are here");
        let envelope = Envelope {
            bindings: Bindings {
                actor: Fact::known(actor, "key", at),
                assignment: Fact::known(specification, named.clone(), at),
                context: Fact::known(receipt, named, at),
                lease: Fact::known(given.digest, given.digest.to_string(), at),
                source_expected: Fact::known(pin.commit, given.digest.to_string(), at),
                source_observed: Fact::known(work.before, MAIN, at),
            },
            change: ChangeRef { base_tree: pin.tree, list },
            claim: Claim { asserted: Asserted::none(), kind: ClaimKind::Change },
            envelope_id,
            evidence: Vec::new(),
            idempotency_key: default_idempotency_key(&actor, &self.id, work.branch, &zero, &work.tip),
            predecessor: None,
            requested_action: Some(Action {
                new: work.tip,
                old: zero,
                reference: work.branch.to_owned(),
                repository: self.id,
                kind: Action::REF_UPDATE.to_owned(),
                write: None,
            }),
            version: 1,
        };
        let line = statement(&*self.actor, envelope.clone(), about.clone());
        let digest = self.put(work.tip, line);
        self.batch.hints.push(NewHint { annotated: list, line: Hint::at(work.tip).line() });
        Proposed { envelope, digest, snapshot, last_link: (FIRST_SEQ - 1, receipt), about }
    }

    /// A checker freezes its diet, then allows.
    pub fn check(&mut self, proposed: &Proposed, at: Timestamp) {
        let about = &proposed.about;
        let diff = diff_of(&proposed.envelope, about.commit, about.tree).expect("the proposal names its base");
        let entry = |class: &str, digest| DietEntry { digest, class: class.to_owned() };
        let diet = vec![
            entry(DIFF_CLASS, canonical::digest_of(&diff)),
            entry("test_result", canonical::sha256(self.serial.to_string().as_bytes())),
        ];
        let checker = key_id(&self.checker.public_key());
        let origin = Origin { repository: self.id, registrar: key_id(&self.registrar.public_key()) };
        let anchor = format!("merkle://{origin}#{}", self.next);
        let commitment = DietCommitment {
            checker,
            commit: about.commit,
            diet_root: diet_root(&diet),
            diet: diet.clone(),
            nonce: self.nonce(),
            policy: self.policy,
            subject: proposed.digest,
            tree: about.tree,
        };
        let line = statement(&*self.checker, commitment, about.clone());
        self.put(about.commit, line);
        let payload = treeship::write(&NewBoundary {
            proven: ProvenBoundary {
                actor: key_id(&self.actor.public_key()).to_string(),
                anchor,
                checker: checker.to_string(),
                decision: CheckDecision::Allow,
                diet_root: diet_root(&diet),
                diet,
                policy: self.policy,
                subject_ref: ArtifactId::of(&proposed.digest).to_string(),
            },
            asserted: Asserted::none(),
            checker_label: "reviewer-bot".to_owned(),
            actor_label: "codex".to_owned(),
            committed: at,
            signed: at,
        });
        let line = sign(treeship::RECEIPT_PAYLOAD_TYPE, payload, &*self.checker).expect("a key in a file signs");
        self.put(about.commit, line);
    }

    /// The registrar notes that a push of the proposal was admitted.
    pub fn admit(&mut self, proposed: &mut Proposed, reference: &str, old: Option<Oid>, new: Oid, at: Timestamp) {
        let old = old.unwrap_or(self.repository.object_format().zero_oid());
        let candidate = Candidate {
            envelope: Some(proposed.digest),
            new,
            old,
            reference: reference.to_owned(),
            repository: self.id,
        };
        let destination = observation(ObservedBy::Hook, old, reference);
        let snapshot = Box::new(Snapshot { destination, ..proposed.snapshot.clone() });
        let (seq, prev) = proposed.last_link;
        let event = Event {
            at,
            envelope_id: Some(proposed.envelope.envelope_id),
            kind: EventKind::Admitted { candidate, pending: false, snapshot },
            prev: Some(prev),
            seq: seq + 1,
            version: Some(1),
        };
        let line = statement(&*self.registrar, event, proposed.about.clone());
        proposed.last_link = (seq + 1, self.put(proposed.about.commit, line));
    }

    /// Writes what has gathered since the last time, in one commit.
    pub fn write(&mut self, now: Timestamp) {
        let batch = std::mem::take(&mut self.batch);
        let registrar = Registrar { repository: self.id, signer: &*self.registrar };
        let indices = append(self.repository, &registrar, now, "receipts", |_| Ok::<_, StoreError>(batch.clone()))
            .expect("nobody else writes here");
        let last = indices.last().map(|index| index + 1);
        assert!(last.is_none_or(|next| next == self.next), "anchors name the places where their lines came to stand");
    }

    fn put(&mut self, annotated: Oid, artifact: Dsse) -> Digest {
        let digest = artifact.digest();
        self.batch.lines.push(NewLine { annotated, artifact });
        self.next += 1;
        digest
    }

    fn subject(&self, commit: Oid) -> Subject {
        let tree = self.repository.commit(&commit).expect("the commit was imported").tree;
        Subject { commit, repository: self.id, tree }
    }

    fn nonce(&mut self) -> String {
        self.serial += 1;
        format!("{:032x}", self.serial)
    }
}

fn statement<P: Predicate>(signer: &dyn Signer, predicate: P, about: Subject) -> Dsse {
    sign_statement(&Statement { predicate, subject: Some(about) }, signer).expect("a key in a file signs")
}

fn observation(by: ObservedBy, oid: Oid, reference: &str) -> Observation {
    Observation { by, oid: Some(oid), reference: reference.to_owned() }
}
