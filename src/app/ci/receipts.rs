//! RECEIPTS: a pipeline as the registrar that saw an update at the remote and mints its work receipts.
//!
//! Every run has a new clone, and the key comes from a file: what is written goes on from what was fetched of the key's own ledger, and
//! counts only once the remote took it. Of two runs at once the second begins anew from what the first one left there.

use serde::Serialize;

use super::event::{Event, What};
use super::{Asked, CiOptions, fetch, find};
use crate::app::context::Context;
use crate::app::error::{AppError, Failure};
use crate::app::judge::judge_update;
use crate::app::mint::{self, MintedReceipt};
use crate::crypto::trust::Standing;
use crate::crypto::{Signer, key_id, to_openssh};
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::git::{GitError, Prompt, PushOptions, PushStatus, Repository, retry};
use crate::model::decision::ObservedUpdate;
use crate::model::id::{ArtifactId, KeyId};
use crate::model::party::Role;
use crate::store::append::{self, Batch};
use crate::store::{Registrar, layout};

/// So often the remote may have been written to in between.
const MOST_RACES: u32 = 20;

/// The work receipts of one run.
#[derive(Debug, Default, Serialize)]
pub struct Receipts {
    /// The receipts, those that were there already included.
    pub receipts: Vec<MintedReceipt>,
    /// Proposals that speak for an equal change: their own commit did not land, so that they get none.
    pub elsewhere: Vec<ArtifactId>,
    /// Whose they are.
    pub registrar: Option<KeyId>,
    /// Why there are none.
    pub remark: Option<String>,
}

impl Receipts {
    pub(super) fn none(why: impl Into<String>) -> Self {
        Receipts { remark: Some(why.into()), ..Receipts::default() }
    }
}

/// Mints and publishes what is not there yet.
///
/// # Errors
/// Without the key of a listed registrar, or when the remote doesn't take them: then nothing was recorded anywhere.
pub(super) fn mint(
    context: &Context,
    event: &Event,
    remote: Option<&str>,
    asked: &Asked,
    options: &CiOptions,
) -> Result<Receipts, AppError> {
    let (Some(old), What::Push) = (event.old, event.what) else {
        return Ok(Receipts::none("no ref was moved, so that there is nothing to receipt"));
    };
    let Some(remote) = remote else {
        return Ok(Receipts::none("this clone has no remote, so that no update was observed"));
    };
    let observed = ObservedUpdate { new: event.new, old, reference: event.reference.clone() };
    let mut races = 0;
    retry("the registrar's ref at the remote", || {
        races += 1;
        let last = races > MOST_RACES;
        attempt(context, (&observed, remote), asked, options, last)
    })
}

/// One attempt; `None` where somebody else wrote to the ref meanwhile.
fn attempt(
    context: &Context,
    (observed, remote): (&ObservedUpdate, &str),
    asked: &Asked,
    options: &CiOptions,
    last: bool,
) -> Result<Option<Receipts>, AppError> {
    let repository = context.repository()?;
    if !options.no_fetch {
        fetch::receipts(&repository, remote)?;
    }
    if let Some(remark) = not_there(&repository, remote, observed)? {
        return Ok(Some(Receipts::none(remark)));
    }
    let session = context.open(&repository)?;
    let signer = registrar(&session)?;
    let noted = Noted::default();
    let request = find(&session, asked, options)?.target.request(&session);
    let judged = judge_update(&session, &noted, request)?;
    let minted = mint::mint(&session, &noted, &*signer, &judged, observed)?;
    let id = key_id(&signer.public_key());
    let remark = minted.receipts.is_empty().then(|| "no proposal's own commit landed by this update".to_owned());
    let answer = Receipts { receipts: minted.receipts, elsewhere: minted.elsewhere, registrar: Some(id), remark };
    let registrar = Registrar { repository: session.trust.repository(), signer: &*signer };
    let batch = Batch::from(minted.writing);
    let Some(offer) = append::offer(&repository, &registrar, session.now, "work receipts", &batch)? else {
        return Ok(Some(answer));
    };
    let reference = layout::registrar_ref(&id);
    let pushed = repository
        .push(
            remote,
            &[format!("{}:{reference}", offer.commit)],
            &PushOptions { no_verify: true, prompt: Prompt::Never, ..PushOptions::default() },
        )
        .map_err(|error| untaken(remote, &error.to_string()))?;
    let status = pushed.refs.into_iter().find(|one| one.name == reference).map(|one| one.status);
    match status {
        Some(PushStatus::Done | PushStatus::UpToDate) => {
            append::settle(&repository, &offer, remote, session.now)?;
            Ok(Some(answer))
        }
        Some(PushStatus::Behind | PushStatus::Stale | PushStatus::Raced) if !last && !options.no_fetch => Ok(None),
        Some(PushStatus::Refused(why)) => Err(untaken(remote, &why)),
        _ => Err(untaken(remote, &format!("{reference} holds there what is not here"))),
    }
}

fn untaken(remote: &str, why: &str) -> AppError {
    AppError::Told {
        failure: Failure::Fatal,
        hint: Some("let the job push refs/notes/boundary/*, and run it again".to_owned()),
        text: format!("the work receipts are not recorded, since {remote} did not take them: {why}"),
    }
}

/// Why an update is not what the remote shows.
fn not_there(repository: &Repository, remote: &str, observed: &ObservedUpdate) -> Result<Option<String>, AppError> {
    let reference = &observed.reference;
    let seen = repository.ls_remote(remote, &[reference], Prompt::Never).map_err(GitError::from)?;
    let value = seen.refs.iter().find(|(name, _)| name == reference).map(|(_, oid)| *oid);
    let Some(value) = value else {
        let gone = format!("{reference} is not at {remote} by now: what is not there is not receipted");
        return Ok((!observed.new.is_zero()).then_some(gone));
    };
    if value == observed.new {
        return Ok(None);
    }
    fetch::objects(repository, remote, &[value]);
    let commits = (repository.peel_to_commit(&observed.new), repository.peel_to_commit(&value));
    if let (Ok(Some(new)), Ok(Some(now))) = commits
        && repository.is_ancestor(&new, &now).unwrap_or(false)
    {
        return Ok(None);
    }
    Ok(Some(format!("{reference} is at {} by now: what is not there is not receipted", value.short())))
}

/// The registrar's key, whose word counts only where it is listed.
fn registrar(session: &Session<'_>) -> Result<Box<dyn Signer>, AppError> {
    if !session.local.has_registrar() {
        return Err(AppError::usage(
            "--receipt needs the key of the pipeline's registrar, and none is named",
            "git boundary verify --ci --receipt --key <file>, or: git config boundary.registrarKey <file>",
        ));
    }
    let signer = session.local.registrar()?;
    let public = signer.public_key();
    if session.trust.standing(&public, Role::Registrar, session.now) == Standing::Good {
        return Ok(signer);
    }
    Err(AppError::fatal(
        format!("{} is not listed as registrar, so that nobody would go by its work receipts", key_id(&public)),
        format!(
            "git boundary trust add '{}' --label ci --role registrar --domain ci --key <owner>",
            to_openssh(&public, "")
        ),
    ))
}
