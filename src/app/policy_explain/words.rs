//! A policy's demands in words.

use super::Outcome;
use crate::gate::rule::{BOUNDARY_REFS, Match, RefusedBecause, Spelling};
use crate::model::policy::{Equality, PinRule, Policy, Rule, Strength};

/// What becomes of a push, and why.
pub(super) fn reason(policy: &Policy, reference: &str, found: &Match<'_>) -> (Outcome, String) {
    match found {
        Match::Rule { index, glob, spelling: Spelling::Exact, .. } => {
            let of = policy.rules.len();
            let sentence = format!(
                "{reference} is governed by rule {} of {of}: its pattern {glob} is the first that matches.",
                index + 1
            );
            (Outcome::Judged, sentence)
        }
        Match::Rule { index, glob, spelling: Spelling::Folded, .. } => {
            let sentence = format!(
                "{reference} is governed by rule {}: no pattern matches it as written, but some file systems can't tell it from a ref \
                 that {glob} matches.",
                index + 1
            );
            (Outcome::Judged, sentence)
        }
        Match::Open => (
            Outcome::Open,
            format!("No rule matches {reference} and the default is open: pushes to it are not judged."),
        ),
        Match::Boundary => {
            let sentence = format!(
                "{reference} is one of the boundary's own refs ({}): rules do not govern it, what it holds must verify.",
                BOUNDARY_REFS.join(", ")
            );
            (Outcome::Boundary, sentence)
        }
        Match::Refused(because) => (Outcome::Refused, refusal(reference, *because)),
    }
}

fn refusal(reference: &str, because: RefusedBecause) -> String {
    match because {
        RefusedBecause::Default => format!("No rule matches {reference} and the default is refuse."),
        RefusedBecause::NoRefName => {
            format!("{reference} is no well-formed full ref name; one begins with refs/, such as refs/heads/main.")
        }
        RefusedBecause::LooksLikeBoundary => {
            format!("Some file systems can't tell {reference} from one of the boundary's own refs, so it is refused.")
        }
        RefusedBecause::UnreadablePolicy => {
            "A pattern in the policy can't be read, so everything is refused.".to_owned()
        }
    }
}

/// What a rule asks of an actor, a phrase each.
pub(super) fn actor_needs(rule: &Rule) -> Vec<String> {
    let mut needs = vec!["a proposal signed with the actor's key".to_owned()];
    if rule.handoff {
        needs.push(
            "a live handoff to that key, with this ref and every path and operation of the push in scope".to_owned(),
        );
        needs.push(match rule.pin {
            PinRule::Ancestor => "a pinned revision that is still part of the branch it was pinned on".to_owned(),
            PinRule::Exact => "a pinned revision that the branch it was pinned on has not moved from".to_owned(),
        });
    }
    if rule.context_strength != Strength::Own {
        needs.push(format!("a context receipt by a registrar of strength {}", rule.context_strength.name()));
    }
    if rule.proofs.count > 0 {
        needs.push(proofs_needed(rule));
    }
    if rule.automation_approval {
        needs.push("an owner's approval where it changes an automation file".to_owned());
    }
    if !rule.approval_paths.is_empty() {
        needs.push(format!("an owner's approval where it changes {}", rule.approval_paths.join(", ")));
    }
    if !rule.evidence.is_empty() {
        needs.push(format!("for a claim of completion, evidence of {}", rule.evidence.join(", ")));
    }
    needs
}

fn proofs_needed(rule: &Rule) -> String {
    let (count, domains) = (rule.proofs.count, rule.proofs.domains);
    let proofs = if count == 1 { "1 allowing proof".to_owned() } else { format!("{count} allowing proofs") };
    let from = match (count, domains) {
        (1, _) => "by a checker of another domain".to_owned(),
        (_, 1) => "by checkers of another domain".to_owned(),
        _ => format!("by checkers of {domains} other domains"),
    };
    let must = match &rule.diet.required[..] {
        [] => "nothing".to_owned(),
        required => required.join(", "),
    };
    let of = match rule.equality {
        Equality::Commit => "for the very commit",
        Equality::Change => "for the commit or one with the same change",
    };
    format!(
        "{proofs} {from}, {of}, anchored with strength {}; a checker may read {}, and must read {must}",
        rule.proofs.strength.name(),
        rule.diet.permitted.join(", ")
    )
}
