//! The gate, fed by hand: no repository, no refs, every fact a value.

mod baseline;
pub mod code_authority;
mod code_context;
pub mod code_evidence;
mod code_identity;
pub mod code_policy;
mod code_source;
mod counting;
mod decisions;
mod every_fact;
mod every_git_fact;
mod hostile_facts;
pub mod parts;
mod results;
mod several;
mod whose_clock;
pub mod world;
