//! Data with one defect each, and the pure rooms that must notice it. No git, no clock, no network.

mod cast;
mod gate;
mod ledgers;
mod lines;
mod policy_chains;
mod regenerate;
mod trust_chains;
mod vector;
