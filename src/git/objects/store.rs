//! Where objects are read from and written to, quarantine and alternates included.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use gix::objs::{Find, FindHeader, Write};

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
/// `info/alternates` of each directory are followed by gix.
#[derive(Clone)]
pub(in crate::git) struct ObjectStore {
    readers: Vec<gix::odb::Handle>,
    writer: gix::odb::loose::Store,
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
        let cache = config
            .string("core.deltaBaseCacheLimit")
            .and_then(|text| gix::config::Integer::try_from(text.as_bytes().as_bstr()).ok())
            .and_then(|limit| usize::try_from(limit.to_decimal()?).ok())
            .unwrap_or(DELTA_CACHE_BYTES);
        let open = |path: PathBuf| -> Result<gix::odb::Handle, OpenError> {
            let options = gix::odb::store::init::Options {
                current_dir: Some(environment.cwd().to_path_buf()),
                ..Default::default()
            };
            let handle = gix::odb::at_opts(path.clone(), format.objects.hash(), None, options)
                .map_err(|source| OpenError::Io { path, source })?;
            Ok(handle.with_pack_cache(move || Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(cache))))
        };
        let mut readers = vec![open(first.clone())?];
        let alternates = environment.var("GIT_ALTERNATE_OBJECT_DIRECTORIES").map(split).unwrap_or_default();
        for alternate in alternates {
            let path = environment.cwd().join(alternate);
            // git, too, goes on without an alternate that is gone.
            if path.is_dir() {
                readers.push(open(path)?);
            }
        }
        Ok(ObjectStore {
            readers,
            writer: gix::odb::loose::Store::at(first, format.objects.hash()),
            shared_permissions: format.shared_permissions(),
            format: format.objects,
        })
    }

    /// Kind and bytes of an object, hashed against its id; `None` when it is nowhere.
    pub(super) fn read(&self, oid: &Oid) -> Result<Option<(ObjectKind, Vec<u8>)>, ObjectError> {
        let id = self.id(oid)?;
        let corrupt = |defect: String| ObjectError::Corrupt { oid: *oid, defect };
        for reader in &self.readers {
            let mut buffer = Vec::new();
            let Some(found) = reader.try_find(&id, &mut buffer).map_err(|err| corrupt(err.to_string()))? else {
                continue;
            };
            let (kind, len) = (found.kind, found.data.len());
            buffer.truncate(len);
            let actual = gix::objs::compute_hash(self.format.hash(), kind, &buffer)
                .map_err(|_| corrupt("its bytes are made to collide in SHA-1".to_owned()))?;
            if actual != id {
                return Err(corrupt(format!("its bytes hash to {actual}")));
            }
            return Ok(Some((kind_of(kind), buffer)));
        }
        Ok(None)
    }

    /// The size in bytes that the store claims.
    pub(super) fn size(&self, oid: &Oid) -> Result<Option<u64>, ObjectError> {
        let id = self.id(oid)?;
        for reader in &self.readers {
            let header = FindHeader::try_header(reader, &id)
                .map_err(|err| ObjectError::Corrupt { oid: *oid, defect: err.to_string() })?;
            if let Some(header) = header {
                return Ok(Some(header.size));
            }
        }
        Ok(None)
    }

    /// Where objects lie, as pack and offset, for reading many in the order they are stored: loose ones first.
    ///
    /// Asked of the pack indices themselves: gix tells positions only of objects that it has decoded.
    pub(super) fn positions(&self) -> impl Fn(&Oid) -> (usize, u64) {
        let stores = self.readers.iter().flat_map(|reader| {
            let store = reader.store_ref();
            let alternates = store.alternate_db_paths().unwrap_or_default();
            std::iter::once(store.path().to_path_buf()).chain(alternates)
        });
        let files = stores.filter_map(|store| std::fs::read_dir(store.join("pack")).ok()).flatten().flatten();
        let indices: Vec<_> = files
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "idx"))
            .filter_map(|path| gix::odb::pack::index::File::at(path, self.format.hash()).ok())
            .collect();
        let format = self.format;
        move |oid| {
            let found =
                indices.iter().enumerate().filter(|_| format.fits(oid)).find_map(|(number, index)| {
                    Some((number + 1, index.pack_offset_at_index(index.lookup(to_gix(oid))?)))
                });
            found.unwrap_or((0, 0))
        }
    }

    pub(super) fn contains(&self, oid: &Oid) -> bool {
        self.id(oid).is_ok_and(|id| self.readers.iter().any(|reader| gix::objs::Exists::exists(reader, &id)))
    }

    /// Writes one loose object. It is written even if known, which keeps a concurrent `git gc` from pruning it.
    pub(super) fn write(&self, kind: ObjectKind, bytes: &[u8]) -> Result<Oid, ObjectError> {
        let failed = |defect: String| ObjectError::Write { path: self.writer.path().to_path_buf(), defect };
        let kind = match kind {
            ObjectKind::Blob => gix::objs::Kind::Blob,
            ObjectKind::Tree => gix::objs::Kind::Tree,
            ObjectKind::Commit => gix::objs::Kind::Commit,
            ObjectKind::Tag => gix::objs::Kind::Tag,
        };
        let id = self.writer.write_buf(kind, bytes).map_err(|err| failed(err.to_string()))?;
        if self.shared_permissions != 0 {
            let path = self.writer.object_path(&id);
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
