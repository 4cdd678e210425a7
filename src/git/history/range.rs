//! The commits that some tips reach and some hidden commits do not.

use std::collections::{BinaryHeap, HashMap};

use super::HistoryError;
use super::walk::{Marks, Walk};
use crate::git::objects::Commit;
use crate::git::repository::Repository;
use crate::model::id::Oid;

const TIP: Marks = 1;
const HIDDEN: Marks = 2;

/// How many commits the proof of a range may look at, beyond a multiple of those that the walk looked at.
const SLACK: usize = 256;

/// A stretch of history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// Its commits, every one before its parents, otherwise newest first.
    pub commits: Vec<Commit>,
    /// The parents of these commits that are not among them, in that order, each once.
    pub boundary: Vec<Oid>,
    /// Whether all hidden history that could shorten this range was looked at. Otherwise it may be too long, where
    /// committers' clocks are wrong; it is never too short.
    pub exact: bool,
}

impl Repository {
    /// What `tips` reach and `hidden` do not, at most `budget` commits.
    ///
    /// The walk by time ends when nothing but hidden history is left. Where a commit bears a later time than its
    /// descendants it may end too early, and what it gives is too long: a commit is in it that hidden history reaches,
    /// and then so is one at the lower end. Those at the lower end are therefore asked for in hidden history, at a cost
    /// of the distance between them; all of hidden history is walked only when one is found there, or when the range is
    /// over its budget. The proof is broken off when it gets long and nothing looks wrong, which [`Range::exact`]
    /// tells; who is about to refuse something for being in the range asks [`Self::range_exact`] first.
    ///
    /// # Errors
    /// [`HistoryError`]. History that is absent on the hidden side is none, as long as the range does not touch it.
    pub fn range(&self, tips: &[Oid], hidden: &[Oid], budget: usize) -> Result<Range, HistoryError> {
        self.walk_range(tips, hidden, budget, false)
    }

    /// The same with the proof carried through, however long it gets.
    ///
    /// # Errors
    /// As [`Self::range`].
    pub fn range_exact(&self, tips: &[Oid], hidden: &[Oid], budget: usize) -> Result<Range, HistoryError> {
        self.walk_range(tips, hidden, budget, true)
    }

    fn walk_range(&self, tips: &[Oid], hidden: &[Oid], budget: usize, all: bool) -> Result<Range, HistoryError> {
        let mut walk = Walk::keeping(self, TIP);
        for oid in hidden {
            walk.start(oid, HIDDEN)?;
        }
        for oid in tips {
            walk.start(oid, TIP)?;
        }
        let (mut wanted, mut steps, mut exhausted) = (0_usize, 0_usize, false);
        while walk.waiting(TIP) > 0 {
            let Some((oid, marks)) = walk.pop() else { break };
            walk.descend(&oid, marks)?;
            steps += 1;
            wanted += usize::from(marks == TIP);
            if wanted > budget {
                exhaust_hidden(&mut walk)?;
                exhausted = true;
                wanted = walk.nodes().filter(|(_, node)| node.marks == TIP && node.links.is_some()).count();
                if wanted > budget {
                    return Err(HistoryError::OverBudget { budget });
                }
            }
        }
        let mut proof = Proof::Given;
        if !exhausted {
            let absent = walk.require_complete(|marks| marks == TIP).is_err();
            let limit = if all || walk.skewed || absent { usize::MAX } else { SLACK + 4 * steps };
            proof = self.prove(&walk, hidden, limit)?;
            if proof == Proof::Refuted || (absent && proof == Proof::Open) {
                exhaust_hidden(&mut walk)?;
                exhausted = true;
            }
        }
        walk.require_complete(|marks| marks == TIP)?;
        let exact = if exhausted {
            !walk.nodes().any(|(_, node)| node.marks & HIDDEN != 0 && node.links.is_none())
        } else {
            proof == Proof::Given
        };
        let (order, boundary) = sort(&walk);
        let commits = order.iter().map(|oid| walk.commit(oid)).collect::<Result<_, _>>()?;
        Ok(Range { commits, boundary, exact })
    }

    /// Asks for the commits at the lower end of the range in hidden history.
    fn prove(&self, walk: &Walk<'_>, hidden: &[Oid], limit: usize) -> Result<Proof, HistoryError> {
        let is_wanted = |oid: &Oid| walk.node(oid).is_some_and(|node| node.marks == TIP && node.links.is_some());
        let mut lowest: Vec<Oid> = walk
            .nodes()
            .filter(|(oid, _)| is_wanted(oid))
            .filter(|(_, node)| node.links.as_ref().is_some_and(|links| !links.parents.iter().any(is_wanted)))
            .map(|(oid, _)| *oid)
            .collect();
        lowest.sort_unstable();
        let mut proof = Proof::Given;
        let mut left = limit;
        for oid in lowest {
            match self.is_reached(&oid, hidden, &mut left)? {
                Some(true) => return Ok(Proof::Refuted),
                Some(false) => {}
                None => proof = Proof::Open,
            }
        }
        Ok(proof)
    }
}

/// What became of the proof that no commit of a range is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    Given,
    Refuted,
    Open,
}

/// Walks everything that hidden commits reach.
fn exhaust_hidden(walk: &mut Walk<'_>) -> Result<(), HistoryError> {
    let mut aside = Vec::new();
    while let Some((oid, marks)) = walk.pop() {
        if marks == TIP {
            aside.push(oid);
        } else {
            walk.descend(&oid, marks)?;
        }
    }
    for oid in aside {
        walk.push_back(oid);
    }
    Ok(())
}

/// Children before parents, the newest first of those whose children are out; and what lies right behind.
fn sort(walk: &Walk<'_>) -> (Vec<Oid>, Vec<Oid>) {
    let wanted: HashMap<Oid, _> = walk
        .nodes()
        .filter(|(_, node)| node.marks == TIP)
        .filter_map(|(oid, node)| Some((*oid, node.links.clone()?)))
        .collect();
    let mut children: HashMap<Oid, usize> = HashMap::with_capacity(wanted.len());
    for parent in wanted.values().flat_map(|links| &links.parents) {
        *children.entry(*parent).or_default() += 1;
    }
    let mut ready: BinaryHeap<(i64, Oid)> =
        wanted.iter().filter(|(oid, _)| !children.contains_key(oid)).map(|(oid, links)| (links.time, *oid)).collect();
    let (mut order, mut boundary) = (Vec::with_capacity(wanted.len()), Vec::new());
    while let Some((_, oid)) = ready.pop() {
        order.push(oid);
        for parent in &wanted[&oid].parents {
            match wanted.get(parent) {
                None => boundary.push(*parent),
                Some(links) => {
                    let left = children.entry(*parent).or_default();
                    *left = left.saturating_sub(1);
                    if *left == 0 {
                        ready.push((links.time, *parent));
                    }
                }
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    boundary.retain(|oid| seen.insert(*oid));
    (order, boundary)
}
