//! WRITE: a wish to write one file of a worktree, from its proposal to its work receipt: the envelope, approval, outbox and ledger of a
//! push, with another hand that acts (issue "the gateway", point 5; contract, sections 7 to 9). Who looks at session and worktree, and
//! who writes, is the gateway; here it is proposed, decided, claimed, settled and told.

mod ask;
mod carry;
mod content;
mod recognised;
mod told;

pub use self::ask::{Asked, Wish, ask, is_known};
pub use self::carry::{Claim, Turn, alone_here, begin, lapse, settle};
pub use self::content::{Waiting, forget, waiting};
pub use self::recognised::{Written, WrittenFile, recognised};
pub use self::told::{LedgerRoot, State, Status, ledger_root, open, status, unended};
pub use crate::gate::write::Standing;

use super::error::AppError;
use super::judge::{Judged, as_pushed};
use crate::gate::judge::judge_write;
use crate::gather::notes::Noted;
use crate::gather::write::facts_for_write;
use crate::gather::{Session, UpdateRequest};
use crate::model::digest::Digest;
use crate::model::envelope::Action;

/// Gathers and judges one wish, by itself. `standing` is what was seen of session and worktree, where they are here.
///
/// # Errors
/// When facts can't be gathered at all.
pub(super) fn judge(
    session: &Session<'_>,
    noted: &Noted,
    (wish, action): (Digest, &Action),
    standing: Option<Standing>,
) -> Result<Judged, AppError> {
    let request = UpdateRequest { exact: true, ..as_pushed(session, action)? };
    let facts = facts_for_write(session, noted, &request, wish, standing)?;
    let verdict = judge_write(&facts, &wish);
    Ok(Judged { request, facts, verdict })
}
