//! A repository that can only be read.

use super::{Scene, can_mount, failed_clearly};

/// Mounts the directory over itself to be read only, and goes on there.
const READ_ONLY: &str = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && cd \"$0\" && exec \"$@\"";

#[test]
fn a_read_only_repository_fails_every_command_and_stays_as_it_was() {
    if !can_mount() {
        return;
    }
    for scene in Scene::all() {
        let before = scene.state();
        let dir = scene.world.work.dir.display().to_string();
        let ran = scene.run_under("unshare", &["-m", "sh", "-c", READ_ONLY, &dir]);
        failed_clearly(ran, &["Read-only file system"]);
        assert_eq!(before, scene.state(), "{:?}", scene.words);
        // And where it can be written again, the same command does its work.
        scene.run_under("env", &[]).ok();
    }
}

#[test]
fn a_repository_of_somebody_elses_fails_every_command_and_stays_as_it_was() {
    let probe = tempfile::tempdir().expect("a directory");
    let work = |line: &str| std::process::Command::new("sh").args(["-c", line]).current_dir(probe.path()).status();
    if work("mkdir shut && chmod a-w shut && touch shut/x 2>/dev/null").is_ok_and(|status| status.success()) {
        eprintln!("modes bind nobody here, as for root: that part is passed over");
        return;
    }
    for scene in Scene::all() {
        let before = scene.state();
        scene.world.work.sh("chmod -R a-w .git").ok();
        let ran = scene.run_under("env", &[]);
        scene.world.work.sh("chmod -R u+w .git").ok();
        failed_clearly(ran, &["Permission denied"]);
        assert_eq!(before, scene.state(), "{:?}", scene.words);
    }
}
