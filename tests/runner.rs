//! Every integration test, in one binary: real repositories, a real bare remote, real pushes, and the built program on `PATH`.

#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "the program is tried from outside, as a process, and what could not be tried here is said"
)]

mod absent;
mod adopting;
mod advice;
mod afterwards;
mod approvals;
mod attacks;
mod baselines;
mod bundles;
mod ci;
mod completion;
mod contradictions;
mod decisions;
mod demo;
mod dispatch;
mod dispatchers;
mod equal_change;
mod evidence;
mod gateway;
mod handoffs;
mod hints;
mod hostile;
mod house;
mod interop;
mod joining;
mod keys;
mod killed;
mod lease;
mod lifecycle;
mod moves;
mod notes;
mod obstacles;
mod people;
mod places;
mod prepare;
mod proofs;
mod publishing;
mod pushes;
mod reading;
mod readme;
mod receiving;
mod remembered;
mod remembered_notes;
mod repositories;
mod rewritten;
mod roots;
mod scenarios;
mod scope;
mod shallow;
mod shown;
mod source;
mod story;
mod support;
mod sync;
mod syncing;
mod tamper;
mod vectors;
mod verifying;
mod witnesses;
mod workspace;
mod writers;
