//! JUDGED: the gate's own checks over what a bundle holds.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Verifier;
use super::answer::{AboutSeen, BundleAnswer};
use super::contents::Contents;
use super::form::{About, AboutKind, Bundle};
use super::range;
use crate::app::threads::{Threads, told};
use crate::app::verify::shown_proof;
use crate::codec::artifact::Artifact;
use crate::gate::case::Case;
use crate::gate::checks;
use crate::gate::decisions::{self, Decisions, judged_commits};
use crate::gate::docket::Docket;
use crate::gate::facts::{CommitFacts, Facts, HandoffFacts, ProposalFacts, Purpose, Touch, Update};
use crate::gate::open::{expired, unread_owner};
use crate::gate::proof::examine;
use crate::gate::rule::governing;
use crate::gate::verdict::Finding;
use crate::gate::write::{self, Content, WriteSeen};
use crate::model::boundary_proof::CheckDecision;
use crate::model::context::{Observation, ObservedBy};
use crate::model::count;
use crate::model::decision::ReasonGiven;
use crate::model::digest::Digest;
use crate::model::envelope::{Bindings, Envelope, FileWrite};
use crate::model::id::{ArtifactId, KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::operation::Operation;
use crate::model::policy::Rule;
use crate::model::refusal::Check;

/// The checks that a bundle has something to say to, each with what it says where it holds.
const MADE: [(Check, &str); 7] = [
    (Check::Identity, "signatures, keys and roles hold"),
    (Check::Authority, "holder, lease and refs hold, and no revocation here counts against it"),
    (Check::Context, "what was delivered is what the proposal is bound to"),
    (Check::Evidence, "what it names is here, and nothing here contradicts it"),
    (Check::Policy, "the policy lets it pass, as far as the proofs here tell"),
    (Check::Source, "what the carried commits tell of the pin agrees with it"),
    (Check::Result, "a work receipt that holds is named"),
];

/// Most proposals that are judged: each walks the commits that it speaks for.
const MAX_PROPOSALS: usize = 5_000;

/// What no bundle can show, whatever it is about.
const NEVER: [&str; 1] = [
    "what was decided, denied or revoked after the checkpoints in this bundle, or in ledgers and entries that it does not show",
];

/// Nor what comes later, or is shown to others.
pub(super) const LATER: [&str; 2] = [
    "whether trust and policy go on after the versions in this bundle: a key that a later one ended counts here",
    "whether a registrar shows somebody else another history",
];

/// Judges what the bundle is about.
pub(super) fn judge(bundle: &Bundle, contents: Contents, verifier: &Verifier, answer: &mut BundleAnswer) {
    let Contents { artifacts, commits, keys, policies, trust } = contents;
    let docket = Docket::new(artifacts);
    let count = docket.all().filter(|one| matches!(one.artifact.value(), Artifact::EvidenceEnvelope(_))).count();
    if count > MAX_PROPOSALS {
        answer.defect("the file", format!("holds {count} proposals; {MAX_PROPOSALS} are judged"));
        return;
    }
    let mut ranges = range::Ranges::default();
    let proposals: Vec<ProposalFacts> = docket
        .all()
        .filter_map(|one| proposal(one.artifact.value(), one.artifact.digest(), &docket, &commits, &mut ranges))
        .collect();
    let Some((about, tip, reference)) = subject(bundle, &docket, answer) else { return };
    let reference = verifier.reference.clone().unwrap_or(reference);
    let judged = match &bundle.about.range {
        Some(range) => {
            range::check(range, &commits, answer);
            range.commits.clone()
        }
        None => vec![tip],
    };
    let base = Observation { by: ObservedBy::Tracking, oid: None, reference: base_of(&docket, about) };
    let wish = about.and_then(|digest| wish(&docket, &digest));
    let mut facts = Facts {
        absent: Vec::new(),
        artifacts: docket,
        base,
        baselines: BTreeSet::new(),
        behind_the_cut: BTreeSet::new(),
        bad_lines: Vec::new(),
        commits,
        elsewhere: Vec::new(),
        exact: true,
        update: Update { fast_forward: None, tip: Some(tip), new: tip, old: tip, purpose: Purpose::Verify, reference },
        malformed: BTreeMap::new(),
        other_handoffs: Vec::new(),
        gaps: Vec::new(),
        now: verifier.now,
        policies,
        proposals,
        range: judged,
        registrar: None,
        rewritten: None,
        trust: Rc::clone(&trust),
        write: None,
    };
    if let Some(wish) = &wish {
        whole(&mut facts, tip, wish);
    }
    answer.not_made.extend(NEVER.into_iter().chain(LATER).map(str::to_owned));
    answer.gaps.extend([expired(&facts), unread_owner(&facts)].into_iter().flatten().map(|gap| gap.text));
    let reference = &facts.update.reference;
    let of_write = wish.and_then(|_| write::rule(facts.policy()?.1, reference).ok());
    let Some(rule) = of_write.as_ref().or_else(|| governing(&facts.policies, reference)) else {
        let why = facts.policies.defect.clone();
        answer.gaps.push(why.unwrap_or_else(|| format!("no rule of the bundle's policy governs {reference}")));
        return;
    };
    answer.made("policy", "rule", "holds", format!("judged by the rule for {reference}"));
    let decided = Decisions::of(&facts, &rule.diet);
    Judgement { answer, decided: &decided, facts: &facts, keys: &keys, rule }.of(&bundle.about, about);
}

/// What the bundle is about: the artifact where it is one, the commit, and the ref by whose rule it is judged.
fn subject(bundle: &Bundle, docket: &Docket, answer: &mut BundleAnswer) -> Option<(Option<Digest>, Oid, String)> {
    let About { artifact, kind, range } = &bundle.about;
    let found = match (kind, artifact, range) {
        (AboutKind::Range, None, Some(range)) => {
            range.commits.first().map(|tip| (None, *tip, range.reference.clone())).ok_or("is about an empty range")
        }
        (AboutKind::Proof | AboutKind::Envelope, Some(digest), None) => {
            let proposal = match docket.get(digest).map(|recorded| recorded.artifact.value()) {
                Some(Artifact::BoundaryProof(proof)) if *kind == AboutKind::Proof => {
                    docket.proposal(&proof.proven.subject_ref)
                }
                Some(Artifact::EvidenceEnvelope(_)) if *kind == AboutKind::Envelope => Some(*digest),
                _ => {
                    answer.defect(&ArtifactId::of(digest).to_string(), "is what the bundle is about, and is not here");
                    return None;
                }
            };
            let statement = proposal.and_then(|proposal| match docket.get(&proposal)?.artifact.value() {
                Artifact::EvidenceEnvelope(statement) => Some(statement),
                _ => None,
            });
            let reference = statement.and_then(|it| Some(it.predicate.requested_action.as_ref()?.reference.clone()));
            let commit = statement.and_then(|it| Some(it.subject.as_ref()?.commit));
            commit
                .map(|commit| (Some(*digest), commit, reference.unwrap_or_default()))
                .ok_or("does not hold the proposal that its proof is about")
        }
        _ => Err("says of what it is about more than one thing, or nothing"),
    };
    match found {
        Ok((digest, tip, reference)) => {
            let text = match (kind, range) {
                (AboutKind::Range, Some(range)) => {
                    format!("{} up to {tip}", count::of(range.commits.len(), "commit", "commits"))
                }
                _ => format!("commit {tip}"),
            };
            let artifact = digest.as_ref().map(ArtifactId::of);
            answer.about = Some(AboutSeen { kind: *kind, artifact, text });
            Some((digest, tip, reference))
        }
        Err(defect) => {
            answer.defect("the file", defect);
            None
        }
    }
}

/// What a proposal asks to be written into a worktree, if that is what it asks for.
fn wish(docket: &Docket, proposal: &Digest) -> Option<FileWrite> {
    match docket.get(proposal)?.artifact.value() {
        Artifact::EvidenceEnvelope(it) => it.predicate.requested_action.as_ref()?.write.clone(),
        _ => None,
    }
}

/// A write is judged by the path and the digests that it names itself; that bytes of theirs were written takes the bytes.
fn whole(facts: &mut Facts, tip: Oid, wish: &FileWrite) {
    let content = Content::Here { digest: wish.content, size: wish.size };
    facts.write = Some(WriteSeen { content, beside: Vec::new(), standing: None });
    let operations = vec![if wish.preimage.is_some() { Operation::Modify } else { Operation::Add }];
    if let Some(commit) = facts.commits.get_mut(&tip) {
        commit.touched = vec![Touch { operations, path: wish.path.as_str().into() }];
    }
    for proposal in facts.proposals.iter_mut().filter(|one| one.tip == tip) {
        proposal.range = BTreeSet::from([tip]);
    }
}

/// Which base a proposal without a handoff looked at: which branch is the default one, only a repository knows.
fn base_of(docket: &Docket, about: Option<Digest>) -> String {
    let receipt = about.and_then(|digest| match docket.get(&digest)?.artifact.value() {
        Artifact::EvidenceEnvelope(it) => docket.get(it.predicate.bindings.context.value()?),
        _ => None,
    });
    match receipt.map(|recorded| recorded.artifact.value()) {
        Some(Artifact::ContextReceipt(it)) => it.predicate.snapshot.base.reference.clone(),
        _ => String::new(),
    }
}

/// What a proposal starts from: the base that was recorded when it was made, and its pin. `None` where the record is not here.
fn starts(bindings: &Bindings, docket: &Docket) -> Option<BTreeSet<Oid>> {
    let Artifact::ContextReceipt(receipt) = docket.get(bindings.context.value()?)?.artifact.value() else {
        return None;
    };
    let base = receipt.predicate.snapshot.base.oid.filter(|oid| !oid.is_zero());
    Some(base.into_iter().chain(bindings.source_expected.value().copied()).collect())
}

/// What the carried commits say of a proposal.
fn proposal(
    artifact: &Artifact,
    digest: Digest,
    docket: &Docket,
    commits: &BTreeMap<Oid, CommitFacts>,
    ranges: &mut range::Ranges,
) -> Option<ProposalFacts> {
    let Artifact::EvidenceEnvelope(statement) = artifact else { return None };
    let tip = statement.subject.as_ref()?.commit;
    let Envelope { bindings, .. } = &statement.predicate;
    let (above, whole) = range::above(tip, bindings.source_expected.value(), commits, range::MAX_WALK);
    let range = ranges.of(tip, starts(bindings, docket).as_ref(), commits);
    let handoff = bindings.lease.value().map(|lease| {
        let named = docket.get(lease).and_then(|recorded| match recorded.artifact.value() {
            Artifact::Handoff(it) => Some(&it.predicate.pin),
            _ => None,
        });
        let reference = named.map_or_else(String::new, |pin| pin.reference.clone());
        let reached = named.map(|pin| {
            let below = |oid: &Oid| commits.get(oid).is_some_and(|commit| commit.parents.contains(&pin.commit));
            tip == pin.commit || above.iter().any(below)
        });
        HandoffFacts {
            base: Observation { by: ObservedBy::Tracking, oid: None, reference },
            built_on: None,
            digest: *lease,
            pin_in_base: None,
            pin_known: named.and_then(|pin| Some(commits.get(&pin.commit)?.tree == pin.tree)),
            tip_descends: reached.filter(|reached| *reached || whole),
        }
    });
    Some(ProposalFacts { digest, gaps: Vec::new(), handoff, range, starts_at: None, tip, contains_old: None })
}

struct Judgement<'a, 'f> {
    answer: &'a mut BundleAnswer,
    decided: &'f Decisions<'f>,
    facts: &'f Facts,
    keys: &'a BTreeMap<KeyId, PublicKey>,
    rule: &'f Rule,
}

impl Judgement<'_, '_> {
    fn of(mut self, about: &About, artifact: Option<Digest>) {
        match (about.kind, artifact) {
            (AboutKind::Proof, Some(proof)) => self.proof(&proof),
            (AboutKind::Envelope, Some(proposal)) => self.envelope(&proposal),
            _ => self.range(),
        }
    }

    /// The five checks of one proof. Who relies on an allowing one relies on the proposal and on the absence of denials as well; that
    /// somebody denied is true whatever became of the proposal.
    fn proof(&mut self, digest: &Digest) {
        let facts = self.facts;
        let Some(recorded) = facts.artifacts.get(digest) else { return };
        let Artifact::BoundaryProof(proof) = recorded.artifact.value() else { return };
        let Some(subject) = facts.artifacts.proposal(&proof.proven.subject_ref) else { return };
        let report = examine(facts, recorded, subject, &self.rule.diet);
        let id = recorded.artifact.id().to_string();
        let names = ["1 signer and independence", "2 subject", "3 diet", "4 frozen before", "5 policy"];
        for (name, check) in names.into_iter().zip(&report.checks) {
            match check {
                Ok(()) => self.answer.made(&id, name, "holds", ""),
                Err(finding) => self.fails(&id, name, finding, true),
            }
        }
        self.answer.proofs.push(shown_proof(facts, self.decided, &report, proof));
        let counts = report.decision == CheckDecision::Allow;
        // How many others have to agree is no question about this one.
        let mut rule = self.rule.clone();
        rule.proofs.count = 0;
        let Some(proposal) = facts.proposals.iter().find(|one| one.digest == subject) else { return };
        self.answer
            .not_made
            .push("whether this proof is enough for the rule: that is asked of the proposal".to_owned());
        self.try_proposal(&rule, proposal, counts);
        self.denials(counts);
    }

    fn envelope(&mut self, digest: &Digest) {
        let facts = self.facts;
        let Some(proposal) = facts.proposals.iter().find(|one| one.digest == *digest) else { return };
        self.proofs();
        let rule = self.rule;
        self.try_proposal(rule, proposal, true);
        self.denials(true);
        self.life(digest);
    }

    fn range(&mut self) {
        let facts = self.facts;
        self.proofs();
        let inside: BTreeSet<Oid> = facts.range.iter().copied().collect();
        let mut covered: BTreeMap<Oid, (bool, Digest)> = BTreeMap::new();
        let rule = self.rule;
        for proposal in facts.proposals.iter().filter(|one| inside.contains(&one.tip)) {
            let Some(speaks) = facts.envelope(&proposal.digest) else { continue };
            if speaks.predicate.requested_action.as_ref().is_none_or(|action| action.new.is_zero()) {
                continue;
            }
            let passes = self.passes(rule, proposal);
            for oid in proposal.range.intersection(&inside) {
                let held = covered.entry(*oid).or_insert((passes, proposal.digest));
                if passes && !held.0 {
                    *held = (true, proposal.digest);
                }
            }
        }
        // A proposal that does not pass stands in nobody's way while another one speaks for its commits.
        let used: BTreeSet<Digest> = covered.values().map(|(_, digest)| *digest).collect();
        for proposal in facts.proposals.iter().filter(|one| used.contains(&one.digest)) {
            self.try_proposal(rule, proposal, true);
        }
        range::commits(&facts.range, &covered, self.answer);
        self.answer.not_made.push("whether these are all the commits that the branch got".to_owned());
        self.denials(true);
    }

    fn passes(&self, rule: &Rule, proposal: &ProposalFacts) -> bool {
        let Some(case) = Case::new(self.facts, rule, self.decided, proposal) else { return false };
        MADE.iter().all(|(check, _)| checks::run(*check, &case).is_none_or(|found| found.is_empty()))
            && checks::run(Check::Approval, &case).is_none_or(|found| found.is_empty())
    }

    /// Every proof about a proposal that is judged, each with its five checks.
    fn proofs(&mut self) {
        let facts = self.facts;
        let inside: BTreeSet<Oid> = facts.range.iter().copied().collect();
        let judged: BTreeSet<Digest> =
            facts.proposals.iter().filter(|one| inside.contains(&one.tip)).map(|one| one.digest).collect();
        for recorded in facts.artifacts.proofs() {
            let Artifact::BoundaryProof(proof) = recorded.artifact.value() else { continue };
            let Some(subject) = facts.artifacts.proposal(&proof.proven.subject_ref) else { continue };
            if judged.contains(&subject) {
                let report = examine(facts, recorded, subject, &self.rule.diet);
                self.answer.proofs.push(shown_proof(facts, self.decided, &report, proof));
            }
        }
    }

    fn try_proposal(&mut self, rule: &Rule, proposal: &ProposalFacts, counts: bool) {
        let (facts, decided) = (self.facts, self.decided);
        let Some(case) = Case::new(facts, rule, decided, proposal) else { return };
        let id = ArtifactId::of(&proposal.digest).to_string();
        for (check, holds) in MADE {
            match checks::run(check, &case) {
                None => self.answer.made(&id, check.name(), "not_applicable", "nothing to judge"),
                Some(found) if found.is_empty() => self.answer.made(&id, check.name(), "holds", holds),
                Some(found) => found.iter().for_each(|finding| self.fails(&id, check.name(), finding, counts)),
            }
        }
        for finding in checks::run(Check::Approval, &case).unwrap_or_default() {
            self.fails(&id, Check::Approval.name(), &finding, counts);
        }
        let clock = case.decided();
        let whose = clock.registrar.map_or_else(
            || "the clock of whoever verifies".to_owned(),
            |registrar| format!("the clock of {}", super::ledgers::name(&self.facts.trust, &registrar)),
        );
        self.answer.made(&id, "clock", "not_applicable", format!("judged as of {} by {whose}", clock.at));
        self.not_made(&case, proposal);
    }

    fn not_made(&mut self, case: &Case<'_>, proposal: &ProposalFacts) {
        let is_write = case.write().is_some();
        let mut open = match is_write {
            true => vec!["whether the bytes that were approved are those that were written, which takes the bytes"],
            false => vec!["whether what was changed needs an owner's approval, which takes the trees"],
        };
        if let Some((handoff, _)) = case.handoff() {
            if !is_write {
                open.push("whether the change keeps to the handoff's paths and operations, which takes the trees");
            }
            open.push("whether the pinned revision is where its branch stands");
            if handoff.pin_known.is_none() {
                open.push("whether the pinned revision has the pinned tree");
            }
            if handoff.tip_descends.is_none() {
                open.push("whether the work descends from the pinned revision");
            }
        } else {
            open.push("whether the base that it looked at is the default branch, and where the change starts");
        }
        if proposal.range.iter().any(|oid| !self.facts.commits.contains_key(oid)) {
            open.push("which commits lie between the proposal and where it starts");
        }
        for text in open {
            if !self.answer.not_made.iter().any(|known| known == text) {
                self.answer.not_made.push(text.to_owned());
            }
        }
    }

    /// Denials and abstentions stand against commits, for every proposal.
    fn denials(&mut self, counts: bool) {
        let facts = self.facts;
        let standing = self.decided.standing_against(facts, &judged_commits(facts));
        let findings: Vec<Finding> = standing.into_iter().map(|(_, no)| decisions::finding(no)).collect();
        for finding in findings {
            self.fails("commits", "standing denials", &finding, counts);
        }
    }

    /// The chains of events about the envelope, one a registrar and commit.
    fn life(&mut self, digest: &Digest) {
        let Some(statement) = self.facts.envelope(digest) else { return };
        let id = statement.predicate.envelope_id;
        let keys = self.keys;
        let key = |registrar: &KeyId| keys.get(registrar).copied();
        let threads = Threads { docket: &self.facts.artifacts, id, keys: &key };
        for ((registrar, commit), found) in threads.all() {
            let name = super::ledgers::name(&self.facts.trust, &registrar);
            let (_, faults) = threads.check(registrar, commit, &found);
            let about = format!("events of {name} on {}", commit.short());
            if faults.is_empty() {
                let text = format!("{} in one unbroken chain", count::of(found.len(), "event", "events"));
                self.answer.made(&about, "life", "holds", text);
                continue;
            }
            let listed = found.iter().any(|(.., listed)| *listed);
            for (.., text) in faults.into_iter().map(told) {
                self.answer.made(&about, "life", "fails", &text);
                let told = if listed { &mut self.answer.gaps } else { &mut self.answer.remarks };
                told.push(format!("{about}: {text}"));
            }
        }
        self.answer.not_made.push("whether events were left out at the end of a chain".to_owned());
    }

    fn fails(&mut self, about: &str, check: &str, finding: &Finding, counts: bool) {
        self.answer.made(about, check, "fails", &finding.text);
        if !counts {
            self.answer.remarks.push(format!("{about}: {}: {}", finding.code, finding.text));
        } else if !self.answer.reasons.iter().any(|one| one.code == finding.code && one.text == finding.text) {
            self.answer.reasons.push(ReasonGiven { code: finding.code, text: finding.text.clone() });
        }
    }
}
