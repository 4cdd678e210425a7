//! KEPT: files of the cache that say what an earlier process found out under one trust document.
//!
//! Each is written whole and believed as the rest of the common git directory is, where the pinned root stands too: who may write there
//! decides what this clone trusts. Anything odd about one and it is as if it were not there; deleting it costs time alone.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::replace;
use crate::codec::{canonical, strict};
use crate::model::digest::Digest;

const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// More than a header ever has.
const HEADER: u64 = 1024;

/// One such file.
#[derive(Debug)]
pub(super) struct Kept {
    /// Changes with what the body is made of, and with what it follows from where the program's version does not.
    pub form: u32,
    /// Most bytes of a body.
    pub most: usize,
    /// Its name in the cache.
    pub name: &'static str,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    form: u32,
    program: String,
    sum: Digest,
    trust: Digest,
}

impl Kept {
    /// The body of the file in a cache, if it is whole and of this trust document and program.
    pub fn load(&self, cache: &Path, trust: Digest) -> Option<Vec<u8>> {
        let path = cache.join(self.name);
        if fs::metadata(&path).ok()?.len() > HEADER + self.most as u64 {
            return None;
        }
        let mut bytes = fs::read(path).ok()?;
        let end = bytes.iter().take(HEADER as usize).position(|byte| *byte == b'\n')?;
        let header: Header = strict::read(&bytes[..end]).ok()?;
        bytes.drain(..=end);
        let fits = header.form == self.form && header.program == PROGRAM && header.trust == trust;
        (fits && header.sum == self.sum(&bytes, trust)).then_some(bytes)
    }

    /// Puts in its place what `next` makes of the body that is there now, which another process may have written meanwhile.
    ///
    /// # Errors
    /// When it can't be written, or another process is at the same work.
    pub fn renew(&self, cache: &Path, trust: Digest, next: impl FnOnce(Option<Vec<u8>>) -> Vec<u8>) -> io::Result<()> {
        fs::create_dir_all(cache)?;
        let lock = File::create(cache.join(format!("{}-lock", self.name)))?;
        lock.try_lock().map_err(|_| io::ErrorKind::WouldBlock)?;
        let body = next(self.load(cache, trust));
        let sum = self.sum(&body, trust);
        let mut bytes = canonical::to_vec(&Header { form: self.form, program: PROGRAM.to_owned(), sum, trust });
        bytes.push(b'\n');
        bytes.extend(body);
        replace(&cache.join(self.name), &bytes).map_err(io::Error::other)
    }

    /// Removes it; whether it was there.
    pub fn forget(&self, cache: &Path) -> bool {
        fs::remove_file(cache.join(self.name)).is_ok()
    }

    /// Over all that the file says.
    fn sum(&self, body: &[u8], trust: Digest) -> Digest {
        canonical::separated_digest(
            &format!("kept-{}", self.name),
            &(self.form, PROGRAM, trust, canonical::sha256(body)),
        )
    }
}
