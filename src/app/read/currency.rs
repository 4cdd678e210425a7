//! Whether an envelope still holds: nobody knows unless a snapshot was taken, and then only as far as that goes.

use serde::Serialize;

use super::{Around, Life, chains};
use crate::app::records::label_of;
use crate::codec::artifact::Artifact;
use crate::gate::checks::evidence::open_contradictions;
use crate::model::digest::Digest;
use crate::model::event::EventKind;
use crate::model::id::{ArtifactId, KeyId};
use crate::model::time::Timestamp;

/// Whether it still holds.
#[derive(Debug, Serialize)]
pub struct Currency {
    /// `unknown`, `current as far as this snapshot shows`, `corrected`, `superseded` or `contradicted`: the gravest that applies.
    pub state: &'static str,
    /// What that means, in a sentence.
    pub text: String,
    /// What was looked at; nothing was where this is `null`.
    pub snapshot: Option<Bound>,
    /// Open material contradictions.
    pub contradictions: Vec<Contradicted>,
    /// What it was corrected by.
    pub corrected_by: Vec<Changed>,
    /// What it was superseded by.
    pub superseded_by: Vec<Changed>,
}

/// How far a snapshot goes.
#[derive(Debug, Serialize)]
pub struct Bound {
    /// When it was taken.
    pub at: Timestamp,
    /// By which trust document keys were told apart.
    pub trust_version: u64,
    /// Its digest.
    pub trust: Digest,
    /// Every ledger that was read, and how far.
    pub ledgers: Vec<LedgerBound>,
    /// Listed registrars of whose ledger nothing is here.
    pub absent: Vec<String>,
    /// Whether all of that could be read.
    pub complete: bool,
}

/// One ledger in a snapshot.
#[derive(Debug, Serialize)]
pub struct LedgerBound {
    /// The registrar's label or id.
    pub registrar: String,
    /// Its key.
    pub registrar_id: KeyId,
    /// The ref it was read from.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Whether it is a listed registrar's.
    pub listed: bool,
    /// The size of its signed checkpoint.
    pub size: u64,
}

/// A contradiction that stands.
#[derive(Debug, Serialize)]
pub struct Contradicted {
    /// The contradiction.
    pub id: ArtifactId,
    /// What of the life it is about: `proposal`, `handoff`, `proof`, `work receipt` or `evidence`.
    pub about: &'static str,
    /// The artifact contradicted.
    pub target: ArtifactId,
    /// Labels of whose signatures verified.
    pub by: Vec<String>,
    /// Why, as they say.
    pub asserted: Vec<(String, String)>,
}

/// A correction or supersession by a registrar.
#[derive(Debug, Serialize)]
pub struct Changed {
    /// The event.
    pub event: ArtifactId,
    /// The proposal that takes its place.
    pub by: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// Whether that proposal is here.
    pub found: bool,
    /// Whose event it is.
    pub registrar: String,
}

impl Currency {
    /// Nothing was looked up, so that nothing is said.
    pub(super) fn unknown() -> Self {
        Currency {
            state: "unknown",
            text:
                "Nothing was looked up: whether it was contradicted since is not known. --check-contradictions looks."
                    .to_owned(),
            snapshot: None,
            contradictions: Vec::new(),
            corrected_by: Vec::new(),
            superseded_by: Vec::new(),
        }
    }
}

/// Looks at everything that was read, and says how far that goes.
pub(super) fn look(around: &Around<'_, '_>, life: &Life) -> Currency {
    let expired = around.session.trust.expired_at(around.session.now);
    let complete = life.gaps.is_empty() && expired.is_none();
    let contradictions = contradictions(around, life);
    let (corrected_by, superseded_by) = changes(around, life.version);
    let ids = |changed: &[Changed]| changed.iter().map(|one| one.by.to_string()).collect::<Vec<_>>().join(", ");
    let (state, text) = if !contradictions.is_empty() {
        let by = contradictions.iter().map(|one| format!("its {} by {}", one.about, one.id)).collect::<Vec<_>>();
        ("contradicted", format!("A material contradiction stands against {}.", by.join(", ")))
    } else if !superseded_by.is_empty() {
        ("superseded", format!("Superseded by {}.", ids(&superseded_by)))
    } else if !corrected_by.is_empty() {
        ("corrected", format!("Corrected by {}.", ids(&corrected_by)))
    } else if let Some(end) = expired {
        let version = around.session.trust.version();
        ("unknown", format!("Trust version {version} expired at {end}, and nothing can be told by it any more."))
    } else if !complete {
        ("unknown", "Not all of the snapshot could be read, and what is missing may be a contradiction.".to_owned())
    } else {
        let text = "Nothing in this snapshot contradicts, corrects or supersedes it. What others wrote and is not in it, it can't show.";
        ("current as far as this snapshot shows", text.to_owned())
    };
    let snapshot = Some(bound(around, complete));
    Currency { state, text, snapshot, contradictions, corrected_by, superseded_by }
}

fn bound(around: &Around<'_, '_>, complete: bool) -> Bound {
    let session = around.session;
    let label = |id: &KeyId| label_of(session, &id.to_string());
    let ledgers = session.shelves.open.iter().map(|shelf| LedgerBound {
        registrar: label(&shelf.registrar),
        registrar_id: shelf.registrar,
        reference: shelf.reference.clone(),
        listed: shelf.listed > 0,
        size: shelf.head.size,
    });
    Bound {
        at: session.now,
        trust_version: session.trust.version(),
        trust: session.trust.digest(),
        ledgers: ledgers.collect(),
        absent: session.shelves.absent.iter().map(label).collect(),
        complete,
    }
}

fn contradictions(around: &Around<'_, '_>, life: &Life) -> Vec<Contradicted> {
    let session = around.session;
    let mut targets: Vec<(&'static str, ArtifactId)> = vec![("proposal", life.id)];
    targets.extend(life.payload.bindings.lease.value().map(|digest| ("handoff", ArtifactId::of(digest))));
    targets.extend(life.proofs.iter().map(|one| ("proof", one.record.id)));
    targets.extend(life.work_receipts.iter().map(|one| ("work receipt", one.record.id)));
    targets.extend(life.evidence.iter().map(|one| ("evidence", one.record.id)));
    targets.extend(life.payload.evidence.iter().map(|one| ("evidence", ArtifactId::of(&one.digest))));
    let mut found: Vec<Contradicted> = Vec::new();
    for recorded in around.sorted(|recorded| matches!(recorded.artifact.value(), Artifact::Contradiction(_))) {
        let Artifact::Contradiction(it) = recorded.artifact.value() else { continue };
        let target = it.predicate.target;
        let Some((about, _)) = targets.iter().find(|(_, id)| *id == ArtifactId::of(&target)) else { continue };
        let open = open_contradictions(around.docket, &session.trust, session.now, &target);
        if open.iter().any(|(open, it)| it.material && open.artifact.digest() == recorded.artifact.digest()) {
            let record = crate::app::records::describe(session, around.noted, recorded);
            let (id, target) = (record.id, ArtifactId::of(&target));
            found.push(Contradicted { id, about, target, by: record.by, asserted: record.asserted });
        }
    }
    found
}

/// What listed registrars and this clone's own said of this version; what anybody else writes takes nothing from it.
fn changes(around: &Around<'_, '_>, version: u64) -> (Vec<Changed>, Vec<Changed>) {
    let (mut corrected, mut superseded) = (Vec::new(), Vec::new());
    for recorded in around.sorted(|recorded| chains::kind_of(around, recorded.artifact.value()) == Some("change")) {
        let Some(event) = chains::event(around, recorded.artifact.value()) else { continue };
        let heard =
            chains::links(around, recorded).find(|entry| entry.listed || chains::is_own(around, &entry.registrar));
        let Some(entry) = heard.filter(|_| event.version == Some(version)) else { continue };
        let changed = |by: &Digest| Changed {
            event: recorded.artifact.id(),
            by: ArtifactId::of(by),
            digest: *by,
            found: around.docket.get(by).is_some(),
            registrar: label_of(around.session, &entry.registrar.to_string()),
        };
        match &event.kind {
            EventKind::Corrected { by } => corrected.push(changed(by)),
            EventKind::Superseded { by } => superseded.push(changed(by)),
            _ => {}
        }
    }
    (corrected, superseded)
}
