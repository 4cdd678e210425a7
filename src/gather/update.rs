//! UPDATE: one ref update, gathered whole.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::base::{self, Side, known_commit};
use super::commits;
use super::decisions;
use super::directory;
use super::elsewhere;
use super::error::GatherError;
use super::handoffs;
use super::notes::Noted;
use super::proposals::{self, Judged};
use super::range::{Stretch, stretch};
use super::session::Session;
use crate::codec::artifact::Artifact;
use crate::gate::docket::Docket;
use crate::gate::facts::{BadLineSeen, CommitFacts, Facts, Gap, ProposalFacts, Purpose, Update};
use crate::gate::rule::governing;
use crate::git::{Commit, DiffError};
use crate::model::context::Observation;
use crate::model::digest::Digest;
use crate::model::envelope::ClaimKind;
use crate::model::id::Oid;
use crate::model::policy::{Equality, Rule};
use crate::store::SPENT;

/// What is asked.
#[derive(Debug, Clone)]
pub struct UpdateRequest {
    /// Whether to look at all hidden history, whatever committers' clocks say, and for baselines wherever they stand.
    pub exact: bool,
    /// The value it should get; zero for a deletion.
    pub new: Oid,
    /// The value it had; zero for a new ref.
    pub old: Oid,
    /// Why.
    pub purpose: Purpose,
    /// The ref in full.
    pub reference: String,
    /// Whose refs.
    pub side: Side,
}

/// Gathers the facts of one ref update.
///
/// # Errors
/// When git or the shelves can't be read at all. That something is absent is a fact.
pub fn facts_for(session: &Session<'_>, noted: &Noted, request: &UpdateRequest) -> Result<Facts, GatherError> {
    facts_under(session, noted, request, rule_of(session, &request.reference))
}

/// The same under a rule that is named; where there is none, there is nothing to look at.
pub(super) fn facts_under(
    session: &Session<'_>,
    noted: &Noted,
    request: &UpdateRequest,
    rule: Option<Rule>,
) -> Result<Facts, GatherError> {
    let repository = session.repository;
    let default = match rule.as_ref().and_then(|rule| rule.adopts.first()) {
        Some(adopted) => adopted.clone(),
        None => base::default_branch(repository, request.side.remote.as_deref())?,
    };
    let mut gathering =
        Gathering { base: request.side.observe(repository, &default)?, gaps: Vec::new(), noted, request, session };
    match rule {
        Some(rule) => gathering.governed(&rule),
        None => Ok(gathering.bare()),
    }
}

/// The rule for a ref, if the policy in force has one.
pub fn rule_of(session: &Session<'_>, reference: &str) -> Option<Rule> {
    governing(&session.policies, reference).cloned()
}

struct Gathering<'g, 'r> {
    base: Observation,
    gaps: Vec<Gap>,
    noted: &'g Noted,
    request: &'g UpdateRequest,
    session: &'g Session<'r>,
}

impl Gathering<'_, '_> {
    /// For refs that no rule governs there is nothing to look at.
    fn bare(&self) -> Facts {
        self.facts(Update {
            fast_forward: None,
            new: self.request.new,
            old: self.request.old,
            purpose: self.request.purpose,
            reference: self.request.reference.clone(),
            tip: None,
        })
    }

    fn facts(&self, update: Update) -> Facts {
        Facts {
            absent: self.absent_ledgers(),
            artifacts: Docket::default(),
            bad_lines: Vec::new(),
            base: self.base.clone(),
            baselines: BTreeSet::new(),
            behind_the_cut: BTreeSet::new(),
            commits: BTreeMap::new(),
            elsewhere: Vec::new(),
            exact: true,
            gaps: Vec::new(),
            now: self.session.now,
            malformed: BTreeMap::new(),
            other_handoffs: Vec::new(),
            policies: self.session.policies.clone(),
            proposals: Vec::new(),
            range: Vec::new(),
            registrar: None,
            rewritten: None,
            trust: Rc::clone(&self.session.trust),
            update,
            write: None,
        }
    }

    fn governed(&mut self, rule: &Rule) -> Result<Facts, GatherError> {
        let (repository, request) = (self.session.repository, self.request);
        self.broken_shelves();
        if let Some(moment) = self.session.trust.expired_at(self.session.now) {
            self.gap(format!("trust version {} expired at {moment}", self.session.trust.version()));
        }
        let deletes = request.new.is_zero();
        let value = if deletes { request.old } else { request.new };
        let tip = match repository.peel_to_commit(&value) {
            Ok(tip) => tip,
            Err(error) if error.is_missing() => {
                self.gap(error.to_string());
                None
            }
            Err(error) => return Err(error.into()),
        };
        let old = self.old_commit()?;
        let fast_forward = match (old, tip) {
            (Some(old), Some(tip)) if !deletes => handoffs::is_ancestor(self.session, old, tip, &mut self.gaps)?,
            // What was there is no commit, so that nothing can follow from it.
            (None, Some(_)) if !deletes && !request.old.is_zero() && repository.contains(&request.old) => Some(false),
            _ => None,
        };
        let mut facts = self.bare();
        facts.update.tip = tip;
        facts.update.fast_forward = fast_forward;
        let Some(tip) = tip else {
            facts.gaps = self.gaps.clone();
            return Ok(facts);
        };
        let judged_range = self.judged_range(rule, tip, old, deletes)?;
        self.gaps.extend(judged_range.gap);
        facts.baselines = judged_range.baselines;
        // What is pushed onto history that was found stands above it, and so do the baselines below; only what was found to stand on
        // nothing may lie below a baseline. Looking for one costs as much as the history is long.
        let stands = !request.purpose.is_past() && !judged_range.boundary.is_empty();
        facts.exact = judged_range.exact && (judged_range.looked_above || stands);
        facts.range = judged_range.commits.iter().map(|commit| commit.oid).collect();
        if let Some(old) = old.filter(|_| fast_forward == Some(false)) {
            facts.rewritten = elsewhere::rewritten(&repository.commit(&old)?, &judged_range.commits);
        }
        if deletes {
            self.noted.read(self.session, &tip)?;
        }
        let prefer = self.prefer(old, &judged_range.commits);
        let mut trees = Trees { malformed: BTreeMap::new(), prefer, rule };
        let mut known: BTreeMap<Oid, CommitFacts> = BTreeMap::new();
        for commit in &judged_range.commits {
            trees.add(self, commit, &mut known)?;
        }
        let mut history: BTreeSet<Oid> = facts.range.iter().copied().collect();
        history.extend(&judged_range.boundary);
        let judged = Judged {
            base: &self.base,
            exact: request.exact,
            history: &history,
            old,
            purpose: request.purpose,
            reference: &request.reference,
            rule,
            side: &request.side,
            tip,
        };
        let mut candidates = judged_range.commits;
        if self.is_special(fast_forward) && !facts.range.contains(&tip) {
            // A move that brings no new commit still needs somebody who may make it, and asked for it on the tip.
            self.noted.read(self.session, &tip)?;
            candidates.push(repository.commit(&tip)?);
        }
        let mut found = proposals::find(self.session, self.noted, &judged, &candidates, &known)?;
        for commit in found.commits.values() {
            trees.add_beside(self, commit, &mut known, &mut found.proposals);
        }
        self.gaps.extend(found.gaps);
        facts.exact &= found.exact;
        facts.proposals = found.proposals;
        // Neither a claim that work is done nor a wish to write a file speaks for a commit.
        let speaking = facts.proposals.iter().filter(|one| !self.moves_nothing(&one.digest));
        let covered: BTreeSet<Oid> = speaking.flat_map(|one| one.range.iter().copied()).collect();
        let bare = |oid: &Oid| !covered.contains(oid) && needs_a_look(&known, oid);
        let mut spent = Vec::new();
        if facts.range.iter().any(bare) {
            let bare: Vec<&Commit> = candidates.iter().filter(|commit| bare(&commit.oid)).collect();
            facts.elsewhere = elsewhere::nearest(self.session, self.noted, &bare)?;
            facts.other_handoffs = directory::live(self.session, self.noted)?;
            facts.behind_the_cut = self.behind_the_cut(&facts.other_handoffs);
            // Some of their hints might have led to what covers these.
            spent = self.session.shelves.spent();
        }
        let mut notes: BTreeSet<Oid> = facts.range.iter().copied().collect();
        notes.insert(tip);
        notes.extend(facts.proposals.iter().flat_map(|one| self.pin_of(one)));
        facts.bad_lines = self.noted.bad_lines(&notes);
        facts.bad_lines.extend(spent.into_iter().map(|registrar| BadLineSeen {
            claims: None,
            unknown_key: false,
            note: tip,
            registrar,
            text: SPENT.to_owned(),
        }));
        self.gaps.extend(self.noted.gaps(&notes));
        facts.artifacts = Docket::new(self.noted.artifacts());
        if facts.artifacts.all().any(|recorded| matches!(recorded.artifact.value(), Artifact::Approval(_))) {
            // Only an approval says who may act, and the key's file is not read for nothing.
            facts.registrar = self.session.local.registrar_id()?;
        }
        facts.commits = known;
        facts.malformed = trees.malformed;
        self.gaps.dedup();
        facts.gaps = std::mem::take(&mut self.gaps);
        Ok(facts)
    }

    /// Whether the move as such wants a grant: a deletion, a tag, or a push that is no fast-forward.
    fn is_special(&self, fast_forward: Option<bool>) -> bool {
        let request = self.request;
        let deletes = request.new.is_zero();
        let tags = request.reference.starts_with("refs/tags/") || fast_forward == Some(false);
        deletes || (tags && request.purpose != Purpose::Verify)
    }

    /// What the tip reaches and the destination, the adopted refs and the baselines do not.
    fn judged_range(&self, rule: &Rule, tip: Oid, old: Option<Oid>, deletes: bool) -> Result<Stretch, GatherError> {
        if deletes {
            return Ok(Stretch { exact: true, looked_above: true, ..Stretch::default() });
        }
        let mut hidden: BTreeSet<Oid> = BTreeSet::new();
        hidden.extend(old);
        for adopted in &rule.adopts {
            if *adopted == self.request.reference {
                continue;
            }
            let held = self.request.side.held(self.session.repository, adopted)?;
            hidden.extend(held.filter(|oid| self.session.repository.contains(oid)));
        }
        stretch(self.session, self.noted, tip, &hidden, self.request.exact)
    }

    fn old_commit(&mut self) -> Result<Option<Oid>, GatherError> {
        let old = self.request.old;
        if old.is_zero() {
            return Ok(None);
        }
        match self.session.repository.peel_to_commit(&old) {
            Ok(commit) => Ok(commit),
            Err(error) if error.is_missing() => {
                self.gap(format!("{} is at {old} on the other side, which is not here", self.request.reference));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn gap(&mut self, text: String) {
        self.gaps.push(Gap { command: Some(handoffs::fetch(&self.request.side)), text });
    }

    fn absent_ledgers(&self) -> Vec<Gap> {
        let session = self.session;
        let absent = session.shelves.absent.iter().map(|id| Gap {
            command: Some(handoffs::fetch(&self.request.side)),
            text: format!(
                "nothing is here of the ledger of {}, a listed registrar: {id} may hold what is missing, or never have written",
                session.trust.party_of(id).map_or("?", |party| party.label.as_str())
            ),
        });
        absent.collect()
    }

    /// Handoffs whose pinned commit lies behind the cut of a shallow clone.
    fn behind_the_cut(&self, handoffs: &[Digest]) -> BTreeSet<Digest> {
        let repository = self.session.repository;
        let pin = |digest: &Digest| Some(handoffs::statement(self.noted, digest)?.predicate.pin.commit);
        let is_cut = |digest: &&Digest| pin(digest).is_some_and(|pin| !repository.contains(&pin));
        if repository.is_shallow() { handoffs.iter().filter(is_cut).copied().collect() } else { BTreeSet::new() }
    }

    fn broken_shelves(&mut self) {
        for broken in self.session.shelves.broken.iter().filter(|broken| broken.listed) {
            self.gaps.push(Gap {
                command: Some(broken.fetch.unwrap_or("git boundary doctor").to_owned()),
                text: format!("{}: {}", broken.reference, broken.text),
            });
        }
    }

    /// Base and destination as they were before, which settle what bases of a criss-cross merge disagree on: now, and for history that
    /// is there already as listed registrars saw them when they admitted it.
    fn prefer(&self, old: Option<Oid>, range: &[Commit]) -> Vec<Oid> {
        let mut known: BTreeSet<Oid> = [known_commit(&self.base), old].into_iter().flatten().collect();
        if self.request.purpose.is_past() {
            for commit in range.iter().filter(|commit| commit.parents.len() > 1) {
                known.extend(decisions::admitted_from(self.session, self.noted, &commit.oid));
            }
        }
        known.retain(|oid| self.session.repository.contains(oid));
        known.into_iter().collect()
    }

    fn moves_nothing(&self, proposal: &Digest) -> bool {
        self.noted.artifact(proposal).is_some_and(|recorded| match recorded.artifact.value() {
            Artifact::EvidenceEnvelope(it) => it.predicate.claim.kind != ClaimKind::Change,
            _ => false,
        })
    }

    fn pin_of(&self, proposal: &ProposalFacts) -> Option<Oid> {
        proposals::statement(self.noted, &proposal.digest)?.predicate.bindings.source_expected.value().copied()
    }
}

struct Trees<'a> {
    malformed: BTreeMap<Oid, String>,
    prefer: Vec<Oid>,
    rule: &'a Rule,
}

impl Trees<'_> {
    fn add(
        &mut self,
        gathering: &mut Gathering<'_, '_>,
        commit: &Commit,
        known: &mut BTreeMap<Oid, CommitFacts>,
    ) -> Result<(), GatherError> {
        if known.contains_key(&commit.oid) {
            return Ok(());
        }
        let with_list = self.rule.equality == Equality::Change;
        match commits::facts(gathering.session.repository, commit, &self.prefer, with_list) {
            Ok(facts) => {
                known.insert(commit.oid, facts);
            }
            Err(DiffError::History(error)) if error.is_incomplete() => gathering.gap(error.to_string()),
            Err(DiffError::Object(error)) if error.is_missing() => gathering.gap(error.to_string()),
            Err(error) if error.is_over_budget() => {
                gathering.gaps.push(Gap { command: None, text: format!("{}: {error}", commit.oid.short()) });
            }
            Err(error) if error.is_malformed() => {
                self.malformed.insert(commit.oid, error.to_string());
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// The same for a commit that only a proposal brings in: what can't be told of it is missing to the proposals that speak for it.
    fn add_beside(
        &mut self,
        gathering: &Gathering<'_, '_>,
        commit: &Commit,
        known: &mut BTreeMap<Oid, CommitFacts>,
        found: &mut [ProposalFacts],
    ) {
        if known.contains_key(&commit.oid) || self.malformed.contains_key(&commit.oid) {
            return;
        }
        let with_list = self.rule.equality == Equality::Change;
        match commits::facts(gathering.session.repository, commit, &self.prefer, with_list) {
            Ok(facts) => {
                known.insert(commit.oid, facts);
            }
            Err(error) => {
                let command = error.is_incomplete().then(|| handoffs::fetch(&gathering.request.side));
                let gap = Gap { command, text: format!("{}: {error}", commit.oid.short()) };
                let about = |one: &ProposalFacts| proposals::statement(gathering.noted, &one.digest)?.subject;
                for one in found.iter_mut() {
                    if one.range.contains(&commit.oid) || about(one).is_some_and(|about| about.commit == commit.oid) {
                        one.gaps.push(gap.clone());
                    }
                }
            }
        }
    }
}

fn needs_a_look(known: &BTreeMap<Oid, CommitFacts>, oid: &Oid) -> bool {
    known.get(oid).is_none_or(|commit| commit.parents.len() < 2 || !commit.touched.is_empty())
}
