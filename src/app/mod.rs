//! VERBS: one use case a file. Gathers facts, judges, writes, returns a value; prints nothing.

pub mod policy_explain;
pub mod policy_file;
