//! One file for somebody who has neither the repository nor its receipts.

mod importing;
mod offline;

use std::path::PathBuf;

use crate::support::{Ran, Work, World};

/// Exports into a file of the account's root, outside every repository.
#[track_caller]
fn export(work: &Work, what: &str) -> PathBuf {
    let file = work.home.root().join("exported");
    work.boundary(&format!("export {what} --output {}", file.display())).ok();
    file
}

/// Verifies in an empty directory that nobody may write to, with no program but ours on `PATH`.
#[track_caller]
pub fn verify_offline(world: &World, file: &std::path::Path, words: &str) -> Ran {
    let home = &world.work.home;
    let empty = home.root().join("empty");
    std::fs::create_dir_all(&empty).expect("the root is writable");
    let read_only = |read_only: bool| {
        let mut permissions = std::fs::metadata(&empty).expect("it is there").permissions();
        permissions.set_readonly(read_only);
        std::fs::set_permissions(&empty, permissions).expect("it is ours");
    };
    read_only(true);
    let file = file.to_str().expect("temporary paths are text");
    let mut args = vec!["verify", "--bundle", file];
    args.extend(words.split_ascii_whitespace());
    let path = home.root().join("bin").into_os_string();
    let program = home.root().join("bin/git-boundary");
    let ran = home.run_with(&empty, program.to_str().expect("it is text"), &args, b"", &[("PATH", path)]);
    read_only(false);
    let left = std::fs::read_dir(&empty).expect("it is there").count();
    assert_eq!(left, 0, "verifying a bundle writes nothing");
    ran
}

/// The same against the world's own root.
#[track_caller]
pub fn verify(world: &World, file: &std::path::Path) -> Ran {
    verify_offline(world, file, &format!("--trust-root {}", world.trust_root()))
}
