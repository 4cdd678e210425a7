//! Vectors: hostile and valid data, one defect each, and what every reader and the gate must say of it.

#[path = "vectors/mod.rs"]
mod vectors;
