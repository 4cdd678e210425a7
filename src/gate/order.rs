//! Which of two artifacts was recorded later. Wherever it is asked, "later" lifts something that stands, so that doubt is "no".

use super::facts::{LedgerEntry, Recorded};
use crate::model::digest::Digest;
use crate::model::id::KeyId;
use crate::model::time::Timestamp;

/// By this artifacts are listed for people: as ledgers took them in, and the same each time. Nothing is decided by it.
pub fn shown(recorded: &Recorded) -> (Option<(Timestamp, KeyId, u64)>, Digest) {
    let entries = recorded.entries.iter().map(|entry| (entry.at, entry.registrar, entry.index));
    (entries.min(), recorded.artifact.digest())
}

/// By position where one ledger holds both, else by time; a tie is not later.
pub fn is_after(one: &LedgerEntry, other: &LedgerEntry) -> bool {
    if one.registrar == other.registrar { one.index > other.index } else { one.at > other.at }
}

/// Whether `one` was surely recorded after `other`.
///
/// What listed registrars say goes before what anybody else does: a ledger kept for the purpose can hold copies in any order, with any
/// times. Where nobody listed holds `other`, its last entry counts, since an earlier one may be such a copy.
pub fn is_later(one: &Recorded, other: &Recorded) -> bool {
    at_the_earliest(one).zip(at_the_latest(other)).is_some_and(|(one, other)| is_after(one, other))
}

/// The first entry of a listed registrar, else the first there is.
pub fn at_the_earliest(recorded: &Recorded) -> Option<&LedgerEntry> {
    listed(recorded).or_else(|| recorded.entries.iter().min_by_key(|entry| (entry.at, entry.index)))
}

/// The first entry of a listed registrar, else the last there is.
pub fn at_the_latest(recorded: &Recorded) -> Option<&LedgerEntry> {
    listed(recorded).or_else(|| recorded.entries.iter().max_by_key(|entry| (entry.at, entry.index)))
}

fn listed(recorded: &Recorded) -> Option<&LedgerEntry> {
    recorded.entries.iter().filter(|entry| entry.listed).min_by_key(|entry| (entry.at, entry.index))
}
