//! APPROVAL: owner approvals, where the paths or the automation class want one (contract, sections 4 and 8).

mod consumed;

pub use consumed::is_word_of;

use super::Found;
use crate::codec::canonical;
use crate::gate::case::Case;
use crate::gate::decisions::Decisions;
use crate::gate::facts::{Facts, Purpose};
use crate::gate::rule::{ApprovalPaths, ApprovalReason, Match, rule_for};
use crate::gate::verdict::{Finding, listed};
use crate::gate::write;
use crate::model::decision::{Approval, ApprovalVerdict};
use crate::model::digest::Digest;
use crate::model::envelope::Action;
use crate::model::id::{KeyId, Oid, RepositoryId};
use crate::model::refusal::Code;

/// Runs the check.
pub fn check(case: &Case<'_>) -> Found {
    let mut about: Vec<(Digest, &Approval)> = case.approvals().collect();
    // An owner who says no is heard, whether or not anybody had to ask.
    if about.iter().any(|(_, approval)| approval.verdict == ApprovalVerdict::Reject) {
        let text = format!("an owner rejected proposal {}", case.recorded.artifact.id());
        return Some(vec![Finding::new(Code::ApprovalRejected, text)]);
    }
    let needed = case.needs_approval()?;
    let action = case.envelope().requested_action.as_ref()?;
    about.retain(|(_, approval)| approval.verdict == ApprovalVerdict::Approve);
    if about.is_empty() {
        let text = format!("{needed} needs an owner's approval, and there is none");
        return Some(vec![Finding::new(Code::ApprovalMissing, text).with_command(approve(case))]);
    }
    if let Some(finding) = consumed::done_before(case, action) {
        return Some(vec![finding]);
    }
    // One good approval is enough; of several bad ones the last reason is as good as any.
    let mut reason = None;
    for (digest, approval) in about {
        match defect(case, action, &digest, approval) {
            None => return Some(Vec::new()),
            Some(finding) => reason = Some(finding),
        }
    }
    Some(reason.into_iter().collect())
}

/// How a proposal stands with owners on the ref that is judged.
pub struct State {
    /// What in its range needs an approval, in words; `None` when nothing does.
    pub needed: Option<String>,
    /// The code that refuses it; `None` when none of this check does.
    pub code: Option<Code>,
    /// Whether it was done already, so that no approval is asked for any more.
    pub done: bool,
    /// The approval that it rests on, where it needs one and has it: the one that was consumed for it before, else the first.
    pub rests_on: Option<Digest>,
}

/// The same answer that the gate gives, for whoever is asked to approve; `None` where no rule governs the ref, or the proposal is not
/// among those gathered.
pub fn state(facts: &Facts, proposal: &Digest) -> Option<State> {
    let (_, policy) = facts.policy()?;
    let rule = match &facts.write {
        Some(_) => write::rule(policy, &facts.update.reference).ok()?,
        None => match rule_for(policy, &facts.update.reference) {
            Match::Rule { rule, .. } => rule.clone(),
            _ => return None,
        },
    };
    let decided = Decisions::of(facts, &rule.diet);
    let case = Case::new(facts, &rule, &decided, facts.proposals.iter().find(|one| one.digest == *proposal)?)?;
    let findings = check(&case).unwrap_or_default();
    let needed = case.needs_approval();
    let code = findings.first().map(|finding| finding.code);
    let rests_on = (needed.is_some() && code.is_none()).then(|| consumed::good(&case)).flatten();
    let done = case.envelope().requested_action.as_ref().is_some_and(|it| consumed::done_before(&case, it).is_some());
    Some(State { needed, code, done, rests_on })
}

fn defect(case: &Case<'_>, action: &Action, id: &Digest, approval: &Approval) -> Option<Finding> {
    let (digest, params) = (action_digest(action), params_hash(action));
    if approval.action_digest != digest || approval.params_hash != params {
        return Some(
            Finding::new(
                Code::ApprovalParamsDrifted,
                format!("the approval is for action {}, this one is {digest}", approval.action_digest),
            )
            .with_command(approve(case)),
        );
    }
    let actor = case.actor;
    if case.facts.trust.resolve(&approval.principal.to_string()) != actor
        || approval.lease.as_ref() != case.envelope().bindings.lease.value()
    {
        return Some(
            Finding::new(
                Code::ApprovalPrincipalMismatch,
                format!("the approval is for principal {} and lease {}", approval.principal, listed(approval.lease)),
            )
            .with_command(approve(case)),
        );
    }
    if let Some(finding) = consumed::by_another(case, id, approval) {
        return Some(finding);
    }
    let decided = case.released_by(id, approval.connection);
    if let Some(finding) = other_registrar(case, approval) {
        return Some(finding);
    }
    if approval.expires_at < decided.at {
        return Some(
            Finding::new(
                Code::ApprovalExpired,
                format!("the approval expired at {}; judged as of {}", approval.expires_at, decided.at),
            )
            .with_command(approve(case)),
        );
    }
    None
}

/// At a push the approval is for the clone that pushes. A server is not told which one that is, and afterwards no record says for certain.
fn other_registrar(case: &Case<'_>, approval: &Approval) -> Option<Finding> {
    let facts = case.facts;
    if facts.update.purpose != Purpose::Push || facts.registrar == Some(approval.connection) {
        return None;
    }
    let key = |id: KeyId| facts.trust.resolve(&id.to_string());
    if facts.registrar.and_then(key).is_some_and(|acting| key(approval.connection) == Some(acting)) {
        return None;
    }
    let named = facts.registrar.map_or_else(String::new, |id| format!(" --registrar {id}"));
    let text = format!(
        "the approval is for registrar {} to act on, and here acts {}",
        approval.connection,
        listed(facts.registrar)
    );
    Some(Finding::new(Code::ApprovalPrincipalMismatch, text).with_command(format!("{}{named}", approve(case))))
}

/// The owner's key is left open: whoever follows a printed command must not end up signing as the owner.
fn approve(case: &Case<'_>) -> String {
    format!("git boundary approve {} --key <owner>", case.recorded.artifact.id())
}

/// What binds an approval to one action.
pub fn action_digest(action: &Action) -> Digest {
    canonical::separated_digest("action", action)
}

/// What binds an approval to the action's parameters.
pub fn params_hash(action: &Action) -> Digest {
    let update = (action.reference.as_str(), action.old, action.new);
    match &action.write {
        None => canonical::separated_digest("params", &update),
        Some(write) => canonical::separated_digest("params", &(update, write)),
    }
}

/// The idempotency key of an action that was given none.
pub fn default_idempotency_key(
    actor: &KeyId,
    repository: &RepositoryId,
    reference: &str,
    old: &Oid,
    new: &Oid,
) -> String {
    canonical::separated_digest("idempotency", &(actor, repository, reference, old, new)).hex()
}

impl Case<'_> {
    /// What in the proposal's range wants an approval, in words; `None` when nothing does. A deletion touches no path.
    pub fn needs_approval(&self) -> Option<String> {
        // Nothing lets an agent write by itself, wherever the file lies and whoever it signs as.
        if let Some(write) = self.write() {
            return Some(write::described(write));
        }
        if self.is_person || self.is_completion() || self.asks_deletion() {
            return None;
        }
        let marked = ApprovalPaths::of(self.rule);
        for oid in &self.proposal.range {
            for touch in self.facts.commits.get(oid).iter().flat_map(|commit| &commit.touched) {
                let path = String::from_utf8_lossy(&touch.path);
                match &marked {
                    // A list that can't be read marks everything.
                    Err(defect) => return Some(format!("{path} (approval paths: {defect})")),
                    Ok(paths) => match paths.why(&touch.path).first() {
                        Some(ApprovalReason::Automation { class, .. }) => {
                            return Some(format!("{path} ({})", class.name()));
                        }
                        Some(ApprovalReason::Listed(pathspec)) => {
                            return Some(format!("{path} (approval path {pathspec})"));
                        }
                        None => {}
                    },
                }
            }
        }
        None
    }
}
