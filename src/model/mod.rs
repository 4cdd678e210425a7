//! NOUNS: what is stored and signed, as types. Pure; imports no other room.

pub mod asserted;
pub mod boundary_proof;
pub mod context;
pub mod count;
pub mod decision;
pub mod diet;
pub mod digest;
pub mod envelope;
pub mod event;
pub mod fact;
pub mod folding;
pub mod gateway;
pub mod handoff;
pub mod hex;
pub mod id;
pub mod key;
pub mod operation;
pub mod party;
pub mod policy;
pub mod refusal;
pub mod test_result;
pub mod time;
pub mod trust;
pub mod typed;
pub mod workspace_path;
