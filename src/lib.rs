//! git-boundary: pins handoffs, keeps signed boundary proofs under git notes, refuses bad pushes.

pub mod app;
pub mod gate;
pub mod model;
