//! REFUSED: the receipts of what a server refused. They can't go into the notes: a push that is refused must not make the repository
//! grow. So they lie beside the local state, the oldest giving way to new ones (contract, section 7).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{LocalState, read_file, replace};
use crate::codec::dsse::Dsse;
use crate::model::digest::Digest;
use crate::store::StoreError;

/// So many receipts are kept.
const MOST_RECEIPTS: usize = 1_000;

impl LocalState {
    /// The receipt that is kept for a refusal, whose digest stands for the candidate and the reasons; one that can't be read is none.
    ///
    /// # Errors
    /// When the file is there and not readable.
    pub fn refused(&self, refusal: &Digest) -> Result<Option<Dsse>, StoreError> {
        let bytes = read_file(&self.refused_file(refusal))?;
        Ok(bytes.and_then(|bytes| Dsse::parse(bytes.strip_suffix(b"\n").unwrap_or(&bytes)).ok()))
    }

    /// Keeps the receipt of a refusal, and lets the oldest go where there are too many.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn keep_refused(&self, refusal: &Digest, receipt: &Dsse) -> Result<(), StoreError> {
        self.make_dir(&self.refused_dir())?;
        let mut line = receipt.line();
        line.push(b'\n');
        replace(&self.refused_file(refusal), &line)?;
        let mut kept = self.files_by_age()?;
        let surplus = kept.len().saturating_sub(MOST_RECEIPTS);
        for (_, path) in kept.drain(..surplus) {
            match fs::remove_file(&path) {
                Err(source) if source.kind() != ErrorKind::NotFound => return Err(StoreError::File { path, source }),
                _ => {}
            }
        }
        Ok(())
    }

    /// Every receipt that is kept, oldest first.
    ///
    /// # Errors
    /// When the directory can't be read.
    pub fn all_refused(&self) -> Result<Vec<Dsse>, StoreError> {
        let files = self.files_by_age()?.into_iter();
        let read = |(_, path): (SystemTime, PathBuf)| {
            let bytes = fs::read(path).ok()?;
            Dsse::parse(bytes.strip_suffix(b"\n").unwrap_or(&bytes)).ok()
        };
        Ok(files.filter_map(read).collect())
    }

    fn files_by_age(&self) -> Result<Vec<(SystemTime, PathBuf)>, StoreError> {
        let path = self.refused_dir();
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::File { path, source }),
        };
        let of_receipt = |path: &Path| path.extension().is_some_and(|end| end == "json");
        let mut found: Vec<(SystemTime, PathBuf)> = entries
            .flatten()
            .filter(|entry| of_receipt(&entry.path()))
            .map(|entry| {
                let at = entry.metadata().and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
                (at, entry.path())
            })
            .collect();
        found.sort();
        Ok(found)
    }

    fn refused_dir(&self) -> PathBuf {
        self.dir.join("refused")
    }

    fn refused_file(&self, refusal: &Digest) -> PathBuf {
        self.refused_dir().join(format!("{}.json", refusal.hex()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::canonical;

    #[test]
    fn the_newest_stay_and_the_place_does_not_grow() {
        let dir = tempfile::tempdir().expect("a directory");
        let local = LocalState { dir: dir.path().to_owned(), registrar: None, remembers: true };
        let line = br#"{"payload":"e30=","payloadType":"t","signatures":[{"keyid":"k","sig":"AAAA"}]}"#;
        let receipt = Dsse::parse(line).expect("an envelope");
        let name = |number: usize| canonical::separated_digest("refused", &number);
        for number in 0..MOST_RECEIPTS + 5 {
            local.keep_refused(&name(number), &receipt).expect("it can be written");
            // Files made within one tick of the file system's clock have no order.
            let file = fs::File::open(local.refused_file(&name(number))).expect("it is there");
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(number as u64))
                .expect("it is ours");
        }
        assert_eq!(local.all_refused().expect("it reads").len(), MOST_RECEIPTS);
        assert_eq!(local.refused(&name(0)).expect("it reads"), None, "the oldest gave way");
        assert!(local.refused(&name(MOST_RECEIPTS + 4)).expect("it reads").is_some(), "the newest is there");
    }
}
