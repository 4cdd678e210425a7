//! LINES: which signed lines this clone records on somebody's behalf, and in which note.

use super::{Imported, Line};
use crate::app::bundle::answer::Defect;
use crate::app::described;
use crate::app::error::AppError;
use crate::codec::artifact::Artifact;
use crate::codec::dsse::Dsse;
use crate::crypto::verified::verify_line;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, Oid};

/// Most lines that are read of a file: each costs a verification.
const MAX_LINES: usize = 50_000;

/// Whether a file is signed lines rather than a bundle.
pub(super) fn looks_like_lines(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').find(|line| !line.is_empty()).unwrap_or_default();
    Dsse::parse(first).is_ok()
}

/// Each line of a file with the note that it belongs in.
pub(super) fn read(session: &Session<'_>, bytes: &[u8], imported: &mut Imported) -> Result<Vec<Line>, AppError> {
    let noted = Noted::default();
    let mut lines: Vec<Line> = Vec::new();
    let mut here: Vec<(Digest, String, Oid)> = Vec::new();
    for (number, line) in (1_usize..).zip(bytes.split(|byte| *byte == b'\n')).filter(|(_, line)| !line.is_empty()) {
        let mut left = |text: String| imported.left.push(Defect { what: format!("line {number}"), text });
        if number > MAX_LINES {
            left(format!("is past the {MAX_LINES} that are read"));
            break;
        }
        let artifact = match verify_line(line, &|name| session.trust.resolve(name)) {
            Ok(artifact) => artifact,
            Err(defect) => {
                left(defect.to_string());
                continue;
            }
        };
        let note = match (artifact.value().noted_on(), artifact.value()) {
            (Some(note), _) => Some(note),
            (None, Artifact::BoundaryProof(proof)) => {
                about(session, &noted, &here, &|id, _| id == proof.proven.subject_ref)?
            }
            (None, Artifact::TestResult(result)) => {
                about(session, &noted, &here, &|_, digest| result.subjects.contains(digest))?
            }
            _ => None,
        };
        let Some(note) = note else {
            left(format!("{} is about nothing that is here, so that it belongs in no note", artifact.id()));
            continue;
        };
        here.push((artifact.digest(), artifact.id().to_string(), note));
        lines.push(Line { bytes: line.to_vec(), note });
    }
    Ok(lines)
}

/// The note of what an artifact is about: in the same file, or here.
fn about(
    session: &Session<'_>,
    noted: &Noted,
    here: &[(Digest, String, Oid)],
    is: &dyn Fn(&str, &Digest) -> bool,
) -> Result<Option<Oid>, AppError> {
    if let Some((.., note)) = here.iter().find(|(digest, id, _)| is(id, digest)) {
        return Ok(Some(*note));
    }
    for oid in session.shelves.notes_of(|digest| is(&ArtifactId::of(digest).to_string(), digest))? {
        noted.read(session, &oid)?;
    }
    let found = noted.artifacts().into_values().find(|one| is(&one.artifact.id().to_string(), &one.artifact.digest()));
    Ok(found.map(|one| one.note))
}

/// What to record of a line; nothing where it is here with all its signatures.
pub(super) fn judge(
    session: &Session<'_>,
    noted: &Noted,
    line: &[u8],
    note: Oid,
) -> Result<Option<(Dsse, String)>, Defect> {
    let left = |what: String, text: String| Defect { what, text };
    let artifact = verify_line(line, &|name| session.trust.resolve(name))
        .map_err(|defect| left("a line".to_owned(), defect.to_string()))?;
    let id = artifact.id().to_string();
    if let Some(other) = artifact.value().noted_on().filter(|other| *other != note) {
        return Err(left(id, format!("is about {other}, and was noted on {note}")));
    }
    if let Some(subject) = artifact.value().subject()
        && subject.repository != session.trust.repository()
    {
        return Err(left(id, format!("is of {}, this is {}", subject.repository, session.trust.repository())));
    }
    let known = noted.artifact(&artifact.digest());
    let on_it = |entries: &[crate::gate::facts::LedgerEntry]| entries.iter().any(|entry| entry.note == note);
    if known.is_some_and(|known| artifact.signers().is_subset(known.artifact.signers()) && on_it(&known.entries)) {
        return Ok(None);
    }
    if matches!(artifact.value(), Artifact::Event(_) | Artifact::Refusal(_)) {
        return Err(left(id, "is a registrar's own word, which counts in that registrar's ledger alone".to_owned()));
    }
    let envelope = Dsse::parse(line).map_err(|defect| left(id, defect.to_string()))?;
    Ok(Some((envelope, described::parts(session, artifact.value()).0)))
}
