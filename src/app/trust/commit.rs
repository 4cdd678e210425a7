//! Signing the next trust version: in force at once, or waiting for more roots.

use serde::Serialize;

use super::chain::{Next, add_published, add_version, chain_tip};
use crate::app::context::Context;
use crate::app::error::AppError;
use crate::app::remote::{self, Published};
use crate::codec::dsse::Dsse;
use crate::codec::in_toto::Statement;
use crate::crypto::pending::{Lacking, Pending, lacking};
use crate::crypto::trust::{Trust, TrustError};
use crate::crypto::verified::sign_statement;
use crate::crypto::{Signer, key_id};
use crate::gather::Session;
use crate::git::{RefEdit, Update};
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::trust::TrustDocument;
use crate::store::{chains, layout, pending};

/// What became of a version that somebody signed.
#[derive(Debug, Clone, Serialize)]
pub struct Committed {
    /// Its number.
    pub version: u64,
    /// Whether the policy that was in force is so no more, because whoever signed it is no owner any more.
    pub ends_policy: bool,
    /// Other versions of the same number that waited for signatures, and can't be in force any more or are now one of several.
    pub overtakes: Vec<Digest>,
    /// What it lacks; `null` once it is in force.
    pub waits: Option<Waits>,
    /// Whether it is at the remote.
    pub published: Published,
}

/// A version that waits for signatures.
#[derive(Debug, Clone, Serialize)]
pub struct Waits {
    /// What names it.
    pub digest: Digest,
    /// Root signatures so far.
    pub found: u64,
    /// How many it takes.
    pub threshold: u64,
}

/// The owner's key, which must be a root here.
///
/// # Errors
/// When it is none.
pub(super) fn signing_root(context: &Context, session: &Session<'_>) -> Result<Box<dyn Signer>, AppError> {
    let owner = context.owner(session.repository)?;
    if !session.trust.roots().contains(&owner.public_key()) {
        return Err(AppError::usage(
            format!("{} is no root of this trust document", Context::label(session, &*owner)),
            "name a root's key: --key <label>",
        ));
    }
    Ok(owner)
}

/// The next version, to be changed.
pub(super) fn next(trust: &Trust) -> TrustDocument {
    let mut document = trust.document().clone();
    document.version += 1;
    document.previous = Some(trust.digest());
    document.repository = Some(trust.repository());
    document
}

/// Signs the next version, first with a root of the one in force, and puts it in force, or, where it takes more roots, to where it waits for them.
///
/// # Errors
/// When it would not verify whatever is signed, or can't be written.
pub(super) fn commit(
    context: &Context,
    session: &Session<'_>,
    document: TrustDocument,
    signers: &[&dyn Signer],
) -> Result<Committed, AppError> {
    let (first, others) = signers.split_first().expect("somebody signs");
    let line = sign_statement(&Statement { predicate: document, subject: None }, *first)?;
    let mut line = line.line();
    // Somebody may have asked for the very same.
    if let Ok(mut asked) = Pending::read(&session.trust, &line) {
        for other in waiting(session)? {
            asked.unite(&other);
        }
        line = asked.line();
    }
    for other in others {
        if let Ok(asked) = Pending::read(&session.trust, &line) {
            line = asked.cosigned(*other)?.line();
        }
    }
    put(context, session, &line)
}

/// Writes a signed next version where it belongs, and publishes it.
pub(super) fn put(context: &Context, session: &Session<'_>, line: &[u8]) -> Result<Committed, AppError> {
    let version = session.trust.version() + 1;
    let overtakes = overtaken(session, line)?;
    let (waits, published) = match lacking(&session.trust, line).map_err(never)? {
        Some(lacks) => {
            let waits = wait(session, line, lacks)?;
            let refs = [layout::TRUST_PENDING.to_owned()];
            (Some(waits), remote::publish(context, session.repository, &refs)?)
        }
        None => {
            let next = enact(session, line)?;
            let published = add_published(context, session.repository, &next, line)?;
            forget(session)?;
            (None, published)
        }
    };
    // A key that ends now still counts in this very second.
    let soon = Context { now: context.now.plus(1), ..context.clone() };
    let ends_policy = waits.is_none()
        && session.policies.in_force.is_some()
        && soon.open_for_trust(session.repository)?.policies.in_force.is_none();
    Ok(Committed { version, ends_policy, overtakes, waits, published })
}

fn never(defect: TrustError) -> AppError {
    AppError::fatal(format!("the changed trust document would not verify: {defect}"), "nothing was written")
}

/// Versions of the same number that waited and say something else: once another one stands, nobody can sign them any more.
fn overtaken(session: &Session<'_>, line: &[u8]) -> Result<Vec<Digest>, AppError> {
    let own = Dsse::parse(line).expect("it was just signed").digest();
    let others = waiting(session)?.into_iter().map(|one| one.digest());
    Ok(others.filter(|digest| *digest != own).collect())
}

/// The place of a version that has all that it takes, once the whole chain was read with it.
fn enact<'a>(session: &Session<'_>, line: &[u8]) -> Result<Next<'a>, AppError> {
    let tip = chain_tip(session, layout::TRUST, session.trust.version())?;
    verify_whole(session, tip, line)?;
    Ok(Next { reference: layout::TRUST, tip, version: session.trust.version() + 1 })
}

fn wait(session: &Session<'_>, line: &[u8], Lacking { found, threshold }: Lacking) -> Result<Waits, AppError> {
    let onto: Vec<Oid> = places(session).into_iter().map(|(_, commit)| commit).collect();
    match pending::write(session.repository, &onto, line, session.now)? {
        Update::Done => {}
        Update::Raced => {
            return Err(AppError::fatal(
                format!("{} was changed by somebody else meanwhile", layout::TRUST_PENDING),
                "run the command again",
            ));
        }
    }
    let digest = Dsse::parse(line).expect("it was just signed").digest();
    Ok(Waits { digest, found, threshold })
}

/// Puts a version in force that waited here and has all signatures that it takes, made in several clones; whether there was one.
///
/// # Errors
/// When it can't be read or written.
pub(in crate::app) fn complete(session: &Session<'_>) -> Result<bool, AppError> {
    for one in waiting(session)? {
        let line = one.line();
        if lacking(&session.trust, &line).is_ok_and(|lacks| lacks.is_none()) {
            add_version(session.repository, &enact(session, &line)?, &line, session.now)?;
            forget(session)?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// What is about to be published is read as any reader would, before anybody else has to.
fn verify_whole(session: &Session<'_>, tip: Option<Oid>, line: &[u8]) -> Result<(), AppError> {
    let mut lines = match &tip {
        Some(commit) => chains::read_lines(session.repository, layout::TRUST, commit)?,
        None => Vec::new(),
    };
    lines.push(line.to_vec());
    Trust::verify(&lines, session.trust.root()).map(|_| ()).map_err(|defect| {
        AppError::fatal(format!("the changed trust document would not verify: {defect}"), "nothing was written")
    })
}

/// The refs in which a version may wait, own and fetched.
fn places(session: &Session<'_>) -> Vec<(String, Oid)> {
    chains::candidates(session.repository, layout::TRUST_PENDING, &session.refs).into_iter().cloned().collect()
}

/// Every version that waits for signatures, each once with all that it has. What anybody else put there is none.
///
/// # Errors
/// When objects can't be read.
pub(super) fn waiting(session: &Session<'_>) -> Result<Vec<Pending>, AppError> {
    let mut found: Vec<Pending> = Vec::new();
    for (reference, commit) in places(session) {
        let line = match pending::read(session.repository, &reference, &commit) {
            Ok(line) => line,
            Err(crate::store::StoreError::Chain { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        let Ok(one) = Pending::read(&session.trust, &line) else { continue };
        match found.iter_mut().find(|known| known.digest() == one.digest()) {
            Some(known) => known.unite(&one),
            None => found.push(one),
        }
    }
    Ok(found)
}

/// What waited here is in force now, or overtaken.
fn forget(session: &Session<'_>) -> Result<(), AppError> {
    let repository = session.repository;
    let Some(own) = repository.find_ref(layout::TRUST_PENDING)? else { return Ok(()) };
    let expected = crate::git::Expected::At(own);
    let edit = RefEdit { name: layout::TRUST_PENDING.to_owned(), expected, new: None };
    match repository.update_refs(&[edit], "boundary: in force", session.now)? {
        // Whoever changed it meanwhile has another one waiting.
        Update::Done | Update::Raced => Ok(()),
    }
}

/// How the key of a signature is called.
pub(super) fn label_of(trust: &Trust, key: &crate::model::key::PublicKey) -> String {
    trust.party(key).map_or_else(|| key_id(key).to_string(), |party| party.label.clone())
}
