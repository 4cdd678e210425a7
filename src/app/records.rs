//! `log`, `show` and `audit`: what the notes hold, said without judging it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde::Serialize;

use super::context::Context;
use super::error::AppError;
use super::judge::first_seen;
use super::refused;
use crate::codec::artifact::Artifact;
use crate::gate::clock;
use crate::gate::facts::{BadLineSeen, Recorded};
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::gather::outline::{Gist, Outline};
use crate::gather::survey::survey;
use crate::git::RangeEnds;
use crate::model::boundary_proof::CheckDecision;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::time::Timestamp;
use crate::store::shelf::is_honoured;

/// One record.
#[derive(Debug, Clone, Serialize)]
pub struct Record {
    /// When the earliest ledger shows it.
    pub at: Option<Timestamp>,
    /// Its id.
    pub id: ArtifactId,
    /// Its full digest.
    pub digest: Digest,
    /// What it is.
    pub kind: String,
    /// The commit it is noted on.
    pub commit: Oid,
    /// Labels of whose signatures verified.
    pub by: Vec<String>,
    /// In a line.
    pub summary: String,
    /// Where ledgers hold it.
    pub entries: Vec<EntryShown>,
    /// Of a denial or an abstention: the owner's override by which it no longer stands.
    pub overridden: Option<ArtifactId>,
    /// Proven facts.
    pub proven: Vec<(String, String)>,
    /// What is merely said; no rule reads it.
    pub asserted: Vec<(String, String)>,
}

/// A ledger entry.
#[derive(Debug, Clone, Serialize)]
pub struct EntryShown {
    /// The registrar's label or id.
    pub registrar: String,
    /// The index.
    pub index: u64,
    /// The registrar's time.
    pub at: Timestamp,
    /// Whether the registrar is listed.
    pub listed: bool,
}

/// What `log` is asked.
#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    /// A revision or range; everything without one.
    pub range: Option<String>,
    /// Only proofs by this checker.
    pub checker: Option<String>,
    /// Only proofs with this verdict.
    pub decision: Option<CheckDecision>,
}

/// Lists records, newest first.
///
/// # Errors
/// When the shelves can't be read.
pub fn log(context: &Context, options: &LogOptions) -> Result<Vec<Record>, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let notes = notes(&session, options.range.as_deref())?;
    noted.read_many(&session, &notes, |_| ())?;
    let checker = options.checker.as_deref().map(|spec| context.party(&session, spec)).transpose()?;
    let wanted: BTreeSet<Oid> = notes.into_iter().collect();
    let mut records: Vec<(u64, Record)> = noted
        .artifacts()
        .values()
        .filter(|recorded| wanted.contains(&recorded.note))
        .filter(|recorded| matches_proof(&session, recorded, checker, options.decision))
        .map(|recorded| {
            let index = recorded.entries.iter().map(|entry| entry.index).min().unwrap_or(0);
            (index, describe(&session, &noted, recorded))
        })
        .collect();
    if options.range.is_none() && checker.is_none() && options.decision.is_none() {
        let kept = refused::kept(&session)?;
        records.extend(kept.iter().map(|(at, recorded)| (0, describe_kept(&session, &noted, *at, recorded))));
    }
    records.sort_by_key(|(index, record)| std::cmp::Reverse((record.at, *index)));
    Ok(records.into_iter().map(|(_, record)| record).collect())
}

fn notes(session: &Session<'_>, range: Option<&str>) -> Result<Vec<Oid>, AppError> {
    let Some(text) = range else { return Ok(session.shelves.annotated()?) };
    if RangeEnds::split(text).is_none() {
        return Ok(vec![session.repository.resolve_commit(text)?]);
    }
    let (from, to) = session
        .repository
        .resolve_range(text)?
        .ok_or_else(|| AppError::usage(format!("{text:?} is no range"), "name <from>..<to>"))?;
    let range = session
        .repository
        .range(&[to], &[from], crate::gather::range::MAX_RANGE)
        .map_err(crate::gather::GatherError::from)?;
    Ok(range.commits.iter().map(|commit| commit.oid).collect())
}

fn matches_proof(
    session: &Session<'_>,
    recorded: &Recorded,
    checker: Option<KeyId>,
    decision: Option<CheckDecision>,
) -> bool {
    if checker.is_none() && decision.is_none() {
        return true;
    }
    let Artifact::BoundaryProof(proof) = recorded.artifact.value() else { return false };
    let key = checker.and_then(|id| session.trust.resolve(&id.to_string()));
    (checker.is_none() || session.trust.resolve(&proof.proven.checker) == key)
        && key.is_none_or(|key| recorded.artifact.signed_by(&key))
        && decision.is_none_or(|wanted| wanted == proof.proven.decision)
}

/// What `show` found.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// The records.
    pub records: Vec<Record>,
    /// Lines that authorise nothing, on the same commits.
    pub set_aside: Vec<SetAside>,
    /// What is missing.
    pub gaps: Vec<String>,
}

/// A line that authorises nothing.
#[derive(Debug, Serialize)]
pub struct SetAside {
    /// The commit.
    pub commit: Oid,
    /// In whose ref.
    pub registrar: KeyId,
    /// The defect.
    pub defect: String,
}

/// Shows one artifact by id or digest, an envelope with its life, or all that is noted on a revision.
///
/// # Errors
/// When there is no such thing.
pub fn show(context: &Context, what: &str) -> Result<Shown, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let named = what.starts_with("art_") || what.starts_with("env_") || what.starts_with("sha256:");
    let notes = if named { session.shelves.annotated()? } else { vec![session.repository.resolve_commit(what)?] };
    noted.read_many(&session, &notes, |_| ())?;
    let mut found: Vec<Rc<Recorded>> =
        noted.artifacts().into_values().filter(|recorded| !named || is_named(recorded, what)).collect();
    found.sort_by_key(|recorded| {
        (first_seen(&recorded.entries), recorded.entries.iter().map(|entry| entry.index).min())
    });
    let commits: BTreeSet<Oid> =
        if named { found.iter().map(|recorded| recorded.note).collect() } else { notes.iter().copied().collect() };
    if found.is_empty() && named {
        let kept = refused::kept(&session)?.into_iter().find(|(_, recorded)| is_named(recorded, what));
        if let Some((at, recorded)) = kept {
            let records = vec![describe_kept(&session, &noted, at, &recorded)];
            return Ok(Shown { records, set_aside: Vec::new(), gaps: Vec::new() });
        }
        return Err(AppError::usage(format!("{what} is not recorded here"), super::subject::UNKNOWN));
    }
    let set_aside = noted.bad_lines(&commits).into_iter().map(aside).collect();
    let gaps = noted.gaps(&commits).into_iter().map(|gap| gap.text).collect();
    Ok(Shown { records: found.iter().map(|recorded| describe(&session, &noted, recorded)).collect(), set_aside, gaps })
}

pub(super) fn aside(bad: BadLineSeen) -> SetAside {
    SetAside { commit: bad.note, registrar: bad.registrar, defect: bad.text }
}

fn is_named(recorded: &Recorded, what: &str) -> bool {
    if recorded.artifact.id().to_string() == what || recorded.artifact.digest().to_string() == what {
        return true;
    }
    match recorded.artifact.value() {
        Artifact::EvidenceEnvelope(it) => it.predicate.envelope_id.to_string() == what,
        Artifact::ContextReceipt(it) => it.predicate.envelope_id.to_string() == what,
        Artifact::Event(it) => it.predicate.envelope_id.is_some_and(|id| id.to_string() == what),
        _ => false,
    }
}

/// Decisions counted.
#[derive(Debug, Serialize)]
pub struct Audit {
    /// By checker: verdicts and how many of each.
    pub checkers: BTreeMap<String, BTreeMap<String, u64>>,
    /// Diets that were frozen and never decided on.
    pub undecided: Vec<UndecidedDiet>,
    /// Decisions of registrars: pushes admitted and refused, by ref.
    pub pushes: BTreeMap<String, BTreeMap<String, u64>>,
    /// Refusals by primary code.
    pub refusals: BTreeMap<String, u64>,
    /// Ledgers and how many entries each has.
    pub ledgers: Vec<LedgerShown>,
    /// Lines that authorise nothing.
    pub set_aside: Vec<SetAside>,
    /// What is missing.
    pub gaps: Vec<String>,
}

/// A commitment without a verdict.
#[derive(Debug, Serialize)]
pub struct UndecidedDiet {
    /// The commitment.
    pub id: ArtifactId,
    /// The checker's label.
    pub checker: String,
    /// The commit.
    pub commit: Oid,
    /// When it was frozen.
    pub at: Option<Timestamp>,
}

/// One ledger.
#[derive(Debug, Serialize)]
pub struct LedgerShown {
    /// The ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The registrar's label or id.
    pub registrar: String,
    /// Whether it is listed.
    pub listed: bool,
    /// Its entries.
    pub entries: u64,
}

/// Counts decisions by checker, denials and abstentions included, and what was begun and never decided.
///
/// # Errors
/// When the shelves can't be read.
pub fn audit(context: &Context) -> Result<Audit, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let survey = survey(&session, &session.shelves.annotated()?)?;
    let mut audit = Audit {
        checkers: BTreeMap::new(),
        undecided: Vec::new(),
        pushes: BTreeMap::new(),
        refusals: BTreeMap::new(),
        ledgers: Vec::new(),
        set_aside: survey.bad_lines.into_iter().map(aside).collect(),
        gaps: survey.gaps.into_iter().map(|gap| gap.text).collect(),
    };
    let mut decided: BTreeSet<(PublicKey, String)> = BTreeSet::new();
    let kept: Vec<Outline> = refused::kept(&session)?.iter().map(|(_, recorded)| Outline::of(recorded)).collect();
    for outline in survey.outlines.values().chain(&kept) {
        match &outline.gist {
            Gist::Proof { anchor, checker, decision } => {
                let label = label_of(&session, checker);
                // Anybody may write that somebody decided; only what that checker signed is its decision.
                let checker = match session.trust.resolve(checker) {
                    Some(key) if outline.signers.contains(&key) => {
                        decided.insert((key, anchor.clone()));
                        label
                    }
                    _ => format!("{label} (not signed by it)"),
                };
                count(audit.checkers.entry(checker).or_default(), decision.name());
            }
            Gist::Admitted { reference } => count(audit.pushes.entry(reference.clone()).or_default(), "admitted"),
            Gist::Refused { code, reference } => {
                count(audit.pushes.entry(reference.clone()).or_default(), "refused");
                count(&mut audit.refusals, code.name());
            }
            Gist::Diet { .. } | Gist::Other => {}
        }
    }
    for outline in survey.outlines.values() {
        let Gist::Diet { checker } = &outline.gist else { continue };
        let named = outline.seats.iter().any(|seat| {
            let origin = crate::ledger::Origin { repository: session.trust.repository(), registrar: seat.registrar };
            let anchor = format!("merkle://{origin}#{}", seat.index);
            outline.signers.iter().any(|key| decided.contains(&(*key, anchor.clone())))
        });
        if !named {
            audit.undecided.push(UndecidedDiet {
                id: ArtifactId::of(&outline.digest),
                checker: label_of(&session, &checker.to_string()),
                commit: outline.note,
                at: outline.seats.iter().map(|seat| seat.at).min(),
            });
        }
    }
    for shelf in &session.shelves.open {
        audit.ledgers.push(LedgerShown {
            reference: shelf.reference.clone(),
            registrar: label_of(&session, &shelf.registrar.to_string()),
            listed: is_honoured(&session.trust, &shelf.registrar),
            entries: shelf.head.size,
        });
    }
    audit.gaps.extend(session.shelves.broken.iter().map(|broken| format!("{}: {}", broken.reference, broken.text)));
    Ok(audit)
}

fn count(counts: &mut BTreeMap<String, u64>, word: &str) {
    match counts.get_mut(word) {
        Some(count) => *count += 1,
        None => drop(counts.insert(word.to_owned(), 1)),
    }
}

pub(super) fn label_of(session: &Session<'_>, name: &str) -> String {
    session
        .trust
        .resolve(name)
        .and_then(|key| session.trust.party(&key))
        .map_or_else(|| format!("{name} (not listed)"), |party| party.label.clone())
}

/// The override of a denial or an abstention by somebody who was an owner then.
fn overridden(session: &Session<'_>, noted: &Noted, recorded: &Recorded) -> Option<ArtifactId> {
    let Artifact::BoundaryProof(proof) = recorded.artifact.value() else { return None };
    if !matches!(proof.proven.decision, CheckDecision::Deny | CheckDecision::Abstain) {
        return None;
    }
    let target = recorded.artifact.digest();
    let over = |artifact: &Artifact| matches!(artifact, Artifact::Override(it) if it.predicate.target == target);
    let notes: BTreeSet<Oid> = recorded.entries.iter().map(|entry| entry.note).collect();
    let found = notes.iter().flat_map(|note| noted.on(note, over)).filter_map(|digest| noted.artifact(&digest));
    let owners = |by: &Rc<Recorded>| clock::speaks(&session.trust, session.now, by, Role::Owner);
    found.filter(owners).map(|by| by.artifact.id()).next()
}

/// A refusal that stands in no ledger: its moment is that of the registrar that keeps it, which is this one.
fn describe_kept(session: &Session<'_>, noted: &Noted, at: Timestamp, recorded: &Recorded) -> Record {
    Record { at: Some(at), ..describe(session, noted, recorded) }
}

/// A record, its proven facts apart from what is said.
pub fn describe(session: &Session<'_>, noted: &Noted, recorded: &Recorded) -> Record {
    let by = recorded
        .artifact
        .signers()
        .iter()
        .map(|key| {
            session.trust.party(key).map_or_else(|| crate::crypto::key_id(key).to_string(), |party| party.label.clone())
        })
        .collect();
    let entries = recorded
        .entries
        .iter()
        .map(|entry| EntryShown {
            registrar: label_of(session, &entry.registrar.to_string()),
            index: entry.index,
            at: entry.at,
            listed: entry.listed,
        })
        .collect();
    let (kind, summary, proven, asserted) = super::described::parts(session, recorded.artifact.value());
    Record {
        at: first_seen(&recorded.entries),
        id: recorded.artifact.id(),
        digest: recorded.artifact.digest(),
        kind,
        commit: recorded.note,
        by,
        summary,
        entries,
        overridden: overridden(session, noted, recorded),
        proven,
        asserted,
    }
}
