//! What is done to a file or to a ref: the words that a handoff's scope is written in (contract, section 4).

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a commit does to one path. A rename is a deletion and an addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// A path that was not there.
    Add,
    /// Other content.
    Modify,
    /// A path that is gone.
    Delete,
    /// Another mode: the bit that lets a file be run, or another kind of entry.
    Mode,
    /// A symbolic link, before or after.
    Symlink,
    /// A commit of another repository, before or after.
    Submodule,
}

/// What a push does to one ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefOperation {
    /// A ref that was not there.
    Create,
    /// A fast-forward.
    Update,
    /// Any other move: history that was there is left behind.
    Rewrite,
    /// A ref that is gone.
    Delete,
    /// A tag, made or moved.
    Tag,
}

impl Operation {
    /// All of them, in the order the contract lists them.
    pub const ALL: [Operation; 6] = [
        Operation::Add,
        Operation::Modify,
        Operation::Delete,
        Operation::Mode,
        Operation::Symlink,
        Operation::Submodule,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Add => "add",
            Operation::Modify => "modify",
            Operation::Delete => "delete",
            Operation::Mode => "mode",
            Operation::Symlink => "symlink",
            Operation::Submodule => "submodule",
        }
    }
}

impl RefOperation {
    /// All of them, in the order the contract lists them.
    pub const ALL: [RefOperation; 5] =
        [RefOperation::Create, RefOperation::Update, RefOperation::Rewrite, RefOperation::Delete, RefOperation::Tag];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            RefOperation::Create => "create",
            RefOperation::Update => "update",
            RefOperation::Rewrite => "rewrite",
            RefOperation::Delete => "delete",
            RefOperation::Tag => "tag",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for RefOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_serde_agree() {
        for operation in Operation::ALL {
            assert_eq!(serde_json::to_string(&operation).unwrap(), format!("{:?}", operation.name()));
        }
        for operation in RefOperation::ALL {
            assert_eq!(serde_json::to_string(&operation).unwrap(), format!("{:?}", operation.name()));
        }
        assert!(serde_json::from_str::<Operation>("\"Add\"").is_err(), "one spelling for one word");
    }
}
