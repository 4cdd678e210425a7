//! One smallest push for every code: everything that the gate looks at, git's answers among it, stands in one file.

mod codes;
mod complete;
mod cut;
mod file;
mod git;
mod make;
mod places;
mod properties;
mod worlds;

pub use codes::vectors;
