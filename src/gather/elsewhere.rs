//! CONTEXT: proposals of the same work on other commits, so that whoever amended, rebased or picked a commit is told where its receipts
//! stayed (none is ever copied to another commit). Nothing here is judged.

use super::commits;
use super::error::GatherError;
use super::notes::Noted;
use super::session::Session;
use crate::codec::artifact::Artifact;
use crate::gate::facts::{Elsewhere, Likeness};
use crate::git::Commit;
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::store::hints::Hint;

/// So many commits are looked at: one name is enough for people to find the others.
const MOST_LOOKED_AT: usize = 16;

/// Of so many commits with receipts it is asked whether one was rewritten.
const MOST_CANDIDATES: usize = 512;
/// Where ledgers have more entries than this, they are not all read for a guess.
const MOST_ENTRIES: u64 = 20_000;

/// For each of these commits the proposal of the same change, else one about a commit that it seems to have been made from.
///
/// # Errors
/// When the shelves can't be read.
pub fn nearest(session: &Session<'_>, noted: &Noted, commits: &[&Commit]) -> Result<Vec<Elsewhere>, GatherError> {
    let mut found = same_change(session, noted, commits.iter().copied())?;
    let known: Vec<Oid> = found.iter().map(|one| one.commit).collect();
    let left = || commits.iter().filter(|commit| !known.contains(&commit.oid)).take(MOST_LOOKED_AT);
    let mut unnamed = Vec::new();
    for commit in left() {
        let mut named = None;
        for tip in ids_in(commit.message()).filter(|tip| *tip != commit.oid).take(MOST_LOOKED_AT) {
            named = proposal_on(session, noted, tip)?.map(|proposal| (tip, proposal));
            if named.is_some() {
                break;
            }
        }
        match named {
            Some((tip, proposal)) => {
                found.push(Elsewhere { commit: commit.oid, likeness: Likeness::Named, proposal, tip });
            }
            None => unnamed.push(*commit),
        }
    }
    let entries: u64 = session.shelves.open.iter().map(|shelf| shelf.head.size).sum();
    if unnamed.is_empty() || entries > MOST_ENTRIES {
        return Ok(found);
    }
    let candidates: Vec<Commit> = session
        .shelves
        .annotated()?
        .iter()
        .rev()
        .take(MOST_CANDIDATES)
        .filter_map(|oid| session.repository.commit(oid).ok())
        .collect();
    for commit in unnamed {
        let others = || candidates.iter().filter(|other| other.oid != commit.oid);
        let tree = others().filter(|other| other.tree == commit.tree).map(|other| (other, Likeness::Tree));
        let author = others().filter(|other| is_same_author(other, commit)).map(|other| (other, Likeness::Author));
        for (other, likeness) in tree.chain(author).take(MOST_LOOKED_AT) {
            if let Some(proposal) = proposal_on(session, noted, other.oid)? {
                found.push(Elsewhere { commit: commit.oid, likeness, proposal, tip: other.oid });
                break;
            }
        }
    }
    Ok(found)
}

fn proposal_on(session: &Session<'_>, noted: &Noted, tip: Oid) -> Result<Option<Digest>, GatherError> {
    noted.read(session, &tip)?;
    Ok(noted.on(&tip, |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_))).first().copied())
}

/// Which of some commits seems to be another one, written anew.
pub fn rewritten(old: &Commit, commits: &[Commit]) -> Option<Oid> {
    let anew = |commit: &&Commit| commit.oid != old.oid && (commit.tree == old.tree || is_same_author(commit, old));
    commits.iter().find(anew).map(|commit| commit.oid)
}

fn is_same_author(one: &Commit, other: &Commit) -> bool {
    one.author().is_some_and(|author| other.author() == Some(author))
}

/// Whole ids in a message.
fn ids_in(message: &[u8]) -> impl Iterator<Item = Oid> {
    message
        .split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|word| matches!(word.len(), 40 | 64))
        .filter_map(|word| std::str::from_utf8(word).ok()?.parse().ok())
}

/// For each of these commits the first proposal of the same change that its change list's hints lead to.
///
/// # Errors
/// When the shelves can't be read. What can't be compared is equal to nothing.
fn same_change<'c>(
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
                let likeness = Likeness::Change;
                found.push(Elsewhere { commit: commit.oid, likeness, proposal: *proposal, tip: hint });
                break;
            }
            registrar.iter().for_each(|registrar| session.shelves.charge(registrar));
        }
    }
    Ok(found)
}
