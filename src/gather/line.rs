//! IDENTITY: what one stored line comes to, on the word of the ledgers that hold it.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::codec::artifact::{Artifact, ClaimedKind};
use crate::crypto::trust::Trust;
use crate::crypto::verified::{BadLine, Memory, Verified, verify_line_of, verify_line_remembering};
use crate::gate::facts::{LedgerEntry, Recorded, Witness};
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::key::PublicKey;
use crate::store::shelves::Place;
use crate::store::{Cosigned, StoredLine};

/// Why a line authorises nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amiss {
    /// Whose place it claims.
    pub claims: Option<ClaimedKind>,
    /// Whether nobody but its writer is at fault: an older trust document or program than theirs would not say this of an honest line.
    pub in_vain: bool,
    /// The defect.
    pub text: String,
    /// Whether it fails for want of a known key rather than for a wrong signature or form.
    pub unknown_key: bool,
}

/// A line's signature and form, without asking where it stands; `None` where it claims to be of a kind that is not wanted.
pub type Looked = Result<Option<Verified<Artifact>>, BadLine>;

/// Looks at a line by itself. What it is follows from its bytes, its registrars' keys and the trust document.
pub fn look(trust: &Trust, stored: &StoredLine, wanted: &dyn Fn(ClaimedKind) -> bool) -> Looked {
    verify_line_of(&stored.line, wanted, &|name| resolve(trust, stored, name))
}

/// The same whatever its kind, for who remembers which lines were good.
pub fn look_remembering(trust: &Trust, stored: &StoredLine, memory: &Memory<'_>) -> Looked {
    verify_line_remembering(&stored.line, &|name| resolve(trust, stored, name), memory).map(Some)
}

/// A registrar that is not listed is still known by the key in its own ref, for what it says there.
fn resolve(trust: &Trust, stored: &StoredLine, name: &str) -> Option<PublicKey> {
    let own = || stored.places.iter().find(|place| place.registrar.to_string() == name);
    trust.resolve(name).or_else(|| own().map(|place| place.registrar_key))
}

/// Verifies a line of the note of `note`; `None` where it claims to be of a kind that is not wanted. `witnesses` says who cosigned a
/// checkpoint that holds an entry.
///
/// # Errors
/// [`Amiss`], for a line that authorises nothing.
pub fn read_line(
    trust: &Trust,
    note: &Oid,
    stored: &StoredLine,
    wanted: &dyn Fn(ClaimedKind) -> bool,
    witnesses: &dyn Fn(&Place) -> Vec<Witness>,
) -> Result<Option<Recorded>, Amiss> {
    weigh(look(trust, stored, wanted), note, stored, witnesses)
}

/// What a line that was looked at comes to in the note of `note`.
///
/// # Errors
/// [`Amiss`], for a line that authorises nothing.
pub fn weigh(
    looked: Looked,
    note: &Oid,
    stored: &StoredLine,
    witnesses: &dyn Fn(&Place) -> Vec<Witness>,
) -> Result<Option<Recorded>, Amiss> {
    let verified = match looked {
        Ok(Some(verified)) => verified,
        Ok(None) => return Ok(None),
        Err(error) => {
            return Err(Amiss {
                claims: error.claims(),
                in_vain: matches!(error, BadLine::Signature { .. }),
                text: error.to_string(),
                unknown_key: matches!(error, BadLine::UnknownKey { .. }),
            });
        }
    };
    let amiss = |text: String| {
        let claims = verified.value().kind().map(ClaimedKind::Own);
        Err(Amiss { claims, in_vain: true, text, unknown_key: false })
    };
    if let Some(other) = verified.value().noted_on().filter(|other| other != note) {
        return amiss(format!("is about {}, not about the commit it is noted on", other.short()));
    }
    let entries: Vec<LedgerEntry> = stored
        .places
        .iter()
        // An entry that names another artifact than the line holds is no entry of that line.
        .filter(|place| place.entry.entry.artifact == verified.digest())
        .map(|place| LedgerEntry {
            at: place.entry.entry.at,
            index: place.entry.index,
            listed: place.listed,
            note: *note,
            registrar: place.registrar,
            witnesses: witnesses(place),
        })
        .collect();
    if entries.is_empty() {
        return amiss("its ledger entry names another artifact".to_owned());
    }
    Ok(Some(Recorded { artifact: verified, entries, note: *note }))
}

/// Adds an artifact to those known: what is found in several lines or notes is one, with all its signatures and entries.
pub fn keep(artifacts: &mut BTreeMap<Digest, Rc<Recorded>>, recorded: Recorded) {
    match artifacts.get_mut(&recorded.artifact.digest()) {
        Some(known) => {
            let known = Rc::make_mut(known);
            known.artifact.absorb(&recorded.artifact);
            for entry in recorded.entries {
                if !known.entries.contains(&entry) {
                    known.entries.push(entry);
                }
            }
        }
        None => {
            artifacts.insert(recorded.artifact.digest(), Rc::new(recorded));
        }
    }
}

/// Of each domain that cosigned a checkpoint with this entry in it the first such checkpoint: what it holds was there before all that
/// came later.
pub fn witnesses(cosigned: &[Cosigned], index: u64) -> Vec<Witness> {
    let mut found: Vec<Witness> = Vec::new();
    for one in cosigned.iter().filter(|one| one.size > index) {
        match found.iter_mut().find(|known| known.domain == one.domain) {
            Some(known) => known.size = known.size.min(one.size),
            None => found.push(Witness { domain: one.domain.clone(), size: one.size }),
        }
    }
    found
}
