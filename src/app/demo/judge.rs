//! Whether a step did what it should.

use std::collections::BTreeMap;

use super::{Remote, Step};
use crate::model::refusal::Code;
use crate::store::layout;

/// The remote's refs and what they point at.
pub type Refs = BTreeMap<String, String>;

/// What was seen of a step.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The exit status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// The primary code that was given.
    pub code: Option<Code>,
    /// For a refused push: the code in the signed receipt that it left, read back by its id.
    pub receipt: Option<Code>,
    /// The remote's refs before.
    pub before: Refs,
    /// And after.
    pub after: Refs,
}

/// Whether a step did what it should, and what it did, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// Whether it did.
    pub ok: bool,
    /// What it did.
    pub did: String,
    /// Refs that moved at the remote.
    pub moved: Vec<String>,
}

impl Step {
    /// Compares what was seen with what should be: exit status, code, the receipt of a refused push, and the remote's refs.
    pub fn judge(&self, seen: &Seen) -> Judged {
        let should = &self.should;
        let moved = moved(&seen.before, &seen.after);
        let remote = match should.remote {
            Remote::Unchanged => moved.is_empty(),
            Remote::Receipts => !moved.is_empty() && moved.iter().all(|name| layout::is_boundary_ref(name)),
            Remote::Moves(reference) => moved == [reference],
        };
        let receipt = !self.leaves_receipt() || seen.receipt == should.code;
        let ok = seen.status == Some(should.status) && seen.code == should.code && receipt && remote;
        Judged { ok, did: self.did(seen, &moved), moved }
    }

    fn leaves_receipt(&self) -> bool {
        self.is_push() && self.should.status == 1 && self.should.code.is_some()
    }

    fn did(&self, seen: &Seen, moved: &[String]) -> String {
        let mut did = match seen.status {
            Some(status) => format!("exit status {status}"),
            None => "ended by a signal".to_owned(),
        };
        if let Some(code) = seen.code {
            did.push_str(&format!(", {code}"));
        }
        if self.leaves_receipt() {
            match seen.receipt {
                Some(code) => did.push_str(&format!(", receipt says {code}")),
                None => did.push_str(", no receipt"),
            }
        }
        match moved {
            [] => did.push_str("; no ref moved at the remote"),
            moved => did.push_str(&format!("; moved at the remote: {}", moved.join(" "))),
        }
        did
    }
}

/// The refs that differ, one that came or went included.
fn moved(before: &Refs, after: &Refs) -> Vec<String> {
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}
