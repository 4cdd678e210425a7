//! FACTS: collects from git and the shelves what the gate needs. The hook, `submit`, `verify` and CI all come through here.

mod ahead;
pub mod base;
pub mod commits;
pub mod decisions;
pub mod directory;
pub mod elsewhere;
pub mod error;
pub mod handoffs;
pub mod line;
pub mod notes;
pub mod outline;
pub mod proposals;
pub mod range;
pub mod session;
pub mod survey;
pub mod update;
pub mod write;

pub use error::GatherError;
pub use session::{Session, SessionOptions};
pub use update::{UpdateRequest, facts_for};
