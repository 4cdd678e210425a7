//! `policy explain`: what the policy wants of a push to one ref, and of each path in it.

use serde::Serialize;

use super::policy_file::policy_digest;
use crate::gate::rule::{ApprovalPaths, ApprovalReason, Match, PolicyDefect, Spelling, check_policy, rule_for};
use crate::model::digest::Digest;
use crate::model::id::KeyId;
use crate::model::policy::{Policy, Rule};

mod path_text;
mod words;

use path_text::path_text;
use words::{actor_needs, reason};

/// What the policy says of one ref and some paths. As JSON for machines, as [`Explanation::lines`] for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The ref asked about.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The policy that was asked.
    pub policy: Digest,
    /// What becomes of a push to it.
    pub outcome: Outcome,
    /// Why, in a sentence.
    pub because: String,
    /// The rule that governs it.
    pub rule: Option<GoverningRule>,
    /// The paths asked about, in order.
    pub paths: Vec<PathNeeds>,
}

/// What becomes of a push to a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It is judged by a rule.
    Judged,
    /// It is not judged.
    Open,
    /// It is refused.
    Refused,
    /// It is one of the boundary's own refs, judged by what they hold.
    Boundary,
}

/// A rule that governs a ref.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GoverningRule {
    /// Its place in the policy, from 1.
    pub number: usize,
    /// The glob that matched.
    pub glob: String,
    /// Whether it only matched up to letter case and the like.
    pub folded: bool,
    /// What it asks for.
    pub needs: Rule,
    /// Its people, with the labels they have in the trust document.
    pub people: Vec<Person>,
}

/// Somebody who may propose without a handoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Person {
    /// Their key.
    pub key: KeyId,
    /// Its label, where it is trusted.
    pub label: Option<String>,
}

/// What one path needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PathNeeds {
    /// The path; quoted as git does it where it is not UTF-8.
    pub path: String,
    /// Whether an actor's change of it needs an owner's approval.
    pub approval: bool,
    /// Why it does.
    pub because: Vec<PathReason>,
}

/// Why a path needs an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PathReason {
    /// It is an automation file.
    Automation {
        /// The class's word.
        class: &'static str,
        /// What the class is.
        meaning: &'static str,
        /// The entry of the class that it falls under.
        entry: &'static str,
    },
    /// The rule's `approval_paths` list it.
    Listed {
        /// By this pathspec.
        pathspec: String,
    },
}

/// Explains the policy for `reference`, a full ref name, and `paths` from the top of the tree. `label_of` looks a key up in the trust
/// document. A policy that can't be applied is an error, so that nothing is explained that would not be done.
pub fn explain(
    policy: &Policy,
    reference: &str,
    paths: &[&[u8]],
    label_of: &dyn Fn(&KeyId) -> Option<String>,
) -> Result<Explanation, PolicyDefect> {
    check_policy(policy)?;
    let found = rule_for(policy, reference);
    let (outcome, because) = reason(policy, reference, &found);
    let (rule, approvals) = match found {
        Match::Rule { rule, index, glob, spelling } => {
            let people = rule.people.iter().map(|key| Person { key: *key, label: label_of(key) }).collect();
            let (number, folded) = (index + 1, spelling == Spelling::Folded);
            let governing = GoverningRule { number, glob: glob.to_owned(), folded, needs: rule.clone(), people };
            (Some(governing), ApprovalPaths::of(rule).ok())
        }
        Match::Open | Match::Refused(_) | Match::Boundary => (None, None),
    };
    let paths = paths.iter().map(|path| path_needs(path, approvals.as_ref())).collect();
    Ok(Explanation { reference: reference.to_owned(), policy: policy_digest(policy), outcome, because, rule, paths })
}

impl Explanation {
    /// The explanation for people, line by line. Names come from files and people and are not escaped.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.because.clone()];
        if let Some(rule) = &self.rule {
            lines.push(String::new());
            lines.extend(rule.lines());
        }
        if !self.paths.is_empty() {
            lines.push(String::new());
            lines.extend(self.paths.iter().map(PathNeeds::line));
        }
        lines
    }
}

impl GoverningRule {
    fn lines(&self) -> Vec<String> {
        let rule = &self.needs;
        let mut lines = vec!["An actor's push needs:".to_owned()];
        lines.extend(actor_needs(rule).into_iter().map(|need| format!("  - {need}")));
        lines.push(match &self.people[..] {
            [] => "Nobody may propose their own work without a handoff.".to_owned(),
            people => {
                let names: Vec<_> = people.iter().map(Person::text).collect();
                format!("Without a handoff, these people may propose their own work: {}.", names.join(", "))
            }
        });
        if rule.people_by_signature {
            lines.push("A commit that one of them has signed with SSH passes as it is.".to_owned());
        }
        if !rule.adopts.is_empty() {
            lines.push(format!("What is on {} counts as judged already.", rule.adopts.join(", ")));
        }
        lines
    }
}

impl Person {
    fn text(&self) -> String {
        match &self.label {
            Some(label) => format!("{label} ({})", self.key),
            None => format!("{} (not in the trust document)", self.key),
        }
    }
}

impl PathNeeds {
    fn line(&self) -> String {
        if !self.approval {
            return format!("{}: no approval needed", self.path);
        }
        let reasons: Vec<_> = self.because.iter().map(PathReason::text).collect();
        format!("{}: an owner's approval when an actor changes it, since {}", self.path, reasons.join(" and "))
    }
}

impl PathReason {
    fn text(&self) -> String {
        match self {
            PathReason::Automation { class, meaning, entry } => {
                format!("it is an automation file ({class}: {meaning}; {entry})")
            }
            PathReason::Listed { pathspec } => format!("approval_paths lists {pathspec:?}"),
        }
    }
}

fn path_needs(path: &[u8], approvals: Option<&ApprovalPaths>) -> PathNeeds {
    let because: Vec<_> =
        approvals.map(|paths| paths.why(path)).unwrap_or_default().into_iter().map(path_reason).collect();
    PathNeeds { path: path_text(path), approval: !because.is_empty(), because }
}

fn path_reason(reason: ApprovalReason) -> PathReason {
    match reason {
        ApprovalReason::Listed(pathspec) => PathReason::Listed { pathspec },
        ApprovalReason::Automation { class, entry } => {
            PathReason::Automation { class: class.name(), meaning: class.meaning(), entry }
        }
    }
}

#[cfg(test)]
mod tests;
