//! What a handoff gives as things are now: its owner's word, its lease, and what took its place.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::app::error::AppError;
use crate::codec::artifact::Artifact;
use crate::crypto::trust::Standing;
use crate::gate::clock;
use crate::gather::notes::Noted;
use crate::gather::{Session, directory, handoffs};
use crate::model::digest::Digest;
use crate::model::handoff::Handoff;
use crate::model::id::{ArtifactId, KeyId};
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::time::Timestamp;

/// Whether somebody can work under a handoff, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its holder can.
    Live,
    /// Its lease runs, and a renewal that is live took its place.
    Renewed,
    /// Its lease runs, and its pin is no longer where the rules want its branch to stand.
    Stale,
    /// Its lease runs, and its holder is not trusted as actor.
    HolderUntrusted,
    /// Its lease has not begun.
    NotYet,
    /// Its lease is over.
    Expired,
    /// An owner ended it.
    Revoked,
    /// It gives no lease.
    NoLease,
    /// Whoever signed it is not trusted as owner.
    Untrusted,
    /// It is for another repository.
    Elsewhere,
}

impl State {
    /// As shown and stored in JSON.
    pub fn name(self) -> &'static str {
        match self {
            State::Live => "live",
            State::Renewed => "renewed",
            State::Stale => "stale",
            State::HolderUntrusted => "holder_untrusted",
            State::NotYet => "not_yet",
            State::Expired => "expired",
            State::Revoked => "revoked",
            State::NoLease => "no_lease",
            State::Untrusted => "untrusted",
            State::Elsewhere => "elsewhere",
        }
    }

    /// Whether its lease runs and its owner stands to it, whoever holds it and whatever came after it.
    pub fn runs(self) -> bool {
        matches!(self, State::Live | State::Renewed | State::Stale | State::HolderUntrusted)
    }
}

/// A handoff as it stands.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// Its id.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// Whether somebody can work under it.
    pub state: State,
    /// The statement.
    pub handoff: Handoff,
    /// The holder's label.
    pub to: String,
    /// The owner's label.
    pub from: String,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// The live renewal that took its place.
    pub renewed_by: Option<ArtifactId>,
    /// When a ledger first had it, and where in that ledger: of two that were given in one second, which is the later one.
    #[serde(skip)]
    pub entered: Option<(Timestamp, u64)>,
}

/// How each handoff stands, what renews it among all those that are live included.
///
/// # Errors
/// When the shelves can't be read.
pub fn stand(session: &Session<'_>, noted: &Noted, digests: &[Digest]) -> Result<Vec<Shown>, AppError> {
    let mut shown: Vec<Shown> = digests.iter().filter_map(|digest| state_of(session, noted, digest)).collect();
    if shown.iter().any(|one| one.state.runs()) {
        let taken = replaced(session, noted)?;
        for one in shown.iter_mut().filter(|one| one.state.runs()) {
            if let Some(by) = taken.get(&one.digest) {
                one.state = State::Renewed;
                one.renewed_by = Some(ArtifactId::of(by));
            }
        }
    }
    Ok(shown)
}

/// What each renewal that is live took the place of: the handoff that it renews, and all which that one renewed in its turn.
fn replaced(session: &Session<'_>, noted: &Noted) -> Result<BTreeMap<Digest, Digest>, AppError> {
    let running = |digest: &Digest| state_of(session, noted, digest).filter(|one| one.state.runs());
    let live: Vec<Shown> = directory::live(session, noted)?.iter().filter_map(running).collect();
    let is_known = |one: &Shown| one.handoff.renews.is_none_or(|renewed| noted.artifact(&renewed).is_some());
    if live.len() > 1 && !live.iter().all(is_known) {
        // A link of the chain has run out before its ends did.
        directory::all(session, noted)?;
    }
    let renews = |digest: &Digest| {
        let recorded = noted.artifact(digest)?;
        // Only an owner's word leads from one handoff to another.
        clock::speaks(&session.trust, session.now, &recorded, Role::Owner)
            .then(|| handoffs::statement(noted, digest)?.predicate.renews)?
    };
    let direct: BTreeSet<Digest> = live.iter().filter_map(|one| one.handoff.renews).collect();
    let mut taken = BTreeMap::new();
    let mut last: Vec<&Shown> = live.iter().filter(|one| !direct.contains(&one.digest)).collect();
    last.sort_by_key(|one| one.entered);
    for one in last {
        let mut next = one.handoff.renews;
        while let Some(renewed) = next {
            // Digests make no circles: each names what was there before it.
            taken.insert(renewed, one.digest);
            next = renews(&renewed);
        }
    }
    Ok(taken)
}

fn state_of(session: &Session<'_>, noted: &Noted, digest: &Digest) -> Option<Shown> {
    let (recorded, statement) = (noted.artifact(digest)?, handoffs::statement(noted, digest)?);
    let handoff = statement.predicate;
    let revoked_at = noted
        .on(
            &handoff.pin.commit,
            |artifact| matches!(artifact, Artifact::Revocation(it) if it.predicate.target == *digest),
        )
        .iter()
        .filter_map(|revocation| noted.artifact(revocation))
        .filter(|revocation| clock::speaks(&session.trust, session.now, revocation, Role::Owner))
        .filter_map(|revocation| revocation.entries.iter().map(|entry| entry.at).min())
        .min();
    let owned = clock::speaks(&session.trust, session.now, &recorded, Role::Owner);
    let here = statement.subject.is_some_and(|subject| subject.repository == session.trust.repository());
    let acts = |key: PublicKey| session.trust.standing(&key, Role::Actor, session.now) == Standing::Good;
    let state = match handoff.lease {
        _ if !here => State::Elsewhere,
        _ if !owned => State::Untrusted,
        _ if revoked_at.is_some() => State::Revoked,
        None => State::NoLease,
        Some(lease) if session.now < lease.not_before => State::NotYet,
        Some(lease) if session.now > lease.expires_at => State::Expired,
        Some(_) if !session.trust.resolve(&handoff.to.to_string()).is_some_and(acts) => State::HolderUntrusted,
        Some(_) => State::Live,
    };
    let label = |id: &KeyId| session.trust.party_of(id).map_or_else(|| id.to_string(), |party| party.label.clone());
    let (to, from) = (label(&handoff.to), label(&handoff.from));
    let entered = recorded.entries.iter().map(|entry| (entry.at, entry.index)).min();
    let id = ArtifactId::of(digest);
    Some(Shown { id, digest: *digest, state, handoff, to, from, revoked_at, renewed_by: None, entered })
}
