//! What a commit can do to a path and a push to a ref (contract, section 4).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::id::text_serde;

/// What a commit does to one path. A rename is a delete and an add.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// A path that was not there.
    Add,
    /// Other content.
    Modify,
    /// A path that is gone.
    Delete,
    /// Another mode or kind.
    Mode,
    /// A symbolic link on either side.
    Symlink,
    /// A submodule on either side.
    Submodule,
}

/// What a push does to one ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefOperation {
    /// A ref that was not there.
    Create,
    /// A fast-forward.
    Update,
    /// Any ref move that is no fast-forward.
    Rewrite,
    /// The ref goes away.
    Delete,
    /// A tag made or moved.
    Tag,
}

/// One word of a scope's `operations`.
///
/// The contract uses the word `delete` for files, where it is granted unless told otherwise, and for refs, where it is only granted
/// when named. One list can't hold both meanings in one word, so deleting a ref is written `delete-ref`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grant {
    /// Permission to do this to the files in scope.
    File(Operation),
    /// Permission to do this to the refs in scope.
    Ref(RefOperation),
}

impl Grant {
    /// Every word there is, files first.
    pub const ALL: [Grant; 11] = [
        Grant::File(Operation::Add),
        Grant::File(Operation::Modify),
        Grant::File(Operation::Delete),
        Grant::File(Operation::Mode),
        Grant::File(Operation::Symlink),
        Grant::File(Operation::Submodule),
        Grant::Ref(RefOperation::Create),
        Grant::Ref(RefOperation::Update),
        Grant::Ref(RefOperation::Rewrite),
        Grant::Ref(RefOperation::Delete),
        Grant::Ref(RefOperation::Tag),
    ];

    /// What `handoff create` grants when no operation is named: what a later commit can undo.
    pub const UNLESS_TOLD: [Grant; 6] = [
        Grant::File(Operation::Add),
        Grant::File(Operation::Modify),
        Grant::File(Operation::Delete),
        Grant::File(Operation::Mode),
        Grant::Ref(RefOperation::Create),
        Grant::Ref(RefOperation::Update),
    ];

    /// The word stored and typed.
    pub fn name(self) -> &'static str {
        match self {
            Grant::File(Operation::Add) => "add",
            Grant::File(Operation::Modify) => "modify",
            Grant::File(Operation::Delete) => "delete",
            Grant::File(Operation::Mode) => "mode",
            Grant::File(Operation::Symlink) => "symlink",
            Grant::File(Operation::Submodule) => "submodule",
            Grant::Ref(RefOperation::Create) => "create",
            Grant::Ref(RefOperation::Update) => "update",
            Grant::Ref(RefOperation::Rewrite) => "rewrite",
            Grant::Ref(RefOperation::Delete) => "delete-ref",
            Grant::Ref(RefOperation::Tag) => "tag",
        }
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Grant::File(*self).fmt(f)
    }
}

impl fmt::Display for RefOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Grant::Ref(*self).fmt(f)
    }
}

impl FromStr for Grant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Grant::ALL.into_iter().find(|grant| grant.name() == text).ok_or_else(|| {
            let known: Vec<_> = Grant::ALL.iter().map(|grant| grant.name()).collect();
            format!("{text:?} is no operation; the operations are {}", known.join(", "))
        })
    }
}

text_serde!(Grant);
