//! Painting: commits taken newest first hand their marks down to their parents.

use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use super::HistoryError;
use crate::git::objects::{Commit, ObjectError};
use crate::git::repository::Repository;
use crate::model::id::Oid;

/// What a walk needs of a commit.
#[derive(Debug)]
pub(in crate::git) struct Links {
    pub parents: Vec<Oid>,
    pub time: i64,
}

/// A set of marks.
pub(super) type Marks = u8;

/// A parent newer than its child by more than this many seconds shows that clocks here cannot be trusted.
const SKEW_SECONDS: i64 = 86_400;

pub(super) struct Walk<'r> {
    repository: &'r Repository,
    nodes: HashMap<Oid, Node>,
    queue: BinaryHeap<(i64, Oid)>,
    /// How many queued commits bear each set of marks.
    waiting: [usize; 8],
    /// Some parent is much newer than its child.
    pub skewed: bool,
    /// Commits with exactly these marks are kept as they were read, for whoever wants them at the end.
    keep: Marks,
}

pub(super) struct Node {
    pub marks: Marks,
    /// `None` for a commit that is not here.
    pub links: Option<Arc<Links>>,
    commit: Option<Commit>,
    queued: bool,
}

impl<'r> Walk<'r> {
    pub fn new(repository: &'r Repository) -> Self {
        Self::keeping(repository, 0)
    }

    pub fn keeping(repository: &'r Repository, keep: Marks) -> Self {
        Walk { repository, nodes: HashMap::new(), queue: BinaryHeap::new(), waiting: [0; 8], skewed: false, keep }
    }

    /// A commit that was walked over.
    pub fn commit(&mut self, oid: &Oid) -> Result<Commit, ObjectError> {
        match self.nodes.get_mut(oid).and_then(|node| node.commit.take()) {
            Some(commit) => Ok(commit),
            None => self.repository.commit(oid),
        }
    }

    /// Where a walk begins; this commit must be here.
    pub fn start(&mut self, oid: &Oid, marks: Marks) -> Result<(), HistoryError> {
        self.mark(oid, marks, i64::MAX)?;
        if self.nodes[oid].links.is_none() {
            return Err(HistoryError::Missing { oid: *oid });
        }
        Ok(())
    }

    /// How many queued commits bear exactly these marks.
    pub fn waiting(&self, marks: Marks) -> usize {
        self.waiting[usize::from(marks)]
    }

    /// The newest commit in the queue, with its marks.
    pub fn pop(&mut self) -> Option<(Oid, Marks)> {
        let (_, oid) = self.queue.pop()?;
        let node = self.nodes.get_mut(&oid)?;
        node.queued = false;
        self.waiting[usize::from(node.marks)] -= 1;
        Some((oid, node.marks))
    }

    /// Puts a popped commit back.
    pub fn push_back(&mut self, oid: Oid) {
        if let Some(node) = self.nodes.get_mut(&oid)
            && let Some(links) = &node.links
            && !node.queued
        {
            node.queued = true;
            self.waiting[usize::from(node.marks)] += 1;
            self.queue.push((links.time, oid));
        }
    }

    /// Hands marks to the parents of a commit.
    pub fn descend(&mut self, oid: &Oid, marks: Marks) -> Result<(), ObjectError> {
        let Some(links) = self.nodes.get(oid).and_then(|node| node.links.clone()) else { return Ok(()) };
        for parent in &links.parents {
            self.mark(parent, marks, links.time)?;
        }
        Ok(())
    }

    pub fn node(&self, oid: &Oid) -> Option<&Node> {
        self.nodes.get(oid)
    }

    pub fn nodes(&self) -> impl Iterator<Item = (&Oid, &Node)> {
        self.nodes.iter()
    }

    /// Fails when a commit that is not here bears marks for which `matters` holds.
    pub fn require_complete(&self, matters: impl Fn(Marks) -> bool) -> Result<(), HistoryError> {
        let absent = self.nodes.iter().filter(|(_, node)| node.links.is_none() && matters(node.marks));
        let Some(absent) = absent.map(|(oid, _)| oid).min() else { return Ok(()) };
        let child = self
            .nodes
            .iter()
            .filter(|(_, node)| matters(node.marks))
            .filter(|(_, node)| node.links.as_ref().is_some_and(|links| links.parents.contains(absent)))
            .map(|(oid, _)| oid)
            .min();
        Err(self.repository.incomplete(child, absent))
    }

    fn mark(&mut self, oid: &Oid, marks: Marks, child_time: i64) -> Result<(), ObjectError> {
        let node = match self.nodes.get_mut(oid) {
            Some(node) => node,
            None => {
                let (links, commit) = match self.repository.links(oid) {
                    Ok((links, commit)) => (Some(links), commit),
                    Err(ObjectError::Missing { .. }) => (None, None),
                    Err(err) => return Err(err),
                };
                self.nodes.entry(*oid).or_insert(Node { marks: 0, links, commit, queued: false })
            }
        };
        if node.marks | marks == node.marks {
            return Ok(());
        }
        if node.queued {
            self.waiting[usize::from(node.marks)] -= 1;
        }
        node.marks |= marks;
        if node.marks != self.keep {
            node.commit = None;
        }
        let Some(links) = &node.links else { return Ok(()) };
        self.waiting[usize::from(node.marks)] += 1;
        self.skewed |= links.time.saturating_sub(SKEW_SECONDS) > child_time;
        if !node.queued {
            node.queued = true;
            self.queue.push((links.time, *oid));
        }
        Ok(())
    }
}
