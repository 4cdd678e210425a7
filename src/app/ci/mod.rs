//! `verify --ci`: judges what a job of a forge is about. What its checkout lacks is fetched first; trust comes from the command line or
//! from this clone's pin, and from nothing that the job was given.

pub mod event;
mod fetch;
mod receipts;

use std::collections::BTreeSet;

use serde::Serialize;

use self::event::{Event, Forge, Variables, What};
use super::context::Context;
use super::error::{AppError, Failure};
use super::remote;
use super::verify::{Target, Verified, target, verify_targets};
use crate::crypto::trust::TrustError;
use crate::gate::rule::{Match, rule_for};
use crate::gate::verdict::Outcome;
use crate::gather::base::{Side, default_branch};
use crate::gather::notes::Noted;
use crate::gather::session::pin;
use crate::gather::{GatherError, Session};
use crate::git::{GitError, Repository};
use crate::model::id::Oid;
use crate::store::StoreError;
use crate::store::error::ChainDefect;

pub use self::receipts::Receipts;

/// What `verify --ci` is asked.
#[derive(Debug, Clone, Default)]
pub struct CiOptions {
    /// A range or revision that goes before what the forge's variables say; one at most.
    pub revisions: Vec<String>,
    /// The ref by whose rule to judge; goes before what the variables say.
    pub reference: Option<String>,
    /// Whether nothing is fetched.
    pub no_fetch: bool,
    /// Whether work receipts are minted for what is verified.
    pub receipt: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The forge's word for what happened.
    pub event: Event,
    /// What was judged, and how it stands.
    #[serde(flatten)]
    pub verified: Verified,
    /// The work receipts, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_receipts: Option<Receipts>,
    /// Why work receipts that were asked for are not recorded. Then the answer is no success.
    #[serde(skip)]
    pub failed: Option<AppError>,
}

/// Judges what a job is about.
///
/// # Errors
/// Without a pin or anything to judge; when the remote gives nothing, or nothing can be read.
pub fn ci(context: &Context, options: &CiOptions, variables: &Variables<'_>) -> Result<Answer, AppError> {
    let repository = context.repository()?;
    pinned(context, &repository)?;
    let asked = match options.revisions.as_slice() {
        [] => Asked::Event(fitting(&repository, named(event::read(variables)?, options.reference.as_deref()))?),
        [one] => Asked::Words(one.clone(), event::forge(variables)),
        _ => return Err(AppError::usage("--ci judges one range", "git boundary verify --ci <old>..<new> --ref <ref>")),
    };
    let remote = remote::default_remote(&repository)?;
    let fetched = remote.as_deref().filter(|_| !options.no_fetch);
    let mut branches: Vec<String> = Vec::new();
    if let Some(remote) = fetched {
        fetch::receipts(&repository, remote)?;
        branches.extend(fetch::default_branch(&repository, remote)?);
        if let Asked::Event(event) = &asked {
            if event.what != What::Push && event.reference.starts_with("refs/heads/") {
                fetch::branches(&repository, remote, &[&event.reference])?;
                branches.push(event.reference.clone());
            }
            let wanted: Vec<Oid> = event.old.into_iter().chain([event.new]).collect();
            fetch::objects(&repository, remote, &wanted);
        }
    }
    let mut steps = fetch::STEPS.into_iter();
    let mut asked_for = BTreeSet::new();
    let (event, verified) = loop {
        let found = attempt(context, &asked, options);
        if let (Some(remote), Ok((_, verified))) = (fetched, &found)
            && verified.outcome == Outcome::Undecided
            && fetch::named(&context.repository()?, remote, &verified.gaps, &mut asked_for)
        {
            continue;
        }
        let open = match &found {
            Ok((_, verified)) => verified.outcome == Outcome::Undecided,
            Err(_) => true,
        };
        let shallow = context.repository()?.is_shallow();
        match (fetched.filter(|_| open && shallow), steps.next()) {
            (Some(remote), Some(more)) => {
                let tips = match &asked {
                    Asked::Event(event) => event.old.into_iter().chain([event.new]).collect(),
                    Asked::Words(..) => vec![context.repository()?.resolve_commit("HEAD")?],
                };
                fetch::deeper(context, remote, (&tips, &branches), more)?;
            }
            _ => break found.map_err(|error| by_hand(error, remote.as_deref(), options))?,
        }
    };
    let verified = advise(context, verified, remote.as_deref(), options);
    let minted = options.receipt.then(|| match verified.outcome {
        Outcome::Admitted => receipts::mint(context, &event, remote.as_deref(), &asked, options),
        _ => Ok(Receipts::none("nothing is receipted that is not verified")),
    });
    let (work_receipts, failed) = match minted {
        None => (None, None),
        Some(Ok(minted)) => (Some(minted), None),
        Some(Err(error)) => (None, Some(error)),
    };
    Ok(Answer { event, verified, work_receipts, failed })
}

/// What is judged: what the forge says, or what was typed.
enum Asked {
    Event(Event),
    Words(String, Option<Forge>),
}

fn named(event: Event, reference: Option<&str>) -> Event {
    match reference {
        Some(reference) => Event { reference: super::subject::full_ref(reference), ..event },
        None => event,
    }
}

/// With ids of the length that this repository's have.
fn fitting(repository: &Repository, event: Event) -> Result<Event, AppError> {
    let other = event.old.iter().chain([&event.new]).find(|oid| !repository.object_format().fits(oid));
    match other {
        None => Ok(event),
        Some(oid) => Err(AppError::usage(
            format!("{oid} is no id of this repository, whose ids are of another length"),
            "git boundary verify --ci <old>..<new> --ref <ref>",
        )),
    }
}

/// A job has a new clone every time: what it believes has to be said each time, and by who set the job up.
fn pinned(context: &Context, repository: &Repository) -> Result<(), AppError> {
    let unpinned = || {
        AppError::usage(
            "no trust root is pinned here, and nothing that a job is given says which to believe",
            "git boundary verify --ci --trust-root sha256:<digest> --min-trust-version <n>, with what an owner's clone prints for: \
             git boundary trust show",
        )
    };
    let pinned = match pin(repository, &context.session) {
        Ok(pinned) => pinned,
        Err(GatherError::NotPinned) => return Err(unpinned()),
        Err(error) => return Err(error.into()),
    };
    // git takes configuration from variables too; what only stands there was pinned by nobody.
    let files = context.environment.clone().without(&["GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"]);
    let files = Context { environment: files, ..context.clone() }.repository()?;
    match pin(&files, &context.session) {
        Ok(in_files) if in_files == pinned => Ok(()),
        _ => Err(unpinned()),
    }
}

fn attempt(context: &Context, asked: &Asked, options: &CiOptions) -> Result<(Event, Verified), AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let found = find(&session, asked, options)?;
    let (mut verified, _) = verify_targets(&session, &Noted::default(), vec![(found.name, found.target)])?;
    verified.notices.splice(0..0, found.notices);
    let governed = verified.revisions.iter().any(|one| one.governed);
    if let (Some(gap), true) = (found.unseen, governed) {
        verified.leave_open(gap);
    }
    Ok((found.event, verified))
}

/// What is to be judged, found in this clone.
struct Found {
    event: Event,
    name: String,
    notices: Vec<String>,
    target: Target,
    /// The move of the ref that can't be judged, in words.
    unseen: Option<String>,
}

fn find(session: &Session<'_>, asked: &Asked, options: &CiOptions) -> Result<Found, AppError> {
    match asked {
        Asked::Words(words, forge) => {
            let target = target(session, words, options.reference.as_deref())?;
            let what = if target.base.is_some() { What::Push } else { What::Started };
            let event =
                Event { forge: *forge, what, reference: target.reference.clone(), old: target.base, new: target.tip };
            Ok(Found { event, name: words.clone(), notices: Vec::new(), target, unseen: None })
        }
        Asked::Event(event) => {
            let mut notices = Vec::new();
            let target = target_of(session, event, options, &mut notices)?;
            let name = match &target.base {
                Some(base) => format!("{}..{}", base.short(), event.new.short()),
                None => event.new.short().to_string(),
            };
            let lost =
                event.what == What::Push && event.old.is_some_and(|old| !old.is_zero() && target.base != Some(old));
            let unseen = lost.then(|| {
                format!(
                    "whether {} was moved forward: its old value is not to be had any more, and a move back or aside wants a grant of its own",
                    event.reference
                )
            });
            Ok(Found { event: event.clone(), name, notices, target, unseen })
        }
    }
}

fn target_of(
    session: &Session<'_>,
    event: &Event,
    options: &CiOptions,
    notices: &mut Vec<String>,
) -> Result<Target, AppError> {
    let repository = session.repository;
    let side = remote::side(repository)?;
    let default = default_branch(repository, side.remote.as_deref())?;
    let whole = |reference: String, side: Side| Target { base: None, moved: false, reference, side, tip: event.new };
    if event.new.is_zero() {
        return Ok(Target { base: event.old, ..whole(event.reference.clone(), side) });
    }
    if event.reference.starts_with("refs/tags/") {
        let governed = !is_open(session, &event.reference);
        if !governed {
            notices.push(format!(
                "no rule governs {}: what it names is judged by the rule for {default}",
                event.reference
            ));
        }
        return Ok(whole(if governed { event.reference.clone() } else { default }, side));
    }
    let here = |oid: &Oid| repository.contains(oid);
    let base = match event.old {
        None => None,
        Some(old) if !old.is_zero() && (here(&old) || options.no_fetch) => Some(old),
        Some(old) => {
            let beside = if event.what == What::Push { &default } else { &event.reference };
            let base = if event.what == What::Push && *beside == event.reference {
                None
            } else {
                parting(repository, &side, beside, &event.new)?
            };
            if !old.is_zero() {
                let instead =
                    base.map_or("all that it holds".to_owned(), |base| format!("what came since {}", base.short()));
                notices.push(format!(
                    "{} was at {old}, which the remote gives no more: judged is {instead}",
                    event.reference
                ));
            }
            base
        }
    };
    let moved = event.what == What::Push && base.is_some() && base == event.old;
    Ok(Target { base, moved, ..whole(event.reference.clone(), side) })
}

/// Whether the policy in force leaves a ref alone.
fn is_open(session: &Session<'_>, reference: &str) -> bool {
    let policy = session.policies.in_force.and_then(|digest| session.policies.known.get(&digest));
    policy.is_some_and(|policy| matches!(rule_for(policy, reference), Match::Open))
}

/// Where a commit's history left that of a branch of the other side.
fn parting(repository: &Repository, side: &Side, branch: &str, tip: &Oid) -> Result<Option<Oid>, AppError> {
    let Some(held) = side.held(repository, branch)? else { return Ok(None) };
    let (Some(held), Some(tip)) = (repository.peel_to_commit(&held)?, repository.peel_to_commit(tip)?) else {
        return Ok(None);
    };
    Ok(repository.merge_bases(&held, &tip).map_err(GitError::from)?.first().copied())
}

/// Who fetches alone has to be told what: a job's checkout has no refspec for receipts.
fn by_hand(error: AppError, remote: Option<&str>, options: &CiOptions) -> AppError {
    match (&error, remote) {
        (AppError::Gather(GatherError::NoTrust(_)), Some(remote)) if options.no_fetch => AppError::Told {
            failure: Failure::Undecided,
            hint: Some(fetch::command(remote)),
            text: format!("trust and receipts are not fetched: {error}"),
        },
        (
            AppError::Gather(GatherError::Store(StoreError::Chain { defect, .. }))
            | AppError::Store(StoreError::Chain { defect, .. }),
            _,
        ) => match what_was_named(defect, options) {
            Some(hint) => AppError::Told { failure: error.failure(), hint: Some(hint), text: error.to_string() },
            None => error,
        },
        _ => error,
    }
}

/// A job fetched what there is: what it was given, or what the remote has, is to be looked at.
fn what_was_named(defect: &ChainDefect, options: &CiOptions) -> Option<String> {
    match defect {
        ChainDefect::Trust(TrustError::OtherRoot { .. }) => Some(
            "compare what --trust-root was given with the digest that git boundary trust show prints in an owner's clone".to_owned(),
        ),
        ChainDefect::TooOld { found, .. } if !options.no_fetch => Some(format!(
            "the remote has no newer version: an owner sends it with git boundary sync; or the job is given --min-trust-version {found}"
        )),
        _ => None,
    }
}

fn advise(context: &Context, mut verified: Verified, remote: Option<&str>, options: &CiOptions) -> Verified {
    if verified.outcome == Outcome::Undecided && options.no_fetch && verified.next.as_deref() == Some("git fetch") {
        verified.next = remote.map(fetch::command).or(verified.next);
    }
    if context.session.min_trust_version.is_none() {
        verified.notices.push(format!(
            "no least trust version is named: an older trust document would be believed until it expires; add --min-trust-version {}",
            verified.trust_version
        ));
    }
    verified
}
