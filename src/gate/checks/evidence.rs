//! EVIDENCE: the boundary proofs that the rule wants, references, and contradictions.

mod completion;

use std::collections::BTreeSet;

use super::Found;
use crate::codec::artifact::{Artifact, ClaimedKind};
use crate::crypto::trust::{Party, Standing, Trust};
use crate::gate::case::Case;
use crate::gate::clock;
use crate::gate::decisions;
use crate::gate::docket::Docket;
use crate::gate::facts::{Facts, Recorded};
use crate::gate::order;
use crate::gate::proof::ProofReport;
use crate::gate::verdict::Finding;
use crate::model::boundary_proof::CheckDecision;
use crate::model::count;
use crate::model::decision::{Contradiction, ContradictionState};
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, Oid};
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::refusal::{Check, Code};
use crate::model::time::Timestamp;

/// Runs the check.
pub fn check(case: &Case<'_>) -> Found {
    let mut findings = Vec::new();
    references(case, &mut findings);
    trees(case, &mut findings);
    contradictions(case, &mut findings);
    completion::supported(case, &mut findings);
    findings.extend(case.short_of_proofs(Check::Evidence));
    Some(findings)
}

fn references(case: &Case<'_>, findings: &mut Vec<Finding>) {
    if let Some((facts, None)) = case.handoff() {
        let pin = case.envelope().bindings.source_expected.value();
        let claimed =
            pin.and_then(|pin| case.bad_claim(*pin, super::super::case::own(crate::codec::in_toto::Kind::Handoff)));
        if claimed.is_none() {
            findings.push(unresolved("handoff", &facts.digest));
        }
    }
    for reference in &case.envelope().evidence {
        if case.facts.artifacts.get(&reference.digest).is_none() {
            findings.push(unresolved(&reference.kind, &reference.digest));
        }
    }
}

/// What the proposal says of trees is what git says of them: checkers and equal changes are judged by it.
fn trees(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let mut other = |what: String, said: Oid, is: Oid| {
        findings.push(Finding::new(
            Code::EvidenceDigestMismatch,
            format!("proposal {} says {what} has tree {said}, it has {is}", case.recorded.artifact.id()),
        ));
    };
    if let Some(about) = &case.statement.subject
        && let Some(commit) = case.facts.commits.get(&about.commit)
        && commit.tree != about.tree
    {
        other(about.commit.short(), about.tree, commit.tree);
    }
    let said = case.envelope().change.base_tree;
    let starts = match case.handoff() {
        Some((_, handoff)) => handoff.map(|handoff| handoff.predicate.pin.tree),
        None => case.proposal.starts_at,
    };
    if let Some(starts) = starts.filter(|starts| *starts != said) {
        other("what it starts from".to_owned(), said, starts);
    }
}

fn unresolved(kind: &str, digest: &Digest) -> Finding {
    Finding::new(Code::EvidenceReferenceUnresolved, format!("the {kind} {digest} that the proposal names is not found"))
        .with_command("git fetch")
}

fn contradictions(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let mut targets: BTreeSet<Digest> = BTreeSet::from([case.digest()]);
    targets.extend(case.proposal.handoff.as_ref().map(|handoff| handoff.digest));
    targets.extend(case.proofs().iter().map(|report| report.digest));
    for target in targets {
        if let Some(by) = open_contradiction(case.facts, &target) {
            let target = ArtifactId::of(&target);
            let text = format!("{target} is contradicted by {by}, and that is not resolved");
            let command = format!("git boundary contradict {target} --resolve --key <owner>");
            findings.push(Finding::new(Code::EvidenceContradicted, text).with_command(command));
        }
    }
}

/// An open material contradiction of an artifact, by a key in the role `evidence` or `owner`.
pub fn open_contradiction(facts: &Facts, target: &Digest) -> Option<ArtifactId> {
    let open = open_contradictions(&facts.artifacts, &facts.trust, facts.now, target);
    open.into_iter().find(|(_, said)| said.material).map(|(recorded, _)| recorded.artifact.id())
}

/// Contradictions of an artifact, material or not, that nobody has resolved who could: an owner, or who contradicted it.
///
/// A resolution that is not material leaves a material contradiction open.
pub fn open_contradictions<'a>(
    artifacts: &'a Docket,
    trust: &Trust,
    now: Timestamp,
    target: &Digest,
) -> Vec<(&'a Recorded, &'a Contradiction)> {
    let said = |state: ContradictionState| {
        artifacts.about(target).filter_map(move |recorded| match recorded.artifact.value() {
            Artifact::Contradiction(it) if it.predicate.state == state => Some((recorded, &it.predicate)),
            _ => None,
        })
    };
    // Anybody may sign a contradiction along; only the keys whose word counts are those that contradicted.
    let heard = |recorded: &Recorded, roles: &[Role]| -> BTreeSet<PublicKey> {
        let speaks = |key: &&PublicKey| {
            let as_of = clock::as_of(trust, now, recorded, trust.party(key));
            roles.iter().any(|role| trust.standing(key, *role, as_of.at) == Standing::Good)
        };
        recorded.artifact.signers().iter().filter(speaks).copied().collect()
    };
    let either = [Role::Evidence, Role::Owner];
    said(ContradictionState::Open)
        .filter(|(open, contradiction)| {
            let by = heard(open, &either);
            !by.is_empty()
                && !said(ContradictionState::Resolved).any(|(resolved, resolution)| {
                    (resolution.material || !contradiction.material)
                        && order::is_later(resolved, open)
                        && (!heard(resolved, &[Role::Owner]).is_empty() || !heard(resolved, &either).is_disjoint(&by))
                })
        })
        .collect()
}

/// Why too few proofs count, or nothing. The findings carry the codes of whichever group they belong to; each check keeps its own.
pub fn short_of_proofs(case: &Case<'_>) -> Vec<Finding> {
    let wanted = case.rule.proofs;
    // What a claim of completion rests on was proven before it landed.
    if case.is_person || case.is_completion() || wanted.count == 0 {
        return Vec::new();
    }
    let subjects: BTreeSet<Digest> = case.proofs().iter().map(|report| report.subject).chain([case.digest()]).collect();
    let (mut checkers, mut domains, mut weak) = (BTreeSet::new(), BTreeSet::new(), None);
    for report in case.proofs().iter().filter(|report| report.decision == CheckDecision::Allow && report.holds()) {
        let Some(checker) = report.checker else { continue };
        if report.strength.is_none_or(|strength| strength < wanted.strength) {
            weak = Some(report);
            continue;
        }
        if case.decided.is_last(&checker.domain, &subjects, report) {
            checkers.insert(checker.key);
            domains.insert(&checker.domain);
        }
    }
    let (count, from) = (checkers.len() as u64, domains.len() as u64);
    if count >= wanted.count && from >= wanted.domains {
        return Vec::new();
    }
    let mut findings = explain(case, weak);
    findings.extend(case.decided.against(case.facts, &subjects).into_iter().map(decisions::finding));
    if findings.is_empty() {
        findings.push(missing(case, count, from));
    }
    findings
}

/// What claims the empty place and does not count.
fn explain(case: &Case<'_>, weak: Option<&ProofReport<'_>>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for report in case.proofs() {
        if let Some(Err(first)) = report.checks.iter().find(|check| check.is_err()) {
            findings.push(first.clone());
        } else if report.decision == CheckDecision::Partial {
            findings.push(Finding::new(
                Code::PolicyDecisionDenied,
                format!("proof {} decides partial, which authorises no ref update", report.recorded.artifact.id()),
            ));
        }
    }
    if let Some(report) = weak {
        findings.push(Finding::new(
            Code::EvidenceBoundaryInvalid,
            format!(
                "the anchor of proof {} is of strength {}, the rule wants {}",
                report.recorded.artifact.id(),
                report.strength.map_or("none", |strength| strength.name()),
                case.rule.proofs.strength.name()
            ),
        ));
    }
    if findings.is_empty() {
        findings.extend(case.bad_claim(case.recorded.note, ClaimedKind::BoundaryProof));
    }
    findings
}

fn missing(case: &Case<'_>, counting: u64, domains: u64) -> Finding {
    let wanted = case.rule.proofs;
    let actors = case.actor_party().map(|actor| &actor.domain);
    let good = |party: &&Party| {
        case.facts.trust.standing(&party.key, Role::Checker, case.facts.now) == Standing::Good
            && Some(&party.domain) != actors
    };
    let checkers: Vec<&Party> = case.facts.trust.parties().filter(good).collect();
    let id = case.recorded.artifact.id();
    let command = match checkers.as_slice() {
        [] => "git boundary trust add <name> --role checker --new-key --key <owner>".to_owned(),
        [one] => format!("git boundary check run {id} --input diff --key {} -- <command>", case.key(&one.id)),
        // Which of them is at hand, only whoever reads this knows.
        _ => format!("git boundary check run {id} --input diff --key <checker> -- <command>"),
    };
    Finding::new(
        Code::EvidenceBoundaryMissing,
        format!(
            "proposal {id} has {} from {}; {} wants {} from {}",
            count::of(counting, "counting proof", "counting proofs"),
            count::of(domains, "domain", "domains"),
            case.facts.update.reference,
            wanted.count,
            wanted.domains
        ),
    )
    .with_command(command)
}
