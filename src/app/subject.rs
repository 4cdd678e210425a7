//! Shared answers about revisions: subjects, commits, branches.

use super::context::Context;
use super::error::AppError;
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::{Statement, Subject};
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::git::{Head, Repository};
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::id::Oid;

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

/// The current branch in full.
///
/// # Errors
/// When `HEAD` is detached.
pub fn current_branch(repository: &Repository) -> Result<String, AppError> {
    match repository.head()? {
        Head::Branch { name, .. } => Ok(name),
        Head::Detached(_) => {
            Err(AppError::usage("HEAD is detached, so that no branch is current", "add --ref refs/heads/<branch>"))
        }
    }
}

/// A branch or ref as the user names it, in full: `main` is `refs/heads/main`.
pub fn full_ref(name: &str) -> String {
    if name.starts_with("refs/") { name.to_owned() } else { format!("refs/heads/{name}") }
}

/// The proposal that a user means: by revision, artifact id or digest; refuses to guess between several.
///
/// # Errors
/// When there is none, or there are several.
pub fn proposal(
    context: &Context,
    session: &Session<'_>,
    noted: &Noted,
    what: Option<&str>,
) -> Result<(Digest, Statement<Envelope>), AppError> {
    let _ = context;
    let what = what.unwrap_or("HEAD");
    let mut found = proposals(session, noted, what)?;
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
) -> Result<Vec<(Digest, Statement<Envelope>)>, AppError> {
    let wanted = Wanted::parse(what);
    let notes = match &wanted {
        Wanted::Revision => vec![session.repository.resolve_commit(what)?],
        Wanted::Id(_) | Wanted::Digest(_) | Wanted::Envelope(_) => session.shelves.annotated()?,
    };
    let mut found: Vec<(Digest, Statement<Envelope>)> = Vec::new();
    for oid in &notes {
        noted.read(session, oid)?;
        for digest in noted.on(oid, |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_))) {
            let Some(statement) = crate::gather::proposals::statement(noted, &digest) else { continue };
            if wanted.matches(&digest, &statement) {
                found.push((digest, statement));
            }
        }
    }
    keep_latest(&mut found);
    if found.is_empty() { Err(none(session, &notes, what)) } else { Ok(found) }
}

/// That one of several has to be named.
pub fn several(what: &str, found: &[(Digest, Statement<Envelope>)]) -> AppError {
    let ids: Vec<String> =
        found.iter().map(|(digest, _)| crate::model::id::ArtifactId::of(digest).to_string()).collect();
    AppError::usage(format!("{what} has {} proposals", found.len()), format!("name one of them: {}", ids.join(", ")))
}

fn none(session: &Session<'_>, notes: &[Oid], what: &str) -> AppError {
    let fetched = session.has_fetched_receipts();
    if !fetched {
        return AppError::Told {
            failure: super::error::Failure::Undecided,
            hint: Some("git fetch".to_owned()),
            text: "receipts are not fetched in this clone".to_owned(),
        };
    }
    let at = notes.first().map_or_else(|| what.to_owned(), |oid| format!("{what} ({})", oid.short()));
    AppError::usage(format!("{at} has no proposal here"), "git boundary propose --key <key>")
}

/// Of several versions of one envelope by one signer, the last.
fn keep_latest(found: &mut Vec<(Digest, Statement<Envelope>)>) {
    let superseded: Vec<Digest> = found.iter().filter_map(|(_, statement)| statement.predicate.predecessor).collect();
    found.retain(|(digest, _)| !superseded.contains(digest));
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

    fn matches(&self, digest: &Digest, statement: &Statement<Envelope>) -> bool {
        match self {
            Wanted::Digest(wanted) => wanted == digest,
            Wanted::Id(wanted) => *wanted == crate::model::id::ArtifactId::of(digest),
            Wanted::Envelope(wanted) => *wanted == statement.predicate.envelope_id,
            Wanted::Revision => true,
        }
    }
}
