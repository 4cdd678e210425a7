//! `sync`: brings others' receipts, trust and policy, verifies before it takes them over, and publishes this registrar's own (contract,
//! section 3). It moves refs, and judges and settles nothing.

mod chains;
mod found;
mod pending;
mod send;

use std::hash::RandomState;
use std::time::Duration;

use serde::Serialize;

pub use self::found::{Fetched, Problem};
pub use self::send::{Sending, Sent};
use super::context::Context;
use super::error::{AppError, Failure};
use super::{outbox, refspecs, remote, server, settle, trust};
use crate::gather::notes::Noted;
use crate::gather::session::pin;
use crate::gather::{GatherError, Session};
use crate::git::{Prompt, RemoteError, Repository, back_off};
use crate::ledger::Origin;
use crate::model::id::{KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::typed::typed_remote;
use crate::store::arrivals::take_over;
use crate::store::unite::{Fork, Own, United, unite};
use crate::store::{LocalState, StoreError, layout};

/// So often all of it is done again, where somebody was at the same refs at the same moment.
const ATTEMPTS: u32 = 12;
const FIRST_WAIT: Duration = Duration::from_millis(25);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// What `sync` did.
#[derive(Debug, Serialize)]
pub struct Synced {
    /// The remote.
    pub remote: String,
    /// Registrars' refs there, against what was here.
    pub fetched: Vec<Fetched>,
    /// The trust chain.
    pub trust: Moved,
    /// The policy chain.
    pub policy: Moved,
    /// How this clone's own ref was united with what the remote had of it: `forward` or `merged`.
    pub united: Option<&'static str>,
    /// What was published.
    pub published: Sent,
    /// What is wrong, by ref.
    pub problems: Vec<Problem>,
    /// How often it took, races with others included.
    pub attempts: u32,
    /// What to type next.
    pub command: Option<String>,
}

/// A chain before and afterwards.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// The version that was here; `null` for none.
    pub version_before: Option<u64>,
    /// The version that is in force here now.
    pub version_after: Option<u64>,
}

impl Synced {
    /// Whether something is wrong that leaves answers open.
    pub fn is_undecided(&self) -> bool {
        self.problems.iter().any(|one| one.listed) || self.published.state == Sending::Failed
    }
}

/// Fetches from a remote and publishes to it.
///
/// # Errors
/// When there is no such remote, it can't be reached, nothing is pinned here, or trust goes back or forks.
pub fn sync(context: &Context, remote: Option<&str>) -> Result<Synced, AppError> {
    let repository = context.repository()?;
    let remote = match remote {
        Some(remote) => remote.to_owned(),
        None => match remote::default_remote(&repository)? {
            Some(remote) => remote,
            None if server::settles_itself(context)? => {
                return Err(AppError::usage(
                    "this repository is a server: clones bring their receipts to it and take others' from it, so that nothing is to be \
                     synchronised here",
                    "in a clone of it: git boundary sync",
                ));
            }
            None => return Err(settle::no_remote()),
        },
    };
    if !repository.remotes().contains(&remote) {
        return Err(AppError::usage(
            format!("there is no remote {remote:?}; what is fetched is kept under a remote's name"),
            "git remote -v",
        ));
    }
    if repository.find_ref(layout::BLOCKING_NOTES)?.is_some() {
        return Err(StoreError::Blocked.into());
    }
    pin(&repository, &context.session)?;
    refspecs::unblock(&repository, &layout::blocking_tracking(&remote))?;
    let mut answer = Synced {
        remote,
        fetched: Vec::new(),
        trust: Moved::default(),
        policy: Moved::default(),
        united: None,
        published: Sent::default(),
        problems: Vec::new(),
        attempts: 0,
        command: None,
    };
    let random = RandomState::new();
    loop {
        answer.attempts += 1;
        let last = answer.attempts >= ATTEMPTS;
        if let Round::Done = round(context, &repository, &mut answer, last)? {
            return Ok(answer);
        }
        back_off(&random, answer.attempts, FIRST_WAIT, LONGEST_WAIT);
    }
}

enum Round {
    Done,
    /// Somebody else was at it: look again.
    Again,
}

fn round(context: &Context, repository: &Repository, answer: &mut Synced, last: bool) -> Result<Round, AppError> {
    match repository.fetch_exactly(&answer.remote, &layout::incoming_refspecs(&answer.remote), Prompt::IfTerminal) {
        Ok(()) => {}
        Err(RemoteError::Raced { .. }) if !last => return Ok(Round::Again),
        Err(error) => return Err(unreached(&answer.remote, &error)),
    }
    answer.problems.clear();
    let mut chains = chains::take(context, repository, answer)?;
    let waits = pending::take(context, repository, &answer.remote, &chains.trust)?;
    if trust::complete(&context.open_for_trust(repository)?)? {
        // In force now, and to be sent with the rest.
        chains = chains::take(context, repository, answer)?;
    } else {
        chains.unpublished.extend(waits);
    }
    let local = LocalState::of(repository);
    let own = match local.registrar_id()? {
        Some(registrar) => {
            let origin = Origin { repository: chains.trust.repository(), registrar };
            Some(Own { key: local.registrar()?.public_key(), origin })
        }
        None => None,
    };
    let forked = match own {
        Some(own) => unite_own(context, repository, answer, own)?,
        None => false,
    };
    let id = own.map(|own| own.origin.registrar);
    let arrivals = take_over(repository, &chains.trust, &answer.remote, id.as_ref(), context.now)?;
    found::note(answer, id.as_ref(), &arrivals);
    let session = context.open_for_trust(repository)?;
    found::look(answer, &session);
    let wanted = send::wanted(&session, answer, own.filter(|_| !forked), &chains, &arrivals)?;
    if send::send(context, repository, answer, wanted)? && !last {
        return Ok(Round::Again);
    }
    answer.command = next(&session, answer, own.map(|own| own.key), forked)?;
    Ok(Round::Done)
}

/// Takes into the own ref what the remote has of it, and what was fetched of it before. Whether its ledger forked.
fn unite_own(context: &Context, repository: &Repository, answer: &mut Synced, own: Own) -> Result<bool, AppError> {
    let registrar = own.origin.registrar;
    let reference = layout::registrar_ref(&registrar);
    let places = [layout::tracking(&answer.remote, &reference), layout::incoming(&answer.remote, &reference)];
    let mut forked = false;
    let mut seen: Option<Oid> = None;
    for place in places.into_iter().flatten() {
        let Some(other) = repository.find_ref(&place)?.filter(|other| seen.replace(*other) != Some(*other)) else {
            continue;
        };
        let problem = match unite(repository, own, (&place, other), context.now) {
            Ok(United::Whole) => None,
            Ok(United::Forward) => {
                answer.united.get_or_insert("forward");
                None
            }
            Ok(United::Merged) => {
                answer.united = Some("merged");
                None
            }
            Ok(United::Forked(fork)) => {
                forked = true;
                Some(told(&answer.remote, &fork))
            }
            // What the remote has is said where everything there is.
            Ok(United::Foreign(_)) => None,
            Err(StoreError::Ledger { defect, .. }) => Some(defect),
            Err(error) => return Err(error.into()),
        };
        if let Some(text) = problem {
            // An own ref that can't be published or gone on with is no small thing, whoever lists it.
            let command = Some("git boundary doctor --repair".to_owned()).filter(|_| forked);
            answer.problems.retain(|one| one.registrar != Some(registrar));
            answer.problems.push(Problem {
                command,
                listed: true,
                reference: reference.clone(),
                registrar: Some(registrar),
                text,
            });
        }
    }
    Ok(forked)
}

fn told(remote: &str, fork: &Fork) -> String {
    // A line each: it is read by somebody who did not know that this can happen.
    [
        format!("this clone's ledger and the one at {remote} forked"),
        format!("here {}", fork.own),
        format!("there {}", fork.other),
        format!("the last that both have {}", fork.shared),
        "this clone was most likely copied, or put back from a backup, and both went on with its registrar's key"
            .to_owned(),
        "nothing was changed, and the other ledger stays where it was fetched to".to_owned(),
    ]
    .join("\n")
}

fn unreached(remote: &str, error: &RemoteError) -> AppError {
    AppError::Told {
        failure: Failure::Undecided,
        hint: Some(format!("git ls-remote {0} HEAD && git boundary sync {0}", typed_remote(remote))),
        text: format!("nothing was fetched or published: {error}"),
    }
}

/// What there is to do after the refs are where they should be.
fn next(
    session: &Session<'_>,
    answer: &Synced,
    own: Option<PublicKey>,
    forked: bool,
) -> Result<Option<String>, AppError> {
    if forked {
        return Ok(Some("git boundary doctor --repair".to_owned()));
    }
    if let Some(command) = answer.problems.iter().find_map(|one| one.command.clone()) {
        return Ok(Some(command));
    }
    if answer.published.state == Sending::Failed {
        return Ok(Some(format!("git boundary sync {}", typed_remote(&answer.remote))));
    }
    if own.is_none() {
        return Ok(None);
    }
    let signer = session.local.registrar()?;
    let open = outbox::open(session, &Noted::default(), &*signer)?;
    Ok((!open.is_empty()).then(|| "git boundary settle".to_owned()))
}

/// Whether one commit is another one or leads to it.
fn leads_to(repository: &Repository, from: &Oid, to: &Oid) -> Result<bool, AppError> {
    Ok(from == to || repository.is_ancestor(from, to).map_err(GatherError::from)?)
}

/// How a registrar is called.
fn called(session: &Session<'_>, registrar: &KeyId) -> Option<String> {
    session.trust.party_of(registrar).map(|party| party.label.clone())
}
