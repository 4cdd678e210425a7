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

/// Which carried commits a proposal can be shown to speak for, and what was found out about commits on the way.
///
/// A proposal speaks for what its tip reaches, and the base that it looked at and its pin do not. Of a commit that is carried a bundle can
/// show that those don't reach it only where it stands above everything at which the walk down from them leaves the bundle. What can't
/// be shown is somebody else's to speak for.
#[derive(Default)]
pub(super) struct Ranges {
    above: BTreeMap<Oid, BTreeSet<Oid>>,
    below: BTreeMap<Oid, Below>,
}

/// What a commit reaches within the bundle.
#[derive(Clone, Default)]
struct Below {
    /// All of it, the commit too.
    reached: BTreeSet<Oid>,
    /// Those of it with a parent that is not carried.
    exits: Vec<Oid>,
}

impl Ranges {
    /// The commits that a proposal speaks for. `hidden` is what it starts from; `None` where the bundle does not say that.
    pub fn of(
        &mut self,
        tip: Oid,
        hidden: Option<&BTreeSet<Oid>>,
        commits: &BTreeMap<Oid, CommitFacts>,
    ) -> BTreeSet<Oid> {
        let alone = BTreeSet::from([tip]);
        let Some(hidden) = hidden else { return alone };
        let mut found = walk(tip, hidden, commits);
        for start in hidden.iter().filter(|start| **start != tip) {
            if !commits.contains_key(start) {
                return alone;
            }
            let below = self.below.entry(*start).or_insert_with(|| below(*start, commits)).clone();
            found.retain(|oid| !below.reached.contains(oid));
            for exit in below.exits {
                let above = self.above.entry(exit).or_insert_with(|| above_of(exit, commits));
                found.retain(|oid| above.contains(oid));
            }
        }
        found.insert(tip);
        found
    }
}

fn walk(tip: Oid, hidden: &BTreeSet<Oid>, commits: &BTreeMap<Oid, CommitFacts>) -> BTreeSet<Oid> {
    let mut reached = BTreeSet::from([tip]);
    let mut waiting = vec![tip];
    while let Some(commit) = waiting.pop().and_then(|oid| commits.get(&oid)) {
        for parent in commit.parents.iter().filter(|parent| !hidden.contains(*parent)) {
            if commits.contains_key(parent) && reached.len() < MAX_WALK && reached.insert(*parent) {
                waiting.push(*parent);
            }
        }
    }
    reached
}

fn below(start: Oid, commits: &BTreeMap<Oid, CommitFacts>) -> Below {
    let mut found = Below { reached: BTreeSet::from([start]), exits: Vec::new() };
    let mut waiting = vec![start];
    while let Some(oid) = waiting.pop() {
        let Some(commit) = commits.get(&oid) else { continue };
        if commit.parents.iter().any(|parent| !commits.contains_key(parent)) {
            found.exits.push(oid);
        }
        for parent in commit.parents.iter().filter(|parent| commits.contains_key(*parent)) {
            if found.reached.insert(*parent) {
                waiting.push(*parent);
            }
        }
    }
    found
}

/// Everything carried that reaches a commit, the commit too.
fn above_of(start: Oid, commits: &BTreeMap<Oid, CommitFacts>) -> BTreeSet<Oid> {
    let mut children: BTreeMap<Oid, Vec<Oid>> = BTreeMap::new();
    for (oid, commit) in commits {
        for parent in &commit.parents {
            children.entry(*parent).or_default().push(*oid);
        }
    }
    let mut reached = BTreeSet::from([start]);
    let mut waiting = vec![start];
    while let Some(oid) = waiting.pop() {
        for child in children.get(&oid).into_iter().flatten() {
            if reached.insert(*child) {
                waiting.push(*child);
            }
        }
    }
    reached
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
