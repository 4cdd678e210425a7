//! A whole push to a bare repository on the same disk: the hardest case for a hook, because no network's time hides it.

use std::fs;
use std::time::Duration;

use super::candidates::{Candidate, Candidates};
use super::receipts::MAIN;
use super::repository::Site;
use super::trial::{Trials, process};

/// A server that knows the default branch, and pushes of new branches to it, with the hook and without.
pub fn pushes<'a>(trials: &mut Trials<'a>, site: &'a Site, waiting: &'a Candidates, count: usize) {
    let world = &site.world;
    let name = format!("{}.git", site.dir.file_name().expect("it has a name").to_string_lossy());
    let server = site.dir.with_file_name(name);
    let to = server.display().to_string();
    world.git(&site.dir, &["init", "-q", "--bare", &to]);
    // What was built, and not what waits: the pushed commits are new to it.
    let objects = world.path("built/.git/objects");
    fs::write(server.join("objects/info/alternates"), format!("{}\n", objects.display())).expect("it can be written");
    world.git(&server, &["update-ref", MAIN, &waiting.main.to_string()]);
    world.git(&site.dir, &["remote", "add", "bench", &to]);
    world.git(&site.dir, &["update-ref", "refs/remotes/bench/main", &waiting.main.to_string()]);
    let installed = world.command(&world.binary, &site.dir).args(["hook", "install"]).status();
    assert!(installed.is_ok_and(|status| status.success()), "the hook can be installed");
    trials.add("git push without a hook", move |at| push(site, &waiting.proven[3 * count + at], true));
    trials.add("git push with our hook", move |at| push(site, &waiting.proven[4 * count + at], false));
}

fn push(site: &Site, one: &Candidate, bare: bool) -> Duration {
    let mut command = site.world.command("git", &site.dir);
    if bare {
        command.args(["-c", "core.hooksPath=/dev/null"]);
    }
    command.args(["push", "-q", "bench", &one.branch]);
    process(command, "", 0)
}
