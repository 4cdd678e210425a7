//! JUDGEMENT: the cover rule, and the nine checks over every proposal that could give it (contract, section 7).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::codec::artifact::Artifact;
use crate::codec::in_toto::{Kind, TEST_RESULT};
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
use super::checks;
use super::checks::authority::ref_operations;
use super::clock::speaks;
use super::decisions::{self, Decisions};
use super::facts::{Facts, Gap, ProposalFacts, Purpose};
use super::rule::{Match, RefusedBecause, rule_for};
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

/// A case and what its checks found.
struct Tried<'a> {
    case: Case<'a>,
    checks: BTreeMap<Check, CheckVerdict>,
    findings: Vec<Finding>,
    /// What of it git could not tell, so that passing its checks admits nothing.
    untold: Option<String>,
}

impl Tried<'_> {
    fn passes(&self) -> bool {
        self.findings.is_empty()
    }

    /// By this the best of several is taken.
    fn standing(&self) -> (bool, bool, u8) {
        (self.passes(), self.untold.is_none(), self.reach())
    }

    /// The lowest rank among its findings; the higher it is, the further the proposal got.
    fn reach(&self) -> u8 {
        self.findings.iter().map(|finding| finding.code.rank()).min().unwrap_or(u8::MAX)
    }
}

struct Judgement<'a> {
    /// Codes of the denials and abstentions that stand, by commit.
    denied: BTreeMap<Oid, Vec<Code>>,
    facts: &'a Facts,
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
        Judgement { denied: BTreeMap::new(), facts, verdict }
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
        let tried: Vec<Tried<'_>> = self
            .facts
            .proposals
            .iter()
            .filter_map(|proposal| Case::new(self.facts, rule, &decided, proposal))
            // A proposal speaks where its tip is judged: in the range, or as what is pushed; a deletion's is noted on the old tip.
            .filter(|case| {
                self.facts.update.new.is_zero() || case.is_tip() || self.facts.range.contains(&case.proposal.tip)
            })
            .map(|case| try_case(case, self.facts))
            .collect();
        self.denials(&decided);
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
        let mut blamed: BTreeSet<Digest> = BTreeSet::new();
        let mut uncovered: Vec<Oid> = Vec::new();
        for oid in &self.facts.range {
            let own_status = self.needs_no_cover(rule, oid);
            let tip = self.facts.update.tip == Some(*oid);
            let has_own = tips.contains(oid);
            // Of several, one that passes, else the one that got furthest. A tip with proposals of its own is judged by those: one
            // further down can't speak for it.
            let covering = by_commit
                .get(oid)
                .into_iter()
                .flatten()
                .filter(|one| !tip || !has_own || one.case.proposal.tip == *oid)
                .max_by_key(|one| one.standing())
                .copied();
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
        if self.verdict.used.contains(&one.case.digest()) {
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
        let holder = self.live_handoff().map(|to| typed_key(self.facts, &to));
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

    /// The holder of a live handoff with this ref in scope; the newest of several.
    fn live_handoff(&self) -> Option<KeyId> {
        let facts = self.facts;
        facts
            .other_handoffs
            .iter()
            .filter_map(|digest| Some((facts.artifacts.get(digest)?, facts.handoff(digest)?)))
            .filter(|(_, statement)| super::handoffs::is_live(facts, statement, &facts.update.reference))
            .filter(|(recorded, _)| super::handoffs::revoked_at(facts, &recorded.artifact.digest()).is_none())
            .max_by_key(|(recorded, statement)| {
                (statement.predicate.lease.map(|lease| lease.not_before), recorded.artifact.digest())
            })
            .map(|(_, statement)| statement.predicate.to)
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
        match tried.iter().filter(|one| one.case.is_tip()).max_by_key(|one| one.standing()) {
            Some(one) if one.passes() => return self.rest_on(one),
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
        let asks =
            |one: &&Tried<'_>| one.case.envelope().requested_action.as_ref().is_some_and(|action| action.new.is_zero());
        let best = tried.iter().filter(asks).max_by_key(|one| one.standing());
        match best {
            Some(one) if one.passes() => {
                self.verdict.proposal = Some(one.case.digest());
                self.rest_on(one);
                self.take_checks(one);
            }
            Some(one) => {
                self.verdict.proposal = Some(one.case.digest());
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

fn try_case<'a>(case: Case<'a>, facts: &Facts) -> Tried<'a> {
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
    findings.sort_by_key(|finding| finding.code.rank());
    let untold = untold(&case);
    Tried { case, checks, findings, untold }
}

/// What git could not tell of a proposal, though nobody reported a gap: the gate believes no fact that is not there.
fn untold(case: &Case<'_>) -> Option<String> {
    if let Some(oid) = case.proposal.range.iter().find(|oid| !case.facts.commits.contains_key(oid)) {
        return Some(format!("what {} touches is not known", oid.short()));
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

/// An expired trust document says nothing any more (contract, section 13: it bounds how long an old one can be shown).
fn expired(facts: &Facts) -> Option<Gap> {
    let end = facts.trust.expired_at(facts.now)?;
    let text = format!("trust version {} expired at {end}; only a newer one can be judged by", facts.trust.version());
    Some(Gap { command: Some("git fetch".to_owned()), text })
}

/// What an owner says in words that this version does not know might be a revocation (contract, section 2).
fn unread_owner(facts: &Facts) -> Option<Gap> {
    let mut notes: BTreeSet<Oid> = facts.range.iter().copied().chain(facts.update.tip).collect();
    for proposal in &facts.proposals {
        let statement = facts.envelope(&proposal.digest);
        notes.extend(statement.and_then(|it| it.predicate.bindings.source_expected.value()));
        notes.extend(statement.and_then(|it| it.subject.as_ref()).map(|about| about.commit));
    }
    facts.artifacts.all().find_map(|recorded| match recorded.artifact.value() {
        Artifact::Unknown { predicate_type, .. }
            if predicate_type != TEST_RESULT
                && notes.contains(&recorded.note)
                && speaks(&facts.trust, facts.now, recorded, Role::Owner) =>
        {
            let id = recorded.artifact.id();
            let text = format!("{id} by an owner is of type {predicate_type:?}, which this version does not know");
            Some(Gap { command: Some("git boundary show ".to_owned() + &id.to_string()), text })
        }
        _ => None,
    })
}

/// Where the tip has a proposal of its own, the pushed ref and new value must be its action's; landing on the handoff's pinned ref
/// needs no second one.
fn fits(case: &Case<'_>, facts: &Facts) -> Option<Finding> {
    let update = &facts.update;
    if !case.is_tip() || update.purpose == Purpose::Verify {
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
        .with_command(format!("git boundary propose --ref {} --key {who}", update.reference)),
    )
}

/// Why a proposal would not pass under a rule: what `propose` and `check` warn of.
pub fn try_proposal(facts: &Facts, rule: &Rule, proposal: &ProposalFacts) -> Vec<Finding> {
    let decided = Decisions::of(facts, &rule.diet);
    Case::new(facts, rule, &decided, proposal).map(|case| try_case(case, facts).findings).unwrap_or_default()
}
