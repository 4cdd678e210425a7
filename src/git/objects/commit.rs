//! Commits, read as git reads them: parents are the `parent` lines right after `tree`, and nothing else.

use gix::bstr::ByteSlice;

use super::ObjectError;
use crate::git::object_format::ObjectFormat;
use crate::model::id::Oid;

/// A commit whose bytes hash to its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub oid: Oid,
    /// Its tree.
    pub tree: Oid,
    /// Its parents, in order; none for a root.
    pub parents: Vec<Oid>,
    /// Seconds since the epoch by its committer's clock; 0 where that line is unreadable. A hint for ordering only.
    pub committer_time: i64,
    /// The object's bytes.
    pub raw: Vec<u8>,
}

impl Commit {
    pub(super) fn parse(oid: Oid, raw: Vec<u8>, format: ObjectFormat) -> Result<Self, ObjectError> {
        let malformed = |defect: &str| ObjectError::Malformed { oid, defect: defect.to_owned() };
        let id = |hex: &[u8]| {
            let oid = std::str::from_utf8(hex).ok().and_then(|hex| hex.parse::<Oid>().ok());
            oid.filter(|oid| format.fits(oid) && !oid.is_zero())
        };
        let mut lines = raw.split(|byte| *byte == b'\n');
        let tree = lines
            .next()
            .and_then(|line| id(line.strip_prefix(b"tree ")?))
            .ok_or_else(|| malformed("its first line names no tree"))?;
        let mut parents = Vec::new();
        let mut line = lines.next();
        while let Some(hex) = line.and_then(|line| line.strip_prefix(b"parent ")) {
            parents.push(id(hex).ok_or_else(|| malformed("a parent line names no commit"))?);
            line = lines.next();
        }
        let committer_time = line
            .filter(|line| line.starts_with(b"author "))
            .and_then(|_| lines.next()?.strip_prefix(b"committer "))
            .and_then(time)
            .unwrap_or(0);
        Ok(Commit { oid, tree, parents, committer_time, raw })
    }

    /// The author's line, with name, address and time; `None` where there is none.
    pub fn author(&self) -> Option<&[u8]> {
        let header = self.raw.find(b"\n\n").map_or(self.raw.as_slice(), |end| &self.raw[..end]);
        header.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"author "))
    }

    /// A commit that no repository here holds, from its bytes.
    ///
    /// # Errors
    /// When they are not those of the id, or no commit.
    pub fn of_bytes(oid: Oid, raw: Vec<u8>) -> Result<Self, ObjectError> {
        let format = if oid.as_bytes().len() == 20 { ObjectFormat::Sha1 } else { ObjectFormat::Sha256 };
        let malformed = |defect: String| ObjectError::Malformed { oid, defect };
        match format.hash_object(super::ObjectKind::Commit, &raw) {
            Some(hash) if hash == oid => Commit::parse(oid, raw, format),
            Some(hash) => Err(malformed(format!("its bytes hash to {hash}"))),
            None => Err(malformed("its bytes bear the marks of a collision attack".to_owned())),
        }
    }

    /// The message: what follows the first empty line.
    pub fn message(&self) -> &[u8] {
        self.raw.find(b"\n\n").map_or(&[], |end| &self.raw[end + 2..])
    }

    /// The signature over this commit, if it is an SSH one: the bytes that were signed, and the armoured signature.
    ///
    /// git signs the commit without its signature headers; which header counts depends on the object format.
    pub fn ssh_signature(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let own: &[u8] = if self.oid.as_bytes().len() == 20 { b"gpgsig" } else { b"gpgsig-sha256" };
        let (mut payload, mut signature) = (Vec::new(), Vec::new());
        let (mut in_own, mut in_other) = (false, false);
        let mut rest = self.raw.as_slice();
        while !rest.is_empty() {
            let end = rest.find_byte(b'\n').map_or(rest.len(), |end| end + 1);
            let (line, after) = rest.split_at(end);
            let continued = line.first() == Some(&b' ');
            let header = line.strip_prefix(own).and_then(|line| line.strip_prefix(b" "));
            if in_own && continued {
                signature.extend_from_slice(&line[1..]);
            } else if let Some(first) = header {
                signature.extend_from_slice(first);
                (in_own, in_other) = (true, false);
            } else {
                in_own = false;
                if line.starts_with(b"gpgsig") {
                    in_other = true;
                } else if !continued {
                    in_other = false;
                }
                if line == b"\n" {
                    payload.extend_from_slice(rest);
                    break;
                }
                if !in_other {
                    payload.extend_from_slice(line);
                }
            }
            rest = after;
        }
        signature.starts_with(b"-----BEGIN SSH SIGNATURE-----").then_some((payload, signature))
    }
}

/// The seconds after the address of a `committer` line.
fn time(line: &[u8]) -> Option<i64> {
    let after = &line[line.rfind_byte(b'>')? + 1..];
    let digits = after.trim_start().split(|byte| *byte == b' ').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok().filter(|seconds| *seconds >= 0)
}
