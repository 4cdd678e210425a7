//! ASK: an agent's wish becomes a proposal that its actor signs, and is decided at once: it waits for an owner, or it is refused.

use crate::app::context::Context;
use crate::app::error::AppError;
use crate::app::events::Events;
use crate::app::judge::{self, Answer};
use crate::app::propose::{self, Intent};
use crate::app::record::record_quietly;
use crate::app::submit::Decision;
use crate::app::transact::{Decided, transact};
use crate::codec::artifact::Artifact;
use crate::codec::canonical;
use crate::gate::verdict::Outcome;
use crate::gate::write::Standing;
use crate::gather::notes::Noted;
use crate::gather::{Session, proposals};
use crate::model::digest::Digest;
use crate::model::envelope::FileWrite;
use crate::model::id::{ArtifactId, EnvelopeId, KeyId, Oid};
use crate::model::workspace_path::WorkspacePath;

use super::content;

/// What an agent wishes to be written.
#[derive(Debug, Clone)]
pub struct Wish {
    /// The branch that the worktree is on, in full.
    pub branch: String,
    /// The exact bytes.
    pub bytes: Vec<u8>,
    /// Whether the file may be run; as the one that is replaced.
    pub executable: bool,
    /// The agent's name for this wish among its own: the same name and content are the same wish.
    pub key: String,
    /// As the agent calls the content.
    pub media_type: String,
    /// From the top of the worktree.
    pub path: WorkspacePath,
    /// What it replaces.
    pub preimage: Option<Digest>,
    /// Why, in the agent's words.
    pub reason: Option<String>,
    /// The registrar that sealed the session.
    pub registrar: KeyId,
    /// The session that asks.
    pub session: Digest,
}

impl Wish {
    fn file(&self) -> FileWrite {
        FileWrite {
            content: canonical::sha256(&self.bytes),
            executable: self.executable,
            media_type: self.media_type.clone(),
            path: self.path.clone(),
            preimage: self.preimage,
            registrar: self.registrar,
            session: self.session,
            size: self.bytes.len() as u64,
        }
    }

    /// One for all tries of the same wish.
    fn idempotency_key(&self) -> Digest {
        canonical::separated_digest("gateway-write", &(&self.key, self.file()))
    }
}

/// A wish as it was taken.
#[derive(Debug)]
pub struct Asked {
    /// The proposal.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// Its envelope.
    pub envelope_id: EnvelopeId,
    /// Whether it was asked for before: then this is no second permission, and nothing was decided anew.
    pub already: bool,
    /// What was decided; of one that was asked for before, nothing.
    pub decision: Option<(Decision, Answer)>,
}

/// Whether the same wish was taken before, and how many were of its session.
///
/// # Errors
/// When refs can't be read.
pub fn is_known(context: &Context, wish: &Wish) -> Result<(bool, usize), AppError> {
    let repository = context.repository()?;
    let reference = content::reference(&wish.session, &wish.idempotency_key());
    let all = repository.refs_under(&content::of_session(&wish.session))?;
    Ok((all.iter().any(|(name, _)| *name == reference), all.len()))
}

/// Takes a wish: keeps its bytes, signs its proposal as the session's actor, and records what the gate says.
///
/// # Errors
/// When the actor's key can't sign, or something can't be written; nothing happens in the worktree then, nor ever here.
pub fn ask(context: &Context, wish: &Wish, standing: &Standing) -> Result<Asked, AppError> {
    let repository = context.repository()?;
    let key = wish.idempotency_key();
    let reference = content::reference(&wish.session, &key);
    let kept = repository.find_ref(&reference)?;
    if let Some(commit) = kept
        && let Some(known) = known(&context.open(&repository)?, commit, &key)?
    {
        return Ok(known);
    }
    let base = crate::app::subject::commit(&repository, Some(&wish.branch))?;
    let commit = match kept {
        Some(commit) => commit,
        None => {
            let file = (&wish.path, wish.bytes.as_slice(), wish.executable);
            content::keep(&repository, (&reference, &key), base, file, context.now)?
        }
    };
    // What was kept before a kill was kept on top of what was there then.
    let below = repository.commit(&commit)?.parents.first().copied().unwrap_or(base);
    let intent = Intent {
        at: Some(commit.to_string()),
        command: "gateway serve",
        idempotency_key: Some(key.hex()),
        reason: wish.reason.clone(),
        reference: Some(wish.branch.clone()),
        write: Some((below, wish.file())),
        ..Intent::default()
    };
    let session = context.open(&repository)?;
    let (digest, envelope_id, writing) = propose::of_write(context, &session, &intent)?;
    record_quietly(&session, "wish", writing)?;
    drop(session);
    let decision = decide(context, &repository, (digest, commit), standing)?;
    Ok(Asked { id: ArtifactId::of(&digest), digest, envelope_id, already: false, decision: Some(decision) })
}

/// The proposal of the same wish on the commit that is kept for it.
fn known(session: &Session<'_>, commit: Oid, key: &Digest) -> Result<Option<Asked>, AppError> {
    let noted = Noted::default();
    noted.read(session, &commit)?;
    for digest in noted.on(&commit, |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_))) {
        let Some(statement) = proposals::statement(&noted, &digest) else { continue };
        let envelope = statement.predicate;
        let signed = proposals::signed_by_its_actor(session, &noted, &digest, &envelope).is_some();
        if signed && envelope.idempotency_key == key.hex() {
            let (id, envelope_id) = (ArtifactId::of(&digest), envelope.envelope_id);
            return Ok(Some(Asked { id, digest, envelope_id, already: true, decision: None }));
        }
    }
    Ok(None)
}

fn decide(
    context: &Context,
    repository: &crate::git::Repository,
    wish: (Digest, Oid),
    standing: &Standing,
) -> Result<(Decision, Answer), AppError> {
    transact(context, repository, "decision", |session, noted, signer| {
        let (digest, statement) = super::carry::find(session, noted, wish)?;
        let Some(action) = &statement.predicate.requested_action else { return Err(super::carry::no_wish(&digest)) };
        let judged = super::judge(session, noted, (digest, action), Some(standing.clone()))?;
        let mut events = Events::new(session, noted, signer);
        let awaited = judged.verdict.awaits_approval();
        let (decision, answer) = match (judged.verdict.outcome, judge::snapshot(session, &judged)) {
            (Outcome::Refused, Some(snapshot)) if awaited => {
                judge::admit(&mut events, &judged, &snapshot, action.new, (digest, true))?;
                (Decision::Pending, judged.answer(None))
            }
            (Outcome::Refused, _) => {
                let receipt = judge::refuse(&mut events, session, noted, signer, &judged)?;
                (Decision::Refused, judged.answer(receipt))
            }
            // No approval can be there before the wish is; what is admitted all the same waits to be carried out.
            (Outcome::Admitted, _) => (Decision::Admitted, judged.answer(None)),
            (Outcome::Undecided, _) => (Decision::Undecided, judged.answer(None)),
        };
        Ok(Decided { seen: Vec::new(), value: (decision, answer), writing: events.writing() })
    })
}
