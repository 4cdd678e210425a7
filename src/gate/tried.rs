//! TRIED: one proposal after its nine checks, and how far it got.

use std::collections::{BTreeMap, HashSet};

use crate::model::decision::CheckVerdict;
use crate::model::digest::Digest;
use crate::model::envelope::Envelope;
use crate::model::refusal::{Check, Code};
use crate::model::typed::typed_ref;

use super::case::Case;
use super::checks;
use super::facts::{Facts, ProposalFacts};
use super::verdict::Finding;
use super::write;

/// A case and what its checks found.
pub(super) struct Tried<'a> {
    /// The proposal under its rule.
    pub(super) case: Case<'a>,
    /// What each check said.
    pub(super) checks: BTreeMap<Check, CheckVerdict>,
    /// What stands against it, by rank.
    pub(super) findings: Vec<Finding>,
    /// Whether its actor has no later version of it here, which would be what is meant by now.
    is_newest: bool,
    /// What of it git could not tell, so that passing its checks admits nothing.
    pub(super) untold: Option<String>,
}

impl Tried<'_> {
    /// Whether nothing stands against it.
    pub(super) fn passes(&self) -> bool {
        self.findings.is_empty() && self.case.proposal.gaps.is_empty()
    }

    /// Whether it might pass, could everything be looked at.
    pub(super) fn is_open(&self) -> bool {
        !self.case.proposal.gaps.is_empty() && self.findings.iter().all(|finding| finding.code.is_absence())
    }

    /// By this the best of several is taken: one that passes, else one that might; else the one that got furthest.
    pub(super) fn standing(&self) -> (bool, bool, bool, bool, u8) {
        (self.passes(), self.is_open(), self.is_newest, self.untold.is_none(), self.reach())
    }

    /// The lowest rank among its findings; the higher it is, the further the proposal got.
    fn reach(&self) -> u8 {
        self.findings.iter().map(|finding| finding.code.rank()).min().unwrap_or(u8::MAX)
    }
}

/// The proposals of which the same actor signed a later version that was gathered.
pub(super) fn replaced(facts: &Facts) -> HashSet<Digest> {
    let actor =
        |envelope: &Envelope| envelope.bindings.actor.value().and_then(|id| facts.trust.resolve(&id.to_string()));
    let earlier = |later: &ProposalFacts| {
        let earlier = facts.envelope(&later.digest)?.predicate.predecessor?;
        let key = actor(&facts.envelope(&earlier)?.predicate)?;
        facts.artifacts.get(&later.digest)?.artifact.signed_by(&key).then_some(earlier)
    };
    facts.proposals.iter().filter_map(earlier).collect()
}

/// Runs the nine checks over a case; `replaced` as [`replaced`] gives it.
pub(super) fn try_case<'a>(case: Case<'a>, facts: &Facts, replaced: &HashSet<Digest>) -> Tried<'a> {
    let mut checks = BTreeMap::new();
    let mut findings = Vec::new();
    for check in Check::ALL {
        let verdict = match checks::run(check, &case) {
            None => CheckVerdict::NotApplicable,
            Some(found) if found.is_empty() => CheckVerdict::Passed,
            Some(found) => {
                findings.extend(found);
                CheckVerdict::Refused
            }
        };
        checks.insert(check, verdict);
    }
    if let Some(finding) = fits(&case, facts) {
        checks.insert(Check::Context, CheckVerdict::Refused);
        findings.push(finding);
    }
    for finding in write::against(&case) {
        checks.insert(finding.code.check(), CheckVerdict::Refused);
        findings.push(finding);
    }
    findings.sort_by_key(|finding| finding.code.rank());
    let untold = untold(&case);
    let is_newest = !replaced.contains(&case.digest());
    Tried { case, checks, findings, is_newest, untold }
}

/// What git could not tell of a proposal, though nobody reported a gap: the gate believes no fact that is not there.
fn untold(case: &Case<'_>) -> Option<String> {
    if case.is_completion() {
        // It rests on receipts and on nothing of git's.
        return None;
    }
    if let Some(oid) = case.proposal.range.iter().find(|oid| !case.facts.commits.contains_key(oid)) {
        return Some(format!("what {} touches is not known", oid.short()));
    }
    let commits = || case.proposal.range.iter().filter_map(|oid| case.facts.commits.get(oid));
    if let Some(touch) = commits().flat_map(|commit| &commit.touched).find(|touch| touch.operations.is_empty()) {
        return Some(format!("what was done to {} is not known", String::from_utf8_lossy(&touch.path)));
    }
    let Some((handoff, _)) = case.handoff() else {
        let wanted = !case.is_person && case.rule.proofs.count > 0 && case.proposal.starts_at.is_none();
        return wanted.then(|| "where the proposed change starts is not known".to_owned());
    };
    let questions = [
        (handoff.pin_known, "whether the pinned revision is here"),
        (handoff.pin_in_base, "whether the pinned revision is in the base's history"),
        (handoff.base.oid.map(|_| true), "where the base stands"),
        (handoff.tip_descends, "whether the work descends from the pinned revision"),
    ];
    let open = questions.into_iter().find(|(answer, _)| answer.is_none());
    open.map(|(_, question)| format!("{question} is not known"))
}

/// Where the tip has a proposal of its own, the pushed ref and new value must be its action's; landing on the handoff's pinned ref
/// needs no second one.
fn fits(case: &Case<'_>, facts: &Facts) -> Option<Finding> {
    let update = &facts.update;
    if !case.is_tip() || update.purpose.is_past() {
        return None;
    }
    let action = case.envelope().requested_action.as_ref()?;
    let equal_change = case.statement.subject.as_ref().map(|subject| subject.commit) != Some(case.proposal.tip);
    if action.reference == update.reference && (action.new == update.new || equal_change) {
        return None;
    }
    let lands_on_pin = case.handoff().and_then(|(_, statement)| statement).is_some_and(|handoff| {
        handoff.predicate.pin.reference == update.reference
            && (action.new == update.new || equal_change)
            && (update.old.is_zero() || update.fast_forward == Some(true))
    });
    if lands_on_pin {
        return None;
    }
    let who = case.envelope().bindings.actor.value().map_or_else(|| "<key>".to_owned(), |id| case.key(id));
    Some(
        Finding::new(
            Code::ContextReceiptMissing,
            format!(
                "proposal {} is for {} at {}, the push is {} at {}",
                case.recorded.artifact.id(),
                action.reference,
                action.new.short(),
                update.reference,
                update.new.short()
            ),
        )
        .with_command(format!("git boundary propose --ref {} --key {who}", typed_ref(&update.reference))),
    )
}
