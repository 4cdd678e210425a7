//! Every integration test, in one binary: real repositories, a real bare remote, real pushes, and the built program on `PATH`.

mod demo;
mod house;
mod joining;
mod lease;
mod people;
mod proofs;
mod readme;
mod scope;
mod source;
mod story;
mod support;
mod vectors;
