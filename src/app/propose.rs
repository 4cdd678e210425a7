//! `prepare` and `propose`: intent goes in; identity, lease, scope, refs and context are derived.

mod completion;
mod delivered;
mod recorded;
mod target;

use std::rc::Rc;

use super::choice;
use super::context::{Context, nonce};
use super::draft::{Draft, DraftDefect};
use super::error::AppError;
use super::handoff::{self, Shown};
use super::outbox;
use super::record::{Writing, publish_rest, record};
use super::remote;
use super::subject;
use crate::codec::artifact::Artifact;
use crate::codec::canonical;
use crate::codec::dsse::{Dsse, artifact_digest};
use crate::codec::in_toto::{PAYLOAD_TYPE, Statement};
use crate::crypto::verified::sign_statement;
use crate::crypto::{Signer, key_id};
use crate::gate::checks::approval::default_idempotency_key;
use crate::gate::checks::context::delivered_root;
use crate::gate::clock;
use crate::gate::facts::Recorded;
use crate::gather::base::{default_branch, known_commit};
use crate::gather::notes::Noted;
use crate::gather::update::rule_of;
use crate::gather::{Session, commits, proposals};
use crate::model::asserted::Asserted;
use crate::model::context::{ContextReceipt, Delivered, DeliveredKind, Observation, Snapshot};
use crate::model::digest::Digest;
use crate::model::envelope::{Action, Bindings, ChangeRef, Claim, ClaimKind, Envelope, FileWrite};
use crate::model::fact::{Fact, Reason};
use crate::model::handoff::Assignment;
use crate::model::id::{ArtifactId, EnvelopeId, KeyId, Oid};
use crate::model::party::Role;
use crate::store::hints::Hint;

pub(super) use delivered::is_vouched_for;
pub use recorded::Proposed;

use recorded::{reread, shown};
use target::{moves, target, tracking_value};

/// The proposer's intent; everything else is derived.
#[derive(Debug, Clone, Default)]
pub struct Intent {
    /// The command that has it, for what is said of that; `propose` where empty.
    pub command: &'static str,
    /// The ref to move; the current branch unless named.
    pub reference: Option<String>,
    /// The revision it should get; `HEAD` unless named.
    pub at: Option<String>,
    /// Whether to claim that the work at this revision is done, instead of asking for anything.
    pub completion: bool,
    /// The ref to delete, instead.
    pub delete: Option<String>,
    /// The tracker's name of the work.
    pub work: Option<String>,
    /// Why, in the proposer's words.
    pub reason: Option<String>,
    /// One key for all attempts.
    pub idempotency_key: Option<String>,
    /// The file of a worktree that is to be written, instead of a ref that is to move, and the commit that the named revision stands on.
    pub write: Option<(Oid, FileWrite)>,
}

/// A prepared draft: the payload to be signed, and the receipt of the context that was delivered for it.
#[derive(Debug)]
pub struct Prepared {
    /// The canonical payload of the proposal.
    pub draft: Vec<u8>,
    /// SHA-256 of the signed bytes it will have: the proposal's digest.
    pub digest: Digest,
    /// The context receipt's digest.
    pub receipt: Digest,
    /// The commit in whose note both belong.
    pub note: Oid,
}

/// Derives a draft and records the context receipt.
///
/// # Errors
/// When intent is none, or refs or handoffs can't be read.
pub fn prepare(context: &Context, intent: &Intent) -> Result<Prepared, AppError> {
    let repository = context.repository()?;
    accepting(&repository)?;
    let session = context.open(&repository)?;
    let actor = actor(context, &session, "prepare")?;
    let derived = derive(context, &session, &Noted::default(), key_id(&actor.public_key()), intent)?;
    let note = derived.note;
    let statement = derived.statement.clone();
    let payload = statement.payload();
    let digest = artifact_digest(PAYLOAD_TYPE, &payload);
    let receipt = derived.receipt.digest();
    record(context, &session, "context receipt", derived.writing(None))?;
    Ok(Prepared { draft: payload, digest, receipt, note })
}

/// Signs and records a proposal; prepares it first unless a draft is given.
///
/// # Errors
/// When the key, the draft or the intent are none.
pub fn propose(context: &Context, intent: &Intent, draft: Option<&[u8]>) -> Result<Proposed, AppError> {
    let repository = context.repository()?;
    accepting(&repository)?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let command = match intent.command {
        "" if intent.completion => "propose --completion",
        "" => "propose",
        other => other,
    };
    let actor = actor(context, &session, command)?;
    let id = key_id(&actor.public_key());
    if session.trust.party(&actor.public_key()).is_none() {
        return Err(AppError::usage(
            format!("trust version {}, the newest known here, does not hold {id}", session.trust.version()),
            "git fetch, and if that does not bring it, ask an owner to add the key",
        ));
    }
    match draft {
        Some(draft) => sign_draft(context, &session, &noted, &*actor, draft),
        None => {
            let derived = derive(context, &session, &noted, id, intent)?;
            if let Some(known) = same_as(&session, &noted, &derived)
                && is_vouched_for(&session, &noted, &known)?
                && !has_ended(&session, &noted, derived.note, &known)?
            {
                return shown(&session, &noted, known, true, publish_rest(context, &session)?);
            }
            let artifact = sign_statement(&derived.statement, &*actor)?;
            let digest = artifact.digest();
            let note = derived.note;
            let recorded = record(context, &session, "proposal", derived.writing(Some(artifact)))?;
            reread(context, note, digest, recorded.published)
        }
    }
}

/// The proposal of a wish to write a file, signed, to be recorded; with its digest and envelope.
///
/// # Errors
/// When the actor's key is none, or refs and handoffs can't be read.
pub(super) fn of_write(
    context: &Context,
    session: &Session<'_>,
    intent: &Intent,
) -> Result<(Digest, EnvelopeId, Writing), AppError> {
    accepting(session.repository)?;
    let actor = actor(context, session, intent.command)?;
    let derived = derive(context, session, &Noted::default(), key_id(&actor.public_key()), intent)?;
    let artifact = sign_statement(&derived.statement, &*actor)?;
    let envelope_id = derived.statement.predicate.envelope_id;
    let (digest, note) = (artifact.digest(), derived.note);
    let content = session.repository.entry_at(&session.repository.commit(&note)?.tree, derived.path.as_bytes())?;
    let mut writing = derived.writing(Some(artifact));
    // Whoever finds the content in a commit finds by it who asked for it and who approved it.
    writing.hints.extend(content.map(|(_, blob)| (blob, Hint::at(note))));
    Ok((digest, envelope_id, writing))
}

/// `boundary.accept=none` switches proposals off for a repository.
fn accepting(repository: &crate::git::Repository) -> Result<(), AppError> {
    if repository.config_string("boundary.accept").is_some_and(|value| value == "none") {
        return Err(AppError::fatal(
            "this repository takes no proposals: boundary.accept is none",
            "git config --unset boundary.accept",
        ));
    }
    Ok(())
}

fn actor(context: &Context, session: &Session<'_>, command: &str) -> Result<Box<dyn Signer>, AppError> {
    let noted = Noted::default();
    let config = "boundary.actorKey";
    if context.key.is_some() || session.repository.config_string(config).is_some() {
        return context.named_key(session.repository, config, "git boundary key list");
    }
    let holder = handoff::live(session, &noted)?
        .into_iter()
        .max_by_key(|one| one.handoff.lease.map(|lease| lease.not_before))
        .filter(|one| {
            // Whoever follows this must not end up signing as an owner.
            session.trust.party_of(&one.handoff.to).is_none_or(|party| !party.roles.contains(&Role::Owner))
        })
        .map_or_else(|| "<your own key>".to_owned(), |one| one.to);
    context.named_key(session.repository, config, &format!("git boundary {command} --key {holder}"))
}

struct Derived {
    hint: Oid,
    note: Oid,
    /// Of a write the file's path; empty else.
    path: String,
    receipt: Dsse,
    statement: Statement<Envelope>,
}

impl Derived {
    fn writing(self, proposal: Option<Dsse>) -> Writing {
        let mut lines = vec![(self.note, self.receipt)];
        lines.extend(proposal.map(|artifact| (self.note, artifact)));
        Writing { lines, hints: vec![(self.hint, Hint::at(self.note))] }
    }
}

/// Everything that a proposal says, from intent and what this clone can see.
fn derive(
    context: &Context,
    session: &Session<'_>,
    noted: &Noted,
    actor: KeyId,
    intent: &Intent,
) -> Result<Derived, AppError> {
    let repository = session.repository;
    let side = remote::side(repository)?;
    let claims = claims(session, noted, actor, intent)?;
    let (reference, tip, new) = match &claims {
        Some((tip, about)) => (about.action.reference.clone(), *tip, about.action.new),
        None => target(session, &side, intent)?,
    };
    noted.read(session, &tip)?;
    let destination = side.observe(repository, &reference)?;
    let zero = repository.object_format().zero_oid();
    let old = match &intent.write {
        Some((below, _)) => *below,
        None => tracking_value(session, &side, &reference)?.unwrap_or(zero),
    };
    if claims.is_none() && intent.write.is_none() {
        moves(session, noted, &side, &reference, (old, new))?;
    }
    let handoff = choice::choose(session, noted, actor, &reference, tip, intent.work.as_deref())?;
    let base_ref = match &handoff {
        Some(handoff) => handoff.handoff.pin.reference.clone(),
        None => rule_of(session, &reference)
            .and_then(|rule| rule.adopts.first().cloned())
            .map_or_else(|| default_branch(repository, side.remote.as_deref()), Ok)?,
    };
    let base = side.observe(repository, &base_ref)?;
    let policy = session.policies.in_force.ok_or_else(|| {
        AppError::fatal("no signed policy is in force here", "git boundary policy sign --key <owner>")
    })?;
    let (base_tree, change) = match &claims {
        Some((_, about)) => (about.proposal.change.base_tree, about.proposal.change.list),
        None => change(session, handoff.as_ref(), &base, tip)?,
    };
    let kind = match (&claims, &intent.write) {
        (Some(_), _) => ClaimKind::Completion,
        (None, Some(_)) => ClaimKind::Write,
        (None, None) => ClaimKind::Change,
    };
    let earlier = latest_by(session, noted, actor, tip, kind);
    let (envelope_id, version, predecessor) = match &earlier {
        Some((digest, before)) => (before.envelope_id, before.version + 1, Some(*digest)),
        None => (new_envelope_id()?, 1, None),
    };
    let assignment = handoff.as_ref().map_or_else(
        || Assignment { asserted: Asserted::none(), work_id: intent.work.clone().unwrap_or_default() },
        |handoff| handoff.handoff.assignment.clone(),
    );
    let specification = canonical::digest_of(&assignment);
    let mut delivered = vec![];
    delivered.extend(handoff.as_ref().map(|one| Delivered { digest: one.digest, kind: DeliveredKind::Handoff }));
    delivered.push(Delivered { digest: policy, kind: DeliveredKind::Policy });
    delivered.push(Delivered { digest: session.trust.digest(), kind: DeliveredKind::Trust });
    delivered.push(Delivered { digest: specification, kind: DeliveredKind::Specification });
    let subject = subject::subject(session, tip)?;
    let receipt = ContextReceipt {
        actor,
        at: context.now,
        delivered_root: delivered_root(&delivered),
        delivered,
        envelope_id,
        snapshot: Snapshot {
            base: base.clone(),
            destination: Observation { oid: Some(old), ..destination },
            policy,
            trust: session.trust.digest(),
        },
    };
    let registrar = session.local.registrar_or_new()?;
    let receipt = sign_statement(&Statement { predicate: receipt, subject: Some(subject.clone()) }, &*registrar)?;
    let receipt_digest = receipt.digest();
    let now = context.now;
    let bindings = Bindings {
        actor: Fact::known(actor, "key", now),
        assignment: Fact::known(specification, receipt_digest.to_string(), now),
        context: Fact::known(receipt_digest, receipt_digest.to_string(), now),
        lease: handoff.as_ref().map_or(Fact::NotApplicable { reason: Reason::NoHandoff }, |one| {
            Fact::known(one.digest, one.digest.to_string(), now)
        }),
        source_expected: handoff.as_ref().map_or(Fact::NotApplicable { reason: Reason::NoHandoff }, |one| {
            Fact::known(one.handoff.pin.commit, one.digest.to_string(), now)
        }),
        source_observed: known_commit(&base).map_or(Fact::Unknown { reason: Reason::RefNotFetched }, |oid| {
            Fact::known(oid, base.reference.clone(), now)
        }),
    };
    let write = intent.write.as_ref().map(|(_, write)| write.clone());
    let path = write.as_ref().map(|write| write.path.as_str().to_owned()).unwrap_or_default();
    let kind_of_action = if write.is_some() { Action::WORKSPACE_WRITE } else { Action::REF_UPDATE };
    let action =
        Action { new, old, reference, repository: session.trust.repository(), kind: kind_of_action.to_owned(), write };
    let idempotency_key = intent.idempotency_key.clone().unwrap_or_else(|| {
        default_idempotency_key(&actor, &action.repository, &action.reference, &action.old, &action.new)
    });
    let asserted = intent.reason.as_ref().map_or_else(Asserted::none, |reason| Asserted::one("reason", reason));
    let envelope = Envelope {
        bindings,
        change: ChangeRef { base_tree, list: change },
        claim: Claim { asserted, kind },
        envelope_id,
        requested_action: claims.is_none().then_some(action),
        evidence: claims.map(|(_, about)| about.evidence).unwrap_or_default(),
        idempotency_key,
        predecessor,
        version,
    };
    Ok(Derived {
        hint: change,
        note: tip,
        path,
        receipt,
        statement: Statement { predicate: envelope, subject: Some(subject) },
    })
}

/// Where a completion is claimed, the commit and what is recorded of the work there.
fn claims(
    session: &Session<'_>,
    noted: &Noted,
    actor: KeyId,
    intent: &Intent,
) -> Result<Option<(Oid, completion::About)>, AppError> {
    if !intent.completion {
        return Ok(None);
    }
    let tip = subject::commit(session.repository, intent.at.as_deref())?;
    noted.read(session, &tip)?;
    Ok(Some((tip, completion::of(session, noted, actor, tip)?)))
}

/// The tree the change starts from, and the blob id of its list.
fn change(
    session: &Session<'_>,
    handoff: Option<&Shown>,
    base: &Observation,
    tip: Oid,
) -> Result<(Oid, Oid), AppError> {
    let repository = session.repository;
    let tree = repository.commit(&tip)?.tree;
    let from = match (handoff, known_commit(base)) {
        (Some(handoff), _) => Some(handoff.handoff.pin.tree),
        (None, Some(base)) if repository.contains(&base) => {
            let common = repository.merge_bases(&base, &tip).map_err(crate::gather::GatherError::from)?;
            common.first().map(|oid| repository.commit(oid)).transpose()?.map(|commit| commit.tree)
        }
        _ => None,
    };
    let base_tree = from.unwrap_or(repository.object_format().empty_tree());
    Ok((base_tree, commits::write_change_list(repository, &base_tree, &tree)?))
}

/// The latest version of what an actor proposed for a tip. What others signed in its name is nobody's version of anything.
fn latest_by(
    session: &Session<'_>,
    noted: &Noted,
    actor: KeyId,
    tip: Oid,
    kind: ClaimKind,
) -> Option<(Digest, Envelope)> {
    noted
        .on(&tip, |artifact| {
            matches!(artifact, Artifact::EvidenceEnvelope(it)
                if it.predicate.bindings.actor.value() == Some(&actor) && it.predicate.claim.kind == kind)
        })
        .into_iter()
        .filter_map(|digest| Some((digest, proposals::statement(noted, &digest)?.predicate)))
        .filter(|(digest, envelope)| proposals::signed_by_its_actor(session, noted, digest, envelope).is_some())
        .max_by_key(|(_, envelope)| envelope.version)
}

fn new_envelope_id() -> Result<EnvelopeId, AppError> {
    Ok(format!("env_{}", nonce()?).parse().expect("32 hex digits after the prefix"))
}

/// An earlier proposal that says the same: the same action under the same handoff.
fn same_as(session: &Session<'_>, noted: &Noted, derived: &Derived) -> Option<Digest> {
    let new = &derived.statement.predicate;
    let (digest, old) = latest_by(session, noted, *new.bindings.actor.value()?, derived.note, new.claim.kind)?;
    let same = old.requested_action == new.requested_action
        && old.bindings.lease.value() == new.bindings.lease.value()
        && old.claim == new.claim
        && old.evidence == new.evidence
        && old.change == new.change;
    same.then_some(digest)
}

/// Whether what a proposal asks for was dispatched and came to its end: once more needs a new one.
fn has_ended(session: &Session<'_>, noted: &Noted, note: Oid, proposal: &Digest) -> Result<bool, AppError> {
    let signer = session.local.registrar_or_new()?;
    let rows = outbox::on(session, noted, &*signer, note)?;
    Ok(rows.iter().any(|entry| entry.proposal == *proposal && entry.row.is_settled()))
}

fn sign_draft(
    context: &Context,
    session: &Session<'_>,
    noted: &Noted,
    actor: &dyn Signer,
    draft: &[u8],
) -> Result<Proposed, AppError> {
    let id = key_id(&actor.public_key());
    let bad = |defect: DraftDefect| AppError::usage(format!("the draft: {defect}"), "git boundary prepare --key <key>");
    let draft = Draft::read(draft, id).map_err(bad)?;
    let commit = draft.commit;
    if !session.repository.contains(&commit) {
        return Err(AppError::usage(format!("the draft: it is about {commit}, which is not here"), "git fetch"));
    }
    noted.read(session, &commit)?;
    if let Some(action) = &draft.statement.predicate.requested_action {
        moves(session, noted, &remote::side(session.repository)?, &action.reference, (action.old, action.new))?;
    }
    // Only a registrar's word says what was delivered: this clone's own, or one that is trusted.
    let registrar = session.local.registrar_or_new()?.public_key();
    let minted = |recorded: &Rc<Recorded>| {
        recorded.artifact.signed_by(&registrar) || clock::speaks(&session.trust, session.now, recorded, Role::Registrar)
    };
    let delivered = draft.claimed_context().and_then(|digest| noted.artifact(&digest)).filter(minted);
    let receipt = delivered.as_ref().and_then(|recorded| match recorded.artifact.value() {
        Artifact::ContextReceipt(receipt) => Some(&receipt.predicate),
        _ => None,
    });
    draft.check_context(id, receipt).map_err(bad)?;
    let statement = draft.statement;
    let artifact = sign_statement(&statement, actor)?;
    let digest = artifact.digest();
    if noted.artifact(&digest).is_some() {
        return shown(session, noted, digest, true, publish_rest(context, session)?);
    }
    let hint = (statement.predicate.change.list, Hint::at(commit));
    let other = noted.on(&commit, |artifact| {
        matches!(artifact, Artifact::EvidenceEnvelope(it)
            if it.predicate.envelope_id == statement.predicate.envelope_id
                && it.predicate.version == statement.predicate.version)
    });
    let recorded =
        record(context, session, "proposal", Writing { lines: vec![(commit, artifact)], hints: vec![hint] })?;
    let mut proposed = reread(context, commit, digest, recorded.published)?;
    if let Some(other) = other.first() {
        proposed.warnings.push(format!(
            "version {} of {} was signed before with other words, in {}: these are two stories, and both are told; \
             prepare anew for a version of its own",
            statement.predicate.version,
            statement.predicate.envelope_id,
            ArtifactId::of(other)
        ));
    }
    Ok(proposed)
}
