//! RECEIVED: what a server admitted and has not recorded yet. `pre-receive` may write no ref, and `post-receive` may be killed before
//! it does: so what was decided waits in a file of its own, until it is recorded once.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::LocalState;
use crate::model::context::Snapshot;
use crate::model::decision::Candidate;
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::time::Timestamp;
use crate::store::StoreError;

/// What was admitted of one push.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Received {
    /// When it was decided.
    pub at: Timestamp,
    /// The updates of governed refs, in git's order.
    pub updates: Vec<ReceivedUpdate>,
}

/// One admitted update of a ref.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceivedUpdate {
    /// What was asked for, by nobody's proposal in particular.
    pub candidate: Candidate,
    /// What the refs looked like.
    pub snapshot: Snapshot,
    /// What it rests on; empty where nothing had to be covered.
    pub used: Vec<Used>,
}

/// One thing that an admission rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Used {
    /// The owner's approval that is consumed.
    pub approval: Option<Digest>,
    /// The proposal; none where the commits need none.
    pub envelope: Option<Digest>,
    /// The commit in whose note it is recorded.
    pub note: Oid,
}

impl LocalState {
    /// Keeps what was admitted until it is recorded.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn keep_received(&self, received: &Received) -> Result<(), StoreError> {
        let mut nonce = [0; 8];
        getrandom::fill(&mut nonce).map_err(|_| crate::crypto::KeyError::NoRandomness)?;
        // By time, so that what was decided first is recorded first.
        let name = format!("{:020}-{}", received.at.0.max(0), crate::model::hex::encode(&nonce));
        self.write(&self.received_dir().join(name), received)
    }

    /// What waits to be recorded, oldest first, each with the file it waits in.
    ///
    /// # Errors
    /// When a file is there and not readable, or does not say what it should.
    pub fn received(&self) -> Result<Vec<(PathBuf, Received)>, StoreError> {
        let path = self.received_dir();
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::File { path, source }),
        };
        let named = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(|first: char| first.is_ascii_digit())
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(named).collect();
        paths.sort();
        let mut found = Vec::new();
        for path in paths {
            // Whoever was faster recorded it.
            if let Some(received) = self.read(&path)? {
                found.push((path, received));
            }
        }
        Ok(found)
    }

    /// Forgets what is recorded now.
    ///
    /// # Errors
    /// When the file can't be removed.
    pub fn forget_received(&self, path: PathBuf) -> Result<(), StoreError> {
        match fs::remove_file(&path) {
            Err(source) if source.kind() != ErrorKind::NotFound => Err(StoreError::File { path, source }),
            _ => Ok(()),
        }
    }

    fn received_dir(&self) -> PathBuf {
        self.dir.join("received")
    }
}
