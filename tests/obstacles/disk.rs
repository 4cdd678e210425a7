//! A full disk.

use super::{Scene, can_mount, failed_clearly};
use crate::support::World;

#[test]
fn a_disk_that_takes_nothing_fails_every_command_and_stays_as_it_was() {
    for scene in Scene::all() {
        let before = scene.state();
        let ran = scene.run_under("sh", &["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"]);
        failed_clearly(ran, &["File too large"]);
        assert_eq!(before, scene.state(), "{:?}", scene.words);
        scene.run_under("env", &[]).ok();
    }
}

/// A copy of the clone on a disk of its own, which is filled but for `$1` pages. Says the statuses of the command, of the look at what it
/// left, and of the command with room again, and whether a ref moved in the first one.
const FILLED: &str = r#"
mkdir ../disk && mount -t tmpfs -o size=16m tmpfs ../disk && cp -a . ../disk/work && cd ../disk/work || exit 1
before=$(git for-each-ref)
dd if=/dev/zero of=../filler bs=4096 2>/dev/null
truncate -s "-$(($1 * 4096))" ../filler
git-boundary submit --no-publish >/dev/null; first=$?
if test "$before" = "$(git for-each-ref)"; then moved=no; else moved=yes; fi
rm ../filler
git boundary audit --json; audit=$?
git boundary submit --no-publish >/dev/null; again=$?
echo "first=$first moved=$moved audit=$audit again=$again" >&2
"#;

#[test]
fn a_disk_that_fills_up_at_any_page_leaves_all_of_a_write_or_none() {
    if !can_mount() {
        return;
    }
    let world = World::new();
    world.work.proposed_fix();
    let mut done = 0;
    for pages in 0..40 {
        let world = World::copy_of(&world.root());
        let pages = pages.to_string();
        let args = ["-m", "sh", "-c", FILLED, "sh", &pages];
        let ran = world.work.home.run(&world.work.dir, "unshare", &args, b"").ok();
        let none = ran.said().contains("first=128 moved=no audit=0 again=0");
        let all = ran.said().contains("first=0 moved=yes audit=0 again=0");
        assert!(none || all, "with {pages} pages: {ran}");
        assert!(all || ran.said().contains("No space left on device"), "with {pages} pages: {ran}");
        let audit = ran.json();
        assert_eq!((&audit["gaps"], &audit["set_aside"]), (&serde_json::json!([]), &serde_json::json!([])), "{ran}");
        done += usize::from(all);
        if done == 3 {
            break;
        }
    }
    assert_eq!(done, 3, "it was tried with too little room and with enough");
}
