//! VERBS: one use case a file. Gathers facts, judges, writes, returns a value; prints nothing.

pub mod approval;
pub mod baseline;
pub mod check;
pub mod choice;
pub mod context;
pub mod demo;
pub mod described;
pub mod doctor;
pub mod draft;
pub mod error;
pub mod handoff;
pub mod init;
pub mod judge;
pub mod lifecycle;
pub mod policy;
pub mod policy_explain;
pub mod policy_file;
pub mod propose;
pub mod publication;
pub mod push;
pub mod read;
pub mod record;
pub mod records;
pub mod refspecs;
pub mod remote;
pub mod subject;
pub mod trust;
pub mod verify;

pub use context::Context;
pub use error::{AppError, Failure};
