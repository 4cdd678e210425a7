//! CONTENTS: what a bundle holds once every signature, chain and ledger proof in it was verified.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::Verifier;
use super::answer::BundleAnswer;
use super::form::{Bundle, CarriedCommit};
use super::ledgers::{self, Places};
use crate::codec::artifact::Artifact;
use crate::codec::dsse::Dsse;
use crate::crypto::trust::Trust;
use crate::gate::facts::{CommitFacts, PolicyFacts, Recorded};
use crate::gather::line::{keep, read_line, witnesses};
use crate::gather::session::policy_facts;
use crate::git::Commit;
use crate::ledger::entry::line_digest;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::key::PublicKey;
use crate::store::StoredLine;
use crate::store::chains::verify_policy;
use crate::store::shelves::Place;

/// Most notes in which one line is looked at: each costs a verification.
pub const MAX_NOTES: usize = 64;
/// Most readings of lines altogether.
const MAX_READINGS: usize = 100_000;

/// What was verified.
pub struct Contents {
    /// Artifacts and where they stand.
    pub artifacts: BTreeMap<Digest, Rc<Recorded>>,
    /// Commits whose bytes hash to their ids.
    pub commits: BTreeMap<Oid, CommitFacts>,
    /// The key of each registrar.
    pub keys: BTreeMap<KeyId, PublicKey>,
    /// The policy chain.
    pub policies: PolicyFacts,
    /// The trust chain.
    pub trust: Rc<Trust>,
}

/// Verifies all that a bundle holds; `None` once anything of it is wrong, which the answer says then.
pub fn open(bundle: &Bundle, verifier: &Verifier, answer: &mut BundleAnswer) -> Option<Contents> {
    let trust = trust(bundle, verifier, answer)?;
    let lines: Vec<Vec<u8>> = bundle.policy.iter().map(|line| line.as_bytes().to_vec()).collect();
    let policies = match verify_policy("the bundle's policy", &lines, &trust, verifier.now) {
        Ok(chain) => policy_facts(&chain),
        Err(error) => {
            answer.defect("the policy chain", error);
            return None;
        }
    };
    answer.policy = policies.in_force;
    let places = ledgers::open(&bundle.ledgers, &trust, answer);
    let artifacts = artifacts(bundle, &trust, &places, answer);
    let commits = commits(&bundle.commits, answer);
    answer.artifacts = artifacts.len() as u64;
    answer.defects.is_empty().then_some(Contents {
        artifacts,
        commits,
        keys: places.keys,
        policies,
        trust: trust.into(),
    })
}

fn trust(bundle: &Bundle, verifier: &Verifier, answer: &mut BundleAnswer) -> Option<Trust> {
    let lines: Vec<Vec<u8>> = bundle.trust.iter().map(|line| line.as_bytes().to_vec()).collect();
    let trust = match Trust::verify(&lines, verifier.root) {
        Ok(trust) => trust,
        Err(error) => {
            answer.defect("the trust chain", error);
            return None;
        }
    };
    answer.repository = Some(trust.repository());
    answer.trust_version = Some(trust.version());
    if let Some(wanted) = verifier.min_trust_version.filter(|wanted| *wanted > trust.version()) {
        let text = format!("is at version {}, at least {wanted} was asked for", trust.version());
        // An old file is nobody's lie: what it shows may have been right, and is not believed today.
        answer.gaps.push(format!("the trust chain {text}"));
        return None;
    }
    if bundle.repository != trust.repository() {
        let text = format!("is about {}, its trust chain is that of {}", bundle.repository, trust.repository());
        answer.defect("the file", text);
        return None;
    }
    Some(trust)
}

fn artifacts(
    bundle: &Bundle,
    trust: &Trust,
    places: &Places,
    answer: &mut BundleAnswer,
) -> BTreeMap<Digest, Rc<Recorded>> {
    let (mut artifacts, mut here) = (BTreeMap::new(), BTreeSet::new());
    let (mut before, mut readings) = (None, 0_usize);
    let witnesses_of = |place: &Place| {
        let cosigned = places.witnessed.get(&place.registrar).map(Vec::as_slice).unwrap_or_default();
        witnesses(cosigned, place.entry.index)
    };
    for (number, line) in (1_u64..).zip(&bundle.artifacts) {
        let digest = match Dsse::parse(line.as_bytes()) {
            Ok(envelope) => envelope.digest(),
            Err(defect) => {
                answer.defect(&format!("artifact number {number}"), defect);
                continue;
            }
        };
        let what = ArtifactId::of(&digest).to_string();
        let key = (digest, line);
        if before.is_some_and(|before| before >= key) {
            answer.defect(&what, "is out of order, or stands twice");
        }
        before = Some(key);
        let hash = line_digest(line.as_bytes());
        here.insert(hash);
        let Some(notes) = places.of.get(&hash) else {
            answer.defect(&what, "stands in no ledger that the bundle shows");
            continue;
        };
        readings = readings.saturating_add(notes.len());
        if notes.len() > MAX_NOTES || readings > MAX_READINGS {
            answer.defect(&what, format!("stands in {} notes, which is more than is looked at", notes.len()));
            continue;
        }
        for (note, places) in notes {
            let stored = StoredLine { line: line.as_bytes().to_vec(), places: places.clone() };
            match read_line(trust, note, &stored, &|_| true, &witnesses_of) {
                Ok(Some(recorded)) => match of_another(trust, recorded.artifact.value()) {
                    None => keep(&mut artifacts, recorded),
                    Some(defect) => answer.defect(&what, defect),
                },
                Ok(None) => {}
                Err(amiss) => answer.defect(&what, amiss.text),
            }
        }
    }
    for place in
        places.of.iter().filter(|(line, _)| !here.contains(*line)).flat_map(|(_, notes)| notes.values().flatten())
    {
        let artifact = ArtifactId::of(&place.entry.entry.artifact);
        let ledger = ledgers::name(trust, &place.registrar);
        let text = format!("stands in the ledger of {ledger} as entry {}, and its line is not here", place.entry.index);
        answer.defect(&artifact.to_string(), text);
    }
    artifacts
}

/// Why an artifact of another repository has no place here.
fn of_another(trust: &Trust, artifact: &Artifact) -> Option<String> {
    let other = artifact.subject()?.repository;
    (other != trust.repository()).then(|| format!("is of {other}, this bundle is of {}", trust.repository()))
}

fn commits(carried: &[CarriedCommit], answer: &mut BundleAnswer) -> BTreeMap<Oid, CommitFacts> {
    let mut commits = BTreeMap::new();
    let mut before = None;
    for CarriedCommit { oid, raw } in carried {
        let what = format!("commit {oid}");
        if before.is_some_and(|before| before >= *oid) {
            answer.defect(&what, "is out of order, or stands twice");
        }
        before = Some(*oid);
        let Ok(raw) = BASE64_STANDARD.decode(raw) else {
            answer.defect(&what, "is not in base64");
            continue;
        };
        match Commit::of_bytes(*oid, raw) {
            Ok(Commit { tree, parents, .. }) => {
                let facts = CommitFacts { change_list: None, parents, ssh_signer: None, touched: Vec::new(), tree };
                commits.insert(*oid, facts);
            }
            Err(defect) => answer.defect(&what, defect),
        }
    }
    commits
}
