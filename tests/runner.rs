//! Every integration test, in one binary: real repositories, a real bare remote, real pushes, and the built program on `PATH`.

mod house;
mod lease;
mod people;
mod proofs;
mod scope;
mod source;
mod story;
mod support;
