//! `handoff`: work given to one key, pinned to one commit.

mod find;
mod pin;
mod standing;

use serde::Serialize;

use super::context::{Context, nonce};
use super::error::AppError;
use super::record::{Writing, record};
use super::remote::{self, Published};
use super::subject;
use crate::codec::in_toto::Statement;
use crate::crypto::key_id;
use crate::crypto::trust::{Party, Standing};
use crate::crypto::verified::sign_statement;
use crate::gate::case::successor;
use crate::gate::handoffs::widened;
use crate::gate::scope::pathspec::PathScope;
use crate::gate::scope::ref_glob::RefGlob;
use crate::gather::notes::Noted;
use crate::gather::{Session, directory};
use crate::model::asserted::Asserted;
use crate::model::digest::Digest;
use crate::model::handoff::{Assignment, Handoff, Lease, Pin, Revocation, Scope};
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::operation::Grant;
use crate::model::party::Role;
use crate::model::time::Timestamp;
use crate::model::typed::{is_plain, typed_branch, typed_remote};

pub use find::{latest, list, live, show};
pub use standing::{Shown, State};

use find::find;
use standing::stand;

/// Which branches an agent works on unless told.
pub const AGENT_REFS: &str = "refs/heads/agent/**";
const DEFAULT_LEASE: u64 = 8 * 3600;

/// What `handoff create` is asked to do.
#[derive(Debug, Clone, Default)]
pub struct CreateOptions {
    /// The holder: label, key id or key file.
    pub to: String,
    /// Pathspecs.
    pub paths: Vec<String>,
    /// Ref globs; the agents' branches and the pinned branch unless named.
    pub refs: Vec<String>,
    /// Operations; see [`Grant::UNLESS_TOLD`].
    pub operations: Vec<Grant>,
    /// The revision to pin; `HEAD` unless named.
    pub at: Option<String>,
    /// The ref that the work is meant for; the current branch unless named.
    pub pin_ref: Option<String>,
    /// Seconds; the policy's own unless named.
    pub ttl: Option<u64>,
    /// The tracker's name of the work.
    pub work: Option<String>,
    /// What the work is, in words.
    pub summary: Option<String>,
}

/// A handoff as it was made.
#[derive(Debug, Serialize)]
pub struct Created {
    /// Its id.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// The pinned commit.
    pub commit: Oid,
    /// The pinned ref.
    pub reference: String,
    /// The holder's label.
    pub to: String,
    /// Ref globs.
    pub refs: Vec<String>,
    /// Pathspecs.
    pub paths: Vec<String>,
    /// Operations.
    pub operations: Vec<Grant>,
    /// Until when.
    pub expires_at: Timestamp,
    /// Remarks.
    pub warnings: Vec<String>,
    /// Whether it is at the remote.
    pub published: Published,
}

/// Makes a handoff.
///
/// # Errors
/// When scope, revision or key are none, or no owner signs.
pub fn create(context: &Context, options: &CreateOptions) -> Result<Created, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let label = if is_plain(&options.to) { &options.to } else { "<label>" };
    let add = format!("git boundary trust add {label} --role actor --new-key --key <owner>");
    let to = context.party_or(&session, &options.to, &add)?;
    let commit = subject::commit(&repository, options.at.as_deref())?;
    let reference = match &options.pin_ref {
        Some(named) => {
            let reference = subject::full_ref(named);
            if remote::side(&repository)?.observe(&repository, &reference)?.oid.is_none() {
                return Err(AppError::usage(
                    format!(
                        "--pin-ref {named}: there is no {reference}, neither here nor at the remote as it was fetched"
                    ),
                    "name a branch that is there",
                ));
            }
            reference
        }
        None => subject::current_branch(&repository, "add --pin-ref refs/heads/<branch>")?,
    };
    let refs = if options.refs.is_empty() {
        let mut refs = vec![AGENT_REFS.to_owned()];
        if !refs.contains(&reference) {
            refs.push(reference.clone());
        }
        refs
    } else {
        options.refs.clone()
    };
    let operations =
        if options.operations.is_empty() { Grant::UNLESS_TOLD.to_vec() } else { options.operations.clone() };
    let work_id = options.work.clone().unwrap_or_default();
    let asserted = options.summary.as_ref().map_or_else(Asserted::none, |summary| Asserted::one("summary", summary));
    let assignment = Assignment { asserted, work_id };
    let draft = Draft {
        assignment,
        commit,
        reference,
        renews: None,
        scope: Scope { operations, paths: options.paths.clone(), refs },
        to,
        ttl: options.ttl,
    };
    give(context, &session, draft)
}

struct Draft {
    assignment: Assignment,
    commit: Oid,
    reference: String,
    renews: Option<Digest>,
    scope: Scope,
    to: KeyId,
    ttl: Option<u64>,
}

fn give(context: &Context, session: &Session<'_>, draft: Draft) -> Result<Created, AppError> {
    PathScope::parse(&draft.scope.paths)
        .map_err(|defect| AppError::usage(format!("--path: {defect}"), "name git pathspecs, such as 'src/**'"))?;
    for glob in &draft.scope.refs {
        RefGlob::parse(glob).map_err(|defect| {
            AppError::usage(format!("--ref: {defect}"), "name ref globs, such as 'refs/heads/agent/**'")
        })?;
    }
    let Some((policy, in_force)) =
        session.policies.in_force.and_then(|digest| Some((digest, session.policies.known.get(&digest)?)))
    else {
        return Err(AppError::fatal("no signed policy is in force here", "git boundary policy sign --key <owner>"));
    };
    let owner = context.good_owner(session, "hand out work")?;
    let subject = subject::subject(session, draft.commit)?;
    let pin = Pin { commit: draft.commit, reference: draft.reference.clone(), tree: subject.tree };
    let seconds = draft.ttl.unwrap_or(in_force.lease_seconds);
    let lease = Lease {
        expires_at: context.now.plus(i64::try_from(seconds).unwrap_or(DEFAULT_LEASE as i64)),
        not_before: context.now,
    };
    let handoff = Handoff {
        assignment: draft.assignment,
        from: key_id(&owner.public_key()),
        lease: Some(lease),
        nonce: nonce()?,
        pin,
        policy,
        renews: draft.renews,
        scope: draft.scope.clone(),
        to: draft.to,
    };
    let warnings = warnings(session, &handoff)?;
    let artifact = sign_statement(&Statement { predicate: handoff, subject: Some(subject) }, &*owner)?;
    let digest = artifact.digest();
    let hints = directory::hints_for(session, draft.commit, Some(lease.expires_at))?;
    let recorded = record(context, session, "handoff", Writing { lines: vec![(draft.commit, artifact)], hints })?;
    let to = session.trust.party_of(&draft.to).map_or_else(|| draft.to.to_string(), |party| party.label.clone());
    Ok(Created {
        id: ArtifactId::of(&digest),
        digest,
        commit: draft.commit,
        reference: draft.reference,
        to,
        refs: draft.scope.refs,
        paths: draft.scope.paths,
        operations: draft.scope.operations,
        expires_at: lease.expires_at,
        warnings,
        published: recorded.published,
    })
}

/// What will not work as it stands, told at once rather than at the push.
fn warnings(session: &Session<'_>, handoff: &Handoff) -> Result<Vec<String>, AppError> {
    let mut warnings = Vec::new();
    let holder = session.trust.resolve(&handoff.to.to_string());
    let may_act = |key| session.trust.standing(&key, Role::Actor, session.now) == Standing::Good;
    if let Some(ended) = ended(session, handoff) {
        warnings.push(format!("{}: {}", ended.text, ended.command));
    } else if !holder.is_some_and(may_act) {
        warnings.push(format!(
            "{} is not trusted as actor; add it: git boundary trust add {} --role actor --key <owner>",
            handoff.to, handoff.to
        ));
    }
    let side = remote::side(session.repository)?;
    if let Some(remote) = &side.remote {
        let tracking = crate::gather::base::tracking_ref(remote, &handoff.pin.reference);
        let at = tracking.and_then(|name| session.repository.find_ref(&name).ok().flatten());
        let there = at.is_some_and(|at| session.repository.is_ancestor(&handoff.pin.commit, &at).unwrap_or(false));
        if !there {
            warnings.push(format!(
                "{} is not in {remote}'s {} yet; push it first: git push {} {}",
                handoff.pin.commit.short(),
                handoff.pin.reference,
                typed_remote(remote),
                typed_branch(&handoff.pin.reference)
            ));
        }
    }
    Ok(warnings)
}

/// A holder's key that ended, and how the work is given to the one that took its place.
struct Ended {
    command: String,
    text: String,
}

fn ended(session: &Session<'_>, handoff: &Handoff) -> Option<Ended> {
    let trust = &session.trust;
    let key = trust.resolve(&handoff.to.to_string())?;
    let (Standing::Revoked(at) | Standing::Expired(at)) = trust.standing(&key, Role::Actor, session.now) else {
        return None;
    };
    let name = |party: &Party| if is_plain(&party.label) { party.label.clone() } else { party.id.to_string() };
    let who = trust.party(&key).map_or_else(|| handoff.to.to_string(), name);
    let next = successor(trust, session.now, &key, Role::Actor).map(name);
    Some(Ended {
        command: widened(handoff, next.as_deref().unwrap_or("<holder>"), None, None),
        text: format!("the key of {who} ended at {at}, and nothing that it signs now counts"),
    })
}

/// Prolongs a handoff: the same scope and holder, a new lease, and, unless told, the same pin as long as the rules let that be.
///
/// # Errors
/// When there is none, or the new pin is no revision.
pub fn renew(context: &Context, which: &str, ttl: Option<u64>, at: Option<&str>) -> Result<Created, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let old = find(&session, &Noted::default(), which)?;
    if old.revoked_at.is_some() {
        return Err(AppError::usage(
            format!("handoff {} is revoked, and a revoked one is not prolonged", old.id),
            "git boundary handoff create --to <holder> --path '<pathspec>' --key <owner>",
        ));
    }
    if let Some(ended) = ended(&session, &old.handoff) {
        return Err(AppError::usage(format!("handoff {} is not prolonged: {}", old.id, ended.text), ended.command));
    }
    let commit = match at {
        Some(rev) => repository.resolve_commit(rev)?,
        None => {
            let pinned = &old.handoff.pin;
            let base = remote::side(&repository)?.observe(&repository, &pinned.reference)?;
            let base = crate::gather::base::known_commit(&base);
            match base {
                // Where the pin still holds it is kept, so that work and proofs under it stay good.
                Some(base) if !pin::holds(&session, &old.handoff, base)? => base,
                _ => pinned.commit,
            }
        }
    };
    let draft = Draft {
        assignment: old.handoff.assignment,
        commit,
        reference: old.handoff.pin.reference,
        renews: Some(old.digest),
        scope: old.handoff.scope,
        to: old.handoff.to,
        ttl,
    };
    give(context, &session, draft)
}

/// A handoff was ended.
#[derive(Debug, Serialize)]
pub struct Revoked {
    /// The handoff.
    pub handoff: ArtifactId,
    /// The revocation; the last of several.
    pub id: ArtifactId,
    /// Renewals that ended with it.
    pub renewals: Vec<ArtifactId>,
    /// Whether it is at the remote.
    pub published: Published,
}

/// Ends a handoff.
///
/// # Errors
/// When there is none, or no owner signs.
pub fn revoke(context: &Context, which: &str, reason: &str) -> Result<Revoked, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let old = find(&session, &noted, which)?;
    let owner = context.good_owner(&session, "end a handoff")?;
    // Whoever ends a handoff means the work, so that what prolongs it ends as well.
    let mut ended = vec![old.digest];
    let all = stand(&session, &noted, &directory::all(&session, &noted)?)?;
    loop {
        let more = all.iter().find(|one| {
            one.handoff.renews.is_some_and(|renewed| ended.contains(&renewed)) && !ended.contains(&one.digest)
        });
        match more {
            Some(one) => ended.push(one.digest),
            None => break,
        }
    }
    let mut writing = Writing::default();
    let mut id = old.id;
    for one in all.iter().filter(|one| ended.contains(&one.digest) && one.revoked_at.is_none()) {
        let pin = one.handoff.pin.commit;
        let predicate = Revocation { reason: reason.to_owned(), target: one.digest };
        let statement = Statement { predicate, subject: Some(subject::subject(&session, pin)?) };
        let artifact = sign_statement(&statement, &*owner)?;
        id = ArtifactId::of(&artifact.digest());
        writing.lines.push((pin, artifact));
    }
    if writing.lines.is_empty() {
        return Err(AppError::usage(
            format!("handoff {} is revoked already", old.id),
            "git boundary handoff list --all",
        ));
    }
    let renewals = ended.iter().skip(1).map(ArtifactId::of).collect();
    let recorded = record(context, &session, "revocation", writing)?;
    Ok(Revoked { handoff: old.id, id, renewals, published: recorded.published })
}
