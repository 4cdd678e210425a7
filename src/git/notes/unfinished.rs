//! A `git notes merge` that stopped at conflicts and was neither committed nor aborted.

use std::path::PathBuf;

use crate::git::refs::RefError;
use crate::git::repository::Repository;

/// What such a merge left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedMerge {
    /// The notes ref that was being merged into, where git recorded it.
    pub name: Option<String>,
    /// The directory with the conflicting notes.
    pub worktree: PathBuf,
    /// The files in it, sorted: ids of annotated objects.
    pub files: Vec<String>,
}

impl Repository {
    /// The unfinished notes merge of this worktree, if there is one. `git notes merge --commit` or `--abort` ends it.
    ///
    /// # Errors
    /// [`RefError`]
    pub fn unfinished_notes_merge(&self) -> Result<Option<UnfinishedMerge>, RefError> {
        let worktree = self.git_dir().join("NOTES_MERGE_WORKTREE");
        let mut files: Vec<String> = std::fs::read_dir(&worktree)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .collect();
        files.sort();
        let name = match std::fs::read_to_string(self.git_dir().join("NOTES_MERGE_REF")) {
            Ok(text) => text.strip_prefix("ref: ").map(|name| name.trim().to_owned()),
            Err(_) if self.refs_by_git() => self.symbolic_ref_by_git("NOTES_MERGE_REF").ok().flatten(),
            Err(_) => None,
        };
        // An aborted merge leaves the directory, empty.
        Ok((name.is_some() || !files.is_empty()).then_some(UnfinishedMerge { name, worktree, files }))
    }
}
