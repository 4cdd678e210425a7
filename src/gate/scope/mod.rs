//! What a scope reaches: ref globs, pathspecs, and the files that machines act on.

pub mod automation;
mod element;
pub mod pathspec;
pub mod ref_glob;
mod wildcard;

pub use crate::model::folding;

#[cfg(test)]
mod against_git;
