//! `init`: creates a repository's trust, or joins it. Idempotent.

mod named_key;

use std::io::Write as _;
use std::path::PathBuf;

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::policy_file;
use super::record::{Writing, record_quietly};
use super::refspecs::refspecs;
use super::remote::{self, Published};
use super::{policy, publication, subject, trust};
use crate::codec::in_toto::Statement;
use crate::crypto::verified::sign_statement;
use crate::crypto::{Signer, key_id, to_openssh};
use crate::gather::base::default_branch;
use crate::gather::range::baseline_directory;
use crate::gather::session::pin;
use crate::gather::{GatherError, Session, SessionOptions};
use crate::git::{Head, Prompt, Repository};
use crate::model::digest::Digest;
use crate::model::handoff::Baseline;
use crate::model::id::{KeyId, Oid, RepositoryId};
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::typed::typed_remote;
use crate::store::hints::Hint;
use crate::store::{LocalState, Registrar, chains, layout};

pub use named_key::NamedKey;
use named_key::{named_key, sign_as};

/// What `init` is asked to do.
#[derive(Debug, Clone, Default)]
pub struct InitOptions {
    /// Only join; never create.
    pub join: bool,
    /// The root to pin.
    pub trust_root: Option<Digest>,
    /// The owner's label; derived from the key or git's user name unless named.
    pub label: Option<String>,
}

/// What `init` did.
#[derive(Debug, Serialize)]
pub struct Initialised {
    /// `created`, `joined` or `already`.
    pub how: &'static str,
    /// The pinned root.
    pub trust_root: Digest,
    /// The repository.
    pub repository: RepositoryId,
    /// Trust version.
    pub trust_version: u64,
    /// The owner's label, where one was made.
    pub owner: Option<String>,
    /// The owner's key file, where it was made now.
    pub owner_key: Option<PathBuf>,
    /// What became of a key that was named for a clone that joins.
    pub named_key: Option<NamedKey>,
    /// This clone's registrar.
    pub registrar: KeyId,
    /// Its public key, as OpenSSH writes it: what an owner lists it by, who may have nothing of it yet.
    pub registrar_key: String,
    /// Whether the registrar is listed.
    pub registrar_listed: bool,
    /// The starter policy that was written.
    pub policy_file: Option<PathBuf>,
    /// The refs that the starter rules govern.
    pub governs: Vec<String>,
    /// Whether a `boundary.toml` was there already, which is not in force.
    pub policy_ignored: bool,
    /// Branches adopted as they are.
    pub baselines: Vec<(String, Oid)>,
    /// Remotes whose fetch refspecs are set.
    pub remotes: Vec<String>,
    /// Whether it is at the remote.
    pub published: Published,
    /// Own refs that the remote was not seen to have, and that were not sent.
    pub unpublished: Vec<String>,
}

/// Asked before a root that nobody named is pinned: the digest, the repository. `true` to pin it.
pub type Confirm<'a> = dyn FnMut(&Digest, &RepositoryId) -> bool + 'a;

/// Creates or joins.
///
/// # Errors
/// When the remote can't be asked, a key can't be had, or a root is not confirmed.
pub fn init(context: &Context, options: &InitOptions, confirm: &mut Confirm<'_>) -> Result<Initialised, AppError> {
    let repository = context.repository()?;
    if repository.find_ref(layout::BLOCKING_NOTES)?.is_some() {
        return Err(crate::store::StoreError::Blocked.into());
    }
    let remote = remote::default_remote(&repository)?;
    let mut options = options.clone();
    if repository.config_string("boundary.trustRoot").is_some() {
        // The pin itself: a root that is named now stands in for it in everything else that is read.
        let (pinned, _) = pin(&repository, &SessionOptions::default())?;
        if let Some(root) = options.trust_root.filter(|root| *root != pinned) {
            return Err(AppError::fatal(
                format!("this clone pins {pinned} already, not {root}"),
                "git config --unset boundary.trustRoot, if you mean to trust another root",
            ));
        }
        match again(context, &repository) {
            // Pinned by hand before anything was fetched: what is left to do is to join, at that root and no other.
            Err(AppError::Gather(GatherError::NoTrust(_))) => options.trust_root = Some(pinned),
            done => return done,
        }
    }
    if repository.find_ref(layout::TRUST)?.is_some() {
        return join(context, &repository, &options, None, confirm);
    }
    if let Some(remote) = &remote {
        let there =
            repository.ls_remote(remote, &[layout::TRUST], Prompt::IfTerminal).map_err(crate::git::GitError::from)?;
        if !there.refs.is_empty() {
            return join(context, &repository, &options, Some(remote), confirm);
        }
    }
    if options.join || options.trust_root.is_some() {
        return Err(nothing_to_join(remote.as_deref()));
    }
    create(context, &repository, &options, remote.as_deref())
}

fn again(context: &Context, repository: &Repository) -> Result<Initialised, AppError> {
    let session = context.open(repository)?;
    let named = named_key(context, &session)?;
    sign_as(repository, named.as_ref())?;
    let remotes = refspecs(repository)?;
    let registrar = session.local.registrar_or_new()?;
    open_ledger(&session, &*registrar)?;
    let registrar = registrar.public_key();
    let missing = match remote::default_remote(repository)? {
        Some(remote) => publication::unpublished(&session, &remote)?,
        None => Vec::new(),
    };
    let published = if missing.is_empty() { Published::Off } else { remote::publish(context, repository, &missing)? };
    let mut done = done(&session, "already", &registrar, remotes, published)?;
    if done.published == Published::Off {
        done.unpublished = missing;
    }
    done.named_key = named;
    Ok(done)
}

/// Whoever joins must not be led to create a rival trust: only the owner's clone has the one that is wanted.
fn nothing_to_join(remote: Option<&str>) -> AppError {
    match remote {
        Some(remote) => AppError::fatal(
            format!("there is no trust document to join: {remote} has none, so that its owner has yet to publish it"),
            format!(
                "the owner, in the clone that made it: git push {} {} {} '{}*'",
                typed_remote(remote),
                layout::TRUST,
                layout::POLICY,
                layout::NOTES
            ),
        ),
        None => AppError::fatal(
            "there is no trust document to join: none is here, and this clone has no remote",
            "git remote add origin <address of the owner's repository>",
        ),
    }
}

/// A listed registrar has a ledger from the start, so that others can tell "nothing yet" from "nothing left".
fn open_ledger(session: &Session<'_>, registrar: &dyn Signer) -> Result<(), AppError> {
    if session.trust.party(&registrar.public_key()).is_some_and(|party| party.roles.contains(&Role::Registrar)) {
        let registrar = Registrar { repository: session.trust.repository(), signer: registrar };
        crate::store::append::open(session.repository, &registrar, session.now)?;
    }
    Ok(())
}

fn join(
    context: &Context,
    repository: &Repository,
    options: &InitOptions,
    remote: Option<&str>,
    confirm: &mut Confirm<'_>,
) -> Result<Initialised, AppError> {
    let remotes = refspecs(repository)?;
    if let Some(remote) = remote {
        let specs = layout::fetch_refspecs(remote);
        repository.fetch(remote, &specs, Prompt::IfTerminal).map_err(crate::git::GitError::from)?;
    }
    let root = match options.trust_root.or(context.session.trust_root) {
        Some(root) => root,
        None => {
            let (root, id) = offered_root(repository)?;
            if !confirm(&root, &id) {
                return Err(AppError::usage(
                    format!("the repository's trust root is {root}; a root is pinned only when you name or confirm it"),
                    format!("compare it with the owner's, then: git boundary init --trust-root {root}"),
                ));
            }
            root
        }
    };
    let options = SessionOptions { trust_root: Some(root), ..context.session.clone() };
    let session = Session::open(repository, context.now, &options)?;
    let named = named_key(context, &session)?;
    LocalState::of(repository).pin_root(root)?;
    repository.set_config_local("boundary.trustRoot", &root.to_string())?;
    sign_as(repository, named.as_ref())?;
    let registrar = session.local.registrar_or_new()?.public_key();
    Ok(Initialised { named_key: named, ..done(&session, "joined", &registrar, remotes, Published::Off)? })
}

/// The digest of version 1 in whatever chain is here; not believed until somebody confirms it.
fn offered_root(repository: &Repository) -> Result<(Digest, RepositoryId), AppError> {
    let refs = crate::gather::session::boundary_refs(repository)?;
    for (name, commit) in chains::candidates(repository, layout::TRUST, &refs) {
        let Ok(lines) = chains::read_lines(repository, name, commit) else { continue };
        if let Ok(envelope) = crate::codec::dsse::Dsse::parse(&lines[0]) {
            let digest = envelope.digest();
            return Ok((digest, RepositoryId::of(&digest)));
        }
    }
    Err(AppError::fatal("the trust chain could not be fetched", "git fetch"))
}

fn create(
    context: &Context,
    repository: &Repository,
    options: &InitOptions,
    remote: Option<&str>,
) -> Result<Initialised, AppError> {
    let (owner, label, made) = owner_key(context, repository, options)?;
    let local = LocalState::of(repository);
    let registrar = local.registrar_or_new()?;
    let document = trust::first((&owner.public_key(), &label), &registrar.public_key());
    let line = sign_statement(&Statement { predicate: document, subject: None }, &*owner)?;
    let root = line.digest();
    // The pin comes last: until it is there, `init` can simply be run again.
    let tip = repository.find_ref(layout::TRUST)?;
    let next = trust::Next { reference: layout::TRUST, tip, version: 1 };
    trust::add_version(repository, &next, &line.line(), context.now)?;
    let session_options = SessionOptions { trust_root: Some(root), ..context.session.clone() };
    let session = Session::open(repository, context.now, &session_options)?;
    let branch = main_branch(repository, remote)?;
    let short = branch.strip_prefix("refs/heads/").unwrap_or(&branch);
    let text = policy_file::starter(short, key_id(&owner.public_key()), &label);
    let resolve = |name: &str| (name == label).then(|| key_id(&owner.public_key()));
    let compiled = policy_file::compile(policy_file::FILE_NAME, &text, &resolve)
        .map_err(|error| AppError::fatal(error.to_string(), "this is a defect of git-boundary"))?;
    let compiled_refs: Vec<String> = compiled.rules.iter().flat_map(|rule| rule.refs.iter().cloned()).collect();
    let quiet = quiet(context, &made.spec)?;
    policy::put(&quiet, &session, compiled, 1)?;
    let policy_file = write_starter(repository, &text)?;
    let session = Session::open(repository, context.now, &session_options)?;
    let baselines = baselines(&session, &*owner, remote)?;
    open_ledger(&session, &*registrar)?;
    let remotes = refspecs(repository)?;
    repository.set_config_local("boundary.ownerKey", &made.spec)?;
    LocalState::of(repository).pin_root(root)?;
    repository.set_config_local("boundary.trustRoot", &root.to_string())?;
    let id = key_id(&registrar.public_key());
    let published = remote::publish(context, repository, &remote::own_refs(repository, &id))?;
    let session = Session::open(repository, context.now, &session_options)?;
    let mut done = done(&session, "created", &registrar.public_key(), remotes, published)?;
    done.owner = Some(label);
    done.owner_key = made.file;
    done.governs = compiled_refs;
    done.policy_ignored = policy_file.is_none() && repository.work_tree().is_some();
    done.policy_file = policy_file;
    done.baselines = baselines;
    Ok(done)
}

/// The same context, signing as the owner that is being made, and sending nothing yet.
fn quiet(context: &Context, spec: &str) -> Result<Context, AppError> {
    Ok(Context {
        environment: context.environment.clone(),
        key: Some(spec.to_owned()),
        keyring: context.keyring.clone(),
        now: context.now,
        publish: false,
        session: context.session.clone(),
    })
}

/// The branch that the rules are about first: the remote's own default where it says, else what this clone can tell.
fn main_branch(repository: &Repository, remote: Option<&str>) -> Result<String, AppError> {
    if let Some(remote) = remote {
        let there = repository.ls_remote(remote, &["HEAD"], Prompt::IfTerminal).map_err(crate::git::GitError::from)?;
        if let Some(head) = there.head {
            return Ok(head);
        }
    }
    Ok(default_branch(repository, remote)?)
}

struct OwnerKey {
    /// How the key is named in `boundary.ownerKey`.
    spec: String,
    /// Its file, if it was made now.
    file: Option<PathBuf>,
}

/// The user's own OpenSSH key where there is one, else a new one.
fn owner_key(
    context: &Context,
    repository: &Repository,
    options: &InitOptions,
) -> Result<(Box<dyn Signer>, String, OwnerKey), AppError> {
    let ssh = repository.config_string("gpg.format").is_some_and(|format| format == "ssh");
    let named = context
        .key
        .clone()
        .or_else(|| repository.config_string("boundary.ownerKey"))
        .or_else(|| repository.config_string("user.signingkey").filter(|_| ssh))
        .or_else(|| {
            let own = context.keyring.discover_user_key().into_iter().find(|key| key.can_sign());
            own.and_then(|key| key.path).map(|path| path.display().to_string())
        });
    let label = options.label.clone().unwrap_or_else(|| user_label(repository));
    if let Some(spec) = named {
        let signer = context.keyring.find(&spec)?;
        return Ok((signer, label, OwnerKey { spec, file: None }));
    }
    let made = match context.keyring.find(&label) {
        Ok(signer) => return Ok((signer, label.clone(), OwnerKey { spec: label, file: None })),
        Err(_) => context.keyring.new_key(&label)?,
    };
    let signer = context.keyring.find(&label)?;
    Ok((signer, label.clone(), OwnerKey { spec: label, file: made.path }))
}

/// Git's user name as a label: `Ada Lovelace` becomes `ada-lovelace`.
fn user_label(repository: &Repository) -> String {
    let name = repository.config_string("user.name").unwrap_or_default();
    let mut label = String::new();
    for character in name.chars() {
        if character.is_ascii_alphanumeric() {
            label.push(character.to_ascii_lowercase());
        } else if !label.is_empty() && !label.ends_with('-') {
            label.push('-');
        }
    }
    let label: String = label.trim_matches('-').chars().take(40).collect();
    if label.is_empty() || label.starts_with("key") || label.starts_with("ssh") { "owner".to_owned() } else { label }
}

/// Writes the starter policy beside the user's files, unless one is there. Nothing is committed to a branch.
fn write_starter(repository: &Repository, text: &str) -> Result<Option<PathBuf>, AppError> {
    let Some(top) = repository.work_tree() else { return Ok(None) };
    let path = top.join(policy_file::FILE_NAME);
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    match file {
        Ok(mut file) => {
            file.write_all(text.as_bytes()).map_err(|source| AppError::File { path: path.clone(), source })?;
            Ok(Some(path))
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(None),
        Err(source) => Err(AppError::File { path, source }),
    }
}

/// Adopts the branches there are, own and the remote's, leaving out those that another one contains.
fn baselines(session: &Session<'_>, owner: &dyn Signer, remote: Option<&str>) -> Result<Vec<(String, Oid)>, AppError> {
    let repository = session.repository;
    let mut branches = repository.refs_under("refs/heads/")?;
    if let Some(remote) = remote {
        for (name, oid) in repository.refs_under(&format!("refs/remotes/{remote}/"))? {
            if let Some((_, branch)) = crate::gather::base::tracked_branch(repository, &name)
                && !name.ends_with("/HEAD")
            {
                branches.push((branch, oid));
            }
        }
    }
    if let Head::Detached(oid) = repository.head()? {
        branches.push(("HEAD".to_owned(), oid));
    }
    let mut tips: Vec<(String, Oid)> = Vec::new();
    for (name, oid) in branches {
        if !tips.iter().any(|(_, other)| *other == oid) {
            tips.push((name, oid));
        }
    }
    let mut outermost = Vec::new();
    for (name, oid) in &tips {
        let mut contained = false;
        for (_, other) in tips.iter().filter(|(_, other)| other != oid) {
            if repository.is_ancestor(oid, other).map_err(crate::gather::GatherError::from)? {
                contained = true;
                break;
            }
        }
        if !contained {
            outermost.push((name.clone(), *oid));
        }
    }
    adopt(session, owner, &outermost)?;
    Ok(outermost)
}

/// Signs and records baselines.
///
/// # Errors
/// When they can't be written.
pub fn adopt(session: &Session<'_>, owner: &dyn Signer, tips: &[(String, Oid)]) -> Result<(), AppError> {
    let directory = baseline_directory(session);
    let known = session.shelves.read(&directory)?.hints;
    let mut writing = Writing::default();
    for (name, oid) in tips {
        let predicate = Baseline { commit: *oid, reference: name.clone() };
        let statement = Statement { predicate, subject: Some(subject::subject(session, *oid)?) };
        writing.lines.push((*oid, sign_statement(&statement, owner)?));
        if !known.iter().any(|hint| hint.hint == *oid) {
            writing.hints.push((directory, Hint::at(*oid)));
        }
    }
    record_quietly(session, "baseline", writing)?;
    Ok(())
}

fn done(
    session: &Session<'_>,
    how: &'static str,
    registrar: &PublicKey,
    remotes: Vec<String>,
    published: Published,
) -> Result<Initialised, AppError> {
    Ok(Initialised {
        how,
        trust_root: session.trust.root(),
        repository: session.trust.repository(),
        trust_version: session.trust.version(),
        owner: None,
        owner_key: None,
        named_key: None,
        registrar: key_id(registrar),
        registrar_key: to_openssh(registrar, "").trim_end().to_owned(),
        registrar_listed: session.trust.party(registrar).is_some(),
        policy_file: None,
        governs: Vec::new(),
        policy_ignored: false,
        baselines: Vec::new(),
        remotes,
        published,
        unpublished: Vec::new(),
    })
}
