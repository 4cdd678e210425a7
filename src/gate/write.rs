//! WRITE: a wish to write one file of a worktree, judged by the same nine checks as a push. What is added here: which rule it is judged by,
//! and what was seen of the session that asks, of the worktree and of the bytes (issue "the gateway", point 5; seed "execution gateway").

use crate::codec::artifact::Artifact;
use crate::crypto::trust::Trust;
use crate::model::decision::{Approval, ApprovalVerdict, Disposition};
use crate::model::digest::Digest;
use crate::model::envelope::{Action, FileWrite};
use crate::model::id::{ArtifactId, KeyId};
use crate::model::party::Role;
use crate::model::policy::{DietRule, Equality, PinRule, Policy, ProofRule, Rule, Strength};
use crate::model::refusal::Code;
use crate::model::time::Timestamp;
use crate::model::typed::quoted;

use super::case::Case;
use super::checks::approval::{action_digest, is_word_of, params_hash};
use super::clock;
use super::docket::Docket;
use super::facts::Recorded;
use super::judge::refused_because;
use super::rule::{Match, rule_for};
use super::scope::automation::is_automation;
use super::verdict::Finding;

/// What was seen of a write, before it is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteSeen {
    /// The bytes that wait in git's objects.
    pub content: Content,
    /// Other paths in which the commit that stands for the write differs from the one below it.
    pub beside: Vec<String>,
    /// Session and worktree; `None` in another clone than theirs, where nothing can be carried out.
    pub standing: Option<Standing>,
}

/// The bytes of a write, as git has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// They are here.
    Here {
        /// Their SHA-256.
        digest: Digest,
        /// How many.
        size: u64,
    },
    /// They are not, in words.
    Missing(String),
}

/// How session and worktree stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The branch that the worktree is on, in full; `None` where `HEAD` is on none.
    pub branch: Option<String>,
    /// What is not as it was when the session was sealed.
    pub drifted: Vec<String>,
    /// Whose wishes the session's are.
    pub actor: Option<KeyId>,
    /// SHA-256 of what is at the path, `None` for nothing; in words why that can't be told.
    pub found: Result<Option<Digest>, String>,
    /// What the session's policy says against it.
    pub policy: Result<(), String>,
    /// Until when the session lasts; in words why it is over.
    pub session: Result<Timestamp, String>,
}

/// The rule that a write on a branch is judged by: the branch's own, without what only commits can have. Proofs and `people` are for what
/// is pushed; and where no rule governs, an owner's approval is still needed.
///
/// # Errors
/// In words, where nothing may happen on that ref.
pub fn rule(policy: &Policy, reference: &str) -> Result<Rule, String> {
    let none = ProofRule { count: 0, domains: 0, strength: Strength::Own };
    match rule_for(policy, reference) {
        Match::Rule { rule, .. } => Ok(Rule {
            equality: Equality::Commit,
            evidence: Vec::new(),
            people: Vec::new(),
            people_by_signature: false,
            proofs: none,
            ..rule.clone()
        }),
        Match::Open => Ok(Rule {
            adopts: Vec::new(),
            approval_paths: Vec::new(),
            automation_approval: true,
            context_strength: Strength::Own,
            diet: DietRule { permitted: Vec::new(), required: Vec::new() },
            equality: Equality::Commit,
            evidence: Vec::new(),
            handoff: false,
            people: Vec::new(),
            people_by_signature: false,
            pin: PinRule::Ancestor,
            proofs: none,
            refs: vec![reference.to_owned()],
        }),
        Match::Refused(because) => Err(format!("{reference}: {}", refused_because(because))),
        Match::Boundary => Err(format!("{reference} is one of the boundary's own refs")),
    }
}

/// A write in words: its path, and the class of automation file that the path is of, whatever its proposer says of it.
pub fn described(write: &FileWrite) -> String {
    let path = write.path.as_str();
    match is_automation(path.as_bytes()) {
        Some(class) => format!("{path} ({}: {})", class.name(), class.meaning()),
        None => format!("{path} (a write in the worktree)"),
    }
}

/// What stands against a write besides the nine checks; nothing against anything else.
pub fn against(case: &Case<'_>) -> Vec<Finding> {
    let (Some(write), Some(seen)) = (case.write(), &case.facts.write) else { return Vec::new() };
    let mut findings = Vec::new();
    match &seen.content {
        Content::Missing(why) => {
            let text = format!("the bytes that were to be written are not here: {why}");
            findings.push(Finding::new(Code::EvidenceReferenceUnresolved, text));
        }
        Content::Here { digest, size } if *digest != write.content || *size != write.size => {
            let (is, was) = (format!("{digest}, {size} bytes"), format!("{}, {} bytes", write.content, write.size));
            let text = format!("what waits to be written is {is}; what was asked for is {was}");
            findings.push(Finding::new(Code::EvidenceDigestMismatch, text));
        }
        Content::Here { .. } => {}
    }
    if let Some(other) = seen.beside.first() {
        let text = format!("the commit that stands for the write of {} touches {other} as well", write.path.as_str());
        findings.push(Finding::new(Code::AuthorityActionOutOfScope, text));
    }
    if let Some(standing) = &seen.standing {
        standing_against(case, write, standing, &mut findings);
    }
    findings
}

fn standing_against(case: &Case<'_>, write: &FileWrite, standing: &Standing, findings: &mut Vec<Finding>) {
    let path = write.path.as_str();
    if let Err(why) = &standing.session {
        let text = format!("the session {} that asked for it is over: {why}", ArtifactId::of(&write.session));
        let anew = "git boundary gateway launch <agent>";
        findings.push(Finding::new(Code::AuthorityLeaseExpired, text).with_command(anew));
    }
    let asks = standing.actor.and_then(|id| case.facts.trust.resolve(&id.to_string()));
    if standing.session.is_ok() && (asks.is_none() || asks != case.actor) {
        let who = standing.actor.map_or_else(|| "nobody".to_owned(), |id| case.name(&id));
        let text = format!("{who} asks for what is written in the session {}", ArtifactId::of(&write.session));
        findings.push(Finding::new(Code::AuthorityHolderMismatch, text));
    }
    if let Some(first) = standing.drifted.first() {
        let text = format!("not as it was when the session was sealed: {first}");
        findings.push(Finding::new(Code::PolicyDigestMismatch, text).with_command("git boundary gateway doctor"));
    }
    if let Err(why) = &standing.policy {
        let text = format!("the gateway's policy denies {path}: {why}");
        findings.push(Finding::new(Code::PolicyActionForbidden, text).with_command("git boundary gateway doctor"));
    }
    if standing.branch.as_ref() != Some(&case.facts.update.reference) {
        let now = standing.branch.as_deref().unwrap_or("no branch");
        let text = format!("it was asked for on {}, and the worktree is on {now}", case.facts.update.reference);
        findings.push(Finding::new(Code::SnapshotHeadMoved, text).with_command("git status"));
    }
    match &standing.found {
        Err(why) => findings.push(
            Finding::new(Code::AuthorityActionOutOfScope, format!("{path} can't be written: {why}"))
                .with_command(format!("ls -ld {}", quoted(path))),
        ),
        Ok(found) if *found != write.preimage => {
            let shown = |digest: &Option<Digest>| digest.map_or_else(|| "nothing".to_owned(), |it| it.to_string());
            let text = format!("{path} holds {}, and it was to replace {}", shown(found), shown(&write.preimage));
            findings.push(
                Finding::new(Code::SnapshotHeadMoved, text).with_command(format!("git diff -- {}", quoted(path))),
            );
        }
        Ok(_) => {}
    }
}

/// A write that happened as an owner approved it, by the word of the registrar that the approval names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// The approval.
    pub approval: Digest,
    /// Whether the trust document lists the registrar whose word it is.
    pub listed: bool,
    /// The owner, as the trust document has the key that signed.
    pub owner: KeyId,
    /// The work receipt.
    pub receipt: Digest,
}

/// Whether a proposed write was approved by an owner in good standing, for exactly that action, and then carried out: by a complete work
/// receipt of the registrar that sealed the session, which the approval names too, in its own ledger. What an owner rejected as well is not.
pub fn executed(
    docket: &Docket,
    trust: &Trust,
    now: Timestamp,
    proposal: &Digest,
    action: &Action,
) -> Option<Executed> {
    let owners: Vec<(&Recorded, &Approval)> = docket
        .about(proposal)
        .filter_map(|recorded| match recorded.artifact.value() {
            Artifact::Approval(it) if clock::speaks(trust, now, recorded, Role::Owner) => {
                Some((recorded, &it.predicate))
            }
            _ => None,
        })
        .collect();
    if owners.iter().any(|(_, approval)| approval.verdict == ApprovalVerdict::Reject) {
        return None;
    }
    let (digest, params) = (action_digest(action), params_hash(action));
    let acts = action.write.as_ref()?.registrar;
    let fits = |approval: &Approval| {
        approval.action_digest == digest && approval.params_hash == params && approval.connection == acts
    };
    owners.into_iter().filter(|(_, approval)| fits(approval)).find_map(|(recorded, approval)| {
        let receipt = docket.about(proposal).find(|receipt| {
            matches!(receipt.artifact.value(), Artifact::WorkReceipt(it)
                if it.predicate.disposition == Disposition::Complete
                    && it.predicate.action_digest == digest
                    && it.predicate.registrar == approval.connection)
                && is_word_of(trust, receipt, approval.connection)
        })?;
        let owner = recorded.artifact.signers().iter().find_map(|key| {
            let party = trust.party(key)?;
            party.roles.contains(&Role::Owner).then_some(party.id)
        })?;
        let entry = receipt.entries.iter().find(|entry| entry.registrar == approval.connection)?;
        let (approval, receipt) = (recorded.artifact.digest(), receipt.artifact.digest());
        Some(Executed { approval, listed: entry.listed, owner, receipt })
    })
}
