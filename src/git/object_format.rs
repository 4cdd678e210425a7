//! The object format: which hash names objects, and what follows from its length.

use gix::hash::Kind as HashKind;
use gix::objs::Kind as GixKind;

use super::objects::ObjectKind;
use crate::model::id::Oid;

/// `extensions.objectFormat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectFormat {
    /// 20-byte ids, checked for the known kind of collision.
    Sha1,
    /// 32-byte ids.
    Sha256,
}

impl ObjectFormat {
    /// git's name of the format.
    pub fn name(self) -> &'static str {
        match self {
            ObjectFormat::Sha1 => "sha1",
            ObjectFormat::Sha256 => "sha256",
        }
    }

    /// Length of an id in bytes: 20 or 32.
    pub fn id_len(self) -> usize {
        self.hash().len_in_bytes()
    }

    /// The id that says "nothing there" on hooks' stdin, of this format's length.
    pub fn zero_oid(self) -> Oid {
        from_gix(&self.hash().null())
    }

    /// The id of the tree without entries; it exists even where no object of that name is stored.
    pub fn empty_tree(self) -> Oid {
        from_gix(&gix::ObjectId::empty_tree(self.hash()))
    }

    /// The id that a blob of these bytes has.
    pub fn hash_blob(self, bytes: &[u8]) -> Option<Oid> {
        self.hash_object(ObjectKind::Blob, bytes)
    }

    /// The id of any object; `None` when the bytes bear the marks of a SHA-1 collision attack.
    pub fn hash_object(self, kind: ObjectKind, bytes: &[u8]) -> Option<Oid> {
        let kind = match kind {
            ObjectKind::Blob => GixKind::Blob,
            ObjectKind::Tree => GixKind::Tree,
            ObjectKind::Commit => GixKind::Commit,
            ObjectKind::Tag => GixKind::Tag,
        };
        gix::objs::compute_hash(self.hash(), kind, bytes).ok().map(|id| from_gix(&id))
    }

    /// Whether an id has this format's length.
    pub fn fits(self, oid: &Oid) -> bool {
        oid.as_bytes().len() == self.id_len()
    }

    pub(super) fn hash(self) -> HashKind {
        match self {
            ObjectFormat::Sha1 => HashKind::Sha1,
            ObjectFormat::Sha256 => HashKind::Sha256,
        }
    }
}

pub(super) fn from_gix(id: &gix::hash::oid) -> Oid {
    Oid::from_bytes(id.as_bytes()).expect("gix knows only ids of 20 and 32 bytes")
}

pub(super) fn to_gix(oid: &Oid) -> gix::ObjectId {
    gix::ObjectId::from_bytes_or_panic(oid.as_bytes())
}
