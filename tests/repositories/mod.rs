//! Repositories of every kind: one short story, played in each.

mod borrowed;
mod environment;
mod formats;
mod heads;
mod hidden;
mod hooks;
mod names;
mod remotes;
mod settings;

use crate::support::{Push, Work, World};

/// What a server has to say of a push past the client's hook.
#[track_caller]
fn turned_away(push: &Push, code: &str) {
    let first = format!("remote: refused: {code}  ");
    assert!(push.ran.stderr.contains(&first), "the server itself refuses with {code}: {}", push.ran);
    assert_eq!(push.before, push.after, "nothing moves at the server: {}", push.ran);
}

/// In `work`, a clone of a server that judges: what is not in order is refused by the hook, by the server and by `verify`; what is in
/// order is let in by all of them, recorded and synced.
#[track_caller]
fn the_story_works(world: &World, work: &Work) {
    world.work.hand_out();
    work.git("fetch -q");
    work.git("switch -q -c agent/fix");
    work.commit(&[("src/main.rs", "fn main() { work() }\n")]);
    if work.try_git("config remote.origin.promisor").status == 0 {
        // What git fetched by a filter lacks the receipts, which is an answer of its own.
        work.push("origin agent/fix").undecided().says("partial clone").says("git boundary sync");
        work.boundary("sync").ok();
    }
    work.push("origin agent/fix").refused("context.receipt_missing");
    turned_away(&work.push("--no-verify origin agent/fix"), "context.receipt_missing");
    work.propose();
    work.push("origin agent/fix").accepted();
    work.push("origin agent/fix:main").refused("evidence.boundary_missing");
    turned_away(&work.push("--no-verify origin agent/fix:main"), "evidence.boundary_missing");
    work.boundary("verify agent/fix --ref main").ends_with(1).says("evidence.boundary_missing");
    work.check("allow");
    work.push("origin agent/fix:main").accepted();
    work.boundary("sync").ok();
    work.git("fetch -q");
    work.boundary("verify origin/main").ok().says("covered");
    work.boundary("read HEAD").ok().says("work receipt by server: complete");
    work.boundary("hook status").ok();
}

/// A clone that has joined the world's trust, made with these words of `git clone`.
#[track_caller]
fn joined_with(world: &World, name: &str, options: &str) -> Work {
    let clone = world.clone_with(name, options);
    clone.boundary(&format!("init --trust-root {}", world.trust_root())).ok();
    clone.git("fetch -q");
    clone
}
