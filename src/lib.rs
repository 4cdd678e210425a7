//! git-boundary: pins handoffs, keeps signed boundary proofs under git notes, refuses bad pushes.

pub mod codec;
pub mod crypto;
pub mod gate;
pub mod git;
pub mod hook;
pub mod ledger;
pub mod model;
pub mod store;
