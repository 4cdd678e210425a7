//! git-boundary: pins handoffs, keeps signed boundary proofs under git notes, refuses bad pushes.

pub mod git;
pub mod model;
