//! Whether a policy says something that can be applied.
//!
//! Run where a policy is compiled and again where a signed one is read: a glob that nobody can read must not come to mean "no rule".

use std::collections::BTreeSet;
use std::fmt;

use crate::model::policy::{DefaultRule, Policy, Rule};

use super::scope::pathspec::{PathGuard, PathspecError};
use super::scope::ref_glob::{RefGlob, RefGlobError, is_ref_name};

/// Most proofs a rule may ask for.
pub const MOST_PROOFS: u64 = 1000;

/// Longest default lease, in seconds: 366 days.
pub const LONGEST_LEASE: u64 = 366 * 24 * 60 * 60;

/// Checks all of a policy; the first defect in the order of the file.
pub fn check_policy(policy: &Policy) -> Result<(), PolicyDefect> {
    use PolicyDefectKind::{Lease, NothingGoverned, Repeated};
    if !(1..=LONGEST_LEASE).contains(&policy.lease_seconds) {
        return Err(Lease.at(Place::top("lease", None)));
    }
    if let Some((item, digest)) = first_repeated(policy.accept.iter().map(ToString::to_string)) {
        return Err(Repeated(digest).at(Place::top("accept", Some(item))));
    }
    if policy.rules.is_empty() && policy.default == DefaultRule::Open {
        return Err(NothingGoverned.at(Place::top("rule", None)));
    }
    for (index, rule) in policy.rules.iter().enumerate() {
        check_rule(index, rule)?;
        check_unshadowed(&policy.rules[..index], index, rule)?;
    }
    Ok(())
}

/// A defect and where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {kind}")]
pub struct PolicyDefect {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: PolicyDefectKind,
}

/// A place in a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The rule, from 0; `None` outside the rules.
    pub rule: Option<usize>,
    /// The key, as the policy file spells it; a dot leads into a table.
    pub key: &'static str,
    /// The element of a list, from 0.
    pub item: Option<usize>,
}

impl Place {
    fn top(key: &'static str, item: Option<usize>) -> Self {
        Place { rule: None, key, item }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(rule) = self.rule {
            write!(f, "rule {}, ", rule + 1)?;
        }
        f.write_str(self.key)?;
        match self.item {
            Some(item) => write!(f, ", entry {}", item + 1),
            None => Ok(()),
        }
    }
}

/// What is wrong with a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyDefectKind {
    /// The default lease is out of bounds.
    #[error("a lease lasts from one second to 366 days, such as \"8h\" or \"2d\"")]
    Lease,
    /// An empty list of rules, and `default = "open"`.
    #[error(
        "there is no rule and the default is open, so nothing would be judged; add a [[rule]], or set default = \"refuse\""
    )]
    NothingGoverned,
    /// A rule without refs.
    #[error("a rule needs at least one ref glob, such as \"refs/heads/main\"")]
    NoRefs,
    /// A ref glob that can't be read.
    #[error(transparent)]
    RefGlob(RefGlobError),
    /// A glob that an earlier rule has already.
    #[error("{glob:?} is in rule {first} already, and the first match wins; a glob belongs in one rule")]
    Shadowed {
        /// The glob.
        glob: String,
        /// The earlier rule, counted from 1.
        first: usize,
    },
    /// A list has an entry twice.
    #[error("{0:?} is listed twice")]
    Repeated(String),
    /// An adopted ref that is no exact full name.
    #[error("{0:?} is no full ref name; adopted refs are exact names, such as \"refs/heads/main\"")]
    AdoptedRef(String),
    /// A list of pathspecs that can't be read.
    #[error(transparent)]
    Pathspec(PathspecError),
    /// Too many proofs.
    #[error("{0} proofs are more than any rule can want; the most is {MOST_PROOFS}")]
    TooManyProofs(u64),
    /// Proofs from no domain.
    #[error("{count} proofs from 0 domains can't be counted; name at least 1 domain")]
    NoDomains {
        /// The proofs wanted.
        count: u64,
    },
    /// More domains than proofs.
    #[error("{domains} domains can't be reached by {count} proofs; each proof is from one domain")]
    TooManyDomains {
        /// The proofs wanted.
        count: u64,
        /// The domains wanted.
        domains: u64,
    },
    /// A word that is no class or kind.
    #[error("{0:?} is no name of a class or kind: expected up to 64 of a-z, 0-9, _ and -, beginning with a letter")]
    Word(String),
    /// A required class that is not permitted.
    #[error("{0:?} is required but not permitted; add it to diet.permitted")]
    RequiredNotPermitted(String),
    /// Proofs wanted, but nothing may be read for them.
    #[error("proofs are wanted, but no input class is permitted, so no proof could ever count")]
    NothingPermitted,
    /// Signatures of nobody.
    #[error("people_by_signature is on, but no people are listed")]
    SignaturesOfNobody,
}

impl PolicyDefectKind {
    fn at(self, place: Place) -> PolicyDefect {
        PolicyDefect { place, kind: self }
    }
}

fn check_rule(index: usize, rule: &Rule) -> Result<(), PolicyDefect> {
    use PolicyDefectKind as Kind;
    let at = |key, item| Place { rule: Some(index), key, item };
    if rule.refs.is_empty() {
        return Err(Kind::NoRefs.at(at("refs", None)));
    }
    for (item, glob) in rule.refs.iter().enumerate() {
        RefGlob::parse(glob).map_err(|error| Kind::RefGlob(error).at(at("refs", Some(item))))?;
    }
    for (item, name) in rule.adopts.iter().enumerate() {
        if !is_ref_name(name) {
            return Err(Kind::AdoptedRef(name.clone()).at(at("adopts", Some(item))));
        }
    }
    PathGuard::parse(&rule.approval_paths).map_err(|error| {
        let item = if let PathspecError::Element { place, .. } = &error { Some(*place) } else { None };
        Kind::Pathspec(error).at(at("approval_paths", item))
    })?;
    check_proofs(rule).map_err(|kind| kind.at(at("proofs", None)))?;
    for (key, words) in
        [("diet.permitted", &rule.diet.permitted), ("diet.required", &rule.diet.required), ("evidence", &rule.evidence)]
    {
        if let Some((item, word)) = words.iter().enumerate().find(|(_, word)| !is_word(word)) {
            return Err(Kind::Word(word.clone()).at(at(key, Some(item))));
        }
    }
    let permitted = &rule.diet.permitted;
    if let Some((item, class)) = rule.diet.required.iter().enumerate().find(|(_, class)| !permitted.contains(class)) {
        return Err(Kind::RequiredNotPermitted(class.clone()).at(at("diet.required", Some(item))));
    }
    if rule.proofs.count > 0 && permitted.is_empty() {
        return Err(Kind::NothingPermitted.at(at("diet.permitted", None)));
    }
    if rule.people_by_signature && rule.people.is_empty() {
        return Err(Kind::SignaturesOfNobody.at(at("people_by_signature", None)));
    }
    check_lists(rule).map_err(|(key, item, text)| Kind::Repeated(text).at(at(key, Some(item))))
}

fn check_proofs(rule: &Rule) -> Result<(), PolicyDefectKind> {
    let (count, domains) = (rule.proofs.count, rule.proofs.domains);
    if count > MOST_PROOFS {
        return Err(PolicyDefectKind::TooManyProofs(count));
    }
    if count > 0 && domains == 0 {
        return Err(PolicyDefectKind::NoDomains { count });
    }
    if domains > count {
        return Err(PolicyDefectKind::TooManyDomains { count, domains });
    }
    Ok(())
}

fn check_lists(rule: &Rule) -> Result<(), (&'static str, usize, String)> {
    let people: Vec<_> = rule.people.iter().map(ToString::to_string).collect();
    let lists: [(&'static str, &[String]); 7] = [
        ("refs", &rule.refs),
        ("adopts", &rule.adopts),
        ("approval_paths", &rule.approval_paths),
        ("diet.permitted", &rule.diet.permitted),
        ("diet.required", &rule.diet.required),
        ("evidence", &rule.evidence),
        ("people", &people),
    ];
    for (key, list) in lists {
        if let Some((item, text)) = first_repeated(list.iter().cloned()) {
            return Err((key, item, text));
        }
    }
    Ok(())
}

fn check_unshadowed(earlier: &[Rule], index: usize, rule: &Rule) -> Result<(), PolicyDefect> {
    for (item, glob) in rule.refs.iter().enumerate() {
        if let Some(first) = earlier.iter().position(|rule| rule.refs.contains(glob)) {
            let kind = PolicyDefectKind::Shadowed { glob: glob.clone(), first: first + 1 };
            return Err(kind.at(Place { rule: Some(index), key: "refs", item: Some(item) }));
        }
    }
    Ok(())
}

fn first_repeated(list: impl Iterator<Item = String>) -> Option<(usize, String)> {
    let mut seen = BTreeSet::new();
    list.enumerate().find(|(_, text)| !seen.insert(text.clone()))
}

fn is_word(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-'))
}
