//! COVER: every commit of the range has something that speaks for it (contract, section 7).

use std::collections::{BTreeSet, HashMap};

use super::{CREATE_HANDOFF, Judgement};
use crate::codec::in_toto::Kind;
use crate::crypto::trust::Standing;
use crate::gate::case::{bad_claim, own, typed_key, typed_name};
use crate::gate::facts::{Elsewhere, Facts, Gap, Likeness};
use crate::gate::handoffs::{live, live_holder};
use crate::gate::tried::Tried;
use crate::gate::verdict::{CommitStanding, CommitStatus, Finding};
use crate::model::count;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::party::Role;
use crate::model::policy::Rule;
use crate::model::refusal::Code;
use crate::model::typed::typed_ref;

/// Most people that are named in one sentence.
const PEOPLE_SHOWN: usize = 3;

impl Judgement<'_> {
    /// Every commit that needs cover lies in the range of a proposal that passes.
    pub(super) fn cover(&mut self, rule: &Rule, tried: &[Tried<'_>]) {
        let mut by_commit: HashMap<Oid, Vec<&Tried<'_>>> = HashMap::new();
        let mut tips: BTreeSet<Oid> = BTreeSet::new();
        for one in tried {
            tips.insert(one.case.proposal.tip);
            for oid in &one.case.proposal.range {
                by_commit.entry(*oid).or_default().push(one);
            }
        }
        let facts = self.facts;
        let is_tip = |oid: &Oid| facts.update.tip == Some(*oid);
        // A tip with proposals of its own is judged by those: one further down can't speak for it.
        let covering_all = |oid: &Oid| -> Vec<&Tried<'_>> {
            let own_only = is_tip(oid) && tips.contains(oid);
            let all = by_commit.get(oid).into_iter().flatten().copied();
            all.filter(|one| !own_only || one.case.proposal.tip == *oid).collect()
        };
        for oid in facts.range.iter().filter(|oid| self.needs_no_cover(rule, oid).is_none()).collect::<Vec<_>>() {
            let covering = covering_all(oid);
            if !covering.iter().any(|one| one.passes()) {
                covering.into_iter().for_each(|one| self.leave_open(one));
            }
        }
        let mut blamed: BTreeSet<Digest> = BTreeSet::new();
        let mut uncovered: Vec<Oid> = Vec::new();
        for oid in &facts.range {
            let own_status = self.needs_no_cover(rule, oid);
            let (tip, has_own) = (is_tip(oid), tips.contains(oid));
            // Of several, one that passes, else the one that got furthest.
            let covering = covering_all(oid).into_iter().max_by_key(|one| one.standing());
            let standing = match (own_status, covering) {
                (Some(status), _) if !(tip && has_own) => self.stand(*oid, status, None, Vec::new()),
                (_, Some(one)) if one.passes() => {
                    self.rest_on(one);
                    self.stand(*oid, CommitStatus::Covered, Some(one.case.digest()), Vec::new())
                }
                (Some(status), _) => self.stand(*oid, status, None, Vec::new()),
                (None, Some(one)) => {
                    let codes = one.findings.iter().map(|finding| finding.code).collect();
                    if blamed.insert(one.case.digest()) {
                        self.blame(one);
                    }
                    self.stand(*oid, CommitStatus::Refused, Some(one.case.digest()), codes)
                }
                (None, None) => {
                    let codes = match bad_claim(self.facts, *oid, own(Kind::EvidenceEnvelope)) {
                        Some(finding) => {
                            let code = finding.code;
                            self.against(finding);
                            vec![code]
                        }
                        None => {
                            uncovered.push(*oid);
                            vec![Code::ContextReceiptMissing]
                        }
                    };
                    self.stand(*oid, CommitStatus::Refused, None, codes)
                }
            };
            self.verdict.commits.push(standing);
        }
        for finding in self.uncovered(rule, &uncovered) {
            self.against(finding);
        }
        if !uncovered.is_empty() {
            self.verdict.advice.extend(own_work(self.facts, rule));
        }
        for oid in &self.facts.baselines {
            let standing =
                CommitStanding { codes: Vec::new(), envelope: None, oid: *oid, status: CommitStatus::Baseline };
            self.verdict.commits.push(standing);
        }
        let tip = self.facts.update.tip;
        let judged = tried.iter().filter(|one| Some(one.case.proposal.tip) == tip).max_by_key(|one| one.standing());
        if let Some(one) = judged.or_else(|| tried.iter().max_by_key(|one| one.standing())) {
            self.verdict.proposal = Some(one.case.digest());
            if self.verdict.findings.is_empty() {
                self.take_checks(one);
            }
        }
    }

    /// A passing proposal is used; where git could not tell all of what it rests on, that leaves the answer open.
    pub(super) fn rest_on(&mut self, one: &Tried<'_>) {
        if !self.rested_on.insert(one.case.digest()) {
            return;
        }
        self.verdict.used.push(one.case.digest());
        if let Some(text) = &one.untold {
            self.verdict.gaps.push(Gap { command: Some("git fetch".to_owned()), text: text.clone() });
        }
    }

    /// Whatever hides the tip hides all that it reaches: a range with anything in it has the tip.
    pub(super) fn whole_range(&mut self) {
        let Facts { range, update, .. } = self.facts;
        if let Some(tip) = update.tip.filter(|tip| !range.is_empty() && !range.contains(tip)) {
            let text = format!("the range that was read does not hold its own tip {}", tip.short());
            self.verdict.gaps.push(Gap { command: None, text });
        }
    }

    fn stand(&self, oid: Oid, status: CommitStatus, envelope: Option<Digest>, codes: Vec<Code>) -> CommitStanding {
        let incomplete = !self.verdict.gaps.is_empty() || !self.facts.absent.is_empty();
        let (mut status, mut codes) = (status, codes);
        if let Some(denied) = self.denied.get(&oid) {
            codes.extend(denied);
            codes.sort_unstable();
            status = CommitStatus::Refused;
        }
        let (status, codes) = if status == CommitStatus::Refused && incomplete {
            let kept: Vec<Code> = codes.into_iter().filter(|code| !code.is_absence()).collect();
            if kept.is_empty() { (CommitStatus::Undecided, vec![Code::SnapshotUnavailable]) } else { (status, kept) }
        } else {
            (status, codes)
        };
        CommitStanding { codes, envelope, oid, status }
    }

    /// A person's signed commit, where the rule lets that count, and a merge that touches nothing of its own.
    fn needs_no_cover(&self, rule: &Rule, oid: &Oid) -> Option<CommitStatus> {
        let commit = self.facts.commits.get(oid)?;
        if commit.parents.len() > 1 && commit.touched.is_empty() {
            return Some(CommitStatus::Merge);
        }
        let signer = commit.ssh_signer.filter(|_| rule.people_by_signature)?;
        let listed = rule.people.iter().any(|id| self.facts.trust.resolve(&id.to_string()) == Some(signer));
        let good = self.facts.trust.standing(&signer, Role::Person, self.facts.now) == Standing::Good;
        (listed && good).then_some(CommitStatus::Person)
    }

    /// Why commits that no proposal's range holds are refused: one sentence for all of them, since one proposal at the newest covers
    /// them together.
    fn uncovered(&self, rule: &Rule, commits: &[Oid]) -> Vec<Finding> {
        let Some(newest) = commits.first() else { return Vec::new() };
        let reference = &self.facts.update.reference;
        let holder = live_holder(self.facts).map(|to| typed_key(self.facts, &to));
        let at =
            if self.facts.update.tip == Some(*newest) { String::new() } else { format!(" --at {}", newest.short()) };
        let mut text = match commits.len() {
            1 => format!("{} needs a proposal for {reference} and has none", newest.short()),
            several => format!(
                "{} and {} need a proposal for {reference} and have none",
                newest.short(),
                count::of(several - 1, "more commit", "more commits")
            ),
        };
        if let Some(one) = self.facts.elsewhere.iter().find(|one| commits.contains(&one.commit)) {
            text.push_str(&nearest(one));
        }
        let pinned = live(self.facts).map(|(_, it)| &it.predicate.pin).find(|pin| pin.commit == *newest);
        if let Some(pin) = pinned.filter(|pin| holder.is_some() && pin.reference != *reference) {
            text.push_str(&format!(
                "; the handoff pins it, so that it is not its holder's work: it belongs on {} first",
                pin.reference
            ));
            let command = format!("git boundary propose --ref {}{at} --key <your own key>", typed_ref(&pin.reference));
            return vec![Finding::new(Code::ContextReceiptMissing, text).with_command(command)];
        }
        let command = match (&holder, rule.handoff) {
            (Some(holder), _) => format!("git boundary propose{at} --key {holder}"),
            (None, true) => CREATE_HANDOFF.to_owned(),
            (None, false) => format!("git boundary propose{at} --key <key>"),
        };
        let mut findings = vec![Finding::new(Code::ContextReceiptMissing, text).with_command(command)];
        if rule.handoff && holder.is_none() {
            findings.push(
                Finding::new(Code::SourceHandoffMissing, format!("no live handoff has {reference} in scope"))
                    .with_command(CREATE_HANDOFF),
            );
        }
        findings
    }
}

/// Whom the rule lists, and what they type. No key is filled in: whoever follows a printed command must not end up signing as the owner.
fn own_work(facts: &Facts, rule: &Rule) -> Option<String> {
    let good = |id: &KeyId| {
        let party = facts.trust.party_of(id)?;
        (facts.trust.standing(&party.key, Role::Person, facts.now) == Standing::Good).then(|| typed_name(facts, id))
    };
    let people: Vec<String> = rule.people.iter().filter_map(good).take(PEOPLE_SHOWN).collect();
    let command = "git boundary propose --key <your own key>";
    (!people.is_empty()).then(|| {
        format!("a person whom the rule lists ({}) proposes their own work with: {command}", people.join(", "))
    })
}

/// Where the receipts of a rewritten commit stayed.
fn nearest(one: &Elsewhere) -> String {
    let (commit, proposal, tip) = (one.commit.short(), ArtifactId::of(&one.proposal), one.tip.short());
    let why = match one.likeness {
        Likeness::Change => {
            return format!(
                "; the change of {commit} stands in proposal {proposal} about {tip}, whose receipts are not those of another commit"
            );
        }
        Likeness::Named => "its message names that one",
        Likeness::Tree => "both have the same tree",
        Likeness::Author => "both have the same author and time",
    };
    format!(
        "; {commit} may be a rewritten {tip} ({why}), which has proposal {proposal}: receipts are not those of another commit"
    )
}
