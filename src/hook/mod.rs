//! HOOK
mod input;
pub mod pre_push_input;
pub use input::InputError;
