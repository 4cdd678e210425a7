//! `checkpoint`: the signed heads of ledgers, and what witnesses say of them.

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::record::publish;
use super::records::label_of;
use super::remote::Published;
use crate::crypto::Signer;
use crate::gather::Session;
use crate::ledger::cosignature::witness_name;
use crate::ledger::{Cosigner, SignedCheckpoint};
use crate::model::id::KeyId;
use crate::model::party::Role;
use crate::model::time::Timestamp;
use crate::store::append::Batch;
use crate::store::{Registrar, Shelf, StoreError, append, layout, shelf};

/// One ledger's head.
#[derive(Debug, Clone, Serialize)]
pub struct CheckpointShown {
    /// Whose ledger.
    pub registrar: KeyId,
    /// Its label.
    pub label: String,
    /// Whether the registrar is listed.
    pub listed: bool,
    /// Entries.
    pub size: u64,
    /// The signed note.
    pub note: String,
    /// Who cosigned which heads of it.
    pub cosigned: Vec<CosignedShown>,
}

/// A cosignature that counts.
#[derive(Debug, Clone, Serialize)]
pub struct CosignedShown {
    /// The witness's label.
    pub witness: String,
    /// The witness's domain.
    pub domain: String,
    /// Entries under the head that it cosigned.
    pub size: u64,
    /// When, by its clock.
    pub at: Timestamp,
}

/// What a witness did.
#[derive(Debug, Serialize)]
pub struct Witnessed {
    /// The heads that it cosigned now.
    pub cosigned: Vec<CheckpointShown>,
    /// Ledgers that it did not cosign, each with the reason.
    pub passed_over: Vec<(String, String)>,
    /// Whether it is at the remote.
    pub published: Published,
}

/// The heads of the ledgers that are here; of one registrar with `of`.
///
/// # Errors
/// When the registrar is not known, or nothing can be read.
pub fn show(context: &Context, of: Option<&str>) -> Result<Vec<CheckpointShown>, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let of = of.map(|spec| named(context, &session, spec)).transpose()?;
    let wanted = session.shelves.open.iter().filter(|shelf| of.is_none_or(|id| shelf.registrar == id));
    let found: Vec<CheckpointShown> = wanted.map(|shelf| shown(&session, shelf)).collect::<Result<_, _>>()?;
    match (found.is_empty(), of) {
        (true, Some(id)) => Err(AppError::usage(format!("nothing is here of the ledger of {id}"), "git fetch")),
        _ => Ok(found),
    }
}

/// This clone's own head, signed as it stands: what is given to a witness that reads no refs.
///
/// # Errors
/// When this clone has no ledger yet.
pub fn sign(context: &Context) -> Result<CheckpointShown, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let signer = session.local.registrar_or_new()?;
    let registrar = Registrar { repository: session.trust.repository(), signer: &*signer };
    append::open(&repository, &registrar, context.now)?;
    let session = context.open(&repository)?;
    let own = session.shelves.open.iter().find(|shelf| shelf.registrar == registrar.id());
    let own = own.ok_or_else(|| AppError::fatal("this clone's own ledger can't be read", "git boundary doctor"))?;
    shown(&session, own)
}

fn named(context: &Context, session: &Session<'_>, spec: &str) -> Result<KeyId, AppError> {
    match spec.parse::<KeyId>() {
        Ok(id) => Ok(id),
        Err(_) => context.party(session, spec),
    }
}

fn shown(session: &Session<'_>, shelf: &Shelf<'_>) -> Result<CheckpointShown, AppError> {
    let cosigned = session.shelves.cosigned(&session.trust, &shelf.registrar);
    Ok(CheckpointShown {
        registrar: shelf.registrar,
        label: label_of(session, &shelf.registrar.to_string()),
        listed: shelf::is_honoured(&session.trust, &shelf.registrar),
        size: shelf.head.size,
        note: String::from_utf8_lossy(&shelf.checkpoint()?).into_owned(),
        cosigned: cosigned
            .iter()
            .map(|one| CosignedShown {
                witness: label_of(session, &one.witness.to_string()),
                domain: one.domain.clone(),
                size: one.size,
                at: one.at,
            })
            .collect(),
    })
}

/// Cosigns, as this clone's registrar, the heads of other registrars' ledgers, or of the one named. Each was found to be signed, whole,
/// and to go on from what this clone saw before: that is what a cosignature says.
///
/// # Errors
/// When this clone's registrar is not listed, so that nobody would count what it says, or nothing can be written.
pub fn cosign(context: &Context, of: Option<&str>) -> Result<Witnessed, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let signer = session.local.registrar_or_new()?;
    let own = signer.public_key();
    let listed = session.trust.party(&own).filter(|party| party.roles.contains(&Role::Registrar));
    let Some(witness) = listed.filter(|party| party.revoked_at.is_none()).cloned() else {
        let key = crate::crypto::to_openssh(&own, "");
        return Err(AppError::usage(
            "this clone's registrar is not listed, so that nobody would count it as a witness",
            format!(
                "git boundary trust add '{}' --role registrar --label witness --domain <domain> --key <owner>",
                key.trim_end()
            ),
        ));
    };
    let of = of.map(|spec| named(context, &session, spec)).transpose()?;
    let cosigner = Cosigner::new(&witness_name(&witness.id), own.0)
        .map_err(|error| AppError::fatal(error.to_string(), "git boundary doctor"))?;
    let mut done = Witnessed { cosigned: Vec::new(), passed_over: Vec::new(), published: Published::Off };
    let mut files = Vec::new();
    for shelf in session.shelves.open.iter().filter(|shelf| of.is_none_or(|id| shelf.registrar == id)) {
        if shelf.registrar == witness.id {
            continue;
        }
        match head_of(&session, shelf, &witness.domain, witness.id) {
            Ok(mut signed) => {
                signed
                    .cosign(&cosigner, context.now, |bytes| signer.sign(bytes))
                    .map_err(|error| AppError::fatal(error.to_string(), "git boundary key list"))?;
                files.push((layout::cosigned(&shelf.registrar, shelf.head.size), signed.to_string().into_bytes()));
                done.cosigned.push(shown(&session, shelf)?);
            }
            Err(reason) => done.passed_over.push((label_of(&session, &shelf.registrar.to_string()), reason)),
        }
    }
    if files.is_empty() {
        return Ok(done);
    }
    write(&session, &*signer, files)?;
    done.published = publish(context)?;
    Ok(done)
}

fn write(session: &Session<'_>, signer: &dyn Signer, files: Vec<(String, Vec<u8>)>) -> Result<(), AppError> {
    let registrar = Registrar { repository: session.trust.repository(), signer };
    let batch = Batch { files, ..Batch::default() };
    append(session.repository, &registrar, session.now, "cosignatures", |_| Ok::<_, StoreError>(batch.clone()))?;
    Ok(())
}

/// The head to be cosigned, or why this witness does not.
fn head_of(session: &Session<'_>, shelf: &Shelf<'_>, domain: &str, witness: KeyId) -> Result<SignedCheckpoint, String> {
    // A listed registrar whose ledger is still empty is listed all the same.
    if !shelf::is_honoured(&session.trust, &shelf.registrar) {
        return Err("it is not listed".to_owned());
    }
    if session.trust.party_of(&shelf.registrar).is_some_and(|party| party.domain == domain) {
        return Err(format!("it is in this witness's own domain {domain:?}"));
    }
    let reference = layout::registrar_ref(&shelf.registrar);
    let own = |name: &str| layout::parse_notes_ref(name).is_some_and(|(id, _)| id == shelf.registrar);
    if let Some(broken) =
        session.shelves.broken.iter().find(|broken| broken.reference == reference || own(&broken.reference))
    {
        return Err(broken.text.clone());
    }
    let before = session.shelves.cosigned(&session.trust, &shelf.registrar);
    if before.iter().any(|one| one.witness == witness && one.size == shelf.head.size) {
        let entries = crate::model::count::of(shelf.head.size, "entry", "entries");
        return Err(format!("its head of {entries} is cosigned already"));
    }
    let bytes = shelf.checkpoint().map_err(|error| error.to_string())?;
    SignedCheckpoint::parse(&bytes).map_err(|error| error.to_string())
}
