//! What the tests stand on: throw-away worlds with a bare server, clones of it, and the built program on `PATH` as `git-boundary`.

mod base;
mod clock;
mod forge;
mod home;
mod landing;
mod push;
mod ran;
mod scenes;
mod server;
mod work;
mod world;

pub use clock::now;
pub use forge::read;
pub use home::Home;
pub use push::Push;
pub use ran::Ran;
pub use server::Refs;
pub use work::Work;
pub use world::World;

/// Lets a file be run.
pub fn executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}
