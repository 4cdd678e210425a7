//! HOOKS: where git runs them, how ours gets there and stays beside what is there, and what git hands them.
//!
//! [`install()`], [`uninstall()`] and [`status()`] look after the files; [`read_push_lines`] and [`read_receive_lines`]
//! read what a running hook is given; [`Caller`] says whether that can be all of it.

#![expect(clippy::disallowed_methods, reason = "what standard input is decides whether an empty list is believed")]

mod by_hand;
mod caller;
mod edit;
mod error;
mod file;
mod input;
mod install;
mod managers;
mod name;
mod place;
mod plan;
mod pre_push_input;
mod receive_input;
mod shim;
mod status;
#[cfg(test)]
mod tests;

pub use self::caller::{Caller, InputDoubt, Stdin};
pub use self::error::InstallError;
pub use self::input::InputError;
pub use self::install::{How, InstallOptions, Installed, InstalledHook, Uninstalled, install, uninstall};
pub use self::managers::Manager;
pub use self::name::HookName;
pub use self::pre_push_input::{PushLine, read_push_lines};
pub use self::receive_input::{ReceiveLine, read_receive_lines};
pub use self::status::{HookState, HookStatus, OneHook, WorktreeHooks, status};
