//! One binary for what is shown and told.

mod demo;
mod joining;
mod readme;
