//! THE GATEWAY: an agent that can look, propose and wait, and nothing else (seed "execution gateway"). Setup measures an agent and binds
//! it to one worktree; a launch finds every value again, opens a session and starts the agent with nothing but our tools; the server
//! answers them.
//!
//! It is an application's boundary and no sandbox: an agent that is started by another way is outside of it.

#![expect(
    clippy::disallowed_methods,
    reason = "it starts agents and asks them for their version, with a bound on how long that may take"
)]

pub mod actuator;
pub mod adapter;
pub mod admit;
pub mod desk;
pub mod error;
pub mod installation;
pub mod launch;
pub mod measure;
pub mod private;
pub mod probe;
pub mod serve;
pub mod session;
pub mod setup;
pub mod tools;
