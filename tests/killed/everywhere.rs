//! A command is killed at each of its boundaries once, each time in a copy of the same world.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::boundary::{Boundary, Line};
use crate::support::World;

/// So many copies at once: whoever meets a lock that a killed process left waits, and others work meanwhile.
const AT_ONCE: usize = 6;

/// Kills the command at each boundary, asks whether the repository is lawful, and lets `finish` bring the work to its end.
pub fn kill_everywhere(world: &World, words: &str, stdin: &[u8], finish: impl Fn(&World, &str) + Sync) {
    let (line, root) = (Line { words, stdin }, world.root());
    let boundaries = Boundary::all(&World::copy_of(&root).work, line);
    assert!(boundaries.len() > 10, "{boundaries:?}");
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(boundary) = boundaries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let world = World::copy_of(&root);
                    boundary.kill(&world.work, line);
                    let what = format!("`{words}` killed at {boundary}");
                    lawful(&world, &what);
                    finish(&world, &what);
                }
            });
        }
    });
}

/// Nothing is half written: every ledger is whole, every line has its entry, every chain of events is one.
pub fn lawful(world: &World, what: &str) {
    let audit = world.work.boundary("audit --json").ok().json();
    for list in ["gaps", "set_aside"] {
        assert_eq!(audit[list], Value::Array(Vec::new()), "{what}: {list}");
    }
}
