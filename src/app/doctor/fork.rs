//! A registrar key that was used in two places: retired where its ledgers parted, its lines entered again under a new key.

use super::{Diagnosis, Health};
use crate::app::context::Context;
use crate::app::error::AppError;
use crate::app::remote::{self, Published};
use crate::crypto::{key_id, to_openssh};
use crate::gather::Session;
use crate::git::Repository;
use crate::ledger::{Origin, TreeHead};
use crate::model::count;
use crate::model::digest::Digest;
use crate::model::id::KeyId;
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::typed::is_plain;
use crate::store::fork::{self, Forked};
use crate::store::unite::Own;
use crate::store::{Registrar, append, layout};

/// Retires the own key if its ledger forked, and enters again what no ledger holds that goes on.
///
/// # Errors
/// When nothing can be written. It can be run again then: what was done already is not done twice.
pub(super) fn mend(context: &Context, repository: &Repository, diagnosis: &mut Diagnosis) -> Result<(), AppError> {
    // What can't be opened is told by everything that looks.
    let Ok(session) = context.open_for_trust(repository) else { return Ok(()) };
    let local = &session.local;
    let Some(registrar) = local.registrar_id()? else { return Ok(()) };
    let mut parted: Vec<(KeyId, PublicKey, Forked)> = Vec::new();
    let key = local.registrar()?.public_key();
    let own_forked = forked(&session, registrar, key)?;
    parted.extend(own_forked.clone().map(|forked| (registrar, key, forked)));
    for (id, key) in local.retired()? {
        parted.extend(forked(&session, id, key)?.map(|forked| (id, key, forked)));
    }
    if parted.is_empty() {
        return Ok(());
    }
    let signer = if own_forked.is_some() { local.next_registrar()? } else { local.registrar()? };
    let next = Registrar { repository: session.trust.repository(), signer: &*signer };
    let new = key_id(&signer.public_key());
    for (id, key, forked) in &parted {
        let batch = fork::lines_after(repository, own(&session, *id, *key), forked)?;
        append::open(repository, &next, context.now)?;
        let written = append(repository, &next, context.now, "entered again", |tip| {
            fork::not_in(repository, tip, &batch).map_err(AppError::from)
        })?;
        if written.is_empty() && own_forked.is_none() {
            continue;
        }
        diagnosis.repaired.push(format!(
            "{id} is retired at {}, where its ledgers parted; entered again under {new}: {}",
            forked.shared,
            count::of(written.len(), "line", "lines")
        ));
    }
    if own_forked.is_some() {
        local.retire_registrar(&key)?;
        diagnosis.repaired.push(
            "work that was proposed under it is proposed anew before it is pushed: git boundary propose --key <key>"
                .to_owned(),
        );
    }
    if let Published::Failed { command, message, .. } =
        remote::publish(context, repository, &[layout::registrar_ref(&new)])?
    {
        diagnosis.add("published", Health::Warning, message, Some(command));
    }
    Ok(())
}

/// Looks at the own ledger, and whether retired ones are still listed.
///
/// # Errors
/// When the local state can't be read.
pub(super) fn look(session: &Session<'_>, diagnosis: &mut Diagnosis) -> Result<(), AppError> {
    if let Some(id) = session.local.registrar_id()?
        && let Some(found) = forked(session, id, session.local.registrar()?.public_key())?
    {
        let heads: Vec<String> = found.heads.iter().map(|(name, _, head)| format!("{head} in {name}")).collect();
        let text = format!(
            "{id} was used in two places and its ledger forked: {}; the last that they share has {}",
            heads.join(", "),
            found.shared
        );
        diagnosis.add("registrar", Health::Bad, text, Some("git boundary doctor --repair".to_owned()));
    }
    for (id, key) in session.local.retired()? {
        let listed = session
            .trust
            .party(&key)
            .is_some_and(|party| party.roles.contains(&Role::Registrar) && party.revoked_at.is_none());
        let Some(found) = forked(session, id, key)?.filter(|_| listed) else { continue };
        let text = format!("{id} was retired at {}, and is still listed", found.shared);
        diagnosis.add("registrar", Health::Warning, text, Some(revocation(&id, found.shared)));
    }
    Ok(())
}

/// The domain of a retired key of this clone, where its successor belongs.
pub(super) fn former_domain(session: &Session<'_>) -> Option<String> {
    let retired = session.local.retired().ok()?;
    let domain = retired.iter().find_map(|(_, key)| session.trust.party(key))?.domain.clone();
    is_plain(&domain).then_some(domain)
}

/// The owner's command that adds this clone's registrar.
pub(super) fn addition(key: &PublicKey, domain: &str) -> String {
    let key = to_openssh(key, "");
    format!("git boundary trust add '{}' --role registrar --domain {domain} --key <owner>", key.trim_end())
}

fn revocation(id: &KeyId, last: TreeHead) -> String {
    format!("git boundary trust revoke {id} --last-checkpoint {}:{} --key <owner>", last.size, Digest(last.root))
}

fn own(session: &Session<'_>, registrar: KeyId, key: PublicKey) -> Own {
    Own { key, origin: Origin { repository: session.trust.repository(), registrar } }
}

fn forked(session: &Session<'_>, registrar: KeyId, key: PublicKey) -> Result<Option<Forked>, AppError> {
    Ok(fork::find(session.repository, own(session, registrar, key), &session.refs)?)
}
