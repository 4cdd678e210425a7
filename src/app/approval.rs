//! `approvals`, `approve` and `reject`: an owner looks at exactly what would happen, and says yes or no to that and nothing else
//! (contract, section 8).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::context::{Context, nonce};
use super::error::AppError;
use super::judge::{as_pushed, judge_update};
use super::record::{Writing, record};
use super::remote::Published;
use super::subject;
use super::write::{self, LedgerRoot};
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::{Statement, Subject};
use crate::crypto::verified::sign_statement;
use crate::gate::checks::approval::{self, action_digest, params_hash};
use crate::gate::facts::{Facts, LedgerEntry};
use crate::gate::scope::automation::{AutomationClass, is_automation};
use crate::gather::notes::Noted;
use crate::gather::write::bytes;
use crate::gather::{Session, proposals};
use crate::model::asserted::Asserted;
use crate::model::decision::{Approval, ApprovalVerdict};
use crate::model::digest::Digest;
use crate::model::envelope::{Action, Envelope};
use crate::model::id::{ArtifactId, EnvelopeId, KeyId, Oid, RepositoryId};
use crate::model::refusal::Code;
use crate::model::time::Timestamp;

/// One commit of what is to be approved.
#[derive(Debug, Clone, Serialize)]
pub struct CommitLine {
    /// Its id.
    pub oid: Oid,
    /// The first line of its message, as its author wrote it.
    pub summary: String,
}

/// What an owner is asked to allow: everything that the signature will bind, and what it means in this repository.
#[derive(Debug, Clone, Serialize)]
pub struct Asked {
    /// The proposal.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// Its envelope.
    pub envelope_id: EnvelopeId,
    /// Its version.
    pub version: u64,
    /// Who proposed it.
    pub actor: String,
    /// Why, in the proposer's own words.
    #[serde(skip_serializing_if = "Asserted::is_empty")]
    pub asserted: Asserted,
    /// What should happen.
    pub action: Action,
    /// Binds the approval to that and nothing else.
    pub action_digest: Digest,
    /// Where.
    pub repository: RepositoryId,
    /// What the action would bring, newest first.
    pub commits: Vec<CommitLine>,
    /// What those commits touch.
    pub paths: Vec<String>,
    /// Of a write the class of automation file that its path is of, whatever its proposer says; none where it is no such file.
    pub class: Option<&'static str>,
    /// What in it needs an approval; `None` when nothing does.
    pub needed: Option<String>,
    /// How the proposal stands with the approvals there are: the code that refuses it, or `None`.
    pub standing: Option<Code>,
    /// The handoff.
    pub lease: Option<ArtifactId>,
    /// When that ends.
    pub lease_until: Option<Timestamp>,
    /// The registrar that will act.
    pub registrar: KeyId,
    /// What else stands against it now.
    pub warnings: Vec<String>,
    /// Of a write the exact bytes, where they are here.
    #[serde(skip)]
    pub content: Option<Vec<u8>>,
    #[serde(skip)]
    commit: Oid,
    #[serde(skip)]
    done: bool,
    #[serde(skip)]
    lease_digest: Option<Digest>,
    #[serde(skip)]
    principal: KeyId,
}

impl Asked {
    /// Whether an owner's yes is what it lacks.
    pub fn waits(&self) -> bool {
        let unanswered = self.standing.is_some_and(|code| code != Code::ApprovalRejected);
        // What was asked for under a handoff that does not reach so far is asked for anew under another.
        let could_happen = self.action.write.is_none() || self.warnings.is_empty();
        self.needed.is_some() && unanswered && could_happen && !self.done
    }

    /// Whether it came to its end, so that a yes would be for nothing.
    pub fn has_ended(&self) -> bool {
        self.done
    }
}

/// An approval or a rejection as recorded.
#[derive(Debug, Serialize)]
pub struct Decided {
    /// Its artifact id.
    pub id: ArtifactId,
    /// `approve` or `reject`.
    pub verdict: ApprovalVerdict,
    /// Who signed.
    pub owner: String,
    /// Not after this moment.
    pub expires_at: Timestamp,
    /// What it is about.
    pub about: Asked,
    /// Whether it is at the remote.
    pub published: Published,
    /// The head of this clone's ledger with it.
    pub ledger: LedgerRoot,
}

/// How a decision is worded.
#[derive(Debug, Clone)]
pub struct Word {
    /// Yes or no.
    pub verdict: ApprovalVerdict,
    /// Seconds for which a yes may be used; as long as the policy's leases unless told.
    pub ttl: Option<u64>,
    /// In words.
    pub reason: String,
}

/// What a proposal asks for. Nothing is signed.
///
/// # Errors
/// When there is no such proposal, or it asks for no action.
pub fn look(context: &Context, what: Option<&str>, registrar: Option<&str>) -> Result<Asked, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let (digest, statement) = subject::proposal(&session, &noted, what, &subject::to_approve)?;
    let registrar = registrar.map(|spec| context.party(&session, spec).or_else(|_| known(spec))).transpose()?;
    asked(&session, &noted, digest, &statement, registrar)
}

/// Proposals at the tips of branches, here and at remotes, that wait for an owner; all that were ever asked for with `all`.
///
/// # Errors
/// When they can't be read.
pub fn waiting(context: &Context, all: bool) -> Result<Vec<Asked>, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let mut tips = BTreeSet::new();
    for prefix in ["refs/heads/", "refs/remotes/"] {
        let refs = repository.refs_under(prefix)?;
        tips.extend(refs.iter().filter_map(|(_, oid)| repository.peel_to_commit(oid).ok().flatten()));
    }
    tips.extend(write::waiting(&repository)?.into_iter().map(|one| one.commit));
    let mut found = BTreeMap::new();
    for tip in tips {
        noted.read(&session, &tip)?;
        for digest in noted.on(&tip, |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_))) {
            let Some(statement) = proposals::statement(&noted, &digest) else { continue };
            let Ok(one) = asked(&session, &noted, digest, &statement, None) else { continue };
            // What is approved and was not carried out is not forgotten either.
            let stuck = one.action.write.is_some() && one.standing.is_none() && !one.has_ended();
            if one.waits() || stuck || (all && (one.needed.is_some() || one.standing.is_some())) {
                found.insert(digest, one);
            }
        }
    }
    Ok(found.into_values().collect())
}

/// Signs what was looked at.
///
/// # Errors
/// When no owner signs, or it can't be written.
pub fn decide(context: &Context, about: Asked, word: &Word) -> Result<Decided, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let owner = context.good_owner(&session, "approve or reject")?;
    let label = Context::label(&session, &*owner);
    let policy = session.policies.in_force.and_then(|digest| session.policies.known.get(&digest));
    let seconds = word.ttl.or_else(|| policy.map(|policy| policy.lease_seconds)).unwrap_or(8 * 3600);
    let expires_at = context.now.plus(i64::try_from(seconds).unwrap_or(i64::MAX));
    let predicate = Approval {
        action_digest: about.action_digest,
        connection: about.registrar,
        envelope: about.digest,
        expires_at,
        lease: about.lease_digest,
        nonce: nonce()?,
        params_hash: params_hash(&about.action),
        principal: about.principal,
        reason: word.reason.clone(),
        verdict: word.verdict,
    };
    let tree = repository.commit(&about.commit)?.tree;
    let on = Subject { commit: about.commit, repository: session.trust.repository(), tree };
    let artifact = sign_statement(&Statement { predicate, subject: Some(on) }, &*owner)?;
    let id = ArtifactId::of(&artifact.digest());
    let writing = Writing { lines: vec![(about.commit, artifact)], hints: Vec::new() };
    let recorded = record(context, &session, "approval", writing)?;
    let ledger = write::ledger_root(context)?;
    Ok(Decided { id, verdict: word.verdict, owner: label, expires_at, about, published: recorded.published, ledger })
}

fn known(spec: &str) -> Result<KeyId, AppError> {
    spec.parse().map_err(|_| AppError::usage(format!("{spec:?} is no registrar known here"), "git boundary doctor"))
}

fn asked(
    session: &Session<'_>,
    noted: &Noted,
    digest: Digest,
    statement: &Statement<Envelope>,
    registrar: Option<KeyId>,
) -> Result<Asked, AppError> {
    let envelope = &statement.predicate;
    let id = ArtifactId::of(&digest);
    let nothing = |what: &str| {
        AppError::usage(format!("proposal {id} {what}, so that there is nothing to approve"), "git boundary propose")
    };
    let action = envelope.requested_action.clone().ok_or_else(|| nothing("asks for no action"))?;
    let principal = *envelope.bindings.actor.value().ok_or_else(|| nothing("names no actor"))?;
    let commit = statement.subject.as_ref().map(|about| about.commit).ok_or_else(|| nothing("is about no commit"))?;
    let recorded = noted.artifact(&digest).ok_or_else(|| nothing("is not recorded"))?;
    let judged = match action.write {
        Some(_) => write::judge(session, noted, (digest, &action), None)?,
        None => judge_update(session, noted, as_pushed(session, &action)?)?,
    };
    let state = approval::state(&judged.facts, &digest);
    // Whoever recorded the proposal is who will push it, unless the owner knows better.
    let own = session.local.registrar_id()?;
    // Anybody may record it too, and date that as they like: those that are listed, and this clone's own, come before.
    let known = |entry: &&LedgerEntry| entry.listed || own == Some(entry.registrar);
    let first = |entries: &mut dyn Iterator<Item = &LedgerEntry>| {
        entries.min_by_key(|entry| (entry.at, entry.index)).map(|entry| entry.registrar)
    };
    let recorder = match &action.write {
        Some(write) => Some(write.registrar),
        None => first(&mut recorded.entries.iter().filter(known)).or_else(|| first(&mut recorded.entries.iter())),
    };
    let registrar = registrar.or(recorder).ok_or_else(|| nothing("stands in no ledger"))?;
    let approvals = |code: Code| code.check() == crate::model::refusal::Check::Approval;
    let findings = judged.verdict.findings.iter().filter(|finding| !approvals(finding.code));
    let gaps = judged.verdict.gaps.iter().map(|gap| gap.text.clone());
    let lease_digest = envelope.bindings.lease.value().copied();
    let handoff = lease_digest.and_then(|digest| judged.facts.handoff(&digest));
    Ok(Asked {
        id,
        digest,
        envelope_id: envelope.envelope_id,
        version: envelope.version,
        actor: session.trust.party_of(&principal).map_or_else(|| principal.to_string(), |party| party.label.clone()),
        asserted: envelope.claim.asserted.clone(),
        action_digest: action_digest(&action),
        repository: action.repository,
        commits: commits(session, &judged.facts),
        paths: paths(&judged.facts),
        class: action
            .write
            .as_ref()
            .and_then(|write| is_automation(write.path.as_str().as_bytes()))
            .map(AutomationClass::name),
        needed: state.as_ref().and_then(|state| state.needed.clone()),
        done: state.as_ref().is_some_and(|state| state.done) || lapsed(&judged.facts, &digest),
        content: action
            .write
            .as_ref()
            .map_or(Ok(None), |write| bytes(session.repository, &action.new, write))
            .ok()
            .flatten(),
        standing: state.and_then(|state| state.code),
        lease: lease_digest.as_ref().map(ArtifactId::of),
        lease_until: handoff.and_then(|handoff| handoff.predicate.lease).map(|lease| lease.expires_at),
        registrar,
        warnings: findings.map(|finding| format!("{}: {}", finding.code, finding.text)).chain(gaps).collect(),
        action,
        commit,
        lease_digest,
        principal,
    })
}

/// Whether a write came to its end, whichever: its session is over then, or it was tried.
fn lapsed(facts: &Facts, proposal: &Digest) -> bool {
    let own = facts.registrar;
    facts.write.is_some()
        && facts.artifacts.about(proposal).any(|recorded| {
            matches!(recorded.artifact.value(), Artifact::WorkReceipt(it)
                if own.is_none_or(|own| it.predicate.registrar == own) && recorded.entries.iter().any(|entry| entry.registrar == it.predicate.registrar))
        })
}

fn commits(session: &Session<'_>, facts: &Facts) -> Vec<CommitLine> {
    let summary = |oid: &Oid| {
        let commit = session.repository.commit(oid).ok()?;
        let message = String::from_utf8_lossy(commit.message()).into_owned();
        message.lines().find(|line| !line.trim().is_empty()).map(str::to_owned)
    };
    facts.range.iter().map(|oid| CommitLine { oid: *oid, summary: summary(oid).unwrap_or_default() }).collect()
}

fn paths(facts: &Facts) -> Vec<String> {
    let touched = facts.range.iter().filter_map(|oid| facts.commits.get(oid)).flat_map(|commit| &commit.touched);
    let paths: BTreeSet<String> = touched.map(|touch| String::from_utf8_lossy(&touch.path).into_owned()).collect();
    paths.into_iter().collect()
}
