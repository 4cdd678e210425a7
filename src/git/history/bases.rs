//! Ancestors and best common ancestors, exact whatever the clocks say.

use super::HistoryError;
use super::walk::{Marks, Walk};
use crate::git::repository::Repository;
use crate::model::id::Oid;

const ONE: Marks = 1;
const OTHER: Marks = 2;
const BOTH: Marks = ONE | OTHER;
const STALE: Marks = 4;

/// More best common ancestors than any honest history has.
const MOST_BASES: usize = 64;

impl Repository {
    /// Whether `descendant` reaches `ancestor`. A commit reaches itself.
    ///
    /// Walks down from both: below an ancestor of `ancestor` it cannot be, so "no" is proved once every other commit of
    /// `descendant` was looked at.
    ///
    /// # Errors
    /// [`HistoryError`]; where a part that could hold the answer is absent there is none.
    pub fn is_ancestor(&self, ancestor: &Oid, descendant: &Oid) -> Result<bool, HistoryError> {
        let mut unlimited = usize::MAX;
        match self.reach(ancestor, &[*descendant], &mut unlimited)? {
            (_, Some(true)) => Ok(true),
            (walk, _) => {
                walk.require_complete(|marks| marks == ONE)?;
                Ok(false)
            }
        }
    }

    /// Whether one of `descendants` reaches `ancestor`; `None` when `left` commits or what is here do not tell.
    pub(super) fn is_reached(
        &self,
        ancestor: &Oid,
        descendants: &[Oid],
        left: &mut usize,
    ) -> Result<Option<bool>, HistoryError> {
        let (walk, answer) = self.reach(ancestor, descendants, left)?;
        Ok(answer.filter(|reached| *reached || walk.require_complete(|marks| marks == ONE).is_ok()))
    }

    fn reach(
        &self,
        ancestor: &Oid,
        descendants: &[Oid],
        left: &mut usize,
    ) -> Result<(Walk<'_>, Option<bool>), HistoryError> {
        let mut walk = Walk::new(self);
        walk.start(ancestor, OTHER)?;
        for oid in descendants {
            walk.start(oid, ONE)?;
        }
        loop {
            if walk.node(ancestor).is_some_and(|node| node.marks & ONE != 0) {
                return Ok((walk, Some(true)));
            }
            if walk.waiting(ONE) == 0 {
                return Ok((walk, Some(false)));
            }
            if *left == 0 {
                return Ok((walk, None));
            }
            *left -= 1;
            let Some((oid, marks)) = walk.pop() else { return Ok((walk, Some(false))) };
            walk.descend(&oid, marks)?;
        }
    }

    /// All best common ancestors of two commits, sorted by id: none for unrelated histories, several after criss-cross
    /// merges.
    ///
    /// # Errors
    /// [`HistoryError`]
    pub fn merge_bases(&self, one: &Oid, other: &Oid) -> Result<Vec<Oid>, HistoryError> {
        if one == other {
            self.links(one)?;
            return Ok(vec![*one]);
        }
        let mut walk = Walk::new(self);
        walk.start(one, ONE)?;
        walk.start(other, OTHER)?;
        let mut candidates = Vec::new();
        while walk.waiting(ONE) + walk.waiting(OTHER) + walk.waiting(BOTH) > 0 {
            let Some((oid, mut marks)) = walk.pop() else { break };
            if marks == BOTH {
                candidates.push(oid);
                // What lies below is common, too, and not best.
                marks |= STALE;
            }
            walk.descend(&oid, marks)?;
        }
        walk.require_complete(|marks| marks & STALE == 0)?;
        candidates.retain(|oid| walk.node(oid).is_some_and(|node| node.marks & STALE == 0));
        candidates.sort_unstable();
        candidates.dedup();
        self.best(candidates)
    }

    /// The best common ancestors of all given commits, sorted by id.
    ///
    /// # Errors
    /// [`HistoryError`]
    pub fn merge_bases_of_all(&self, commits: &[Oid]) -> Result<Vec<Oid>, HistoryError> {
        let Some((first, others)) = commits.split_first() else { return Ok(Vec::new()) };
        let mut bases = vec![*first];
        for other in others {
            let mut next = Vec::new();
            for base in &bases {
                next.extend(self.merge_bases(base, other)?);
            }
            next.sort_unstable();
            next.dedup();
            bases = self.best(next)?;
        }
        Ok(bases)
    }

    /// Without those that another one reaches: a walk by time may have missed it.
    fn best(&self, candidates: Vec<Oid>) -> Result<Vec<Oid>, HistoryError> {
        if candidates.len() > MOST_BASES {
            return Err(HistoryError::OverBudget { budget: MOST_BASES });
        }
        let mut best = Vec::new();
        for (index, oid) in candidates.iter().enumerate() {
            let mut others = candidates.iter().enumerate().filter(|(other, _)| *other != index);
            let covered = others.try_fold(false, |covered, (_, other)| {
                Ok::<_, HistoryError>(covered || self.is_ancestor(oid, other)?)
            })?;
            if !covered {
                best.push(*oid);
            }
        }
        Ok(best)
    }
}
