//! JUDGEMENT: the cover rule, and the nine checks over every proposal that could give it (contract, section 7).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::codec::in_toto::Kind;
use crate::crypto::trust::Standing;
use crate::model::decision::CheckVerdict;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, EnvelopeId, KeyId, Oid};
use crate::model::operation::RefOperation;
use crate::model::party::Role;
use crate::model::policy::Rule;
use crate::model::refusal::{Check, Code};
use crate::model::time::Timestamp;

use super::case::{Case, bad_claim, own, typed_key, typed_name};
use super::checks::authority::ref_operations;
use super::decisions::{self, Decisions};
use super::facts::{Facts, Gap, Purpose};
use super::handoffs::live_holder;
use super::open::{expired, unread_owner};
use super::rule::{Match, RefusedBecause, rule_for};
use super::tried::{Tried, try_case};
use super::verdict::{CommitStanding, CommitStatus, Finding, Outcome, Verdict};

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

fn refused_because(because: RefusedBecause) -> &'static str {
    match because {
        RefusedBecause::Default => "no rule matches and the policy's default is refuse",
        RefusedBecause::NoRefName => "this is no well-formed ref name",
        RefusedBecause::LooksLikeBoundary => "some file systems would take this for one of the boundary's own refs",
        RefusedBecause::UnreadablePolicy => "the policy holds a ref pattern that can't be read",
    }
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
        let verdict = Verdict {
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
        let tried: Vec<Tried<'_>> = self
            .facts
            .proposals
            .iter()
            .filter_map(|proposal| Case::new(self.facts, rule, &decided, proposal))
            // Who asks for a deletion speaks for no commit, and who proposes commits asks for no deletion.
            .filter(|case| case.asks_deletion() == self.facts.update.new.is_zero())
            // A proposal speaks where its tip is judged: in the range, or as what is pushed; a deletion's is noted on the old tip.
            .filter(|case| self.facts.update.new.is_zero() || case.is_tip() || range.contains(&case.proposal.tip))
            .map(|case| try_case(case, self.facts))
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

    /// Every commit that needs cover lies in the range of a proposal that passes.
    fn cover(&mut self, rule: &Rule, tried: &[Tried<'_>]) {
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
    fn rest_on(&mut self, one: &Tried<'_>) {
        if !self.rested_on.insert(one.case.digest()) {
            return;
        }
        self.verdict.used.push(one.case.digest());
        if let Some(text) = &one.untold {
            self.verdict.gaps.push(Gap { command: Some("git fetch".to_owned()), text: text.clone() });
        }
    }

    /// Whatever hides the tip hides all that it reaches: a range with anything in it has the tip.
    fn whole_range(&mut self) {
        let Facts { range, update, .. } = self.facts;
        if let Some(tip) = update.tip.filter(|tip| !range.is_empty() && !range.contains(tip)) {
            let text = format!("the range that was read does not hold its own tip {}", tip.short());
            self.verdict.gaps.push(Gap { command: None, text });
        }
    }

    fn stand(&self, oid: Oid, status: CommitStatus, envelope: Option<Digest>, codes: Vec<Code>) -> CommitStanding {
        let incomplete = !self.verdict.gaps.is_empty();
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
            count => format!(
                "{} and {} more commits need a proposal for {reference} and have none",
                newest.short(),
                count - 1
            ),
        };
        if let Some(one) = self.facts.elsewhere.iter().find(|one| commits.contains(&one.commit)) {
            text.push_str(&format!(
                "; the change of {} stands in proposal {} about {}, whose receipts are not those of another commit",
                one.commit.short(),
                ArtifactId::of(&one.proposal),
                one.tip.short()
            ));
        }
        if !rule.people.is_empty() {
            // No key is filled in here: whoever follows a printed command must not end up signing as the owner.
            text.push_str("; a person whom the rule lists proposes their own work with: git boundary propose --key <your own key>");
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

    /// A ref move that is no fast-forward, or a tag, needs somebody who may do that.
    fn moves(&mut self, tried: &[Tried<'_>]) {
        if self.facts.update.purpose == Purpose::Verify {
            return;
        }
        let special = ref_operations(self.facts)
            .into_iter()
            .find(|operation| matches!(operation, RefOperation::Rewrite | RefOperation::Tag));
        let Some(operation) = special else { return };
        if !self.verdict.findings.is_empty() {
            return;
        }
        let open: Vec<_> = tried.iter().filter(|one| one.case.is_tip() && one.is_open()).collect();
        match tried.iter().filter(|one| one.case.is_tip()).max_by_key(|one| one.standing()) {
            Some(one) if one.passes() => return self.rest_on(one),
            Some(_) if !open.is_empty() => return open.into_iter().for_each(|one| self.leave_open(one)),
            Some(one) => return self.blame(one),
            None => {}
        }
        self.against(
            Finding::new(
                Code::AuthorityActionOutOfScope,
                format!(
                    "the push would {operation} {} from {} to {}, and no proposal for that passes",
                    self.facts.update.reference,
                    self.facts.update.old.short(),
                    self.facts.update.new.short()
                ),
            )
            .with_command(format!("git boundary propose --ref {} --key <your own key>", self.facts.update.reference)),
        );
    }

    fn deletion(&mut self, tried: &[Tried<'_>]) {
        let best = tried.iter().max_by_key(|one| one.standing());
        match best {
            Some(one) if one.passes() => {
                self.verdict.proposal = Some(one.case.digest());
                self.rest_on(one);
                self.take_checks(one);
            }
            Some(one) => {
                self.verdict.proposal = Some(one.case.digest());
                self.leave_open(one);
                self.blame(one);
            }
            None => {
                let reference = &self.facts.update.reference;
                let finding = Finding::new(
                    Code::ContextReceiptMissing,
                    format!("deleting {reference} needs a handoff with delete-ref, or a listed person's proposal"),
                )
                .with_command(format!("git boundary propose --delete {reference} --key <your own key>"));
                self.against(finding);
            }
        }
    }

    /// Denials and abstentions stand against commits wherever they lie in the range, for every proposal.
    fn denials(&mut self, decided: &Decisions<'_>) {
        for (hit, no) in decided.standing_against(self.facts, &self.judged()) {
            let finding = decisions::finding(no);
            self.denied.entry(hit).or_default().push(finding.code);
            self.against(finding);
        }
    }

    /// The commits of the range, and those whose equal change counts as one of them.
    fn judged(&self) -> BTreeMap<Oid, Oid> {
        let range: BTreeMap<Oid, Oid> = self.facts.range.iter().map(|oid| (*oid, *oid)).collect();
        let mut judged = range.clone();
        for proposal in self.facts.proposals.iter().filter(|proposal| range.contains_key(&proposal.tip)) {
            if let Some(about) = self.facts.envelope(&proposal.digest).and_then(|it| it.subject.as_ref()) {
                judged.entry(about.commit).or_insert(proposal.tip);
            }
        }
        judged
    }

    /// A commit of which nobody can tell what it touches is in nobody's scope.
    fn malformed(&mut self) {
        let facts = self.facts;
        for (oid, defect) in facts.malformed.iter().filter(|(oid, _)| facts.range.contains(oid)) {
            let code = Code::AuthorityActionOutOfScope;
            self.denied.entry(*oid).or_default().push(code);
            self.against(Finding::new(code, format!("what {} touches can't be told: {defect}", oid.short())));
        }
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

    fn remarks(&mut self, tried: &[Tried<'_>]) {
        let set_aside = self.facts.bad_lines.len();
        if set_aside > 0 {
            let first = &self.facts.bad_lines[0];
            self.verdict.notices.push(format!(
                "{set_aside} line(s) set aside that authorise nothing; the first, on {}: {}",
                first.note.short(),
                first.text
            ));
        }
        self.equivocations(tried);
        let used: BTreeSet<Digest> = self.verdict.used.iter().copied().collect();
        let mut clocks: BTreeMap<Option<KeyId>, Vec<(ArtifactId, Timestamp)>> = BTreeMap::new();
        for one in tried.iter().filter(|one| one.case.handoff().is_some() && used.contains(&one.case.digest())) {
            let decided = one.case.decided();
            clocks.entry(decided.registrar).or_default().push((one.case.recorded.artifact.id(), decided.at));
        }
        for (registrar, judged) in clocks {
            let whose = registrar.map_or_else(
                || "this machine's clock".to_owned(),
                |registrar| format!("the ledger of {}", typed_name(self.facts, &registrar)),
            );
            let what = match judged.as_slice() {
                [(id, at)] => format!("{id} judged as of {at}"),
                several => format!("{} proposals judged as of their own times", several.len()),
            };
            self.verdict.notices.push(format!("lease and validity of {what} by {whose}"));
        }
    }

    /// Two payloads for one version of an envelope are shown as what they are (contract, section 2).
    fn equivocations(&mut self, tried: &[Tried<'_>]) {
        let mut versions: BTreeMap<(EnvelopeId, u64), BTreeSet<ArtifactId>> = BTreeMap::new();
        for one in tried {
            let envelope = one.case.envelope();
            versions
                .entry((envelope.envelope_id, envelope.version))
                .or_default()
                .insert(one.case.recorded.artifact.id());
        }
        for ((id, version), several) in versions.into_iter().filter(|(_, several)| several.len() > 1) {
            let ids: Vec<String> = several.iter().map(ToString::to_string).collect();
            self.verdict
                .notices
                .push(format!("equivocation: {id} version {version} has several payloads: {}", ids.join(", ")));
        }
    }

    fn conclude(mut self) -> Verdict {
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
