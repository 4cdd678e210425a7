//! Which rule governs a ref, and which paths it wants an approval for (contract, section 4).

use crate::model::policy::{DefaultRule, Policy, Rule};

use super::facts::PolicyFacts;
pub use super::policy_check::{Place, PolicyDefect, PolicyDefectKind, check_policy};
use super::scope::automation::{self, AutomationClass};
use super::scope::pathspec::{PathGuard, PathspecError};
use super::scope::ref_glob::{RefGlob, is_ref_name};

/// What the policy says of one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match<'a> {
    /// This rule governs it.
    Rule {
        /// The rule.
        rule: &'a Rule,
        /// Its place in the policy, from 0.
        index: usize,
        /// The glob that matched.
        glob: &'a str,
        /// How closely.
        spelling: Spelling,
    },
    /// No rule matches and the default is `open`.
    Open,
    /// It may not be pushed at all.
    Refused(RefusedBecause),
    /// One of the boundary's own refs. Rules do not govern these; what may be pushed to them is a matter of what they hold.
    Boundary,
}

/// How a glob matched a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// As the ref is written.
    Exact,
    /// Only up to letter case, normalisation and ignored code points, which some servers' file systems level.
    Folded,
}

/// Why a ref is refused whatever is pushed to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedBecause {
    /// No rule matches and the default is `refuse`.
    Default,
    /// The name is no well-formed full ref name.
    NoRefName,
    /// Some file systems take it for one of the boundary's own refs, which it is not.
    LooksLikeBoundary,
    /// A glob in the policy can't be read; [`check_policy`] says which.
    UnreadablePolicy,
}

/// What the boundary's own refs begin with.
pub const BOUNDARY_REFS: [&str; 2] = ["refs/boundary/**", "refs/notes/boundary/**"];

/// The rule for `reference`, a full ref name. The first rule with a matching glob governs.
///
/// A ref that no rule matches but that a file system may take for one that a rule does match is governed by that rule: otherwise
/// `refs/heads/MAIN` would be an open door to `refs/heads/main`. Folding never loosens what an exact match says.
pub fn rule_for<'a>(policy: &'a Policy, reference: &str) -> Match<'a> {
    if !is_ref_name(reference) {
        return Match::Refused(RefusedBecause::NoRefName);
    }
    match boundary_spelling(reference) {
        Some(Spelling::Exact) => return Match::Boundary,
        Some(Spelling::Folded) => return Match::Refused(RefusedBecause::LooksLikeBoundary),
        None => {}
    }
    let mut folded = None;
    for (index, rule) in policy.rules.iter().enumerate() {
        for text in &rule.refs {
            let Ok(glob) = RefGlob::parse(text) else { return Match::Refused(RefusedBecause::UnreadablePolicy) };
            if glob.matches(reference) {
                return Match::Rule { rule, index, glob: text, spelling: Spelling::Exact };
            }
            if folded.is_none() && glob.matches_folded(reference) {
                folded = Some(Match::Rule { rule, index, glob: text, spelling: Spelling::Folded });
            }
        }
    }
    folded.unwrap_or(match policy.default {
        DefaultRule::Open => Match::Open,
        DefaultRule::Refuse => Match::Refused(RefusedBecause::Default),
    })
}

/// The rule of the policy in force that governs a ref.
pub fn governing<'a>(policies: &'a PolicyFacts, reference: &str) -> Option<&'a Rule> {
    match rule_for(policies.known.get(&policies.in_force?)?, reference) {
        Match::Rule { rule, .. } => Some(rule),
        _ => None,
    }
}

/// Whether `reference` is one of the boundary's own refs: the names in [`BOUNDARY_REFS`] and the two that they hang from.
fn boundary_spelling(reference: &str) -> Option<Spelling> {
    let below = BOUNDARY_REFS.map(|glob| (RefGlob::parse(glob), glob.trim_end_matches("/**")));
    let mut folded = None;
    for (glob, top) in below {
        let globs = [glob, RefGlob::parse(top)];
        for glob in globs.into_iter().flatten() {
            if glob.matches(reference) {
                return Some(Spelling::Exact);
            }
            if glob.matches_folded(reference) {
                folded = Some(Spelling::Folded);
            }
        }
    }
    folded
}

/// Which paths of a rule need an owner's approval when an actor changes them.
#[derive(Debug, Clone)]
pub struct ApprovalPaths {
    guard: PathGuard,
    automation: bool,
}

impl ApprovalPaths {
    /// Those of `rule`.
    pub fn of(rule: &Rule) -> Result<Self, PathspecError> {
        Ok(ApprovalPaths { guard: PathGuard::parse(&rule.approval_paths)?, automation: rule.automation_approval })
    }

    /// Why a change of `path` by an actor needs an approval; empty where it needs none.
    pub fn why(&self, path: &[u8]) -> Vec<ApprovalReason> {
        let listed = self.guard.guarding(path).map(|pathspec| ApprovalReason::Listed(pathspec.to_owned()));
        let automation = if self.automation { automation::automation_entry(path) } else { None };
        let automation = automation.map(|(class, entry)| ApprovalReason::Automation { class, entry });
        listed.into_iter().chain(automation).collect()
    }
}

/// Why a path needs an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalReason {
    /// It is an automation file.
    Automation {
        /// Of this class.
        class: AutomationClass,
        /// By this entry of the class's paths.
        entry: &'static str,
    },
    /// This pathspec of the rule's `approval_paths` lists it.
    Listed(String),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{ApprovalPaths, ApprovalReason, Match, RefusedBecause, Spelling, rule_for};
    use crate::gate::policy_check::samples::{policy, rule};
    use crate::gate::scope::automation::AutomationClass;
    use crate::gate::scope::ref_glob::RefGlob;
    use crate::model::policy::DefaultRule;

    fn governing(globs: &[&[&str]], reference: &str) -> Option<(usize, Spelling)> {
        match rule_for(&policy(globs), reference) {
            Match::Rule { index, spelling, .. } => Some((index, spelling)),
            _ => None,
        }
    }

    #[test]
    fn the_first_rule_that_matches_governs() {
        let globs: &[&[&str]] = &[&["refs/heads/main"], &["refs/heads/agent/**", "refs/tags/*"], &["refs/heads/**"]];
        assert_eq!(governing(globs, "refs/heads/main"), Some((0, Spelling::Exact)));
        assert_eq!(governing(globs, "refs/tags/v1"), Some((1, Spelling::Exact)));
        assert_eq!(governing(globs, "refs/heads/agent/x/y"), Some((1, Spelling::Exact)));
        assert_eq!(governing(globs, "refs/heads/other"), Some((2, Spelling::Exact)));
    }

    #[test]
    fn a_ref_without_a_rule_follows_the_default() {
        let mut policy = policy(&[&["refs/heads/main"]]);
        assert_eq!(rule_for(&policy, "refs/heads/other"), Match::Open);
        policy.default = DefaultRule::Refuse;
        assert_eq!(rule_for(&policy, "refs/heads/other"), Match::Refused(RefusedBecause::Default));
    }

    #[test]
    fn the_boundary_refs_are_outside_the_rules() {
        let mut policy = policy(&[&["refs/**"]]);
        policy.default = DefaultRule::Refuse;
        for name in [
            "refs/boundary/trust",
            "refs/boundary/policy",
            "refs/notes/boundary/key_1",
            "refs/notes/boundary",
            "refs/boundary",
        ] {
            assert_eq!(rule_for(&policy, name), Match::Boundary, "{name}");
        }
        for name in ["refs/notes/other", "refs/boundary-remote/origin/trust", "refs/notes/boundaryx"] {
            assert!(matches!(rule_for(&policy, name), Match::Rule { .. }), "{name}");
        }
    }

    #[test]
    fn a_name_that_some_server_takes_for_a_boundary_ref_is_refused() {
        for name in ["refs/BOUNDARY/trust", "refs/boundar\u{200d}y/policy", "refs/Notes/boundary/key_1"] {
            let policy = policy(&[&["refs/**"]]);
            assert_eq!(rule_for(&policy, name), Match::Refused(RefusedBecause::LooksLikeBoundary), "{name}");
        }
    }

    #[test]
    fn another_letter_case_is_no_way_round_a_rule() {
        let globs: &[&[&str]] = &[&["refs/heads/main"], &["refs/heads/agent/**"]];
        assert_eq!(governing(globs, "refs/heads/MAIN"), Some((0, Spelling::Folded)));
        assert_eq!(governing(globs, "refs/heads/Agent/x"), Some((1, Spelling::Folded)));
    }

    #[test]
    fn folding_never_overrides_an_exact_match() {
        let globs: &[&[&str]] = &[&["refs/heads/agent/**"], &["refs/heads/AGENT/**"]];
        assert_eq!(governing(globs, "refs/heads/AGENT/x"), Some((1, Spelling::Exact)));
    }

    #[test]
    fn what_is_no_ref_name_is_refused_whatever_the_default() {
        let policy = policy(&[&["refs/heads/main"]]);
        for name in
            ["", "HEAD", "main", "heads/main", "refs/heads/..", "refs/heads/main/", "refs/heads/a b", "refs/heads/**"]
        {
            assert_eq!(rule_for(&policy, name), Match::Refused(RefusedBecause::NoRefName), "{name:?}");
        }
    }

    #[test]
    fn a_glob_that_nobody_can_read_refuses_what_it_might_have_governed() {
        let policy = policy(&[&["refs/heads/a"], &["refs/heads/[bad]"], &["refs/heads/main"]]);
        assert_eq!(rule_for(&policy, "refs/heads/main"), Match::Refused(RefusedBecause::UnreadablePolicy));
        assert!(matches!(rule_for(&policy, "refs/heads/a"), Match::Rule { index: 0, .. }));
    }

    #[test]
    fn an_approval_is_wanted_for_listed_paths_and_for_automation() {
        let mut rule = rule(&["refs/heads/main"]);
        rule.approval_paths = vec!["deploy".into()];
        let paths = ApprovalPaths::of(&rule).unwrap();
        assert_eq!(paths.why(b"src/lib.rs"), []);
        assert_eq!(paths.why(b"Deploy/run"), [ApprovalReason::Listed("deploy".into())]);
        let automation = ApprovalReason::Automation { class: AutomationClass::Build, entry: "**/Makefile" };
        assert_eq!(paths.why(b"deploy/Makefile"), [ApprovalReason::Listed("deploy".into()), automation.clone()]);
        rule.automation_approval = false;
        assert_eq!(ApprovalPaths::of(&rule).unwrap().why(b"x/Makefile"), []);
    }

    proptest! {
        #[test]
        fn the_governing_rule_is_the_first_in_order(
            globs in prop::collection::vec("refs/heads/([ab]|\\*|\\*\\*|[ab]/\\*)", 1..6),
            name in "refs/heads/[ab](/[ab])?",
        ) {
            let lists: Vec<Vec<&str>> = globs.iter().map(|glob| vec![glob.as_str()]).collect();
            let lists: Vec<&[&str]> = lists.iter().map(Vec::as_slice).collect();
            let first = globs.iter().position(|glob| RefGlob::parse(glob).unwrap().matches(&name));
            prop_assert_eq!(governing(&lists, &name), first.map(|index| (index, Spelling::Exact)));
        }
    }
}
