//! `check`: the inputs are frozen first, then the verdict is signed (contract, section 6).

mod waiting;

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::process::ExitStatus;

use serde::Serialize;

use super::context::{Context, nonce};
use super::error::AppError;
use super::record::{Writing, record};
use super::remote::Published;
use crate::codec::artifact::Artifact;
use crate::codec::canonical;
use crate::codec::in_toto::{Statement, Subject};
use crate::codec::treeship::{self, NewBoundary};
use crate::crypto::verified::{sign, sign_statement};
use crate::crypto::{Signer, key_id};
use crate::gate::facts::Recorded;
use crate::gate::proof::{diet_root, diff_of};
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::git::Repository;
use crate::ledger::Origin;
use crate::model::asserted::Asserted;
use crate::model::boundary_proof::{CheckDecision, ProvenBoundary};
use crate::model::diet::{DIFF_CLASS, DietCommitment, DietEntry};
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::id::{ArtifactId, Oid};

use waiting::to_check;

/// Largest input that is hashed, in bytes.
const MAX_INPUT: u64 = 1 << 30;

/// The diet is frozen.
#[derive(Debug, Serialize)]
pub struct Begun {
    /// The commitment.
    pub id: ArtifactId,
    /// Its place in the ledger.
    pub anchor: String,
    /// The proposal.
    pub proposal: ArtifactId,
    /// The proposal's commit.
    pub commit: Oid,
    /// What will have been read.
    pub diet: Vec<DietEntry>,
    /// Its root.
    pub diet_root: Digest,
    /// Whether it is at the remote.
    pub published: Published,
}

/// The verdict is signed.
#[derive(Debug, Serialize)]
pub struct Decided {
    /// The proof.
    pub id: ArtifactId,
    /// The verdict.
    pub decision: CheckDecision,
    /// Where its diet was frozen.
    pub anchor: String,
    /// The proposal.
    pub proposal: ArtifactId,
    /// The proposal's commit.
    pub commit: Oid,
    /// Which ref was meant.
    pub reference: Option<String>,
    /// The checker's label.
    pub checker: String,
    /// What would make it not count.
    pub warnings: Vec<String>,
    /// Whether it is at the remote.
    pub published: Published,
}

/// Freezes a diet over one proposal.
///
/// # Errors
/// When there is no one proposal, or an input can't be read.
pub fn begin(context: &Context, what: Option<&str>, inputs: &[Input]) -> Result<Begun, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let checker = checker(context, &session)?;
    let (digest, statement) = to_check(&session, &Noted::default(), what)?;
    let about = about(&statement)?;
    let diet = inputs
        .iter()
        .map(|input| entry(context, &session, &statement.predicate, &about, input))
        .collect::<Result<Vec<_>, _>>()?;
    if diet.is_empty() {
        return Err(AppError::usage("a checker reads something", "add --input diff"));
    }
    let policy = session.policies.in_force.ok_or_else(|| {
        AppError::fatal("no signed policy is in force here", "git boundary policy sign --key <owner>")
    })?;
    let predicate = DietCommitment {
        checker: key_id(&checker.public_key()),
        commit: about.commit,
        diet_root: diet_root(&diet),
        diet: diet.clone(),
        nonce: nonce()?,
        policy,
        subject: digest,
        tree: about.tree,
    };
    let root = predicate.diet_root;
    let artifact = sign_statement(&Statement { predicate, subject: Some(about.clone()) }, &*checker)?;
    let id = ArtifactId::of(&artifact.digest());
    let writing = Writing { lines: vec![(about.commit, artifact)], hints: Vec::new() };
    let recorded = record(context, &session, "diet commitment", writing)?;
    let registrar = session.local.registrar_id()?.expect("recording made a registrar");
    let origin = Origin { repository: session.trust.repository(), registrar };
    let anchor = format!("merkle://{origin}#{}", recorded.indices[0]);
    let proposal = ArtifactId::of(&digest);
    Ok(Begun { id, anchor, proposal, commit: about.commit, diet, diet_root: root, published: recorded.published })
}

/// Signs the verdict over the last diet that this checker froze here and did not decide on.
///
/// # Errors
/// When there is none, or the key can't sign.
pub fn decide(
    context: &Context,
    what: Option<&str>,
    decision: CheckDecision,
    note: Option<&str>,
) -> Result<Decided, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let checker = checker(context, &session)?;
    let (digest, statement) = to_check(&session, &noted, what)?;
    let about = about(&statement)?;
    let (committed, at, index) = open_commitment(&session, &noted, &*checker, digest, about.commit)?;
    let registrar = session
        .local
        .registrar_id()?
        .ok_or_else(|| AppError::usage("no diet was frozen here", "git boundary check begin --input diff"))?;
    let origin = Origin { repository: session.trust.repository(), registrar };
    let anchor = format!("merkle://{origin}#{index}");
    let actor = statement
        .predicate
        .bindings
        .actor
        .value()
        .copied()
        .ok_or_else(|| AppError::usage("the proposal names no actor", "git boundary propose"))?;
    let label = Context::label(&session, &*checker);
    let payload = treeship::write(&NewBoundary {
        proven: ProvenBoundary {
            actor: actor.to_string(),
            anchor: anchor.clone(),
            checker: key_id(&checker.public_key()).to_string(),
            decision,
            diet: committed.diet.clone(),
            diet_root: committed.diet_root,
            policy: committed.policy,
            subject_ref: ArtifactId::of(&digest).to_string(),
        },
        asserted: note.map_or_else(Asserted::none, |note| Asserted::one("note", note)),
        checker_label: label.clone(),
        actor_label: session.trust.party_of(&actor).map_or_else(|| actor.to_string(), |party| party.label.clone()),
        committed: at,
        signed: context.now,
    });
    let artifact = sign(treeship::RECEIPT_PAYLOAD_TYPE, payload, &*checker)?;
    let id = ArtifactId::of(&artifact.digest());
    let writing = Writing { lines: vec![(about.commit, artifact)], hints: Vec::new() };
    let recorded = record(context, &session, "boundary proof", writing)?;
    let warnings = warnings(&session, &*checker, &statement.predicate);
    Ok(Decided {
        id,
        decision,
        anchor,
        proposal: ArtifactId::of(&digest),
        commit: about.commit,
        reference: statement.predicate.requested_action.map(|action| action.reference),
        checker: label,
        warnings,
        published: recorded.published,
    })
}

/// Runs the checker's command in a checkout, after the diet was frozen. Whoever may start processes does it.
pub type Execute<'a> = dyn FnMut(&Begun, &Path) -> std::io::Result<ExitStatus> + 'a;

/// Freezes the diet, has a command run in a clean checkout of the tip, and signs what its exit status says. `program` is what the
/// command is called in messages.
///
/// # Errors
/// When the command could not be run or ended by a signal: then nothing is decided.
pub fn run(
    context: &Context,
    what: Option<&str>,
    inputs: &[Input],
    note: Option<&str>,
    program: &OsStr,
    execute: &mut Execute<'_>,
) -> Result<Decided, AppError> {
    let repository = context.repository()?;
    in_the_checkout(context, &repository, what, program)?;
    let begun = begin(context, what, inputs)?;
    let scratch = tempfile::tempdir()
        .map_err(|source| AppError::File { path: PathBuf::from("a temporary directory"), source })?;
    let checkout = scratch.path().join("checkout");
    repository.worktree_add_detached(&checkout, &begun.commit)?;
    let status = execute(&begun, &checkout);
    let removed = repository.worktree_remove(&checkout);
    let decision = match status.map_err(|source| AppError::File { path: PathBuf::from(program), source })?.code() {
        Some(0) => CheckDecision::Allow,
        Some(125) => CheckDecision::Abstain,
        Some(code @ (126 | 127)) => {
            let text = format!("{program:?} could not be run (exit status {code})");
            return Err(undecided(text, &begun, context.key.as_deref()));
        }
        Some(_) => CheckDecision::Deny,
        None => {
            return Err(undecided(format!("{program:?} was ended by a signal"), &begun, context.key.as_deref()));
        }
    };
    removed?;
    let proposal = begun.proposal.to_string();
    decide(context, Some(&proposal), decision, note)
}

/// A program that is named by a path is one of the checkout's: where the commit has none, nothing is frozen for it.
fn in_the_checkout(
    context: &Context,
    repository: &Repository,
    what: Option<&str>,
    program: &OsStr,
) -> Result<(), AppError> {
    let path = Path::new(program);
    let inside = |part: Component<'_>| matches!(part, Component::CurDir | Component::Normal(_));
    let Some(text) = path.to_str().filter(|_| path.components().count() > 1 || program.to_string_lossy().contains('/'))
    else {
        return Ok(());
    };
    if !path.components().all(inside) {
        return Ok(());
    }
    let session = context.open(repository)?;
    let commit = about(&to_check(&session, &Noted::default(), what)?.1)?.commit;
    let named: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let name = format!("{commit}:{}", named.join("/"));
    if repository.git(["cat-file", "-e", &name]).run().is_err() {
        return Err(AppError::fatal(
            format!("{} has no {text:?}, so that nothing could be run, and no diet was frozen", commit.short()),
            "name a command of the commit, or one that PATH has",
        ));
    }
    Ok(())
}

fn undecided(text: String, begun: &Begun, key: Option<&str>) -> AppError {
    // The decision is left open in a form that no shell takes for one.
    let key = key.unwrap_or("<checker>");
    AppError::fatal(
        format!("{text}: nothing is decided; the diet stays frozen at {}", begun.anchor),
        format!("git boundary check decide {} <decision> --key {key}", begun.proposal),
    )
}

fn checker(context: &Context, session: &Session<'_>) -> Result<Box<dyn Signer>, AppError> {
    let checker =
        context.named_key(session.repository, "boundary.checkerKey", "git boundary check … --key <checker>")?;
    let key = checker.public_key();
    if session.trust.party(&key).is_none() {
        // Nobody could verify a line by it, not even the next step of the same check.
        let id = key_id(&key);
        return Err(AppError::usage(
            format!("the trust document does not hold the checker's key {id}"),
            format!("git boundary trust add {id} --role checker --key <owner>"),
        ));
    }
    Ok(checker)
}

fn about(statement: &Statement<Envelope>) -> Result<Subject, AppError> {
    statement.subject.clone().ok_or_else(|| AppError::usage("the proposal has no subject", "git boundary propose"))
}

/// One input: a class, and where the bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The class, such as `diff` or `test_result`.
    pub class: String,
    /// Where the bytes are.
    pub source: Source,
}

/// Where an input's bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Made from the commits themselves; only class `diff` can be.
    Derived,
    /// In a file.
    File(PathBuf),
    /// What git has under a name.
    Git(String),
    /// Elsewhere; only their digest is known.
    Digest(Digest),
}

fn entry(
    context: &Context,
    session: &Session<'_>,
    envelope: &Envelope,
    about: &Subject,
    input: &Input,
) -> Result<DietEntry, AppError> {
    let class = &input.class;
    let digest = match &input.source {
        Source::Derived if class == DIFF_CLASS => {
            let diff = diff_of(envelope, about.commit, about.tree).ok_or_else(|| {
                AppError::usage("the proposal names no base that a diff could start from", "git boundary propose")
            })?;
            canonical::digest_of(&diff)
        }
        Source::Derived => {
            return Err(AppError::usage(
                format!("--input {class}: only {DIFF_CLASS:?} is derived; other classes name what was read"),
                format!("--input {class}=<file>"),
            ));
        }
        Source::Digest(digest) => *digest,
        Source::Git(rev) => canonical::sha256(&object(session, rev)?),
        Source::File(path) => canonical::sha256(&file(context, path)?),
    };
    Ok(DietEntry { digest, class: class.clone() })
}

fn object(session: &Session<'_>, rev: &str) -> Result<Vec<u8>, AppError> {
    let mut command = session.repository.git(["rev-parse", "--verify", "--quiet", "--end-of-options", rev]);
    let oid = String::from_utf8_lossy(&command.run()?).trim().to_owned();
    Ok(session
        .repository
        .git(["cat-file", "blob", &oid])
        .run()
        .or_else(|_| session.repository.git(["cat-file", "-p", &oid]).run())?)
}

fn file(context: &Context, name: &Path) -> Result<Vec<u8>, AppError> {
    let path = context.environment.cwd().join(name);
    let failed = |source| AppError::File { path: path.clone(), source };
    let size = std::fs::metadata(&path).map_err(failed)?.len();
    if size > MAX_INPUT {
        return Err(AppError::usage(format!("{} has {size} bytes", path.display()), "name an input of at most 1 GiB"));
    }
    std::fs::read(&path).map_err(failed)
}

/// The last commitment of this checker about a proposal in this clone's own ledger that no proof of it names.
fn open_commitment(
    session: &Session<'_>,
    noted: &Noted,
    checker: &dyn Signer,
    proposal: Digest,
    commit: Oid,
) -> Result<(DietCommitment, crate::model::time::Timestamp, u64), AppError> {
    let registrar = session.local.registrar_id()?;
    let key = checker.public_key();
    let own = |recorded: &Recorded| {
        recorded.entries.iter().find(|entry| Some(entry.registrar) == registrar).map(|entry| (entry.at, entry.index))
    };
    let mut decided = std::collections::BTreeSet::new();
    for digest in noted.on(&commit, |artifact| matches!(artifact, Artifact::BoundaryProof(_))) {
        let Some(recorded) = noted.artifact(&digest) else { continue };
        if let Artifact::BoundaryProof(proof) = recorded.artifact.value()
            && recorded.artifact.signed_by(&key)
            && let Some((_, index)) = proof.proven.anchor.rsplit_once('#')
        {
            decided.insert(index.to_owned());
        }
    }
    let mut open = Vec::new();
    for digest in noted
        .on(&commit, |artifact| matches!(artifact, Artifact::DietCommitment(it) if it.predicate.subject == proposal))
    {
        let Some(recorded) = noted.artifact(&digest) else { continue };
        let Artifact::DietCommitment(statement) = recorded.artifact.value() else { continue };
        if let Some((at, index)) = own(&recorded)
            && recorded.artifact.signed_by(&key)
            && !decided.contains(&index.to_string())
        {
            open.push((statement.predicate.clone(), at, index));
        }
    }
    open.into_iter().max_by_key(|(.., index)| *index).ok_or_else(|| {
        AppError::usage(
            "this checker froze no diet for the proposal in this clone, or decided on it already",
            "git boundary check begin --input diff --key <checker>",
        )
    })
}

fn warnings(session: &Session<'_>, checker: &dyn Signer, envelope: &Envelope) -> Vec<String> {
    let mut warnings = Vec::new();
    let key = checker.public_key();
    let label = Context::label(session, checker);
    let standing = session.trust.standing(&key, crate::model::party::Role::Checker, session.now);
    if standing != crate::crypto::trust::Standing::Good {
        warnings.push(format!("{label} is not trusted as checker, so that this proof counts nowhere"));
    }
    let actor = envelope.bindings.actor.value().and_then(|id| session.trust.party_of(id));
    if actor.is_some_and(|actor| actor.key == key) {
        warnings.push(format!("{label} is the actor itself, so that this proof counts nowhere"));
    } else if let (Some(actor), Some(checker)) = (actor, session.trust.party(&key))
        && actor.domain == checker.domain
    {
        warnings
            .push(format!("{label} is in the actor's domain {:?}, so that this proof counts nowhere", actor.domain));
    }
    warnings
}
