//! SOURCE: the handoff's pin, where the base stands, and whether the work descends from it.

use super::Found;
use crate::gate::case::Case;
use crate::gate::handoffs::create_for;
use crate::gate::verdict::Finding;
use crate::model::context::Observation;
use crate::model::policy::PinRule;
use crate::model::refusal::Code;

/// Runs the check.
pub fn check(case: &Case<'_>) -> Found {
    let Some((facts, statement)) = case.handoff() else {
        if case.is_person || !case.rule.handoff {
            return None;
        }
        return Some(vec![missing(case)]);
    };
    let Some(statement) = statement else { return Some(Vec::new()) };
    let pin = &statement.predicate.pin;
    let mut findings = Vec::new();
    if facts.pin_known == Some(false) {
        findings.push(Finding::new(
            Code::SourceRevisionUnknown,
            format!("the handoff pins {} with tree {}, which is no such commit here", pin.commit, pin.tree.short()),
        ));
        return Some(findings);
    }
    // A claim moves nothing: where the base went since the work landed is nothing against it.
    if case.is_completion() {
        return Some(findings);
    }
    let standing_at = describe(&facts.base);
    let moved = match case.rule.pin {
        PinRule::Ancestor => facts.pin_in_base == Some(false),
        PinRule::Exact => facts.base.oid.is_some_and(|oid| oid != pin.commit),
    };
    if moved {
        let wanted = match case.rule.pin {
            PinRule::Ancestor => "in the history of",
            PinRule::Exact => "exactly at",
        };
        let text = format!(
            "the handoff pins {}, which must be {wanted} {}; that is {standing_at}",
            pin.commit.short(),
            pin.reference
        );
        findings.push(case.move_on(Code::SourceHandoffStale, text, &facts.digest, &statement.predicate));
    }
    // What is deleted can't be built anew on another pin.
    if facts.tip_descends == Some(false) && !case.asks_deletion() {
        findings.push(
            Finding::new(
                Code::SourceHistoryDiverged,
                format!("{} does not descend from the pinned commit {}", case.proposal.tip.short(), pin.commit.short()),
            )
            .with_command(match facts.built_on {
                // What lies below the old pin was rewritten, and is not to be replayed.
                Some(old) => format!("git rebase --onto {} {}", pin.commit.short(), old.short()),
                None => format!("git rebase {}", pin.commit.short()),
            }),
        );
    }
    Some(findings)
}

fn missing(case: &Case<'_>) -> Finding {
    let who = case.envelope().bindings.actor.value().map_or_else(|| "<key>".to_owned(), |id| case.name(id));
    Finding::new(
        Code::SourceHandoffMissing,
        format!(
            "proposal {} names no handoff, the rule for {} wants one, and {who} is not listed there as a person; an owner hands the work to \
             {who}, or lists it under `people` in boundary.toml",
            case.recorded.artifact.id(),
            case.facts.update.reference
        ),
    )
    .with_command(create_for(&who))
}

fn describe(base: &Observation) -> String {
    match base.oid {
        Some(oid) if !oid.is_zero() => format!("at {} ({})", oid.short(), observed(base)),
        Some(_) => format!("not there ({})", observed(base)),
        None => "not known".to_owned(),
    }
}

fn observed(base: &Observation) -> &'static str {
    use crate::model::context::ObservedBy;
    match base.by {
        ObservedBy::Tracking => "by the tracking ref",
        ObservedBy::Hook => "as git told the hook",
        ObservedBy::Remote => "as the remote answered",
    }
}
