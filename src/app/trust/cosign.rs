//! Cosigning: another root signs the version that waits.

use std::collections::BTreeSet;

use serde::Serialize;

use super::commit::{Committed, label_of, put, waiting};
use crate::app::context::Context;
use crate::app::error::AppError;
use crate::crypto::pending::{Lacking, Pending, lacking};
use crate::crypto::trust::Trust;
use crate::gather::Session;
use crate::model::count;
use crate::model::digest::Digest;
use crate::model::id::KeyId;
use crate::model::trust::{TrustDocument, TrustedKey};

/// A version that waits for root signatures, and what it would change.
#[derive(Debug, Clone, Serialize)]
pub struct PendingShown {
    /// What names it.
    pub digest: Digest,
    /// The version it would be.
    pub version: u64,
    /// Labels of the roots that signed it.
    pub signed_by: Vec<String>,
    /// Root signatures so far.
    pub found: u64,
    /// How many it takes.
    pub threshold: u64,
    /// What it changes, a line each.
    pub changes: Vec<String>,
}

/// Every version that waits here, own and fetched.
///
/// # Errors
/// When it can't be read.
pub(super) fn shown(session: &Session<'_>) -> Result<Vec<PendingShown>, AppError> {
    waiting(session)?.iter().map(|one| show(&session.trust, one)).collect()
}

fn show(trust: &Trust, one: &Pending) -> Result<PendingShown, AppError> {
    let lacks = lacking(trust, &one.line()).map_err(|defect| {
        AppError::fatal(format!("the version that waits would never verify: {defect}"), "git boundary trust show")
    })?;
    let roots = trust.roots();
    let Lacking { found, threshold } = lacks.unwrap_or(Lacking {
        found: one.signers().intersection(&roots).count() as u64,
        threshold: trust.document().roots.threshold,
    });
    Ok(PendingShown {
        digest: one.digest(),
        version: one.document.version,
        signed_by: one.signers().iter().map(|key| label_of(trust, key)).collect(),
        found,
        threshold,
        changes: changes(trust.document(), &one.document),
    })
}

/// What waits, or of several the one that is named. Nothing is signed.
///
/// # Errors
/// When nothing waits, or several do and none is named.
pub fn look(context: &Context, named: Option<Digest>) -> Result<PendingShown, AppError> {
    let repository = context.repository()?;
    let session = context.open_for_trust(&repository)?;
    show(&session.trust, &choose(&session, named)?)
}

fn choose(session: &Session<'_>, named: Option<Digest>) -> Result<Pending, AppError> {
    let mut found = waiting(session)?;
    if let Some(named) = named {
        found.retain(|one| one.digest() == named);
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(AppError::usage(
            format!("nothing waits for a signature after trust version {}", session.trust.version()),
            "git fetch",
        )),
        _ => {
            let names: Vec<String> = found.iter().map(|one| one.digest().to_string()).collect();
            Err(AppError::usage("several versions wait", format!("name one of {}", names.join(", "))))
        }
    }
}

/// Signs what waits, as a root of the version in force or of the one that waits, and puts it in force once it has all that it takes.
///
/// # Errors
/// When nothing waits, the key is no root, or it signed before.
pub fn cosign(context: &Context, named: Option<Digest>) -> Result<(PendingShown, Committed), AppError> {
    let repository = context.repository()?;
    let session = context.open_for_trust(&repository)?;
    let one = choose(&session, named)?;
    let signer = context.owner(&repository)?;
    let key = signer.public_key();
    let id = crate::crypto::key_id(&key);
    let coming = one.document.roots.keys.contains(&id);
    if !coming && !session.trust.roots().contains(&key) {
        return Err(AppError::usage(
            format!("{} is no root, neither now nor in what waits", label_of(&session.trust, &key)),
            "name a root's key: --key <label>",
        ));
    }
    if one.signers().contains(&key) {
        return Err(AppError::usage(
            format!("{} has signed it already", label_of(&session.trust, &key)),
            "another root signs: git boundary trust cosign --key <root>",
        ));
    }
    let line = one.cosigned(&*signer)?.line();
    let committed = put(context, &session, &line)?;
    Ok((show(&session.trust, &one)?, committed))
}

/// What another version says differently, in lines for people.
fn changes(before: &TrustDocument, after: &TrustDocument) -> Vec<String> {
    let mut lines = Vec::new();
    let name = |document: &TrustDocument, id: &KeyId| {
        document.keys.get(id).map_or_else(|| id.to_string(), |key| format!("{} ({id})", key.label))
    };
    let domain = |document: &TrustDocument, id: &KeyId| {
        let found = document.domains.iter().find(|(_, members)| members.contains(id));
        found.map_or_else(|| "none".to_owned(), |(domain, _)| domain.clone())
    };
    for (id, key) in &after.keys {
        match before.keys.get(id) {
            None => {
                lines.push(format!("adds {} in domain {:?} as {}", name(after, id), domain(after, id), roles(key)));
                let (aliases, revoked_at) = (Vec::new(), None);
                let bare = TrustedKey { aliases, revoked_at, valid_from: None, valid_until: None, ..key.clone() };
                lines.extend(key_changes(&name(after, id), &bare, key));
            }
            Some(old) if old != key => lines.extend(key_changes(&name(after, id), old, key)),
            Some(_) => {}
        }
        if before.keys.contains_key(id) && domain(before, id) != domain(after, id) {
            lines.push(format!("moves {} to domain {:?}", name(after, id), domain(after, id)));
        }
    }
    let of = |document: &TrustDocument| document.roots.keys.iter().copied().collect::<BTreeSet<_>>();
    let (old, new) = (of(before), of(after));
    lines.extend(new.difference(&old).map(|id| format!("makes {} a root", name(after, id))));
    lines.extend(old.difference(&new).map(|id| format!("makes {} a root no more", name(after, id))));
    if before.roots.threshold != after.roots.threshold {
        let takes = count::of(after.roots.threshold, "root signature", "root signatures");
        lines.push(format!("takes {takes} instead of {}", before.roots.threshold));
    }
    if before.expires_at != after.expires_at {
        let told = after.expires_at.map_or_else(|| "never".to_owned(), |at| at.to_string());
        lines.push(format!("expires {told}"));
    }
    for (id, last) in after.ledgers.iter().filter(|(id, last)| before.ledgers.get(*id) != Some(*last)) {
        lines.push(format!("honours the ledger of {} up to {}", name(after, id), entries(last.size)));
    }
    let gone = before.ledgers.iter().filter(|(id, _)| !after.ledgers.contains_key(*id));
    lines.extend(gone.map(|(id, last)| {
        format!("no longer says that the ledger of {} is honoured up to {}", name(after, id), entries(last.size))
    }));
    lines
}

fn entries(size: u64) -> String {
    count::of(size, "entry", "entries")
}

fn key_changes(name: &str, old: &TrustedKey, new: &TrustedKey) -> Vec<String> {
    let mut lines = Vec::new();
    if old.roles != new.roles {
        lines.push(format!("makes {name} {}", roles(new)));
    }
    if old.revoked_at != new.revoked_at {
        let since = new.revoked_at.map_or_else(|| "no more".to_owned(), |at| format!("since {at}"));
        lines.push(format!("{name} is revoked {since}"));
    }
    let bound = |at: Option<crate::model::time::Timestamp>| at.map_or_else(|| "-".to_owned(), |at| at.to_string());
    if (old.valid_from, old.valid_until) != (new.valid_from, new.valid_until) {
        lines.push(format!("{name} is valid from {} until {}", bound(new.valid_from), bound(new.valid_until)));
    }
    if old.label != new.label {
        lines.push(format!("calls {name} {:?} instead of {:?}", new.label, old.label));
    }
    if old.aliases != new.aliases {
        lines.push(format!("{name} is also {}", new.aliases.join(", ")));
    }
    lines
}

fn roles(key: &TrustedKey) -> String {
    key.roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ")
}
