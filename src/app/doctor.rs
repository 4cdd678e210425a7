//! `doctor`: what is amiss in this clone, and what mends it. Hooks are looked at by the room that installs them.

mod fork;
mod histories;
mod life;

use std::collections::BTreeSet;

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::refspecs::{overwriting, refspecs, refspecs_of, unsound};
use super::{publication, remote};
use crate::gather::notes::Noted;
use crate::gather::session::pin;
use crate::gather::{GatherError, Session};
use crate::git::{NotesTree, Prompt, Repository};
use crate::ledger::Stored;
use crate::model::count;
use crate::model::id::Oid;
use crate::model::party::Role;
use crate::model::typed::{typed, typed_remote};
use crate::store::{LocalState, layout};

/// How a thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// As it should be.
    Good,
    /// It works, with less protection or later.
    Warning,
    /// It does not work.
    Bad,
}

/// One thing looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Symptom {
    /// What mends it.
    pub command: Option<String>,
    /// Whether it is no fault, and mending it is somebody's choice.
    pub optional: bool,
    /// How it stands.
    pub health: Health,
    /// What was seen.
    pub text: String,
    /// What was looked at.
    pub what: &'static str,
}

/// Everything looked at.
#[derive(Debug, Serialize)]
pub struct Diagnosis {
    /// In order.
    pub symptoms: Vec<Symptom>,
    /// What `--repair` did.
    pub repaired: Vec<String>,
}

impl Diagnosis {
    /// Whether nothing is bad.
    pub fn is_well(&self) -> bool {
        self.symptoms.iter().all(|one| one.health != Health::Bad)
    }

    /// Adds what another room saw.
    pub fn add(&mut self, what: &'static str, health: Health, text: impl Into<String>, command: Option<String>) {
        self.symptoms.push(Symptom { command, health, optional: false, text: text.into(), what });
    }
}

/// Looks at everything; with `repair` mends what can be mended without losing a line.
///
/// # Errors
/// When there is no repository.
pub fn doctor(context: &Context, repair: bool) -> Result<Diagnosis, AppError> {
    let repository = context.repository()?;
    let mut diagnosis = Diagnosis { symptoms: Vec::new(), repaired: Vec::new() };
    if repair {
        mend(context, &repository, &mut diagnosis)?;
    }
    let repository = context.repository()?;
    blocking(&repository, &mut diagnosis)?;
    if !pinned(context, &repository, &mut diagnosis) {
        return Ok(diagnosis);
    }
    match context.open(&repository) {
        Ok(session) => {
            trust(&session, &mut diagnosis);
            policy(context, &session, &mut diagnosis);
            registrar(&session, &mut diagnosis)?;
            fork::look(&session, &mut diagnosis)?;
            ledgers(&session, &mut diagnosis);
            notes(&session, &mut diagnosis)?;
            published(&session, &mut diagnosis)?;
        }
        Err(error) => {
            let hint = histories::two(&repository, &error)?.or_else(|| error.hint());
            // What is printed here is typed as it stands: a hint that is a sentence is none of these.
            let command = hint.filter(|hint| hint.starts_with("git ") && hint != "git boundary doctor");
            diagnosis.add("trust", Health::Bad, error.to_string(), command);
        }
    }
    fetching(&repository, &mut diagnosis);
    shallow(&repository, &mut diagnosis);
    Ok(diagnosis)
}

fn mend(context: &Context, repository: &Repository, diagnosis: &mut Diagnosis) -> Result<(), AppError> {
    let before: Vec<String> = unsound(repository);
    refspecs(repository)?;
    if !before.is_empty() {
        diagnosis.repaired.push(format!("fetch refspecs set for {}", before.join(", ")));
    }
    fork::mend(context, repository, diagnosis)?;
    let local = LocalState::of(repository);
    if local.forget_lines() | local.forget_notes() {
        diagnosis.repaired.push("remembered lines dropped; the next command verifies them anew".to_owned());
    }
    // An index that reads well needs no mending.
    let reads = context
        .open(repository)
        .is_ok_and(|session| session.shelves.broken.is_empty() && session.shelves.annotated().is_ok());
    if !reads && LocalState::of(repository).drop_cache()? {
        diagnosis.repaired.push("cached ledger index removed; the next command reads the ledgers anew".to_owned());
    }
    Ok(())
}

fn blocking(repository: &Repository, diagnosis: &mut Diagnosis) -> Result<(), AppError> {
    if repository.find_ref(layout::BLOCKING_NOTES)?.is_some() {
        let rename =
            format!("git update-ref refs/notes/boundary-old {0} && git update-ref -d {0}", layout::BLOCKING_NOTES);
        diagnosis.add("notes", Health::Bad, "refs/notes/boundary blocks every registrar's ref", Some(rename));
    }
    if let Some(merge) = repository.unfinished_notes_merge()? {
        diagnosis.add(
            "notes",
            Health::Warning,
            format!("a notes merge was begun and not finished: {merge:?}"),
            Some("git notes merge --abort".to_owned()),
        );
    }
    Ok(())
}

fn pinned(context: &Context, repository: &Repository, diagnosis: &mut Diagnosis) -> bool {
    match pin(repository, &context.session) {
        Ok((root, source)) => {
            diagnosis.add("pin", Health::Good, format!("{root}, from {}", source.name()), None);
            true
        }
        Err(error @ GatherError::NotPinned) => {
            diagnosis.add("pin", Health::Bad, error.to_string(), Some("git boundary init".to_owned()));
            false
        }
        Err(error) => {
            diagnosis.add("pin", Health::Bad, error.to_string(), AppError::from(error).hint());
            false
        }
    }
}

fn trust(session: &Session<'_>, diagnosis: &mut Diagnosis) {
    let trust = &session.trust;
    let text = format!("version {} of {}", trust.version(), trust.repository());
    match trust.expired_at(session.now) {
        Some(moment) => {
            diagnosis.add("trust", Health::Bad, format!("{text} expired at {moment}"), Some("git fetch".to_owned()))
        }
        None => diagnosis.add("trust", Health::Good, text, None),
    }
    for one in super::trust::waiting_shown(session) {
        let text = format!("version {} waits with {} of {} root signatures", one.version, one.found, one.threshold);
        diagnosis.add("trust", Health::Warning, text, Some("git boundary trust cosign --key <root>".to_owned()));
    }
}

fn policy(context: &Context, session: &Session<'_>, diagnosis: &mut Diagnosis) {
    let sign = || Some("git boundary policy sign --key <owner>".to_owned());
    match session.policies.in_force {
        Some(digest) => diagnosis.add("policy", Health::Good, digest.to_string(), None),
        None => {
            let why = session.policies.defect.clone().unwrap_or_else(|| "none was ever signed".to_owned());
            diagnosis.add("policy", Health::Bad, why, sign());
        }
    }
    if let Ok(compiled) = super::policy::compile(context, &super::policy::Written::Here)
        && !compiled.in_force
    {
        diagnosis.add("policy", Health::Warning, "boundary.toml says something else than the policy in force", sign());
    }
}

fn registrar(session: &Session<'_>, diagnosis: &mut Diagnosis) -> Result<(), AppError> {
    let Some(id) = session.local.registrar_id()? else {
        diagnosis.add("registrar", Health::Warning, "this clone has none yet", Some("git boundary init".to_owned()));
        return Ok(());
    };
    let key = session.local.registrar()?.public_key();
    match session.trust.party_of(&id) {
        Some(party) if party.revoked_at.is_some() => {
            diagnosis.add("registrar", Health::Bad, format!("{id} is revoked"), None);
        }
        Some(party) if !party.roles.contains(&Role::Registrar) => {
            let text =
                format!("{} ({id}) is a key for other things, and counts for nothing as a registrar", party.label);
            diagnosis.add("registrar", Health::Bad, text, None);
        }
        Some(party) if session.repository.find_ref(&layout::registrar_ref(&id))?.is_none() => diagnosis.add(
            "registrar",
            Health::Warning,
            format!("{} ({id}) is listed and has no ledger yet, so that other clones wait for it", party.label),
            Some("git boundary init".to_owned()),
        ),
        Some(party) => diagnosis.add("registrar", Health::Good, format!("{} ({id})", party.label), None),
        None => diagnosis.symptoms.push(Symptom {
            // The key itself, which an owner's clone can read even if it has nothing else of this one.
            command: Some(fork::addition(&key, fork::former_domain(session).as_deref().unwrap_or("<domain>"))),
            health: Health::Warning,
            optional: true,
            text: format!("{id} is not listed, so that its own word has strength self"),
            what: "registrar",
        }),
    }
    Ok(())
}

/// Every hash of every ledger, from the tiles up.
fn ledgers(session: &Session<'_>, diagnosis: &mut Diagnosis) {
    for broken in &session.shelves.broken {
        let (health, rests) = match broken.listed {
            true => (Health::Bad, ""),
            false => (Health::Warning, "; it is set aside, and nothing here rests on it"),
        };
        let command = broken.fetch.map(str::to_owned);
        diagnosis.add("ledger", health, format!("{}: {}{rests}", broken.reference, broken.text), command);
    }
    for shelf in &session.shelves.open {
        let Some((_, tip)) = session.refs.iter().find(|(name, _)| *name == shelf.reference) else { continue };
        let checked =
            NotesTree::load(session.repository, Some(tip)).map_err(|error| error.to_string()).and_then(|notes| {
                let notes = std::cell::RefCell::new(notes);
                let source = |path: &str| notes.borrow_mut().file(&format!("{}{path}", layout::LEDGER));
                let mut stored = Stored::new(&source, shelf.head).map_err(|defect| defect.to_string())?;
                stored.check_root().map_err(|error| error.to_string())
            });
        match checked {
            Ok(()) => diagnosis.add(
                "ledger",
                Health::Good,
                format!("{}: {}", shelf.reference, count::of(shelf.head.size, "entry", "entries")),
                None,
            ),
            Err(defect) => diagnosis.add("ledger", Health::Bad, format!("{}: {defect}", shelf.reference), None),
        }
    }
}

fn notes(session: &Session<'_>, diagnosis: &mut Diagnosis) -> Result<(), AppError> {
    let noted = Noted::default();
    let annotated: BTreeSet<Oid> = session.shelves.annotated()?.into_iter().collect();
    for oid in &annotated {
        noted.read(session, oid)?;
    }
    for gap in noted.gaps(&annotated) {
        diagnosis.add("notes", Health::Bad, gap.text, Some("git fetch".to_owned()));
    }
    let bad = noted.bad_lines(&annotated);
    if let Some(first) = bad.first() {
        let text = format!(
            "set aside, since they authorise nothing: {}; the first, on {}: {}",
            count::of(bad.len(), "line", "lines"),
            first.note.short(),
            first.text
        );
        diagnosis.add("notes", Health::Warning, text, Some(format!("git boundary show {}", first.note.short())));
    } else {
        let artifacts = count::of(noted.artifacts().len(), "artifact", "artifacts");
        let objects = count::of(annotated.len(), "commit", "commits");
        diagnosis.add("notes", Health::Good, format!("{artifacts} on {objects}"), None);
    }
    life::look(session, &noted, diagnosis)
}

/// Whether what this clone wrote is at the remote, as far as it was seen.
fn published(session: &Session<'_>, diagnosis: &mut Diagnosis) -> Result<(), AppError> {
    let Some(remote) = remote::default_remote(session.repository)? else { return Ok(()) };
    if let Some(other) = publication::other_root(session, &remote) {
        diagnosis.add(
            "published",
            Health::Bad,
            format!(
                "the trust document at {remote} begins with {other}, which is not the pinned {}",
                session.trust.root()
            ),
            Some(format!("git remote get-url {}", typed_remote(&remote))),
        );
    }
    let missing = publication::unpublished(session, &remote)?;
    if !missing.is_empty() {
        diagnosis.add(
            "published",
            Health::Warning,
            format!("{remote} was not yet seen to have all of {}", missing.join(", ")),
            Some(publication::command(&remote)),
        );
    }
    Ok(())
}

fn shallow(repository: &Repository, diagnosis: &mut Diagnosis) {
    if repository.is_shallow() {
        let text = "this clone is shallow: what lies behind the cut can't be judged, nor work be pinned to it";
        diagnosis.add("history", Health::Warning, text, Some("git fetch --unshallow".to_owned()));
    }
}

fn fetching(repository: &Repository, diagnosis: &mut Diagnosis) {
    let mut warnings: Vec<(String, String)> = Vec::new();
    let mut bad = |text: String| {
        diagnosis.add("fetch", Health::Bad, text, Some("git boundary doctor --repair".to_owned()));
    };
    for remote in unsound(repository) {
        let former = layout::former_refspec(&remote);
        if !refspecs_of(repository, &remote).contains(&former) {
            bad(format!("a fetch from {remote} brings no receipts"));
            continue;
        }
        // Only here is the remote asked: what is there can't be seen from a clone that can't fetch it.
        let there = repository.ls_remote(&remote, &layout::CLASHING, Prompt::Never);
        let names: Vec<String> =
            there.map(|there| there.refs.into_iter().map(|(name, _)| name).collect()).unwrap_or_default();
        bad(match names.as_slice() {
            [] => {
                format!("a fetch from {remote} by {former} stops as soon as somebody makes a refs/boundary/notes there")
            }
            names => format!("a fetch from {remote} by {former} stops at {} there", names.join(", ")),
        });
    }
    for remote in repository.remotes() {
        for spec in overwriting(repository, &remote) {
            let text = format!("a fetch from {remote} by {spec} could overwrite receipts that are only here");
            let key = format!("remote.{remote}.fetch");
            let (key, named) = (typed(&key, "<key>"), typed(&spec, "<refspec>"));
            let command = format!("git config --fixed-value --unset-all {key} {named}");
            warnings.push((text, command));
        }
        let name = layout::blocking_tracking(&remote);
        if repository.find_ref(&name).is_ok_and(|found| found.is_some()) {
            bad(format!("{name} blocks every {name}/<registrar>"));
        }
    }
    for (text, command) in warnings {
        diagnosis.add("fetch", Health::Warning, text, Some(command));
    }
}
