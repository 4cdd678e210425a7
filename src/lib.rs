//! git-boundary: pins handoffs, keeps signed boundary proofs under git notes, refuses bad pushes.

pub mod app;
pub mod cli;
pub mod codec;
pub mod crypto;
pub mod gate;
pub mod gather;
pub mod git;
pub mod hook;
pub mod ledger;
pub mod manual;
pub mod model;
pub mod store;
