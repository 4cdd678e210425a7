//! Every integration test, in one binary: real repositories, a real bare remote, real pushes, and the built program on `PATH`.

#![expect(clippy::disallowed_methods, reason = "the program is tried from outside, as a process")]

mod afterwards;
mod attacks;
mod decisions;
mod demo;
mod equal_change;
mod handoffs;
mod hostile;
mod house;
mod joining;
mod keys;
mod lease;
mod moves;
mod notes;
mod people;
mod places;
mod proofs;
mod pushes;
mod readme;
mod scope;
mod source;
mod story;
mod support;
mod sync;
mod tamper;
mod vectors;
mod verifying;
mod writers;
