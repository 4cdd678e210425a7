//! Refs: read in process where they are files, by git where they are anything else.

mod by_git;
mod lock;
mod resolve;
mod retry;
mod update;

use gix::refs::{FullName, FullNameRef, Target};

pub use self::lock::RefLock;
pub use self::resolve::RangeEnds;
pub use self::retry::{back_off, retry};
pub use self::update::{Expected, RefEdit, Update};
use super::config::Config;
use super::object_format::from_gix;
use super::objects::ObjectError;
use super::process::ProcessError;
use super::repository::{Format, Place, Repository};
use crate::model::id::Oid;

/// A ref that cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum RefError {
    /// The name is not one that git allows, or not a full one.
    #[error("{name:?} is not a full ref name")]
    Name {
        /// The name.
        name: String,
    },
    /// The ref is there, and neither an object id nor the name of another ref.
    #[error("ref {name} cannot be read: {defect}")]
    Unreadable {
        /// Its name, or the prefix under which refs were listed.
        name: String,
        /// What is wrong.
        defect: String,
    },
    /// A symbolic ref where an ordinary one is to be changed, or symbolic refs in a ring.
    #[error("ref {name} is symbolic")]
    Symbolic {
        /// Its name.
        name: String,
    },
    /// A ref of one name makes refs of the other impossible: one would be a file, the other a directory.
    #[error("ref {name} cannot be created: {blocking} exists")]
    Blocked {
        /// The ref to be written.
        name: String,
        /// The ref in its way.
        blocking: String,
    },
    /// Other writers were faster each time.
    #[error(
        "ref {name} was changed or locked by others in each of {attempts} attempts; \
         if none is at work, one that was killed left {name}.lock in the git directory"
    )]
    Contended {
        /// Its name.
        name: String,
        /// How many attempts were made.
        attempts: u32,
    },
    /// A push is being received: until it is accepted no ref may name what it brings.
    #[error("ref {name} cannot be written while a push is being received")]
    Quarantine {
        /// Its name.
        name: String,
    },
    /// The ref could not be written.
    #[error("ref {name} cannot be written: {defect}")]
    Write {
        /// Its name.
        name: String,
        /// What the system said.
        defect: String,
    },
    /// No commit has this name.
    #[error("{rev:?} names no commit here")]
    Unknown {
        /// The revision, as given.
        rev: String,
    },
    /// Several objects or refs have this name.
    #[error("{rev:?} is ambiguous{}", shown(candidates))]
    Ambiguous {
        /// The revision, as given.
        rev: String,
        /// The full names of the refs that it may mean; empty for an abbreviated id.
        candidates: Vec<String>,
    },
    /// The object that a revision names cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The git that reads or writes the refs failed.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

/// Where `HEAD` is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// On a branch.
    Branch {
        /// Its full name.
        name: String,
        /// Its commit; `None` before the first one.
        oid: Option<Oid>,
    },
    /// On a commit.
    Detached(Oid),
}

impl Repository {
    /// What a full ref name (or `HEAD`) names: symbolic refs followed, tags not peeled; `None` when there is no such ref.
    ///
    /// # Errors
    /// [`RefError`]; an unreadable ref is never taken for an absent one.
    pub fn find_ref(&self, name: &str) -> Result<Option<Oid>, RefError> {
        let full = full_name(name)?;
        if self.file_refs().is_none() {
            return self.find_ref_by_git(name);
        }
        let mut next = full;
        // As deep as git follows.
        for _ in 0..6 {
            match self.target(next.as_ref())? {
                None => return Ok(None),
                Some(Target::Object(id)) => return Ok(Some(from_gix(&id))),
                Some(Target::Symbolic(name)) => next = name,
            }
        }
        Err(RefError::Symbolic { name: name.to_owned() })
    }

    /// All refs whose full names begin with `prefix`, which ends with a slash, sorted by name.
    ///
    /// # Errors
    /// [`RefError`]; one unreadable ref makes the whole list unreadable.
    pub fn refs_under(&self, prefix: &str) -> Result<Vec<(String, Oid)>, RefError> {
        let Some(dir) = prefix.strip_suffix('/').filter(|dir| full_name(dir).is_ok() || *dir == "refs") else {
            return Err(RefError::Name { name: prefix.to_owned() });
        };
        let Some(store) = self.file_refs() else { return self.refs_under_by_git(dir) };
        let failed = |defect: String| RefError::Unreadable { name: prefix.to_owned(), defect };
        let platform = store.iter().map_err(|err| failed(err.to_string()))?;
        let relative = <&gix::path::RelativePath>::try_from(prefix).map_err(|err| failed(err.to_string()))?;
        let mut found = Vec::new();
        for reference in platform.prefixed(relative).map_err(|err| failed(err.to_string()))? {
            let reference = reference.map_err(|err| failed(err.to_string()))?;
            let name = reference.name.to_string();
            if !name.starts_with(prefix) {
                continue;
            }
            let oid = match reference.target {
                Target::Object(id) => Some(from_gix(&id)),
                Target::Symbolic(_) => self.find_ref(&name)?,
            };
            found.extend(oid.map(|oid| (name, oid)));
        }
        found.sort();
        Ok(found)
    }

    /// Where `HEAD` of this worktree is.
    ///
    /// # Errors
    /// [`RefError`]
    pub fn head(&self) -> Result<Head, RefError> {
        if self.file_refs().is_none() {
            return self.head_by_git();
        }
        let head = full_name("HEAD")?;
        match self.target(head.as_ref())? {
            Some(Target::Object(id)) => Ok(Head::Detached(from_gix(&id))),
            Some(Target::Symbolic(branch)) => {
                let name = branch.to_string();
                Ok(Head::Branch { oid: self.find_ref(&name)?, name })
            }
            None => Err(RefError::Unreadable { name: "HEAD".to_owned(), defect: "it is gone".to_owned() }),
        }
    }

    /// The ref that a name stands for: its own, or, where it is symbolic, that of the ref it leads to in the end, which need not be there.
    ///
    /// # Errors
    /// [`RefError`]; `Symbolic` for symbolic refs in a ring.
    pub fn ref_behind(&self, name: &str) -> Result<String, RefError> {
        let mut behind = name.to_owned();
        // git follows as many.
        for _ in 0..5 {
            let target = match self.file_refs() {
                None => self.symbolic_ref_by_git(&behind)?,
                Some(_) => match self.target(full_name(&behind)?.as_ref())? {
                    Some(Target::Symbolic(target)) => Some(target.to_string()),
                    _ => None,
                },
            };
            match target {
                Some(target) => behind = target,
                None => return Ok(behind),
            }
        }
        Err(RefError::Symbolic { name: name.to_owned() })
    }

    /// The ref that `refs/remotes/<remote>/HEAD` points to: the remote's default branch as last seen. `None` when unset.
    ///
    /// # Errors
    /// [`RefError`]
    pub fn remote_head(&self, remote: &str) -> Result<Option<String>, RefError> {
        let name = format!("refs/remotes/{remote}/HEAD");
        let full = full_name(&name)?;
        if self.file_refs().is_none() {
            return self.symbolic_ref_by_git(&name);
        }
        Ok(match self.target(full.as_ref())? {
            Some(Target::Symbolic(target)) => Some(target.to_string()),
            _ => None,
        })
    }

    /// What one ref file or packed line says.
    fn target(&self, name: &FullNameRef) -> Result<Option<Target>, RefError> {
        let Some(store) = self.file_refs() else { return Ok(None) };
        let found = store
            .try_find(name)
            .map_err(|err| RefError::Unreadable { name: name.to_string(), defect: err.to_string() })?;
        // gix looks in other places, too, when the exact name is absent; those are other refs.
        Ok(found.filter(|found| found.name.as_ref() == name).map(|found| found.target))
    }
}

/// Whether git accepts this as a full ref name: `HEAD` or below `refs/`.
pub fn is_full_ref_name(name: &str) -> bool {
    full_name(name).is_ok()
}

/// Which refs get a reflog.
pub(super) fn reflog(config: &Config) -> gix::refs::store::WriteReflog {
    use gix::refs::store::WriteReflog;
    let bare = config.boolean("core.bare").unwrap_or(false);
    match config.string("core.logAllRefUpdates").as_deref() {
        Some("always") => WriteReflog::Always,
        Some(_) if config.boolean("core.logAllRefUpdates") == Some(true) => WriteReflog::Normal,
        Some(_) => WriteReflog::Disable,
        None if bare => WriteReflog::Disable,
        None => WriteReflog::Normal,
    }
}

pub(super) fn file_store(place: &Place, format: &Format, config: &Config) -> gix::refs::file::Store {
    let options = gix::refs::store::init::Options {
        write_reflog: gix::refs::store::WriteReflog::Disable,
        precompose_unicode: config.boolean("core.precomposeUnicode").unwrap_or(false),
        prohibit_windows_device_names: cfg!(windows),
    };
    let (git_dir, common_dir) = (place.git_dir.clone(), place.common_dir.clone());
    if git_dir == common_dir {
        gix::refs::file::Store::at_opts(git_dir, format.objects.hash(), options)
    } else {
        gix::refs::file::Store::for_linked_worktree_opts(git_dir, common_dir, format.objects.hash(), options)
    }
}

pub(super) fn branch_of_head(store: &gix::refs::file::Store) -> Option<FullName> {
    match store.try_find("HEAD").ok()??.target {
        Target::Symbolic(name) => Some(name),
        Target::Object(_) => None,
    }
}

fn full_name(name: &str) -> Result<FullName, RefError> {
    let bad = || RefError::Name { name: name.to_owned() };
    if name != "HEAD" && !name.starts_with("refs/") {
        return Err(bad());
    }
    FullName::try_from(name).map_err(|_| bad())
}

fn shown(candidates: &[String]) -> String {
    if candidates.is_empty() { String::new() } else { format!(": it may be {}", candidates.join(" or ")) }
}

#[cfg(test)]
mod tests;
