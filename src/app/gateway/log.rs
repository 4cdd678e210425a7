//! LOG: what is looked at in a session, in order, gathered into parts that each name the part before.

use super::super::context::Context;
use super::super::error::AppError;
use super::keep_quietly;
use super::trace::resumed;
use crate::codec::canonical;
use crate::ledger::Frontier;
use crate::model::digest::Digest;
use crate::model::gateway::{Access, AccessRecord};
use crate::model::id::{KeyId, Oid};

/// So many accesses are signed together, at most.
const MOST_TOGETHER: usize = 256;
/// And so many bytes of them: a part stays far below the limit of a line, which readers set aside above 1 MiB.
const MOST_BYTES: usize = 256 << 10;

/// The accesses of one session so far: those that stand in the ledger as a root, the others as they are.
#[derive(Debug, Clone)]
pub struct Log {
    commit: Oid,
    kept: Frontier,
    previous: Option<Digest>,
    registrar: KeyId,
    session: Digest,
    waiting: Vec<Access>,
}

/// What the ledger holds of a session.
#[derive(Debug)]
pub enum Resumed {
    /// It was ended, after so many accesses.
    Ended(u64),
    /// It can go on.
    Open(Log),
}

impl Log {
    /// Of a session that has just begun, noted on a commit.
    pub fn new(session: Digest, commit: Oid, registrar: KeyId) -> Self {
        Log { commit, kept: Frontier::default(), previous: None, registrar, session, waiting: Vec::new() }
    }

    /// Of a session of which parts stand in the ledger.
    ///
    /// # Errors
    /// When the ledger can't be read, or what it holds of the session does not hang together.
    pub fn resume(context: &Context, session: Digest) -> Result<Resumed, AppError> {
        let (commit, parts) = resumed(context, &session)?;
        if let Some(fault) = parts.faults.first() {
            return Err(AppError::fatal(format!("the trace of {}: {fault}", parts.id()), "git boundary doctor"));
        }
        let mut log = Log::new(session, commit, parts.seal().registrar);
        parts.accesses().for_each(|access| log.kept.push(&canonical::to_vec(access)));
        log.previous = parts.last();
        Ok(if parts.ended() { Resumed::Ended(log.next()) } else { Resumed::Open(log) })
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
        self.waiting.len() >= MOST_TOGETHER || self.together() < self.waiting.len()
    }

    /// How many of those that wait go into one part.
    fn together(&self) -> usize {
        let mut bytes = 0;
        let fits = |access: &&Access| {
            bytes += canonical::to_vec(access).len();
            bytes <= MOST_BYTES
        };
        self.waiting.iter().take(MOST_TOGETHER).take_while(fits).count().max(1).min(self.waiting.len())
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
            let some = self.together();
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
            self.previous = Some(keep_quietly(context, self.commit, self.registrar, record)?);
            self.kept = all;
            self.waiting.drain(..some);
            if ends {
                break;
            }
        }
        Ok(())
    }
}
