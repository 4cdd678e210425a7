//! EVIDENCE ABOUT A RESULT: what test results and observations of a work receipt come to (contract, section 9).

use std::collections::{BTreeMap, BTreeSet};

use super::checks::evidence::open_contradiction;
use super::clock;
use super::facts::{Facts, Recorded};
use super::order;
use super::verdict::Finding;
use crate::codec::artifact::Artifact;
use crate::crypto::trust::{Party, Standing};
use crate::model::digest::Digest;
use crate::model::id::ArtifactId;
use crate::model::party::Role;
use crate::model::refusal::Code;
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

/// Why a work receipt of a complete action is no verified result: a code and a sentence for each reason; none when it is one, with the
/// evidence that makes it one (contract, section 9: a receipt by a registrar outside the actor's domain, and evidence about exactly
/// that receipt). `wanted` are the kinds of evidence that the rule asks for.
///
/// # Errors
/// The reasons.
pub fn verification(
    facts: &Facts,
    receipt: &Recorded,
    actor: &Party,
    wanted: &[String],
) -> Result<BTreeSet<Digest>, Vec<Finding>> {
    let (id, digest) = (receipt.artifact.id(), receipt.artifact.digest());
    let evidence = evidence_about(facts, &digest, actor);
    let mut against = Vec::new();
    let names = match receipt.artifact.value() {
        Artifact::WorkReceipt(it) => facts.trust.resolve(&it.predicate.actor.to_string()),
        _ => None,
    };
    if names != Some(actor.key) {
        let text = format!("work receipt {id} is not about work by {}", actor.label);
        against.push(Finding::new(Code::ResultReceiptMismatch, text));
    }
    for (target, by) in &evidence.contradicted {
        let target = ArtifactId::of(target);
        let text = format!("{target} is contradicted by {by}, and that is not resolved");
        against.push(
            Finding::new(Code::EvidenceContradicted, text)
                .with_command(format!("git boundary contradict {target} --resolve --key <evidence or owner>")),
        );
    }
    let mut unsupported = |text: String| {
        let add = format!("git boundary evidence add <file> --for {id} --key <evidence>");
        against.push(Finding::new(Code::EvidenceCompletionUnsupported, text).with_command(add));
    };
    let independent = receipt.artifact.signers().iter().filter_map(|key| facts.trust.party(key)).any(|party| {
        party.domain != actor.domain && clock::standing(facts, receipt, &party.key, Role::Registrar).0 == Standing::Good
    });
    if !independent {
        unsupported(format!(
            "work receipt {id} is by no listed registrar outside {:?}, the actor's own domain",
            actor.domain
        ));
    }
    for (domain, items) in &evidence.failing {
        let ids: Vec<String> = items.iter().map(|item| ArtifactId::of(&item.digest).to_string()).collect();
        unsupported(format!("by domain {domain:?} work receipt {id} has evidence that fails: {}", ids.join(", ")));
    }
    if evidence.tier() == Tier::None && evidence.failing.is_empty() {
        unsupported(format!(
            "work receipt {id} says that something happened; no evidence of a domain other than {:?} says that it works",
            actor.domain
        ));
    }
    let kinds = evidence.kinds();
    let has = |word: &str| match word {
        CORROBORATED => evidence.tier() == Tier::Corroborated,
        word => kinds.iter().any(|kind| kind.name() == word),
    };
    let lacking: Vec<&str> = wanted.iter().map(String::as_str).filter(|word| !has(word)).collect();
    if evidence.tier() > Tier::None && !lacking.is_empty() {
        unsupported(format!("the rule wants {} about work receipt {id}", lacking.join(" and ")));
    }
    if against.is_empty() {
        Ok(evidence.passing.values().flatten().map(|item| item.digest).collect())
    } else {
        Err(against)
    }
}

/// In a policy's `evidence`: by two domains.
pub const CORROBORATED: &str = "corroborated";
