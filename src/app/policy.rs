//! `policy`: compile, sign, show, explain.

use std::path::PathBuf;
use std::rc::Rc;

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::policy_explain::{Explanation, explain as explain_policy};
use super::policy_file;
use super::remote::Published;
use super::trust::{Next, add_published, chain_tip};
use crate::codec::canonical;
use crate::codec::in_toto::Statement;
use crate::crypto::verified::sign_statement;
use crate::gather::Session;
use crate::model::digest::Digest;
use crate::model::policy::{Policy, PolicyVersion};
use crate::store::layout;

/// A compiled policy.
#[derive(Debug, Serialize)]
pub struct Compiled {
    /// The policy digest.
    pub digest: Digest,
    /// The file it was compiled from.
    pub file: PathBuf,
    /// The policy.
    pub policy: Policy,
    /// Whether it is the one in force.
    pub in_force: bool,
}

/// Where rules are written.
#[derive(Debug, Clone)]
pub enum Written {
    /// In `boundary.toml` at the top of the work tree.
    Here,
    /// In this file.
    File(PathBuf),
    /// Read from standard input already.
    Given(String),
}

/// Compiles rules as people write them.
///
/// # Errors
/// When they can't be read, or say something that no policy says.
pub fn compile(context: &Context, written: &Written) -> Result<Compiled, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    compile_in(context, &session, written)
}

fn compile_in(context: &Context, session: &Session<'_>, written: &Written) -> Result<Compiled, AppError> {
    let (path, text) = match (written, session.repository.work_tree()) {
        (Written::Given(text), _) => (PathBuf::from("-"), text.clone()),
        (Written::File(file), _) => read(context.environment.cwd().join(file))?,
        (Written::Here, Some(top)) => read(top.join(policy_file::FILE_NAME))?,
        (Written::Here, None) => {
            return Err(AppError::usage(
                "a bare repository has no boundary.toml",
                "git boundary policy compile <file>",
            ));
        }
    };
    let resolve = |label: &str| {
        let mut found = session.trust.parties().filter(|party| party.label == label);
        match (found.next(), found.next()) {
            (Some(party), None) => Some(party.id),
            _ => None,
        }
    };
    let shown = path.display().to_string();
    let policy = policy_file::compile(&shown, &text, &resolve)
        .map_err(|error| AppError::usage(error.to_string(), format!("edit {shown}")))?;
    let digest = canonical::digest_of(&policy);
    Ok(Compiled { digest, file: path, in_force: session.policies.in_force == Some(digest), policy })
}

fn read(path: PathBuf) -> Result<(PathBuf, String), AppError> {
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok((path, text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(AppError::fatal(
            format!("{}: there is no such file", path.display()),
            "bring it back from where you keep it, or write it anew from the rules in force: git boundary policy show --json",
        )),
        Err(source) => Err(AppError::File { path, source }),
    }
}

/// A policy was signed.
#[derive(Debug, Serialize)]
pub struct Signed {
    /// The policy digest.
    pub digest: Digest,
    /// Its version.
    pub version: u64,
    /// Whether it was in force already, so that nothing was written.
    pub already: bool,
    /// Whether it is at the remote.
    pub published: Published,
}

/// What signing a policy did, and what it ended.
#[derive(Debug, Serialize)]
pub struct Replaced {
    /// The policy that was in force before and is not accepted any more: proofs under it stop counting.
    pub ends: Option<Digest>,
    /// What was signed.
    #[serde(flatten)]
    pub signed: Signed,
}

/// Compiles a policy file and puts it in force.
///
/// # Errors
/// When it can't be compiled, or no owner signs.
pub fn sign(context: &Context, written: &Written) -> Result<Replaced, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let compiled = compile_in(context, &session, written)?;
    let version = session.policy_chain.versions.len() as u64;
    if compiled.in_force {
        let signed = Signed { digest: compiled.digest, version, already: true, published: Published::Off };
        return Ok(Replaced { ends: None, signed });
    }
    let ends = session.policies.in_force.filter(|before| !compiled.policy.accept.contains(before));
    Ok(Replaced { ends, signed: put(context, &session, compiled.policy, version + 1)? })
}

/// Signs and stores the next version.
///
/// # Errors
/// When no owner signs, or somebody else added one meanwhile.
pub fn put(context: &Context, session: &Session<'_>, policy: Policy, version: u64) -> Result<Signed, AppError> {
    let owner = context.good_owner(session, "put a policy in force")?;
    let digest = canonical::digest_of(&policy);
    let previous = session.policy_chain.versions.last().map(|(_, artifact, _)| *artifact);
    let predicate = PolicyVersion { policy, previous, repository: session.trust.repository(), version };
    let line = sign_statement(&Statement { predicate, subject: None }, &*owner)?.line();
    let tip = chain_tip(session, layout::POLICY, version - 1)?;
    let next = Next { reference: layout::POLICY, tip, version };
    let published = add_published(context, session.repository, &next, &line)?;
    Ok(Signed { digest, version, already: false, published })
}

/// The policy in force.
#[derive(Debug, Serialize)]
pub struct PolicyShown {
    /// The policy digest.
    pub digest: Digest,
    /// Its version.
    pub version: u64,
    /// Why it is not in force, if it is not.
    pub defect: Option<String>,
    /// The policy.
    pub policy: Policy,
}

/// Shows the policy in force.
///
/// # Errors
/// When there is none.
pub fn show(context: &Context) -> Result<PolicyShown, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let (digest, _, policy) = last(&session)?;
    let version = session.policy_chain.versions.len() as u64;
    Ok(PolicyShown { digest, version, defect: session.policies.defect.clone(), policy: (*policy).clone() })
}

/// Says what a push to a ref needs, and which paths want an approval.
///
/// # Errors
/// When there is no policy.
pub fn explain(context: &Context, reference: &str, paths: &[String]) -> Result<Explanation, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let (_, _, policy) = last(&session)?;
    let label = |id: &crate::model::id::KeyId| session.trust.party_of(id).map(|party| party.label.clone());
    let paths: Vec<&[u8]> = paths.iter().map(String::as_bytes).collect();
    let reference = super::subject::full_ref(reference);
    explain_policy(&policy, &reference, &paths, &label).map_err(|defect| {
        AppError::fatal(format!("the policy in force: {defect}"), "git boundary policy sign --key <owner>")
    })
}

fn last(session: &Session<'_>) -> Result<(Digest, Digest, Rc<Policy>), AppError> {
    session
        .policy_chain
        .versions
        .last()
        .cloned()
        .ok_or_else(|| AppError::fatal("no policy was ever signed here", "git boundary policy sign --key <owner>"))
}
