//! WRITE: a wish to write a file of a worktree, gathered as the update of one commit that it is, and what git has of its bytes.

use std::collections::BTreeSet;

use super::error::GatherError;
use super::notes::Noted;
use super::proposals::statement;
use super::session::Session;
use super::update::{UpdateRequest, facts_under};
use crate::codec::canonical;
use crate::gate::facts::{Facts, Touch};
use crate::gate::write::{Content, Standing, WriteSeen, rule};
use crate::git::{Mode, ObjectError, Repository};
use crate::model::digest::Digest;
use crate::model::envelope::{Action, FileWrite};
use crate::model::id::Oid;
use crate::model::operation::Operation;

/// The most bytes of a blob that are looked at: far above all that may be asked for.
const LARGEST: u64 = 16 << 20;

/// Gathers the facts of one wish. `standing` is what was seen of session and worktree, where they are here.
///
/// # Errors
/// When git or the shelves can't be read at all. That something is absent is a fact.
pub fn facts_for_write(
    session: &Session<'_>,
    noted: &Noted,
    request: &UpdateRequest,
    wish: Digest,
    standing: Option<Standing>,
) -> Result<Facts, GatherError> {
    let policy = session.policies.in_force.and_then(|digest| session.policies.known.get(&digest));
    let under = policy.and_then(|policy| rule(policy, &request.reference).ok());
    let mut facts = facts_under(session, noted, request, under)?;
    facts.proposals.retain(|one| one.digest == wish);
    let said = statement(noted, &wish);
    let action = said.as_ref().and_then(|it| it.predicate.requested_action.as_ref());
    let Some((action, write)) = action.and_then(|action| Some((action, action.write.as_ref()?))) else {
        let content = Content::Missing("nothing says which".to_owned());
        facts.write = Some(WriteSeen { content, beside: Vec::new(), standing });
        return Ok(facts);
    };
    // Judged is the one file that is named, whatever else the commit that stands for it may reach or leave as it was.
    let tip = action.new;
    for proposal in &mut facts.proposals {
        proposal.range = BTreeSet::from([tip]);
    }
    facts.range.retain(|oid| *oid == tip);
    if let Some(commit) = facts.commits.get_mut(&tip) {
        let operation = if write.preimage.is_some() { Operation::Modify } else { Operation::Add };
        commit.touched = vec![Touch { operations: vec![operation], path: write.path.as_str().into() }];
    }
    let (content, beside) = look(session.repository, action, write)
        .unwrap_or_else(|error| (Content::Missing(error.to_string()), Vec::new()));
    facts.write = Some(WriteSeen { content, beside, standing });
    Ok(facts)
}

/// The bytes in the commit that stands for a write, and where else it differs from the one below it.
fn look(
    repository: &Repository,
    action: &Action,
    write: &FileWrite,
) -> Result<(Content, Vec<String>), crate::git::DiffError> {
    let trees = (repository.commit(&action.old)?.tree, repository.commit(&action.new)?.tree);
    let changes = repository.change_list(&trees.0, &trees.1)?;
    let other = changes.into_iter().map(|change| change.path).filter(|path| path != write.path.as_str().as_bytes());
    let beside = other.map(|path| String::from_utf8_lossy(&path).into_owned()).collect();
    Ok((content(repository, &action.new, write)?, beside))
}

fn content(repository: &Repository, commit: &Oid, write: &FileWrite) -> Result<Content, ObjectError> {
    Ok(match bytes(repository, commit, write)? {
        Some(bytes) => Content::Here { digest: canonical::sha256(&bytes), size: bytes.len() as u64 },
        None => Content::Missing(format!("{} is no file in {}", write.path.as_str(), commit.short())),
    })
}

/// The bytes that the commit which stands for a write has at its path; `None` where that is no file.
///
/// # Errors
/// When git has them not, or not whole.
pub fn bytes(repository: &Repository, commit: &Oid, write: &FileWrite) -> Result<Option<Vec<u8>>, ObjectError> {
    let tree = repository.commit(commit)?.tree;
    match repository.entry_at(&tree, write.path.as_str().as_bytes())? {
        Some((Mode::File | Mode::Executable, blob)) => repository.blob_within(&blob, LARGEST).map(Some),
        _ => Ok(None),
    }
}
