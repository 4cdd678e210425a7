//! THE WORKSPACE: files of a directory, read and written for somebody who may be hostile, while others may change them at any time.
//!
//! Every access goes beneath the descriptor of the opened directory ([`Workspace`]); no symbolic link is followed, no mount entered, and
//! git's own directory is neither seen nor touched. What is returned was the content of a regular file with one name, and every failure
//! has its own reason ([`AccessError`]). Answers are bounded ([`bounds`]) and say what they left out.
//!
//! It judges nothing and records nothing: who may read and write is the gate's to say.

mod anchor;
pub mod bounds;
mod directories;
mod error;
mod list;
mod read;
mod search;
mod stat;
mod sweep;
mod temporary;
mod walk;
mod write;

#[cfg(test)]
mod tests;

pub use anchor::{Means, Workspace};
pub use bounds::{ListBounds, SearchBounds, WalkBounds};
pub use error::{AccessError, Effect, WriteError};
pub use list::{ListedFile, Listing};
pub use read::{BinaryFile, Preimage, TextFile};
pub use search::{Found, Literal, LiteralDefect, SearchMatch};
pub use stat::Identity;
pub use sweep::Swept;
pub use walk::{Bound, Met, Omission, Omissions};
pub use write::{Expected, NEW_FILE_MODE, Written};
