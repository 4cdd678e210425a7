//! CONTEXT: proposals of the same change on other commits, so that whoever amended, rebased or picked a commit is told where its receipts
//! stayed (none is ever copied to another commit). Nothing here is judged.

use super::commits;
use super::error::GatherError;
use super::notes::Noted;
use super::session::Session;
use crate::codec::artifact::Artifact;
use crate::gate::facts::Elsewhere;
use crate::git::Commit;
use crate::store::hints::Hint;

/// So many commits are looked at: one name is enough for people to find the others.
const MOST_LOOKED_AT: usize = 16;

/// For each of these commits the first proposal of the same change that its change list's hints lead to.
///
/// # Errors
/// When the shelves can't be read. What can't be compared is equal to nothing.
pub fn same_change<'c>(
    session: &Session<'_>,
    noted: &Noted,
    commits: impl Iterator<Item = &'c Commit>,
) -> Result<Vec<Elsewhere>, GatherError> {
    let mut found = Vec::new();
    for commit in commits.filter(|commit| commit.parents.len() < 2).take(MOST_LOOKED_AT) {
        let repository = session.repository;
        let base = match commit.parents.first() {
            Some(parent) => repository.commit(parent).map(|parent| parent.tree),
            None => Ok(repository.object_format().empty_tree()),
        };
        let Ok(base) = base else { continue };
        let Ok((list, false)) = commits::change_list_id(repository, &base, &commit.tree) else { continue };
        for (registrar, Hint { hint, .. }) in session.shelves.read(&list)?.leads() {
            if hint == commit.oid || registrar.is_some_and(|registrar| session.shelves.is_spent(&registrar)) {
                continue;
            }
            noted.read(session, &hint)?;
            let proposals = noted.on(
                &hint,
                |artifact| matches!(artifact, Artifact::EvidenceEnvelope(it) if it.predicate.change.list == list),
            );
            if let Some(proposal) = proposals.first() {
                found.push(Elsewhere { commit: commit.oid, proposal: *proposal, tip: hint });
                break;
            }
            registrar.iter().for_each(|registrar| session.shelves.charge(registrar));
        }
    }
    Ok(found)
}
