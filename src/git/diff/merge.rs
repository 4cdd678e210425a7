//! A merge against what its parents give without a judgement, over all merge bases.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::pair::{differing, file, tree};
use super::{DiffError, Place, Touch, entries, operations};
use crate::git::objects::{Commit, Mode, ObjectError};
use crate::git::repository::Repository;
use crate::model::id::Oid;
use crate::model::operation::Operation;

type Entry = (Mode, Oid);

/// Entries of one name: of the merge, of its parents, of the merge bases.
#[derive(Clone)]
struct Row {
    merge: Option<Entry>,
    parents: Vec<Option<Entry>>,
    bases: Vec<Option<Entry>>,
}

/// What the parents give at one path.
enum Outcome {
    /// This entry, over every base.
    Given(Option<Entry>),
    /// Bases give different entries, or one gives none.
    Disputed,
    /// Parents changed it differently, over every base.
    Conflict,
}

impl Repository {
    pub(super) fn touched_by_merge(
        &self,
        merge: &Commit,
        parents: &[Oid],
        prefer: &[Oid],
    ) -> Result<Vec<Touch>, DiffError> {
        let root = |commit: &Oid| Ok::<_, ObjectError>(Some((Mode::Tree, self.commit(commit)?.tree)));
        let mut bases: Vec<Option<Entry>> =
            self.merge_bases_of_all(parents)?.iter().map(root).collect::<Result<_, _>>()?;
        if bases.is_empty() {
            bases.push(None);
        }
        let row = Row {
            merge: Some((Mode::Tree, merge.tree)),
            parents: parents.iter().map(root).collect::<Result<_, _>>()?,
            bases,
        };
        let mut touches = Vec::new();
        Walk { repository: self, merge: &merge.oid, prefer, trees: OnceCell::new() }.directory(
            &row,
            &mut Place::default(),
            &mut touches,
        )?;
        touches.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(touches)
    }
}

struct Walk<'r> {
    repository: &'r Repository,
    merge: &'r Oid,
    prefer: &'r [Oid],
    /// The trees of those in `prefer` that do not hold the merge; few merges ever ask.
    trees: OnceCell<Vec<Oid>>,
}

impl Walk<'_> {
    /// Whole entries are looked at first: where they give the merge's own, so do all paths below them.
    fn row(&self, row: &Row, place: &mut Place, touches: &mut Vec<Touch>) -> Result<(), DiffError> {
        if matches!(row.outcome(), Outcome::Given(entry) if entry == row.merge) {
            return Ok(());
        }
        self.path(&row.map(file), &place.path, touches)?;
        let below = row.map(|entry| tree(entry).map(|oid| (Mode::Tree, oid)));
        if below.all().any(|entry| entry.is_some()) {
            self.directory(&below, place, touches)?;
        }
        Ok(())
    }

    fn directory(&self, row: &Row, place: &mut Place, touches: &mut Vec<Touch>) -> Result<(), DiffError> {
        let lists: Vec<_> =
            row.all().map(|directory| entries(self.repository, tree(directory))).collect::<Result<_, _>>()?;
        let mut names: BTreeMap<&[u8], Vec<Option<Entry>>> = BTreeMap::new();
        for (column, list) in differing(&lists).into_iter().enumerate() {
            for entry in list {
                let columns = names.entry(&entry.name).or_insert_with(|| vec![None; lists.len()]);
                columns[column] = Some((entry.mode, entry.oid));
            }
        }
        for (name, columns) in names.into_iter().filter(|(_, columns)| columns.iter().any(|one| *one != columns[0])) {
            let (own, bases) = columns.split_at(1 + row.parents.len());
            let row = Row { merge: own[0], parents: own[1..].to_vec(), bases: bases.to_vec() };
            place.within(name, |place| self.row(&row, place, touches))?;
        }
        Ok(())
    }

    /// One path, at which nothing is a directory any more.
    fn path(&self, row: &Row, path: &[u8], touches: &mut Vec<Touch>) -> Result<(), DiffError> {
        let operations = match row.outcome() {
            Outcome::Given(entry) => operations::between(entry, row.merge),
            Outcome::Disputed if self.is_preferred(path, row.merge)? => Vec::new(),
            Outcome::Disputed | Outcome::Conflict => row.against_parents(),
        };
        if !operations.is_empty() {
            touches.push(Touch { path: path.to_vec(), operations });
        }
        Ok(())
    }

    fn is_preferred(&self, path: &[u8], entry: Option<Entry>) -> Result<bool, DiffError> {
        let trees = match self.trees.get() {
            Some(trees) => trees,
            None => {
                let found = self.preferred_trees()?;
                self.trees.get_or_init(|| found)
            }
        };
        for tree in trees {
            if file(self.repository.entry_at(tree, path)?) == entry {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn preferred_trees(&self) -> Result<Vec<Oid>, DiffError> {
        let mut trees = Vec::new();
        for oid in self.prefer {
            if !self.repository.is_ancestor(self.merge, oid)? {
                trees.push(self.repository.commit(oid)?.tree);
            }
        }
        Ok(trees)
    }
}

impl Row {
    fn all(&self) -> impl Iterator<Item = Option<Entry>> {
        std::iter::once(self.merge).chain(self.parents.iter().copied()).chain(self.bases.iter().copied())
    }

    fn map(&self, f: impl Fn(Option<Entry>) -> Option<Entry>) -> Row {
        let each = |entries: &[Option<Entry>]| entries.iter().map(|entry| f(*entry)).collect();
        Row { merge: f(self.merge), parents: each(&self.parents), bases: each(&self.bases) }
    }

    fn outcome(&self) -> Outcome {
        let results: Vec<Option<Option<Entry>>> = self.bases.iter().map(|base| self.over(*base)).collect();
        match results.as_slice() {
            [first, others @ ..] if others.iter().all(|other| other == first) => match first {
                Some(entry) => Outcome::Given(*entry),
                None => Outcome::Conflict,
            },
            _ => Outcome::Disputed,
        }
    }

    /// What the parents give over one base; `None` when they changed it differently.
    fn over(&self, base: Option<Entry>) -> Option<Option<Entry>> {
        let mut changed = self.parents.iter().filter(|parent| **parent != base);
        let Some(first) = changed.next() else { return Some(base) };
        changed.all(|other| other == first).then_some(*first)
    }

    /// A judgement does whatever it does to any of the parents.
    fn against_parents(&self) -> Vec<Operation> {
        let done: BTreeSet<Operation> =
            self.parents.iter().flat_map(|parent| operations::between(*parent, self.merge)).collect();
        done.into_iter().collect()
    }
}
