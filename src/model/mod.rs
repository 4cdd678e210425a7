//! NOUNS: what is stored and signed, as types. Pure; imports no other room.

pub mod digest;
pub mod hex;
pub mod id;
pub mod operation;
pub mod time;
