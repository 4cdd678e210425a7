//! EVIDENCE ABOUT A RESULT: what test results and observations of a work receipt come to (contract, section 9).

use std::collections::{BTreeMap, BTreeSet};

use super::checks::evidence::open_contradiction;
use super::clock;
use super::facts::{Facts, Recorded};
use super::order;
use crate::codec::artifact::Artifact;
use crate::crypto::trust::{Party, Standing};
use crate::model::digest::Digest;
use crate::model::id::ArtifactId;
use crate::model::party::Role;
use crate::model::test_result::ObservedResult;

/// How much stands behind a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Nothing that counts.
    None,
    /// The word of one domain that is not the actor's.
    Structural,
    /// The word of two such domains or more.
    Corroborated,
}

/// The kinds of evidence, by the words that policies use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvidenceKind {
    /// What somebody saw of the running thing.
    Observation,
    /// A test run.
    TestResult,
}

impl EvidenceKind {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            EvidenceKind::Observation => "observation",
            EvidenceKind::TestResult => "test_result",
        }
    }
}

/// One artifact of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EvidenceItem {
    /// Its digest.
    pub digest: Digest,
    /// Its kind.
    pub kind: EvidenceKind,
}

/// What stands for and against a result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// Open material contradictions: the work receipt or the passing evidence, and what contradicts it.
    pub contradicted: BTreeMap<Digest, ArtifactId>,
    /// Failures that stand, by domain. Each stands until the same domain passes the same kind later.
    pub failing: BTreeMap<String, BTreeSet<EvidenceItem>>,
    /// What passed, by domain, for domains of which no failure stands.
    pub passing: BTreeMap<String, BTreeSet<EvidenceItem>>,
}

impl Evidence {
    /// How many domains stand behind the result.
    pub fn tier(&self) -> Tier {
        match self.passing.len() {
            0 => Tier::None,
            1 => Tier::Structural,
            _ => Tier::Corroborated,
        }
    }

    /// The kinds of what passed.
    pub fn kinds(&self) -> BTreeSet<EvidenceKind> {
        self.passing.values().flatten().map(|item| item.kind).collect()
    }

    /// Whether something passed, nothing fails and nothing is contradicted.
    pub fn holds(&self) -> bool {
        self.tier() > Tier::None && self.failing.is_empty() && self.contradicted.is_empty()
    }
}

/// What counts as evidence about a work receipt: signed by a key that stood good in the role `evidence` when it was recorded, in another
/// domain than the actor's. Nothing that an actor says of its own work does.
pub fn evidence_about(facts: &Facts, receipt: &Digest, actor: &Party) -> Evidence {
    let mut found: BTreeMap<(&str, EvidenceKind), Run<'_>> = BTreeMap::new();
    for recorded in facts.artifacts.about(receipt) {
        let Some((kind, passed)) = said(recorded) else { continue };
        for domain in domains(facts, recorded, actor) {
            let run = found.entry((domain, kind)).or_default();
            if passed { run.passed.push(recorded) } else { run.failed.push(recorded) }
        }
    }
    let mut evidence = Evidence::default();
    for ((domain, kind), run) in &found {
        let item = |recorded: &&Recorded| EvidenceItem { digest: recorded.artifact.digest(), kind: *kind };
        let stands = |failed: &&&Recorded| !run.passed.iter().any(|passed| order::is_later(passed, failed));
        let standing: BTreeSet<EvidenceItem> = run.failed.iter().filter(stands).map(item).collect();
        if !standing.is_empty() {
            evidence.failing.entry((*domain).to_owned()).or_default().extend(standing);
        }
        let passed: BTreeSet<EvidenceItem> = run.passed.iter().map(item).collect();
        if !passed.is_empty() {
            evidence.passing.entry((*domain).to_owned()).or_default().extend(passed);
        }
    }
    let failing = &evidence.failing;
    evidence.passing.retain(|domain, _| !failing.contains_key(domain));
    let passing = evidence.passing.values().flatten().map(|item| item.digest);
    let targets: BTreeSet<Digest> = passing.chain([*receipt]).collect();
    evidence.contradicted =
        targets.into_iter().filter_map(|target| Some((target, open_contradiction(facts, &target)?))).collect();
    evidence
}

/// What one domain said in one kind.
#[derive(Default)]
struct Run<'a> {
    failed: Vec<&'a Recorded>,
    passed: Vec<&'a Recorded>,
}

/// The kind, and whether it passed without a failure. What passed with warnings did not.
fn said(recorded: &Recorded) -> Option<(EvidenceKind, bool)> {
    match recorded.artifact.value() {
        Artifact::TestResult(it) => Some((EvidenceKind::TestResult, it.passes())),
        Artifact::Observation(it) => Some((EvidenceKind::Observation, it.predicate.result == ObservedResult::Passed)),
        _ => None,
    }
}

/// The domains that answer for it.
fn domains<'a>(facts: &'a Facts, recorded: &Recorded, actor: &Party) -> BTreeSet<&'a str> {
    let speaks = |party: &&Party| {
        let (standing, _) = clock::standing(facts, recorded, &party.key, Role::Evidence);
        standing == Standing::Good && party.domain != actor.domain
    };
    let parties = recorded.artifact.signers().iter().filter_map(|key| facts.trust.party(key));
    parties.filter(speaks).map(|party| party.domain.as_str()).collect()
}
