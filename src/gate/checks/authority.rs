//! AUTHORITY: lease, holder and scope, over the proposal's whole range.

use super::Found;
use crate::gate::case::Case;
use crate::gate::clock::AsOf;
use crate::gate::facts::{Facts, Purpose};
use crate::gate::handoffs::{self, create_for, widened};
use crate::gate::scope::pathspec::PathScope;
use crate::gate::scope::ref_glob::RefGlob;
use crate::gate::verdict::Finding;
use crate::model::digest::Digest;
use crate::model::handoff::Handoff;
use crate::model::id::ArtifactId;
use crate::model::operation::{Grant, Operation, RefOperation};
use crate::model::refusal::Code;

/// Most paths named in one message.
const PATHS_SHOWN: usize = 3;

/// Runs the check.
pub fn check(case: &Case<'_>) -> Found {
    let mut findings = Vec::new();
    repository(case, &mut findings);
    let Some((facts, Some(statement))) = case.handoff() else {
        return if findings.is_empty() && case.handoff().is_none() { None } else { Some(findings) };
    };
    let handoff = &statement.predicate;
    lease(case, facts.digest, handoff, &mut findings);
    let mine = case.facts.trust.repository();
    if let Some(subject) = &statement.subject
        && subject.repository != mine
    {
        findings.push(Finding::new(
            Code::AuthorityActionOutOfScope,
            format!("the handoff is for {}, this repository is {mine}", subject.repository),
        ));
    }
    if case.is_completion() {
        return Some(findings);
    }
    refs(case, handoff, &mut findings);
    // A deletion touches no path: what lies on the branch was judged when it came, or never will be.
    if !case.asks_deletion() {
        paths(case, handoff, &mut findings);
    }
    Some(findings)
}

fn repository(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let mine = case.facts.trust.repository();
    let claimed = [
        case.statement.subject.as_ref().map(|subject| subject.repository),
        case.envelope().requested_action.as_ref().map(|action| action.repository),
    ];
    if let Some(other) = claimed.into_iter().flatten().find(|other| *other != mine) {
        findings.push(Finding::new(
            Code::AuthorityActionOutOfScope,
            format!("the proposal is for {other}, this repository is {mine}"),
        ));
    }
}

fn lease(case: &Case<'_>, digest: Digest, handoff: &Handoff, findings: &mut Vec<Finding>) {
    let holder = case.facts.trust.resolve(&handoff.to.to_string());
    if holder.is_none() || holder != case.actor {
        let who = case.name(&handoff.to);
        findings.push(
            Finding::new(
                Code::AuthorityHolderMismatch,
                format!(
                    "the handoff {} is held by {who}, the proposal is by {}",
                    ArtifactId::of(&digest),
                    case.envelope().bindings.actor.value().map_or_else(|| "nobody".to_owned(), |id| case.name(id))
                ),
            )
            .with_command(instead(case, handoff)),
        );
    }
    // A write happens now or not at all: that it was let wait within the lease carries it nowhere.
    let decided = if case.is_write() { AsOf::now(case.facts.now) } else { case.decided() };
    let wrong = match handoff.lease {
        None => Some((Code::AuthorityLeaseMissing, "the handoff gives no lease".to_owned())),
        Some(lease) if decided.at < lease.not_before || decided.at > lease.expires_at => Some((
            Code::AuthorityLeaseExpired,
            format!("the lease runs from {} to {}; judged as of {}", lease.not_before, lease.expires_at, decided.at),
        )),
        Some(_) => None,
    };
    findings.extend(wrong.map(|(code, text)| case.move_on(code, text, &digest, handoff)));
    // A lease that ran out after its work was admitted leaves that work be; a revocation is an owner saying stop, so for anything
    // that is not yet decided on this ref it counts from now on (manual, "gate").
    // What is pushed is not there yet, so that a record of an earlier try decided nothing: a push that failed, or `--dry-run`.
    let since = match case.facts.update.purpose {
        Purpose::Push | Purpose::Receive => AsOf::now(case.facts.now),
        Purpose::Landed | Purpose::Verify => case.decided_here(),
    };
    let domain = case.actor_party().map(|actor| actor.domain.as_str());
    if let Some(moment) = handoffs::revoked_by(case.facts, &digest, domain, since) {
        findings.push(Finding::new(
            Code::AuthorityLeaseRevoked,
            format!("the handoff {} was revoked at {moment}; judged as of {}", ArtifactId::of(&digest), decided.at),
        ));
    }
}

/// Whoever holds the handoff with another key of theirs proposes with that one. Anybody else gets a handoff of their own: nobody is told
/// to sign with a key that another party answers for.
fn instead(case: &Case<'_>, handoff: &Handoff) -> String {
    let holder = case.facts.trust.party_of(&handoff.to);
    match (case.actor_party(), holder) {
        (Some(actor), Some(holder)) if actor.domain == holder.domain => {
            format!("git boundary propose --key {}", case.key(&handoff.to))
        }
        (Some(actor), _) => create_for(&case.name(&actor.id)),
        (None, _) => create_for("<holder>"),
    }
}

fn refs(case: &Case<'_>, handoff: &Handoff, findings: &mut Vec<Finding>) {
    let scope = &handoff.scope;
    let mut wanted = vec![case.facts.update.reference.as_str()];
    if let Some(action) = &case.envelope().requested_action
        && !wanted.contains(&action.reference.as_str())
    {
        wanted.push(&action.reference);
    }
    let globs: Vec<RefGlob> = scope.refs.iter().filter_map(|glob| RefGlob::parse(glob).ok()).collect();
    for reference in wanted {
        if !globs.iter().any(|glob| glob.matches(reference)) {
            let text = format!("{reference} is not in the handoff's refs: {}", scope.refs.join(", "));
            findings.push(Finding::new(Code::AuthorityActionOutOfScope, text).with_command(widened(
                handoff,
                &case.name(&handoff.to),
                None,
                Some(reference),
            )));
        }
    }
    if !case.is_tip() || case.facts.update.purpose == Purpose::Verify {
        return;
    }
    for operation in ref_operations(case.facts) {
        if !scope.operations.contains(&Grant::Ref(operation)) {
            findings.push(not_granted(case, operation, handoff));
        }
    }
}

/// An operation on the ref that the handoff does not grant. What a branch holds already may be somebody else's: who did not mean to
/// take it away brings the work onto it, and needs no wider scope for that.
fn not_granted(case: &Case<'_>, operation: RefOperation, handoff: &Handoff) -> Finding {
    let update = &case.facts.update;
    let granted = words(&handoff.scope.operations);
    let text = format!("the push would {operation} {}; the handoff grants {granted}", update.reference);
    let wider = widened(handoff, &case.name(&handoff.to), Some(Grant::Ref(operation)), None);
    if operation != RefOperation::Rewrite || update.reference.starts_with("refs/tags/") {
        return Finding::new(Code::AuthorityActionOutOfScope, text).with_command(wider);
    }
    if let Some(anew) = case.facts.rewritten {
        // Whoever put their own commit right would lose just that by bringing it onto what it was before.
        let text = format!(
            "{text}; {} seems to be {} written anew: pushed as another branch it takes nothing away, and to take that away a \
             handoff has to grant {operation}",
            anew.short(),
            update.old.short()
        );
        return Finding::new(Code::AuthorityActionOutOfScope, text).with_command(wider);
    }
    let text = format!("{text}; {} is there, and what is pushed does not hold it", update.old.short());
    Finding::new(Code::AuthorityActionOutOfScope, text).with_command(format!("git rebase {}", update.old.short()))
}

/// What an update does to its ref. A move that is not known to be a fast-forward is none, unless that is among what could not be told.
pub fn ref_operations(facts: &Facts) -> Vec<RefOperation> {
    let update = &facts.update;
    let tags = update.reference.starts_with("refs/tags/");
    let mut operations = Vec::new();
    if update.new.is_zero() {
        operations.push(RefOperation::Delete);
    } else if update.old.is_zero() {
        operations.push(RefOperation::Create);
    } else if update.fast_forward == Some(true) && !tags {
        operations.push(RefOperation::Update);
    } else if tags || update.fast_forward == Some(false) || facts.gaps.is_empty() {
        // A tag that moves means something else from then on, whichever way it goes; git wants force for it too.
        operations.push(RefOperation::Rewrite);
    }
    if tags && !update.new.is_zero() {
        operations.push(RefOperation::Tag);
    }
    operations
}

fn paths(case: &Case<'_>, handoff: &Handoff, findings: &mut Vec<Finding>) {
    let scope = &handoff.scope;
    let granted = match PathScope::parse(&scope.paths) {
        Ok(granted) => granted,
        Err(defect) => {
            findings.push(Finding::new(Code::AuthorityActionOutOfScope, format!("the handoff's paths: {defect}")));
            return;
        }
    };
    let mut outside: Vec<String> = Vec::new();
    for oid in &case.proposal.range {
        let Some(commit) = case.facts.commits.get(oid) else { continue };
        for touch in &commit.touched {
            let path = String::from_utf8_lossy(&touch.path);
            let submodule = touch.operations.contains(&Operation::Submodule);
            let inside = if submodule { granted.grants_submodule(&touch.path) } else { granted.grants(&touch.path) };
            if !inside {
                outside.push(format!("{path} (touched by {})", oid.short()));
                continue;
            }
            let denied: Vec<_> =
                touch.operations.iter().copied().filter(|op| !scope.operations.contains(&Grant::File(*op))).collect();
            if let Some(operation) = denied.first() {
                outside.push(format!("{operation} of {path} (by {})", oid.short()));
            }
        }
    }
    if outside.is_empty() {
        return;
    }
    outside.sort();
    let more = outside.len().saturating_sub(PATHS_SHOWN);
    let mut shown = outside.into_iter().take(PATHS_SHOWN).collect::<Vec<_>>().join(", ");
    if more > 0 {
        shown.push_str(&format!(" and {more} more"));
    }
    findings.push(
        Finding::new(
            Code::AuthorityActionOutOfScope,
            format!(
                "outside the scope: {shown}; the handoff grants {} of {}",
                words(&scope.operations),
                scope.paths.join(" ")
            ),
        )
        .with_command(create_for(&case.name(&handoff.to))),
    );
}

fn words(operations: &[Grant]) -> String {
    operations.iter().map(|grant| grant.name()).collect::<Vec<_>>().join(", ")
}
