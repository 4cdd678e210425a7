//! A proposal as it was recorded, read back as anybody would, and what would stand against it.

use serde::Serialize;

use crate::app::context::Context;
use crate::app::error::AppError;
use crate::app::judge::{self, Doubts};
use crate::app::remote::{self, Published};
use crate::crypto::trust::Standing;
use crate::gather::notes::Noted;
use crate::gather::{Session, proposals};
use crate::git::Head;
use crate::model::decision::NextAction;
use crate::model::digest::Digest;
use crate::model::envelope::{Action, Envelope};
use crate::model::id::{ArtifactId, EnvelopeId, Oid};
use crate::model::party::Role;
use crate::model::typed::is_plain;

/// A proposal as recorded.
#[derive(Debug, Serialize)]
pub struct Proposed {
    /// Its artifact id.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// Its envelope.
    pub envelope_id: EnvelopeId,
    /// Its version.
    pub version: u64,
    /// Who signed.
    pub actor: String,
    /// The handoff it works under.
    pub handoff: Option<ArtifactId>,
    /// What should happen; `None` for a claim that work is done.
    pub action: Option<Action>,
    /// The current branch, where it stands at the proposed commit.
    pub branch: Option<String>,
    /// Whether the push moves the ref to what does not follow from its old value, which git wants force for.
    pub rewrite: bool,
    /// The remote that it would be pushed to.
    pub remote: Option<String>,
    /// Whether it had been proposed already, so that nothing was written.
    pub already: bool,
    /// What would stand against it.
    pub warnings: Vec<String>,
    /// What to do about that.
    pub next: Option<NextAction>,
    /// Other ways on, in sentences.
    pub advice: Vec<String>,
    /// Whether it is at the remote.
    pub published: Published,
}

/// Reads back what was written, as anybody would, and says what would stand against it.
///
/// # Errors
/// When it is not there.
pub fn reread(context: &Context, note: Oid, digest: Digest, published: Published) -> Result<Proposed, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    noted.read(&session, &note)?;
    if noted.artifact(&digest).is_none() {
        return Err(AppError::fatal(format!("{digest} was recorded and is not there"), "git boundary doctor"));
    }
    shown(&session, &noted, digest, false, published)
}

/// What is told of a proposal that was read.
///
/// # Errors
/// When it is no proposal, or facts can't be gathered.
pub fn shown(
    session: &Session<'_>,
    noted: &Noted,
    digest: Digest,
    already: bool,
    published: Published,
) -> Result<Proposed, AppError> {
    let statement = proposals::statement(noted, &digest)
        .ok_or_else(|| AppError::fatal(format!("{digest} is no proposal"), "git boundary doctor"))?;
    let envelope = statement.predicate;
    let action = envelope.requested_action.clone();
    let Doubts { advice, mut next, mut warnings } = match &action {
        Some(action) => judge::doubts(session, noted, action)?,
        None => Doubts::default(),
    };
    if let Some((warning, mend)) = without_role(session, &envelope)
        && !warnings.iter().any(|known| known.starts_with("identity."))
    {
        warnings.push(warning);
        next = next.or(Some(mend));
    }
    let actor = envelope.bindings.actor.value().and_then(|id| session.trust.party_of(id));
    Ok(Proposed {
        id: ArtifactId::of(&digest),
        digest,
        envelope_id: envelope.envelope_id,
        version: envelope.version,
        actor: actor.map_or_else(|| "unknown".to_owned(), |party| party.label.clone()),
        handoff: envelope.bindings.lease.value().map(ArtifactId::of),
        rewrite: action.as_ref().is_some_and(|action| is_rewrite(session, action)),
        branch: match session.repository.head()? {
            Head::Branch { name, oid } if action.as_ref().is_some_and(|action| oid == Some(action.new)) => Some(name),
            _ => None,
        },
        action,
        remote: remote::default_remote(session.repository)?,
        already,
        warnings,
        next,
        advice,
        published,
    })
}

/// A key that is trusted neither as actor nor as person proposes in vain, also where no rule governs the ref today.
fn without_role(session: &Session<'_>, envelope: &Envelope) -> Option<(String, NextAction)> {
    let party = session.trust.party_of(envelope.bindings.actor.value()?)?;
    let good = |role| session.trust.standing(&party.key, role, session.now) == Standing::Good;
    if good(Role::Actor) || good(Role::Person) {
        return None;
    }
    let roles: Vec<&str> = party.roles.iter().map(|role| role.name()).collect();
    let text = format!(
        "{} is trusted here as {} only, and proposals count from actors, and from persons whom a rule lists",
        party.label,
        roles.join(", ")
    );
    let name = if is_plain(&party.label) { party.label.clone() } else { party.id.to_string() };
    let command = Some(format!("git boundary trust add {name} --role actor --key <owner>"));
    Some((
        text,
        NextAction { command, sentence: "Propose with an actor's key, or have this one trusted as actor.".to_owned() },
    ))
}

/// Whether git pushes the action only with force: a tag that moves, or a value that does not follow from the one there was.
fn is_rewrite(session: &Session<'_>, action: &Action) -> bool {
    if action.old.is_zero() || action.new.is_zero() || action.old == action.new {
        return false;
    }
    let repository = session.repository;
    let commit = |oid: &Oid| repository.peel_to_commit(oid).ok().flatten();
    let follows = |(old, new): (Oid, Oid)| repository.is_ancestor(&old, &new).unwrap_or(false);
    action.reference.starts_with("refs/tags/") || !commit(&action.old).zip(commit(&action.new)).is_some_and(follows)
}
