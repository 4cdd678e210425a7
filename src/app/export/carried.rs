//! CARRIED: the lines, ledger proofs, chains and commits that go into a file.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::{Chosen, incomplete};
use crate::app::bundle::contents::MAX_NOTES;
use crate::app::bundle::form::{
    CarriedCommit, CarriedCosigned, CarriedEntry, CarriedLedger, MAX_ARTIFACTS, MAX_COMMITS,
};
use crate::app::bundle::range::MAX_WALK;
use crate::app::error::AppError;
use crate::codec::artifact::ClaimedKind;
use crate::codec::in_toto::Kind;
use crate::crypto::to_openssh;
use crate::crypto::trust::Trust;
use crate::gather::Session;
use crate::gather::line::read_line;
use crate::model::digest::Digest;
use crate::model::id::{KeyId, Oid};
use crate::store::Cosigned;
use crate::store::chains::{read_lines, verify_policy};
use crate::store::layout;
use crate::store::shelf::{Honoured, Shelf, honoured};

/// Lines that verify, and the ledger entries that hold them.
#[derive(Default)]
pub(super) struct Collected {
    /// By digest and then by their bytes.
    pub lines: BTreeSet<(Digest, String)>,
    /// Indices by registrar.
    pub places: BTreeMap<KeyId, BTreeSet<u64>>,
    /// What was left out.
    pub remarks: Vec<String>,
    /// In how many notes each line was met.
    notes: BTreeMap<(Digest, String), usize>,
}

/// All that the chosen notes hold. What a listed registrar's ledger has and its notes lack is no thing to be silent about.
pub(super) fn collect(session: &Session<'_>, chosen: &Chosen) -> Result<Collected, AppError> {
    let mut collected = Collected::default();
    if let Some(broken) = session.shelves.broken.iter().find(|broken| broken.listed) {
        return Err(incomplete(format!("{}: {}", broken.reference, broken.text), "git boundary doctor"));
    }
    let of_owners = [Kind::Baseline, Kind::Contradiction, Kind::Handoff, Kind::Revocation].map(ClaimedKind::Own);
    let only = chosen.only.as_ref();
    for oid in &chosen.notes {
        collected.note(session, oid, &|_| true, only)?;
    }
    for oid in &chosen.pins {
        collected.note(session, oid, &|kind| of_owners.contains(&kind), only)?;
    }
    collected.bounded()?;
    Ok(collected)
}

impl Collected {
    fn bounded(&self) -> Result<(), AppError> {
        if self.lines.len() <= MAX_ARTIFACTS {
            return Ok(());
        }
        let text = format!("that is {} artifacts; a bundle holds {MAX_ARTIFACTS}", self.lines.len());
        Err(AppError::usage(text, "name a shorter range"))
    }

    /// Every line that this clone's registrar ever entered. What of it does not verify would leave the ledger with a hole.
    pub(super) fn whole_own_ledger(&mut self, session: &Session<'_>) -> Result<(), AppError> {
        let Some(own) = session.local.registrar_id()? else { return Ok(()) };
        let Some(shelf) = shelves(session, &own).next() else { return Ok(()) };
        let notes: BTreeSet<Oid> = shelf.all()?.into_iter().filter_map(|one| one.entry.annotated).collect();
        for oid in &notes {
            self.note(session, oid, &|_| true, None)?;
        }
        let carried = self.places.get(&own).map_or(0, BTreeSet::len) as u64;
        if carried != shelf.head.size {
            let left = shelf.head.size.saturating_sub(carried);
            let text = format!(
                "{left} of the {} entries of {} are of lines that do not verify",
                shelf.head.size, shelf.reference
            );
            return Err(incomplete(text, "git boundary doctor"));
        }
        self.bounded()
    }

    fn note(
        &mut self,
        session: &Session<'_>,
        oid: &Oid,
        wanted: &dyn Fn(ClaimedKind) -> bool,
        only: Option<&(KeyId, BTreeSet<Digest>)>,
    ) -> Result<(), AppError> {
        let reading = session.shelves.read(oid)?;
        if let Some((reference, entry)) = reading.missing.first() {
            let artifact = crate::model::id::ArtifactId::of(&entry.artifact);
            let text = format!("{reference} has a ledger entry of {artifact} for {}, whose line is gone", oid.short());
            return Err(incomplete(text, "git boundary doctor"));
        }
        if let Some(unread) = reading.unread.iter().find(|unread| unread.listed) {
            let text = format!("{}: the note of {}: {}", unread.reference, oid.short(), unread.defect);
            return Err(incomplete(text, unread.fetch.unwrap_or("git boundary doctor")));
        }
        for stored in &reading.lines {
            let recorded = match read_line(&session.trust, oid, stored, wanted, &|_| Vec::new()) {
                Ok(Some(recorded)) => recorded,
                Ok(None) => continue,
                Err(amiss) => {
                    self.remarks.push(format!("a line on {} authorises nothing: {}", oid.short(), amiss.text));
                    continue;
                }
            };
            if only.is_some_and(|(_, only)| !only.contains(&recorded.artifact.digest())) {
                continue;
            }
            let Ok(line) = String::from_utf8(stored.line.clone()) else { continue };
            let line = (recorded.artifact.digest(), line);
            let met = self.notes.entry(line.clone()).or_default();
            *met += 1;
            if *met > MAX_NOTES {
                // Anybody can copy a line to any number of notes.
                continue;
            }
            let mut carried = false;
            let own = only.map(|(registrar, _)| *registrar).filter(|registrar| recorded.stands_with(registrar));
            let entries = recorded.entries.iter().filter(|entry| own.is_none_or(|own| own == entry.registrar));
            for entry in entries {
                let forked = shelves(session, &entry.registrar).count() != 1;
                if forked {
                    self.remarks.push(format!("the ledger of {} is two histories, and left out", entry.registrar));
                    continue;
                }
                carried = true;
                self.places.entry(entry.registrar).or_default().insert(entry.index);
            }
            if carried {
                self.lines.insert(line);
            }
        }
        Ok(())
    }
}

fn shelves<'s, 'r>(session: &'s Session<'r>, registrar: &KeyId) -> impl Iterator<Item = &'s Shelf<'r>> {
    session.shelves.open.iter().filter(move |shelf| shelf.registrar == *registrar)
}

/// What shows that the ledgers hold what was collected.
pub(super) fn ledgers(
    session: &Session<'_>,
    places: &BTreeMap<KeyId, BTreeSet<u64>>,
) -> Result<Vec<CarriedLedger>, AppError> {
    let mut carried = Vec::new();
    for (registrar, indices) in places {
        let Some(shelf) = shelves(session, registrar).next() else { continue };
        let older = match honoured(&session.trust, registrar) {
            Honoured::UpTo(last) => Some(last.size),
            Honoured::All | Honoured::Nothing => None,
        };
        let shown = shelf.prove(indices, older)?;
        let listed = session.trust.resolve(&registrar.to_string()).is_some();
        carried.push(CarriedLedger {
            checkpoint: String::from_utf8_lossy(&shown.checkpoint).into_owned(),
            consistency: shown.consistency,
            cosigned: cosigned(session, shelf, indices)?,
            entries: shown
                .entries
                .into_iter()
                .map(|(entry, proof)| CarriedEntry { entry: entry.to_string(), proof })
                .collect(),
            key: (!listed).then(|| to_openssh(&shelf.key(), "")),
            registrar: *registrar,
        });
    }
    Ok(carried)
}

/// Of each witness the first checkpoint after each entry that is carried: who came before whom is what it shows.
fn cosigned(
    session: &Session<'_>,
    shelf: &Shelf<'_>,
    indices: &BTreeSet<u64>,
) -> Result<Vec<CarriedCosigned>, AppError> {
    let all = session.shelves.cosigned(&session.trust, &shelf.registrar);
    let mut wanted: BTreeMap<(u64, KeyId), &Cosigned> = BTreeMap::new();
    for index in indices {
        let mut witnesses = BTreeSet::new();
        for one in all.iter().filter(|one| one.size > *index) {
            if witnesses.insert(one.witness) {
                wanted.insert((one.size, one.witness), one);
            }
        }
    }
    let mut carried = Vec::new();
    for one in wanted.into_values() {
        let Some(note) = session.shelves.cosigned_note(&shelf.registrar, one)? else { continue };
        carried.push(CarriedCosigned {
            checkpoint: String::from_utf8_lossy(&note).into_owned(),
            consistency: if one.size == shelf.head.size { None } else { Some(shelf.consistency(one.size)?) },
            witness: one.witness,
        });
    }
    Ok(carried)
}

/// Bytes of the commits that are judged, and of those between each proposal and its pin.
pub(super) fn commits(session: &Session<'_>, chosen: &Chosen) -> Result<Vec<CarriedCommit>, AppError> {
    let repository = session.repository;
    let mut found = BTreeMap::new();
    let mut take = |commit: crate::git::Commit| {
        found.insert(commit.oid, BASE64_STANDARD.encode(&commit.raw));
    };
    for oid in &chosen.commits {
        take(repository.commit(oid)?);
    }
    for (tip, starts) in &chosen.proposals {
        // What is not here can't be carried, and the answer says then what it leaves open.
        let ends: Vec<Oid> = std::iter::once(tip).chain(starts).copied().collect();
        ends.iter().filter_map(|oid| repository.commit(oid).ok()).for_each(&mut take);
        // Down to the pin, from the base as well: what lies under it is shown not to be the proposal's.
        let Some((pin, bases)) = starts.split_first() else { continue };
        let mut ranges = vec![(*tip, starts.clone())];
        ranges.extend(bases.iter().map(|base| (*base, vec![*pin])));
        for (end, hidden) in ranges {
            if let Ok(range) = repository.range(&[end], &hidden, MAX_WALK) {
                range.commits.into_iter().for_each(&mut take);
            }
        }
    }
    if found.len() > MAX_COMMITS {
        let text = format!("that is {} commits; a bundle holds {MAX_COMMITS}", found.len());
        return Err(AppError::usage(text, "name a shorter range"));
    }
    Ok(found.into_iter().map(|(oid, raw)| CarriedCommit { oid, raw }).collect())
}

/// The lines of the trust chain that this session goes by.
pub(super) fn trust(session: &Session<'_>) -> Result<Vec<String>, AppError> {
    let same = |lines: &[Vec<u8>]| {
        Trust::verify(lines, session.trust.root()).is_ok_and(|trust| trust.digest() == session.trust.digest())
    };
    chain(session, layout::TRUST, &same)
}

/// The lines of the policy chain that this session goes by.
pub(super) fn policy(session: &Session<'_>) -> Result<Vec<String>, AppError> {
    let wanted = session.policy_chain.versions.last().map(|(_, artifact, _)| *artifact);
    if wanted.is_none() {
        return Ok(Vec::new());
    }
    let same = |lines: &[Vec<u8>]| {
        verify_policy(layout::POLICY, lines, &session.trust, session.now)
            .is_ok_and(|chain| chain.versions.last().map(|(_, artifact, _)| *artifact) == wanted)
    };
    chain(session, layout::POLICY, &same)
}

fn chain(session: &Session<'_>, own: &str, same: &dyn Fn(&[Vec<u8>]) -> bool) -> Result<Vec<String>, AppError> {
    let name = own.trim_start_matches(layout::BOUNDARY);
    let elsewhere = |reference: &str| {
        reference
            .strip_prefix(layout::REMOTE)
            .and_then(|rest| rest.rsplit_once('/'))
            .is_some_and(|(_, last)| last == name)
    };
    for (reference, commit) in session.refs.iter().filter(|(reference, _)| reference == own || elsewhere(reference)) {
        let Ok(lines) = read_lines(session.repository, reference, commit) else { continue };
        if same(&lines) {
            return Ok(lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect());
        }
    }
    Err(incomplete(format!("no ref holds the {name} chain that is in force here"), "git fetch"))
}
