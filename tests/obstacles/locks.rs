//! Locks that somebody holds.

use std::fs::File;
use std::process::{Child, Stdio};

use super::{Scene, failed_clearly};
use crate::support::{Ran, Work, World};

fn hold(work: &Work, name: &str) -> File {
    let file = File::create(work.git_file("boundary").join(name)).expect("the git directory is writable");
    file.lock().expect("nobody else holds it");
    file
}

#[test]
fn a_ref_that_another_writer_keeps_locked_fails_every_command_and_stays_as_it_was() {
    let scenes = Scene::all();
    // The lock of the ref stays as long as the one of the writers is held, since then it may be a living one's.
    let running: Vec<(Child, File)> = scenes
        .iter()
        .map(|scene| {
            let work = &scene.world.work;
            std::fs::write(work.git_file(&format!("{}.lock", work.notes_ref())), "").expect("it is writable");
            let held = hold(work, "writing");
            let mut command = work.home.command(&work.dir, "git-boundary");
            command.args(&scene.words).stdout(Stdio::piped()).stderr(Stdio::piped());
            (command.spawn().expect("it starts"), held)
        })
        .collect();
    let before: Vec<_> = scenes.iter().map(Scene::state).collect();
    for ((scene, (child, held)), before) in scenes.iter().zip(running).zip(before) {
        let output = child.wait_with_output().expect("it ends");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let ran = Ran {
            what: scene.words.join(" "),
            status: output.status.code().unwrap_or(-1),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        };
        let reference = scene.world.work.notes_ref();
        failed_clearly(ran, &[&format!("ref {reference} was changed or locked by others")]);
        assert_eq!(before, scene.state(), "{:?}", scene.words);
        drop(held);
        // Nobody is at work any more: the lock was left behind.
        scene.run_under("env", &[]).ok();
    }
}

#[test]
fn while_another_process_dispatches_nothing_is_pushed() {
    let world = World::new();
    world.work.proposed_fix();
    world.work.boundary("submit").ok();
    let scene = Scene::new(world, "push");
    let held = hold(&scene.world.work, "dispatching");
    let before = scene.state();
    scene
        .run_under("env", &[])
        .ends_with(2)
        .says("error: another process of this clone is dispatching; nothing was pushed")
        .says("hint: git boundary settle");
    assert_eq!(before, scene.state());
    drop(held);
    scene.run_under("env", &[]).ok();
}

#[test]
fn without_the_writers_lock_the_ref_itself_decides() {
    let world = World::new();
    world.work.proposed_fix();
    let scene = Scene::new(world, "submit");
    let held = hold(&scene.world.work, "writing");
    scene.run_under("env", &[]).ok();
    drop(held);
}
