//! Where objects are read from and written to, quarantine and alternates included.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use gix::objs::{Find, FindHeader};

use super::near::{self, Near, Read};
use super::{ObjectError, ObjectKind};
use crate::git::config::Config;
use crate::git::environment::Environment;
use crate::git::object_format::{ObjectFormat, from_gix, to_gix};
use crate::git::repository::{Format, OpenError};
use crate::model::id::Oid;

/// Delta bases kept while reading packs. git's default for `core.deltaBaseCacheLimit`.
const DELTA_CACHE_BYTES: usize = 96 << 20;

/// The object directories of one repository, in the order git searches them; the first also takes new objects.
///
/// gix knows neither `GIT_OBJECT_DIRECTORY` nor `GIT_ALTERNATE_OBJECT_DIRECTORIES`, so the list is made here; the
/// `info/alternates` of each directory are followed by gix, which is opened when something is not found without it.
#[derive(Clone)]
pub(in crate::git) struct ObjectStore {
    near: Vec<Near>,
    far: OnceCell<Vec<gix::odb::Handle>>,
    cwd: PathBuf,
    cache_bytes: usize,
    shared_permissions: i32,
    format: ObjectFormat,
}

impl ObjectStore {
    pub(in crate::git) fn open(
        environment: &Environment,
        common_dir: &Path,
        format: &Format,
        config: &Config,
    ) -> Result<Self, OpenError> {
        let first = environment.path("GIT_OBJECT_DIRECTORY").unwrap_or_else(|| common_dir.join("objects"));
        let cache_bytes = config
            .string("core.deltaBaseCacheLimit")
            .and_then(|text| gix::config::Integer::try_from(text.as_bytes().as_bstr()).ok())
            .and_then(|limit| usize::try_from(limit.to_decimal()?).ok())
            .unwrap_or(DELTA_CACHE_BYTES);
        if !first.is_dir() {
            let source = std::io::ErrorKind::NotFound.into();
            return Err(OpenError::Io { path: first, source });
        }
        let alternates = environment.var("GIT_ALTERNATE_OBJECT_DIRECTORIES").map(split).unwrap_or_default();
        // git, too, goes on without an alternate that is gone.
        let alternates = alternates.into_iter().map(|path| environment.cwd().join(path)).filter(|path| path.is_dir());
        let near = |path| Near::new(path, format.objects.hash(), cache_bytes);
        Ok(ObjectStore {
            near: std::iter::once(first).chain(alternates).map(near).collect(),
            far: OnceCell::new(),
            cwd: environment.cwd().to_path_buf(),
            cache_bytes,
            shared_permissions: format.shared_permissions(),
            format: format.objects,
        })
    }

    /// gix's own stores.
    fn far(&self) -> Result<&[gix::odb::Handle], String> {
        if let Some(far) = self.far.get() {
            return Ok(far);
        }
        let open = |near: &Near| -> Result<gix::odb::Handle, String> {
            let options = gix::odb::store::init::Options { current_dir: Some(self.cwd.clone()), ..Default::default() };
            let handle = gix::odb::at_opts(near.dir().to_path_buf(), self.format.hash(), None, options)
                .map_err(|error| format!("the object directory '{}': {error}", near.dir().display()))?;
            let cache = self.cache_bytes;
            Ok(handle.with_pack_cache(move || Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(cache))))
        };
        let far = self.near.iter().map(open).collect::<Result<_, _>>()?;
        Ok(self.far.get_or_init(|| far))
    }

    /// Kind and bytes of an object, hashed against its id; `None` when it is nowhere.
    pub(super) fn read(&self, oid: &Oid) -> Result<Option<(ObjectKind, Vec<u8>)>, ObjectError> {
        self.read_within(oid, u64::MAX)
    }

    /// The same of an object of at most `limit` bytes; a larger one is not read.
    pub(super) fn read_within(&self, oid: &Oid, limit: u64) -> Result<Option<(ObjectKind, Vec<u8>)>, ObjectError> {
        let id = self.id(oid)?;
        match self.near.iter().find_map(|near| near.read(&id, limit)) {
            Some(Read::Whole(kind, bytes)) => return Ok(Some((kind_of(kind), bytes))),
            Some(Read::TooLarge(size)) => return Err(ObjectError::TooLarge { oid: *oid, size, limit }),
            None => {}
        }
        if limit < u64::MAX
            && let Some(size) = self.size(oid)?.filter(|size| *size > limit)
        {
            return Err(ObjectError::TooLarge { oid: *oid, size, limit });
        }
        let corrupt = |defect: String| ObjectError::Corrupt { oid: *oid, defect };
        for reader in self.far().map_err(corrupt)? {
            let mut buffer = Vec::new();
            let Some(found) = reader.try_find(&id, &mut buffer).map_err(|err| corrupt(err.to_string()))? else {
                continue;
            };
            let (kind, len) = (found.kind, found.data.len());
            buffer.truncate(len);
            let actual = self.hash(kind, &buffer).map_err(corrupt)?;
            if actual != id {
                return Err(corrupt(format!("its bytes hash to {actual}")));
            }
            return Ok(Some((kind_of(kind), buffer)));
        }
        Ok(None)
    }

    fn hash(&self, kind: gix::objs::Kind, bytes: &[u8]) -> Result<gix::ObjectId, String> {
        gix::objs::compute_hash(self.format.hash(), kind, bytes)
            .map_err(|_| "its bytes are made to collide in SHA-1".to_owned())
    }

    /// The size in bytes that the store claims.
    pub(super) fn size(&self, oid: &Oid) -> Result<Option<u64>, ObjectError> {
        let id = self.id(oid)?;
        if let Some(size) = self.near.iter().find_map(|near| near.size(&id)) {
            return Ok(Some(size));
        }
        let corrupt = |defect: String| ObjectError::Corrupt { oid: *oid, defect };
        for reader in self.far().map_err(corrupt)? {
            let header = FindHeader::try_header(reader, &id).map_err(|err| corrupt(err.to_string()))?;
            if let Some(header) = header {
                return Ok(Some(header.size));
            }
        }
        Ok(None)
    }

    /// Where objects lie, as directory, pack and offset, for reading many in the order they are stored: loose ones first.
    pub(super) fn positions(&self) -> impl Fn(&Oid) -> (usize, usize, u64) {
        |oid| {
            let id = self.format.fits(oid).then(|| to_gix(oid));
            let found = self.near.iter().enumerate().find_map(|(directory, near)| {
                let (pack, offset) = near.position(id.as_ref()?)?;
                Some((directory, pack + 1, offset))
            });
            found.unwrap_or((0, 0, 0))
        }
    }

    pub(super) fn contains(&self, oid: &Oid) -> bool {
        let Ok(id) = self.id(oid) else { return false };
        let far = || self.far().is_ok_and(|far| far.iter().any(|reader| gix::objs::Exists::exists(reader, &id)));
        self.near.iter().any(|near| near.contains(&id)) || far()
    }

    /// Writes one loose object. It is written even if known, which keeps a concurrent `git gc` from pruning it.
    pub(super) fn write(&self, kind: ObjectKind, bytes: &[u8]) -> Result<Oid, ObjectError> {
        let dir = self.near[0].dir();
        let failed = |defect: String| ObjectError::Write { path: dir.to_path_buf(), defect };
        let kind = match kind {
            ObjectKind::Blob => gix::objs::Kind::Blob,
            ObjectKind::Tree => gix::objs::Kind::Tree,
            ObjectKind::Commit => gix::objs::Kind::Commit,
            ObjectKind::Tag => gix::objs::Kind::Tag,
        };
        let id = self.hash(kind, bytes).map_err(failed)?;
        let path = near::write(dir, &id, kind, bytes).map_err(|err| failed(err.to_string()))?;
        if self.shared_permissions != 0 {
            for path in path.parent().into_iter().chain([path.as_path()]) {
                // The directory may be another user's, who has set its mode already.
                match gix::fs::set_shared_repository_permissions(path, self.shared_permissions) {
                    Err(err) if err.kind() != std::io::ErrorKind::PermissionDenied => {
                        return Err(failed(err.to_string()));
                    }
                    _ => {}
                }
            }
        }
        Ok(from_gix(&id))
    }

    fn id(&self, oid: &Oid) -> Result<gix::ObjectId, ObjectError> {
        if self.format.fits(oid) { Ok(to_gix(oid)) } else { Err(ObjectError::Format { oid: *oid }) }
    }
}

fn kind_of(kind: gix::objs::Kind) -> ObjectKind {
    match kind {
        gix::objs::Kind::Blob => ObjectKind::Blob,
        gix::objs::Kind::Tree => ObjectKind::Tree,
        gix::objs::Kind::Commit => ObjectKind::Commit,
        gix::objs::Kind::Tag => ObjectKind::Tag,
    }
}

/// The list of alternates: separated as `PATH` is, an entry possibly quoted as C strings are.
fn split(list: &OsStr) -> Vec<PathBuf> {
    let Ok(list) = gix::path::os_str_into_bstr(list) else { return Vec::new() };
    let separator = if cfg!(windows) { b';' } else { b':' };
    let mut rest = list.as_bytes();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let unquoted = rest.starts_with(b"\"").then(|| gix::quote::ansi_c::undo(rest.as_bstr()).ok()).flatten();
        let (entry, used) = match unquoted {
            Some((entry, used)) => (entry.into_owned(), used),
            None => {
                let end = rest.find_byte(separator).unwrap_or(rest.len());
                (rest[..end].into(), end)
            }
        };
        if !entry.is_empty()
            && let Ok(path) = gix::path::from_bstring(entry)
        {
            found.push(path);
        }
        // What follows a closing quote up to the separator means nothing.
        rest = &rest[used..];
        rest = rest.find_byte(separator).map_or(&[], |end| &rest[end + 1..]);
    }
    found
}
