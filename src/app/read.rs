//! `read`: the whole life of one envelope, from the notes alone. The first decision about it is always told, whatever was learned
//! since (contract, section 9).

pub mod chains;
pub mod currency;
pub mod decisions;
pub mod payload;
mod said;

use std::collections::BTreeSet;

use serde::Serialize;

use self::chains::{Chain, Stray};
use self::currency::Currency;
use self::decisions::Decision;
use self::payload::{Binding, Equivocation, Version};
pub use self::said::Said;
use super::context::Context;
use super::error::AppError;
use super::records::{Record, SetAside, aside, describe};
use super::subject;
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::Statement;
use crate::gate::docket::Docket;
use crate::gate::facts::Recorded;
use crate::gate::order;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::id::{ArtifactId, EnvelopeId, Oid};

/// What `read` is asked.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The proposal, by id, digest, envelope or revision; the one on `HEAD` without.
    pub what: Option<String>,
    /// Whether contradictions are looked for, within a bound that is told.
    pub contradictions: bool,
}

/// One envelope's life.
#[derive(Debug, Serialize)]
pub struct Life {
    /// `sound`, or `undecided` where a chain has a fault or something is missing.
    pub state: &'static str,
    /// The proposal that was asked for.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// Its envelope.
    pub envelope_id: EnvelopeId,
    /// Its version.
    pub version: u64,
    /// The commit it is noted on.
    pub commit: Oid,
    /// Labels of whose signatures verified.
    pub by: Vec<String>,
    /// Whether the actor that it names signed it.
    pub by_its_actor: bool,
    /// What was signed, as it stands for ever.
    pub payload: Envelope,
    /// The bindings, line by line.
    #[serde(skip)]
    pub bindings: Vec<Binding>,
    /// Every version of the envelope.
    pub versions: Vec<Version>,
    /// Versions with several payloads.
    pub equivocations: Vec<Equivocation>,
    /// The handoff, its renewals aside, and what revokes it.
    pub authority: Vec<Record>,
    /// What was delivered to the actor.
    pub contexts: Vec<Record>,
    /// The first decision about this version, whatever came after.
    pub decision: Option<Decision>,
    /// Every decision about any version, in the order in which ledgers took them in.
    pub decisions: Vec<Decision>,
    /// Approvals and rejections.
    pub approvals: Vec<Said>,
    /// Boundary proofs.
    pub proofs: Vec<Said>,
    /// Work receipts.
    pub work_receipts: Vec<Said>,
    /// Test results and observations.
    pub evidence: Vec<Said>,
    /// What agents say of their own work; never counted.
    pub assertions: Vec<Record>,
    /// Results that were cross-checked.
    pub verified: Vec<Record>,
    /// Corrections and supersessions.
    pub changes: Vec<Record>,
    /// One chain of events a registrar, with the outbox rows that it adds up to.
    pub chains: Vec<Chain>,
    /// Events and refusals that are no registrar's own word.
    pub strays: Vec<Stray>,
    /// Whether it still holds, as far as was looked.
    pub currency: Currency,
    /// Lines that authorise nothing, on the same commits.
    pub set_aside: Vec<SetAside>,
    /// What is missing.
    pub gaps: Vec<String>,
}

impl Life {
    /// Whether something is missing or at fault, so that this may not be all, or not the truth.
    pub fn is_undecided(&self) -> bool {
        self.state != "sound"
    }
}

/// Reads the life of one envelope; `progress` is told how many of how many notes are read.
///
/// # Errors
/// When there is no such proposal, several are meant, or the shelves can't be read.
pub fn read(context: &Context, options: &ReadOptions, progress: &dyn Fn(u64, Option<u64>)) -> Result<Life, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    // Versions and contradictions may stand on any note.
    let annotated = session.shelves.annotated()?;
    let total = u64::try_from(annotated.len()).ok();
    for (oid, done) in annotated.iter().zip(0..) {
        progress(done, total);
        noted.read(&session, oid)?;
    }
    let what = options.what.as_deref().unwrap_or("HEAD");
    let found = subject::proposals(&session, &noted, what, &subject::to_name)?;
    let docket = Docket::new(noted.artifacts());
    let (digest, statement) = chosen(&docket, what, found)?;
    let envelope = statement.predicate;
    let around = Around::of((&session, &noted), &docket, digest, &envelope);
    let mut life = around.life(envelope);
    let mut all: BTreeSet<Oid> = around.notes();
    if options.contradictions {
        all.extend(annotated);
    }
    life.set_aside = noted.bad_lines(&around.notes()).into_iter().map(aside).collect();
    life.gaps = noted.gaps(&all).into_iter().map(|gap| gap.text).collect();
    let broken = session.shelves.broken.iter().filter(|broken| broken.listed);
    life.gaps.extend(broken.map(|broken| format!("{}: {}", broken.reference, broken.text)));
    if options.contradictions {
        life.currency = currency::look(&around, &life);
    }
    if !life.gaps.is_empty() || life.chains.iter().any(|chain| chain.known && !chain.faults.is_empty()) {
        life.state = "undecided";
    }
    Ok(life)
}

/// Of several payloads of one envelope's last version, which its actor may have signed to tell two stories, the one that a ledger took
/// in first: the others are told with it.
fn chosen(
    docket: &Docket,
    what: &str,
    mut found: Vec<(Digest, Statement<Envelope>)>,
) -> Result<(Digest, Statement<Envelope>), AppError> {
    let one = found.iter().map(|(_, it)| it.predicate.envelope_id).collect::<BTreeSet<_>>().len() == 1;
    if !one {
        return Err(subject::several(what, &found));
    }
    let last = found.iter().map(|(_, it)| it.predicate.version).max();
    found.retain(|(_, it)| Some(it.predicate.version) == last);
    found.sort_by_key(|(digest, _)| docket.get(digest).map(shown));
    Ok(found.remove(0))
}

/// What listed registrars took in goes first, since anybody else's clock may say anything.
fn shown(recorded: &Recorded) -> (bool, impl Ord + use<>) {
    (!recorded.entries.iter().any(|entry| entry.listed), order::shown(recorded))
}

/// Everything that the parts of a life are found in.
pub(super) struct Around<'a, 's> {
    pub digest: Digest,
    pub docket: &'a Docket,
    pub id: EnvelopeId,
    pub noted: &'a Noted,
    pub session: &'a Session<'s>,
    /// Every version, in their order.
    pub versions: Vec<(Digest, &'a Envelope, &'a Recorded)>,
}

impl<'a, 's> Around<'a, 's> {
    fn of(
        (session, noted): (&'a Session<'s>, &'a Noted),
        docket: &'a Docket,
        digest: Digest,
        envelope: &Envelope,
    ) -> Self {
        let mut versions: Vec<_> = docket
            .all()
            .filter_map(|recorded| match recorded.artifact.value() {
                Artifact::EvidenceEnvelope(it) if it.predicate.envelope_id == envelope.envelope_id => {
                    Some((recorded.artifact.digest(), &it.predicate, recorded))
                }
                _ => None,
            })
            .collect();
        versions.sort_by_key(|(_, envelope, recorded)| (envelope.version, shown(recorded)));
        Around { digest, docket, id: envelope.envelope_id, noted, session, versions }
    }

    fn life(&self, payload: Envelope) -> Life {
        let recorded = self.docket.get(&self.digest).expect("the proposal was found among these");
        let (chains, strays) = chains::of(self);
        let decisions = decisions::of(self);
        let links = |wanted: &dyn Fn(&Artifact) -> bool| -> Vec<Record> {
            self.sorted(|one| wanted(one.artifact.value()) && chains::links(self, one).next().is_some())
                .into_iter()
                .map(|one| describe(self.session, self.noted, one))
                .collect()
        };
        Life {
            state: "sound",
            id: recorded.artifact.id(),
            digest: self.digest,
            envelope_id: self.id,
            version: payload.version,
            commit: recorded.note,
            by: describe(self.session, self.noted, recorded).by,
            by_its_actor: payload::by_its_actor(self, &payload, recorded),
            bindings: payload::bindings(self, &payload),
            versions: payload::versions(self),
            equivocations: payload::equivocations(self),
            authority: self.authority(&payload),
            contexts: self.records(
                |artifact| matches!(artifact, Artifact::ContextReceipt(it) if it.predicate.envelope_id == self.id),
            ),
            decision: decisions::original(&decisions, self.digest),
            decisions,
            approvals: said::approvals(self),
            proofs: said::proofs(self),
            work_receipts: said::work_receipts(self),
            evidence: said::evidence(self, &payload),
            assertions: links(&|artifact| chains::kind_of(self, artifact) == Some("assertion")),
            verified: links(&|artifact| chains::kind_of(self, artifact) == Some("verified")),
            changes: links(&|artifact| chains::kind_of(self, artifact) == Some("change")),
            chains,
            strays,
            currency: Currency::unknown(),
            set_aside: Vec::new(),
            gaps: Vec::new(),
            payload,
        }
    }

    /// The notes of all versions and of what they were pinned to.
    fn notes(&self) -> BTreeSet<Oid> {
        let pins = self.versions.iter().filter_map(|(_, envelope, _)| envelope.bindings.source_expected.value());
        self.versions.iter().map(|(_, _, recorded)| recorded.note).chain(pins.copied()).collect()
    }

    /// Whether a digest is that of a version.
    fn is_version(&self, digest: &Digest) -> bool {
        self.versions.iter().any(|(one, ..)| one == digest)
    }

    fn sorted(&self, wanted: impl Fn(&Recorded) -> bool) -> Vec<&'a Recorded> {
        let mut found: Vec<&Recorded> = self.docket.all().filter(|recorded| wanted(recorded)).collect();
        found.sort_by_key(|recorded| order::shown(recorded));
        found
    }

    fn records(&self, wanted: impl Fn(&Artifact) -> bool) -> Vec<Record> {
        let found = self.sorted(|recorded| wanted(recorded.artifact.value()));
        found.into_iter().map(|recorded| describe(self.session, self.noted, recorded)).collect()
    }

    fn authority(&self, payload: &Envelope) -> Vec<Record> {
        let Some(lease) = payload.bindings.lease.value() else { return Vec::new() };
        let revoked = |recorded: &&Recorded| matches!(recorded.artifact.value(), Artifact::Revocation(_));
        let all = self.docket.get(lease).into_iter().chain(self.docket.about(lease).filter(revoked));
        all.map(|recorded| describe(self.session, self.noted, recorded)).collect()
    }
}
