//! LOG: what is looked at in a session, in order, gathered into parts that each name the part before.

use super::super::context::Context;
use super::super::error::AppError;
use super::{Parts, keep_quietly};
use crate::codec::canonical;
use crate::ledger::Frontier;
use crate::model::digest::Digest;
use crate::model::gateway::{Access, AccessRecord};
use crate::model::id::Oid;

/// So many accesses are signed together, at most: a part stays far below the limit of a line.
pub const MOST_TOGETHER: usize = 256;

/// The accesses of one session so far: those that stand in the ledger as a root, the others as they are.
#[derive(Debug, Clone)]
pub struct Log {
    commit: Oid,
    kept: Frontier,
    previous: Option<Digest>,
    session: Digest,
    waiting: Vec<Access>,
}

impl Log {
    /// Of a session that has just begun, noted on a commit.
    pub fn new(session: Digest, commit: Oid) -> Self {
        Log { commit, kept: Frontier::default(), previous: None, session, waiting: Vec::new() }
    }

    /// Of a session of which parts stand in the ledger; `None` where it was ended.
    ///
    /// # Errors
    /// When the ledger can't be read, or what it holds of the session does not hang together.
    pub fn resume(context: &Context, session: Digest) -> Result<Option<Self>, AppError> {
        let found = Parts::read(context, &session.to_string())?;
        if let Some(fault) = found.faults.first() {
            return Err(AppError::fatal(
                format!("the trace of {}: {fault}", found.session.artifact.id()),
                "git boundary doctor",
            ));
        }
        let mut log = Log::new(session, found.commit);
        for part in &found.parts {
            if part.last {
                return Ok(None);
            }
            part.accesses.iter().for_each(|access| log.kept.push(&canonical::to_vec(access)));
        }
        log.previous = found.last;
        Ok(Some(log))
    }

    /// The session's digest.
    pub fn session(&self) -> Digest {
        self.session
    }

    /// The number of the next access.
    pub fn next(&self) -> u64 {
        self.kept.size() + self.waiting.len() as u64
    }

    /// Adds one; whether so many wait that they should be kept.
    pub fn add(&mut self, access: Access) -> bool {
        self.waiting.push(Access { seq: self.next(), ..access });
        self.waiting.len() >= MOST_TOGETHER
    }

    /// The root over all accesses, those that wait included.
    pub fn root(&self) -> Digest {
        let mut all = self.kept.clone();
        self.waiting.iter().for_each(|access| all.push(&canonical::to_vec(access)));
        Digest(all.root())
    }

    /// Signs what waits and puts it in the ledger; with `last`, says that nothing follows. Does nothing where neither is so.
    ///
    /// # Errors
    /// When it can't be written: then it waits on.
    pub fn keep(&mut self, context: &Context, last: bool) -> Result<(), AppError> {
        while !self.waiting.is_empty() || last {
            let some = self.waiting.len().min(MOST_TOGETHER);
            let mut all = self.kept.clone();
            self.waiting[..some].iter().for_each(|access| all.push(&canonical::to_vec(access)));
            let ends = last && some == self.waiting.len();
            let record = AccessRecord {
                accesses: self.waiting[..some].to_vec(),
                last: ends,
                previous: self.previous,
                root: Digest(all.root()),
                session: self.session,
            };
            self.previous = Some(keep_quietly(context, self.commit, record)?);
            self.kept = all;
            self.waiting.drain(..some);
            if ends {
                break;
            }
        }
        Ok(())
    }
}
