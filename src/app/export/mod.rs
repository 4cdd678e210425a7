//! `export`: a proof, an envelope with its life, a range, or a session of the gateway, for somebody who has neither the repository nor its receipts.

mod carried;
mod session;
mod summary;

use std::collections::BTreeSet;

use super::bundle::form::{About, AboutKind, AboutRange, Bundle, VERSION};
use super::context::Context;
use super::error::{AppError, Failure};
use super::judge;
use super::subject;
use super::verify::{request_of, target};
use crate::codec::artifact::Artifact;
use crate::codec::dsse::Dsse;
use crate::codec::in_toto::Statement;
use crate::gate::docket::Docket;
use crate::gate::verdict::{Outcome, Verdict};
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::git::RangeEnds;
use crate::model::count;
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::id::{ArtifactId, KeyId, Oid};

use self::carried::Collected;

/// In what form something is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// One file that `verify --bundle` reads.
    #[default]
    Bundle,
    /// The signed artifacts, one DSSE envelope a line.
    InToto,
    /// A SLSA verification summary of what `verify` says.
    SlsaVsa,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 3] = [Format::Bundle, Format::InToto, Format::SlsaVsa];

    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Format::Bundle => "bundle",
            Format::InToto => "in-toto",
            Format::SlsaVsa => "slsa-vsa",
        }
    }
}

/// What `export` is asked.
#[derive(Debug, Clone, Default)]
pub struct ExportOptions {
    /// The form.
    pub format: Format,
    /// The ref by whose rule a range is judged, unless it names a branch.
    pub reference: Option<String>,
    /// A proof, a proposal, an envelope, a session, a revision or a range; `HEAD` without.
    pub what: Option<String>,
    /// Whether this clone's whole ledger goes along, so that another clone can import it.
    pub with_ledger: bool,
}

/// What was exported.
#[derive(Debug)]
pub struct Exported {
    /// The file.
    pub bytes: Vec<u8>,
    /// What it is about, in a line.
    pub about: String,
    /// How many artifacts it holds.
    pub artifacts: usize,
    /// Whether it says that something was refused.
    pub refused: bool,
    /// What was left out, and why.
    pub remarks: Vec<String>,
    /// How it was judged, which nobody has to be warned of.
    pub notices: Vec<String>,
    /// The root that it verifies from.
    pub trust_root: Digest,
}

/// Exports.
///
/// # Errors
/// When there is no such thing here, or not all of it.
pub fn export(context: &Context, options: &ExportOptions) -> Result<Exported, AppError> {
    if options.format == Format::SlsaVsa {
        return summary::export(context, options);
    }
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let chosen = choose(&session, &noted, options)?;
    let mut collected = carried::collect(&session, &chosen)?;
    if options.with_ledger {
        collected.whole_own_ledger(&session)?;
    }
    let about = described(&chosen);
    let (artifacts, mut remarks) = (collected.lines.len(), collected.remarks.clone());
    remarks.extend(chosen.doubts.iter().cloned());
    let bytes = match options.format {
        Format::InToto => lines(&collected),
        _ => bundle(&session, &chosen, collected)?.bytes(),
    };
    let trust_root = session.trust.root();
    Ok(Exported { bytes, about, artifacts, refused: false, remarks, notices: Vec::new(), trust_root })
}

/// What is exported, and where all about it is found.
struct Chosen {
    about: About,
    /// What to say of it besides.
    doubts: Vec<String>,
    /// The notes of proposals, all of which is taken.
    notes: Vec<Oid>,
    /// The notes of pinned commits, of which only what owners say is.
    pins: Vec<Oid>,
    /// Commits that are judged.
    commits: Vec<Oid>,
    /// Of the notes only these artifacts, each out of the ledger of this registrar where that one has it; everything without.
    only: Option<(KeyId, BTreeSet<Digest>)>,
    /// Tips of proposals, each with what it starts from: the commit that it is pinned to, and the base that it looked at.
    proposals: Vec<(Oid, Vec<Oid>)>,
}

fn described(chosen: &Chosen) -> String {
    match (&chosen.about.artifact, &chosen.about.range) {
        (Some(digest), _) => ArtifactId::of(digest).to_string(),
        (None, Some(range)) => {
            format!("{} of {}", count::of(range.commits.len(), "commit", "commits"), range.reference)
        }
        (None, None) => "nothing".to_owned(),
    }
}

fn choose(session: &Session<'_>, noted: &Noted, options: &ExportOptions) -> Result<Chosen, AppError> {
    let what = options.what.as_deref().unwrap_or("HEAD");
    if RangeEnds::split(what).is_some() {
        return range(session, noted, what, options.reference.as_deref());
    }
    if let Some(found) = subject::artifact(session, noted, what)? {
        match found.artifact.value() {
            Artifact::BoundaryProof(proof) => {
                let reference = proof.proven.subject_ref.clone();
                let (digest, _) = subject::proposal(session, noted, Some(&reference), &subject::to_name)?;
                return Ok(of_proposals(noted, AboutKind::Proof, found.artifact.digest(), |it, _| *it == digest));
            }
            Artifact::EvidenceEnvelope(_) => {}
            Artifact::Session(_) => return session::choose(session, noted, what),
            _ => {
                return Err(AppError::usage(
                    format!("{what} is no proof, no proposal and no session"),
                    format!("git boundary show {what}"),
                ));
            }
        }
    }
    let mut found = subject::proposals(session, noted, what, &subject::to_name)?;
    if found.len() > 1 {
        // Who asks for a deletion of the ref says nothing of what the commit holds.
        let keeps = |one: &&(Digest, Statement<Envelope>)| {
            one.1.predicate.requested_action.as_ref().is_none_or(|action| !action.new.is_zero())
        };
        if found.iter().filter(keeps).count() != 1 {
            return Err(subject::several(what, &found));
        }
        found.retain(|one| keeps(&one));
    }
    let (digest, statement) = found.remove(0);
    // Versions may stand on any note.
    for oid in session.shelves.annotated()? {
        noted.read(session, &oid)?;
    }
    let id = statement.predicate.envelope_id;
    Ok(of_proposals(noted, AboutKind::Envelope, digest, |_, envelope| envelope.envelope_id == id))
}

fn of_proposals(noted: &Noted, kind: AboutKind, about: Digest, wanted: impl Fn(&Digest, &Envelope) -> bool) -> Chosen {
    let mut chosen = Chosen {
        about: About { artifact: Some(about), kind, range: None },
        doubts: Vec::new(),
        notes: Vec::new(),
        pins: Vec::new(),
        commits: Vec::new(),
        only: None,
        proposals: Vec::new(),
    };
    chosen.take(&Docket::new(noted.artifacts()), wanted);
    chosen
}

impl Chosen {
    fn take(&mut self, docket: &Docket, wanted: impl Fn(&Digest, &Envelope) -> bool) {
        for recorded in docket.all() {
            let Artifact::EvidenceEnvelope(statement) = recorded.artifact.value() else { continue };
            let (Some(about), envelope) = (&statement.subject, &statement.predicate) else { continue };
            if !wanted(&recorded.artifact.digest(), envelope) {
                continue;
            }
            let pin = envelope.bindings.source_expected.value().copied();
            self.notes.push(about.commit);
            self.pins.extend(pin);
            let context = envelope.bindings.context.value().and_then(|digest| docket.get(digest));
            let base = context.and_then(|recorded| match recorded.artifact.value() {
                Artifact::ContextReceipt(it) => it.predicate.snapshot.base.oid.filter(|oid| !oid.is_zero()),
                _ => None,
            });
            self.proposals.push((about.commit, pin.into_iter().chain(base).collect()));
        }
        self.notes.sort();
        self.notes.dedup();
        self.pins.sort();
        self.pins.dedup();
        let notes = &self.notes;
        self.pins.retain(|pin| !notes.contains(pin));
    }
}

/// The commits that `verify` would judge, and every proposal of theirs.
fn range(session: &Session<'_>, noted: &Noted, what: &str, reference: Option<&str>) -> Result<Chosen, AppError> {
    let target = target(session, what, reference)?;
    let reference = target.reference.clone();
    let judged = judge::judge_update(session, noted, request_of(session, &target))?;
    let commits = judged.facts.range.clone();
    if commits.is_empty() {
        return Err(AppError::usage(format!("{what} has no commits to judge"), "name <from>..<to>"));
    }
    let mut chosen = Chosen {
        about: About {
            artifact: None,
            kind: AboutKind::Range,
            range: Some(AboutRange { commits: commits.clone(), reference }),
        },
        doubts: doubts(&judged.verdict),
        notes: commits.clone(),
        pins: Vec::new(),
        commits: commits.clone(),
        only: None,
        proposals: Vec::new(),
    };
    let inside: BTreeSet<Oid> = commits.into_iter().collect();
    let docket = Docket::new(noted.artifacts());
    let tip = |digest: &Digest| match docket.get(digest)?.artifact.value() {
        Artifact::EvidenceEnvelope(it) => it.subject.as_ref().map(|about| about.commit),
        _ => None,
    };
    chosen.take(&docket, |digest, _| tip(digest).is_some_and(|tip| inside.contains(&tip)));
    Ok(chosen)
}

/// Who hands a range on that does not verify is told before somebody else is.
fn doubts(verdict: &Verdict) -> Vec<String> {
    match verdict.outcome {
        Outcome::Admitted => Vec::new(),
        Outcome::Undecided => vec!["this range is undecided here: git boundary verify says why".to_owned()],
        Outcome::Refused => {
            let codes: Vec<&str> = verdict.codes().into_iter().map(|code| code.name()).collect();
            vec![format!("this range does not verify here: {}", codes.join(" "))]
        }
    }
}

fn bundle(session: &Session<'_>, chosen: &Chosen, collected: Collected) -> Result<Bundle, AppError> {
    Ok(Bundle {
        about: chosen.about.clone(),
        artifacts: collected.lines.into_iter().map(|(_, line)| line).collect(),
        bundle: VERSION.to_owned(),
        commits: carried::commits(session, chosen)?,
        ledgers: carried::ledgers(session, &collected.places)?,
        policy: carried::policy(session)?,
        repository: session.trust.repository(),
        trust: carried::trust(session)?,
    })
}

/// The envelopes with base64 as in-toto's own tools read it, whatever spelling was stored.
fn lines(collected: &Collected) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (_, line) in &collected.lines {
        let envelope = Dsse::parse(line.as_bytes()).expect("it was verified when it was collected");
        bytes.extend_from_slice(&envelope.line());
        bytes.push(b'\n');
    }
    bytes
}

/// Something is missing here, so that a file without it would say less than there is.
fn incomplete(text: String, command: &str) -> AppError {
    AppError::Told { failure: Failure::Undecided, hint: Some(command.to_owned()), text }
}
