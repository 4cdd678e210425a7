//! Data with one defect each, and the pure rooms that must notice it. No git, no clock, no network.

mod bundles;
mod cases;
mod cast;
mod drafts;
mod gate;
mod key_files;
mod ledgers;
mod lines;
mod merging;
mod one_fact;
mod policy_chains;
mod policy_files;
mod random;
mod regenerate;
mod treeship;
mod trust_chains;
mod vector;
