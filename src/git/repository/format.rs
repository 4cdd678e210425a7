//! The repository's own statement of its format: version, extensions, shallow edges.

use std::collections::BTreeSet;
use std::path::Path;

use super::OpenError;
use crate::git::config::Config;
use crate::git::environment::Environment;
use crate::git::object_format::ObjectFormat;
use crate::model::id::Oid;

/// What `core.repositoryFormatVersion` and `extensions.*` say.
#[derive(Debug)]
pub(in crate::git) struct Format {
    pub objects: ObjectFormat,
    pub worktree_config: bool,
    pub partial: bool,
    storage: Option<String>,
    shared: Option<String>,
}

/// Who can read the refs.
pub(super) enum RefStorage {
    /// Loose files and `packed-refs`.
    Files,
    /// Something else, which only git knows how to read.
    Other,
}

/// Extensions that change nothing about how objects and refs are read here, or are dealt with.
const KNOWN: [&str; 9] = [
    "noop",
    "noop-v1",
    "objectformat",
    "compatobjectformat",
    "partialclone",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
];

const NEEDS_VERSION_1: [&str; 4] = ["compatobjectformat", "objectformat", "refstorage", "relativeworktrees"];

impl Format {
    pub(super) fn read(config: &Config, common_dir: &Path) -> Result<Self, OpenError> {
        let bad = |defect: String| OpenError::Format { path: common_dir.to_path_buf(), defect };
        let version = config.string("core.repositoryFormatVersion").unwrap_or_else(|| "0".to_owned());
        let version: u32 = version.trim().parse().map_err(|_| bad(format!("version {version:?}")))?;
        if version > 1 {
            return Err(bad(format!("version {version}")));
        }
        // Version 0 knows no extensions; git honours some there all the same and refuses those that came later.
        let refused = |key: &&String| match version {
            0 => NEEDS_VERSION_1.contains(&key.as_str()),
            _ => !KNOWN.contains(&key.as_str()),
        };
        if let Some(key) = config.keys("extensions").iter().find(refused) {
            return Err(bad(format!("extension {key:?} in version {version}")));
        }
        let extension = |name: &str| config.string(&format!("extensions.{name}")).filter(|_| version == 1);
        let objects = match extension("objectFormat").as_deref() {
            None | Some("sha1") => ObjectFormat::Sha1,
            Some("sha256") => ObjectFormat::Sha256,
            Some(other) => return Err(bad(format!("object format {other:?}"))),
        };
        Ok(Format {
            objects,
            worktree_config: config.boolean("extensions.worktreeConfig").unwrap_or(false),
            partial: config.string("extensions.partialClone").is_some(),
            storage: extension("refStorage"),
            shared: config.string("core.sharedRepository"),
        })
    }

    /// `core.sharedRepository` in gix's encoding: 0 leaves modes to the umask, a positive one is added to them, a
    /// negative one replaces them.
    pub(in crate::git) fn shared_permissions(&self) -> i32 {
        match self.shared.as_deref() {
            None | Some("umask" | "false" | "0" | "no" | "off") => 0,
            Some("" | "group" | "true" | "1" | "yes" | "on") => 0o660,
            Some("all" | "world" | "everybody" | "2") => 0o664,
            Some(octal) => -i32::from_str_radix(octal, 8).unwrap_or(0),
        }
    }

    pub(super) fn ref_storage(&self, environment: &Environment) -> RefStorage {
        // A newer git can be told by its environment to use another store.
        let told = environment.var("GIT_REFERENCE_BACKEND").is_some_and(|value| value != "files");
        match self.storage.as_deref() {
            None | Some("files") if !told => RefStorage::Files,
            _ => RefStorage::Other,
        }
    }
}

/// Whether a remote has promised objects that are not here.
pub(super) fn has_promisor(config: &Config) -> bool {
    let promises = |remote: &String| config.boolean(&format!("remote.{remote}.promisor")) == Some(true);
    config.subsections("remote").iter().any(promises)
}

/// The commits whose parents are cut off, from the file git keeps for them.
pub(super) fn shallow(
    environment: &Environment,
    common_dir: &Path,
    objects: ObjectFormat,
) -> Result<BTreeSet<Oid>, OpenError> {
    let path = environment.path("GIT_SHALLOW_FILE").unwrap_or_else(|| common_dir.join("shallow"));
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(source) => return Err(OpenError::Io { path, source }),
    };
    text.lines()
        .map(|line| line.trim().parse::<Oid>().ok().filter(|oid| objects.fits(oid)))
        .collect::<Option<_>>()
        .ok_or_else(|| OpenError::Io { path, source: std::io::ErrorKind::InvalidData.into() })
}
