//! `baseline`: an owner adopts history up to a commit as it is.

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::init::adopt;
use super::remote::{self, Published};
use super::subject;
use crate::model::id::Oid;

/// Adopted.
#[derive(Debug, Serialize)]
pub struct Adopted {
    /// The commit.
    pub commit: Oid,
    /// The ref that was named.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Whether it is at the remote.
    pub published: Published,
}

/// Adopts a revision, `HEAD` unless named, as what stood at a ref.
///
/// # Errors
/// When it is none, or no owner signs.
pub fn baseline(context: &Context, rev: Option<&str>, named: Option<&str>) -> Result<Adopted, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let commit = subject::commit(&repository, rev)?;
    let reference = match named {
        Some(named) => subject::full_ref(named),
        None => repository.full_ref_name(rev.unwrap_or("HEAD"))?.unwrap_or_else(|| commit.to_string()),
    };
    let owner = context.good_owner(&session, "adopt history")?;
    adopt(&session, &*owner, &[(reference.clone(), commit)])?;
    let registrar = session.local.registrar_id()?.expect("recording made a registrar");
    let published = remote::publish(context, &repository, &remote::own_refs(&repository, &registrar))?;
    Ok(Adopted { commit, reference, published })
}
