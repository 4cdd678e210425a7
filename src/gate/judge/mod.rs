//! JUDGEMENT: the cover rule, and the nine checks over every proposal that could give it (contract, section 7).

mod cover;
mod moves;
mod remarks;
mod standing;

use std::collections::{BTreeMap, HashSet};

use super::case::Case;
use super::decisions::Decisions;
use super::facts::Facts;
use super::open::{cut_off, expired, unread_owner};
use super::rule::{Match, RefusedBecause, rule_for};
use super::tried::{Tried, replaced, try_case};
use super::verdict::{Finding, Outcome, Verdict};
use super::write;
use crate::model::decision::CheckVerdict;
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::policy::Rule;
use crate::model::refusal::{Check, Code};

/// Owner commands are printed with the key left open: an agent that follows them as they stand never signs as the owner.
pub const CREATE_HANDOFF: &str = "git boundary handoff create --to <holder> --path '<pathspec>' --key <owner>";

/// Judges one ref update. A pure function of what was gathered.
pub fn judge(facts: &Facts) -> Verdict {
    let Some((_, policy)) = facts.policy() else {
        let why = facts.policies.defect.clone().unwrap_or_else(|| "no policy is signed".to_owned());
        let finding = Finding::new(Code::PolicyUnresolved, why).with_command("git boundary policy sign --key <owner>");
        return Judgement::new(facts).whole(vec![finding]);
    };
    match rule_for(policy, &facts.update.reference) {
        Match::Boundary | Match::Open => Judgement::new(facts).ungoverned(),
        Match::Refused(because) => Judgement::new(facts).whole(vec![Finding::new(
            Code::PolicyActionForbidden,
            format!("{}: {}", facts.update.reference, refused_because(because)),
        )]),
        Match::Rule { rule, .. } => Judgement::new(facts).governed(rule),
    }
}

/// Judges a claim of completion, one of the gathered proposals. A pure function of what was gathered.
pub fn judge_claim(facts: &Facts, claim: &Digest) -> Verdict {
    let judgement = Judgement::new(facts);
    let Some((_, policy)) = facts.policy() else { return judge(facts) };
    let Match::Rule { rule, .. } = rule_for(policy, &facts.update.reference) else {
        // A push there is left alone. A claim is a statement, and none is admitted unseen.
        let text = format!("no rule governs {}, so that nothing says what a claim rests on", facts.update.reference);
        return judgement.whole(vec![Finding::new(Code::EvidenceCompletionUnsupported, text)]);
    };
    let decided = Decisions::of(facts, &rule.diet);
    let proposal = facts.proposals.iter().find(|one| one.digest == *claim);
    match proposal.and_then(|proposal| Case::new(facts, rule, &decided, proposal)) {
        Some(case) => judgement.claim(try_case(case, facts, &replaced(facts))),
        None => judgement
            .whole(vec![Finding::new(Code::EvidenceReferenceUnresolved, format!("the claim {claim} is not found"))]),
    }
}

/// Judges a wish to write a file, one of the gathered proposals. A pure function of what was gathered.
pub fn judge_write(facts: &Facts, wish: &Digest) -> Verdict {
    let judgement = Judgement::new(facts);
    let Some((_, policy)) = facts.policy() else { return judge(facts) };
    let rule = match write::rule(policy, &facts.update.reference) {
        Ok(rule) => rule,
        Err(why) => return judgement.whole(vec![Finding::new(Code::PolicyActionForbidden, why)]),
    };
    let decided = Decisions::of(facts, &rule.diet);
    let proposal = facts.proposals.iter().find(|one| one.digest == *wish);
    match proposal.and_then(|proposal| Case::new(facts, &rule, &decided, proposal)) {
        Some(case) => Judgement::new(facts).claim(try_case(case, facts, &replaced(facts))),
        None => judgement
            .whole(vec![Finding::new(Code::EvidenceReferenceUnresolved, format!("the proposal {wish} is not found"))]),
    }
}

pub(super) fn refused_because(because: RefusedBecause) -> &'static str {
    match because {
        RefusedBecause::Default => "no rule matches and the policy's default is refuse",
        RefusedBecause::NoRefName => "this is no well-formed ref name",
        RefusedBecause::LooksLikeBoundary => "some file systems would take this for one of the boundary's own refs",
        RefusedBecause::UnreadablePolicy => "the policy holds a ref pattern that can't be read",
    }
}

fn if_it_holds_nothing(finding: &Finding) -> String {
    let command = finding.command.as_ref().map_or_else(String::new, |command| format!("; then: {command}"));
    format!("if it holds nothing of this, {}: {}{command}", finding.code, finding.text)
}

struct Judgement<'a> {
    /// Codes of the denials and abstentions that stand, by commit.
    denied: BTreeMap<Oid, Vec<Code>>,
    facts: &'a Facts,
    /// The same digests as in `verdict.used`.
    rested_on: HashSet<Digest>,
    verdict: Verdict,
}

impl<'a> Judgement<'a> {
    fn new(facts: &'a Facts) -> Self {
        let mut gaps = facts.gaps.clone();
        gaps.extend(expired(facts));
        gaps.extend(unread_owner(facts));
        gaps.extend(cut_off(facts));
        let verdict = Verdict {
            advice: Vec::new(),
            checks: Check::ALL.into_iter().map(|check| (check, CheckVerdict::NotApplicable)).collect(),
            commits: Vec::new(),
            findings: Vec::new(),
            gaps,
            governed: true,
            notices: Vec::new(),
            outcome: Outcome::Admitted,
            proposal: None,
            used: Vec::new(),
        };
        Judgement { denied: BTreeMap::new(), facts, rested_on: HashSet::new(), verdict }
    }

    fn ungoverned(mut self) -> Verdict {
        self.verdict.governed = false;
        self.verdict.gaps.clear();
        self.verdict
    }

    /// A verdict that no single commit is to blame for.
    fn whole(mut self, findings: Vec<Finding>) -> Verdict {
        for finding in findings {
            self.against(finding);
        }
        self.conclude()
    }

    fn governed(mut self, rule: &'a Rule) -> Verdict {
        let update = &self.facts.update;
        if update.tip.is_none() && !update.new.is_zero() && self.facts.gaps.is_empty() {
            let text = format!(
                "{} would get {}, which is no commit; of a ref that a rule governs every commit is judged, and nothing else can be",
                update.reference,
                update.new.short()
            );
            return self.whole(vec![Finding::new(Code::PolicyActionForbidden, text)]);
        }
        let decided = Decisions::of(self.facts, &rule.diet);
        let range: HashSet<Oid> = self.facts.range.iter().copied().collect();
        let replaced = replaced(self.facts);
        let tried: Vec<Tried<'_>> = self
            .facts
            .proposals
            .iter()
            .filter_map(|proposal| Case::new(self.facts, rule, &decided, proposal))
            // A claim that work is done moves nothing, and a file that is written is in no commit: both speak for none.
            .filter(|case| !case.is_completion() && !case.is_write())
            // Who asks for a deletion speaks for no commit, and who proposes commits asks for no deletion.
            .filter(|case| case.asks_deletion() == self.facts.update.new.is_zero())
            // A proposal speaks where its tip is judged: in the range, or as what is pushed; a deletion's is noted on the old tip.
            .filter(|case| self.facts.update.new.is_zero() || case.is_tip() || range.contains(&case.proposal.tip))
            .map(|case| try_case(case, self.facts, &replaced))
            .collect();
        self.denials(&decided);
        self.malformed();
        if self.facts.update.new.is_zero() {
            self.deletion(&tried);
        } else {
            self.whole_range();
            self.cover(rule, &tried);
            self.moves(&tried);
        }
        self.remarks(&tried);
        self.conclude()
    }

    fn claim(mut self, one: Tried<'_>) -> Verdict {
        self.verdict.proposal = Some(one.case.digest());
        self.leave_open(&one);
        self.blame(&one);
        if one.passes() {
            self.rest_on(&one);
        }
        self.conclude()
    }

    /// What could not be looked at for a proposal that might have passed otherwise.
    fn leave_open(&mut self, one: &Tried<'_>) {
        if one.is_open() {
            for gap in &one.case.proposal.gaps {
                if !self.verdict.gaps.contains(gap) {
                    self.verdict.gaps.push(gap.clone());
                }
            }
        }
    }

    fn blame(&mut self, one: &Tried<'_>) {
        self.take_checks(one);
        for finding in &one.findings {
            self.against(finding.clone());
        }
    }

    fn take_checks(&mut self, one: &Tried<'_>) {
        for (check, verdict) in &one.checks {
            let held = self.verdict.checks.entry(*check).or_insert(CheckVerdict::NotApplicable);
            if *held == CheckVerdict::NotApplicable {
                *held = *verdict;
            }
        }
    }

    fn against(&mut self, finding: Finding) {
        if self.verdict.findings.iter().any(|known| known.code == finding.code && known.text == finding.text) {
            return;
        }
        self.verdict.findings.push(finding);
    }

    /// Nobody is refused for lack of what a ledger may hold of which nothing is here. It is said all the same what else would be the
    /// reason, since that ledger may never have been written.
    fn look_elsewhere(&mut self) {
        // Bytes that wait are sent nowhere, so that an owner's word about a write is given here or nowhere.
        let is_write = self.facts.write.is_some();
        let lacking =
            |finding: &&Finding| finding.code.is_absence() && !(is_write && finding.code == Code::ApprovalMissing);
        let notices: Vec<String> = self.verdict.findings.iter().filter(lacking).map(if_it_holds_nothing).collect();
        if self.verdict.gaps.is_empty() && !self.facts.absent.is_empty() && !notices.is_empty() {
            self.verdict.gaps.extend(self.facts.absent.iter().cloned());
            self.verdict.notices.extend(notices);
        }
    }

    fn conclude(mut self) -> Verdict {
        self.look_elsewhere();
        if !self.verdict.gaps.is_empty() {
            // What was not looked at is not absent (contract, section 7, "Exit statuses").
            self.verdict.findings.retain(|finding| !finding.code.is_absence());
        }
        self.verdict.findings.sort_by_key(|finding| finding.code.rank());
        for finding in &self.verdict.findings {
            self.verdict.checks.insert(finding.code.check(), CheckVerdict::Refused);
        }
        self.verdict.outcome = match (self.verdict.findings.is_empty(), self.verdict.gaps.is_empty()) {
            (false, _) => Outcome::Refused,
            (true, false) => Outcome::Undecided,
            (true, true) => Outcome::Admitted,
        };
        if self.verdict.outcome == Outcome::Undecided {
            self.verdict.checks.insert(Check::Snapshot, CheckVerdict::Undecided);
        }
        self.verdict
    }
}
