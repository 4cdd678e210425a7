//! RECOGNISED: files of a commit that hold just the bytes that an owner approved through the gateway, and that were written so. It is
//! told, and covers nothing: who approved a write said nothing of where it goes.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::app::error::AppError;
use crate::codec::artifact::Artifact;
use crate::codec::canonical;
use crate::gate::docket::Docket;
use crate::gate::facts::Facts;
use crate::gate::write::executed;
use crate::gather::notes::Noted;
use crate::gather::{Session, proposals};
use crate::git::Mode;
use crate::model::envelope::ClaimKind;
use crate::model::id::{ArtifactId, Oid};

/// Hints at one content that are followed: anybody may write any number of them.
const MOST_LEADS: usize = 16;
/// Paths of one commit that are looked at.
const MOST_PATHS: usize = 1000;
/// The most bytes of a file that could have been approved.
const LARGEST: u64 = 1 << 20;

/// What was recognised in a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Written {
    /// How many paths the commit touches.
    pub of: u64,
    /// Those that hold what was approved.
    pub files: Vec<WrittenFile>,
}

/// One file that is as it was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenFile {
    /// From the top of the tree.
    pub path: String,
    /// The proposal of the write.
    pub proposal: ArtifactId,
    /// The owner's label, or id.
    pub owner: String,
    /// The approval.
    pub approval: ArtifactId,
    /// The work receipt.
    pub receipt: ArtifactId,
    /// Whether the trust document lists the registrar whose word it is that it was carried out.
    pub listed: bool,
}

/// What of a judged commit was approved and written through the gateway; `None` where nothing was.
///
/// # Errors
/// When the shelves can't be read. What git has not is not recognised.
pub fn recognised(
    session: &Session<'_>,
    noted: &Noted,
    facts: &Facts,
    commit: &Oid,
) -> Result<Option<Written>, AppError> {
    let Some(about) = facts.commits.get(commit) else { return Ok(None) };
    let mut files = Vec::new();
    for touch in about.touched.iter().take(MOST_PATHS) {
        let Ok(path) = std::str::from_utf8(&touch.path) else { continue };
        let entry = session.repository.entry_at(&about.tree, &touch.path);
        let Ok(Some((mode @ (Mode::File | Mode::Executable), blob))) = entry else { continue };
        files.extend(file(session, noted, (path, mode == Mode::Executable), blob)?);
    }
    let of = about.touched.len() as u64;
    Ok((!files.is_empty()).then_some(Written { of, files }))
}

fn file(
    session: &Session<'_>,
    noted: &Noted,
    (path, executable): (&str, bool),
    blob: Oid,
) -> Result<Option<WrittenFile>, AppError> {
    let mut content = None;
    for (registrar, hint) in session.shelves.read(&blob)?.leads().take(MOST_LEADS) {
        if registrar.is_some_and(|registrar| session.shelves.is_spent(&registrar)) {
            continue;
        }
        noted.read(session, &hint.hint)?;
        let on: BTreeMap<_, _> = noted
            .on(&hint.hint, |_| true)
            .into_iter()
            .filter_map(|digest| Some((digest, noted.artifact(&digest)?)))
            .collect();
        let docket = Docket::new(on);
        for recorded in docket.all() {
            let Artifact::EvidenceEnvelope(statement) = recorded.artifact.value() else { continue };
            let (digest, envelope) = (recorded.artifact.digest(), &statement.predicate);
            let Some(action) = &envelope.requested_action else { continue };
            let Some(write) = action.write.as_ref().filter(|write| write.path.as_str() == path) else { continue };
            let signed = proposals::signed_by_its_actor(session, noted, &digest, envelope).is_some();
            if envelope.claim.kind != ClaimKind::Write || !signed {
                continue;
            }
            // The bytes themselves are hashed: a hint is anybody's word.
            let is = match &content {
                Some(known) => *known,
                None => match session.repository.blob_within(&blob, LARGEST) {
                    Ok(bytes) => *content.insert(canonical::sha256(&bytes)),
                    // Too large for any write, or not here whole: then nothing is told of it, and the verdict stands.
                    Err(_) => return Ok(None),
                },
            };
            if is != write.content || executable != write.executable {
                continue;
            }
            let Some(done) = executed(&docket, &session.trust, session.now, &digest, action) else { continue };
            let owner =
                session.trust.party_of(&done.owner).map_or_else(|| done.owner.to_string(), |it| it.label.clone());
            return Ok(Some(WrittenFile {
                path: path.to_owned(),
                proposal: ArtifactId::of(&digest),
                owner,
                approval: ArtifactId::of(&done.approval),
                receipt: ArtifactId::of(&done.receipt),
                listed: done.listed,
            }));
        }
        registrar.iter().for_each(|registrar| session.shelves.charge(registrar));
    }
    Ok(None)
}
