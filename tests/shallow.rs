//! Shallow clones: what the cut hides is nobody's fault, and one command ends it.

use crate::support::{Work, World};

/// A clone of depth 1, of a repository where work was handed out below the newest commit.
fn cut(world: &World) -> Work {
    let work = &world.work;
    work.hand_out();
    for text in ["two\n", "three\n"] {
        work.commit(&[("README", text)]);
        work.boundary("propose --key ada-l").ok();
        work.push("origin main").accepted();
    }
    let shallow = world.clone_with("shallow", "--depth 1");
    shallow.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    shallow.git("switch -q -c agent/fix");
    shallow.commit(&[("src/main.rs", "fn main() { work() }\n")]);
    shallow
}

#[test]
fn work_on_a_pin_behind_the_cut_is_undecided_until_the_rest_is_fetched() {
    let world = World::new();
    let shallow = cut(&world);
    shallow.push("origin agent/fix").undecided().says("git fetch --unshallow");
    shallow.boundary("propose --key codex").ends_with(2).says("hint: git fetch --unshallow");
    shallow.boundary("doctor").says("this clone is shallow").says("git fetch --unshallow");
    shallow.git("fetch -q --unshallow");
    shallow.push("origin agent/fix").refused("context.receipt_missing");
    shallow.propose();
    shallow.push("origin agent/fix").accepted();
    shallow.boundary("doctor").never_says("this clone is shallow");
}

#[test]
fn work_on_a_pin_that_is_here_goes_its_way_in_a_shallow_clone() {
    let world = World::new();
    let shallow = cut(&world);
    world.work.hand_out();
    shallow.git("fetch -q");
    shallow.push("origin agent/fix").refused("context.receipt_missing").says("git boundary propose --key codex");
}
