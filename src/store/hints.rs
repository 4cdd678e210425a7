//! Hint lines: unsigned words in a note that help to find something. Nobody believes them; a wrong one costs a look in vain.

use serde::{Deserialize, Serialize};

use crate::codec::{canonical, strict};
use crate::model::id::Oid;
use crate::model::time::Timestamp;

/// In the note of a change list's blob id: the tip of a proposal with that change. In other places, where handoffs or baselines are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hint {
    /// The object whose note has more.
    pub hint: Oid,
    /// After this moment what it leads to is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

impl Hint {
    /// At something that has no end.
    pub fn at(hint: Oid) -> Self {
        Hint { hint, until: None }
    }

    /// The line, without its newline.
    pub fn line(&self) -> Vec<u8> {
        canonical::to_vec(self)
    }

    /// Reads a line as a hint.
    pub fn parse(line: &[u8]) -> Option<Hint> {
        // Canonical, so that every hint begins with its one field; most lines are artifacts and need no closer look.
        if !line.starts_with(b"{\"hint\":") {
            return None;
        }
        strict::read(line).ok()
    }
}
