//! `import`: takes in what somebody without write access hands over as a file.
//!
//! Of a bundle that carries a registrar's whole ledger, the ledger is placed where fetched ones are, so that what stands in it counts as if
//! it had been fetched: a proof whose commitment only the checker's own ledger shows counts no other way. Everything else that verifies is
//! recorded by this clone's registrar, on the note that it belongs in.

mod lines;

use std::collections::BTreeMap;

use serde::Serialize;

use super::bundle::answer::Defect;
use super::bundle::contents::{self, Contents};
use super::bundle::form::{Bundle, CarriedLedger};
use super::bundle::{BundleAnswer, Verifier};
use super::context::Context;
use super::error::AppError;
use super::record::{Writing, record};
use super::remote::Published;
use crate::gather::notes::Noted;
use crate::gather::{GatherError, Session};
use crate::ledger::entry::line_digest;
use crate::ledger::{Entry, SignedCheckpoint};
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::store::imported::{Placed, Whole, place};
use crate::store::layout;

/// What was taken in, and what was not.
#[derive(Debug, Serialize)]
pub struct Imported {
    /// Artifacts that were recorded here.
    pub taken: Vec<Taken>,
    /// Ledgers that were placed where fetched ones are.
    pub ledgers: Vec<LedgerTaken>,
    /// How many artifacts are here already.
    pub known: u64,
    /// The trust versions of the file and of this clone, where the file's is newer: whose keys it knows may not be known here.
    pub newer_trust: Option<(u64, u64)>,
    /// What was left, and why.
    pub left: Vec<Defect>,
    /// What is wrong with the file; nothing was taken then.
    pub defects: Vec<Defect>,
    /// Whether what was recorded is at the remote.
    #[serde(skip)]
    pub published: Option<Published>,
}

/// An artifact that was recorded.
#[derive(Debug, Serialize)]
pub struct Taken {
    /// Its id.
    pub id: ArtifactId,
    /// What it is.
    pub kind: String,
    /// The commit on which it was noted.
    pub commit: Oid,
}

/// A ledger that was placed.
#[derive(Debug, Serialize)]
pub struct LedgerTaken {
    /// Whose.
    pub registrar: KeyId,
    /// The ref that holds it.
    #[serde(rename = "ref")]
    pub reference: String,
    /// How many entries it has.
    pub entries: u64,
}

/// A line for this clone's own ledger.
struct Line {
    bytes: Vec<u8>,
    note: Oid,
}

/// Imports a bundle, or signed lines.
///
/// # Errors
/// When the repository can't be read or written. What is wrong with the file is in the answer.
pub fn import(context: &Context, bytes: &[u8]) -> Result<Imported, AppError> {
    let repository = context.repository()?;
    if repository.remotes().iter().any(|name| name == layout::IMPORTED) {
        return Err(AppError::fatal(
            format!("a remote is called {:?}, and a fetch from it would take away what is imported", layout::IMPORTED),
            format!("git remote rename {} <another name>", layout::IMPORTED),
        ));
    }
    let mut imported = Imported {
        taken: Vec::new(),
        ledgers: Vec::new(),
        known: 0,
        newer_trust: None,
        left: Vec::new(),
        defects: Vec::new(),
        published: None,
    };
    let session = match context.open(&repository) {
        // Whom to trust is never taken from a file, and what a file shows of it may be older than what the owner says now.
        Err(AppError::Gather(GatherError::NotPinned | GatherError::NoTrust(_))) => {
            return Err(AppError::usage(
                "no trust is here to hold the file against: fetch it from a remote that has it, or look at the file alone",
                "git boundary init --trust-root <root>, or git boundary verify --bundle <file> --trust-root <root>",
            ));
        }
        opened => opened?,
    };
    let lines = if lines::looks_like_lines(bytes) {
        lines::read(&session, bytes, &mut imported)?
    } else {
        match bundled(&session, bytes, &mut imported)? {
            Some(lines) => lines,
            None => return Ok(imported),
        }
    };
    take(context, &session, lines, &mut imported)?;
    Ok(imported)
}

/// The lines of a bundle that are this clone's to record; `None` where something is wrong with it.
fn bundled(session: &Session<'_>, bytes: &[u8], imported: &mut Imported) -> Result<Option<Vec<Line>>, AppError> {
    let verifier = Verifier {
        now: session.now,
        pinned_by: session.pin_source.name(),
        reference: None,
        root: session.trust.root(),
        min_trust_version: None,
    };
    let mut answer = BundleAnswer::of(verifier.root, verifier.pinned_by);
    let opened = match Bundle::read(bytes) {
        Ok(bundle) => contents::open(&bundle, &verifier, &mut answer).map(|contents| (bundle, contents)),
        Err(defect) => {
            answer.defect("the file", defect);
            None
        }
    };
    let open = answer.gaps.into_iter().map(|text| Defect { what: "the file".to_owned(), text });
    imported.defects = answer.defects.into_iter().chain(open).collect();
    let Some((bundle, contents)) = opened else { return Ok(None) };
    let mut versions = (1_u64..).zip(contents.trust.digests().iter().zip(session.trust.digests()));
    if let Some((version, (theirs, ours))) = versions.find(|(_, (theirs, ours))| theirs != ours) {
        let text = format!("version {version} is {theirs}, here it is {ours}: two histories");
        imported.defects.push(Defect { what: "the trust chain".to_owned(), text });
        return Ok(None);
    }
    let (theirs, ours) = (contents.trust.version(), session.trust.version());
    imported.newer_trust = (theirs > ours).then_some((theirs, ours));
    let by_line: BTreeMap<Digest, &str> =
        bundle.artifacts.iter().map(|line| (line_digest(line.as_bytes()), line.as_str())).collect();
    let mut elsewhere = Vec::new();
    for ledger in &bundle.ledgers {
        let entries: Vec<Entry> =
            ledger.entries.iter().filter_map(|one| Entry::parse(one.entry.as_bytes()).ok()).collect();
        if !placed(session, ledger, &entries, &contents, &by_line, imported)? {
            elsewhere.extend(entries);
        }
    }
    let lines = elsewhere.iter().filter_map(|entry| {
        let line = by_line.get(&entry.line)?;
        Some(Line { bytes: line.as_bytes().to_vec(), note: entry.annotated? })
    });
    Ok(Some(lines.collect()))
}

/// Places a ledger that is carried whole; whether its lines need no other record.
fn placed(
    session: &Session<'_>,
    ledger: &CarriedLedger,
    entries: &[Entry],
    contents: &Contents,
    by_line: &BTreeMap<Digest, &str>,
    imported: &mut Imported,
) -> Result<bool, AppError> {
    let (Some(key), Ok(signed)) =
        (contents.keys.get(&ledger.registrar), SignedCheckpoint::parse(ledger.checkpoint.as_bytes()))
    else {
        return Ok(false);
    };
    // Its registrar's signature was verified when the bundle was opened.
    let head = signed.claimed().head;
    if entries.len() as u64 != head.size {
        return Ok(false);
    }
    let mut notes: BTreeMap<Oid, Vec<&[u8]>> = BTreeMap::new();
    for entry in entries {
        if let (Some(note), Some(line)) = (entry.annotated, by_line.get(&entry.line)) {
            let lines = notes.entry(note).or_default();
            if !lines.contains(&line.as_bytes()) {
                lines.push(line.as_bytes());
            }
        }
    }
    let checkpoint = ledger.checkpoint.as_bytes();
    let whole = Whole { checkpoint, entries: entries.to_vec(), head, key: *key, notes, registrar: ledger.registrar };
    match place(session.repository, &session.local, &session.shelves, &whole, session.now)? {
        Placed::Taken => imported.ledgers.push(LedgerTaken {
            registrar: ledger.registrar,
            reference: layout::imported_ref(&ledger.registrar),
            entries: head.size,
        }),
        Placed::Known | Placed::Own => imported.known += entries.len() as u64,
    }
    Ok(true)
}

/// Records what is not here yet.
fn take(context: &Context, session: &Session<'_>, lines: Vec<Line>, imported: &mut Imported) -> Result<(), AppError> {
    let noted = Noted::default();
    let mut writing = Writing::default();
    let mut seen = std::collections::BTreeSet::new();
    for Line { bytes, note } in lines {
        noted.read(session, &note)?;
        match lines::judge(session, &noted, &bytes, note) {
            Ok(None) => imported.known += 1,
            Ok(Some((envelope, kind))) => {
                if seen.insert((note, line_digest(&bytes))) {
                    let id = ArtifactId::of(&envelope.digest());
                    imported.taken.push(Taken { id, kind, commit: note });
                    writing.lines.push((note, envelope));
                }
            }
            Err(left) => imported.left.push(left),
        }
    }
    if !writing.lines.is_empty() {
        imported.published = Some(record(context, session, "import", writing)?.published);
    }
    Ok(())
}
