//! Listing the files of a workspace.

use super::anchor::Workspace;
use super::bounds::ListBounds;
use super::error::AccessError;
use super::walk::{Bound, Met, Next, Omission, Omissions, Visit};
use crate::model::workspace_path::WorkspacePath;

/// A regular file with one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    /// From the top of the workspace.
    pub path: WorkspacePath,
    /// Its bytes.
    pub size: u64,
    /// Its permissions.
    pub mode: u32,
}

/// The files below a directory, or the first of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Sorted by the bytes of their paths.
    pub files: Vec<ListedFile>,
    /// What was left out on the way.
    pub omitted: Omissions,
    /// The bounds that were met. But for [`Bound::Depth`] the listing ends before that place.
    pub met: Vec<Met>,
}

impl Workspace {
    /// The files below `from`, or below the top, that are `wanted`; of others nothing is told but their number.
    ///
    /// # Errors
    /// `from` itself is absent, no directory, or not to be reached without a link or a mount, or not to be read. What is wrong below it is
    /// counted in the listing.
    pub fn list_files(
        &self,
        from: Option<&WorkspacePath>,
        bounds: ListBounds,
        wanted: &dyn Fn(&WorkspacePath) -> bool,
    ) -> Result<Listing, AccessError> {
        let mut files = Vec::new();
        let mut path_bytes = 0;
        let walked = self.walk(from, bounds.walk, &mut |visit: &Visit<'_>| {
            if !wanted(visit.path) {
                return Next::Omit(Omission::Unwanted);
            }
            if files.len() == bounds.files {
                return Next::End(Bound::Files);
            }
            path_bytes += visit.path.as_str().len();
            if path_bytes > bounds.path_bytes {
                return Next::End(Bound::PathBytes);
            }
            files.push(ListedFile { path: visit.path.clone(), size: visit.seen.size, mode: visit.seen.mode() });
            Next::On
        })?;
        Ok(Listing { files, omitted: walked.omitted, met: walked.met })
    }
}
