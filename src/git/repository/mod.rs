//! Opening a repository as git would, and refusing what git refuses.

mod format;
mod locate;
mod ownership;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) use self::format::Format;
use self::format::RefStorage;
pub(super) use self::locate::Place;
use super::config::{Config, ConfigError};
use super::environment::Environment;
use super::history::LinkCache;
use super::object_format::ObjectFormat;
use super::objects::{ObjectStore, ReadCache};
use crate::model::id::Oid;

/// A repository that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No repository here or above.
    #[error("not a git repository (or any of the parent directories): {}", path.display())]
    NotFound {
        /// Where the search began, or what `GIT_DIR` names.
        path: PathBuf,
    },
    /// Somebody else owns it, so its configuration must not be obeyed.
    #[error(
        "dubious ownership in repository at '{}': it is owned by someone else. \
         To trust it: git config --global --add safe.directory '{}'",
        path.display(), path.display().to_string().replace('\'', r"'\''")
    )]
    Untrusted {
        /// The directory to be named in `safe.directory`.
        path: PathBuf,
    },
    /// A bare repository found by search while `safe.bareRepository` is `explicit`.
    #[error("bare repository at '{}' is refused by safe.bareRepository; name it with GIT_DIR", path.display())]
    BareRefused {
        /// The repository.
        path: PathBuf,
    },
    /// A format made by a newer git, or by something else.
    #[error("repository at '{}' has a format unknown here: {defect}", path.display())]
    Format {
        /// The common directory.
        path: PathBuf,
        /// Which version or extension.
        defect: String,
    },
    /// Its configuration is broken.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Something cannot be read.
    #[error("cannot read '{}': {source}", path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// An opened repository. Cheap to clone: each thread takes a clone, with caches of its own.
pub struct Repository {
    shared: Arc<Shared>,
    objects: ObjectStore,
    refs: Option<gix::refs::file::Store>,
    links: RefCell<LinkCache>,
    read: RefCell<ReadCache>,
}

struct Shared {
    environment: Environment,
    git_dir: PathBuf,
    common_dir: PathBuf,
    work_tree: Option<PathBuf>,
    format: Format,
    config: Config,
    shallow: BTreeSet<Oid>,
    partial: bool,
}

impl Repository {
    /// Finds and opens the repository that git would use in this environment.
    ///
    /// Replace refs, grafts and the commit-graph are never consulted (contract, section 7).
    ///
    /// # Errors
    /// [`OpenError`]; a repository of another owner is refused unless `safe.directory` lists it.
    pub fn discover(environment: &Environment) -> Result<Self, OpenError> {
        let place = locate::locate(environment)?;
        ownership::require_trust(&place, environment)?;
        let own = Config::repository_only(&place.common_dir)?;
        let format = Format::read(&own, &place.common_dir)?;
        let mut refs = match format.ref_storage(environment) {
            RefStorage::Files => Some(super::refs::file_store(&place, &format, &own)),
            RefStorage::Other => None,
        };
        let branch = refs.as_ref().and_then(super::refs::branch_of_head);
        let config = Config::load(
            environment,
            &place.git_dir,
            &place.common_dir,
            format.worktree_config,
            branch.as_ref().map(|name| name.as_ref()),
        )?;
        if let Some(refs) = &mut refs {
            refs.write_reflog = super::refs::reflog(&config);
        }
        let objects = ObjectStore::open(environment, &place.common_dir, &format, &config)?;
        let shallow = format::shallow(environment, &place.common_dir, format.objects)?;
        let partial = format.partial || format::has_promisor(&config);
        let work_tree = place.work_tree(&config, environment);
        let shared = Shared {
            environment: environment.clone(),
            git_dir: place.git_dir,
            common_dir: place.common_dir,
            work_tree,
            format,
            config,
            shallow,
            partial,
        };
        Ok(Repository { shared: Arc::new(shared), objects, refs, links: RefCell::default(), read: RefCell::default() })
    }

    /// The repository directory of this worktree, absolute.
    pub fn git_dir(&self) -> &Path {
        &self.shared.git_dir
    }

    /// The directory that all linked worktrees share, absolute; the place for local state.
    pub fn common_dir(&self) -> &Path {
        &self.shared.common_dir
    }

    /// The top of the checkout; `None` in a bare repository.
    pub fn work_tree(&self) -> Option<&Path> {
        self.shared.work_tree.as_deref()
    }

    /// Whether there is no checkout.
    pub fn is_bare(&self) -> bool {
        self.shared.work_tree.is_none()
    }

    /// Which hash names its objects.
    pub fn object_format(&self) -> ObjectFormat {
        self.shared.format.objects
    }

    /// Whether its history is cut somewhere (`git clone --depth`).
    pub fn is_shallow(&self) -> bool {
        !self.shared.shallow.is_empty()
    }

    /// Whether a promisor remote may hold objects that are not here (`git clone --filter`).
    pub fn is_partial(&self) -> bool {
        self.shared.partial
    }

    /// What the repository was opened with.
    pub fn environment(&self) -> &Environment {
        &self.shared.environment
    }

    /// Whether a ref store other than files (reftable) holds the refs; they are read and written by git then.
    pub fn refs_by_git(&self) -> bool {
        self.refs.is_none()
    }

    /// Whether `core.sharedRepository` asks for file modes that only git gives to refs.
    pub(super) fn has_shared_modes(&self) -> bool {
        self.shared.format.shared_permissions() != 0
    }

    pub(super) fn is_shallow_edge(&self, oid: &Oid) -> bool {
        self.shared.shallow.contains(oid)
    }

    pub(super) fn config(&self) -> &Config {
        &self.shared.config
    }

    pub(super) fn objects(&self) -> &ObjectStore {
        &self.objects
    }

    pub(super) fn read_cache(&self) -> &RefCell<ReadCache> {
        &self.read
    }

    pub(super) fn link_cache(&self) -> &RefCell<LinkCache> {
        &self.links
    }

    pub(super) fn file_refs(&self) -> Option<&gix::refs::file::Store> {
        self.refs.as_ref()
    }
}

impl Clone for Repository {
    fn clone(&self) -> Self {
        Repository {
            shared: Arc::clone(&self.shared),
            objects: self.objects.clone(),
            refs: self.refs.clone(),
            links: RefCell::default(),
            read: RefCell::default(),
        }
    }
}

impl std::fmt::Debug for Repository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repository").field("git_dir", &self.shared.git_dir).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
