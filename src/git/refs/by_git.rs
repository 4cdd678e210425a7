//! The same questions put to the user's git, for ref stores that only git can read (reftable).

use super::{Head, RefError};
use crate::git::repository::Repository;
use crate::model::id::Oid;

impl Repository {
    pub(super) fn find_ref_by_git(&self, name: &str) -> Result<Option<Oid>, RefError> {
        if name == "HEAD" {
            return match self.head_by_git()? {
                Head::Branch { oid, .. } => Ok(oid),
                Head::Detached(oid) => Ok(Some(oid)),
            };
        }
        Ok(self.list(name)?.into_iter().find(|(found, _)| found == name).map(|(_, oid)| oid))
    }

    pub(super) fn refs_under_by_git(&self, dir: &str) -> Result<Vec<(String, Oid)>, RefError> {
        let mut found = self.list(dir)?;
        found.retain(|(name, _)| name != dir);
        found.sort();
        Ok(found)
    }

    pub(super) fn head_by_git(&self) -> Result<Head, RefError> {
        if let Some(name) = self.symbolic_ref_by_git("HEAD")? {
            return Ok(Head::Branch { oid: self.find_ref_by_git(&name)?, name });
        }
        let output = self.git_local(["rev-parse", "--verify", "--quiet", "HEAD"]).output()?;
        let line = output.lines().next().filter(|_| output.status.success());
        line.and_then(|line| line.parse().ok())
            .map(Head::Detached)
            .ok_or_else(|| RefError::Unreadable { name: "HEAD".to_owned(), defect: output.message() })
    }

    pub(in crate::git) fn symbolic_ref_by_git(&self, name: &str) -> Result<Option<String>, RefError> {
        let output = self.git_local(["symbolic-ref", "--quiet", "--no-recurse", name]).output()?;
        match output.status.code() {
            Some(0) => Ok(output.lines().next()),
            Some(1) => Ok(None),
            _ => Err(output.failure().into()),
        }
    }

    /// The ref of exactly this name, and all below it.
    fn list(&self, pattern: &str) -> Result<Vec<(String, Oid)>, RefError> {
        let output = self.git_local(["for-each-ref", "--format=%(objectname) %(refname)", pattern]).output()?;
        if !output.status.success() {
            return Err(output.failure().into());
        }
        output
            .lines()
            .map(|line| {
                let (oid, name) = line.split_once(' ').ok_or_else(|| output.unknown(&line))?;
                Ok((name.to_owned(), oid.parse().map_err(|_| output.unknown(&line))?))
            })
            .collect()
    }
}
