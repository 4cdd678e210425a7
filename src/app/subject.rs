//! Shared answers about revisions: subjects, commits, branches.

use std::rc::Rc;

use super::error::AppError;
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::{Statement, Subject};
use crate::gate::facts::Recorded;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::gather::proposals::signed_by_its_actor;
use crate::git::{Head, Repository};
use crate::model::digest::Digest;
use crate::model::envelope::{ClaimKind, Envelope};
use crate::model::id::{ArtifactId, Oid};
use crate::model::key::PublicKey;

/// What to do about an id that is not recorded here: it may not be fetched, it may be mistyped, or a server printed it.
pub const UNKNOWN: &str =
    "git boundary sync, or git boundary log; a receipt that a server printed with its refusal is kept there alone";

/// The subject of a statement about one commit.
///
/// # Errors
/// When the commit can't be read.
pub fn subject(session: &Session<'_>, commit: Oid) -> Result<Subject, AppError> {
    let tree = session.repository.commit(&commit)?.tree;
    Ok(Subject { commit, repository: session.trust.repository(), tree })
}

/// The commit that a revision names; `HEAD` without one.
///
/// # Errors
/// When it names none.
pub fn commit(repository: &Repository, rev: Option<&str>) -> Result<Oid, AppError> {
    Ok(repository.resolve_commit(rev.unwrap_or("HEAD"))?)
}

/// The current branch in full; `instead` says how to name one in the command that asks.
///
/// # Errors
/// When `HEAD` is detached.
pub fn current_branch(repository: &Repository, instead: &str) -> Result<String, AppError> {
    match repository.head()? {
        Head::Branch { name, .. } => Ok(name),
        Head::Detached(_) => Err(AppError::usage("HEAD is detached, so that no branch is current", instead)),
    }
}

/// A branch or ref as the user names it, in full: `main` is `refs/heads/main`.
pub fn full_ref(name: &str) -> String {
    if name.starts_with("refs/") { name.to_owned() } else { format!("refs/heads/{name}") }
}

/// The proposal that a user means: by revision, artifact id or digest; refuses to guess between several. `otherwise` says what to do where a
/// revision has none.
///
/// # Errors
/// When there is none, or there are several.
pub fn proposal(
    session: &Session<'_>,
    noted: &Noted,
    what: Option<&str>,
    otherwise: &dyn Fn() -> String,
) -> Result<(Digest, Statement<Envelope>), AppError> {
    let what = what.unwrap_or("HEAD");
    let mut found = proposals(session, noted, what, otherwise)?;
    if found.len() > 1 { Err(several(what, &found)) } else { Ok(found.remove(0)) }
}

/// The proposals that a user may mean: at least one, and of several versions of one envelope the last.
///
/// # Errors
/// When there is none.
pub fn proposals(
    session: &Session<'_>,
    noted: &Noted,
    what: &str,
    otherwise: &dyn Fn() -> String,
) -> Result<Vec<(Digest, Statement<Envelope>)>, AppError> {
    let wanted = Wanted::parse(what);
    let notes = wanted.notes(session, what)?;
    let mut found: Vec<Found> = Vec::new();
    for oid in &notes {
        noted.read(session, oid)?;
        for digest in noted.on(oid, |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_))) {
            let Some(statement) = crate::gather::proposals::statement(noted, &digest) else { continue };
            if wanted.matches(&digest, &statement) {
                let actor = signed_by_its_actor(session, noted, &digest, &statement.predicate);
                found.push(Found { actor, digest, statement });
            }
        }
    }
    let mut found = latest(found);
    // A claim that work is done is named by its id: of a revision the change is meant.
    if matches!(wanted, Wanted::Revision) && found.iter().any(|(_, it)| it.predicate.claim.kind == ClaimKind::Change) {
        found.retain(|(_, it)| it.predicate.claim.kind == ClaimKind::Change);
    }
    if found.is_empty() { Err(none(session, noted, (&wanted, &notes), what, otherwise)) } else { Ok(found) }
}

/// That one of several has to be named.
pub fn several(what: &str, found: &[(Digest, Statement<Envelope>)]) -> AppError {
    let asks = |envelope: &Envelope| match &envelope.requested_action {
        None => "claims that the work is done".to_owned(),
        Some(action) if action.new.is_zero() => format!("delete {}", action.reference),
        Some(action) if action.old.is_zero() => format!("create {}", action.reference),
        Some(action) => format!("update {}", action.reference),
    };
    let ids: Vec<String> = found
        .iter()
        .map(|(digest, statement)| format!("{} ({})", ArtifactId::of(digest), asks(&statement.predicate)))
        .collect();
    AppError::usage(format!("{what} has {} proposals", found.len()), format!("name one of them: {}", ids.join(", ")))
}

/// The recorded artifact that an id or a digest names; `None` where `what` is neither, but a revision or an envelope.
///
/// # Errors
/// When no note here holds it, or a short id is that of several.
pub fn artifact(session: &Session<'_>, noted: &Noted, what: &str) -> Result<Option<Rc<Recorded>>, AppError> {
    let wanted = Wanted::parse(what);
    if !matches!(wanted, Wanted::Digest(_) | Wanted::Id(_)) {
        return Ok(None);
    }
    for oid in wanted.notes(session, what)? {
        noted.read(session, &oid)?;
    }
    let mut found = noted.artifacts().into_values().filter(|recorded| wanted.names(&recorded.artifact.digest()));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(Some(one)),
        (Some(one), Some(other)) => Err(AppError::usage(
            format!("{what} is the id of several artifacts"),
            format!("name one of them: {}, {}", one.artifact.digest(), other.artifact.digest()),
        )),
        (None, _) if !session.has_fetched_receipts() => Err(not_fetched()),
        (None, _) => Err(AppError::usage(format!("{what} is not recorded here"), UNKNOWN)),
    }
}

/// The object in whose note what is said about an artifact belongs: of those that it stands in, the one of what it is itself about. What
/// does not say where it belongs can be copied to any note.
pub fn home(noted: &Noted, recorded: &Recorded) -> Oid {
    let is_about = |other: &Rc<Recorded>| match recorded.artifact.value() {
        Artifact::BoundaryProof(proof) => proof.proven.subject_ref == other.artifact.id().to_string(),
        Artifact::TestResult(result) => result.subjects.contains(&other.artifact.digest()),
        _ => false,
    };
    let about = noted.artifacts().into_values().find(is_about).map(|other| other.note);
    about.filter(|note| recorded.entries.iter().any(|entry| entry.note == *note)).unwrap_or(recorded.note)
}

fn not_fetched() -> AppError {
    AppError::Told {
        failure: super::error::Failure::Undecided,
        hint: Some("git fetch".to_owned()),
        text: "receipts are not fetched in this clone".to_owned(),
    }
}

/// For whoever goes on with a revision that nobody proposed.
pub fn to_propose() -> String {
    "git boundary propose --key <key>".to_owned()
}

/// For owners.
pub fn to_approve() -> String {
    "git boundary approvals".to_owned()
}

/// For whoever asks about what others proposed.
pub fn to_name() -> String {
    "name one of those that git boundary log lists; if it was recorded elsewhere: git boundary sync".to_owned()
}

fn none(
    session: &Session<'_>,
    noted: &Noted,
    (wanted, notes): (&Wanted, &[Oid]),
    what: &str,
    otherwise: &dyn Fn() -> String,
) -> AppError {
    if !session.has_fetched_receipts() {
        return not_fetched();
    }
    if let Wanted::Revision = wanted {
        let at = notes.first().map_or_else(|| what.to_owned(), |oid| format!("{what} ({})", oid.short()));
        return AppError::usage(format!("{at} has no proposal here"), otherwise());
    }
    let other = noted.artifacts().into_values().find(|recorded| wanted.names(&recorded.artifact.digest()));
    match other {
        Some(recorded) => {
            let (kind, ..) = super::described::parts(session, recorded.artifact.value());
            AppError::usage(format!("{what} is no proposal; it is: {kind}"), format!("git boundary show {what}"))
        }
        None => AppError::usage(format!("{what} is not recorded here"), UNKNOWN),
    }
}

struct Found {
    /// The actor that it names, where that is known and signed it.
    actor: Option<PublicKey>,
    digest: Digest,
    statement: Statement<Envelope>,
}

/// Of several versions of one envelope by one signer, the last. What its actor did not sign is meant by nobody, unless there is nothing
/// else.
fn latest(mut found: Vec<Found>) -> Vec<(Digest, Statement<Envelope>)> {
    if found.iter().any(|one| one.actor.is_some()) {
        found.retain(|one| one.actor.is_some());
    }
    let superseded: Vec<(Option<Digest>, Option<PublicKey>)> =
        found.iter().map(|one| (one.statement.predicate.predecessor, one.actor)).collect();
    found.retain(|one| !superseded.contains(&(Some(one.digest), one.actor)));
    found.into_iter().map(|one| (one.digest, one.statement)).collect()
}

enum Wanted {
    Digest(Digest),
    Envelope(crate::model::id::EnvelopeId),
    Id(crate::model::id::ArtifactId),
    Revision,
}

impl Wanted {
    fn parse(text: &str) -> Self {
        if let Ok(digest) = text.parse() {
            Wanted::Digest(digest)
        } else if let Ok(id) = text.parse() {
            Wanted::Id(id)
        } else if let Ok(id) = text.parse() {
            Wanted::Envelope(id)
        } else {
            Wanted::Revision
        }
    }

    /// The notes in which it can stand.
    fn notes(&self, session: &Session<'_>, what: &str) -> Result<Vec<Oid>, AppError> {
        Ok(match self {
            Wanted::Revision => vec![session.repository.resolve_commit(what)?],
            Wanted::Digest(wanted) => session.shelves.notes_of(|digest| digest == wanted)?,
            Wanted::Id(wanted) => session.shelves.notes_of(|digest| ArtifactId::of(digest) == *wanted)?,
            Wanted::Envelope(_) => session.shelves.annotated()?,
        })
    }

    /// Whether it names this artifact by its digest or its id.
    fn names(&self, digest: &Digest) -> bool {
        match self {
            Wanted::Digest(wanted) => wanted == digest,
            Wanted::Id(wanted) => *wanted == ArtifactId::of(digest),
            Wanted::Envelope(_) | Wanted::Revision => false,
        }
    }

    fn matches(&self, digest: &Digest, statement: &Statement<Envelope>) -> bool {
        match self {
            Wanted::Digest(_) | Wanted::Id(_) => self.names(digest),
            Wanted::Envelope(wanted) => *wanted == statement.predicate.envelope_id,
            Wanted::Revision => true,
        }
    }
}
