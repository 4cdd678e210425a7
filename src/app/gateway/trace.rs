//! TRACE: what the ledger holds of one session, and whether it hangs together. Anybody with the notes can ask; no file of the machine
//! that the agent ran on is looked at.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Serialize;

use super::super::context::Context;
use super::super::error::AppError;
use super::super::subject;
use crate::codec::artifact::Artifact;
use crate::codec::canonical;
use crate::crypto::key_id;
use crate::gate::facts::Recorded;
use crate::gather::Session;
use crate::gather::notes::Noted;
use crate::ledger::Frontier;
use crate::model::digest::Digest;
use crate::model::gateway::{Access, AccessRecord, Installation, SessionSeal};
use crate::model::id::{ArtifactId, Oid};
use crate::model::key::PublicKey;
use crate::model::time::Timestamp;

/// How a trace ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceEnd {
    /// The session was closed: nothing follows.
    Closed,
    /// Nothing says so: it may be running, or have been killed, and more may have happened than is here.
    Open,
}

/// A session, complete or with what is wrong with it.
#[derive(Debug, Serialize)]
pub struct Trace {
    /// The session.
    pub id: ArtifactId,
    /// Its digest.
    pub digest: Digest,
    /// What it was sealed with.
    pub seal: SessionSeal,
    /// What was installed; none where the record is not here.
    pub installation: Option<Installation>,
    /// The commit it is noted on.
    pub commit: Oid,
    /// When its ledger shows it.
    pub began_at: Option<Timestamp>,
    /// Who signed it: the registrar's label, or its id where it is not listed.
    pub registrar: String,
    /// Whether the trust document lists that registrar.
    pub listed: bool,
    /// In order.
    pub accesses: Vec<Access>,
    /// RFC 9162 root over them, recomputed.
    pub root: Digest,
    /// How it ends.
    pub end: TraceEnd,
    /// Why it does not hang together; empty for a sound one.
    pub faults: Vec<String>,
}

/// The parts of a session's trace, in order.
pub(super) struct Parts {
    pub(super) commit: Oid,
    pub(super) faults: Vec<String>,
    /// Digest of the last part.
    pub(super) last: Option<Digest>,
    pub(super) parts: Vec<Rc<AccessRecord>>,
    /// What is amiss beside the chain of parts: lines of its registrar that authorise nothing, and what is missing.
    amiss: Vec<String>,
    session: Rc<Recorded>,
    /// The registrar that the session itself names, which signed it.
    signer: PublicKey,
}

/// Reads the trace of a session, named by its id or digest.
///
/// # Errors
/// When there is no such session here.
pub fn trace(context: &Context, what: &str) -> Result<Trace, AppError> {
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let noted = Noted::default();
    let found = Parts::of(&session, &noted, what)?;
    let seal = found.seal().clone();
    let installation = match subject::artifact(&session, &noted, &seal.installation.to_string()) {
        Ok(Some(recorded)) => match recorded.artifact.value() {
            Artifact::Installation(it) => Some(it.predicate.clone()),
            _ => None,
        },
        _ => None,
    };
    let signer = found.signer;
    let party = session.trust.party(&signer);
    let began =
        found.session.entries.iter().filter(|entry| entry.registrar == key_id(&signer)).map(|entry| entry.at).min();
    let accesses: Vec<Access> = found.parts.iter().flat_map(|part| part.accesses.clone()).collect();
    let closed = found.faults.is_empty() && found.parts.last().is_some_and(|part| part.last);
    let mut faults = found.faults;
    faults.extend(found.amiss);
    if installation.is_none() {
        faults.push(format!("the installation {} is not here", ArtifactId::of(&seal.installation)));
    }
    Ok(Trace {
        id: found.session.artifact.id(),
        digest: found.session.artifact.digest(),
        installation,
        commit: found.commit,
        began_at: began,
        registrar: party.map_or_else(|| key_id(&signer).to_string(), |party| party.label.clone()),
        listed: found.session.entries.iter().any(|entry| entry.listed && entry.registrar == key_id(&signer)),
        root: root(&accesses),
        accesses,
        end: if closed { TraceEnd::Closed } else { TraceEnd::Open },
        faults,
        seal,
    })
}

fn root(accesses: &[Access]) -> Digest {
    let mut all = Frontier::default();
    accesses.iter().for_each(|access| all.push(&canonical::to_vec(access)));
    Digest(all.root())
}

impl Parts {
    pub(super) fn read(context: &Context, what: &str) -> Result<Self, AppError> {
        let repository = context.repository()?;
        Self::of(&context.open(&repository)?, &Noted::default(), what)
    }

    fn of(session: &Session<'_>, noted: &Noted, what: &str) -> Result<Self, AppError> {
        let found = subject::artifact(session, noted, what)?;
        let found = found.filter(|one| matches!(one.artifact.value(), Artifact::Session(_))).ok_or_else(|| {
            AppError::usage(format!("{what} is no session of a gateway"), "git boundary gateway trace")
        })?;
        let commit = found.artifact.value().noted_on().unwrap_or(found.note);
        noted.read(session, &commit)?;
        let named = match found.artifact.value() {
            Artifact::Session(it) => it.predicate.registrar,
            _ => unreachable!("a session was looked for"),
        };
        // Whoever else signs it too, or writes of it, is not whom it names.
        let signer = found.artifact.signers().iter().copied().find(|key| key_id(key) == named).ok_or_else(|| {
            AppError::fatal(
                format!("{} is not signed by {named}, which it names as its registrar", found.artifact.id()),
                "git boundary gateway trace",
            )
        })?;
        let own = |bad: &&crate::gate::facts::BadLineSeen| bad.registrar == named;
        let bad = noted.bad_lines(&[commit].into());
        let told = |bad: &crate::gate::facts::BadLineSeen| {
            format!("a line of its registrar in the note of {} authorises nothing: {}", commit.short(), bad.text)
        };
        let mut amiss: Vec<String> = bad.iter().filter(own).map(told).collect();
        amiss.extend(noted.gaps(&[commit].into()).into_iter().map(|gap| gap.text));
        let mut parts =
            Parts { amiss, commit, faults: Vec::new(), last: None, parts: Vec::new(), session: found, signer };
        parts.put_in_order(noted);
        Ok(parts)
    }

    /// The session's id.
    pub(super) fn id(&self) -> ArtifactId {
        self.session.artifact.id()
    }

    pub(super) fn seal(&self) -> &SessionSeal {
        match self.session.artifact.value() {
            Artifact::Session(it) => &it.predicate,
            _ => unreachable!("a session was looked for"),
        }
    }

    /// Follows the chain of parts from the first one. Parts by another key are nobody's word about this session.
    fn put_in_order(&mut self, noted: &Noted) {
        let (digest, signer) = (self.session.artifact.digest(), self.signer);
        let named = key_id(&signer);
        let mut after: BTreeMap<Option<Digest>, Vec<(Digest, Rc<AccessRecord>)>> = BTreeMap::new();
        for recorded in noted.artifacts().values() {
            if let Artifact::Access(it) = recorded.artifact.value()
                && it.predicate.session == digest
                && recorded.artifact.signed_by(&signer)
                && recorded.entries.iter().any(|entry| entry.registrar == named)
            {
                let part = Rc::new(it.predicate.clone());
                after.entry(it.predicate.previous).or_default().push((recorded.artifact.digest(), part));
            }
        }
        let mut all = Frontier::default();
        while let Some(mut next) = after.remove(&self.last) {
            if next.len() > 1 {
                let ids: Vec<String> = next.iter().map(|(digest, _)| ArtifactId::of(digest).to_string()).collect();
                self.faults.push(format!("two parts follow one another's place: {}", ids.join(" and ")));
                break;
            }
            let (digest, part) = next.remove(0);
            let id = ArtifactId::of(&digest);
            if self.parts.last().is_some_and(|before| before.last) {
                self.faults.push(format!("{id} follows the part that says that nothing does"));
            }
            for access in &part.accesses {
                if access.seq != all.size() {
                    self.faults.push(format!("{id} has access {} in the place of {}", access.seq, all.size()));
                }
                all.push(&canonical::to_vec(access));
            }
            if Digest(all.root()) != part.root {
                self.faults.push(format!(
                    "{id} names the root {}, and the accesses have {}",
                    part.root,
                    Digest(all.root())
                ));
            }
            self.last = Some(digest);
            self.parts.push(part);
        }
        for (digest, part) in after.values().flatten() {
            let missing = part.previous.map_or_else(String::new, |it| ArtifactId::of(&it).to_string());
            self.faults.push(format!("{} follows {missing}, which is not here", ArtifactId::of(digest)));
        }
    }
}
