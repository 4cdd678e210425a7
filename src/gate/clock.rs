//! Whose clock counts against whom (contract, section 4, "Time").

use crate::crypto::trust::{Party, Standing, Trust};
use crate::model::id::KeyId;
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::time::Timestamp;

use super::facts::{Facts, LedgerEntry, Recorded};

/// A moment, and on whose word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsOf {
    /// The moment.
    pub at: Timestamp,
    /// The registrar whose ledger says so; `None` for the caller's clock.
    pub registrar: Option<KeyId>,
    /// Where in that ledger, which orders what stands there within one second too.
    pub index: Option<u64>,
}

impl AsOf {
    /// The caller's clock.
    pub fn now(now: Timestamp) -> Self {
        AsOf { at: now, registrar: None, index: None }
    }

    /// On the word of a ledger.
    pub fn entry(entry: &LedgerEntry) -> Self {
        AsOf { at: entry.at, registrar: Some(entry.registrar), index: Some(entry.index) }
    }

    /// Whether `entry` was recorded after this moment: by position where the same ledger says both, else by time; a tie is not after.
    /// Nothing that is known comes after now, whatever a clock ahead of this one says.
    pub fn is_before(&self, entry: &LedgerEntry) -> bool {
        match (self.registrar, self.index) {
            (None, _) => false,
            (Some(registrar), Some(index)) if registrar == entry.registrar => index < entry.index,
            _ => self.at < entry.at,
        }
    }
}

/// When an artifact was recorded, as far as that counts for or against `signer`: the earliest entry of a listed registrar in another
/// domain; otherwise now.
pub fn as_of(trust: &Trust, now: Timestamp, recorded: &Recorded, signer: Option<&Party>) -> AsOf {
    let Some(signer) = signer else { return AsOf::now(now) };
    recorded
        .entries
        .iter()
        .filter(|entry| counts_against(trust, entry, &signer.domain))
        .map(AsOf::entry)
        .min_by_key(|as_of| as_of.at)
        .unwrap_or(AsOf::now(now))
}

/// Whether a ledger entry's time may be held against somebody in `domain`.
pub fn counts_against(trust: &Trust, entry: &LedgerEntry, domain: &str) -> bool {
    entry.listed && trust.party_of(&entry.registrar).is_some_and(|registrar| registrar.domain != domain)
}

/// A key's standing in a role when an artifact of its was recorded.
pub fn standing(facts: &Facts, recorded: &Recorded, key: &PublicKey, role: Role) -> (Standing, AsOf) {
    let as_of = as_of(&facts.trust, facts.now, recorded, facts.trust.party(key));
    (facts.trust.standing(key, role, as_of.at), as_of)
}

/// Whether any signer may speak in a role, as of when the artifact was recorded.
pub fn speaks(trust: &Trust, now: Timestamp, recorded: &Recorded, role: Role) -> bool {
    recorded.artifact.signers().iter().any(|key| {
        let as_of = as_of(trust, now, recorded, trust.party(key));
        trust.standing(key, role, as_of.at) == Standing::Good
    })
}
