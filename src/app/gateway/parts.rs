//! PARTS: a session and the parts of its trace, taken from verified artifacts alone and put in order. The same for a repository's notes and
//! for a file: nothing in here reads either.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::codec::artifact::Artifact;
use crate::codec::canonical;
use crate::crypto::key_id;
use crate::crypto::trust::Trust;
use crate::gate::facts::{LedgerEntry, Recorded};
use crate::ledger::Frontier;
use crate::model::digest::Digest;
use crate::model::gateway::{Access, AccessRecord, Installation, SessionSeal};
use crate::model::id::{ArtifactId, KeyId};
use crate::model::key::PublicKey;
use crate::model::policy::Strength;
use crate::model::time::Timestamp;

/// A session and the parts of its trace, in order.
pub(in crate::app) struct Parts {
    /// Why the parts do not hang together; empty for a sound trace.
    pub faults: Vec<String>,
    /// In order, each with its digest.
    pub parts: Vec<(Digest, Rc<AccessRecord>)>,
    /// RFC 9162 root over the canonical JSON of all accesses, recomputed.
    pub root: Digest,
    session: Rc<Recorded>,
    /// The registrar that the session itself names, which signed it.
    signer: PublicKey,
    /// Where that registrar's ledger holds the session and its parts.
    entries: Vec<LedgerEntry>,
}

impl Parts {
    /// Of a session, with its parts from among these artifacts.
    ///
    /// # Errors
    /// In words, why the artifact is no session that its own registrar sealed.
    pub fn of(session: Rc<Recorded>, artifacts: &BTreeMap<Digest, Rc<Recorded>>) -> Result<Self, String> {
        let Artifact::Session(it) = session.artifact.value() else {
            return Err("is no session of a gateway".to_owned());
        };
        let named = it.predicate.registrar;
        // Whoever else signs it too, or writes of it, is not whom it names.
        let signer = session.artifact.signers().iter().copied().find(|key| key_id(key) == named);
        let signer = signer.ok_or_else(|| format!("is not signed by {named}, which it names as its registrar"))?;
        let Some(entry) = in_ledger_of(&session, &named).cloned() else {
            return Err(format!("stands in no ledger of {named}, which it names as its registrar"));
        };
        let root = Digest(Frontier::default().root());
        let mut parts = Parts { entries: vec![entry], faults: Vec::new(), parts: Vec::new(), root, session, signer };
        parts.put_in_order(artifacts);
        Ok(parts)
    }

    /// The session's id.
    pub fn id(&self) -> ArtifactId {
        self.session.artifact.id()
    }

    /// The session's digest.
    pub fn digest(&self) -> Digest {
        self.session.artifact.digest()
    }

    /// What it was sealed with.
    pub fn seal(&self) -> &SessionSeal {
        match self.session.artifact.value() {
            Artifact::Session(it) => &it.predicate,
            _ => unreachable!("nothing else is let in"),
        }
    }

    /// The registrar's key.
    pub fn signer(&self) -> &PublicKey {
        &self.signer
    }

    /// When the registrar's ledger took the session in.
    pub fn began_at(&self) -> Option<Timestamp> {
        self.entries.first().map(|entry| entry.at)
    }

    /// All calls, in order.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.parts.iter().flat_map(|(_, part)| &part.accesses)
    }

    /// Digest of the last part.
    pub fn last(&self) -> Option<Digest> {
        self.parts.last().map(|(digest, _)| *digest)
    }

    /// Whether the last part says that nothing follows, and nothing does.
    pub fn ended(&self) -> bool {
        self.faults.is_empty() && self.parts.last().is_some_and(|(_, part)| part.last)
    }

    /// Whether session and parts are all the word of a registrar that the trust document lists, in good standing.
    pub fn listed(&self) -> bool {
        self.entries.iter().all(|entry| entry.listed)
    }

    /// Whose word the trace is: `self` of a registrar that is not listed or shares the domain of who the session acts for, `witnessed` where
    /// somebody in another domain than both cosigned all of it (contract, section 6).
    pub fn strength(&self, trust: &Trust) -> Strength {
        let domain = |id: &KeyId| trust.party_of(id).map(|party| party.domain.as_str());
        let registrar = domain(&key_id(&self.signer));
        let actor = self.seal().actor.as_ref().and_then(domain);
        if !self.listed() || registrar.is_none() || registrar == actor {
            return Strength::Own;
        }
        let third = |entry: &LedgerEntry| {
            let holds = |size: u64| size > entry.index;
            entry
                .witnesses
                .iter()
                .any(|witness| holds(witness.size) && ![registrar, actor].contains(&Some(witness.domain.as_str())))
        };
        if self.entries.iter().all(third) { Strength::Witnessed } else { Strength::Other }
    }

    /// The installation that the session names, from among these artifacts.
    ///
    /// # Errors
    /// In words, why it is not here as its registrar recorded it.
    pub fn installation<'a>(&self, artifacts: &'a BTreeMap<Digest, Rc<Recorded>>) -> Result<&'a Installation, String> {
        let digest = self.seal().installation;
        let named = format!("the installation {}", ArtifactId::of(&digest));
        let found = artifacts.get(&digest).ok_or_else(|| format!("{named} is not here"))?;
        let Artifact::Installation(it) = found.artifact.value() else {
            return Err(format!("{named} is none"));
        };
        let registrar = key_id(&self.signer);
        if !found.artifact.signed_by(&self.signer) || in_ledger_of(found, &registrar).is_none() {
            return Err(format!("{named} is not the word of the session's registrar {registrar}"));
        }
        Ok(&it.predicate)
    }

    /// Whether an artifact is a part of this session's trace by its registrar.
    pub fn owns(&self, recorded: &Recorded) -> bool {
        match recorded.artifact.value() {
            Artifact::Access(it) => {
                it.predicate.session == self.digest()
                    && recorded.artifact.signed_by(&self.signer)
                    && in_ledger_of(recorded, &key_id(&self.signer)).is_some()
            }
            _ => false,
        }
    }

    /// Follows the chain of parts from the first one. Parts by another key are nobody's word about this session.
    fn put_in_order(&mut self, artifacts: &BTreeMap<Digest, Rc<Recorded>>) {
        let registrar = key_id(&self.signer);
        let mut after: BTreeMap<Option<Digest>, Vec<(Digest, Rc<AccessRecord>)>> = BTreeMap::new();
        let own: Vec<&Rc<Recorded>> = artifacts.values().filter(|recorded| self.owns(recorded)).collect();
        for recorded in own {
            if let Artifact::Access(it) = recorded.artifact.value() {
                let part = Rc::new(it.predicate.clone());
                after.entry(it.predicate.previous).or_default().push((recorded.artifact.digest(), part));
                self.entries.extend(in_ledger_of(recorded, &registrar).cloned());
            }
        }
        let mut all = Frontier::default();
        let mut forked = false;
        while let Some(mut next) = after.remove(&self.last()) {
            if next.len() > 1 {
                let ids: Vec<String> = next.iter().map(|(digest, _)| ArtifactId::of(digest).to_string()).collect();
                self.faults.push(format!("two parts follow one another's place: {}", ids.join(" and ")));
                forked = true;
                break;
            }
            let (digest, part) = next.remove(0);
            let id = ArtifactId::of(&digest);
            if self.parts.last().is_some_and(|(_, before)| before.last) {
                self.faults.push(format!("{id} follows the part that says that nothing does"));
            }
            for access in &part.accesses {
                if access.seq != all.size() {
                    self.faults.push(format!("{id} has access {} in the place of {}", access.seq, all.size()));
                }
                all.push(&canonical::to_vec(access));
            }
            self.root = Digest(all.root());
            if self.root != part.root {
                self.faults.push(format!("{id} names the root {}, and the accesses have {}", part.root, self.root));
            }
            self.parts.push((digest, part));
        }
        // What follows one of two has its place.
        for (digest, part) in after.values().flatten().filter(|_| !forked) {
            let missing = part.previous.map_or_else(String::new, |it| ArtifactId::of(&it).to_string());
            self.faults.push(format!("{} follows {missing}, which is not here", ArtifactId::of(digest)));
        }
    }
}

/// The first entry of an artifact in one registrar's ledger.
fn in_ledger_of<'a>(recorded: &'a Recorded, registrar: &KeyId) -> Option<&'a LedgerEntry> {
    recorded.entries.iter().filter(|entry| entry.registrar == *registrar).min_by_key(|entry| entry.index)
}
