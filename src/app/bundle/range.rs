//! RANGE: which commits a bundle's range has, and which proposal speaks for each.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{BundleAnswer, CommitSeen};
use super::form::AboutRange;
use crate::gate::facts::CommitFacts;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, Oid};

/// Most commits that one proposal is walked down for.
pub(in crate::app) const MAX_WALK: usize = 2_000;

/// What a tip reaches above a pin, as far as commits are carried; and whether every way down ended at the pin or at a root.
pub(super) fn above(
    tip: Oid,
    pin: Option<&Oid>,
    commits: &BTreeMap<Oid, CommitFacts>,
    most: usize,
) -> (BTreeSet<Oid>, bool) {
    let (mut reached, mut whole) = (BTreeSet::from([tip]), true);
    let mut waiting = vec![tip];
    while let Some(oid) = waiting.pop() {
        let Some(commit) = commits.get(&oid) else {
            whole = false;
            continue;
        };
        for parent in commit.parents.iter().filter(|parent| Some(*parent) != pin) {
            if !commits.contains_key(parent) || reached.len() >= most {
                whole = false;
            } else if reached.insert(*parent) {
                waiting.push(*parent);
            }
        }
    }
    (reached, whole)
}

/// Whether every commit of a range is here and is reached from its tip.
pub(super) fn check(range: &AboutRange, commits: &BTreeMap<Oid, CommitFacts>, answer: &mut BundleAnswer) {
    let Some(tip) = range.commits.first() else { return };
    let (reached, _) = above(*tip, None, commits, usize::MAX);
    let mut seen = BTreeSet::new();
    for oid in &range.commits {
        let what = format!("commit {oid}");
        if !seen.insert(oid) {
            answer.defect(&what, "stands twice in the range");
        } else if !commits.contains_key(oid) {
            answer.defect(&what, "is in the range, and its bytes are not here");
        } else if !reached.contains(oid) {
            answer.defect(&what, "is in the range, and its tip does not reach it");
        }
    }
}

/// Says of every commit whether a proposal that passes speaks for it.
pub(super) fn commits(range: &[Oid], covered: &BTreeMap<Oid, (bool, Digest)>, answer: &mut BundleAnswer) {
    for oid in range {
        let status = match covered.get(oid) {
            Some((true, _)) => "covered",
            Some((false, _)) => "refused",
            None => "undecided",
        };
        let envelope = covered.get(oid).map(|(_, digest)| ArtifactId::of(digest));
        if envelope.is_none() {
            let why =
                "whether it is a merge without changes of its own, a person's or adopted history takes the repository";
            answer.gaps.push(format!("no proposal in the bundle speaks for {}; {why}", oid.short()));
        }
        answer.commits.push(CommitSeen { oid: *oid, status, envelope });
    }
}
