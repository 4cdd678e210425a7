//! VERBS: one use case a file. Gathers facts, judges, writes, returns a value; prints nothing.

pub mod check;
pub mod context;
pub mod error;
pub mod handoff;
pub mod init;
pub mod judge;
pub mod policy;
pub mod policy_explain;
pub mod policy_file;
pub mod propose;
pub mod record;
pub mod remote;
pub mod subject;
pub mod trust;

pub use context::Context;
pub use error::{AppError, Failure};
