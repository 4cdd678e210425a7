//! `evidence`: what shows that an action's result is what was claimed, signed by somebody who did not do the work; and what the agent says
//! of itself, which is recorded and counts for nothing (contract, section 9).

mod assertion;
mod file;
mod receipt;

use std::collections::BTreeMap;

use serde::Serialize;

use self::receipt::{About, find};
use super::context::{Context, nonce};
use super::error::AppError;
use super::record::{Writing, record};
use super::remote::Published;
use super::subject;
use crate::codec::dsse::Dsse;
use crate::codec::in_toto::{PAYLOAD_TYPE, Statement};
use crate::codec::strict::MAX_LINE;
use crate::codec::test_result;
use crate::crypto::Signer;
use crate::crypto::trust::Standing;
use crate::crypto::verified::{sign, sign_statement};
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, Oid};
use crate::model::party::Role;
use crate::model::test_result::{ObservedResult, RuntimeObservation, TestOutcome};

pub use self::assertion::{Assertion, assert};
pub use self::file::MAX_FILE;

/// Evidence as recorded.
#[derive(Debug, Serialize)]
pub struct Evidenced {
    /// Its artifact id.
    pub id: ArtifactId,
    /// Who signed.
    pub by: String,
    /// Who answers for that key.
    pub domain: String,
    /// The commit it is noted on.
    pub commit: Oid,
    /// The proposal whose result it is about.
    pub proposal: ArtifactId,
    /// The work receipt that it is about.
    pub work_receipt: Digest,
    /// What it shows.
    pub shown: Shown,
    /// Whether it is at the remote.
    pub published: Published,
}

/// What evidence shows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// A test run.
    TestResult {
        /// As a whole.
        result: TestOutcome,
        /// Tests that failed.
        failed: Vec<String>,
        /// How many names of tests that passed are kept.
        passed: usize,
        /// Tests that passed with warnings.
        warned: Vec<String>,
    },
    /// A look at the running thing.
    Observation {
        /// How it looked.
        result: ObservedResult,
        /// What was looked at.
        what: String,
    },
}

/// Signs and records a test result, from a JUnit file or an in-toto statement, about the work receipt of a proposal.
///
/// # Errors
/// When the file is neither, or about something else; when there is no such receipt; when the key's word is no evidence about it.
pub fn add(context: &Context, file: &[u8], what: Option<&str>) -> Result<Evidenced, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let about = find(&session, &Noted::default(), what)?;
    let signer = signer(context, &session, &about)?;
    let payload = file::payload(file, &about)?;
    let run = BTreeMap::from([("nonce".to_owned(), nonce()?), ("recorded_at".to_owned(), context.now.to_string())]);
    let name = ArtifactId::of(&about.receipt).to_string();
    let payload = test_result::readdress(&payload, &name, &about.receipt, &run).map_err(file::no_result)?;
    let result = test_result::read(&payload).map_err(file::no_result)?;
    let line = sign(PAYLOAD_TYPE, payload, &*signer)?;
    let shown = Shown::TestResult {
        result: result.result,
        failed: result.failed,
        passed: result.passed.len(),
        warned: result.warned,
    };
    keep(context, &session, &about, &*signer, line, shown)
}

/// Signs and records what somebody saw of the running thing, about the work receipt of a proposal.
///
/// # Errors
/// When there is no such receipt, the key's word is no evidence about it, or it said exactly this before.
pub fn observe(
    context: &Context,
    words: &str,
    result: ObservedResult,
    what: Option<&str>,
) -> Result<Evidenced, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let about = find(&session, &noted, what)?;
    let signer = signer(context, &session, &about)?;
    let predicate = RuntimeObservation { result, subject: about.receipt, what: words.to_owned() };
    let on = subject::subject(&session, about.commit)?;
    let line = sign_statement(&Statement { predicate, subject: Some(on) }, &*signer)?;
    // The same words are the same artifact, at its first place in the ledger, so that nothing would have been seen anew.
    if let Some(known) = noted.artifact(&line.digest()) {
        return Err(AppError::usage(
            format!(
                "exactly this is recorded already, as {}; say when you looked, or at what else",
                known.artifact.id()
            ),
            format!("git boundary show {}", known.artifact.id()),
        ));
    }
    let shown = Shown::Observation { result, what: words.to_owned() };
    keep(context, &session, &about, &*signer, line, shown)
}

/// A key whose word is evidence about this result: in that role now, and in another domain than the actor's.
fn signer(context: &Context, session: &Session<'_>, about: &About) -> Result<Box<dyn Signer>, AppError> {
    let signer =
        context.named_key(session.repository, "boundary.evidenceKey", "git config boundary.evidenceKey <label>")?;
    let key = signer.public_key();
    let label = Context::label(session, &*signer);
    if session.trust.standing(&key, Role::Evidence, context.now) != Standing::Good {
        return Err(AppError::usage(
            format!("{label} is not trusted for evidence"),
            "git boundary trust add <name> --role evidence --new-key --key <owner>",
        ));
    }
    let domain = |key| session.trust.party(key).map(|party| party.domain.as_str());
    if domain(&key).is_some() && domain(&key) == domain(&about.actor) {
        return Err(AppError::usage(
            format!(
                "{label} is in domain {:?}, which is the actor's: that would be the actor's own word about its work",
                domain(&key).unwrap_or_default()
            ),
            "git boundary evidence assert '<words>'",
        ));
    }
    Ok(signer)
}

fn keep(
    context: &Context,
    session: &Session<'_>,
    about: &About,
    signer: &dyn Signer,
    line: Dsse,
    shown: Shown,
) -> Result<Evidenced, AppError> {
    let id = ArtifactId::of(&line.digest());
    if line.line().len() > MAX_LINE {
        return Err(file::too_long());
    }
    let writing = Writing { lines: vec![(about.commit, line)], hints: Vec::new() };
    let recorded = record(context, session, "evidence", writing)?;
    let party = session.trust.party(&signer.public_key());
    Ok(Evidenced {
        id,
        by: Context::label(session, signer),
        domain: party.map_or_else(String::new, |party| party.domain.clone()),
        commit: about.commit,
        proposal: ArtifactId::of(&about.proposal),
        work_receipt: about.receipt,
        shown,
        published: recorded.published,
    })
}
